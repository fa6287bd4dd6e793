"""Reads requests that repeat the one before without parsing the repetition.

A log in which each call holds the whole conversation is quadratic.  Here the
bytes of ``request.messages`` are compared with those of the request before;
what is equal is replaced by a mark, and only the short rest is parsed.

Nothing is believed because of where it stands.  The mark is one JSON string,
and after parsing, each mark must be a direct element of ``request.messages``,
as often as it was put in.  Then the bytes it stands for, which parsed as such
elements before, can be nothing else here either.  Whatever does not fit ends
in `RequestReader.read` returning ``None``, and the line is read in the plain
way.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeGuard

import msgspec
import orjson

__all__ = ["Fresh", "Kept", "Known", "Request", "RequestReader"]

_KEY = b'"messages"'
_OPENS = re.compile(rb"[ \t\r\n]*:[ \t\r\n]*\[")
_SPACE = b" \t\r\n"
_MARK = b'"\\u0000 the same bytes as before \\u0000"'
_CANDIDATES = 4
_ANCHORS = 4
_TRIES = 12
_PATIENCE = 8
"""After so many requests in a row that shared nothing, a file is not asked again."""


class Kept(NamedTuple):
    """Messages ``[start, stop)`` of the request before, unchanged."""

    start: int
    stop: int


class Known(NamedTuple):
    """A message with the same bytes as one that was read before; ``message`` is its index."""

    message: int


class Fresh(NamedTuple):
    """A message never seen in these bytes."""

    value: object
    raw: bytes
    digest: bytes


class Request(NamedTuple):
    """A line with its messages apart: ``event``, read from ``rest``, has an empty list for them."""

    event: dict[str, object]
    rest: bytes
    pieces: list[Kept | Known | Fresh]


class _Messages(msgspec.Struct):
    messages: list[msgspec.Raw]


class _Event(msgspec.Struct):
    request: _Messages


_decode = msgspec.json.Decoder(_Event).decode


class _Run(NamedTuple):
    """Messages ``[start, stop)`` of the request before; they stand at ``begin`` of the line."""

    start: int
    stop: int
    begin: int
    end: int


@dataclass(slots=True)
class _Array:
    """Where the messages of a request stand in its line."""

    line: bytes = b""
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def bytes_of(self, start: int, stop: int) -> memoryview:
        return memoryview(self.line)[self.starts[start] : self.ends[stop - 1]]

    def equal_from(self, first: int, line: bytes, at: int) -> int:
        """Return up to which message, from *first*, this array stands in *line* at *at*."""
        count = len(self.ends)
        if first >= count or line.startswith(self.bytes_of(first, count), at):
            return count
        low, high, shift = first, count - 1, at - self.starts[first]
        while low < high:
            middle = (low + high + 1) // 2
            if line.startswith(self.bytes_of(low, middle), self.starts[low] + shift):
                low = middle
            else:
                high = middle - 1
        return low


@dataclass(slots=True)
class RequestReader:
    """Reads the model calls of one file.

    ``known`` maps the SHA-256 of a message's bytes to its index; whoever uses
    the reader fills it, and calls `forget` after each call that was read in
    another way.  With ``shortcut`` off every byte is parsed.
    """

    shortcut: bool = True
    known: dict[bytes, int] = field(default_factory=dict)
    skipped: int = 0
    _before: _Array = field(default_factory=_Array)
    _misses: int = 0

    def read(self, line: bytes) -> Request | None:
        """Return the call in *line*, or ``None`` if it is to be read in the plain way."""
        at = self._array_at(line)
        if at is None:
            return None
        runs = self._runs(line, at)
        found = self._parsed(line, at, runs)
        if found is None and runs:
            found = self._parsed(line, at, [])
        return found

    def forget(self) -> None:
        """Do not compare the next request with the last one read here."""
        self._before = _Array()

    def _array_at(self, line: bytes) -> int | None:
        """Return where the first message of ``request.messages`` would stand."""
        at = -1
        for _ in range(_CANDIDATES):
            at = line.find(_KEY, at + 1)
            if at < 0:
                return None
            opens = _OPENS.match(line, at + len(_KEY))
            if opens is None:
                continue
            match _parse(line[: opens.end()] + b"]}}"):
                case {"request": {"messages": []}}:
                    return opens.end()
        return None

    def _runs(self, line: bytes, at: int) -> list[_Run]:
        """Find what stands in the request before, in the same order."""
        before = self._before
        if not self.shortcut or not before.ends or self._misses >= _PATIENCE:
            return []
        runs: list[_Run] = []
        first, place = 0, _skip(line, at)
        tries = _TRIES
        while True:
            stop = before.equal_from(first, line, place)
            if stop > first:
                end = place + before.ends[stop - 1] - before.starts[first]
                runs.append(_Run(first, stop, place, end))
                first, place = stop, end
            candidate, place, tries = self._anchor(line, first, place, tries)
            if place < 0:
                break
            first = candidate
        shared = sum(run.end - run.begin for run in runs)
        self._misses = self._misses + 1 if not shared else 0
        return runs

    def _anchor(self, line: bytes, first: int, place: int, tries: int) -> tuple[int, int, int]:
        """Return the next message of the request before that stands further on, and where.

        The place is -1 when there is none.  *tries* counts the searches in
        vain that are left: each may go over the whole line.
        """
        before = self._before
        count = len(before.ends)
        for candidate in (*range(first + 1, first + _ANCHORS), first):
            if candidate < count and tries:
                found = line.find(before.bytes_of(candidate, candidate + 1), place)
                if found >= 0:
                    return candidate, found, tries
                tries -= 1
        return first, -1, tries

    def _parsed(self, line: bytes, at: int, runs: list[_Run]) -> Request | None:
        found = _elements(_with_marks(line, runs), runs)
        if found is None:
            return None
        raws, marks = found
        array = _Array(line)
        end = self._walk(array, at, raws, marks)
        if end is None:
            return None
        rest = line[:at] + line[end:]
        event = _parse(rest)
        pieces = self._pieces(raws, marks)
        if pieces is None or not _is_call(event):
            return None
        self._before = array
        self.skipped += sum(run.end - run.begin for run in runs)
        return Request(event, rest, pieces)

    def _walk(
        self, array: _Array, at: int, raws: list[msgspec.Raw], marks: dict[int, _Run]
    ) -> int | None:
        """Fill *array* and return where the list closes, ``None`` when the bytes do not agree."""
        line, place = array.line, at
        for index, raw in enumerate(raws):
            if index:
                place = _skip(line, place)
                if line[place : place + 1] != b",":
                    return None
                place += 1
            place = _skip(line, place)
            run = marks.get(index)
            if run is None:
                if not line.startswith(memoryview(raw), place):
                    return None
                array.starts.append(place)
                place += len(memoryview(raw))
                array.ends.append(place)
            else:
                if run.begin != place:
                    return None
                shift = place - self._before.starts[run.start]
                array.starts += _moved(self._before.starts[run.start : run.stop], shift)
                array.ends += _moved(self._before.ends[run.start : run.stop], shift)
                place = run.end
        place = _skip(line, place)
        return place if line[place : place + 1] == b"]" else None

    def _pieces(
        self, raws: list[msgspec.Raw], marks: dict[int, _Run]
    ) -> list[Kept | Known | Fresh] | None:
        pieces: list[Kept | Known | Fresh] = []
        for index, raw in enumerate(raws):
            run = marks.get(index)
            if run is not None:
                pieces.append(Kept(run.start, run.stop))
                continue
            data = bytes(raw)
            digest = hashlib.sha256(data).digest()
            known = self.known.get(digest)
            if known is not None:
                pieces.append(Known(known))
                continue
            value = _parse(data)
            if value is None:
                return None
            pieces.append(Fresh(value, data, digest))
        return pieces


def _elements(short: bytes, runs: list[_Run]) -> tuple[list[msgspec.Raw], dict[int, _Run]] | None:
    """Return the elements of ``request.messages``, and which of them stand for *runs*.

    ``None`` when a mark is not such an element, or when the line holds the
    bytes of the mark itself.
    """
    try:
        raws = _decode(short).request.messages
    except (msgspec.DecodeError, RecursionError):
        return None
    places = [index for index, raw in enumerate(raws) if _is_mark(raw)]
    if not len(places) == len(runs) == short.count(_MARK):
        return None
    return raws, dict(zip(places, runs, strict=True))


def _is_mark(raw: msgspec.Raw) -> bool:
    return len(memoryview(raw)) == len(_MARK) and bytes(raw) == _MARK


def _is_call(value: object) -> TypeGuard[dict[str, object]]:
    match value:
        case {"event": "model_call", "request": {"messages": []}}:
            return True
    return False


def _with_marks(line: bytes, runs: list[_Run]) -> bytes:
    if not runs:
        return line
    view = memoryview(line)
    pieces: list[bytes | memoryview] = [view[: runs[0].begin], _MARK]
    for run, following in pairwise(runs):
        pieces += (view[run.end : following.begin], _MARK)
    pieces.append(view[runs[-1].end :])
    return b"".join(pieces)


def _parse(data: bytes) -> object:
    """Return the value, ``None`` for what the strict parser refuses."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return None


def _skip(line: bytes, place: int) -> int:
    while line[place : place + 1] in _ONE_SPACE:
        place += 1
    return place


_ONE_SPACE = frozenset(bytes([space]) for space in _SPACE)


def _moved(places: Iterable[int], shift: int) -> Iterable[int]:
    return [place + shift for place in places] if shift else places
