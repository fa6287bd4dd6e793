"""One HTTP exchange as it was on the wire, and how its bodies are decoded.

Server-sent events are put back into the list of their data (WHATWG HTML, section 9.2; the
dialects that providers write are accepted: CRLF, comments, ``[DONE]``, a last
event without its blank line).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._capture_coding import undone
from store.importers._capture_secrets import is_credential
from store.jsonin import JsonError, loads

__all__ = [
    "SOCKET",
    "Interaction",
    "Message",
    "decoded",
    "events_in",
    "from_base64",
    "headers_of",
    "is_streamed",
    "parsed",
]

SOCKET: Final = "what was said over a WebSocket stands here, which is not read"
_SHOWN: Final = frozenset(
    {"content-type", "content-encoding", "content-length", "anthropic-beta", "anthropic-version"}
)
"""The headers that are kept; all others are dropped as they are read, credentials with them."""
_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Message:
    """One side of an exchange.

    ``body`` is what was sent, codings undone, or ``None`` where the capture
    has none; ``value`` is the JSON where the recorder kept only that.
    ``trouble`` says why a body could not be decoded, ``held`` how many bytes
    the capture has of it, before its codings were undone.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = field(default=None, repr=False)
    value: object = field(default=None, repr=False)
    trouble: str = ""
    held: int | None = None

    @property
    def declared(self) -> int | None:
        """How many bytes its header says it has."""
        text = self.headers.get("content-length", "").strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) < _DIGITS else None

    @property
    def media_type(self) -> str:
        """The media type, without its parameters, in small letters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def is_empty(self) -> bool:
        """Whether the capture has nothing of it."""
        return not self.body and self.value is None


@dataclass(frozen=True, slots=True)
class Interaction:
    """One request with its response.

    ``number`` counts from 0 in its file.  ``altered`` says what the recorder
    is known to have changed.
    """

    number: int
    method: str = ""
    url: str = ""
    status: int | None = None
    request: Message = field(default_factory=Message)
    response: Message = field(default_factory=Message)
    at: str | None = None
    altered: str = ""


class Headers(dict[str, str]):
    """The headers that are kept; ``credentials`` counts those that were dropped with one."""

    credentials = 0


def headers_of(value: object) -> Headers:
    """Return the kept headers of a mapping, a list of pairs, or a list of name and value."""
    pairs: list[tuple[object, object]] = []
    if isinstance(value, dict):
        pairs = list(value.items())
    for item in value if isinstance(value, (list, tuple)) else ():
        if isinstance(item, dict):
            pairs.append((item.get("name"), item.get("value")))
        elif isinstance(item, (list, tuple)) and len(item) == 2:  # noqa: PLR2004 - a pair
            pairs.append((item[0], item[1]))
    found = Headers()
    for name, content in pairs:
        key = _string(name).lower()
        first = content[0] if isinstance(content, list) and content else content
        if isinstance(first, (str, bytes)) and is_credential(key, _string(first)):
            found.credentials += 1
        if key in _SHOWN and isinstance(first, (str, bytes)):
            found[key] = _string(first)
    return found


def _string(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value or "")


def decoded(headers: Mapping[str, str], body: bytes | None) -> Message:
    """Return a message whose *body* has its content codings undone."""
    if body is None:
        return Message(headers)
    found = undone(headers.get("content-encoding", ""), body)
    return Message(headers, found.body, trouble=found.trouble, held=len(body))


def is_streamed(message: Message) -> bool:
    """Return whether a body is server-sent events, by its beginning or by its type."""
    start = (message.body or b"")[:64].lstrip(b"\xef\xbb\xbf\r\n ")
    if start.startswith((b"event:", b"data:", b"id:", b": ")):
        return True
    return message.media_type == "text/event-stream" and start[:1] not in (b"{", b"[")


def from_base64(text: object) -> bytes | None:
    """Return the bytes of base64 *text*, or ``None`` where it is none."""
    try:
        return base64.b64decode(text, validate=False) if isinstance(text, (str, bytes)) else None
    except (binascii.Error, ValueError):
        return None


def parsed(message: Message) -> object:
    """Return the JSON value of a body; ``None`` where it is none."""
    if message.value is not None:
        return message.value
    body = (message.body or b"").strip()
    if body[:1] not in (b"{", b"["):
        return None
    try:
        return loads(body)
    except JsonError:
        return None


def events_in(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield name and data of each server-sent event in *body*."""
    text = body.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    name, data = "", list[str]()
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if not line:
            if data:
                yield name, "\n".join(data)
            name, data = "", []
            continue
        label, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if label == "data":
            data.append(value)
        elif label == "event":
            name = value
