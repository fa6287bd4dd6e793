"""One verdict for each citation: the first that holds, judged on the answer's own request."""

import pytest

from reviewer.audit.engine import audit
from store.records.citations import AnswerCitation, SourceCitation
from store.records.findings import Anchor, CitationFacts, Verdict
from store.records.grades import Grade
from store.records.runs import ContextEdit, EditKind
from store.records.sources import Integrity, ManifestEntry, Selection, SourceKind
from store.records.text import Span, Unit
from tests.unit.audit_runs import TEXT, Talk, at, chars, lines, one, spans, verdicts

LINE = TEXT.split("\n")[2]
START = TEXT.index(LINE)
END = START + len(LINE)
NEWER = TEXT.replace("two hundred", "five hundred")


def read(*ranges: tuple[int, int], **more: object) -> Talk:
    """Return a talk in which ``doc`` was read, all of it or *ranges*."""
    talk = Talk(**more)  # type: ignore[arg-type]
    talk.source("doc", blocks=[("doc#1", 0, 37), ("doc#1/a", START, END)])
    shown = "".join(TEXT[start:end] for start, end in ranges) or TEXT
    talk.result(shown, chars("doc", *ranges))
    return talk


def cleared(shown: str = "[cleared]") -> Talk:
    """Return a talk in which ``doc`` was read and its text then taken away."""
    talk = read()
    talk.call()
    talk.replace(0, shown)
    return talk


# -- in the order of the table ---------------------------------------------------------------


@pytest.mark.parametrize(
    "citation",
    [
        at("do", 0, 5),
        at("doc ", 0, 5),
        at("doc", 0, 5, version_id="1454"),
        SourceCitation(None, "doc", block_id="doc#1/"),
        SourceCitation(None, "doc", block_id="doc"),
        AnswerCitation(None, "DOC"),
    ],
)
def test_a_key_that_is_only_similar_is_unresolved(citation: SourceCitation) -> None:
    assert one(read(), citation).verdict is Verdict.UNRESOLVED


def test_a_block_id_with_separators_is_compared_whole() -> None:
    found = one(read(), SourceCitation(None, "doc", block_id="doc#1/a"))
    assert (found.verdict, found.span) == (Verdict.READ, Span(START, END))


@pytest.mark.parametrize(
    "citation",
    [
        at("doc", START, len(TEXT) + 1),
        at("doc", 4, 6, unit=Unit.LINE),
        at("doc", 0, 2, unit=Unit.LINE),
        SourceCitation(None, "doc", malformed="the span [-3, 5) is negative"),
        SourceCitation(None, "doc", block_id="doc#1", malformed="the span [9, 5) is reversed"),
        AnswerCitation(None, "doc", malformed="the span [-3, 5) is negative"),
    ],
)
def test_a_place_outside_the_version_is_out_of_bounds(citation: SourceCitation) -> None:
    assert one(read(), citation).verdict is Verdict.OUT_OF_BOUNDS


def test_a_block_that_its_version_does_not_reach_is_out_of_bounds() -> None:
    talk = Talk()
    talk.source("doc", blocks=[("far", 10, 10**9)])
    talk.result(TEXT, chars("doc"))
    found = one(talk, SourceCitation(None, "doc", block_id="far"))
    assert found.verdict is Verdict.OUT_OF_BOUNDS


def test_pages_that_no_block_has_are_out_of_bounds() -> None:
    for citation in (at("doc", 1, 100, unit=Unit.PAGE), at("doc", 0, 1, unit=Unit.PAGE)):
        talk = Talk()
        talk.source("doc", blocks=[("p1", 0, 37)])
        (version,) = talk.builder.versions
        page = version.blocks[0].__class__("p1", Span(0, 37), page=1)
        talk.builder.versions[0] = version.__class__(
            version.key, version.kind, text=TEXT, blocks=(page,)
        )
        talk.result(TEXT, chars("doc"))
        assert one(talk, citation).verdict is Verdict.OUT_OF_BOUNDS


def test_bounds_are_the_recorded_length_and_text_that_is_missing_is_not_read() -> None:
    talk = Talk()
    talk.source("doc", chars=len(TEXT) + 100)
    talk.result(TEXT, chars("doc"))
    found = one(talk, at("doc", START, len(TEXT) + 50))
    assert found.verdict is Verdict.PARTLY_READ
    assert found.missing == (Span(len(TEXT), len(TEXT) + 50),)


def test_changed_bytes_are_the_wrong_version_and_never_searched() -> None:
    talk = read()
    (version,) = talk.builder.versions
    talk.builder.versions[0] = version.__class__(
        version.key, version.kind, text=TEXT, chars=len(TEXT), integrity=Integrity.CHANGED
    )
    found = one(talk, at("doc", START, END))
    assert (found.verdict, found.verdict.word) == (Verdict.WRONG_HASH, "wrong_version")
    assert found.delivered_in == ()


def test_right_words_in_another_place_differ_and_are_relocated() -> None:
    found = one(read(), at("doc", 0, 7, quote="Batches"))
    assert (found.verdict, found.anchor) == (Verdict.QUOTE_DIFFERS, Anchor.RELOCATED)


def test_words_that_stand_nowhere_differ_and_are_an_orphan() -> None:
    found = one(read(), at("doc", 0, 7, quote="Trouble"))
    assert (found.verdict, found.anchor) == (Verdict.QUOTE_DIFFERS, Anchor.ORPHAN)


def test_a_quotation_that_is_equal_after_normalisation_is_no_difference() -> None:
    found = one(read(), at("doc", START, END, quote=LINE.replace(" ", "\n\u00a0")))
    assert (found.verdict, found.anchor) == (Verdict.READ, Anchor.NORMALISED)


@pytest.mark.parametrize(
    "citation",
    [
        SourceCitation(None, "doc", block_id="doc#1/a", quote="limited to two hundred"),
        at("doc", 3, 4, unit=Unit.LINE, quote="limited to two hundred"),
    ],
)
def test_a_quotation_inside_a_cited_block_or_line_is_no_difference(
    citation: SourceCitation,
) -> None:
    found = one(read(), citation)
    assert (found.verdict, found.anchor) == (Verdict.READ, Anchor.EXACT)


def test_a_quotation_from_outside_the_cited_block_differs() -> None:
    found = one(read(), SourceCitation(None, "doc", block_id="doc#1", quote=LINE))
    assert (found.verdict, found.anchor) == (Verdict.QUOTE_DIFFERS, Anchor.RELOCATED)


def test_an_ambiguous_quotation_without_a_span_is_unverifiable() -> None:
    found = one(read(), SourceCitation(None, "doc", quote="ore"))
    assert (found.verdict, found.anchor) == (Verdict.UNVERIFIABLE, Anchor.AMBIGUOUS)


def test_a_quotation_without_a_span_is_judged_where_it_stands() -> None:
    found = one(read(), SourceCitation(None, "doc", quote=LINE))
    assert (found.verdict, found.span) == (Verdict.READ, Span(START, END))


def test_where_the_grade_is_unknown_the_verdict_is_unverifiable() -> None:
    assert one(read(grade=Grade.UNKNOWN), at("doc", START, END)).verdict is Verdict.UNVERIFIABLE


def test_where_the_grade_is_inferred_the_verdict_is_given_and_says_so() -> None:
    found = one(read(grade=Grade.INFERRED), at("doc", START, END))
    assert (found.verdict, found.grade) == (Verdict.READ, Grade.INFERRED)


def test_an_empty_span_with_nothing_else_named_is_unverifiable() -> None:
    assert one(read(), at("doc", 5, 5)).verdict is Verdict.UNVERIFIABLE


def test_a_version_whose_text_is_not_there_is_unverifiable() -> None:
    talk = Talk()
    talk.source("doc", None, "v", chars=100)
    talk.result(TEXT, chars("doc", version="v"))
    assert one(talk, at("doc", 0, 5)).verdict is Verdict.UNVERIFIABLE


def test_an_answer_of_a_call_that_the_record_does_not_have_is_unverifiable() -> None:
    talk = read()
    talk.answer(at("doc", START, END))
    (answer,) = talk.builder.answers
    talk.builder.answers[0] = answer.__class__(7, answer.text, answer.citations)
    assert verdicts(audit(talk.run())) == [Verdict.UNVERIFIABLE]


def test_a_span_whose_text_stands_in_the_request_is_read() -> None:
    found = one(read(), at("doc", START, END))
    assert found.verdict is Verdict.READ
    assert found.evidence is not None
    assert found.evidence.text == LINE
    assert found.missing == ()


def test_a_span_of_which_some_stands_there_is_partly_read_and_the_rest_is_missing() -> None:
    found = one(read((0, START)), at("doc", START - 10, END))
    assert found.verdict is Verdict.PARTLY_READ
    assert spans(found.missing) == [(START, END)]


def test_text_that_was_cleared_before_the_answer_is_from_memory() -> None:
    found = one(cleared(), at("doc", START, END))
    assert found.verdict is Verdict.FROM_MEMORY
    assert found.delivered_in == (1,)
    assert "call 1" in found.reason


def test_from_memory_names_the_version_that_stands_there_now() -> None:
    talk = cleared()
    (old,) = [version.key.version_id for version in talk.builder.versions]
    new = talk.source("doc", NEWER)
    talk.result(NEWER, chars("doc", version=new), id="r2")
    found = one(talk, at("doc", START, END, version_id=old))
    assert found.verdict is Verdict.FROM_MEMORY
    assert old[:10] in found.reason
    assert new[:10] in found.reason


def test_another_version_that_alone_was_given_is_the_wrong_version() -> None:
    talk = Talk()
    old = talk.source("doc")
    new = talk.source("doc", NEWER)
    talk.result(NEWER, chars("doc", version=new))
    found = one(talk, at("doc", START, END, version_id=old))
    assert (found.verdict, found.verdict.word) == (Verdict.WRONG_VERSION, "wrong_version")


def test_a_preview_that_covers_some_of_it_is_preview_only_with_the_rest_missing() -> None:
    talk = Talk()
    version = talk.source("doc")
    talk.result(f'[{{"doc_id": "doc", "preview": "{TEXT[:30]}"}}]')
    talk.offer(ManifestEntry("doc", version, Span(0, 30), TEXT[:30]))
    found = one(talk, at("doc", 20, 36))
    assert found.verdict is Verdict.PREVIEW_ONLY
    assert found.missing == (Span(30, 36),)
    assert one(talk, at("doc", 10, 20)).missing == ()


def test_a_read_whose_body_never_came_is_placeholder_only() -> None:
    talk = Talk()
    talk.source("doc")
    talk.result("[Result stored. Ask for it by its id.]", chars("doc"), obtained=TEXT)
    assert one(talk, at("doc", START, END)).verdict is Verdict.PLACEHOLDER_ONLY


def test_a_source_that_only_a_listing_named_is_listed_only() -> None:
    talk = Talk()
    version = talk.source("doc")
    talk.result('[{"doc_id": "doc"}]')
    talk.offer(ManifestEntry("doc", version))
    assert one(talk, at("doc", START, END)).verdict is Verdict.LISTED_ONLY


def test_a_span_that_never_came_is_never_read_and_the_reason_tells_of_other_parts() -> None:
    assert "other parts" in one(read((0, 37)), at("doc", START, END)).reason
    talk = Talk()
    talk.source("doc")
    found = one(talk, at("doc", START, END))
    assert found.verdict is Verdict.NEVER_READ
    assert "no text" in found.reason


# -- each call's own request -------------------------------------------------------------------


def test_two_answers_of_one_run_may_judge_one_citation_differently() -> None:
    talk = read()
    talk.answer(at("doc", START, END))
    talk.replace(0, "[cleared]")
    talk.answer(at("doc", START, END))
    assert verdicts(audit(talk.run())) == [Verdict.READ, Verdict.FROM_MEMORY]


def test_text_that_comes_after_the_answer_does_not_count_for_it() -> None:
    talk = Talk()
    talk.source("doc")
    talk.answer(at("doc", START, END))
    talk.result(TEXT, chars("doc"))
    talk.answer(at("doc", START, END))
    assert verdicts(audit(talk.run())) == [Verdict.NEVER_READ, Verdict.READ]


def test_a_listing_that_names_no_version_lists_the_source() -> None:
    talk = Talk()
    talk.source("doc")
    talk.result('[{"doc_id": "doc"}]')
    talk.offer(ManifestEntry("doc"))
    talk.answer(at("doc", START, END))
    assert verdicts(audit(talk.run())) == [Verdict.LISTED_ONLY]


def test_a_listing_that_comes_after_the_answer_does_not_count_for_it() -> None:
    talk = Talk()
    version = talk.source("doc")
    talk.answer(at("doc", START, END))
    talk.result('[{"doc_id": "doc"}]')
    talk.offer(ManifestEntry("doc", version))
    talk.answer()
    assert verdicts(audit(talk.run())) == [Verdict.NEVER_READ]


def test_a_result_that_comes_back_whole_after_a_placeholder_is_read_again() -> None:
    talk = cleared()
    talk.call()
    talk.held[0] = 0
    assert one(talk, at("doc", START, END)).verdict is Verdict.READ


def test_a_result_that_was_removed_without_a_placeholder_is_from_memory() -> None:
    talk = read()
    talk.say("Go on.")
    talk.call()
    del talk.held[0]
    assert one(talk, at("doc", START, END)).verdict is Verdict.FROM_MEMORY


def test_a_message_that_only_moves_in_the_request_is_still_read() -> None:
    talk = read()
    talk.say("Go on.")
    talk.call()
    talk.held.reverse()
    found = one(talk, at("doc", START, END))
    assert found.verdict is Verdict.READ
    assert found.evidence is not None
    assert found.evidence.message == 1


def test_pieces_in_several_parts_add_up_to_the_span() -> None:
    talk = Talk()
    talk.source("doc")
    talk.result(TEXT[:100], chars("doc", (0, 100)), id="a")
    talk.result(TEXT[100:], chars("doc", (100, len(TEXT))), id="b")
    assert one(talk, at("doc", 60, 150)).verdict is Verdict.READ


def test_pieces_of_which_one_was_taken_away_are_partly_read() -> None:
    talk = Talk()
    talk.source("doc")
    place = talk.result(TEXT[:100], chars("doc", (0, 100)), id="a")
    talk.result(TEXT[100:], chars("doc", (100, len(TEXT))), id="b")
    talk.call()
    talk.replace(place, "[cleared]")
    found = one(talk, at("doc", 60, 150))
    assert (found.verdict, found.missing) == (Verdict.PARTLY_READ, (Span(60, 100),))


def test_two_placeholders_of_one_id_leave_nothing_read() -> None:
    talk = read()
    talk.builder.edits.append(ContextEdit(None, EditKind.CLEAR, ("r1",)))
    talk.call()
    talk.replace(0, "[cleared]")
    talk.call()
    talk.replace(0, "[cleared again]")
    assert one(talk, at("doc", START, END)).verdict is Verdict.FROM_MEMORY


# -- what is meant without a version or a span ------------------------------------------------


def test_without_a_version_the_newest_delivered_at_the_answer_is_meant() -> None:
    talk = Talk()
    old = talk.source("doc")
    talk.source("doc", NEWER)
    talk.result(TEXT, chars("doc", version=old))
    found = one(talk, at("doc", START, END))
    assert (found.version_id, found.verdict) == (old, Verdict.READ)


def test_without_a_version_and_a_delivery_the_newest_stored_is_meant() -> None:
    talk = Talk()
    talk.source("doc")
    new = talk.source("doc", NEWER)
    assert one(talk, at("doc", START, END)).version_id == new


def test_without_a_version_the_one_that_holds_the_block_is_meant() -> None:
    talk = Talk()
    old = talk.source("doc", blocks=[("b", START, END)])
    new = talk.source("doc", NEWER)
    talk.result(NEWER, chars("doc", version=new))
    found = one(talk, SourceCitation(None, "doc", block_id="b"))
    assert (found.version_id, found.verdict) == (old, Verdict.WRONG_VERSION)


def test_an_answer_side_citation_means_the_whole_source() -> None:
    assert one(read(), "doc").verdict is Verdict.READ
    found = one(read((0, 37)), "doc")
    assert found.verdict is Verdict.PARTLY_READ
    assert spans(found.missing) == [(37, len(TEXT))]
    assert found.side == "answer"


def test_the_whole_of_a_source_known_in_pieces_is_never_called_read() -> None:
    talk = Talk()
    talk.source("doc", None)
    (version,) = talk.builder.versions
    talk.builder.versions[0] = version.__class__(
        version.key,
        SourceKind.FILE,
        text=TEXT.rstrip("\n"),
        unit=Unit.LINE,
        line_numbers=(7, 8, 9, 10),
    )
    numbered = "\n".join(f"{n:>6}\u2192{line}" for n, line in enumerate(TEXT.split("\n")[:-1], 7))
    talk.result(numbered, lines("doc", 7, 11))
    talk.answer(AnswerCitation(None, "doc"), at("doc", 9, 10, unit=Unit.LINE))
    assert verdicts(audit(talk.run())) == [Verdict.PARTLY_READ, Verdict.READ]


@pytest.mark.parametrize("number", [2, 4])
def test_a_line_is_read_without_the_line_end_that_a_tool_left_out(number: int) -> None:
    text = "if x:\n    y = 1\nelse:\n    result = something_longer(x)\n"
    talk = Talk()
    talk.source("code.py", text)
    shown = f"{number:>6}\u2192{text.split(chr(10))[number - 1]}"
    talk.result(shown, lines("code.py", number, number + 1))
    cited = at("code.py", number, number + 1, unit=Unit.LINE)
    assert one(talk, cited).verdict is Verdict.READ


# -- rows --------------------------------------------------------------------------------------

ROWS = '{"id": "a", "n": 1, "t": "x"}\n{"id": "b", "n": 2, "t": "y"}\n'


def table(payload: str, citation: SourceCitation, rows: str = ROWS) -> CitationFacts:
    """Judge a citation of a table of which *payload* came."""
    talk = Talk()
    talk.source("t", rows, kind=SourceKind.TABLE, key="id")
    talk.result(payload, Selection("t", "", Unit.ROW, (Span(0, 2),)))
    return one(talk, citation)


def test_a_cited_row_is_all_its_fields_unless_fields_are_named() -> None:
    payload = '[{"id": "a", "n": 1}]'
    row = at("t", 0, 1, unit=Unit.ROW)
    assert table(payload, row).verdict is Verdict.PARTLY_READ
    named = at("t", 0, 1, unit=Unit.ROW, fields=("id", "n"))
    assert table(payload, named).verdict is Verdict.READ
    other = at("t", 0, 1, unit=Unit.ROW, fields=("t",))
    assert table(payload, other).verdict is Verdict.PARTLY_READ


def test_fields_that_came_in_two_results_add_up() -> None:
    talk = Talk()
    talk.source("t", ROWS, kind=SourceKind.TABLE, key="id")
    for number, payload in enumerate(('[{"id": "a", "n": 1}]', '[{"id": "a", "t": "x"}]')):
        selection = Selection("t", "", Unit.ROW, (Span(0, 1),))
        talk.result(payload, selection, id=f"r{number}")
    cited = at("t", 0, 1, unit=Unit.ROW, fields=("n", "t"))
    assert one(talk, cited).verdict is Verdict.READ


def test_a_table_that_was_read_as_text_is_found_by_its_records_too() -> None:
    talk = Talk()
    talk.source("t", ROWS, kind=SourceKind.TABLE, key="id")
    talk.result(f"[{', '.join(ROWS.split(chr(10))[:2])}]", chars("t"))
    assert one(talk, at("t", 0, 2, unit=Unit.ROW)).verdict is Verdict.READ


def test_a_field_that_the_table_does_not_have_is_out_of_bounds() -> None:
    cited = at("t", 0, 1, unit=Unit.ROW, fields=("total",))
    assert table(ROWS, cited).verdict is Verdict.OUT_OF_BOUNDS


def test_a_row_behind_the_last_is_out_of_bounds() -> None:
    assert table(ROWS, at("t", 1, 3, unit=Unit.ROW)).verdict is Verdict.OUT_OF_BOUNDS
    broken = ROWS + "no record\n"
    assert table(ROWS, at("t", 1, 9, unit=Unit.ROW), broken).verdict is Verdict.OUT_OF_BOUNDS


def test_a_row_that_came_with_another_value_was_not_read() -> None:
    payload = '[{"id": "a", "n": true, "t": "x"}]'
    assert table(payload, at("t", 0, 1, unit=Unit.ROW)).verdict is Verdict.PLACEHOLDER_ONLY


def test_rows_that_did_not_come_are_missing_in_rows() -> None:
    found = table('[{"id": "b", "n": 2, "t": "y"}]', at("t", 0, 2, unit=Unit.ROW))
    assert (found.verdict, found.missing) == (Verdict.PARTLY_READ, (Span(0, 1),))
