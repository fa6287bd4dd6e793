"""CIT016: marks in an answer have the shape of citations and lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run

_NAMED = 5
"""So many marks are named; how many more there are is said."""


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each answer with marks that lead to nothing known."""
    run = view.run
    for number, answer in enumerate(run.answers):
        marks = [stray.words for stray in view.strays if stray.answer == number]
        if not marks:
            continue
        known = 0 < answer.call <= len(run.calls)
        grade = run.calls[answer.call - 1].grade if known else Grade.UNKNOWN
        distinct = list(dict.fromkeys(marks))
        named = " ".join(distinct[:_NAMED])
        left = len(distinct) - _NAMED
        more = f" and {left} more" if left > 0 else ""
        yield finding(
            RULE.id,
            RULE.severity,
            grade,
            f"marks in the answer of call {answer.call} look like citations and lead to nothing "
            f"that is known: {named}{more}",
            Where(call=answer.call),
            number,
            *distinct,
        )


def _told(mark: str) -> Run:
    story = Story()
    story.document("notice", blocks=(("n1", 0, 47),))
    story.read("notice")
    return story.answer(text=f"The window is on Sunday {mark}.")


RULE = Rule(
    id="CIT016",
    name="MarkLeadsNowhere",
    severity=Severity.NOTE,
    summary="A mark in an answer looks like a citation, and nothing known has its number or key",
    why=(
        "The reader takes it for a source that can be looked up. The number may belong to a list "
        "that the model was never given."
    ),
    silent=(
        "Where the record itself holds the citations of an answer; for marks in code; for links, "
        "addresses and paths, which are no marks."
    ),
    check=check,
    passing=lambda: _told("[n1]"),
    failing=lambda: _told("[1]"),
)
