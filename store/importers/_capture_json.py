"""Captures in JSON: HAR 1.2, pairs of request and response, what gateways log, bare responses.

Shapes: HAR ``log.entries``; claude-trace and claude-tap ``{request, response}``,
one a line, or in one bundle; req_llm ``request.body.b64``; a cassette that was
written as JSON; what gateways log; and a list of any of them under one key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._capture_bundles import BUNDLE, records_of
from store.importers._capture_cassettes import interactions_of
from store.importers._capture_gateways import is_logged, logged
from store.importers._capture_http import (
    SOCKET,
    Interaction,
    Message,
    decoded,
    from_base64,
    headers_of,
)
from store.jsonin import JsonError, loads

__all__ = ["LISTS", "is_pair", "pair_of", "pairs_in"]

_NO_PAIR: Final = "this entry holds no request with its response"
_BODIES: Final = ("messages", "input", "contents", "prompt")
LISTS: Final = ("data", "logs", "records", "items", "results", "entries", "rows", "pairs", "calls")
"""Keys under which a service returns a list of what it logged."""


def pairs_in(value: object) -> Iterator[Interaction] | None:
    """Return the exchanges in a JSON value, or ``None`` where it is no capture."""
    cassette = interactions_of(value)
    if cassette is not None:
        return cassette
    log = value.get("log") if isinstance(value, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if isinstance(entries, list):
        return _entries(entries)
    if isinstance(value, dict) and BUNDLE in value:
        items = records_of(value)
    else:
        listed = _listed(value)
        items = listed if listed is not None else [value]
    if not any(is_pair(item) for item in items):
        return None
    return (pair_of(item, number) for number, item in enumerate(items))


def _listed(value: object) -> list[object] | None:
    """Return the list that *value* is, or that it holds under the key of a service."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict) or is_pair(value):
        return None
    return next((value[key] for key in LISTS if isinstance(value.get(key), list)), None)


def _entries(entries: list[object]) -> Iterator[Interaction]:
    for number, entry in enumerate(entries):
        yield pair_of(entry, number)


def is_pair(value: object, *, begun: bool = False) -> bool:
    """Return whether *value* holds a request with its response, in any of the known shapes.

    *begun* says that only its beginning is known: a long request may stand before a response.
    """
    if not isinstance(value, dict):
        return False
    if BUNDLE in value or is_logged(value):
        return True
    request = value.get("request")
    if begun and isinstance(request, dict) and (_is_body(request) or _is_sent(request)):
        return True
    if isinstance(request, dict) and ({"body", "url", "uri", "path", "method"} & request.keys()):
        return "response" in value or "body" in request
    return isinstance(request, dict) and "response" in value and _is_body(request)


def _is_sent(request: Mapping[str, object]) -> bool:
    """Return whether it says where a request went, and how."""
    return bool({"url", "uri", "path"} & request.keys() and {"method", "headers"} & request.keys())


def _is_body(request: Mapping[str, object]) -> bool:
    """Return whether it is the body of a request itself, in the form of a provider."""
    messages = request.get("messages")
    if isinstance(messages, list):
        first = messages[0] if messages else None
        return isinstance(first, dict) and bool({"role", "content"} & first.keys())
    return any(key in request for key in _BODIES if key != "messages")


def pair_of(value: object, number: int) -> Interaction:
    """Return the exchange that *value* holds; an empty one where it holds none."""
    if not isinstance(value, dict) or not is_pair(value):
        return Interaction(number, request=Message(trouble=_NO_PAIR))
    found = logged(value, number)
    if found is not None:
        return found
    request, response = _map(value.get("request")), _map(value.get("response"))
    status = response.get("status", response.get("status_code"))
    base = _text(value.get("upstream_base_url"))
    url = _text(request.get("url")) or _text(request.get("uri"))
    at = value.get("startedDateTime")
    got = _got(value, response)
    if value.get("_webSocketMessages"):
        got = Message(got.headers, trouble=SOCKET)
    return Interaction(
        number=number,
        method=_text(request.get("method")),
        url=url or f"{base.rstrip('/')}{_text(request.get('path'))}",
        status=status if isinstance(status, int) and not isinstance(status, bool) else None,
        request=_sent(request),
        response=got,
        at=at if isinstance(at, str) else None,
    )


def _sent(request: Mapping[str, object]) -> Message:
    headers = headers_of(request.get("headers"))
    posted = request.get("postData")
    if isinstance(posted, dict):
        return _message(headers, posted.get("text"), _text(posted.get("encoding")))
    if "body" in request:
        return _message(headers, request["body"])
    if any(key in request for key in _BODIES):
        return Message(headers, value=request)
    return Message(headers)


def _got(value: Mapping[str, object], response: Mapping[str, object]) -> Message:
    headers = headers_of(response.get("headers"))
    content = response.get("content")
    if isinstance(content, dict) and ({"text", "mimeType", "size"} & content.keys()):
        kind = _text(content.get("mimeType"))
        if kind:
            headers.setdefault("content-type", kind)
        coding = _text(content.get("encoding")) or ("hex" if content.get("_isBinary") else "")
        return _message(headers, content.get("text"), coding)
    for key in ("body", "body_raw"):
        if response.get(key) is not None:
            return _message(headers, response[key])
    for events in (response.get("events"), response.get("sse_events")):
        if isinstance(events, list):
            return Message(headers, value=events)
    chunks = value.get("chunks")
    if isinstance(chunks, list) and chunks:
        pieces = [from_base64(_map(chunk).get("b64")) or b"" for chunk in chunks]
        return decoded(headers, b"".join(pieces))
    bare = response and not ({"status", "status_code", "headers"} & response.keys())
    return Message(headers, value=response) if bare else Message(headers)


def _message(headers: Mapping[str, str], body: object, encoding: str = "") -> Message:
    if isinstance(body, dict) and isinstance(body.get("b64"), str):
        return decoded(headers, from_base64(body["b64"]))
    if isinstance(body, (dict, list)):
        return Message(headers, value=body)
    if not isinstance(body, str):
        return Message(headers)
    if encoding in ("base64", "hex"):
        return decoded(headers, _joined(body, encoding))
    return decoded(headers, body.encode("utf-8", "surrogateescape"))


def _joined(text: str, encoding: str) -> bytes | None:
    """Return the bytes that *text* stands for; Polly.JS writes a list of pieces as JSON."""
    pieces: object = [text]
    if text.startswith("["):
        try:
            pieces = loads(text.encode("utf-8", "surrogatepass"))
        except JsonError:
            return None
    listed = pieces if isinstance(pieces, list) else []
    if encoding == "base64":
        return b"".join(from_base64(piece) or b"" for piece in listed)
    try:
        return b"".join(bytes.fromhex(piece) for piece in listed if isinstance(piece, str))
    except ValueError:
        return None


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
