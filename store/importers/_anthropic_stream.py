"""A streamed message of Anthropic, put together: equal to the one that was not streamed.

A citation comes before the text of its block, and one at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from store.importers._wire import mapping, string

__all__ = ["message_of"]


def message_of(events: Iterable[object]) -> tuple[dict[str, object], bool]:
    """Return the message that *events* tell of, and whether its end is among them."""
    message: dict[str, object] = {}
    blocks: dict[int, dict[str, object]] = {}
    inputs: dict[int, list[str]] = {}
    ended = False
    for event in events:
        data = mapping(event)
        kind, index = data.get("type"), data.get("index")
        if kind == "message_start":
            message = dict(mapping(data.get("message")))
        elif kind == "content_block_start" and isinstance(index, int):
            blocks[index] = dict(mapping(data.get("content_block")))
        elif kind == "content_block_delta" and isinstance(index, int):
            _change(blocks.setdefault(index, {}), mapping(data.get("delta")), inputs, index)
        elif kind == "message_delta":
            _finish(message, data)
        elif kind == "message_stop":
            ended = True
        elif kind == "error":
            message["error"] = data.get("error")
    for index, pieces in inputs.items():
        blocks[index]["input"] = _parsed("".join(pieces))
    message["content"] = [blocks[index] for index in sorted(blocks)]
    return message, ended


def _change(
    block: dict[str, object],
    delta: Mapping[str, object],
    inputs: dict[int, list[str]],
    index: int,
) -> None:
    kind = string(delta.get("type"))
    if kind == "input_json_delta":
        inputs.setdefault(index, []).append(string(delta.get("partial_json")))
    elif kind == "citations_delta":
        known = block.get("citations")
        block["citations"] = [*(known if isinstance(known, list) else ()), delta.get("citation")]
    elif kind == "compaction_delta":
        block.update({key: value for key, value in delta.items() if key != "type"})
    else:
        for key in ("text", "thinking", "signature"):
            if isinstance(delta.get(key), str):
                block[key] = string(block.get(key)) + string(delta[key])


def _finish(message: dict[str, object], data: Mapping[str, object]) -> None:
    message.update(mapping(data.get("delta")))
    usage = {**mapping(message.get("usage")), **mapping(data.get("usage"))}
    message["usage"] = usage
    for key in ("context_management", "input_transformations"):
        if key in data:
            message[key] = data[key]


def _parsed(text: str) -> object:
    try:
        value: object = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return text
    return value
