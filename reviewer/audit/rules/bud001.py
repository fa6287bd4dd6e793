"""BUD001: a budget kept a result out."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._refusals import Refusal, Said, described, refusals, refused
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.runs import Run

_SAID = {
    Said.NO_ANSWER: "no answer after it is recorded",
    Said.OTHER_LANGUAGE: "whether the answer says so cannot be told in its language",
}


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each refusal that the answer may tell of, or cannot."""
    for refusal in refusals(view):
        if refusal.said is not Said.NOT or refusal.in_part:
            source = refusal.sources[0] if refusal.sources else None
            yield finding(
                RULE.id,
                RULE.severity,
                refusal.grade,
                f"a budget kept out {described(refusal)}: {_rest(refusal)}",
                Where(
                    call=refusal.call,
                    source_id=source,
                    tool_call_id=refusal.admission.tool_call_id,
                ),
                refusal.admission.tool_call_id,
                source,
            )


def _rest(refusal: Refusal) -> str:
    if refusal.in_part:
        return "some of it was given by another read"
    if refusal.said is Said.MAYBE:
        return f"the answer has words that may tell of it (“{refusal.word}”)"
    return _SAID[refusal.said]


def _passing() -> Run:
    return refused("The notice is in force.", made_good=True)


def _failing() -> Run:
    return refused("The notice could not be read within the budget.")


RULE = Rule(
    id="BUD001",
    name="ResultRefused",
    severity=Severity.NOTE,
    summary="A budget kept a result out of the requests, and not all of it was given otherwise",
    why=(
        "The tool answered and the model was not given the answer. What the model then wrote rests "
        "on less than the list of tool calls suggests."
    ),
    silent=(
        "When all of it stood in the request of the answer all the same, or came whole in a later "
        "read; when the answer clearly says nothing of it, which is BUD002."
    ),
    check=check,
    passing=_passing,
    failing=_failing,
)
