"""The words that stand above the parts of a message, and those of a placeholder."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.display import one_line
from reviewer.window.i18n import tr, trn
from reviewer.window.presenters.changes import Change
from reviewer.window.presenters.words import (
    grade_word,
    part_kind_word,
    placeholder_word,
    recorded_word,
)
from store.records.findings import PlaceholderFacts
from store.records.runs import Message, Part

__all__ = ["message_words", "part_words", "placeholder_words"]


def message_words(message: Message, place: int, change: Change) -> str:
    """Return the heading of a message: what became of it, its place, role and origin."""
    sign = {
        Change.ADDED: tr("+ added · "),
        Change.REMOVED: tr("− removed · "),
        Change.REPLACED: tr("± replaced in place · "),
    }.get(change, "")
    origin = message.origin or tr("origin not recorded")
    return tr(
        "── {sign}message {place} · {role} · {origin} ──",
        sign=sign,
        place=place,
        role=recorded_word(message.role),
        origin=origin,
    )


def part_words(order: int, part: Part) -> str:
    """Return the heading of a part: its order, kind and what the record says of it."""
    return "   " + " · ".join(_part_facts(order, part))


def _part_facts(order: int, part: Part) -> Iterator[str]:
    yield tr("part {order}", order=order)
    yield part_kind_word(part.kind)
    if part.name:
        yield part.name
    if part.tool_call_id:
        yield tr("tool call {id}", id=part.tool_call_id)
    if part.status:
        yield tr("status {status}", status=recorded_word(part.status))
    if part.source_id:
        yield tr("source {id}", id=part.source_id)
    if part.opaque_bytes:
        yield trn("{n} byte that is no text", "{n} bytes that are no text", part.opaque_bytes)
    yield trn("{n} character", "{n} characters", len(part.text))


def placeholder_words(facts: PlaceholderFacts) -> str:
    """Return what a placeholder stands for, in one line."""
    size = ""
    if facts.original_chars is not None:
        size = trn(" for {n} character", " for {n} characters", facts.original_chars)
    return one_line(
        tr(
            "Placeholder ({kind}){size} of tool call {id}; {grade}",
            kind=placeholder_word(facts.kind),
            size=size,
            id=facts.tool_call_id,
            grade=grade_word(facts.grade),
        )
    )
