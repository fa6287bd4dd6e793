"""Mistral's chat: content in parts, ``reference`` parts name keys of a tool's result.

The program that calls gives the result, a JSON object by number or name; a
reference stands where it is in the answer and names one or several keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from store.importers._chat_call import Chat
from store.importers._wire import Exchange, Provider, Wire, items, mapping, members, string
from store.importers._wire_answers import Answers, Named
from store.importers._wire_documents import version_of
from store.importers._wire_offsets import Fitted
from store.records.json_text import parse
from store.records.runs import ToolResult
from store.records.sources import Block, Selection, SourceKind, Version
from store.records.text import Span

__all__ = ["PROVIDER"]


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a completion with references in its content."""
    choice = next(members(value.get("choices")), {})
    message = mapping(choice.get("message")) or mapping(choice.get("delta"))
    return any(part.get("type") == "reference" for part in members(message.get("content")))


def is_request(wire: Wire) -> bool:
    """Return whether an exchange is with Mistral."""
    return "mistral" in wire.path and wire.path.endswith("/completions")


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    chat = Chat.of(wire, "mistral")
    exchange = chat.exchange
    versions = [_with_keys(result, chat) for result in exchange.tool_results]
    exchange.tool_results = [
        result if version is None else replace(result, selections=(Selection(*_key(version)),))
        for result, version in zip(exchange.tool_results, versions, strict=True)
    ]
    known = [version for version in versions if version is not None]
    exchange.versions += known
    answers = Answers()
    start = 0
    for part in items(chat.message.get("content")):
        inner = mapping(part)
        if inner.get("type") == "reference":
            named = [_named(key, known) for key in items(inner.get("reference_ids"))]
            answers.add(Fitted(Span(start, start), None), 0, named)
        else:
            start += len(part if isinstance(part, str) else string(inner.get("text")))
    return chat.finish(answers)


def _key(version: Version) -> tuple[str, str]:
    return version.key.source_id, version.key.version_id


def _with_keys(result: ToolResult, chat: Chat) -> Version | None:
    """Return a tool's result as a version whose blocks are the members of its JSON object."""
    root = parse(result.text or "")
    if root is None or root.kind != "object" or not root.children:
        return None
    call = chat.calls.get(result.tool_call_id)
    name = call.name if call else "?"
    made = version_of(f"tool:{name}:{result.tool_call_id}", name, (result.text or "",))
    blocks = {child.key or "": Block(child.key or "", child.span) for child in root.children}
    return replace(made, kind=SourceKind.TOOL_RESULT, blocks=tuple(blocks.values()))


def _named(key: object, versions: list[Version]) -> Named:
    """Return the member *key* of the latest result that has it."""
    name = key if isinstance(key, str) else json.dumps(key)
    for version in reversed(versions):
        if any(block.block_id == name for block in version.blocks):
            return Named(version.key.source_id, name, version.key.version_id, block_id=name)
    return Named(f"reference:{name}", name)


PROVIDER = Provider("mistral", 140, is_request, is_response, read)
