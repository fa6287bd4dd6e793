"""Finding everywhere keeps offsets, and never counts as given what the model did not get."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from reviewer.services.finding_text import (
    Group,
    Hit,
    Kind,
    Why,
    calls_of_messages,
    find_everywhere,
    places_of,
)
from reviewer.services.opening_runs import Found, open_runs
from reviewer.services.sample import write_sample
from store.builder import RunBuilder
from store.records.findings import Audit, SourceFacts, State, VersionFacts
from store.records.grades import Grade, Layer
from store.records.runs import Answer, Part, PartKind, Run, ToolCall, ToolResult
from store.records.sources import Excerpt, SourceKind, Version, VersionKey
from store.records.text import Span, Unit

HARD = st.text(st.sampled_from("aAbß甲骨文\r\n\u2028\0\u202e\ud83d\ude00😀İı"), max_size=60)


def spans(text: str, wanted: str, *, case: bool) -> list[Span]:
    return [span for span in places_of(text, wanted, case=case) if span is not None]


@given(HARD, HARD, HARD)
def test_every_hit_is_the_wanted_text_at_code_points_of_the_record(
    before: str, wanted: str, behind: str
) -> None:
    text = before + wanted + behind
    found = spans(text, wanted, case=True)
    assert all(text[span.start : span.end] == wanted for span in found)
    assert len(found) == (text.count(wanted) if wanted else 0)


@given(HARD, HARD.filter(bool))
def test_without_case_a_hit_is_as_long_as_what_was_wanted(text: str, wanted: str) -> None:
    found = spans(text + wanted.swapcase()[:1] + wanted, wanted, case=False)
    assert found
    assert all(span.length == len(wanted) for span in found)
    assert all(one.end <= two.start for one, two in pairwise(found))


def test_one_and_two_chinese_characters_are_found_also_across_the_edge_of_a_slice() -> None:
    text = "x" * 65_535 + "甲骨" + "x" * 70_000 + "甲"
    assert [span.start for span in spans(text, "甲骨", case=False)] == [65_535]
    assert [span.start for span in spans(text, "甲", case=False)] == [65_535, 135_537]


def made(*, grade: Grade = Grade.RECORDED) -> Audit:
    builder = RunBuilder("r", "r", "reread.run", Layer.CLIENT)
    one = builder.message("user", [Part(PartKind.TEXT, "甲 question")], "e:1")
    two = builder.message("tool", [Part(PartKind.TOOL_RESULT, "甲骨 result", "t1")], "e:2")
    gone = builder.message("tool", [Part(PartKind.TOOL_RESULT, "[cleared]", "t1")], "e:3")
    wrote = builder.message("assistant", [Part(PartKind.TEXT, "甲 answer")], "e:4")
    builder.tool_calls += [ToolCall("t1", "read", "{}", 1), ToolCall("t2", "read", "{}", 1)]
    builder.tool_results += [ToolResult("t1", "甲骨 result"), ToolResult("t2", "甲 kept away")]
    builder.call([one], model="m")
    builder.call([one, two], model="m")
    builder.call([one, gone], response=[wrote], model="m")
    run: Run = builder.finish()
    run = replace(
        run,
        calls=tuple(replace(call, grade=grade) for call in run.calls),
        answers=(Answer(3, "甲 answer"),),
    )
    key = VersionKey("d", "1")
    version = Version(key, SourceKind.TEXT, text="甲甲甲甲", chars=4)
    facts = VersionFacts(
        version=version,
        unit=Unit.CHAR,
        listed=True,
        previewed=(Span(2, 3),),
        delivered=(Span(0, 2),),
        gaps=(Span(2, 4),),
        delivered_at_answer=(Span(0, 1),),
        state_at_answer=State.PARTIAL,
    )
    return Audit(run, (), (SourceFacts("d", "text", "", (facts,)),), (), (), (), ())


def hits_of(audit: Audit, wanted: str) -> tuple[list[Hit], dict[Group, int]]:
    steps = list(find_everywhere([audit], wanted))
    assert steps[-1].done == steps[-1].total
    return [hit for step in steps for hit in step.hits], dict(steps[-1].counts)


def test_what_the_model_was_given_is_counted_apart_from_what_it_did_not_get() -> None:
    hits, counts = hits_of(made(), "甲")
    whys = [hit.why for hit in hits]
    assert whys == [
        Why.REQUEST,
        Why.REQUEST,
        Why.WRITTEN,
        Why.DELIVERED,
        Why.CLEARED,
        Why.PREVIEW,
        Why.STORED,
        Why.OBTAINED,
        Why.ANSWER,
    ]
    assert counts == {Group.GIVEN: 2, Group.NOT_GIVEN: 4, Group.ELSEWHERE: 3}


def test_a_message_is_found_once_with_the_calls_it_stands_in() -> None:
    hits, _ = hits_of(made(), "骨")
    assert [hit.passage.calls for hit in hits if hit.passage.kind is Kind.MESSAGE] == [((2, 2),)]
    hits, _ = hits_of(made(), "question")
    assert [hit.passage.calls for hit in hits] == [((1, 3),)]


def test_a_request_that_is_not_proven_is_not_counted_as_given() -> None:
    hits, counts = hits_of(made(grade=Grade.UNKNOWN), "question")
    assert [hit.why for hit in hits] == [Why.UNPROVEN]
    assert counts[Group.GIVEN] == 0


def test_nothing_wanted_is_nowhere() -> None:
    assert hits_of(made(), "") == ([], dict.fromkeys(Group, 0))


def test_the_calls_of_messages_are_those_of_the_requests(tmp_path: Path) -> None:
    paths = [str(place) for place in write_sample(tmp_path)]
    audits = [step.audit for step in open_runs(paths, tokens=False) if isinstance(step, Found)]
    assert audits
    for audit in audits:
        found = calls_of_messages(audit.run)
        for index, request in enumerate(audit.run.requests(), 1):
            inside = {
                number
                for number, ranges in found.items()
                if any(first <= index <= last for first, last in ranges)
            }
            assert inside == set(request)


def stored(version: Version, unit: Unit, *delivered: Span) -> Audit:
    facts = VersionFacts(version, unit, True, (), delivered, (), delivered, State.PARTIAL)  # noqa: FBT003
    audit = made()
    return replace(audit, sources=(SourceFacts("d", "text", "", (facts,)),))


def test_hits_in_numbered_lines_are_told_by_the_lines_that_hold_them() -> None:
    version = Version(
        VersionKey("d", "2"),
        SourceKind.TEXT,
        text="零壹\n贰叁\n肆零壹",
        unit=Unit.LINE,
        line_numbers=(7, 8, 20),
    )
    hits, _ = hits_of(stored(version, Unit.LINE, Span(7, 9)), "零壹")
    assert [(hit.why, hit.place) for hit in hits] == [
        (Why.DELIVERED, Span(7, 8)),
        (Why.STORED, Span(20, 21)),
    ]
    hits, _ = hits_of(stored(version, Unit.LINE, Span(7, 9)), "叁\n肆")
    assert [(hit.why, hit.place) for hit in hits] == [(Why.PARTLY, Span(8, 21))]


def test_what_only_joins_two_excerpts_has_no_place_and_was_not_given() -> None:
    pieces = (Excerpt(0, "零壹"), Excerpt(90, "贰叁"))
    version = Version(VersionKey("d", "3"), SourceKind.TEXT, chars=200, excerpts=pieces)
    hits, _ = hits_of(stored(version, Unit.CHAR, Span(0, 2), Span(90, 92)), "\n")
    assert [(hit.why, hit.place) for hit in hits] == [(Why.STORED, None)]
    hits, _ = hits_of(stored(version, Unit.CHAR, Span(90, 92)), "贰")
    assert [(hit.why, hit.place) for hit in hits] == [(Why.DELIVERED, Span(90, 91))]
