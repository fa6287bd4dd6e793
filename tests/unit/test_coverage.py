"""What a read asked for, beside what stood in the first request that holds its result."""

import json

import pytest

from store.records.findings import Coverage, Outcome, ReadFacts
from store.records.runs import Admission
from store.records.sources import Selection, SourceKind
from store.records.text import Span, Unit
from tests.unit.audit_runs import TEXT, Talk, chars, lines

ROWS = "".join(json.dumps({"id": key, "n": n}) + "\n" for n, key in enumerate("ABCDE"))


def rows_read(
    payload: str,
    *ranges: tuple[int, int],
    fields: tuple[str, ...] | None = None,
    **declared: object,
) -> ReadFacts:
    """Return a read of rows of a table of five, of which *payload* came."""
    talk = Talk()
    talk.source("t", ROWS, kind=SourceKind.TABLE, key="id")
    spans = tuple(Span(*r) for r in ranges)
    talk.result(payload, Selection("t", "", Unit.ROW, spans, fields=fields), declared=declared)
    return talk.judged().reads[0]


def text_read(payload: str, *ranges: tuple[int, int], **declared: object) -> ReadFacts:
    """Return a read of ranges of a text of which *payload* came."""
    talk = Talk()
    talk.source("doc")
    talk.result(payload, chars("doc", *ranges), declared=declared)
    return talk.judged().reads[0]


def records(*keys: str) -> str:
    """Return the table's records of *keys* as a JSON list."""
    return json.dumps([json.loads(ROWS.split("\n")["ABCDE".index(key)]) for key in keys])


def test_equal_counts_with_other_identities_are_told() -> None:
    read = rows_read(records(*"ABCDD"), requested=5, loaded=5, input_complete=True)
    assert read.recomputed == Coverage(
        requested=5,
        loaded=5,
        byte_complete=True,
        filtered_count=0,
        input_complete=False,
        reason="1 row did not come; 1 row came twice",
        missing=("E",),
        duplicate=("D",),
    )
    assert read.agrees is False


def test_a_complete_table_agrees_with_its_declaration() -> None:
    read = rows_read(records(*"ABCDE"), requested=5, loaded=5, input_complete=True)
    assert (read.outcome, read.agrees) == (Outcome.DELIVERED, True)


def test_a_chosen_part_that_came_in_full_is_no_loss() -> None:
    read = rows_read(records("B", "C"), (1, 3))
    assert read.recomputed.input_complete is True
    assert read.outcome is Outcome.DELIVERED


def test_records_that_were_not_asked_for_are_unexpected() -> None:
    assert rows_read(records("B", "E"), (1, 2)).recomputed.unexpected == ("E",)


def test_rows_with_fewer_fields_came_and_are_not_byte_complete() -> None:
    read = rows_read('[{"id": "B"}]', (1, 2))
    assert (read.recomputed.byte_complete, read.recomputed.loaded) == (False, 1)
    assert read.outcome is Outcome.TRUNCATED


def test_rows_of_which_only_the_fields_asked_for_came_are_complete() -> None:
    read = rows_read('[{"id": "B"}]', (1, 2), fields=("id",))
    assert (read.recomputed.byte_complete, read.outcome) == (True, Outcome.DELIVERED)


def test_rows_far_behind_the_end_cost_nothing_and_are_missing_as_one_range() -> None:
    read = rows_read(records("E"), (4, 10**15))
    assert read.recomputed.requested == 10**15 - 4
    assert read.recomputed.missing == ((5, 10**15),)
    assert read.recomputed.input_complete is False


def test_a_declared_filter_counts_no_more_than_what_is_missing() -> None:
    assert rows_read(records(*"ABC"), filtered_count=9).recomputed.filtered_count == 2
    assert rows_read(records(*"ABC")).recomputed.filtered_count == 0


def test_ranges_of_text_are_counted_and_missing_as_spans() -> None:
    read = text_read(TEXT[:37], (0, 37), (37, 86))
    assert (read.recomputed.requested, read.recomputed.loaded) == (2, 1)
    assert read.recomputed.missing == ((37, 86),)
    assert read.outcome is Outcome.TRUNCATED


def test_the_line_end_behind_the_last_line_asked_for_is_no_loss() -> None:
    talk = Talk()
    talk.source("doc")
    numbered = "     2\u2192" + TEXT.split("\n")[1]
    talk.result(numbered, lines("doc", 2, 3), declared={"input_complete": True})
    read = talk.judged().reads[0]
    assert (read.outcome, read.agrees) == (Outcome.DELIVERED, True)


def test_a_cut_range_is_not_byte_complete() -> None:
    read = text_read(TEXT[:100], byte_complete=True)
    assert (read.recomputed.byte_complete, read.agrees) == (False, False)


def test_blocks_are_counted_by_name() -> None:
    talk = Talk()
    talk.source("doc", blocks=[("one", 0, 37), ("two", 37, 86)])
    names = ("one", "two", "three")
    talk.result(TEXT[:37], Selection("doc", "", Unit.BLOCK, blocks=names))
    found = talk.judged().reads[0].recomputed
    assert (found.requested, found.loaded, found.missing) == (3, 1, ("two", "three"))


def test_a_version_whose_text_is_not_stored_cannot_be_recomputed() -> None:
    talk = Talk()
    talk.source("doc", None, "v")
    talk.result(TEXT, chars("doc", version="v"), declared={"loaded": 1})
    read = talk.judged().reads[0]
    assert (read.recomputed.loaded, read.agrees) == (None, None)


@pytest.mark.parametrize(
    ("payload", "status", "outcome"),
    [
        (TEXT, "ok", Outcome.DELIVERED),
        (TEXT[:90], "ok", Outcome.TRUNCATED),
        ("[stored elsewhere]", "ok", Outcome.PLACEHOLDER),
        (TEXT, "error", Outcome.FAILED),
    ],
)
def test_the_outcome_rests_on_the_text_and_the_status(
    payload: str, status: str, outcome: Outcome
) -> None:
    talk = Talk()
    talk.source("doc")
    talk.result(payload, chars("doc"), obtained=TEXT)
    (result,) = talk.builder.tool_results
    talk.builder.tool_results[0] = result.__class__(
        result.tool_call_id, result.text, status, selections=result.selections
    )
    assert talk.judged().reads[0].outcome is outcome


def test_a_read_that_a_budget_refused_is_refused_whatever_stands_there() -> None:
    talk = Talk()
    talk.source("doc")
    talk.result(TEXT, chars("doc"))
    talk.builder.admissions.append(Admission("r1", admitted=False))
    assert talk.judged().reads[0].outcome is Outcome.REFUSED


def test_a_read_that_no_request_holds_is_undelivered() -> None:
    talk = Talk()
    talk.source("doc")
    talk.result(TEXT, chars("doc"))
    talk.held.clear()
    assert talk.judged().reads[0].outcome is Outcome.UNDELIVERED


def test_the_first_request_that_holds_the_result_decides() -> None:
    talk = Talk()
    talk.source("doc")
    place = talk.result("[stored elsewhere]", chars("doc"), obtained=TEXT)
    talk.call()
    talk.replace(place, TEXT)
    read = talk.judged().reads[0]
    assert (read.outcome, read.call) == (Outcome.PLACEHOLDER, 1)
