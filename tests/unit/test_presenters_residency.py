"""The residency map says of every source and call what the audit says of the closing call."""

from pathlib import Path

import numpy as np
import pytest

from reviewer.audit.cells import Cells
from reviewer.audit.engine import audit
from reviewer.audit.residency import Cell
from reviewer.audit.rules._example import NOTICE, Story, cite
from reviewer.audit.standing import Standing
from reviewer.reports._drawing import LETTERS
from reviewer.services.auditing import audit_paths
from reviewer.services.sample import write_sample
from reviewer.window.presenters.residency import residency_table
from store.opening import open_paths
from store.records.findings import Audit, State, VersionFacts
from store.records.grades import Grade
from store.records.runs import Run
from store.records.sources import VersionKey

CELLS = {
    State.FULL: Cell.FULL,
    State.PARTIAL: Cell.PARTIAL,
    State.PREVIEW: Cell.PREVIEW,
    State.PLACEHOLDER: Cell.PLACEHOLDER,
    State.LISTED: Cell.ABSENT,
    State.ABSENT: Cell.ABSENT,
}
SCENARIOS = (
    "context-bill",
    "coverage-facts",
    "evidence-tools",
    "folded-reference",
    "retrieval-admission",
    "turn-end-clearing",
)
SESSIONS = ("cc_2114_two_microcompact.jsonl", "cc_2120_one_microcompact.jsonl")


def agrees(found: Audit) -> int:
    """Compare every version at the closing call; return how many there were."""
    cells = Cells(found)
    table = residency_table(found)
    if not 1 <= table.closing <= cells.calls:
        return 0
    versions = _versions(found)
    for facts in versions:
        cell = Cell(int(cells.version(facts.version)[table.closing - 1]))
        assert cell is CELLS[facts.state_at_answer], facts.version.key
    return len(versions)


def _versions(found: Audit) -> list[VersionFacts]:
    return [facts for source in found.sources for facts in source.versions]


def opened(path: Path) -> list[Audit]:
    return [audit(run) for run in open_paths([str(path)]) if isinstance(run, Run)]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> list[Audit]:
    places = write_sample(tmp_path_factory.mktemp("sample"))
    found = audit_paths([str(place) for place in places], tokens=False, strict=True)
    return [one for one in found if isinstance(one, Audit)]


def test_the_sample_agrees_with_the_audit_at_the_answer(sample: list[Audit]) -> None:
    assert [agrees(one) for one in sample] == [len(_versions(one)) for one in sample]


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_agrees_with_the_audit_at_the_answer(shared: Path, name: str) -> None:
    assert sum(agrees(one) for one in opened(shared / "data" / "scenarios" / name)) > 0


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_agrees_with_the_audit_at_the_answer(shared: Path, name: str) -> None:
    assert sum(agrees(one) for one in opened(shared / "data" / "claude-code" / name)) > 0


def slowly(found: Audit, standing: Standing, key: VersionKey, call: int) -> Cell:
    """Answer one cell from the audit's own questions about one call."""
    facts = next(v for s in found.sources for v in s.versions if v.version.key == key)
    now = standing.delivered(key, call)
    text = standing.deliveries.texts.get(key)
    whole = text.whole if text else None
    if whole and now and sum(span.length for span in now) == whole.length:
        return Cell.FULL
    if now or standing.touched(key, call):
        return Cell.PARTIAL
    if standing.previewed_at(facts.version.key, call):
        return Cell.PREVIEW
    stands = (a for id_ in standing.asked.get(key, ()) for a in standing.appearances.get(id_, ()))
    return Cell.PLACEHOLDER if any(a.first <= call <= a.last for a in stands) else Cell.ABSENT


@pytest.mark.parametrize("name", [*SCENARIOS, "sample"])
def test_every_cell_agrees_with_the_same_question_asked_of_that_call(
    sample: list[Audit], shared: Path, name: str
) -> None:
    runs = sample if name == "sample" else opened(shared / "data" / "scenarios" / name)
    for found in runs:
        standing, cells = Standing(found.run), Cells(found)
        for version in (v.version for s in found.sources for v in s.versions):
            row = cells.version(version)
            for call in range(1, cells.calls + 1):
                assert row[call - 1] == slowly(found, standing, version.key, call)


def test_pieces_that_together_make_the_whole_are_full_while_all_of_them_stand() -> None:
    story = Story()
    story.document("notice")
    story.read("notice", id="head", span=(0, 50))
    story.read("notice", id="tail", span=(40, len(NOTICE)))
    story.think()
    story.clear("head", shown="[gone]")
    table = residency_table(audit(story.answer(cite("notice", (0, 10)))))
    states = [table.cell(table.places["notice"], call) for call in range(1, 5)]
    assert states == [Cell.ABSENT, Cell.PARTIAL, Cell.FULL, Cell.PARTIAL]


def test_a_cleared_result_is_a_placeholder_from_then_on() -> None:
    story = Story()
    story.document("notice")
    story.read("notice")
    story.think()
    story.clear()
    table = residency_table(audit(story.answer(cite("notice", (0, 10)))))
    row = table.places["notice"]
    assert [table.cell(row, call) for call in (1, 2, 3)] == [
        Cell.ABSENT,
        Cell.FULL,
        Cell.PLACEHOLDER,
    ]
    assert table.cell_words(row, 3) == (
        "notice, call 3: placeholder; an answer was written in this call"
    )
    assert table.rows[row].citations == 1


def test_rows_stand_in_the_order_of_their_first_reading() -> None:
    story = Story()
    for name in ("never", "later", "first"):
        story.document(name, f"{NOTICE}{name} " * 2)
    story.read("first", id="a")
    story.read("later", id="b")
    table = residency_table(audit(story.answer()))
    names = [row.source_id for row in table.rows if not row.source_id.startswith("tool:")]
    assert names == ["first", "later", "never"]
    assert [row.first_read for row in table.rows][:2] == [2, 3]


def test_what_a_listing_names_is_absent_and_said_to_be_listed() -> None:
    story = Story()
    story.document("notice")
    story.listing("notice")
    table = residency_table(audit(story.answer()))
    row = table.places["notice"]
    assert table.cell(row, 2) is Cell.ABSENT
    assert "a listing names it" in table.cell_words(row, 2)


def test_a_request_that_is_not_proven_says_so_in_every_cell() -> None:
    story = Story(grade=Grade.UNKNOWN)
    story.document("notice")
    story.read("notice")
    table = residency_table(audit(story.answer()))
    assert "does not prove what this call was given" in table.cell_words(0, 2)
    assert table.grades.tolist() == [Grade.UNKNOWN.rank] * 2


def test_a_cell_leads_to_the_message_that_it_speaks_of() -> None:
    story = Story()
    story.document("notice")
    story.read("notice")
    found = audit(story.answer())
    table = residency_table(found)
    place = table.place(table.places["notice"], 2, run=0)
    message = found.run.messages[found.run.request(2)[place.message or 0]]
    assert place.tab == "model"
    assert place.message_span is not None
    assert message.parts[place.part or 0].text[place.message_span.start :].startswith("Maintenance")


def test_a_run_without_calls_has_an_empty_table() -> None:
    table = residency_table(audit(Story().run()))
    assert table.cells.shape == (0, 0)
    assert table.closing == 0


def test_every_state_has_a_letter_of_its_own() -> None:
    assert len(set(LETTERS.values())) == len(Cell)
    assert np.uint8(max(Cell)) == Cell.FULL
