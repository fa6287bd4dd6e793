"""``reread audit``: formats, files, and evidence that stays as it is."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.app import Program
from reviewer.services.sample import write_sample
from store.records.findings import Severity
from tests.made import FakeProgram, command, lost, made_audit, made_finding, quiet_audit


@pytest.mark.parametrize(
    ("severity", "fail_on", "status"),
    [
        (Severity.NOTE, "error", 0),
        (Severity.NOTE, "note", 1),
        (Severity.WARNING, "error", 0),
        (Severity.WARNING, "warning", 1),
        (Severity.ERROR, "note", 1),
    ],
)
def test_findings_below_the_limit_do_not_fail(
    severity: Severity, fail_on: str, status: int
) -> None:
    audit = replace(made_audit(), findings=(made_finding(severity),))
    program = FakeProgram([audit])
    assert command("audit", "x", "--fail-on", fail_on, program=program).status == status


def test_the_ending_of_the_output_chooses_the_format(tmp_path: Path) -> None:
    place = tmp_path / "audit.json"
    ended = command("audit", "x", "--output", str(place))
    assert (ended.status, ended.out) == (0, "")
    assert json.loads(place.read_bytes())["schema"] == "reread.audit/1"
    assert [each.name for each in tmp_path.iterdir()] == ["audit.json"]


def test_an_unknown_ending_is_wrong_usage(tmp_path: Path) -> None:
    ended = command("audit", "x", "--output", str(tmp_path / "audit.docx"))
    assert ended.status == 2
    assert ".html" in ended.err
    assert not list(tmp_path.iterdir())


def test_evidence_is_never_written_over(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    trace.write_text("{}")
    ended = command("audit", str(trace), "--output", str(trace))
    assert ended.status == 2
    assert "only ever read" in ended.err
    assert trace.read_text() == "{}"


def test_nothing_is_written_into_a_folder_of_evidence(tmp_path: Path) -> None:
    ended = command("audit", str(tmp_path), "--output", str(tmp_path / "audit.json"))
    assert ended.status == 2
    assert not list(tmp_path.iterdir())


def test_a_link_onto_evidence_is_no_way_around(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    trace = tmp_path / "evidence" / "trace.jsonl"
    trace.write_text("{}")
    link, hard = tmp_path / "link.json", tmp_path / "hard.json"
    link.symlink_to(trace)
    hard.hardlink_to(trace)
    for name in (link, hard):
        assert command("audit", str(trace), "--output", str(name)).status == 2
    assert trace.read_text() == "{}"


def test_the_side_files_of_a_session_are_evidence(tmp_path: Path) -> None:
    session = tmp_path / "5f.jsonl"
    session.write_text("{}")
    (tmp_path / "5f").mkdir()
    ended = command("audit", str(session), "--output", str(tmp_path / "5f" / "audit.json"))
    assert ended.status == 2


def test_a_missing_folder_for_the_output_is_named(tmp_path: Path) -> None:
    ended = command("audit", "x", "--output", str(tmp_path / "none" / "audit.json"))
    assert ended.status == 2
    assert "none" in ended.err


def test_an_audit_of_nothing_leaves_no_file(tmp_path: Path) -> None:
    place = tmp_path / "audit.json"
    place.write_text("earlier")
    ended = command("audit", "x", "--output", str(place), program=FakeProgram([lost()]))
    assert ended.status == 3
    assert place.read_text() == "earlier"
    assert "not written" in ended.err


def test_an_error_half_way_leaves_the_earlier_file(tmp_path: Path) -> None:
    place = tmp_path / "audit.json"
    place.write_text("earlier")
    program = FakeProgram([made_audit()], ValueError("half way"))
    assert command("audit", "x", "--output", str(place), program=program).status == 4
    assert place.read_text() == "earlier"
    assert len(list(tmp_path.iterdir())) == 1


def test_json_on_standard_output_stays_json_beside_problems() -> None:
    program = FakeProgram([made_audit(), lost("b.jsonl")])
    ended = command("audit", "x", "--format", "json", program=program)
    assert json.loads(ended.out)["problems"][0]["where"] == "b.jsonl"
    assert ended.err == "reread: b.jsonl: cannot be opened; check its rights\n"


def test_what_was_written_is_said_when_it_is_done(tmp_path: Path) -> None:
    place = tmp_path / "audit.html"
    program = FakeProgram([quiet_audit(), quiet_audit()])
    ended = command("audit", "x", "--output", str(place), program=program)
    assert ended.err == f"reread: wrote {place} (2 runs, html)\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
@pytest.mark.parametrize("name", ["audit.json", "audit.html", "audit.pdf"])
def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    import resource  # noqa: PLC0415 - not everywhere

    (run, _) = write_sample(tmp_path / "sample")
    out = tmp_path / "out"
    out.mkdir()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, before[1]))
    try:
        ended = command("audit", str(run), "--output", str(out / name), program=Program())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert ended.status == 2
    assert "File too large" in ended.err
    assert list(out.iterdir()) == []
