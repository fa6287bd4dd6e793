"""What of the decisions stands, and by what name a later audit finds their target again."""

from dataclasses import replace
from datetime import datetime

import pytest

from store.records.citations import AnswerCitation, SourceCitation
from store.records.findings import Anchor, Verdict
from store.records.grades import Grade
from store.records.reviews import (
    NOTE_CHARS,
    DecisionKind,
    Target,
    TargetKind,
    citation_key,
    current,
    finding_target,
    standing,
)
from store.records.text import Span, Unit
from tests.made import made_citation, made_finding
from tests.unit.decisions import A, B, made


def test_the_last_decision_of_a_reviewer_stands() -> None:
    (opinion,) = current([made("accept"), made("reject")])[A].opinions
    assert opinion.decided is not None
    assert opinion.decided.kind is DecisionKind.REJECT


def test_an_undo_brings_back_what_stood_before() -> None:
    first, second = made("accept"), made("reject")
    (opinion,) = current([first, second, made("undo", undoes=second)])[A].opinions
    assert opinion.decided == first


def test_a_target_on_which_nothing_stands_is_undecided() -> None:
    first = made("flag")
    assert current([first, made("undo", undoes=first)]) == {}


def test_nobody_undoes_the_decision_of_another() -> None:
    first = made("accept")
    state = current([first, made("undo", reviewer="Bo", undoes=first)])[A]
    assert [each.decided for each in state.opinions] == [first]


def test_an_undo_on_another_target_says_nothing() -> None:
    first = made("accept")
    assert standing([first, made("undo", B, undoes=first)]) == (first,)


def test_an_undo_before_its_decision_says_nothing() -> None:
    first = made("accept")
    assert standing([made("undo", undoes=first), first]) == (first,)


def test_two_reviewers_who_decide_differently_disagree_and_both_are_shown() -> None:
    state = current([made("accept"), made("reject", reviewer="Bo")])[A]
    assert [each.reviewer for each in state.opinions] == ["Ann", "Bo"]
    assert state.disagreement


def test_a_note_is_no_decision_and_leaves_the_decision_as_it_is() -> None:
    accepted, note = made("accept"), made("note", reviewer="Bo", note="see page 3")
    state = current([accepted, note])[A]
    assert not state.disagreement
    assert [each.decided for each in state.opinions] == [accepted, None]
    assert state.opinions[1].notes == (note,)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"reviewer": " "}, "name"),
        ({"reviewer": "x" * 201}, "name"),
        ({"id": ""}, "id"),
        ({"note": "x" * (NOTE_CHARS + 1)}, "50001"),
        ({"kind": DecisionKind.UNDO}, "undo"),
        ({"undoes": "d0"}, "undo"),
        ({"kind": DecisionKind.NOTE}, "without text"),
        ({"at": datetime(2025, 3, 1)}, "zone"),  # noqa: DTZ001 - the point of it
    ],
)
def test_a_decision_of_nobody_or_about_nothing_cannot_be_made(
    change: dict[str, object], what: str
) -> None:
    with pytest.raises(ValueError, match=what):
        replace(made(), **change)  # type: ignore[arg-type]


def test_a_citation_keeps_its_name_when_it_is_judged_anew() -> None:
    before = made_citation()
    after = replace(
        before,
        index=7,
        verdict=Verdict.NEVER_READ,
        grade=Grade.UNKNOWN,
        anchor=Anchor.ORPHAN,
        version_id="other",
        span=None,
        reason="judged with more evidence",
    )
    assert citation_key(after) == citation_key(before)


@pytest.mark.parametrize(
    "change",
    [
        {"source_id": "d04"},
        {"version_id": None},
        {"span": Span(0, 11)},
        {"span": None},
        {"unit": Unit.LINE},
        {"block_id": "b"},
        {"quote": None},
        {"quote": "\ud83d"},
        {"answer_span": Span(0, 4)},
        {"answer_span": None},
    ],
)
def test_citations_that_differ_in_the_record_have_different_names(
    change: dict[str, object],
) -> None:
    facts = made_citation()
    assert isinstance(facts.citation, SourceCitation)
    other = replace(facts, citation=replace(facts.citation, **change))  # type: ignore[arg-type]
    assert citation_key(other) != citation_key(facts)
    assert citation_key(replace(facts, call_at_answer=3)) != citation_key(facts)


def test_an_answer_side_citation_has_a_name_too() -> None:
    facts = replace(made_citation(), citation=AnswerCitation(Span(0, 3), "d03"))
    assert len(citation_key(facts)) == 32


def test_a_finding_without_a_fingerprint_is_no_target() -> None:
    assert finding_target(replace(made_finding(), fingerprint="")) is None
    assert finding_target(made_finding()) == Target(TargetKind.FINDING, "f" * 32)


@pytest.mark.parametrize("text", ["", "citation", "citation:", "thing:x"])
def test_what_names_no_target_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"named|TargetKind"):
        Target.of(text)
    assert Target.of(str(B)) == B
