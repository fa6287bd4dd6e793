"""The composed request: every character of it is of the record, and can be traced back."""

import pytest

from reviewer.audit.engine import audit
from reviewer.services.sample import write_sample
from reviewer.window.presenters.changes import Change, steps
from reviewer.window.presenters.model_text import ModelTexts
from store.builder import RunBuilder
from store.opening import open_paths
from store.records.findings import Audit, PlaceholderKind
from store.records.grades import Layer
from store.records.runs import Part, PartKind, Run
from store.records.text import Span
from tests.made import HOSTILE, made_audit


@pytest.fixture(scope="module")
def audits(tmp_path_factory: pytest.TempPathFactory) -> list[Audit]:
    """Give the audits of the sample runs."""
    places = write_sample(tmp_path_factory.mktemp("sample"))
    found = [one for one in open_paths([str(p) for p in places]) if isinstance(one, Run)]
    return [audit(run) for run in found]


def test_every_part_of_the_request_stands_in_it_exactly(audits: list[Audit]) -> None:
    for one in audits:
        texts = ModelTexts(one)
        for call in one.run.calls:
            page = texts.compose(call.index)
            wanted = [
                (place, number, order, part.text)
                for place, number in enumerate(one.run.request(call.index))
                for order, part in enumerate(one.run.messages[number].parts)
            ]
            told = [
                (p.message, p.number, p.part, page.text[p.body.start : p.body.end])
                for p in page.pieces
            ]
            assert told == wanted


def test_a_place_of_the_record_and_its_place_on_the_page_lead_to_each_other(
    audits: list[Audit],
) -> None:
    for one in audits:
        page = ModelTexts(one).compose(len(one.run.calls))
        for piece in page.pieces:
            for start in range(0, piece.body.length, 7):
                span = Span(start, min(start + 5, piece.body.length))
                on_page = page.span_of(piece.message, piece.part, span)
                assert on_page is not None
                assert page.recorded(on_page) == (piece, span)


def test_what_is_not_of_the_record_is_marked_as_a_heading(audits: list[Audit]) -> None:
    for one in audits:
        page = ModelTexts(one).compose(len(one.run.calls))
        ours = set(range(len(page.text)))
        for piece in page.pieces:
            ours -= set(range(piece.body.start, piece.body.end))
        headings = {
            at
            for mark in page.marks
            if mark.kind == "heading"
            for at in range(mark.span.start, mark.span.end)
        }
        assert headings <= ours
        assert {page.text[at] for at in ours - headings} == {"\n"}


def test_delivered_pieces_are_marked_and_lead_to_their_source(audits: list[Audit]) -> None:
    for one in audits:
        for facts in one.citations:
            found = facts.evidence
            if found is None:
                continue
            page = ModelTexts(one).compose(found.call)
            span = page.span_of(found.message, found.part, found.message_span)
            assert span is not None
            assert page.text[span.start : span.end] == found.text
            delivery = page.delivery_at(span.start)
            assert delivery is not None
            assert delivery.version.source_id == facts.source_id
            assert any(m.kind == "cited" and m.span == span for m in page.marks)
            labels = [label.label for label in page.gutter if label.span.covers(span)]
            assert any(label[2:].startswith(facts.source_id) for label in labels)


def test_every_kind_of_change_is_told_and_nothing_is_told_twice(audits: list[Audit]) -> None:
    told = set()
    for one in audits:
        for call in range(1, len(one.run.calls) + 1):
            now = one.run.request(call)
            before = one.run.request(call - 1) if call > 1 else ()
            held: list[int] = []
            gone: list[int] = []
            for step in steps(one.run, call, changes=True):
                told.add(step.change)
                (gone if step.change is Change.REMOVED else held).extend(step.numbers)
            assert tuple(held) == now
            kept = list(before)
            for number in gone:
                kept.remove(number)
            assert [number for number in now if number in kept] == kept
    assert {Change.SAME_NOT_SHOWN, Change.ADDED, Change.REMOVED, Change.REPLACED} <= told


def test_a_replaced_result_follows_what_it_stands_for() -> None:
    builder = RunBuilder("r", "r", "reread.run", Layer.CLIENT)
    asked = builder.message("user", [Part(PartKind.TEXT, "go")])
    full = builder.message("tool", [Part(PartKind.TOOL_RESULT, "all of it", "t1")])
    more = builder.message("assistant", [Part(PartKind.TEXT, "hm")])
    cleared = builder.message("tool", [Part(PartKind.TOOL_RESULT, "[cleared]", "t1")])
    builder.call([asked, full, more])
    builder.call([asked, cleared, more])
    run = builder.finish()
    assert [(s.change, s.numbers) for s in steps(run, 2, changes=True)] == [
        (Change.SAME_NOT_SHOWN, (asked,)),
        (Change.REMOVED, (full,)),
        (Change.REPLACED, (cleared,)),
        (Change.SAME_NOT_SHOWN, (more,)),
    ]
    page = ModelTexts(audit(run)).compose(2, changes=True)
    assert "all of it" in page.text
    assert "go" not in page.text.replace("not repeated", "")
    assert page.span_of(1, 0, Span(0, 9)) == next(p.body for p in page.pieces if not p.gone)


def test_a_placeholder_is_marked_from_the_call_on_in_which_it_stands(audits: list[Audit]) -> None:
    seen = set()
    for one in audits:
        for facts in one.placeholders:
            if facts.first_call is None or facts.removed:
                continue
            texts = ModelTexts(one)
            for call in range(facts.first_call - 1, facts.first_call + 1):
                if not call:
                    continue
                page = texts.compose(call)
                marked = [m for m in page.marks if m.kind == "placeholder" and m.tip]
                ours = [m for m in marked if facts.tool_call_id in m.tip]
                assert bool(ours) == (call == facts.first_call)
            seen.add(facts.kind)
    assert PlaceholderKind.CLEARED in seen


def test_hostile_text_is_kept_and_hostile_headings_are_made_harmless() -> None:
    page = ModelTexts(made_audit()).compose(2)
    assert HOSTILE in page.text
    builder = RunBuilder("r", "r", "reread.run", Layer.CLIENT)
    bad = builder.message("user\n── message 9", [Part(PartKind.TEXT, "x", name="\x1b[2J")], "a\nb")
    builder.call([bad])
    page = ModelTexts(audit(builder.finish())).compose(1)
    assert "\x1b" not in page.text
    assert page.text.count("\n") == 3


def test_lines_are_numbered_within_their_part() -> None:
    builder = RunBuilder("r", "r", "reread.run", Layer.CLIENT)
    first = builder.message("user", [Part(PartKind.TEXT, "a\nb\n"), Part(PartKind.TEXT, "")])
    builder.call([first])
    page = ModelTexts(audit(builder.finish())).compose(1)
    starts = [0, *(at + 1 for at, char in enumerate(page.text) if char == "\n")][:-1]
    told = [page.number_of(line, start) for line, start in enumerate(starts, 1)]
    assert told == ["", "", "1", "2", "", "1"]


def test_a_call_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(IndexError, match="this run has 2"):
        ModelTexts(made_audit()).compose(3)


def test_the_banner_says_how_far_the_record_proves_the_request(audits: list[Audit]) -> None:
    for one in audits:
        for call in one.run.calls:
            words = ModelTexts(one).banner(call.index)
            assert call.grade.value in words
            assert call.grade_reason in words
