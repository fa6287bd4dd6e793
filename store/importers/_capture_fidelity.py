"""Whether a capture is what was on the wire: what a recorder changed, and what can be undone.

Each change is told by something that the capture itself holds: the length that
a header names, bytes that are one text read in another charset, names in place
of text.  Undone is only what every byte proves.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Final, NamedTuple

from store.importers._capture_http import Message, is_streamed, parsed
from store.records.grades import Grade

__all__ = [
    "SCRUBBED",
    "Change",
    "as_sent",
    "change_of_request",
    "change_of_response",
    "mistaken_for",
    "put_right",
]

SCRUBBED: Final = re.compile(
    r"<[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+>|<(?:REDACTED|SCRUBBED|FILTERED|MASKED|OMITTED)>"
    r"|\[(?:REDACTED|SCRUBBED|FILTERED|MASKED|OMITTED)\]|\*\*REDACTED\*\*"
    r"|\(litellm_truncated skipped [0-9]+ chars|<truncated due to size exceeding limit>"
)
"""What recorders and logs put in place of text; the last two stand for text that was cut."""
_CHARSETS: Final = (("latin-1", "Latin-1"), ("cp1252", "Windows-1252"))
_FEW: Final = 64
_PART: Final = 10
"""A response is called shortened from so many bytes, and a tenth of it, on."""
_FOLDED: Final = 3
"""Rewriting Unicode leaves at least a third of the bytes of a text."""


class Change(NamedTuple):
    """What was changed, and what that leaves of the grade of the request."""

    grade: Grade
    what: str


def as_sent(body: bytes) -> tuple[bytes, str]:
    """Return the bytes that were taken for another charset, and its name where that is proven."""
    if body.isascii():
        return body, ""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return body, ""
    for codec, name in _CHARSETS:
        try:
            found = _encoded(text, codec)
            found.decode()
        except UnicodeError:
            continue
        return found, name
    return body, ""


def _encoded(text: str, codec: str) -> bytes:
    """Encode *text*; five bytes have no character in Windows-1252, and decoders let them pass."""
    if codec == "latin-1":
        return text.encode(codec)
    return b"".join(
        char.encode("latin-1") if char in "\x81\x8d\x8f\x90\x9d" else char.encode(codec)
        for char in text
    )


def change_of_request(message: Message, *, rewritten: bool) -> Change | None:
    """Return what the length that its header names proves of the body of a request."""
    declared, held = message.declared, message.held
    if declared is None or held is None or message.headers.get("content-encoding"):
        return None
    value = parsed(message)
    lengths = {held, *(_lengths(value) if isinstance(value, (dict, list)) else ())}
    if declared in lengths or not declared:
        return None
    longest = max(lengths)
    if longest > declared:
        what = f"{declared} bytes were sent and the capture holds {held}: the recorder wrote anew"
        return Change(Grade.RECORDED, what)
    if rewritten and longest * _FOLDED > declared:
        return None
    what = (
        f"{declared} bytes were sent and the capture holds {held}: the recorder took text out of "
        "this request"
    )
    return Change(Grade.UNKNOWN, what)


def change_of_response(message: Message) -> str:
    """Return what the length that its header names proves of the body of a response."""
    declared, held = message.declared, message.held
    if declared is None or held is None or message.headers.get("content-encoding"):
        return ""
    missing = declared - held
    if missing < _FEW or missing * _PART < declared:
        return ""
    return f"{declared} bytes were received and the capture holds {held}: text is missing"


def mistaken_for(message: Message) -> str:
    """Say for which charset a streamed body was taken, nothing where it was not."""
    name = _mistaken(message)[1]
    return name and (
        f"the recorder took UTF-8 for {name} in a response; every byte of it could be told, so it "
        "was undone"
    )


def put_right(message: Message) -> Message:
    """Return a message whose body is as it was sent, where that is proven."""
    body, name = _mistaken(message)
    return replace(message, body=body) if name else message


def _mistaken(message: Message) -> tuple[bytes | None, str]:
    """Return a body as it was sent; one whose type names its charset was not mistaken."""
    body = message.body
    if not body or body.isascii() or "charset=" in message.headers.get("content-type", "").lower():
        return body, ""
    is_json = body.lstrip()[:1] in (b"{", b"[")
    return as_sent(body) if is_json or is_streamed(message) else (body, "")


def _lengths(value: object) -> set[int]:
    """Return how long a JSON value may have been as it was sent."""
    found = set[int]()
    for separators in ((",", ":"), (", ", ": ")):
        for ascii_only in (True, False):
            try:
                text = json.dumps(value, ensure_ascii=ascii_only, separators=separators)
            except (ValueError, RecursionError):
                return found
            found.add(len(text.encode("utf-8", "surrogatepass")))
    return found
