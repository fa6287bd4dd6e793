"""What reviewers decided about a citation or a finding, as words and rows for the window."""

from __future__ import annotations

from dataclasses import dataclass

from reviewer.display import one_line
from reviewer.window.i18n import tr
from store.records.reviews import Decision, DecisionKind, TargetState

__all__ = ["DecisionRow", "decision_rows", "decision_sign", "decision_tone", "decision_word"]

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
class DecisionRow:
    """One decision or note of a reviewer that stands, safe to show.

    ``at`` is the time in UTC to the second.  ``note`` may have several lines
    and is shown as plain text through `reviewer.display.visible`.  ``mine``
    says that the reviewer at work made it.
    """

    sign: str
    word: str
    reviewer: str
    at: str
    note: str
    tone: str
    mine: bool


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
        return _word(kinds[0])
    return tr("undecided, with a note") if state is not None else tr("undecided")


def decision_tone(state: TargetState | None) -> str:
    """Return the colour word of `theme.colour`; the sign and the word say the same."""
    kinds = _kinds(state)
    if len(kinds) > 1:
        return "open"
    return _TONES[kinds[0]] if kinds else "muted"


def decision_rows(state: TargetState | None, reviewer: str = "") -> tuple[DecisionRow, ...]:
    """Return everything that stands on a target: each reviewer's decision, then the notes."""
    if state is None:
        return ()
    rows = []
    for opinion in state.opinions:
        held = [opinion.decided] if opinion.decided else []
        rows += [_row(each, reviewer) for each in (*held, *opinion.notes)]
    return tuple(rows)


def _row(decision: Decision, reviewer: str) -> DecisionRow:
    return DecisionRow(
        sign=_SIGNS[decision.kind],
        word=_word(decision.kind),
        reviewer=one_line(decision.reviewer),
        at=decision.at.strftime("%Y-%m-%d %H:%M:%S"),
        note=decision.note,
        tone=_TONES.get(decision.kind, "muted"),
        mine=decision.reviewer == reviewer,
    )


def _kinds(state: TargetState | None) -> list[DecisionKind]:
    """Return the different decisions of the reviewers, in the order they were first made."""
    opinions = state.opinions if state else ()
    return list(dict.fromkeys(each.decided.kind for each in opinions if each.decided))


def _word(kind: DecisionKind) -> str:
    return {
        DecisionKind.ACCEPT: tr("accepted"),
        DecisionKind.REJECT: tr("rejected"),
        DecisionKind.FLAG: tr("flagged"),
        DecisionKind.NOTE: tr("noted"),
        DecisionKind.UNDO: tr("taken back"),
    }[kind]
