"""Flows that mitmproxy wrote: tnetstrings, one dictionary for each, one after the other.

A tnetstring is ``LENGTH:PAYLOAD`` and a letter that says what it is; format
and keys as in mitmproxy 11 (``mitmproxy/io/tnetstring.py``, ``http.Request``),
and those that older versions wrote (``io/compat.py``: bytes for keys, ``code``
for the status, ``body`` for the content, any order).  Only requests and
responses are taken; certificates and connections are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from store.importers._capture_http import SOCKET, Interaction, Message, decoded, headers_of

__all__ = ["FlowError", "flows_in", "is_flows"]

_HEAD = re.compile(
    rb"[1-9][0-9]{0,10}:[0-9]{1,3}:(?:websocket|response|request|error|type|version|id|marked|mode"
    rb"|intercepted|client_conn|server_conn|metadata|backup|comment|is_replay|timestamp_created)[;,]"
)
"""The first key of a flow: versions differ in their order."""
_DEPTH: Final = 32
_DIGITS: Final = 12


class FlowError(ValueError):
    """A flow is cut off or is no flow; the message says where."""


def is_flows(head: bytes) -> bool:
    """Return whether a file that begins with *head* holds flows."""
    return bool(_HEAD.match(head))


def flows_in(data: bytes) -> Iterator[Interaction]:
    """Yield the HTTP exchanges in *data*.  Raises `FlowError` behind the last whole one."""
    at = number = 0
    while at < len(data):
        value, at = _value(data, at, 0)
        flow: dict[str, object] = value if isinstance(value, dict) else {}
        request = flow.get("request")
        if isinstance(request, dict):
            yield _interaction(flow, request, number)
            number += 1


def _interaction(flow: dict[str, object], request: dict[str, object], number: int) -> Interaction:
    response = flow.get("response")
    response = response if isinstance(response, dict) else {}
    host, port = _text(request.get("host")), request.get("port")
    place = f":{port}" if port not in (80, 443, None) else ""
    scheme, path = _text(request.get("scheme")) or "https", _text(request.get("path"))
    status = response.get("status_code", response.get("code"))
    talk = flow.get("websocket")
    spoken = isinstance(talk, dict) and bool(talk.get("messages"))
    sent, got = (side.get("content", side.get("body")) for side in (request, response))
    return Interaction(
        number=number,
        method=_text(request.get("method")),
        url=f"{scheme}://{host}{place}{path}",
        status=status if isinstance(status, int) else None,
        request=decoded(headers_of(request.get("headers")), _bytes(sent)),
        response=Message(trouble=SOCKET)
        if spoken
        else decoded(headers_of(response.get("headers")), _bytes(got)),
    )


def _bytes(value: object) -> bytes | None:
    return value.encode() if isinstance(value, str) else value if isinstance(value, bytes) else None


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value or "")


def _value(data: bytes, at: int, depth: int) -> tuple[object, int]:
    """Return the value at *at* and where the next one begins."""
    colon = data.find(b":", at, at + _DIGITS)
    if colon < 0 or not data[at:colon].isdigit() or depth > _DEPTH:
        raise FlowError(f"no flow at byte {at}")
    start = colon + 1
    end = start + int(data[at:colon])
    if end >= len(data):
        raise FlowError(f"the flow is cut off: byte {at} names {end - len(data) + 1} bytes more")
    kind = data[end : end + 1]
    if kind in b"}]":
        return _items(data, start, end, depth, is_map=kind == b"}"), end + 1
    payload = data[start:end]
    try:
        return _scalar(kind, payload), end + 1
    except ValueError:
        raise FlowError(f"no value at byte {at}") from None


def _items(
    data: bytes, at: int, end: int, depth: int, *, is_map: bool
) -> dict[str, object] | list[object]:
    items: list[object] = []
    while at < end:
        item, at = _value(data, at, depth + 1)
        items.append(item)
    if at != end:
        raise FlowError(f"a value reaches beyond byte {end}")
    if not is_map:
        return items
    return {_text(key): value for key, value in zip(items[::2], items[1::2], strict=False)}


def _scalar(kind: bytes, payload: bytes) -> object:
    if kind == b",":
        return payload
    if kind == b";":
        return payload.decode("utf-8", "surrogateescape")
    if kind == b"#":
        return int(payload)
    if kind == b"^":
        return float(payload)
    if kind == b"!":
        return payload == b"true"
    if kind == b"~":
        return None
    raise ValueError(kind)
