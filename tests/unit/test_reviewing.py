"""A reviewer at work: decide, take back, do again, and see what the others decide."""

import getpass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reviewer.services.deciding import (
    decision_log,
    decisions_path,
    reviewer_name,
    targets,
)
from reviewer.services.places import data_dir
from reviewer.services.reviewing import Reviewing
from store.digest import run_digest
from store.errors import StoreError
from store.records.reviews import DecisionKind, citation_target, finding_target
from store.reviews import DecisionLog
from tests.made import made_audit, made_run
from tests.unit.decisions import A, B


@pytest.fixture
def log(tmp_path: Path) -> DecisionLog:
    return DecisionLog(tmp_path / "decisions.jsonl")


def at_work(log: DecisionLog, reviewer: str = "Ann") -> Reviewing:
    times = (datetime(2025, 3, 1, tzinfo=UTC) + timedelta(seconds=n) for n in range(1000))
    return Reviewing(
        DecisionLog(log.path), reviewer, run_id="r-1", run_digest="c" * 64, now=times.__next__
    )


def kinds(log: DecisionLog) -> list[str]:
    return [each.kind.value for each in log.read().decisions]


def decided(work: Reviewing) -> list[str | None]:
    opinions = work.states[A].opinions if A in work.states else ()
    return [each.decided.kind.value if each.decided else None for each in opinions]


def test_a_decision_is_on_disk_when_it_was_made(log: DecisionLog) -> None:
    work = at_work(log)
    made = work.decide(A, DecisionKind.ACCEPT, "matches")
    assert log.read().decisions == (made,)
    assert (made.reviewer, made.run_id, made.note) == ("Ann", "r-1", "matches")
    assert decided(work) == ["accept"]


def test_undo_adds_the_opposite_and_redo_adds_the_decision_again(log: DecisionLog) -> None:
    work = at_work(log)
    work.decide(A, DecisionKind.ACCEPT)
    work.decide(A, DecisionKind.REJECT, "wrong page")
    assert work.undo() is not None
    assert decided(work) == ["accept"]
    again = work.redo()
    assert again is not None
    assert again.note == "wrong page"
    assert decided(work) == ["reject"]
    assert kinds(log) == ["accept", "reject", "undo", "reject"]
    assert log.verify().holds


def test_undo_and_redo_walk_back_and_forth_and_stop_at_the_ends(log: DecisionLog) -> None:
    work = at_work(log)
    for kind in (DecisionKind.ACCEPT, DecisionKind.REJECT, DecisionKind.FLAG):
        work.decide(A, kind)
    assert [bool(work.undo()) for _ in range(4)] == [True, True, True, False]
    assert decided(work) == []
    assert not work.can_undo
    assert [bool(work.redo()) for _ in range(4)] == [True, True, True, False]
    assert not work.can_redo
    assert decided(work) == ["flag"]
    work.undo()
    assert decided(work) == ["reject"]


def test_a_new_decision_ends_what_could_be_done_again(log: DecisionLog) -> None:
    work = at_work(log)
    work.decide(A, DecisionKind.ACCEPT)
    work.undo()
    work.decide(B, DecisionKind.FLAG)
    assert work.redo() is None


def test_undo_takes_back_what_this_session_decided_and_nothing_earlier(log: DecisionLog) -> None:
    at_work(log).decide(A, DecisionKind.ACCEPT)
    later = at_work(log)
    assert not later.can_undo
    assert later.undo() is None
    assert decided(later) == ["accept"]


def test_an_earlier_decision_is_taken_back_by_naming_its_target(log: DecisionLog) -> None:
    at_work(log).decide(A, DecisionKind.ACCEPT)
    later = at_work(log)
    assert later.undo(B) is None
    assert later.undo(A) is not None
    assert decided(later) == []


def test_what_was_taken_back_in_another_window_is_not_taken_back_twice(log: DecisionLog) -> None:
    first, second = at_work(log), at_work(log)
    first.decide(A, DecisionKind.ACCEPT)
    first.decide(A, DecisionKind.REJECT)
    second.undo(A)
    first.undo()
    assert kinds(log) == ["accept", "reject", "undo", "undo"]
    assert decided(first) == []


def test_two_reviewers_see_each_other_and_their_disagreement(log: DecisionLog) -> None:
    ann, bo = at_work(log, "Ann"), at_work(log, "Bo")
    ann.decide(A, DecisionKind.ACCEPT)
    assert bo.refresh()
    assert not bo.refresh()
    bo.decide(A, DecisionKind.REJECT)
    ann.refresh()
    assert decided(ann) == decided(bo) == ["accept", "reject"]
    assert ann.states[A].disagreement
    assert bo.undo() is not None
    assert bo.undo() is None
    assert decided(bo) == ["accept"]


def test_a_decision_that_was_not_kept_changes_nothing(
    log: DecisionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = at_work(log)
    work.decide(A, DecisionKind.ACCEPT)

    def full(handle: int, data: bytes) -> int:
        raise OSError(28, "No space left on device", str((handle, data)))

    with monkeypatch.context() as patch:
        patch.setattr("os.write", full)
        for act in (lambda: work.decide(A, DecisionKind.REJECT), work.undo):
            with pytest.raises(StoreError, match="Free some space"):
                act()
    assert decided(work) == ["accept"]
    assert work.can_undo
    assert not work.can_redo
    assert work.undo() is not None


def test_the_log_of_a_run_lies_in_the_data_folder_under_its_digest() -> None:
    run = made_run(path="somewhere/r-1")
    path = Path(decision_log(run).where)
    assert path == data_dir() / "runs" / run_digest(run) / "decisions.jsonl"
    assert Path(decision_log(made_run(path="elsewhere/r-1")).where) == path
    assert path == decisions_path(run_digest(run))
    assert not path.parent.exists()


def test_everything_in_an_audit_can_be_decided_on() -> None:
    audit = made_audit()
    found = targets(audit)
    assert found[citation_target(audit.citations[0])] == (0, None)
    target = finding_target(audit.findings[0])
    assert target is not None
    assert found[target] == (None, 0)


def test_the_reviewer_is_named_by_settings_then_environment_then_login(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "login")
    assert reviewer_name("Ann", {"REREAD_REVIEWER": "Bo"}) == "Ann"
    assert reviewer_name(" ", {"REREAD_REVIEWER": " Bo "}) == "Bo"
    assert reviewer_name("", {"REREAD_REVIEWER": ""}) == "login"


def test_nobody_decides_without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise OSError("No username set in the environment")

    monkeypatch.setattr(getpass, "getuser", nobody)
    with pytest.raises(StoreError, match="REREAD_REVIEWER"):
        reviewer_name("", {})


def test_what_stands_already_is_not_written_again(tmp_path: Path) -> None:
    work = Reviewing(DecisionLog(tmp_path / "log.jsonl"), "Ann")
    first = work.decide(A, DecisionKind.ACCEPT)
    assert work.decide(A, DecisionKind.ACCEPT) == first
    assert len(DecisionLog(tmp_path / "log.jsonl").read().decisions) == 1
    work.decide(A, DecisionKind.ACCEPT, "page 3")
    work.decide(A, DecisionKind.REJECT)
    work.decide(A, DecisionKind.ACCEPT)
    assert len(DecisionLog(tmp_path / "log.jsonl").read().decisions) == 4
    work.undo(A)
    work.decide(A, DecisionKind.ACCEPT)
    assert len(DecisionLog(tmp_path / "log.jsonl").read().decisions) == 6
