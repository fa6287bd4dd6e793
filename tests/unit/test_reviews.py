"""The log of decisions: what was acknowledged is kept, and what was changed is noticed."""

import errno
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import reviews
from store._decision_lines import LINE_BYTES
from store._locking import locked
from store.errors import StoreError
from store.records.reviews import NAME_CHARS, NOTE_CHARS, Decision, Target, TargetKind
from store.records.runs import ProblemKind
from store.reviews import DecisionLog, Reading
from tests.made import HOSTILE
from tests.unit.decisions import A, B, made


@pytest.fixture
def log(tmp_path: Path) -> DecisionLog:
    return DecisionLog(tmp_path / "runs" / "c" / "decisions.jsonl", patience=0.0)


def kinds(found: Reading) -> list[ProblemKind]:
    return [problem.kind for problem in found.problems]


def test_a_log_that_is_not_there_is_empty_and_cannot_be_verified(log: DecisionLog) -> None:
    assert log.read() == Reading()
    assert log.read().missing
    with pytest.raises(StoreError, match="there is no log"):
        log.verify()
    assert not log.path.parent.exists()


def test_what_was_appended_is_read_in_its_order(log: DecisionLog) -> None:
    sealed = [log.append(made("accept")), log.append(made("note", B, note="第 3 页\n"))]
    found = DecisionLog(log.path).read()
    assert list(found.decisions) == sealed
    assert (found.problems, found.records, found.end) == ((), 2, sealed[1].hash)
    assert sealed[1].previous == sealed[0].hash
    assert log.verify().holds
    assert "第 3 页" in log.path.read_text("utf-8")


def test_every_decision_is_synced_before_it_is_acknowledged(
    log: DecisionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    log.append(made())
    before = len(synced)
    log.append(made())
    assert len(synced) == before + 1


@given(
    note=st.text(st.characters(), max_size=30),
    reviewer=st.text(st.characters(), min_size=1, max_size=10).filter(str.strip),
)
def test_any_text_is_kept_in_a_chain_that_holds(
    tmp_path_factory: pytest.TempPathFactory, note: str, reviewer: str
) -> None:
    log = DecisionLog(tmp_path_factory.mktemp("log") / "decisions.jsonl")
    target = Target(TargetKind.FINDING, note or "x")
    sealed = log.append(made("flag", target, reviewer, note))
    found = log.read()
    assert found.decisions == (sealed,)
    assert found.holds
    # Two halves of a character that follow each other are that character.
    assert sealed.note.encode("utf-16", "surrogatepass") == note.encode("utf-16", "surrogatepass")
    assert log.path.read_bytes().count(b"\n") == 1


def test_hostile_text_reaches_no_terminal_that_shows_the_log(log: DecisionLog) -> None:
    log.append(made("flag", reviewer=HOSTILE, note=HOSTILE))
    data = log.path.read_bytes()
    text = data.decode()
    assert not any(char < " " or char in "\x7f\u202e\u2028" for char in text.rstrip("\n"))
    assert log.read().decisions[0].note == HOSTILE


def test_the_longest_note_is_far_shorter_than_the_longest_line(log: DecisionLog) -> None:
    log.append(made("flag", reviewer="\ud800" * NAME_CHARS, note="\ud800" * NOTE_CHARS))
    assert len(log.path.read_bytes()) < LINE_BYTES
    assert log.verify().holds


def test_one_changed_byte_anywhere_is_noticed(log: DecisionLog) -> None:
    for number in range(3):
        log.append(made("note", note=f"note {number}"))
    whole = log.path.read_bytes()
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 0x01
        log.path.write_bytes(changed)
        found = log.read()
        assert len(found.problems) > 0, f"byte {place}"
        if place != len(whole) - 1:
            # The last line feed is none of the record: without it, a write may have ended early.
            assert not log.verify().holds, f"byte {place}"


@pytest.mark.parametrize("gone", [0, 1])
def test_a_removed_record_is_noticed_unless_it_was_the_last(log: DecisionLog, gone: int) -> None:
    for _ in range(3):
        log.append(made())
    lines = log.path.read_bytes().split(b"\n")
    log.path.write_bytes(b"\n".join(lines[:gone] + lines[gone + 1 :]))
    found = log.verify()
    assert not found.holds
    assert found.problems[0].where == f"{log.path}:{gone + 1}"
    log.path.write_bytes(b"\n".join(lines[:2]) + b"\n")
    assert log.verify().holds


def test_records_that_change_places_are_noticed(log: DecisionLog) -> None:
    for _ in range(3):
        log.append(made())
    first, second, third, end = log.path.read_bytes().split(b"\n")
    log.path.write_bytes(b"\n".join([second, first, third, end]))
    assert not log.verify().holds


def test_a_changed_last_record_is_not_explained_by_what_follows(log: DecisionLog) -> None:
    log.append(made())
    log.append(made("reject"))
    for change in (b'"kind":"accept"', b'"kind":"reject'):
        log.path.write_bytes(log.path.read_bytes().replace(b'"kind":"reject"', change))
        assert not log.verify().holds
        sealed = log.append(made("flag"))
        found = log.read()
        assert not found.holds
        assert found.decisions[-1] == sealed
        assert found.problems[0].where == f"{log.path}:2"


def test_every_cut_of_the_last_line_loses_nothing_and_is_gone_on_after(log: DecisionLog) -> None:
    kept = log.append(made("accept", note="kept"))
    start = len(log.path.read_bytes())
    log.append(made("reject", note="中断 by a kill"))
    whole = log.path.read_bytes()
    for cut in {*range(start + 1, len(whole) - 1, 11), len(whole) - 2}:
        log.path.write_bytes(whole[:cut])
        found = log.read()
        assert found.decisions == (kept,)
        assert found.holds
        assert kinds(found) == [ProblemKind.NOTED]
        later = [log.append(made("flag")), log.append(made("flag"))]
        found = log.read()
        assert found.decisions == (kept, *later)
        assert found.holds
        assert kinds(found) == [ProblemKind.NOTED]
        assert "next record says so" in found.problems[0].what
        assert log.path.read_bytes().startswith(whole[:cut])
        assert DecisionLog(log.path).read() == found


def test_a_whole_record_without_its_line_feed_counts(log: DecisionLog) -> None:
    both = [log.append(made()), log.append(made("reject"))]
    log.path.write_bytes(log.path.read_bytes()[:-1])
    before = log.read()
    assert list(before.decisions) == both
    third = log.append(made("flag"))
    for found in (log.read(), log.read(before)):
        assert list(found.decisions) == [*both, third]
        assert found.problems == ()


def test_two_interrupted_writes_one_behind_the_other_are_gone_on_after(log: DecisionLog) -> None:
    first = log.append(made())
    line = log.path.read_bytes()
    log.path.write_bytes(line + line[:40] + b"\n" + line[:60])
    second = log.append(made("flag"))
    found = log.read()
    assert found.decisions == (first, second)
    assert found.holds


def test_bytes_named_by_a_record_may_not_change_or_go(log: DecisionLog) -> None:
    log.append(made())
    line = log.path.read_bytes()
    log.path.write_bytes(line + b'{"half')
    log.append(made())
    whole = log.path.read_bytes()
    for other in (whole.replace(b'{"half\n', b'{"hulf\n'), whole.replace(b'{"half\n', b"")):
        log.path.write_bytes(other)
        assert not log.verify().holds


def test_what_a_newer_program_wrote_is_said_to_be_unread(log: DecisionLog) -> None:
    log.append(made())
    known = log.read().decisions[0]
    line = json.loads(log.path.read_bytes())
    line["format"] = "reread.decision/2"
    log.path.write_bytes(sealed_line(line))
    found = log.read()
    assert found.decisions == ()
    assert kinds(found) == [ProblemKind.LOST]
    assert log.append(made()).previous != known.hash


def sealed_line(record: dict[str, object]) -> bytes:
    """Do what someone does who can write the file: give a record the hash it needs."""
    from hashlib import sha256  # noqa: PLC0415 - the recipe stands in one place

    from store._decision_lines import canonical  # noqa: PLC0415

    record.pop("hash", None)
    digest = sha256(canonical(record)).hexdigest()
    return canonical({**record, "hash": digest}) + b"\n"


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "approve"},
        {"kind": 1},
        {"target": "thing"},
        {"at": "yesterday"},
        {"at": "0001-01-01T00:00:00+23:59"},
        {"reviewer": ""},
        {"note": ["x"]},
        {"note": "x" * (NOTE_CHARS + 1)},
    ],
)
def test_a_record_that_cannot_be_understood_is_a_problem_and_no_decision(
    log: DecisionLog, change: dict[str, object]
) -> None:
    log.append(made())
    log.path.write_bytes(sealed_line({**json.loads(log.path.read_bytes()), **change}))
    after = log.append(made("reject"))
    found = log.read()
    assert found.decisions == (after,)
    assert kinds(found) == [ProblemKind.LOST]


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000 + b"\n",
        b'{"a":' * 100_000 + b"\n",
        b"NaN\n",
        b'{"at":NaN}\n',
        b"1" * 10_000 + b"\n",
        b"\xff\xfe\n",
        b"\x00" * 4096,
        b"\n\n\n",
        b'{"hash":1,"hash":2}\n',
        b"x" * (LINE_BYTES * 2 + 5),
        b"x" * (LINE_BYTES * 2 + 5) + b"\n",
    ],
)
def test_a_file_of_anything_is_no_log_and_does_no_harm(log: DecisionLog, data: bytes) -> None:
    log.path.parent.mkdir(parents=True)
    log.path.write_bytes(data)
    found = log.read()
    assert found.decisions == ()
    assert len(found.problems) == 1
    sealed = log.append(made())
    assert log.read().decisions == (sealed,)
    assert log.path.read_bytes().startswith(data)


def test_a_log_of_impossible_size_is_not_read_into_memory(
    log: DecisionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append(made())
    monkeypatch.setattr(reviews, "LOG_BYTES", 10)
    with pytest.raises(StoreError, match="bytes"):
        log.read()


def test_what_others_append_is_seen_without_reading_all_again(log: DecisionLog) -> None:
    first = log.append(made())
    before = log.read()
    assert not log.changed_since(before.stamp)
    second = DecisionLog(log.path).append(made("reject", reviewer="Bo"))
    assert log.changed_since(before.stamp)
    after = log.read(before)
    assert after.decisions == (first, second)
    assert after == log.read()


def test_a_log_that_was_replaced_is_read_anew(log: DecisionLog) -> None:
    log.append(made())
    before = log.read()
    log.path.unlink()
    assert log.changed_since(before.stamp)
    assert log.read(before) == Reading()
    other = log.append(made("reject"))
    assert log.read(before).decisions == (other,)


def test_a_log_that_lost_its_end_is_gone_on_after(log: DecisionLog) -> None:
    first, _ = log.append(made()), log.append(made())
    before = log.read()
    log.path.write_bytes(log.path.read_bytes().split(b"\n")[0] + b"\n")
    third = log.append(made("flag"))
    assert log.read(before).decisions == (first, third)
    assert third.previous == first.hash


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("kept", [0, 40])
def test_a_full_disk_leaves_the_log_as_it_was(
    log: DecisionLog, monkeypatch: pytest.MonkeyPatch, number: int, kept: int
) -> None:
    log.append(made())
    before = log.path.read_bytes()
    write = os.write
    left = [kept]

    def full(handle: int, data: bytes) -> int:
        taken, left[0] = data[: left[0]], 0
        if taken:
            return write(handle, taken)
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(StoreError, match="was not kept") as raised:
            log.append(made("reject"))
    assert raised.value.where == str(log.path)
    assert log.path.read_bytes() == before
    again = log.append(made("reject"))
    assert log.read().decisions[-1] == again
    assert log.read().problems == ()


def test_a_decision_that_did_not_reach_the_disk_is_not_in_the_log(
    log: DecisionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append(made())
    before = log.path.read_bytes()

    def broken(handle: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        with pytest.raises(StoreError, match="was not kept"):
            log.append(made("reject"))
    assert log.path.read_bytes() == before


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    log = DecisionLog(tmp_path / "runs" / "decisions.jsonl")
    with pytest.raises(StoreError, match="may write there") as raised:
        log.append(made())
    assert raised.value.where == str(log.path)
    assert (tmp_path / "runs").read_text() == "a file"


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_log_that_may_only_be_read_is_still_read(
    log: DecisionLog, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    sealed = log.append(made())
    opened = os.open

    def refuse(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_APPEND:
            raise OSError(number, os.strerror(number))
        return opened(path, flags, mode)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreError, match="was not kept"):
        log.append(made())
    assert log.read().decisions == (sealed,)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name on this system")
def test_what_is_no_file_is_refused_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        log = DecisionLog(path)
        with pytest.raises(StoreError):
            log.read()
        with pytest.raises(StoreError):
            log.append(made())


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_no_decision_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / "decisions.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError):
        DecisionLog(tmp_path / "decisions.jsonl").append(made())
    assert (tmp_path / "elsewhere").read_text() == ""


def test_a_log_that_another_holds_is_waited_for_and_then_refused(log: DecisionLog) -> None:
    log.append(made())
    with log.path.open("rb") as other, locked(other.fileno(), str(log.path)):
        with pytest.raises(StoreError, match="another program holds it"):
            log.append(made())
        with pytest.raises(StoreError, match="another program holds it"):
            log.read()
    log.append(made())


def test_where_files_cannot_be_locked_a_file_beside_stands_for_it(
    log: DecisionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(handle: int, *, shared: bool) -> None:
        raise OSError(errno.ENOLCK, "no locks", str((handle, shared)))

    monkeypatch.setattr("store._locking._take", none)
    beside = log.path.with_name("decisions.jsonl.lock")
    log.append(made())
    assert not beside.exists()
    beside.touch()
    with pytest.raises(StoreError, match="delete this file"):
        log.append(made())
    assert len(log.read().decisions) == 1
    beside.unlink()
    log.append(made())
    assert log.verify().holds


def test_a_log_taken_away_while_we_waited_gets_no_decision_that_is_lost(
    log: DecisionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append(made())
    taken: list[Path] = []

    def take(handle: int, *, shared: bool) -> None:
        del handle, shared
        if not taken:
            taken.append(log.path.rename(log.path.with_name("away")))

    monkeypatch.setattr("store._locking._take", take)
    sealed = log.append(made("reject"))
    assert log.read().decisions == (sealed,)


def test_decisions_may_be_given_in_any_zone_and_are_kept_in_utc(log: DecisionLog) -> None:
    from datetime import timedelta, timezone  # noqa: PLC0415 - only here

    there = made()
    at = there.at.astimezone(timezone(timedelta(hours=8)))
    sealed: Decision = log.append(replace(there, at=at, target=A))
    assert sealed.at.utcoffset() == timedelta(0)
    assert log.read().decisions[0].at == at
    assert json.loads(log.path.read_bytes())["at"].endswith("Z")


def test_what_was_read_is_not_walked_again_to_append(
    log: DecisionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        log.append(made())
    other = DecisionLog(log.path)
    other.read()
    opened: list[bytes] = []
    from store import _decision_lines  # noqa: PLC0415 - only here

    monkeypatch.setattr(_decision_lines, "_opened", opened.append)
    other.append(made())
    assert opened == []
    monkeypatch.undo()
    assert log.verify().records == 4
