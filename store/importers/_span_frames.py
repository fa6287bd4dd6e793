"""Export requests as bytes: one protobuf alone, or several with their length before each.

The collector's file exporter writes four bytes of length, the highest first;
what follows is protobuf, or either form compressed with Zstandard.  Others
write the length as a protobuf varint.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from store.importers._span_protobuf import is_request
from store.importers._unpacking import unpacked, zstandard

__all__ = ["frames", "is_frames"]

_LENGTH: Final = 4
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_LARGEST: Final = 1 << 30
"""Bytes to which one request may unpack."""


def is_frames(head: bytes) -> bool:
    """Return whether *head* begins export requests as protobuf bytes."""
    return _start(head) is not None


def _start(head: bytes) -> str | None:
    if head[:1] in (b"{", b"["):
        return None
    if is_request(head):
        return "alone"
    if is_request(head[_LENGTH:]) or head[_LENGTH : _LENGTH + 4] == _ZSTD:
        return "fixed"
    size, place = _varint(head, 0)
    return "varint" if size and is_request(head[place:]) else None


def frames(data: bytes) -> Iterator[bytes]:
    """Yield each export request in *data*, unpacked; the last may be cut short.

    Raises `PackedError` where one cannot be unpacked.
    """
    for frame in _packed_frames(data):
        if frame.startswith(_ZSTD):
            yield b"".join(unpacked([frame], zstandard, _LARGEST))
        else:
            yield frame


def _packed_frames(data: bytes) -> Iterator[bytes]:
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
