"""Content codings of HTTP bodies, undone with a limit on what a body may grow to.

The first bytes decide before the header does: recorders decode bodies and keep
the header, or drop it and keep the coding.  Brotli has no first bytes of its
own and is tried where the header names it.  Codings as in RFC 9110, section
8.4; ``deflate`` with and without the zlib wrapper, since both are served.
"""

from __future__ import annotations

import zlib
from typing import Final, NamedTuple, Protocol

from store.importers._unpacking import zstandard

__all__ = ["LIMIT", "Undone", "undone"]

LIMIT: Final = 256 << 20
"""No body of a model call is larger; what grows beyond it is a bomb."""
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_ROUNDS: Final = 3
_SHORT: Final = "it ends too early; what stands before that was read"


class Undone(NamedTuple):
    """A body without its codings, or ``None`` where nothing of it can be had; and what is wrong."""

    body: bytes | None
    trouble: str = ""


class _Tool(Protocol):
    """Unpacks one body; it may yield a part of it, and says what is missing."""

    def __call__(self, body: bytes) -> tuple[bytes, str]: ...


def undone(coding: str, body: bytes) -> Undone:
    """Return *body* without the codings that its first bytes and the header *coding* name."""
    names = {name.strip() for name in coding.lower().split(",")}
    missing = ""
    for _ in range(_ROUNDS):
        tool = _tool(names, body)
        if tool is None:
            break
        try:
            body, short = tool(body)
        except Exception as error:  # noqa: BLE001 - each library has errors of its own
            return Undone(None, f"the body cannot be decompressed ({error})")
        missing = missing or short
    trouble = f"the body cannot be decompressed ({missing})" if missing else ""
    return Undone(body if body or not missing else None, trouble)


def _tool(names: set[str], body: bytes) -> _Tool | None:
    if body.startswith(_GZIP):
        return lambda data: _inflated(data, 31)
    if body.startswith(_ZSTD):
        return _from_zstd
    if _is_plain(body):
        return None
    if "deflate" in names:
        names.discard("deflate")
        return lambda data: _inflated(data, 15 if data[:1] == b"\x78" else -15)
    if "br" in names:
        names.discard("br")
        return _from_brotli
    return None


def _is_plain(body: bytes) -> bool:
    """Return whether it is text already: a recorder decoded it and kept the header."""
    try:
        body[:512].decode()
    except UnicodeDecodeError as error:
        return error.start > len(body[:512]) - 4
    return not set(body[:64]) & set(range(9))


def _inflated(body: bytes, window: int) -> tuple[bytes, str]:
    tool = zlib.decompressobj(window)
    found = tool.decompress(body, LIMIT)
    if tool.unconsumed_tail:
        raise ValueError(f"more than {LIMIT} bytes")
    return found, "" if tool.eof else _SHORT


def _from_zstd(body: bytes) -> tuple[bytes, str]:
    tool = zstandard()
    found = tool.decompress(body, LIMIT)
    if not tool.eof and not tool.needs_input:
        raise ValueError(f"more than {LIMIT} bytes")
    return found, "" if tool.eof else _SHORT


def _from_brotli(body: bytes) -> tuple[bytes, str]:
    import brotli  # noqa: PLC0415 - only a body in this coding needs it

    tool = brotli.Decompressor()
    pieces = [tool.process(body, output_buffer_limit=LIMIT)]
    size = len(pieces[0])
    while not tool.is_finished() and not tool.can_accept_more_data() and size <= LIMIT:
        pieces.append(tool.process(b"", output_buffer_limit=LIMIT))
        size += len(pieces[-1])
    if size > LIMIT:
        raise ValueError(f"more than {LIMIT} bytes")
    return b"".join(pieces), "" if tool.is_finished() else _SHORT
