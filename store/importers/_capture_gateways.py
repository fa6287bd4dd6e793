"""What gateways log of an exchange, in the words of each of them.

Shapes: LiteLLM's ``standard_logging_object`` and the rows of its spend logs
(``call_type`` with ``messages``, or ``proxy_server_request``); Helicone's rows
(``request_body``, ``response_body``); Portkey's hook objects
(``transformedRequest``, ``originalResponse``); Cloudflare's AI Gateway, whose
pushed logs hold bodies encrypted.  A gateway that logged what it was asked
before it put it into the provider's form proves no request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.importers._capture_http import Interaction, Message, decoded, headers_of
from store.jsonin import JsonError, loads

__all__ = ["GATEWAY", "is_logged", "logged"]

GATEWAY: Final = (
    "a gateway logged this request before it put it into the provider's own form, so that the "
    "model may have been sent something else"
)
_ELSEWHERE: Final = "this log names the exchange and does not hold its bodies"
_ENCRYPTED: Final = "the bodies of this exchange are encrypted in the log"
_ASKED: Final = ("responses", "input"), ("anthropic_messages", "messages")
_PATHS: Final = {"responses": "/responses", "anthropic_messages": "/v1/messages"}
_NO_MODEL: Final = ("embedding", "rerank", "moderation", "image", "speech", "transcription")


def is_logged(value: Mapping[str, object]) -> bool:
    """Return whether *value* is what a gateway logs of one exchange."""
    return any(
        test(value) for test in (_is_litellm, _is_helicone, _is_portkey, _is_cloudflare, _is_inner)
    )


def logged(value: Mapping[str, object], number: int) -> Interaction | None:
    """Return the exchange that a gateway logged, or ``None`` where it is no such log."""
    if _is_inner(value):
        return _litellm(_map(value["standard_logging_object"]), number)
    for test, read in (
        (_is_portkey, _portkey),
        (_is_helicone, _helicone),
        (_is_litellm, _litellm),
        (_is_cloudflare, _cloudflare),
    ):
        if test(value):
            return read(value, number)
    return None


# -- LiteLLM ----------------------------------------------------------------------------


def _is_inner(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("standard_logging_object"), dict)


def _is_litellm(value: Mapping[str, object]) -> bool:
    known = {"model_map_information", "hidden_params", "proxy_server_request", "call_type"}
    if not known & value.keys() or "request" in value:
        return False
    return "messages" in value or "proxy_server_request" in value


def _litellm(value: Mapping[str, object], number: int) -> Interaction:
    kind = _text(value.get("call_type"))
    proxied = _read(value.get("proxy_server_request"))
    inner = _map(proxied).get("body", proxied)
    body = inner if isinstance(inner, dict) and _holds_input(inner) else _asked(value, kind)
    failed = _text(value.get("error_str"))
    response = _read(value.get("response"))
    if not response and failed:
        response = {"error": {"message": failed}}
    provider = _text(value.get("custom_llm_provider"))
    return Interaction(
        number=number,
        method="POST",
        url=f"{provider or 'litellm'}{_path(kind)}",
        status=400 if value.get("status") == "failure" else 200,
        request=Message(value=body) if _holds_input(body) else Message(),
        response=_body(response),
        at=_text(value.get("startTime")) or None,
        altered=GATEWAY,
    )


def _asked(value: Mapping[str, object], kind: str) -> dict[str, object]:
    name = next((key for word, key in _ASKED if word in kind), "messages")
    given = _map(_read(value.get("model_parameters")))
    messages = _read(value.get("messages"))
    if isinstance(messages, dict) and "messages" in messages:
        messages = messages["messages"]
    if isinstance(messages, str) and messages and name == "messages":
        messages = [{"role": "user", "content": messages}]
    return {**given, "model": value.get("model"), name: messages}


def _path(kind: str) -> str:
    if any(word in kind for word in _NO_MODEL):
        return "/embeddings"
    return next((path for word, path in _PATHS.items() if word in kind), "/chat/completions")


def _holds_input(body: Mapping[str, object]) -> bool:
    return any(body.get(key) for key in ("messages", "input", "prompt", "contents"))


# -- others -----------------------------------------------------------------------------


def _is_helicone(value: Mapping[str, object]) -> bool:
    if "request_body" in value and "response_body" in value:
        return True
    row = {"helicone_user", "signed_body_url", "request_path"} & value.keys()
    return "request_id" in value and len(row) > 1


def _helicone(value: Mapping[str, object], number: int) -> Interaction:
    status = value.get("response_status")
    request, response = _body(value.get("request_body")), _body(value.get("response_body"))
    if request.is_empty and response.is_empty:
        request = Message(trouble=_ELSEWHERE)
    return Interaction(
        number=number,
        method="POST",
        url=_text(value.get("target_url")) or _text(value.get("request_path")),
        status=status if isinstance(status, int) else None,
        request=request,
        response=response,
        at=_text(value.get("request_created_at")) or None,
        altered=GATEWAY if value.get("ai_gateway_body_mapping") else "",
    )


def _is_portkey(value: Mapping[str, object]) -> bool:
    return "finalUntransformedRequest" in value or (
        "transformedRequest" in value
        and bool({"originalResponse", "providerOptions"} & value.keys())
    )


def _portkey(value: Mapping[str, object], number: int) -> Interaction:
    """Return what was sent to the provider, where it is logged, else what the gateway was asked."""
    options, asked = _map(value.get("providerOptions")), _map(value.get("request"))
    sent = _map(value.get("transformedRequest"))
    said = _map(value.get("originalResponse"))
    answered = _map(value.get("response"))
    body, is_sent = sent.get("body"), bool(sent.get("body"))
    if not is_sent:
        untouched = _map(value.get("finalUntransformedRequest")).get("body")
        body = untouched or asked.get("body") or _read(value.get("requestBody"))
    status = answered.get("status", value.get("responseStatus"))
    return Interaction(
        number=number,
        method="POST",
        url=_text(options.get("requestURL"))
        or _text(value.get("requestURL"))
        or _text(sent.get("url"))
        or _text(asked.get("url")),
        status=status if isinstance(status, int) and not isinstance(status, bool) else None,
        request=_body(body, headers_of(sent.get("headers"))),
        response=_body(said.get("body") or answered.get("body")),
        altered="" if is_sent else GATEWAY,
    )


def _is_cloudflare(value: Mapping[str, object]) -> bool:
    pushed = _map(value.get("RequestBody")).get("type") == "encrypted"
    return pushed or {"tokens_in", "tokens_out", "provider", "cached"} <= value.keys()


def _cloudflare(value: Mapping[str, object], number: int) -> Interaction:
    what = _ENCRYPTED if "RequestBody" in value else _ELSEWHERE
    return Interaction(number, request=Message(trouble=what))


def _body(body: object, headers: Mapping[str, str] | None = None) -> Message:
    if isinstance(body, (dict, list)):
        return Message(headers or {}, value=body) if body else Message(headers or {})
    if not isinstance(body, str) or not body:
        return Message(headers or {})
    return decoded(headers or {}, body.encode("utf-8", "surrogateescape"))


def _read(value: object) -> object:
    """Return a value that a database keeps as text of JSON; any other as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
        return value
    try:
        return loads(value.encode("utf-8", "surrogatepass"))
    except JsonError:
        return value


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
