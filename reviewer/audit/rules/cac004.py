"""CAC004: the provider's cache gave less than what the record shows as unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reviewer.audit.moments import seconds_between
from reviewer.audit.rules._prefix import LONG, told
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.settings import Parameter
from reviewer.audit.view import AuditView
from store.records.bills import CallBill
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import Call, PartKind, Run, Usage

_LEAST = Parameter(
    "least_tokens",
    4096,
    meaning="tokens that were in the cache and were not read from it; less is no finding",
    minimum=0,
)
_SECONDS = Parameter(
    "cache_seconds",
    240,
    meaning="seconds after which a cache may have been given up, so that its loss says nothing",
    minimum=0,
)
_HALF = 0.5
_SHOWN = 6


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for a run with calls that lost their cache without a recorded reason."""
    found = [call for call in view.bill.calls if _is_unexplained(view, call)]
    if not found:
        return
    first = found[0]
    shown = ", ".join(str(call.call) for call in found[:_SHOWN])
    more = len(found) - _SHOWN
    yield finding(
        RULE.id,
        RULE.severity,
        Grade.weakest(*(call.grade for call in found)),
        f"in {len(found)} of {len(view.bill.calls)} calls "
        f"({f'{shown}, … (+{more})' if more > 0 else shown}) the provider read far less from its "
        f"cache than the call before had left there: {first.usage.cache_read_tokens} of "
        f"{_left(first)} tokens in call {first.call}; the record shows no change before that "
        "place, so something changed that is not in the record, or the cache was lost",
        Where(call=first.call),
        first.call,
    )


def _left(call: CallBill) -> int:
    return (call.cache_lost or 0) + (call.usage.cache_read_tokens or 0)


def _is_unexplained(view: AuditView, call: CallBill) -> bool:
    """Whether a cache was lost in time, and the record shows no reason."""
    lost = call.cache_lost or 0
    least = view.settings.value(RULE.id, _LEAST)
    if call.broken or not lost or lost < least or lost < _HALF * _left(call):
        return False
    before, now = view.run.calls[call.call - 2], view.run.calls[call.call - 1]
    passed = seconds_between(before.at, now.at)
    same = before.model == now.model and not (before.error or now.error)
    in_time = passed is not None and 0 <= passed <= view.settings.value(RULE.id, _SECONDS)
    return same and in_time and bool(call.usage.cache_read_tokens) and not _is_turn(view, now)


def _is_turn(view: AuditView, call: Call) -> bool:
    """Whether a user said something since the call before: clients then drop old reasoning."""
    come = (view.run.messages[m] for splice in call.splices for m in splice.messages)
    return any(
        message.role == "user" and any(part.kind is PartKind.TEXT for part in message.parts)
        for message in come
    )


def _run(read: int) -> Run:
    held = [("user", "question"), ("assistant", LONG)]
    run = told(held, [*held, ("tool", "result")])
    usages = (Usage(9000, 10, 0, 9000), Usage(9100, 10, read, 9100 - read))
    times = ("2026-10-27T10:00:00Z", "2026-10-27T10:00:09Z")
    calls = (
        replace(call, usage=usage, at=at)
        for call, usage, at in zip(run.calls, usages, times, strict=True)
    )
    return replace(run, calls=tuple(calls))


RULE = Rule(
    id="CAC004",
    name="CacheLostUnexplained",
    severity=Severity.NOTE,
    summary="The provider read far less from its cache than the record would let expect",
    why=(
        "A provider reads from its cache only what begins like a request before. Where it suddenly "
        "reads little, the request was not the one that the record shows: clients that clear old "
        "results without a trace are seen by this sign alone."
    ),
    silent=(
        "When the usage does not report what was read from and written to the cache; when the "
        "record shows what changed (then other CAC rules speak); when more than cache_seconds "
        "passed, the times are not recorded, or a call failed; when less than half of the cache, "
        "or less than least_tokens, was lost; when nothing at all was read from it, not even the "
        "system text; when a user spoke in between, since clients then drop old reasoning; between "
        "conversations."
    ),
    check=check,
    passing=lambda: _run(9000),
    failing=lambda: _run(800),
    parameters=(_LEAST, _SECONDS),
)
