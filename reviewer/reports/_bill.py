"""The bill of a run in words and as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from store.records.bills import (
    Bill,
    BillKind,
    CallBill,
    Change,
    PrefixBreak,
    Repeat,
    Saving,
)
from store.records.text import Span

__all__ = ["bill_rows", "bill_sentences", "bill_summary", "break_words", "repeat_words"]


# -- words ---------------------------------------------------------------------------------


def bill_sentences(bill: Bill) -> Iterator[str]:
    """Yield what a run cost, a sentence or two for each thing worth saying."""
    if not bill.calls:
        return
    if not bill.encoding:
        yield "Tokens were not counted here; reread bill counts them, call by call."
        return
    yield _estimate(bill)
    yield _reported(bill)
    yield from _unproven(bill)
    yield from _saved(bill)
    yield from _again(bill)
    yield from _prefixes(bill)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _estimate(bill: Bill) -> str:
    last, requests = bill.calls[-1], len(bill.calls)
    results = last.by_kind.get(BillKind.TOOL_RESULT, 0)
    text = (
        f"Estimated with {bill.encoding}: the last request holds "
        f"{_count(last.resident or 0, 'token')} of text, {results:,} of them tool results."
    )
    if requests == 1:
        return text
    return (
        f"{text} All {requests} requests together hold {bill.cumulative:,}: {bill.new:,} were sent "
        f"for the first time, {bill.cumulative - bill.new:,} again."
    )


def _reported(bill: Bill) -> str:
    held = bill.reported
    calls = len(bill.calls)
    if not held:
        return "The record reports no input tokens, so the estimate stands alone."
    total = sum(call.usage.input_tokens or 0 for call in held)
    text = f"Reported input: {_count(total, 'token')}"
    if len(held) < calls:
        text += f" over {len(held)} of {calls} calls; what the others used is not known"
    cached = [c.usage.cache_read_tokens for c in held if c.usage.cache_read_tokens is not None]
    if cached:
        text += f" ({sum(cached):,} of it read from the provider's cache)"
    beside = [call for call in held if call.unaccounted is not None]
    if not beside:
        return f"{text}."
    unaccounted = sum(call.unaccounted or 0 for call in beside)
    more = "more" if unaccounted >= 0 else "fewer"
    text += f", {abs(unaccounted):,} {more} than the text in sight of these calls"
    small = [call.call for call in beside if call.holds is False]
    if small:
        text += f"; in {_count(len(small), 'call')} they cannot hold it ({_calls(small)})"
    if unaccounted >= 0:
        text += (
            ". The difference is tool definitions, overhead, input that is not in the record, and "
            "another tokenizer"
        )
    return f"{text}."


def _unproven(bill: Bill) -> Iterator[str]:
    if bill.unproven:
        tokens = sum(call.resident or 0 for call in bill.unproven)
        yield (
            f"{len(bill.unproven)} of {len(bill.calls)} requests cannot be billed as fact: the "
            f"record does not prove what they held (grade unknown). Their {tokens:,} estimated "
            "tokens count the text shown for them."
        )


def _saved(bill: Bill) -> Iterator[str]:
    taken, out = bill.saved(kept_out=False), bill.saved(kept_out=True)
    if taken:
        tokens = _sum(taken)
        told = _count(abs(tokens), "token")
        did = f"saved about {told} over" if tokens >= 0 else f"added about {told} to"
        yield (
            f"Taking {_count(len(taken), 'result')} away {did} the requests that followed (grade "
            f"{_grades(taken)})."
        )
    if out:
        yield (
            f"{_count(len(out), 'result')} never stood whole in a request (refused, cut or stored "
            f"elsewhere), which {_kept_out(_sum(out))} (grade {_grades(out)})."
        )
    if bill.unmeasured:
        yield (
            f"What {_count(bill.unmeasured, 'more result')} saved cannot be told: when, or in "
            "place of what, is not recorded."
        )


def _kept_out(tokens: int) -> str:
    """Return what it came to: what stands in place of a short result may be longer than it."""
    told = _count(abs(tokens), "token")
    return f"kept about {told} out" if tokens >= 0 else f"added about {told}"


def _sum(savings: Iterable[Saving]) -> int:
    return sum(one.tokens for one in savings)


def _grades(found: Iterable[Saving | Repeat | PrefixBreak]) -> str:
    ranked = sorted({one.grade for one in found}, key=lambda grade: -grade.rank)
    return " or ".join(grade.value for grade in ranked)


def _again(bill: Bill) -> Iterator[str]:
    if not bill.repeats:
        return
    once = sum(one.tokens or 0 for one in bill.repeats)
    paid = sum(one.paid_tokens or 0 for one in bill.repeats)
    text = (
        f"Text of {_count(len(bill.repeats), 'version')} was read again: about "
        f"{_count(once, 'token')}, {paid:,} over the requests that held the copies"
    )
    needless = sum(one.standing for one in bill.repeats)
    if needless:
        text += f"; {_count(needless, 'read')} asked for what stood in the request already"
    yield f"{text} (grade {_grades(bill.repeats)})."


def _prefixes(bill: Bill) -> Iterator[str]:
    breaks = [call.broken for call in bill.broken if call.broken]
    if breaks:
        again = sum(broken.resent_bytes for broken in breaks)
        yield (
            f"The prefix shared with the call before broke in {_count(len(breaks), 'call')} "
            f"({_calls([call.call for call in bill.broken])}): {_count(again, 'byte')} that had "
            f"been sent were sent again behind the change (grade {_grades(breaks)})."
        )


_SHOWN = 12


def _calls(calls: list[int]) -> str:
    shown = ", ".join(map(str, calls[:_SHOWN]))
    more = len(calls) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


_CHANGES = {
    Change.MODEL: "another model was asked",
    Change.TOOLS: "the tools on offer changed",
    Change.SYSTEM: "the system text changed",
    Change.RESULT: "another text stands for a result",
    Change.REPLACED: "a message was rewritten",
    Change.INSERTED: "a message was put in before others",
    Change.REMOVED: "a message was taken out",
    Change.MOVED: "messages changed their order",
}


def break_words(broken: PrefixBreak) -> str:
    """Return where a prefix broke and by what, in one sentence without its full stop."""
    what = _CHANGES[broken.change]
    if broken.change is Change.RESULT and broken.results:
        kinds = " or ".join(kind.value for kind in broken.kinds)
        what = f"the result of {broken.results[0]} was {kinds or 'replaced'}"
        more = len(broken.results) - 1
        what += f", and {_count(more, 'more result')}" if more else ""
    others = [_CHANGES[change] for change in broken.changes[1:]]
    return (
        f"prefix broken at byte {broken.byte:,} of {broken.before_bytes:,}: {what} "
        f"(message {broken.message}: “{broken.was}” → “{broken.now}”)"
        + (f"; further on, {' and '.join(others)}" if others else "")
        + f"; {broken.resent_bytes:,} bytes behind it were sent before"
    )


def repeat_words(repeat: Repeat) -> str:
    """Return what came more than once, how often and at what cost."""
    places = " ".join(f"[{span.start}:{span.end}]" for span in repeat.spans_most[:3])
    more = len(repeat.spans_most) - 3
    text = (
        f"{repeat.version.source_id} {repeat.unit.value}s {places}"
        f"{f' and {more} more' if more > 0 else ''}: came {repeat.times} times, in "
        f"{'call' if len(repeat.calls) == 1 else 'calls'} {_calls(list(repeat.calls))}"
    )
    if repeat.standing:
        text += f"; {repeat.standing} asked for while it stood in the request"
    if repeat.tokens is not None:
        text += f"; the copies hold about {repeat.tokens:,} tokens, paid {repeat.paid_tokens:,}"
    return f"{text} (grade {repeat.grade.value})"


# -- values --------------------------------------------------------------------------------


def bill_rows(bill: Bill) -> list[dict[str, object]]:
    """Return the bill call by call; ``None`` stands for what was not counted or reported."""
    return [_row(call, counted=bool(bill.encoding)) for call in bill.calls]


def _row(call: CallBill, *, counted: bool) -> dict[str, object]:
    usage = call.usage
    return {
        "call": call.call,
        "grade": call.grade.value,
        "resident_tokens": call.resident,
        "cumulative_tokens": call.cumulative,
        "tool_result_tokens": call.by_kind.get(BillKind.TOOL_RESULT, 0) if counted else None,
        "cumulative_tool_result_tokens": (
            call.cumulative_by_kind.get(BillKind.TOOL_RESULT, 0) if counted else None
        ),
        "by_kind": {kind.value: tokens for kind, tokens in call.by_kind.items()},
        "cumulative_by_kind": {k.value: tokens for k, tokens in call.cumulative_by_kind.items()},
        "new_tokens": call.new,
        "new_reading_tokens": call.new_reading,
        "reported_input": usage.input_tokens,
        "reported_output": usage.output_tokens,
        "reported_cache_read": usage.cache_read_tokens,
        "reported_cache_write": usage.cache_write_tokens,
        "cache_lost_tokens": call.cache_lost,
        "unaccounted_tokens": call.unaccounted,
        "reported_holds_text": call.holds,
        "opaque_parts": call.opaque_parts,
        "opaque_bytes": call.opaque_bytes,
        "shared_prefix_bytes": call.shared_prefix_bytes,
        "continues": call.continues,
        "prefix_break": _break(call.broken) if call.broken else None,
    }


def _break(broken: PrefixBreak) -> dict[str, object]:
    return {
        "changes": [change.value for change in broken.changes],
        "byte": broken.byte,
        "before_bytes": broken.before_bytes,
        "message": broken.message,
        "part": broken.part,
        "role": broken.role,
        "was": broken.was,
        "now": broken.now,
        "results": list(broken.results),
        "kinds": [kind.value for kind in broken.kinds],
        "resent_tokens": broken.resent_tokens,
        "resent_bytes": broken.resent_bytes,
        "grade": broken.grade.value,
    }


def bill_summary(bill: Bill) -> dict[str, object]:
    """Return what stands beside the calls: totals, savings and repeats."""
    counted = bool(bill.encoding)
    return {
        "encoding": bill.encoding,
        "resident_last": bill.calls[-1].resident if bill.calls else None,
        "cumulative_tokens": bill.cumulative if counted else None,
        "new_tokens": bill.new if counted else None,
        "calls": len(bill.calls),
        "calls_with_reported_input": len(bill.reported),
        "calls_not_proven": [call.call for call in bill.unproven],
        "savings": [_saving(one) for one in bill.savings],
        "results_without_known_saving": bill.unmeasured,
        "repeats": [_repeat(one) for one in bill.repeats],
    }


def _saving(one: Saving) -> dict[str, object]:
    return {
        "tool_call_id": one.tool_call_id,
        "tool": one.tool,
        "source_id": one.source_id or None,
        "kind": one.kind.value,
        "grade": one.grade.value,
        "first_call": one.first_call,
        "calls": one.calls,
        "original_tokens": one.original_tokens,
        "stand_in_tokens": one.stand_in_tokens,
        "saved_tokens": one.tokens,
        "kept_out": one.kept_out,
    }


def _repeat(one: Repeat) -> dict[str, object]:
    return {
        "source_id": one.version.source_id,
        "version_id": one.version.version_id,
        "unit": one.unit.value,
        "spans": _spans(one.spans),
        "spans_most": _spans(one.spans_most),
        "times": one.times,
        "calls": list(one.calls),
        "tool_call_ids": list(one.tool_call_ids),
        "standing": one.standing,
        "grade": one.grade.value,
        "repeated_tokens": one.tokens,
        "paid_tokens": one.paid_tokens,
    }


def _spans(spans: Iterable[Span]) -> list[list[int]]:
    return [[span.start, span.end] for span in spans]
