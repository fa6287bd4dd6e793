"""Where the request of an Anthropic call is not what the model read, and by which rule.

Only what a response reports counts: a clearing that was asked for and not
applied changes nothing.  Of clearings it reports how many, not which: the
oldest first, without the last ``keep`` and without excluded tools; of thinking
the oldest turns that hold any.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from store.importers._wire import Edit, Exchange, Turn, count, items, mapping, members, string
from store.records.grades import Grade
from store.records.runs import EditKind, Part, PartKind

__all__ = ["apply_edits", "drop_named"]

_KEEP: Final = 3
_PATH: Final = re.compile(r"messages\.([0-9]{1,6})\.content\.([0-9]{1,6})")


def drop_named(turns: list[Turn], transformations: object) -> list[Turn] | None:
    """Return *turns* without the blocks that the response names as dropped; ``None`` for none."""
    gone: set[tuple[int, int]] = set()
    for each in members(transformations):
        found = _PATH.fullmatch(string(each.get("path")))
        if found and string(each.get("type")).endswith("dropped"):
            gone.add((int(found[1]), int(found[2])))
    if not gone:
        return None
    return [
        replace(turn, parts=tuple(p for n, p in enumerate(turn.parts) if (at, n) not in gone))
        for at, turn in enumerate(turns)
    ]


def apply_edits(
    exchange: Exchange, request: Mapping[str, object], response: Mapping[str, object]
) -> None:
    """Take out of the request what the response says was cleared."""
    applied = mapping(response.get("context_management")).get("applied_edits")
    asked = {
        string(edit.get("type")): edit
        for edit in members(mapping(request.get("context_management")).get("edits"))
    }
    for edit in members(applied):
        kind = string(edit.get("type"))
        if kind.startswith("clear_tool_uses"):
            _clear(exchange, edit, asked.get(kind, {}))
        elif kind.startswith("clear_thinking"):
            _clear_thinking(exchange, count(edit.get("cleared_thinking_turns")) or 0)
        else:
            reason = f"the service applied an edit of type {kind or '?'}, which is not known here"
            exchange.doubt(Grade.UNKNOWN, reason)


def _clear(exchange: Exchange, edit: Mapping[str, object], asked: Mapping[str, object]) -> None:
    turns = exchange.sent if exchange.read is None else exchange.read
    number = count(edit.get("cleared_tool_uses")) or 0
    if not number:
        return
    uses = list(_uses(turns))
    excluded = {string(name) for name in items(asked.get("exclude_tools"))}
    eligible = [call_id for call_id, name in uses if name not in excluded]
    keep = count(mapping(asked.get("keep")).get("value"))
    keep = _KEEP if keep is None else keep
    gone = eligible[:number]
    tokens = edit.get("cleared_input_tokens")
    reason = (
        f"the service cleared {number} tool results ({tokens} tokens) before the model read this "
        "request; which ones follows from its rule: the oldest first, without those it keeps"
    )
    if number > len(eligible):
        what = f"the service cleared {number} tool results, and {len(eligible)} could be cleared"
        exchange.doubt(Grade.UNKNOWN, what)
    elif number > max(len(eligible) - keep, 0) and asked.get("keep") is not None:
        what = (
            f"the service cleared {number} tool results although it was to keep {keep} of "
            f"{len(eligible)}; which ones is not certain"
        )
        exchange.doubt(Grade.UNKNOWN, what)
    else:
        exchange.doubt(Grade.INFERRED, reason)
    inputs = bool(asked.get("clear_tool_inputs"))
    exchange.read = [_cleared(turn, frozenset(gone), inputs=inputs) for turn in turns]
    exchange.edits.append(Edit(EditKind.CLEAR, tuple(gone), Grade.INFERRED, reason))


def _clear_thinking(exchange: Exchange, number: int) -> None:
    if not number:
        return
    turns = exchange.sent if exchange.read is None else exchange.read
    thinking = [at for at, turn in enumerate(turns) if any(map(_is_thought, turn.parts))]
    if number > len(thinking):
        what = f"the service cleared the thinking of {number} turns, and {len(thinking)} hold any"
        exchange.doubt(Grade.UNKNOWN, what)
        return
    reason = (
        f"the service cleared the thinking of {number} turns before the model read this request; "
        "which ones follows from its rule: the oldest first"
    )
    gone = set(thinking[:number])
    exchange.read = [
        replace(turn, parts=tuple(p for p in turn.parts if at not in gone or not _is_thought(p)))
        for at, turn in enumerate(turns)
    ]
    exchange.edits.append(Edit(EditKind.CLEAR, (), Grade.INFERRED, reason))
    exchange.doubt(Grade.INFERRED, reason)


def _is_thought(part: Part) -> bool:
    return part.kind is PartKind.REASONING or part.name == "redacted_thinking"


def _uses(turns: list[Turn]) -> Iterator[tuple[str, str]]:
    """Yield id and tool of each tool call that has its result in the request."""
    answered = {
        part.tool_call_id
        for turn in turns
        for part in turn.parts
        if part.kind is PartKind.TOOL_RESULT
    }
    for turn in turns:
        for part in turn.parts:
            if part.kind is PartKind.TOOL_CALL and part.tool_call_id in answered:
                yield part.tool_call_id, part.name


def _cleared(turn: Turn, gone: frozenset[str], *, inputs: bool) -> Turn:
    """Return *turn* without the text of cleared results: what stood there is not published."""
    kinds = {PartKind.TOOL_RESULT, *([PartKind.TOOL_CALL] if inputs else ())}

    def emptied(part: Part) -> Part:
        return replace(part, text="", opaque_bytes=0)

    parts = (
        emptied(part) if part.tool_call_id in gone and part.kind in kinds else part
        for part in turn.parts
    )
    return replace(turn, parts=tuple(parts))
