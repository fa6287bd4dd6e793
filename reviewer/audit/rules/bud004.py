"""BUD004: the same text was read again and again."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.settings import Parameter
from reviewer.audit.view import AuditView
from store.records.bills import Repeat
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run
from store.records.text import Unit

_TIMES = Parameter(
    "times", 3, meaning="how often the same text must have come to be a finding", minimum=2
)
_LEAST_CHARS = Parameter(
    "least_chars", 200, meaning="characters; shorter text that came again is no finding", minimum=0
)


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each version of which some text came too often."""
    for repeat in view.bill.repeats:
        source = repeat.version.source_id
        enough = repeat.times >= view.settings.value(RULE.id, _TIMES, source)
        least = view.settings.value(RULE.id, _LEAST_CHARS, source)
        if enough and repeat.grade is not Grade.UNKNOWN and _chars(repeat) >= least:
            yield _finding(repeat)


def _chars(repeat: Repeat) -> int:
    """Return how long the most repeated text is; lines and blocks are taken for long enough."""
    if repeat.unit is not Unit.CHAR:
        return 10**9
    return sum(span.length for span in repeat.spans_most)


def _finding(repeat: Repeat) -> Finding:
    source = repeat.version.source_id
    place = " ".join(f"[{span.start}:{span.end}]" for span in repeat.spans_most[:2])
    if repeat.unit is not Unit.CHAR:
        place = f"{repeat.unit.value}s {place}"
    more = len(repeat.spans_most) - 2
    place += f" (+{more})" if more > 0 else ""
    calls = ", ".join(map(str, repeat.calls))
    message = f"{source} {place} came {repeat.times} times, in calls {calls}"
    if repeat.standing:
        message += f"; {repeat.standing} of the reads asked for what stood in the request already"
    if repeat.paid_tokens:
        message += f"; the copies cost about {repeat.paid_tokens} tokens over the run"
    where = Where(call=repeat.calls[-1], source_id=source, tool_call_id=repeat.tool_call_ids[-1])
    return finding(
        RULE.id,
        RULE.severity,
        repeat.grade,
        message,
        where,
        source,
        repeat.version.version_id,
        repeat.spans_most[0].start,
    )


def _run(times: int) -> Run:
    story = Story()
    story.document("notice", NOTICE * 3)
    for number in range(times):
        story.read("notice", id=f"read-{number}")
    return story.answer()


RULE = Rule(
    id="BUD004",
    name="SameTextReadAgain",
    severity=Severity.NOTE,
    summary="The same text of the same version was read again and again",
    why=(
        "Each copy is paid for in every later request. It also shows that the model lost its way, "
        "or that a client takes results away faster than they are used."
    ),
    silent=(
        "When the text came less often than times, or is shorter than least_chars; when the "
        "source changed in between (another version); for previews, for the head that a "
        "placeholder kept, for text that a search quotes; when the grade is unknown."
    ),
    check=check,
    passing=lambda: _run(2),
    failing=lambda: _run(4),
    parameters=(_TIMES, _LEAST_CHARS),
)
