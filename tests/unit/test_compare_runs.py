"""Two runs, and two calls: what one was given and the other was not."""

from collections.abc import Sequence

import pytest

from reviewer.audit.compare_calls import compare_calls
from reviewer.audit.compare_citations import sentence_of
from reviewer.audit.compare_runs import compare_runs
from reviewer.audit.engine import audit
from reviewer.services.comparing import compare_audits
from store.builder import RunBuilder
from store.records.citations import SourceCitation
from store.records.comparisons import Matched, RunComparison
from store.records.differences import Change, Fate, Side, SourceChange, Why
from store.records.findings import Audit, PlaceholderKind, Verdict
from store.records.grades import Grade, Layer
from store.records.runs import Answer
from store.records.text import Span
from tests.unit.audit_runs import TEXT, Talk, at, chars, spans

SECOND = TEXT.index("The export")


def talk(payload: str = TEXT, text: str = TEXT, grade: Grade = Grade.RECORDED) -> Talk:
    """Return a run in which one source was asked for, and *payload* came."""
    made = Talk(grade)
    made.say("What are the limits?")
    made.source("doc", text)
    made.result(payload, chars("doc"))
    made.call()
    return made


def answered(made: Talk, text: str, citations: Sequence[SourceCitation]) -> Audit:
    """Return the audit of the run with an answer."""
    made.builder.answers.append(Answer(made.call(), text, tuple(citations)))
    return audit(made.run())


def compared(a: Audit, b: Audit) -> RunComparison:
    return compare_runs(a, b, identical=False)


def test_a_run_beside_itself_is_the_same() -> None:
    found = compare_audits(talk().judged(at("doc", 0, 36)), talk().judged(at("doc", 0, 36)))
    assert not found.comparison.different
    assert not found.comparison.undecided
    assert isinstance(found.comparison.found, RunComparison)
    assert found.comparison.found.identical


def test_what_only_one_was_given_is_told_span_by_span() -> None:
    a = talk().judged()
    b = talk(TEXT[:SECOND]).judged()
    (one,) = compared(a, b).reads
    assert spans(one.shared) == [(0, SECOND)]
    assert spans(one.only_a) == [(SECOND, len(TEXT))]
    assert one.only_b == ()
    assert one.same_version


def test_of_two_versions_the_same_text_was_given_to_both() -> None:
    new = "A line in front of it.\n" + TEXT
    a, b = talk().judged(), talk(new, new).judged()
    (one,) = compared(a, b).reads
    assert spans(one.shared) == [(0, len(TEXT))]
    assert spans(one.only_b) == [(0, len(new) - len(TEXT))]
    assert one.only_a == ()
    assert not one.same_version


def test_a_verdict_that_changed_is_told_beside_the_text_that_did_not() -> None:
    place = at("doc", SECOND, SECOND + 48)
    a, b = talk().judged(place), talk(TEXT[:SECOND]).judged(place)
    (one,) = compared(a, b).citations
    assert one.matched is Matched.KEY
    assert one.verdict_changed
    assert (one.verdict_a, one.verdict_b) == (Verdict.READ, Verdict.NEVER_READ)
    assert one.fated is not None
    assert one.fated.fate is Fate.UNCHANGED


def test_a_citation_is_found_again_by_its_sentence_and_the_text_it_points_at() -> None:
    new = "A line in front of it.\n" + TEXT
    shift = len(new) - len(TEXT)
    words = "The service stops [1]. All else goes on."
    mark = Span(words.index("[1]"), words.index("[1]") + 3)
    a = answered(talk(), words, [SourceCitation(mark, "doc", span=Span(SECOND, SECOND + 48))])
    b = answered(
        talk(new, new),
        words,
        [SourceCitation(mark, "doc", span=Span(SECOND + shift, SECOND + shift + 48))],
    )
    (one,) = compared(a, b).citations
    assert one.matched is Matched.PLACE
    assert one.same_sentence
    assert one.fated is not None
    assert one.fated.fate is Fate.MOVED


def test_another_place_for_the_same_sentence_is_no_sameness() -> None:
    words = "The service stops [1]."
    mark = Span(words.index("[1]"), words.index("[1]") + 3)
    a = answered(talk(), words, [SourceCitation(mark, "doc", span=Span(0, 36))])
    b = answered(talk(), words, [SourceCitation(mark, "doc", span=Span(SECOND, SECOND + 48))])
    (one,) = compared(a, b).citations
    assert one.matched is Matched.SENTENCE
    assert not one.same


def test_a_result_that_was_cleared_in_one_run_only_is_told() -> None:
    a = talk()
    b = talk()
    b.replace(1, "[cleared]")
    b.call()
    a.call()
    found = compared(a.judged(), b.judged())
    (placeholder,) = found.placeholders
    assert placeholder.a is None
    assert placeholder.b is not None
    assert placeholder.b.kind is PlaceholderKind.CLEARED
    (edit,) = found.edits
    assert edit.a is None
    assert [one.index for one in found.calls if one.request is Change.CHANGED] == [2, 3]


def test_findings_that_appeared_and_are_gone_are_told_by_fingerprint() -> None:
    place = at("doc", SECOND, SECOND + 48)
    found = compared(talk().judged(place), talk(TEXT[:SECOND]).judged(place))
    appeared = [one.b.rule for one in found.findings if one.a is None and one.b]
    assert "CIT012" in appeared
    assert not [one for one in found.findings if one.b is None]


def test_a_call_more_is_added() -> None:
    b = talk()
    b.call()
    found = compared(talk().judged(), b.judged())
    assert [one.request for one in found.calls][-1] is Change.ADDED


def test_a_grade_that_says_nothing_leaves_two_runs_undecided() -> None:
    a = talk(grade=Grade.UNKNOWN).judged()
    b = talk(TEXT[:SECOND], grade=Grade.UNKNOWN).judged()
    found = compare_audits(a, b).comparison
    assert found.undecided
    assert isinstance(found.found, RunComparison)
    assert {one.why for one in found.found.doubts} == {Why.GRADE_UNKNOWN}


def test_a_side_of_which_something_could_not_be_read_is_doubted() -> None:
    b = talk()
    b.builder.problem("talk", "the last line was cut short")
    found = compare_audits(talk().judged(), b.judged()).comparison
    assert found.undecided
    assert isinstance(found.found, RunComparison)
    assert [(one.side, one.why) for one in found.found.doubts] == [(Side.B, Why.UNREADABLE)]


def test_runs_without_calls_can_be_compared() -> None:
    a, b = Talk(), Talk()
    a.source("doc")
    found = compare_audits(audit(a.run()), audit(b.run())).comparison
    assert found.different


def test_what_no_request_proves_is_not_called_given_to_one_alone() -> None:
    a = talk(grade=Grade.UNKNOWN).judged()
    b = talk(TEXT[:SECOND]).judged()
    found = compared(a, b)
    (one,) = found.reads
    assert one.doubt is not None
    assert (one.doubt.side, one.doubt.why) == (Side.A, Why.GRADE_UNKNOWN)
    assert not one.same
    assert all(each.doubt for each in found.calls)
    unproven = compare_audits(a, talk(TEXT[:SECOND], grade=Grade.UNKNOWN).judged()).comparison
    assert (unproven.different, unproven.undecided) == (False, True)


def test_what_a_later_request_proves_is_given() -> None:
    made = talk(grade=Grade.UNKNOWN)
    made.grade = Grade.RECORDED
    made.call()
    (one,) = compared(made.judged(), talk(TEXT[:SECOND]).judged()).reads
    assert one.doubt is None
    assert spans(one.only_a) == [(SECOND, len(TEXT))]


def test_a_source_that_the_other_run_never_had_is_not_gone() -> None:
    b = Talk()
    b.say("What are the limits?")
    b.call()
    found = compared(talk().judged(at("doc", 0, 36)), b.judged())
    (one,) = found.citations
    assert one.fated is not None
    assert one.fated.fate is Fate.UNKNOWN
    assert one.fated.doubt is not None
    assert one.fated.doubt.why is Why.NO_SOURCE
    assert found.sources[0].change is SourceChange.REMOVED


@pytest.mark.parametrize(
    ("text", "marked", "sentence"),
    [
        ("One. Two [1]. Three.", "[1]", "Two [1]."),
        ("One. Two. [1] Three.", "[1]", "Two. [1]"),
        ("上限为200条。超时[1]为30秒。", "[1]", "超时[1]为30秒。"),
        ("no end [1]", "[1]", "no end [1]"),
        ("first\nsecond [1]\nthird", "[1]", "second [1]"),
        ("[1] begins.", "[1]", "[1] begins."),
    ],
)
def test_a_citation_stands_behind_its_sentence(text: str, marked: str, sentence: str) -> None:
    start = text.index(marked)
    assert sentence_of(text, Span(start, start + len(marked))) == sentence


def test_ids_of_tool_calls_are_no_difference_between_runs() -> None:
    made = []
    for name, run_id in (("r1", "first"), ("other", "second")):
        one = Talk(builder=RunBuilder(run_id, "talk", "made", Layer.CLIENT))
        one.say("What are the limits?")
        one.source("doc")
        one.result(TEXT, chars("doc"), id=name)
        one.call()
        one.replace(1, "[cleared]", edit=False)
        made.append(one.judged())
    found = compared(*made)
    assert all(one.same for one in found.calls)
    assert found.placeholders == ()
    assert {piece.change for piece in compare_calls(made[0], 1, made[1], 1).pieces} == {Change.SAME}


def test_which_result_stands_in_which_place_is_a_difference_all_the_same() -> None:
    made = []
    for order in (("x", "y"), ("y", "x")):
        one = Talk()
        for name in order:
            one.result(f"result {name}", id=name)
        one.call()
        made.append(one.judged())
    assert next(iter(compared(*made).calls)).request is Change.CHANGED


def test_a_citation_of_nothing_leaves_nothing_undecided() -> None:
    a = talk().judged(at("nowhere", 0, 5))
    b = talk(text=TEXT + "More.\n").judged(at("nowhere", 0, 5))
    found = compare_audits(a, b).comparison
    assert found.different
    assert not found.undecided
    assert isinstance(found.found, RunComparison)
    assert [one.same for one in found.found.citations] == [True]


# -- calls -----------------------------------------------------------------------


def test_a_result_replaced_by_a_placeholder_is_one_piece() -> None:
    made = talk()
    made.replace(1, "[cleared]")
    made.say("Go on.")
    made.call()
    found = made.judged()
    pieces = compare_calls(found, 1, found, 2).pieces
    changed = [piece for piece in pieces if piece.change is Change.CHANGED]
    assert [(piece.a, piece.b) for piece in changed] == [((1, 0), (1, 0))]
    assert changed[0].placeholder is PlaceholderKind.CLEARED
    assert (changed[0].chars_a, changed[0].chars_b) == (len(TEXT), len("[cleared]"))
    assert [piece.change for piece in pieces] == [Change.SAME, Change.CHANGED, Change.ADDED]


def test_the_other_way_round_it_came_back() -> None:
    made = talk()
    made.replace(1, "[cleared]")
    made.call()
    found = made.judged()
    back = [one for one in compare_calls(found, 2, found, 1).pieces if one.restored]
    assert [piece.change for piece in back] == [Change.CHANGED]


def test_a_message_at_another_place_moved() -> None:
    made = talk()
    made.say("More.")
    made.call()
    made.held[0], made.held[2] = made.held[2], made.held[0]
    made.call()
    found = made.judged()
    moved = [one for one in compare_calls(found, 2, found, 3).pieces if one.change is Change.MOVED]
    assert moved
    every = compare_calls(found, 2, found, 3).pieces
    assert sorted(piece.a for piece in every if piece.a) == [(0, 0), (1, 0), (2, 0)]
    assert sorted(piece.b for piece in every if piece.b) == [(0, 0), (1, 0), (2, 0)]


def test_a_request_of_unknown_grade_is_doubted() -> None:
    found = talk(grade=Grade.UNKNOWN).judged()
    assert [one.why for one in compare_calls(found, 1, found, 2).doubts] == [
        Why.GRADE_UNKNOWN,
        Why.GRADE_UNKNOWN,
    ]
