"""PLC006: a result was replaced before any model call had it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import (
    Finding,
    Outcome,
    PlaceholderFacts,
    PlaceholderKind,
    Severity,
    Where,
)
from store.records.grades import Grade
from store.records.runs import Run

_REPLACED = {PlaceholderKind.CLEARED, PlaceholderKind.FOLDED, PlaceholderKind.COMPACTED}
_MODEL = ("assistant", "ai")
_GAVE_TEXT = {Outcome.PLACEHOLDER, Outcome.TRUNCATED}


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each result that no request ever held, only what replaced it."""
    fresh = list(_fresh(view))
    answered = set(_answered(view.run, fresh))
    for fact in fresh:
        if fact.tool_call_id in answered:
            continue
        name = fact.source_id or fact.tool or "a tool"
        kept = sum(span.length for span in fact.kept)
        yield finding(
            RULE.id,
            RULE.severity,
            fact.grade,
            f"{name} was {fact.kind} in the first request after it was read: {kept} of "
            f"{fact.original_chars} characters stand there, and no call ever had the rest",
            Where(
                call=fact.first_call,
                source_id=fact.source_id or None,
                tool_call_id=fact.tool_call_id,
            ),
            fact.source_id,
            fact.tool_call_id,
        )


def _fresh(view: AuditView) -> Iterator[PlaceholderFacts]:
    """Yield the results with text that were replaced in the first request after they came."""
    came = {read.tool_call_id for read in view.reads if read.outcome in _GAVE_TEXT}
    for fact in view.placeholders:
        at_once = fact.last_full_call is None and fact.first_call is not None
        arrived = view.requests.arrival(fact.tool_call_id)
        if not at_once or fact.first_call != arrived or fact.kind not in _REPLACED:
            continue
        if fact.grade is not Grade.UNKNOWN and fact.tool_call_id in came and fact.original_chars:
            yield fact


def _answered(run: Run, fresh: Sequence[PlaceholderFacts]) -> Iterator[str]:
    """Yield the results behind which the model speaks already in the first request with them.

    Whatever call wrote those words is not in the record, and may have had the text.
    """
    calls = sorted({fact.first_call for fact in fresh if fact.first_call is not None})
    requests = run.requests(calls) if calls else ()
    for call, request in zip(calls, requests, strict=True):
        wanted = {fact.tool_call_id for fact in fresh if fact.first_call == call}
        spoke = False
        for message in (run.messages[index] for index in reversed(request)):
            if spoke:
                yield from wanted.intersection(part.tool_call_id for part in message.parts)
            spoke = spoke or message.role in _MODEL


def _told(*, at_once: bool) -> Run:
    story = Story()
    story.document("notice")
    story.read("notice", shown="[folded]" if at_once else None)
    story.think()
    if not at_once:
        story.clear(shown="[folded]")
    return story.answer()


RULE = Rule(
    id="PLC006",
    name="ReplacedBeforeRead",
    severity=Severity.ERROR,
    summary="A result was replaced in the very first request after it came",
    why=(
        "The trace shows a successful read, and no model call was ever given the text. A budget "
        "that folds the newest result first makes an agent blind to what it just asked for."
    ),
    silent=(
        "For reads that failed; for results that were refused, cut or saved to a file as they "
        "came, which the model was told and other rules tell; where the model speaks behind the "
        "result already, in a call that is not in the record; when the grade is unknown or the "
        "record does not hold the text."
    ),
    check=check,
    passing=lambda: _told(at_once=False),
    failing=lambda: _told(at_once=True),
)
