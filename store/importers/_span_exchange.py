"""What one generation's span says, as a model call in the words of the records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.importers._capture_http import Interaction
from store.importers._capture_secrets import Masker
from store.importers._providers import providers
from store.importers._span_messages import Reader
from store.importers._span_steps import Step
from store.importers._span_values import Cut, json_of
from store.importers._wire import Exchange, Turn, Wire, items, mapping, members, string
from store.records.grades import Grade
from store.records.runs import PartKind, Usage

__all__ = ["exchange_of"]

_KEYS: Final = {
    "anthropic": "messages",
    "bedrock-converse": "messages",
    "cohere": "messages",
    "gemini": "contents",
    "mistral": "messages",
    "openai-chat": "messages",
    "openai-responses": "input",
    "perplexity": "messages",
}
"""Providers whose own bodies are met in spans, and where their requests hold the messages."""
NO_CONTENT: Final = (
    "the span holds no message of the request: whoever recorded it left the content out"
)
_ARGUMENTS: Final = (
    "the span holds the arguments of a call and no messages: in what words the model was given "
    "them is not recorded"
)
_CUT_REQUEST: Final = (
    "a value of the request breaks off within its JSON; what stands before was read"
)
_CUT_RESPONSE: Final = (
    "a value of the response breaks off within its JSON; what stands before was read"
)


def exchange_of(step: Step) -> Exchange:
    """Return the call of a generation's *step*."""
    exchange = _generic(step)
    native = _native(step)
    if native is not None:
        exchange = _joined(exchange, native)
    exchange.previous = exchange.previous or _previous(step)
    exchange.model = step.label or exchange.model
    exchange.names = (*exchange.names, exchange.id) if exchange.id else exchange.names
    exchange.id = step.id or exchange.id
    exchange.finish_reason = step.finish_reason or exchange.finish_reason
    exchange.error = step.error or exchange.error
    # Parameters of a client may hold what it logs in with; words of messages stay as they are.
    masked = Masker().value({**exchange.settings, **step.settings})
    exchange.settings = dict(mapping(masked))
    if step.usage != Usage():
        exchange.usage = step.usage
    for each in step.shortfalls:
        if each.request:
            exchange.doubt(Grade.UNKNOWN, each.what)
        if each.what not in exchange.lost:
            exchange.lost.append(each.what)
    said = any(each.request for each in step.shortfalls)
    if not (exchange.sent or exchange.instructions or said):
        exchange.doubt(Grade.UNKNOWN, NO_CONTENT)
    return exchange


def _generic(step: Step) -> Exchange:
    reader = Reader()
    exchange = Exchange("telemetry")
    system = reader.turns(step.instructions, "system")
    parts = tuple(part for turn in system for part in turn.parts)
    exchange.sent = reader.turns(step.request, "user")
    if parts and not _begins_with(exchange.sent, parts):
        exchange.instructions = [Turn("system", parts)]
    if reader.cut:
        step.lacks(_CUT_REQUEST)
    if reader.loose:
        exchange.doubt(Grade.INFERRED, _ARGUMENTS)
    asked, cut = set(reader.calls), len(reader.cut)
    answered = set(reader.results)
    told = reader.turns(step.response, "assistant")
    exchange.response = [
        Turn("assistant" if turn.role in ("user", "choice") else turn.role, turn.parts)
        for turn in told
        if turn.parts and turn.role != "tool"
    ]
    if len(reader.cut) > cut:
        step.lacks(_CUT_RESPONSE, request=False)
    exchange.tool_calls = list(reader.calls.values())
    exchange.tool_results = [r for id_, r in reader.results.items() if id_ in answered]
    exchange.written = tuple(id_ for id_ in reader.calls if id_ not in asked)
    written = [part for turn in exchange.response for part in turn.parts]
    if not any(part.kind is PartKind.TOOL_CALL for part in written):
        exchange.answer = "".join(p.text for p in written if p.kind is PartKind.TEXT)
    if isinstance(step.response, dict):
        exchange.finish_reason = string(step.response.get("finish_reason"))
    if reader.strange:
        what = f"{reader.strange} values among the messages are no message; they were put last"
        exchange.notes.append(what)
    return exchange


def _begins_with(turns: list[Turn], parts: tuple[object, ...]) -> bool:
    return bool(turns) and turns[0].role in ("system", "developer") and turns[0].parts == parts


# -- bodies of providers -----------------------------------------------------------------


def _native(step: Step) -> Exchange | None:
    """Read the provider's own bodies where the record has them: they hold citations, too."""
    for value in (step.raw_response, step.response):
        response = _response(json_of(value))
        if response is None:
            continue
        provider = next(
            (p for p in providers() if p.name in _KEYS and p.is_response(response)), None
        )
        if provider is None:
            continue
        asked = step.raw_request if step.raw_request is not None else step.request
        request = _request(asked, _KEYS[provider.name], step)
        wire = Wire(Interaction(0), request, response, has_request=bool(request))
        return provider.read(wire)
    return None


def _response(value: object) -> Mapping[str, object] | None:
    """Return the body of a response: as it is, or put around a message that cites."""
    if isinstance(value, Cut):
        return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    held = mapping(value)
    message = mapping(held.get("message")) or held
    if message.get("annotations") and isinstance(message.get("content"), str):
        return {"choices": [{"message": message}]}
    cites = any(items(block.get("citations")) for block in members(message.get("content")))
    if cites and message.get("type") != "message":
        return {**message, "type": "message", "role": "assistant"}
    return held or None


def _request(value: object, key: str, step: Step) -> Mapping[str, object]:
    """Return the body of a request, or one around the messages that stand for it."""
    value = json_of(value)
    held = mapping(value)
    for inner in (held, mapping(held.get("kwargs")), mapping(held.get("body"))):
        if isinstance(inner.get(key), (list, str)):
            return inner
    if not isinstance(value, list):
        return {}
    beside = "system" if key == "messages" else "instructions"
    return {key: value, **({beside: step.instructions} if step.instructions else {})}


def _previous(step: Step) -> str:
    """Return the response whose conversation the service puts before the messages of a call."""
    held = (step.settings, step.raw_request, step.request, step.raw_response, step.response)
    named = (string(mapping(json_of(each)).get("previous_response_id")) for each in held)
    return next(filter(None, named), "")


def _joined(plain: Exchange, native: Exchange) -> Exchange:
    """Return *native* where it holds as much of the request as *plain*, else only its answer."""
    if _weight(native) >= _weight(plain) and native.sent:
        if not native.response:
            native.response, native.answer = plain.response, plain.answer
        native.lost += [each for each in plain.lost if each not in native.lost]
        return native
    if native.answer and native.citations:
        plain.answer, plain.citations = native.answer, native.citations
        known = {version.key for version in plain.versions}
        plain.versions += [v for v in native.versions if v.key not in known]
    if native.usage != Usage():
        plain.usage = native.usage
    plain.id = native.id
    for reason in native.reasons if native.sent else ():
        plain.doubt(native.grade, reason)
    plain.previous, plain.names = native.previous, native.names
    plain.finish_reason = native.finish_reason
    plain.model = native.model
    return plain


def _weight(exchange: Exchange) -> tuple[int, int]:
    """Return how much of a request is known: its characters, and its messages."""
    turns = (*exchange.instructions, *exchange.sent)
    return sum(len(part.text) for turn in turns for part in turn.parts), len(turns)
