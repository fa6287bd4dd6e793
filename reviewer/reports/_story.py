"""A small run told line by line, for the pages of rules: what was stored, given, and answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.display import fit, one_line
from reviewer.reports._words import reference
from store.records.citations import Citation, SourceCitation
from store.records.runs import Part, PartKind, Run
from store.records.sources import Version

__all__ = ["story_lines"]

_COLUMNS = 64
"""Characters of a text that are shown; of a longer one it is said how many there are."""


def story_lines(run: Run) -> Iterator[str]:
    """Yield what happened in *run*, a line each; requests by what changed in them."""
    if run.grant is not None:
        yield f"granted: {', '.join(run.grant.scope)}"
    for version in run.versions:
        yield f"stored: {_version(version)}"
    for failure in run.refresh_failures:
        yield f"refresh of {failure.source_id} failed: {failure.error}"
    answers = {answer.call: answer for answer in run.answers}
    held: list[int] = []
    for call in run.calls:
        for splice in reversed(call.splices):
            before = held[splice.start : splice.stop]
            held[splice.start : splice.stop] = splice.messages
            yield from _changed(run, call.index, before, splice.messages)
        answer = answers.get(call.index)
        if answer is not None:
            cited = ", ".join(_cited(each) for each in answer.citations) or "nothing"
            yield f"call {call.index} answers: {_text(answer.text)} (cites {cited})"


def _version(version: Version) -> str:
    key = version.key
    told = f"{reference(key.source_id, key.version_id, None, version.unit, None)}"
    if version.text is None:
        return f"{told}, its bytes {version.integrity}"
    blocks = ", ".join(f"{b.block_id} [{b.span.start}:{b.span.end}]" for b in version.blocks)
    if blocks:
        told += f", blocks {blocks}"
    if version.origin:
        told += f", from {version.origin}"
    return f"{told}: {_text(version.text)}"


def _changed(run: Run, call: int, before: Sequence[int], after: Sequence[int]) -> Iterator[str]:
    """Yield what came into a request, what took a place in it, and what went."""
    gone = [message for message in before if message not in after]
    slots = {slot: message for message in gone if (slot := _slot(run, message))}
    for message in after:
        if message in before:
            continue
        slot = _slot(run, message)
        old = slots.pop(slot, None) if slot else None
        if old is not None:
            gone.remove(old)
        verb = "is given" if old is None else "has in its place"
        for part in run.messages[message].parts:
            yield f"call {call} {verb}: {_part(part, run.messages[message].role)}"
    for message in gone:
        for part in run.messages[message].parts:
            yield f"call {call} no longer has: {_part(part, run.messages[message].role)}"


def _slot(run: Run, message: int) -> tuple[str, str] | None:
    """Return whose place a message has; words of people and models have none."""
    part = run.messages[message].parts[0]
    return (part.kind.value, part.tool_call_id) if part.tool_call_id else None


def _part(part: Part, role: str) -> str:
    if part.kind is PartKind.TOOL_CALL:
        return f"tool call {part.tool_call_id}: {part.name} {_text(part.text)}"
    if part.kind is PartKind.TOOL_RESULT:
        return f"result of {part.tool_call_id}: {_text(part.text)}"
    return f"{role}: {_text(part.text)}"


def _cited(citation: Citation) -> str:
    span = citation.span if isinstance(citation, SourceCitation) else None
    unit = citation.unit if isinstance(citation, SourceCitation) else None
    if unit is None:
        return citation.source_id
    return reference(citation.source_id, citation.version_id, span, unit, citation.block_id)


def _text(text: str) -> str:
    shown = one_line(text)
    if len(shown) <= _COLUMNS:
        return shown
    return f"{fit(shown, _COLUMNS)} ({len(text)} characters)"
