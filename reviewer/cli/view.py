"""``reread view``: exactly what the model was given in one call, with origins."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from reviewer.cli._auditing import Account
from reviewer.cli._command import Command, Context, UsageError
from reviewer.cli._exit import Exit
from reviewer.cli._runs import add_run_option, asked, chosen, first_two
from reviewer.display import one_line, visible
from reviewer.reports import reference
from store.records.findings import Audit, CallFacts, Delivery
from store.records.runs import ContextEdit, Message, Part

__all__ = ["COMMAND"]

_DELIVERIES = 12
"""Pieces of versions listed for one part without ``--all``; their text is always whole."""


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a run folder, a trace file, or -")
    parser.add_argument(
        "--call", metavar="N", type=int, required=True, help="the model call, counted from 1"
    )
    add_run_option(parser)
    parser.add_argument("--store", metavar="DIR", help="a store with evidence that lies elsewhere")
    parser.add_argument("--raw", action="store_true", help="print the text of the parts only")
    parser.add_argument("--all", action="store_true", help="shorten no list of deliveries")


def _run(args: Namespace, context: Context) -> int:
    account = Account(context.output, only_lost=True)
    found = context.services.audit([args.path], args.store, only=args.run_id)
    audits = first_two(account.audits(asked(found, [args.path], args.run_id)))
    if not account.audited:
        return account.status([args.path])
    audit = chosen(audits, args.run_id)
    count = len(audit.run.calls)
    if not 1 <= args.call <= count:
        raise UsageError(f"--call {args.call}: this run has the calls 1 to {count}")
    if args.raw:
        lines = _raw(audit, args.call)
    else:
        lines = _request(audit, args.call, None if args.all else _DELIVERIES)
    account.concerning([*account.problems, *audit.run.problems], _given(audit, args.call))
    context.output.lines(lines)
    return Exit.UNDECIDED if account.lost else Exit.OK


def _given(audit: Audit, index: int) -> set[str]:
    """Return the sources of which the request holds something."""
    held = set(audit.run.request(index))
    return {piece.version.source_id for piece in audit.deliveries if piece.message in held}


def _raw(audit: Audit, index: int) -> Iterator[str]:
    for number in audit.run.request(index):
        for part in audit.run.messages[number].parts:
            yield visible(part.text)


def _request(audit: Audit, index: int, limit: int | None) -> Iterator[str]:
    request = audit.run.request(index)
    held = set(request)
    pieces: dict[tuple[int, int], list[Delivery]] = {}
    for piece in audit.deliveries:
        if piece.message in held:
            pieces.setdefault((piece.message, piece.part), []).append(piece)
    yield from _head(audit, index, len(request))
    for place, number in enumerate(request):
        message = audit.run.messages[number]
        yield ""
        yield f"── message {place} · {one_line(message.role)} · {_origin(message)} "
        for order, part in enumerate(message.parts):
            yield _part_line(order, part)
            yield from _deliveries(audit, pieces.get((number, order), []), limit)
            yield from _guarded(part.text)


def _guarded(text: str) -> Iterator[str]:
    """Yield *text* behind a bar, so that no line of it can pass for one of our own."""
    for line in visible(text).split("\n") if text else ():
        yield f"   │ {line}"


def _origin(message: Message) -> str:
    return one_line(message.origin) or "origin not recorded"


def _head(audit: Audit, index: int, messages: int) -> Iterator[str]:
    run, call = audit.run, audit.run.calls[index - 1]
    yield one_line(f"Run {run.run_id} · {run.path} · {run.format} · layer {run.layer.value}")
    model = f" · {call.model}" if call.model else ""
    yield one_line(f"Request of call {index} of {len(run.calls)}{model} · {messages} messages")
    reason = f": {call.grade_reason}" if call.grade_reason else ""
    yield one_line(f"Grade {call.grade.value}{reason}")
    yield from _tokens(audit.calls[index - 1])
    for edit in run.edits:
        if edit.before_call == index:
            yield one_line(_edit(edit))
    if call.error:
        yield one_line(f"This call ended in an error: {call.error}")


def _edit(edit: ContextEdit) -> str:
    """Say what was changed in the request, by whom, and how far that is proven."""
    by = f" by {edit.by}" if edit.by else ""
    names = f" of {', '.join(edit.tool_call_ids)}" if edit.tool_call_ids else ""
    reason = f": {edit.reason}" if edit.reason else ""
    return f"Changed{by} ({edit.kind.value}{names}; {edit.grade.value}){reason}"


def _tokens(facts: CallFacts) -> Iterator[str]:
    """Say how many tokens are in sight and how many the record reports beyond them."""
    estimated, reported = facts.tokens.estimated, facts.tokens.reported_input
    if estimated is None and reported is None:
        return
    text = "tokens not counted"
    if estimated is not None:
        text = f"about {estimated} tokens of text ({facts.tokens.encoding})"
    if reported is None:
        yield f"Input: {text}; the record reports none"
        return
    text += f"; reported {reported}"
    if estimated is not None:
        text += f"; unaccounted {reported - estimated}"
        text += " (system text, tool definitions, overhead, or input that is not in the record)"
    yield f"Input: {text}"


def _part_line(order: int, part: Part) -> str:
    facts = [f"part {order}", part.kind.value]
    facts += [part.name] if part.name else []
    facts += [f"tool call {part.tool_call_id}"] if part.tool_call_id else []
    facts += [f"status {part.status}"] if part.status else []
    facts += [f"source {part.source_id}"] if part.source_id else []
    facts += [f"{part.opaque_bytes} bytes that are no text"] if part.opaque_bytes else []
    facts.append(f"{len(part.text)} characters")
    return one_line(f"   {' · '.join(facts)}")


def _deliveries(audit: Audit, found: list[Delivery], limit: int | None) -> Iterator[str]:
    units = {facts.version.key: facts.unit for source in audit.sources for facts in source.versions}
    for piece in found[:limit]:
        key = piece.version
        unit = units.get(key)
        place = f"{key.source_id}@{key.version_id}"
        if unit is not None:
            place = reference(key.source_id, key.version_id, piece.span, unit, None)
        inside = f"characters {piece.message_span.start}:{piece.message_span.end}"
        yield one_line(f"   = {place} · {piece.form.value} · {inside} · found by {piece.address}")
    if limit is not None and len(found) > limit:
        yield f"   = … {len(found) - limit} more of {len(found)}; --all shows them"


COMMAND = Command("view", "print what the model was given in one call", _configure, _run)
