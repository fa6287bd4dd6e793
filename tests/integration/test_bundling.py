"""Bundles: whole or not at all, accepted by the validators, and nothing redacted stays."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import bagit
import pytest
from pyld import jsonld

from reviewer.app import Program
from reviewer.cli import run
from reviewer.cli._output import Output
from reviewer.services.bundling import Bundled, Wanted, bundle_time, make_bundle
from reviewer.services.deciding import decision_log
from reviewer.services.redacting import Redactor
from reviewer.services.result_files import RefusedError
from reviewer.services.sample import write_sample
from reviewer.services.team import DATABASE_VARIABLE, share
from reviewer.services.verifying import verify_bundle
from store.bundle import files_below
from store.digest import run_digest
from store.errors import StoreError
from store.records.findings import Audit
from store.records.reviews import Decision, DecisionKind, citation_target
from store.records.runs import ProblemKind
from store.sqlite import sqlite_url
from tests.conformance.check_data import shared_folder
from tests.made import Ended

_AT = datetime(2026, 3, 12, 9, tzinfo=UTC)
_HOME = Path(__file__).parents[2]


def _audit(paths: object, store: str | None) -> Iterator[object]:
    return Program(strict=True).audit(paths, store, tokens=False)  # type: ignore[arg-type]


def _make(wanted: Wanted, check: Callable[[], None] = lambda: None) -> Bundled:
    return make_bundle(wanted, _audit, _AT, check)  # type: ignore[arg-type]


def _command(*arguments: str) -> Ended:
    import io  # noqa: PLC0415 - streams of one test

    out, err = io.BytesIO(), io.BytesIO()
    status = run(list(arguments), Program(strict=True), Output(out, err), {})
    return Ended(status, out.getvalue().decode(), err.getvalue().decode())


@pytest.fixture
def sample(tmp_path: Path) -> list[Path]:
    return list(write_sample(tmp_path / "sample"))


@pytest.fixture
def bundle(sample: list[Path], tmp_path: Path) -> Path:
    return _make(Wanted(str(sample[0]), str(tmp_path / "bundle"))).place


def test_a_bundle_holds_the_run_folder_as_it_is(sample: list[Path], bundle: Path) -> None:
    inside = bundle / "data" / "run" / sample[0].name
    names = list(files_below(sample[0]))
    assert list(files_below(inside)) == names
    assert all((inside / n).read_bytes() == (sample[0] / n).read_bytes() for n in names)
    for made in ("report.sarif", "report.html", "annotations.jsonld", "ro-crate-metadata.json"):
        assert (bundle / "data" / made).is_file()


def test_a_bundle_is_valid_for_every_reader_of_bagit(bundle: Path) -> None:
    assert bagit.Bag(str(bundle)).is_valid()


def test_the_description_is_a_process_run_crate_for_its_validator(bundle: Path) -> None:
    context = shared_folder() / "examples" / "standards" / "ro-crate-1.1-context.jsonld"
    if not context.is_file():
        pytest.skip(f"the context of RO-Crate is not in {context}")
    asked = [sys.executable, "tests/validate_crate.py", str(bundle / "data"), str(context)]
    done = subprocess.run(  # noqa: S603 - our own program
        [*asked, "ro-crate-1.1", "process-run-crate-0.5"],
        cwd=_HOME,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "process-run-crate-0.5: valid" in done.stdout


def test_the_description_means_something_as_linked_data(bundle: Path) -> None:
    context = shared_folder() / "examples" / "standards" / "ro-crate-1.1-context.jsonld"
    if not context.is_file():
        pytest.skip(f"the context of RO-Crate is not in {context}")
    page = {
        "contentType": "application/ld+json",
        "contextUrl": None,
        "documentUrl": "https://w3id.org/ro/crate/1.1/context",
        "document": json.loads(context.read_text("utf-8")),
    }
    found = json.loads((bundle / "data" / "ro-crate-metadata.json").read_text("utf-8"))
    text = json.dumps(
        jsonld.expand(found, {"documentLoader": lambda *_: page, "base": "http://b/data/"})
    )
    for word in ("http://schema.org/instrument", "http://schema.org/CreateAction", "#sha256"):
        assert word in text


def test_verify_holds_and_says_what_it_checked(bundle: Path) -> None:
    found = verify_bundle(str(bundle))
    assert found.holds
    seal = hashlib.sha256((bundle / "tagmanifest-sha256.txt").read_bytes()).hexdigest()
    assert any(seal in said for said in found.said)
    assert any("21 quotations" in said for said in found.said)
    (note,) = found.problems
    assert note.kind is ProblemKind.NOTED
    assert "had changed before it was bundled" in note.what


def test_one_changed_byte_in_any_file_is_noticed(bundle: Path) -> None:
    for name in list(files_below(bundle)):
        path = bundle / name
        data = path.read_bytes()
        for place in {0, len(data) // 2, len(data) - 1}:
            path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            assert not verify_bundle(str(bundle)).holds, (name, place)
        path.write_bytes(data)
    assert verify_bundle(str(bundle)).holds


def _sealed(bundle: Path) -> None:
    """Make the tags of a tampered bag anew, as one who can write it can."""
    from store.bundle import write_tags  # noqa: PLC0415 - the tamperer's own tool

    for tag in bundle.glob("*.txt"):
        tag.unlink()
    write_tags(bundle, {}, lambda: None)


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("report.sarif", b'"sha-256": "30', b'"sha-256": "31', "speaks of other bytes"),
        (
            "annotations.jsonld",
            b'"exact": "The gate',
            b'"exact": "The gape',
            "quotes what does not",
        ),
        (
            "ro-crate-metadata.json",
            b'"contentSize": "',
            b'"contentSize": "9',
            "is not the file that",
        ),
        (
            "ro-crate-metadata.json",
            b'"@id": "report.html",',
            b'"@id": "rapport.html",',
            "does not describe it",
        ),
        ("ro-crate-metadata.json", b"{", b"[", "no JSON"),
    ],
)
def test_what_reports_say_must_fit_the_evidence_also_in_a_bag_made_anew(
    bundle: Path, file: str, old: bytes, new: bytes, told: str
) -> None:
    path = bundle / "data" / file
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    if file != "ro-crate-metadata.json":
        crate = bundle / "data" / "ro-crate-metadata.json"
        found = json.loads(crate.read_text("utf-8"))
        for entity in found["@graph"]:
            if entity["@id"] == file:
                entity["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
                entity["contentSize"] = str(path.stat().st_size)
        crate.write_text(json.dumps(found), "utf-8")
    _sealed(bundle)
    assert any(told in each.what for each in verify_bundle(str(bundle)).problems)


@pytest.mark.parametrize("placed", [True, False])
def test_a_quotation_stands_in_its_file_and_ends_no_later(bundle: Path, *, placed: bool) -> None:
    place = bundle / "data" / "annotations.jsonld"
    found = json.loads(place.read_text("utf-8"))
    changed = 0
    for item in found["first"]["items"]:
        target = item.get("target")
        state = target.get("state") if isinstance(target, dict) else None
        if not state or "cached" not in state:
            continue
        text = (bundle / "data" / unquote(state["cached"])).read_bytes()
        for each in target.get("selector", []):
            if each["type"] == "TextQuoteSelector":
                each["exact"] = text[-1:].decode() if placed else "words of nobody"
            if each["type"] == "DataPositionSelector":
                each["start"], each["end"] = len(text) - 1, len(text) + 5
                each["type"] = each["type"] if placed else "OtherSelector"
                changed += 1
    assert changed
    place.write_text(json.dumps(found), "utf-8")
    crate = bundle / "data" / "ro-crate-metadata.json"
    described = json.loads(crate.read_text("utf-8"))
    for entity in described["@graph"]:
        if entity["@id"] == place.name:
            entity["sha256"] = hashlib.sha256(place.read_bytes()).hexdigest()
            entity["contentSize"] = str(place.stat().st_size)
    crate.write_text(json.dumps(described), "utf-8")
    _sealed(bundle)
    problems = verify_bundle(str(bundle)).problems
    told = "quotes what does not stand at" if placed else "quotes what stands nowhere in"
    assert sum(told in each.what for each in problems) == changed


def test_the_same_run_gives_the_same_bytes_at_the_same_time(
    sample: list[Path], bundle: Path, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere"
    again = _make(Wanted(str(write_sample(other)[0]), str(other / "again"))).place
    names = list(files_below(bundle))
    assert list(files_below(again)) == names
    assert [n for n in names if (bundle / n).read_bytes() != (again / n).read_bytes()] == []
    assert sample[0] != other


def test_no_file_of_a_bundle_tells_where_it_was_made(bundle: Path, tmp_path: Path) -> None:
    for name in files_below(bundle):
        assert str(tmp_path).encode() not in (bundle / name).read_bytes(), name


def test_the_time_of_a_bundle_can_be_given() -> None:
    assert bundle_time({"SOURCE_DATE_EPOCH": "0"}).year == 1970
    with pytest.raises(RefusedError, match="no number of seconds"):
        bundle_time({"SOURCE_DATE_EPOCH": "today"})


def test_nothing_is_written_over_and_nothing_into_evidence(
    sample: list[Path], bundle: Path, tmp_path: Path
) -> None:
    before = {name: (bundle / name).read_bytes() for name in files_below(bundle)}
    for taken in (bundle, tmp_path / "sample", sample[0] / "inside"):
        with pytest.raises(RefusedError):
            _make(Wanted(str(sample[0]), str(taken)))
    (tmp_path / "empty").mkdir()
    with pytest.raises(RefusedError, match="is there already"):
        _make(Wanted(str(sample[0]), str(tmp_path / "empty")))
    assert before == {name: (bundle / name).read_bytes() for name in files_below(bundle)}


class _StoppedError(BaseException):
    pass


def test_a_bundle_that_is_stopped_leaves_nothing(sample: list[Path], tmp_path: Path) -> None:
    left = 30

    def check() -> None:
        nonlocal left
        left -= 1
        if not left:
            raise _StoppedError

    with pytest.raises(_StoppedError):
        _make(Wanted(str(sample[0]), str(tmp_path / "out")), check)
    assert [each.name for each in tmp_path.iterdir()] == ["sample"]


_KILLED = """
import os, sys
from tests.integration.test_bundling import _make
from reviewer.services.bundling import Wanted
left = int(sys.argv[3])
def check():
    global left
    left -= 1
    if left < 0:
        os._exit(9)
_make(Wanted(sys.argv[1], sys.argv[2]), check)
"""


@pytest.mark.parametrize("after", [0, 5, 20, 60, 90])
def test_a_bundle_whose_maker_is_killed_is_none(
    sample: list[Path], tmp_path: Path, after: int
) -> None:
    out = tmp_path / "out"
    asked = [sys.executable, "-c", _KILLED, str(sample[0]), str(out), str(after)]
    done = subprocess.run(asked, cwd=_HOME, check=False)  # noqa: S603 - our own program
    assert done.returncode == 9
    assert not out.exists()
    for part in tmp_path.glob(".out.*"):
        assert not verify_bundle(str(part)).holds


_FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
from reviewer.app import main
sys.exit(main(["bundle", sys.argv[1], sys.argv[2]]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is one of POSIX")
@pytest.mark.parametrize("limit", [100, 3_000, 30_000])
def test_a_full_disk_is_told_of_and_leaves_nothing(
    sample: list[Path], tmp_path: Path, limit: int
) -> None:
    out = tmp_path / "out"
    asked = [sys.executable, "-c", _FULL, str(sample[0]), str(out), str(limit)]
    done = subprocess.run(asked, cwd=_HOME, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 2, done.stderr
    assert "the bundle was not made" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["sample"]


def test_of_two_at_once_one_is_made_and_the_other_is_told(
    sample: list[Path], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    asked = [sys.executable, "-m", "reviewer", "bundle", str(sample[0]), str(out)]
    both = [
        subprocess.Popen(asked, cwd=_HOME, stderr=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        for _ in range(2)
    ]
    told = [each.communicate()[1].decode() for each in both]
    assert sorted(each.returncode for each in both) == [0, 2], told
    assert verify_bundle(str(out)).holds
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out", "sample"]


def test_decisions_are_in_the_bundle_with_their_chain(sample: list[Path], tmp_path: Path) -> None:
    (audit,) = [each for each in _audit([str(sample[0])], None) if isinstance(each, Audit)]
    digest = run_digest(audit.run)
    made = Decision(
        DecisionKind.ACCEPT,
        citation_target(audit.citations[0]),
        "ada",
        _AT,
        "1",
        "agreed",
        run_id=audit.run.run_id,
        run_digest=digest,
    )
    decision_log(audit.run).append(made)
    place = _make(Wanted(str(sample[0]), str(tmp_path / "out"))).place
    log = place / "data" / "decisions" / f"{digest}.jsonl"
    assert log.read_bytes() == Path(decision_log(audit.run).where).read_bytes()
    assert any("1 records, each bound" in said for said in verify_bundle(str(place)).said)
    assert "agreed" in (place / "data" / "annotations.jsonld").read_text("utf-8")
    assert '"name": "ada"' in (place / "data" / "ro-crate-metadata.json").read_text("utf-8")
    log.write_bytes(log.read_bytes().replace(b"agreed", b"denied"))
    crate = place / "data" / "ro-crate-metadata.json"
    found = json.loads(crate.read_text("utf-8"))
    for entity in found["@graph"]:
        if str(entity["@id"]).startswith("decisions/"):
            entity["sha256"] = hashlib.sha256(log.read_bytes()).hexdigest()
    crate.write_text(json.dumps(found), "utf-8")
    _sealed(place)
    assert not verify_bundle(str(place)).holds


# -- redaction -------------------------------------------------------------------


def _texts(folder: Path, source: str) -> list[str]:
    lines = (folder / "store" / "versions.jsonl").read_text("utf-8").splitlines()
    held = [json.loads(line) for line in lines]
    return [
        (folder / "store" / "objects" / v["sha256"][:2] / v["sha256"]).read_text("utf-8")
        for v in held
        if v["source_id"] == source
    ]


@pytest.mark.parametrize(
    ("place", "source"),
    [(0, "logs/gateway.log"), (0, "runbooks/gateway.md"), (1, "租赁合同"), (1, "设备清单")],
)
def test_nothing_of_a_redacted_source_stays_in_any_file(
    sample: list[Path], tmp_path: Path, place: int, source: str
) -> None:
    texts = _texts(sample[place], source)
    made = _make(Wanted(str(sample[place]), str(tmp_path / "out"), redact=(source,)))
    assert verify_bundle(str(made.place)).holds
    assert bagit.Bag(str(made.place)).is_valid()
    redactor = Redactor(texts, {source})
    lines = {line.strip() for text in texts for line in text.split("\n") if len(line) > 24}
    assert lines
    for name in files_below(made.place):
        text = (made.place / name).read_text("utf-8")
        assert not [line for line in lines if line in text], name
        if name.startswith("data/run/"):
            assert not redactor.holds(text), name
    record = json.loads((made.place / "data" / "redactions.json").read_text("utf-8"))
    digests = {hashlib.sha256(text.encode()).hexdigest() for text in texts}
    assert {each["sha256"] for each in record["versions"]} == digests
    assert "may shorter pieces" in record["limits"]
    left = [each for each in record["files"] if each["action"] == "left out"]
    assert digests <= {each["sha256"] for each in left}
    for each in left:
        assert not (made.place / "data" / each["path"]).exists()


def test_redaction_is_told_in_every_report(sample: list[Path], tmp_path: Path) -> None:
    made = _make(Wanted(str(sample[0]), str(tmp_path / "out"), redact=("logs/*",)))
    for name in ("report.sarif", "report.html", "annotations.jsonld", "ro-crate-metadata.json"):
        assert "redactions.json" in (made.place / "data" / name).read_text("utf-8"), name


def test_a_redacted_page_states_the_digest_of_the_whole_record(
    sample: list[Path], tmp_path: Path
) -> None:
    (audit,) = [each for each in _audit([str(sample[0])], None) if isinstance(each, Audit)]
    made = _make(Wanted(str(sample[0]), str(tmp_path / "out"), redact=("logs/*",)))
    for name in ("report.sarif", "report.html", "annotations.jsonld"):
        text = (made.place / "data" / name).read_text("utf-8")
        assert run_digest(audit.run) in text, name


def test_a_note_that_quotes_a_redacted_text_is_in_no_file(
    sample: list[Path], tmp_path: Path
) -> None:
    (audit,) = [each for each in _audit([str(sample[0])], None) if isinstance(each, Audit)]
    line = _texts(sample[0], "logs/gateway.log")[0].split("\n")[3]
    made = Decision(
        DecisionKind.NOTE,
        citation_target(audit.citations[0]),
        "ada",
        _AT,
        "1",
        f"compare {line}",
        run_id=audit.run.run_id,
        run_digest=run_digest(audit.run),
    )
    decision_log(audit.run).append(made)
    bundled = _make(Wanted(str(sample[0]), str(tmp_path / "out"), redact=("logs/gateway.log",)))
    assert any(each.path.startswith("decisions/") for each in bundled.withheld)
    for name in files_below(bundled.place):
        assert line not in (bundled.place / name).read_text("utf-8"), name
    assert verify_bundle(str(bundled.place)).holds


def test_other_evidence_stays_as_it_was_and_lines_keep_their_numbers(
    sample: list[Path], tmp_path: Path
) -> None:
    made = _make(Wanted(str(sample[0]), str(tmp_path / "out"), redact=("logs/*",)))
    inside = made.place / "data" / "run" / sample[0].name
    masked = {each.path for each in made.withheld}
    for name in files_below(inside):
        if f"run/{sample[0].name}/{name}" not in masked:
            assert (inside / name).read_bytes() == (sample[0] / name).read_bytes()
    old = (sample[0] / "events.jsonl").read_text("utf-8").split("\n")
    new = (inside / "events.jsonl").read_text("utf-8").split("\n")
    assert len(old) == len(new)
    assert [json.loads(line)["event"] for line in new if line] == [
        json.loads(line)["event"] for line in old if line
    ]


def test_a_text_in_other_files_and_in_notes_is_found_too(
    sample: list[Path], tmp_path: Path
) -> None:
    (text,) = _texts(sample[0], "logs/gateway.log")
    line = text.split("\n")[3]
    extra = sample[0] / "extra"
    extra.mkdir()
    (extra / "nested.json").write_text(json.dumps({"a": json.dumps({"b": [line, "kept"]})}))
    (extra / "pieces.jsonl").write_text(
        "".join(json.dumps({"delta": line[at : at + 5]}) + "\n" for at in range(0, len(line), 5))
    )
    (extra / "words.json").write_text(json.dumps(line.split()))
    (extra / "binary.bin").write_bytes(b"\xff\x00" + line.encode())
    (extra / "plain.txt").write_text(f"see:\n  > {line}\n{'and this is kept ' * 20}\n")
    made = _make(Wanted(str(sample[0]), str(tmp_path / "out"), redact=("logs/gateway.log",)))
    done = {each.path.rpartition("/")[2]: each.action for each in made.withheld}
    assert done["nested.json"] == done["plain.txt"] == "masked"
    assert done["pieces.jsonl"] == done["words.json"] == done["binary.bin"] == "left out"
    inside = made.place / "data" / "run" / sample[0].name / "extra"
    assert "a" in json.loads((inside / "nested.json").read_text("utf-8"))
    assert "and this is kept" in (inside / "plain.txt").read_text("utf-8")


def test_a_pattern_that_matches_nothing_is_refused(sample: list[Path], tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="no source matches"):
        _make(Wanted(str(sample[0]), str(tmp_path / "out"), redact=("nothing/*",)))
    assert not (tmp_path / "out").exists()


# -- other evidence, and the command line ---------------------------------------------


def test_a_session_of_another_format_goes_in_as_it_is(shared: Path, tmp_path: Path) -> None:
    session = shared / "data" / "claude-code" / "cc_2055_context_management.jsonl"
    made = _make(Wanted(str(session), str(tmp_path / "out")))
    inside = made.place / "data" / "run" / session.name
    assert inside.read_bytes() == session.read_bytes()
    assert verify_bundle(str(made.place)).holds


def test_the_side_files_of_a_session_go_with_it(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data/claude-code/phantom-reads/barebones-2122_20260128-152044"
    (session,) = folder.glob("*.jsonl")
    made = _make(Wanted(str(session), str(tmp_path / "out")))
    assert list((made.place / "data" / "run" / session.stem).rglob("*.txt"))
    assert verify_bundle(str(made.place)).holds


def test_a_link_in_the_evidence_is_refused_and_leaves_nothing(
    sample: list[Path], tmp_path: Path
) -> None:
    (sample[0] / "away").symlink_to(tmp_path)
    with pytest.raises(StoreError, match="link"):
        _make(Wanted(str(sample[0]), str(tmp_path / "out")))
    assert not list(tmp_path.glob("*out*"))


def test_the_commands_say_what_they_did_by_their_status(sample: list[Path], tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    made = _command("bundle", str(sample[0]), out)
    assert made.status == 0
    assert "16 files" in made.out
    again = _command("bundle", str(sample[0]), out)
    assert again.status == 2
    assert "is there already" in again.err
    good = _command("verify", out)
    assert (good.status, good.out.splitlines()[-1]) == (0, f"{out}: holds")
    path = Path(out) / "data" / "report.html"
    path.write_bytes(path.read_bytes() + b" ")
    bad = _command("verify", out)
    assert bad.status == 1
    assert "DOES NOT HOLD" in bad.out
    assert "does not hold: data/report.html" in bad.err
    for nothing in (str(tmp_path), str(tmp_path / "gone"), str(path)):
        found = _command("verify", nothing)
        assert found.status == 3
        assert "could not look" in found.err


def test_a_run_without_calls_and_a_part_of_a_run_folder_are_no_bundle(
    sample: list[Path], tmp_path: Path
) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.md").write_text("nothing was called")
    for given in (str(texts), str(sample[0] / "events.jsonl"), "-", str(tmp_path / "gone")):
        with pytest.raises(RefusedError):
            _make(Wanted(given, str(tmp_path / "out")))
    assert not os.path.lexists(tmp_path / "out")


def test_decisions_of_a_shared_database_are_in_the_bundle(
    sample: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATABASE_VARIABLE, sqlite_url(tmp_path / "team.db"))
    (audit,) = [each for each in _audit([str(sample[0])], None) if isinstance(each, Audit)]
    target = citation_target(audit.citations[0])
    log = decision_log(audit.run)
    made = Decision(DecisionKind.ACCEPT, target, "ada", _AT, "1")
    log.append(replace(made, run_id=audit.run.run_id, run_digest=run_digest(audit.run)))
    place = _make(Wanted(str(sample[0]), str(tmp_path / "out"))).place
    (copy,) = (place / "data" / "decisions").iterdir()
    assert copy.read_bytes() == log.lines(log.read())
    assert any("1 records, each bound" in said for said in verify_bundle(str(place)).said)


def test_a_shared_run_is_bundled_as_a_run_folder(
    sample: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATABASE_VARIABLE, sqlite_url(tmp_path / "team.db"))
    (audit,) = [each for each in _audit([str(sample[1])], None) if isinstance(each, Audit)]
    name = share(audit.run)
    made = _make(Wanted(name, str(tmp_path / "out")))
    assert verify_bundle(str(made.place)).holds
    (again,) = made.audits
    assert [facts.verdict for facts in again.citations] == [
        facts.verdict for facts in audit.citations
    ]
    assert "was written as a run folder" in made.problems[0].what
    with pytest.raises(StoreError, match="no shared run"):
        _make(Wanted("team:00ff", str(tmp_path / "other")))
    assert not os.path.lexists(tmp_path / "other")
