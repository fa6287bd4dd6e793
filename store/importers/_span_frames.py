"""Export requests as protobuf bytes: one alone, or several with their length before each.

The collector's file exporter writes four bytes of length, the highest first;
others write the length as a protobuf varint.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from store.importers._span_protobuf import is_request

__all__ = ["frames", "is_frames"]

_LENGTH: Final = 4


def is_frames(head: bytes) -> bool:
    """Return whether *head* begins export requests as protobuf bytes."""
    return _start(head) is not None


def _start(head: bytes) -> str | None:
    if head[:1] in (b"{", b"["):
        return None
    if is_request(head):
        return "alone"
    if is_request(head[_LENGTH:]):
        return "fixed"
    size, place = _varint(head, 0)
    return "varint" if size and is_request(head[place:]) else None


def frames(data: bytes) -> Iterator[bytes]:
    """Yield each export request in *data*; the last may be cut short."""
    form = _start(data[: 64 * 1024])
    if form == "alone":
        yield data
        return
    place = 0
    while place < len(data):
        if form == "fixed":
            size = int.from_bytes(data[place : place + _LENGTH], "big")
            place += _LENGTH
        else:
            size, place = _varint(data, place)
            if not size:
                return
        yield data[place : place + size]
        place += size


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for count, byte in enumerate(data[place : place + 5]):
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:  # noqa: PLR2004 - the bit that says that more follows
            return value, place + count + 1
    return 0, place
