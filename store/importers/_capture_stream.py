"""Binary event streams of Amazon Bedrock (``application/vnd.amazon.eventstream``).

A message is: 4 bytes length, 4 bytes length of the headers, 4 bytes CRC-32 of
those, headers, payload, 4 bytes CRC-32 of all; big-endian (Smithy, "Amazon
event stream specification").  A header of type 7 is a text.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final

__all__ = ["StreamError", "is_stream", "stream_events"]

_PRELUDE: Final = 12
_LEAST: Final = 16
_MOST: Final = 24 << 20
_SIZES: Final = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}


class StreamError(ValueError):
    """The stream is damaged or cut off; the message says where."""


def is_stream(body: bytes, at: int = 0) -> bool:
    """Return whether a message of an event stream begins at byte *at* of *body*."""
    if len(body) - at < _LEAST:
        return False
    total, headers, crc = _prelude(body, at)
    return _LEAST <= total <= _MOST and headers <= total and zlib.crc32(body[at : at + 8]) == crc


def stream_events(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield type and payload of each event.  Raises `StreamError` behind the last whole one."""
    at = 0
    while at < len(body):
        if not is_stream(body, at):
            raise StreamError(f"no event at byte {at} of the stream")
        total, size, _ = _prelude(body, at)
        whole = body[at : at + total]
        if len(whole) < total:
            raise StreamError(f"the stream is cut off at byte {at}")
        if zlib.crc32(whole[:-4]) != struct.unpack_from(">I", whole, total - 4)[0]:
            raise StreamError(f"the event at byte {at} has a wrong checksum")
        headers = _headers(whole[_PRELUDE : _PRELUDE + size])
        name = headers.get(":event-type") or headers.get(":exception-type") or ""
        yield name, whole[_PRELUDE + size : -4]
        at += total


def _prelude(body: bytes, at: int) -> tuple[int, int, int]:
    total, headers, crc = struct.unpack_from(">III", body, at)
    return int(total), int(headers), int(crc)


def _headers(data: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    at = 0
    while at < len(data):
        name_end = at + 1 + data[at]
        name = data[at + 1 : name_end].decode("latin-1")
        kind = data[name_end] if name_end < len(data) else -1
        at = name_end + 1
        if kind in (6, 7):
            length = int.from_bytes(data[at : at + 2], "big")
            if kind == 7:  # noqa: PLR2004 - a text
                found[name] = data[at + 2 : at + 2 + length].decode("utf-8", "replace")
            at += 2 + length
        elif kind in _SIZES:
            at += _SIZES[kind]
        else:
            break
    return found
