"""PAI004: a result stands before the tool call that asked for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import PartKind, Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each result that stands before its tool call in some request."""
    run = view.run
    told: set[str] = set()
    for index, request in _orders(run):
        call = run.calls[index - 1]
        if call.error or call.grade is Grade.UNKNOWN:
            continue
        for id_, name in _reversed(run, request):
            if id_ not in told:
                told.add(id_)
                yield finding(
                    RULE.id,
                    RULE.severity,
                    call.grade,
                    f"in the request of call {index} the result of {name or 'a tool'} stands "
                    "before its tool call",
                    Where(call=index, tool_call_id=id_),
                    id_,
                )


def _orders(run: Run) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield calls with their requests, so that each order that requests ever had is among them.

    What is only added at the end keeps the order of the request before.
    """
    wanted = _rearranged(run)
    if wanted:
        wanted.add(len(run.calls))
        yield from zip(sorted(wanted), run.requests(wanted), strict=True)
    elif run.calls:
        added = (message for call in run.calls for s in call.splices for message in s.messages)
        yield len(run.calls), tuple(added)


def _rearranged(run: Run) -> set[int]:
    """Return the calls before and at which messages were put elsewhere than at the end.

    To leave messages out, or to put others in their place, changes no order.
    """
    wanted: set[int] = set()
    held: list[int] = []
    for call in run.calls:
        for splice in reversed(call.splices):
            inside = splice.start < len(held)
            before = held[splice.start : splice.stop]
            if inside and not _keeps_order(run, before, splice.messages):
                wanted |= {call.index, call.index - 1}
            held[splice.start : splice.stop] = splice.messages
    return wanted - {0}


def _keeps_order(run: Run, before: Sequence[int], after: Sequence[int]) -> bool:
    """Whether what is paired in *after* stood in *before* too, in the same order."""
    left = iter(_paired(run, before))
    return all(each in left for each in _paired(run, after))


def _paired(run: Run, messages: Sequence[int]) -> list[tuple[PartKind, str]]:
    return [
        (part.kind, part.tool_call_id)
        for message in messages
        for part in run.messages[message].parts
        if part.tool_call_id
    ]


def _reversed(run: Run, request: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    """Yield id and tool of each result whose tool call comes only after it."""
    early: dict[str, str] = {}
    called: set[str] = set()
    for message in request:
        for part in run.messages[message].parts:
            id_ = part.tool_call_id
            if part.kind is PartKind.TOOL_RESULT and id_ not in called:
                early.setdefault(id_, part.name)
            elif part.kind is PartKind.TOOL_CALL and id_:
                called.add(id_)
                if id_ in early:
                    yield id_, early.pop(id_)


def _told(*, turned: bool) -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    if turned:
        story.turn("read-1")
    return story.answer()


RULE = Rule(
    id="PAI004",
    name="ResultBeforeToolCall",
    severity=Severity.WARNING,
    summary="A result stands before the tool call that asked for it",
    why=(
        "A conversation that was put together in the wrong order is not the one the model took "
        "part in, and most providers refuse it."
    ),
    silent=(
        "Where the tool call stands nowhere in the request, which is PAI002; for a request that "
        "failed or whose grade is unknown."
    ),
    check=check,
    passing=lambda: _told(turned=False),
    failing=lambda: _told(turned=True),
)
