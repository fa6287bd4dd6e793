"""PLC005: what the task is was taken out of the request that answers it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from reviewer.audit.residency import Residency
from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.settings import Parameter
from reviewer.audit.view import AuditView
from store.records.findings import Finding, PlaceholderKind, Severity, Where
from store.records.grades import Grade
from store.records.runs import PartKind, Run

INPUTS = Parameter(
    "inputs",
    (),
    meaning="shell patterns on source ids (case kept) that belong to the task and must stay",
)
_TOLD = {PlaceholderKind.REFUSED, PlaceholderKind.TRUNCATED}


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each input of the task that the closing request no longer holds."""
    yield from _asked(view)
    for fact in view.placeholders:
        patterns = view.settings.value(RULE.id, INPUTS)
        named = any(fnmatchcase(fact.source_id, pattern) for pattern in patterns)
        if named and fact.kind not in _TOLD and not fact.reread_whole:
            yield finding(
                RULE.id,
                RULE.severity,
                fact.grade,
                f"{fact.source_id} belongs to the task and was {fact.kind}",
                Where(
                    call=fact.first_call,
                    source_id=fact.source_id,
                    tool_call_id=fact.tool_call_id,
                ),
                fact.source_id,
                fact.tool_call_id,
            )


def _asked(view: AuditView) -> Iterator[Finding]:
    """Yield a finding where the question of the last turn is gone and no summary stands for it."""
    run, closing = view.run, view.requests.closing_call
    if not 0 < closing <= len(run.calls) or run.calls[closing - 1].grade is Grade.UNKNOWN:
        return
    residency = Residency(run.calls, len(run.messages))
    begins = max((a.call for a in run.answers if a.call < closing), default=0) + 1
    came = (message for splice in run.calls[begins - 1].splices for message in splice.messages)
    asked = [m for m in came if _is_new(run, residency, m, begins)]
    if not asked or any(residency.holds(closing, message) for message in asked):
        return
    held = [m for m in range(len(run.messages)) if residency.holds(closing, m)]
    if _is_summed_up(run, held) or any(_is_said_again(run, m, held) for m in asked):
        return
    last = residency.last_before(asked, closing)
    yield finding(
        RULE.id,
        RULE.severity,
        run.calls[closing - 1].grade,
        f"the question that came with call {begins} is not in the request of call {closing} that "
        f"answers it; it stood there up to call {last}",
        Where(call=closing),
        "question",
        sum(answer.call < closing for answer in run.answers),
    )


def _is_new(run: Run, residency: Residency, message: int, call: int) -> bool:
    """Whether a person's message came with *call*."""
    found = run.messages[message]
    asks = found.role == "user" and any(part.kind is PartKind.TEXT for part in found.parts)
    return asks and residency.first(message) == call


def _is_summed_up(run: Run, held: Sequence[int]) -> bool:
    """Whether a summary stands in a request; it is to say what the task is."""
    return any(part.kind is PartKind.SUMMARY for m in held for part in run.messages[m].parts)


def _is_said_again(run: Run, question: int, held: Sequence[int]) -> bool:
    """Whether the words of a message stand in another message of a request."""
    words = [p.text.strip() for p in run.messages[question].parts if p.kind is PartKind.TEXT]
    texts = [part.text for message in held for part in run.messages[message].parts]
    return all(any(word in text for text in texts) for word in words if word)


def _told(*, dropped: bool) -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    story.think()
    if dropped:
        story.forget_question()
    return story.answer()


RULE = Rule(
    id="PLC005",
    name="TaskInputCleared",
    severity=Severity.WARNING,
    summary="The question, or what was given with the task, is not in the request of the answer",
    why=(
        "A model that no longer has its task answers what it remembers of it. Windows that slide "
        "and tools that clear the oldest first take exactly this away."
    ),
    silent=(
        "When a summary stands in the request, when the words stand there in another message, and "
        "where the grade is unknown. Sources count only where reread.toml names them as inputs."
    ),
    check=check,
    passing=lambda: _told(dropped=False),
    failing=lambda: _told(dropped=True),
    parameters=(INPUTS,),
)
