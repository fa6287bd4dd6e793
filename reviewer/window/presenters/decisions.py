"""What reviewers decided about a citation or a finding, as words and rows for the window."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from reviewer.display import one_line
from reviewer.window.i18n import tr
from reviewer.window.place import Place
from reviewer.window.presenters.cards import rule_title
from store.records.findings import Audit, CitationFacts, Finding
from store.records.reviews import (
    Decision,
    DecisionKind,
    Target,
    TargetState,
    citation_target,
    finding_target,
)

__all__ = [
    "DECISIONS",
    "DecisionRow",
    "Subject",
    "decision_name",
    "decision_rows",
    "decision_sign",
    "decision_tone",
    "decision_word",
    "kind_words",
    "says_verdict",
    "state_of",
    "subject_at",
]

_VERDICT_RULE = re.compile(r"CIT0(0[1-9]|1[0-2])")
"""The rules that say no more than the verdict of a citation does."""

DECISIONS = ("undecided", "accepted", "rejected", "flagged", "disagreement")
"""What can stand on a citation or finding, in the words of the filter."""
_NAMES = {
    DecisionKind.ACCEPT: "accepted",
    DecisionKind.REJECT: "rejected",
    DecisionKind.FLAG: "flagged",
}

_SIGNS = {
    DecisionKind.ACCEPT: "☑",
    DecisionKind.REJECT: "☒",
    DecisionKind.FLAG: "⚑",
    DecisionKind.NOTE: "✎",
    DecisionKind.UNDO: "⤺",
}
_TONES = {DecisionKind.ACCEPT: "good", DecisionKind.REJECT: "bad", DecisionKind.FLAG: "open"}
_DISAGREE = "≠"
_OPEN = "·"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a decision made at a place is about: a citation, or a finding that is about none.

    A citation and the finding that says what its verdict says are one thing to
    decide.  ``call`` and ``answer`` say where it stands: the call that wrote
    the answer and its words, for a finding its call and "".
    """

    run: int
    target: Target
    words: str = field(compare=False)
    call: int | None = None
    answer: str = ""


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """One decision or note of a reviewer that stands, safe to show.

    ``at`` is the time in UTC to the second.  ``note`` may have several lines
    and is shown as plain text through `reviewer.display.visible`.  ``mine``
    says that the reviewer at work made it, ``earlier`` that it was made on an
    earlier record of the run, ``stood`` where its text stood when it was made.
    """

    sign: str
    word: str
    reviewer: str
    at: str
    note: str
    tone: str
    mine: bool
    earlier: bool = False
    stood: str = ""


def says_verdict(finding: Finding) -> bool:
    """Tell whether a finding says no more than the verdict of its citation."""
    return _VERDICT_RULE.fullmatch(finding.rule) is not None


def subject_at(audit: Audit, place: Place) -> Subject | None:
    """Return what a decision at *place* is about; ``None`` where there is nothing to decide."""
    cited = place.citation
    if place.finding is not None and place.finding < len(audit.findings):
        finding = audit.findings[place.finding]
        about = finding.where.citation
        if about is None or not says_verdict(finding):
            target = finding_target(finding)
            if target is None:
                return None
            return Subject(place.run, target, rule_title(finding), finding.where.call)
        cited = about
    if cited is None or cited >= len(audit.citations):
        return None
    facts = audit.citations[cited]
    answers = audit.run.answers
    text = answers[facts.answer].text if facts.answer < len(answers) else ""
    words = tr("citation {number}", number=cited + 1)
    return Subject(place.run, citation_target(facts), words, facts.call_at_answer, text)


def state_of(
    states: Mapping[Target, TargetState], facts: CitationFacts | None, finding: Finding | None
) -> TargetState | None:
    """Return what stands on a row: on its citation, else on its finding."""
    if not states:
        return None
    state = states.get(citation_target(facts)) if facts is not None else None
    if state is None and finding is not None:
        target = finding_target(finding)
        state = None if target is None else states.get(target)
    return state


def decision_name(state: TargetState | None) -> str:
    """Return what stands on a target in the words of the filter."""
    kinds = _kinds(state)
    if len(kinds) > 1:
        return "disagreement"
    return _NAMES[kinds[0]] if kinds else "undecided"


def decision_sign(state: TargetState | None) -> str:
    """Return one sign for what stands on a target."""
    kinds = _kinds(state)
    if len(kinds) > 1:
        return _DISAGREE
    if kinds:
        return _SIGNS[kinds[0]]
    return _SIGNS[DecisionKind.NOTE] if state is not None else _OPEN


def decision_word(state: TargetState | None) -> str:
    """Return in a word or two what stands on a target, of all reviewers."""
    kinds = _kinds(state)
    if len(kinds) > 1:
        return tr("reviewers disagree")
    if kinds:
        return kind_words(kinds[0])
    return tr("undecided, with a note") if state is not None else tr("undecided")


def decision_tone(state: TargetState | None) -> str:
    """Return the colour word of `theme.colour`; the sign and the word say the same."""
    kinds = _kinds(state)
    if len(kinds) > 1:
        return "open"
    return _TONES[kinds[0]] if kinds else "muted"


def decision_rows(
    state: TargetState | None, reviewer: str = "", digest: str = ""
) -> tuple[DecisionRow, ...]:
    """Return everything that stands on a target: each reviewer's decision, then the notes.

    *digest* is that of the record that is open.
    """
    if state is None:
        return ()
    rows = []
    for opinion in state.opinions:
        held = [opinion.decided] if opinion.decided else []
        rows += [_row(each, reviewer, digest) for each in (*held, *opinion.notes)]
    return tuple(rows)


def _row(decision: Decision, reviewer: str, digest: str) -> DecisionRow:
    return DecisionRow(
        sign=_SIGNS[decision.kind],
        word=_row_word(decision),
        reviewer=one_line(decision.reviewer),
        at=decision.at.strftime("%Y-%m-%d %H:%M:%S"),
        note=decision.note,
        tone=_TONES.get(decision.kind, "muted"),
        mine=decision.reviewer == reviewer,
        earlier=bool(digest) and decision.run_digest != digest,
        stood=_stood(decision),
    )


def _stood(decision: Decision) -> str:
    """Return where the text of a decision stood when it was made, "" where it still does."""
    held = decision.carried
    if held is None or not held.from_place or held.from_place == held.to_place:
        return ""
    return one_line(tr("its text stood at {place}", place=held.from_place))


def _row_word(decision: Decision) -> str:
    """Return what a reviewer did; where it was on another run, also who carried it over."""
    word, carried = kind_words(decision.kind), decision.carried
    if carried is None:
        return word
    return tr(
        "{word} on run {run}, carried over by {name}",
        word=word,
        run=one_line(carried.run_id),
        name=one_line(carried.by),
    )


def _kinds(state: TargetState | None) -> list[DecisionKind]:
    """Return the different decisions of the reviewers, in the order they were first made."""
    opinions = state.opinions if state else ()
    return list(dict.fromkeys(each.decided.kind for each in opinions if each.decided))


def kind_words(kind: DecisionKind) -> str:
    """Return what a reviewer did, in a word."""
    return {
        DecisionKind.ACCEPT: tr("accepted"),
        DecisionKind.REJECT: tr("rejected"),
        DecisionKind.FLAG: tr("flagged"),
        DecisionKind.NOTE: tr("noted"),
        DecisionKind.UNDO: tr("taken back"),
    }[kind]
