"""Google's Interactions: one input, steps as the answer, and a conversation that the service keeps.

Fields as in the types of Google's SDK.  An annotation counts bytes of the text
that it stands on, end exclusive, and quotes nothing: there are no words to
hold it against.  ``previous_interaction_id`` names what the service keeps.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from store.importers._wire import (
    Exchange,
    Provider,
    Turn,
    Wire,
    count,
    items,
    mapping,
    members,
    string,
)
from store.importers._wire_answers import NEVER_SENT, Answers
from store.importers._wire_files import Files
from store.importers._wire_offsets import UTF8, Fitted, fit
from store.records.grades import Grade
from store.records.runs import Part, PartKind, ToolCall, ToolResult, Usage
from store.records.text import TextIndex

__all__ = ["PROVIDER"]

_NOT_SETTINGS: Final = frozenset(("input", "system_instruction"))
_SEARCHED: Final = (
    "the service ran its own tools within this call, and what they gave the model is only as far "
    "in the capture as the response tells it"
)
_CITED: Final = ("url_citation", "file_citation", "place_citation")


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is an interaction, or the first event of a streamed one."""
    if value.get("object") == "interaction":
        return True
    return string(value.get("event_type")).startswith("interaction.")


def is_request(wire: Wire) -> bool:
    """Return whether an exchange asks for an interaction."""
    return wire.path.endswith("/interactions")


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    exchange = Exchange("gemini")
    request = wire.request
    steps = _Steps(Files(wire.files))
    told = string(request.get("system_instruction"))
    exchange.instructions = [Turn("system", (Part(PartKind.TEXT, told),))] if told else []
    given = request.get("input")
    if isinstance(given, str):
        exchange.sent = [Turn("user", (Part(PartKind.TEXT, given),))]
    else:
        exchange.sent = steps.turns(items(given), "user")
    steps.files.judge(exchange)
    asked = len(steps.calls)
    response = _put_together(wire, exchange) if wire.events else mapping(wire.response)
    exchange.previous = string(request.get("previous_interaction_id"))
    exchange.id = string(response.get("id"))
    exchange.settings = {k: v for k, v in request.items() if k not in _NOT_SETTINGS}
    named = string(request.get("model")) or string(request.get("agent"))
    exchange.model = string(response.get("model")) or named
    exchange.finish_reason = string(response.get("status"))
    error = mapping(response.get("error"))
    exchange.error = string(error.get("message"))
    _answer(exchange, response, steps)
    exchange.tool_calls, exchange.tool_results = list(steps.calls.values()), [*steps.results]
    exchange.written = tuple(call.id for call in exchange.tool_calls[asked:])
    return exchange


class _Steps:
    """Reads steps and parts of content, of a request and of a response."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.calls: dict[str, ToolCall] = {}
        self.results: list[ToolResult] = []

    def turns(self, listed: list[object], role: str) -> list[Turn]:
        """Return turns; parts of content that stand alone are one turn."""
        found: list[Turn] = []
        loose: list[Part] = []
        for each in members(listed):
            if "content" in each or string(each.get("type")).endswith(("_call", "_result")):
                found.append(self._turn(each, role))
            elif each.get("type") != "thought":
                loose.append(self._part(each))
        return [*found, Turn(role, tuple(loose))] if loose else found

    def _turn(self, step: Mapping[str, object], role: str) -> Turn:
        kind = string(step.get("type"))
        if kind.endswith("_call"):
            call_id = string(step.get("id")) or f"{kind}:{len(self.calls)}"
            name = string(step.get("name")) or kind.removesuffix("_call")
            arguments = json.dumps(step.get("arguments"), ensure_ascii=False)
            self.calls.setdefault(call_id, ToolCall(call_id, name, arguments))
            part = Part(PartKind.TOOL_CALL, arguments, tool_call_id=call_id, name=name)
            return Turn("model", (part,))
        if kind.endswith("_result"):
            call_id = string(step.get("call_id"))
            held = step.get("result")
            text = held if isinstance(held, str) else json.dumps(held, ensure_ascii=False)
            self.results.append(ToolResult(call_id, text))
            name = string(step.get("name")) or kind.removesuffix("_result")
            return Turn(
                "tool", (Part(PartKind.TOOL_RESULT, text, tool_call_id=call_id, name=name),)
            )
        said = step.get("content")
        content: list[object] = [{"text": said}] if isinstance(said, str) else items(said)
        own = string(step.get("role"))
        role = own or ("user" if kind == "user_input" else "model" if kind else role)
        return Turn(role, tuple(self._part(each) for each in members(content)))

    def _part(self, part: Mapping[str, object]) -> Part:
        if isinstance(part.get("text"), str):
            return Part(PartKind.TEXT, string(part["text"]))
        media, name = string(part.get("mime_type")), string(part.get("type"))
        packed, place = string(part.get("data")), string(part.get("uri"))
        found = None
        if packed and not media.startswith("image/"):
            found = self.files.inline(name, media, packed)
        elif place:
            found = self.files.named(place, name, media)
        kind = PartKind.IMAGE if name == "image" else PartKind.OPAQUE
        return found or Part(kind, name=name, opaque_bytes=len(json.dumps(part)))


def _answer(exchange: Exchange, response: Mapping[str, object], steps: _Steps) -> None:
    listed = items(response.get("steps")) or items(response.get("outputs"))
    exchange.response = steps.turns(listed, "model")
    usage = mapping(response.get("usage"))
    used = count(usage.get("total_tool_use_tokens")) or 0
    read = count(usage.get("total_input_tokens"))
    exchange.usage = Usage(
        (read or 0) + used or None,
        count(usage.get("total_output_tokens")),
        count(usage.get("total_cached_tokens")),
    )
    answers = Answers()
    text = ""
    for step in members(listed):
        content = step.get("content") if "content" in step else [step]
        for part in members(content) if step.get("type") in ("model_output", "text") else ():
            words = string(part.get("text"))
            for place in members(part.get("annotations")):
                _cite(place, words, len(text), answers)
            text += words
    served = used or any(
        string(step.get("type")).endswith(("search_call", "context_call", "execution_call"))
        for step in members(listed)
    )
    if served or answers.citations():
        exchange.added.append(Turn("tool", (Part(PartKind.OPAQUE, name="search"),)))
        exchange.doubt(Grade.DERIVED, _SEARCHED)
    exchange.versions += answers.versions.values()
    waiting = any(step.get("type") == "function_call" for step in members(listed))
    citations = answers.citations()
    if text and (citations or not waiting):
        exchange.answer, exchange.citations = text, citations


def _cite(place: Mapping[str, object], words: str, start: int, answers: Answers) -> None:
    first, end = place.get("start_index", 0), place.get("end_index")
    found = fit(TextIndex(words), first, end, lambda _: False, UTF8)
    names = ("url", "source", "file_name", "document_uri", "place_id", "name")
    name = next((string(place.get(key)) for key in names if place.get(key)), "?")
    named = answers.unread(name, string(place.get("title")), NEVER_SENT)
    at = Fitted(found.span, None, found.malformed) if end is not None else Fitted(None, None)
    answers.add(at, start, [named])


def _put_together(wire: Wire, exchange: Exchange) -> Mapping[str, object]:
    """Return the interaction that events tell of; the last one may hold the whole of it."""
    whole: dict[str, object] = {}
    steps: dict[int, dict[str, object]] = {}
    ended = False
    for _, data in wire.events:
        event = mapping(data)
        kind = string(event.get("event_type"))
        number = count(event.get("index")) or 0
        whole.update(mapping(event.get("interaction")))
        usage = mapping(mapping(event.get("metadata")).get("usage"))
        whole.setdefault("usage", usage)
        if usage:
            whole["usage"] = usage
        if kind in ("step.start", "content.start"):
            steps[number] = dict(mapping(event.get("step")) or mapping(event.get("content")))
        elif kind in ("step.delta", "content.delta"):
            _grow(steps.setdefault(number, {}), mapping(event.get("delta")))
        elif kind in ("interaction.completed", "interaction.complete", "interaction.failed"):
            ended = True
        elif kind == "error":
            whole["error"] = event.get("error")
            ended = True
    if not ended:
        exchange.lost.append("the streamed response ends before its last event")
    if not (items(whole.get("steps")) or items(whole.get("outputs"))):
        whole["steps"] = [steps[number] for number in sorted(steps)]
    return whole


def _grow(step: dict[str, object], delta: Mapping[str, object]) -> None:
    """Add a piece to a step: text, marks on it, or the arguments of a call."""
    kind = string(delta.get("type"))
    content = [dict(each) for each in members(step.get("content"))]
    content = content or [{"type": "text", "text": ""}]
    if kind == "text" and isinstance(delta.get("text"), str):
        content[-1]["text"] = string(content[-1].get("text")) + string(delta["text"])
        step["content"] = content
        step.setdefault("type", "model_output")
    if items(delta.get("annotations")):
        content[-1]["annotations"] = [
            *items(content[-1].get("annotations")),
            *items(delta["annotations"]),
        ]
        step["content"] = content
    if kind.endswith(("_call", "_result")):
        step.update({key: value for key, value in delta.items() if value is not None})


PROVIDER = Provider("gemini-interactions", 119, is_request, is_response, read)
