"""Amazon Bedrock's Converse, streamed or not: as Anthropic's Messages in other words.

Places of citations are those of Anthropic's under other names (``documentChar``,
``documentPage``, ``documentChunk``, ``searchResultLocation``), so that each
block is put into those words and read as they are.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import unquote

from store.importers._anthropic_call import read_message
from store.importers._wire import Exchange, Provider, Wire, count, items, mapping, members, string

__all__ = ["PROVIDER"]

_TEXTUAL: Final = ("txt", "md", "csv", "html")
_LOCATIONS: Final = {
    "documentChar": ("char_location", "char_index", "document_index", "documentIndex"),
    "documentPage": ("page_location", "page_number", "document_index", "documentIndex"),
    "documentChunk": ("content_block_location", "block_index", "document_index", "documentIndex"),
    "searchResultLocation": (
        "search_result_location",
        "block_index",
        "search_result_index",
        "searchResultIndex",
    ),
}


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a response of Converse, or the first event of its stream."""
    if isinstance(value.get("messageStart"), dict):
        return True
    return bool(mapping(mapping(value.get("output")).get("message"))) and "usage" in value


def is_request(wire: Wire) -> bool:
    """Return whether an exchange is with Converse."""
    return wire.path.endswith(("/converse", "/converse-stream"))


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    response = _streamed(wire) if wire.events else mapping(wire.response)
    message = mapping(mapping(response.get("output")).get("message"))
    request = dict(wire.request)
    request["messages"] = [_message(each) for each in members(request.get("messages"))]
    if "system" in request:
        request["system"] = [_block(each) for each in members(request["system"])]
    model = unquote(wire.interaction.url.partition("/model/")[2].partition("/")[0])
    usage = mapping(response.get("usage"))
    said: dict[str, object] = {
        "model": model,
        "stop_reason": response.get("stopReason"),
        "content": [_block(each) for each in members(message.get("content"))],
        "usage": {
            "input_tokens": count(usage.get("inputTokens")),
            "output_tokens": count(usage.get("outputTokens")),
            "cache_read_input_tokens": count(usage.get("cacheReadInputTokens")),
            "cache_creation_input_tokens": count(usage.get("cacheWriteInputTokens")),
        },
    }
    if not message and isinstance(response.get("message"), str):
        said["error"] = {"message": response["message"]}
    exchange = read_message(replace(wire, request=request, response=said, events=()))
    exchange.provider = "bedrock"
    if wire.events and not response.get("stopReason"):
        exchange.lost.append("the streamed response ends before its last event")
    return exchange


def _streamed(wire: Wire) -> Mapping[str, object]:
    """Return the response that the events tell of; a citation comes before its words."""
    blocks: dict[int, dict[str, object]] = {}
    response: dict[str, object] = {}
    for name, event in map(_named, wire.events):
        index = count(event.get("contentBlockIndex")) or 0
        if name == "contentBlockStart":
            blocks[index] = dict(mapping(event.get("start")))
        elif name == "contentBlockDelta":
            _grow(blocks.setdefault(index, {}), mapping(event.get("delta")))
        elif name == "messageStop":
            response["stopReason"] = event.get("stopReason")
        elif name == "metadata":
            response["usage"] = event.get("usage")
    content = [_finished(blocks[index]) for index in sorted(blocks)]
    return {**response, "output": {"message": {"role": "assistant", "content": content}}}


def _named(event: tuple[str, object]) -> tuple[str, Mapping[str, object]]:
    """Return name and data of an event; a program sees the name as the only key of the data."""
    name, data = event[0], mapping(event[1])
    if name or len(data) != 1:
        return name, data
    return next((key, mapping(value)) for key, value in data.items())


def _grow(block: dict[str, object], delta: Mapping[str, object]) -> None:
    if isinstance(delta.get("text"), str):
        block["text"] = string(block.get("text")) + string(delta["text"])
    if isinstance(delta.get("citation"), dict):
        block["citations"] = [*items(block.get("citations")), delta["citation"]]
    for key in ("toolUse", "reasoningContent"):
        piece = mapping(delta.get(key))
        if piece:
            held = dict(mapping(block.get(key)))
            for name, value in piece.items():
                held[name] = string(held.get(name)) + value if isinstance(value, str) else value
            block[key] = held


def _finished(block: dict[str, object]) -> dict[str, object]:
    """Return a block of a stream as it stands in a response that was not streamed."""
    citations = block.get("citations")
    if citations:
        words = [{"text": string(block.get("text"))}]
        return {"citationsContent": {"content": words, "citations": citations}}
    tool = mapping(block.get("toolUse"))
    if isinstance(tool.get("input"), str):
        try:
            return {"toolUse": {**tool, "input": json.loads(string(tool["input"]))}}
        except (ValueError, RecursionError):
            return block
    return block


def _message(message: Mapping[str, object]) -> dict[str, object]:
    content = [_block(each) for each in members(message.get("content"))]
    return {"role": message.get("role"), "content": content}


def _block(block: Mapping[str, object]) -> dict[str, object]:  # noqa: PLR0911 - one for each kind
    """Return a block in the words of Anthropic's Messages."""
    kind = next(iter(block), "")
    inner = mapping(block.get(kind))
    if isinstance(block.get("text"), str):
        return {"type": "text", "text": block["text"]}
    if kind == "document":
        return _document(inner)
    if kind == "searchResult":
        return {**inner, "type": "search_result", "content": items(inner.get("content"))}
    if kind == "toolUse":
        fields = {
            "id": inner.get("toolUseId"),
            "name": inner.get("name"),
            "input": inner.get("input"),
        }
        served = inner.get("type") == "server_tool_use"
        return {"type": "server_tool_use" if served else "tool_use", **fields}
    if kind == "toolResult":
        return _result(inner)
    if kind == "citationsContent":
        words = "".join(string(each.get("text")) for each in members(inner.get("content")))
        places = [_place(each) for each in members(inner.get("citations"))]
        return {"type": "text", "text": words, "citations": places}
    if kind == "reasoningContent":
        held = mapping(inner.get("reasoningText")) or inner
        return {"type": "thinking", "thinking": string(held.get("text"))}
    if kind == "image":
        return {"type": "image", "source": {"type": "base64", "data": _bytes(inner)}}
    return {"type": kind, **inner}


def _bytes(inner: Mapping[str, object]) -> str:
    return string(mapping(inner.get("source")).get("bytes"))


def _result(inner: Mapping[str, object]) -> dict[str, object]:
    content: list[object] = []
    for each in members(inner.get("content")):
        if "json" in each:
            content.append({"type": "text", "text": json.dumps(each["json"], ensure_ascii=False)})
        else:
            content.append(_block(each))
    return {
        "type": "tool_result",
        "tool_use_id": inner.get("toolUseId"),
        "content": content,
        "is_error": inner.get("status") == "error",
    }


def _document(inner: Mapping[str, object]) -> dict[str, object]:
    source, format_ = mapping(inner.get("source")), string(inner.get("format"))
    made: dict[str, object]
    if isinstance(source.get("text"), str):
        made = {"type": "text", "data": source["text"]}
    elif isinstance(source.get("content"), list):
        made = {"type": "content", "content": source["content"]}
    elif isinstance(source.get("bytes"), str):
        made = _from_bytes(string(source["bytes"]), format_)
    else:
        place = string(mapping(source.get("s3Location")).get("uri"))
        made = {"type": "s3Location", "url": place}
    said = {"title": inner.get("name"), "context": inner.get("context")}
    return {"type": "document", "source": made, **said}


def _from_bytes(data: str, format_: str) -> dict[str, object]:
    if format_ in _TEXTUAL:
        try:
            return {"type": "text", "data": base64.b64decode(data).decode()}
        except (binascii.Error, ValueError):
            pass
    media = "application/pdf" if format_ == "pdf" else format_
    return {"type": "base64", "media_type": media, "data": data}


def _place(citation: Mapping[str, object]) -> dict[str, object]:
    """Return a citation in the words of Anthropic's Messages."""
    quote = "".join(string(each.get("text")) for each in members(citation.get("sourceContent")))
    location = mapping(citation.get("location"))
    made: dict[str, object] = {"cited_text": quote}
    for name, (kind, unit, number, index) in _LOCATIONS.items():
        inner = mapping(location.get(name))
        if inner:
            made["type"] = kind
            made[number] = inner.get(index)
            made[f"start_{unit}"], made[f"end_{unit}"] = inner.get("start"), inner.get("end")
    title = string(citation.get("title"))
    made["title" if "search_result_index" in made else "document_title"] = title
    web = mapping(location.get("web"))
    if web:
        made.update(type="web_search_result_location", url=web.get("url"), title=title)
    return made


PROVIDER = Provider("bedrock-converse", 105, is_request, is_response, read)
