"""Compressed streams, unpacked piece by piece with a limit on what they may grow to.

Several frames behind one another are one stream (gzip and Zstandard both allow
it; evaluation logs are written so): a reader that stops at the end of the
first would lose the rest without a word.
"""

from __future__ import annotations

import bz2
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Protocol

from store.stopping import go_on

__all__ = ["PIECE", "PackedError", "Unpacker", "bzip2", "deflate", "gzip", "unpacked", "zstandard"]

PIECE: Final = 1 << 20
"""Bytes that are unpacked at a time."""
_FREE: Final = 64 << 20
"""Bytes up to which a stream may grow by any ratio."""
_RATIO: Final = 500
"""How often larger than its packed bytes a stream may grow beyond that.

Records repeat themselves, some of them seven times over; no record repeats
itself hundreds of times.
"""


class PackedError(Exception):
    """What is packed cannot be unpacked.  The text says why, and what to do."""


class Unpacker(Protocol):
    """What the modules for bzip2 and Zstandard share."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Inflate:
    """zlib with the interface of the others."""

    def __init__(self, window: int) -> None:
        self._tool = zlib.decompressobj(window)
        self._rest = b""
        self._more = False

    @property
    def eof(self) -> bool:
        return self._tool.eof

    @property
    def needs_input(self) -> bool:
        return not (self._rest or self._more or self._tool.eof)

    @property
    def unused_data(self) -> bytes:
        return self._tool.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        found = self._tool.decompress(self._rest + data, max_length)
        self._rest = self._tool.unconsumed_tail
        # All input may be taken in before all output is given out.
        self._more = len(found) == max_length
        return found


def deflate() -> Unpacker:
    """Return what unpacks a raw deflate stream."""
    return _Inflate(-zlib.MAX_WBITS)


def gzip() -> Unpacker:
    """Return what unpacks a gzip stream."""
    return _Inflate(zlib.MAX_WBITS | 16)


def bzip2() -> Unpacker:
    """Return what unpacks a bzip2 stream."""
    return bz2.BZ2Decompressor()


def zstandard() -> Unpacker:
    """Return what unpacks a Zstandard frame."""
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415
    else:
        from backports import zstd  # noqa: PLC0415 - only what is packed so needs it
    tool: Any = zstd.ZstdDecompressor()
    made: Unpacker = tool
    return made


def unpacked(packed: Iterable[bytes], make: Callable[[], Unpacker], limit: int) -> Iterator[bytes]:
    """Yield what the *packed* pieces hold, all their frames, in pieces of at most `PIECE` bytes.

    Raises `PackedError` where the stream is damaged, ends too early, grows
    beyond *limit* bytes, or by a ratio that no record has.
    """
    tool: Unpacker | None = None
    ended = False
    taken = given = 0
    for data in packed:
        go_on()
        taken += len(data)
        rest = data
        while rest or (tool is not None and not tool.needs_input):
            if tool is None:
                # What pads a tape behind the last frame; the first one may well begin with a
                # zero: so does a deflate stream that stores what cannot be packed any tighter.
                rest = rest.lstrip(b"\0") if ended else rest
                if not rest:
                    break
                tool = make()
            found = _step(tool, rest)
            given += len(found)
            if given > limit or (given > _FREE and given > taken * _RATIO):
                raise PackedError(
                    f"grows to more than {given} bytes from {taken}: unpacked no further; "
                    "unpack it yourself if you trust it, and give what was in it"
                )
            if found:
                yield found
            rest = tool.unused_data if tool.eof else b""
            if tool.eof:
                tool, ended = None, True
    if tool is not None:
        raise PackedError("ends too early: it was cut short; fetch or copy it again")


def _step(tool: Unpacker, data: bytes) -> bytes:
    try:
        return tool.decompress(data, PIECE)
    except Exception as error:  # noqa: BLE001 - each library has errors of its own
        raise PackedError(f"cannot be unpacked ({error}); fetch or copy it again") from None
