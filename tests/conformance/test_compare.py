"""Recorded runs beside themselves, beside copies, and beside others over the same question."""

import json
import shutil
from itertools import combinations
from pathlib import Path

import pytest

from reviewer.app import Program
from reviewer.services.comparing import Comparing, compare_sides
from store.records.comparisons import Kind, RunComparison, StoreComparison
from store.records.differences import Change, Fate, Proof, SourceChange, Why
from tests.made import command

SCENARIOS = (
    "context-bill",
    "coverage-facts",
    "evidence-tools",
    "folded-reference",
    "retrieval-admission",
    "turn-end-clearing",
)
SESSIONS = (
    "cc_2055_context_management",
    "cc_2058_era1_cleared_silent",
    "cc_21114_main",
    "cc_2114_two_microcompact",
    "cc_2120_one_microcompact",
)
PAIRS = (
    ("barebones-2122_20260128-152044", "barebones-2122_20260128-152157"),
    ("schema-13-2120_20260129-203737", "schema-13-2120_20260129-203749"),
    ("schema-13-2120_20260129-202633", "schema-13-2120_20260129-202641"),
)


def status(*arguments: object) -> int:
    return command("compare", *map(str, arguments), program=Program(strict=True)).status


def runs(found: Comparing) -> RunComparison:
    assert isinstance(found.comparison.found, RunComparison)
    return found.comparison.found


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_the_same_as_itself(shared: Path, name: str) -> None:
    place = shared / "data" / "scenarios" / name
    assert status(place, place) == 0
    found = runs(compare_sides(str(place), str(place)))
    assert found.identical
    assert all(one.change in (SourceChange.SAME, SourceChange.UNKNOWN) for one in found.sources)
    assert all(not one.only_a and not one.only_b for one in found.reads)
    assert all(one.request is one.response is Change.SAME for one in found.calls)
    assert all(not one.verdict_changed and one.b == one.a for one in found.citations)
    assert (found.findings, found.placeholders, found.edits) == ((), (), ())


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_is_the_same_as_itself(shared: Path, name: str) -> None:
    place = shared / "data" / "claude-code" / f"{name}.jsonl"
    assert status(place, place) == 0


def test_a_copy_of_a_record_of_which_a_line_is_cut_short_is_not_decided(
    shared: Path, tmp_path: Path
) -> None:
    place = shared / "data" / "scenarios" / "turn-end-clearing"
    copy = tmp_path / "copy"
    shutil.copytree(place, copy)
    assert status(place, copy) == 3


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_sessions_over_one_question_tell_whose_reads_were_taken_away(
    shared: Path, first: str, second: str
) -> None:
    folder = shared / "data" / "claude-code" / "phantom-reads"
    found = compare_sides(str(folder / first), str(folder / second))
    assert found.comparison.different
    audits = (found.audit_a, found.audit_b)
    ids = [{each.fingerprint for each in one.findings} for one in audits if one]
    told = runs(found)
    assert {one.a.fingerprint for one in told.findings if one.a} == ids[0] - ids[1]
    assert {one.b.fingerprint for one in told.findings if one.b} == ids[1] - ids[0]
    assert any(one.shared for one in told.reads)
    assert any(one.only_a or one.only_b for one in told.reads)
    # What was rebuilt from a display is never called proven by a hash.
    for one in told.sources:
        if one.change is SourceChange.SAME and one.a and "reconstructed" in one.a.version_id:
            assert one.proof is Proof.REBUILT


def test_a_difference_seen_from_the_other_side_is_the_same_difference(shared: Path) -> None:
    folder = shared / "data" / "claude-code" / "phantom-reads"
    first, second = (str(folder / name) for name in PAIRS[0])
    there, back = runs(compare_sides(first, second)), runs(compare_sides(second, first))
    assert len(there.findings) == len(back.findings)
    assert {one.version_a: one.only_a for one in there.reads if one.only_a} == {
        one.version_b: one.only_b for one in back.reads if one.only_b
    }


@pytest.mark.parametrize(("first", "second"), list(combinations(SCENARIOS, 2))[::4])
def test_any_two_scenarios_can_be_compared(shared: Path, first: str, second: str) -> None:
    folder = shared / "data" / "scenarios"
    ended = command(
        "compare",
        str(folder / first),
        str(folder / second),
        "--format",
        "json",
        program=Program(strict=True),
    )
    assert ended.status in (1, 3)
    record = json.loads(ended.out)
    assert record["different"]
    assert record["undecided"] == (ended.status == 3)


def changed_copy(place: Path, folder: Path) -> tuple[Path, str]:
    """Return a copy of a run folder of which one object was changed, and that source's id."""
    copy = folder / "copy"
    shutil.copytree(place, copy)
    for each in (copy, *copy.rglob("*")):
        each.chmod(0o755 if each.is_dir() else 0o644)
    first = json.loads((copy / "store" / "versions.jsonl").read_text("utf-8").split("\n")[0])
    digest = first["sha256"]
    stored = copy / "store" / "objects" / digest[:2] / digest
    stored.write_bytes(stored.read_bytes() + b" ")
    return copy, str(first["source_id"])


def test_one_changed_byte_in_a_store_is_never_called_the_same(shared: Path, tmp_path: Path) -> None:
    place = shared / "data" / "scenarios" / "folded-reference"
    copy, source = changed_copy(place, tmp_path)
    found = compare_sides(f"{place}/store", f"{copy}/store").comparison
    assert found.kind is Kind.STORES
    assert isinstance(found.found, StoreComparison)
    one = next(each for each in found.found.sources if each.source_id == source)
    assert one.change is SourceChange.UNKNOWN
    assert one.doubt is not None
    assert one.doubt.why is Why.BYTES_CHANGED
    assert status(f"{place}/store", f"{copy}/store") == 3
    cited = runs(compare_sides(str(place), str(copy))).citations
    fates = [each.fated for each in cited if each.fated and each.source_id == source]
    # The trace itself may hold the text with the right hash; the store's bytes prove nothing.
    assert fates
    assert all(each.fate is Fate.UNKNOWN or each.proof is Proof.REBUILT for each in fates)


def test_a_call_beside_the_next_tells_what_was_cleared(shared: Path) -> None:
    place = shared / "data" / "scenarios" / "turn-end-clearing"
    record = json.loads(
        command(
            "compare",
            f"{place}#2",
            f"{place}#5",
            "--format",
            "json",
            program=Program(strict=True),
        ).out
    )
    cleared = [part for part in record["parts"] if part["placeholder"] == "cleared"]
    assert [part["change"] for part in cleared] == ["changed"]
    assert cleared[0]["chars_a"] > cleared[0]["chars_b"]
