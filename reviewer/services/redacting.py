"""Finds what a redacted text left elsewhere, and takes it out.

Letters and digits are compared, nothing else: so that line numbers, quotation
marks, white space, case, full-width forms and the escapes of JSON, HTML and
addresses between them hide nothing.  What shares a run of `LIMIT` with a
redacted text is masked; a wide character (Chinese, Japanese, Korean) counts
three.  Shorter pieces, other words for the same, translations, and copies that
were compressed, encrypted or written as base64 are not found: whoever relies on
a redaction must know that, and the bundle says it.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from typing import TypeVar, cast
from urllib.parse import unquote_to_bytes

import numpy as np
import numpy.typing as npt

__all__ = ["LIMIT", "MASK", "Redactor", "masked_record"]

LIMIT = 16
"""Letters and digits in a row from which on a text is one that was redacted."""

MASK = "█"
"""Stands for one character, so that every offset stays what it was."""

_WINDOW = 8
_WIDE_WINDOW = 5
_WIDE_LEAST = 4
_LEAST = 4
_GAP = 32
_WIDE = 0x2E80
_DEPTH = 4
_REMEMBERED = 200
"""Characters of a text whose masked form is kept, since it may come again."""
_PRIME = np.uint64(1099511628211)
_BACKSLASH = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

Codes = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class _Letters:
    """The letters and digits of a text, folded, each with its range in that text."""

    codes: Codes
    starts: Places
    ends: Places


@cache
def _folded(code: int) -> int:
    """Return the letter or digit that *code* is, whatever its case and width, or 0."""
    for char in unicodedata.normalize("NFKC", chr(code)).casefold():
        if char.isalnum():
            return ord(char)
    return 0


def _letters(text: str, starts: Places, ends: Places) -> _Letters:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    unique, inverse = np.unique(codes, return_inverse=True)
    table = np.array([_folded(int(code)) for code in unique], dtype=np.uint32)
    folded = table[inverse] if len(unique) else codes
    kept = folded > 0
    return _Letters(folded[kept], starts[kept], ends[kept])


def _plain(text: str) -> tuple[Places, Places]:
    starts = np.arange(len(text), dtype=np.int64)
    return starts, starts + 1


def _readings(text: str) -> Iterator[_Letters]:
    """Yield the letters of *text* as it stands, and with each layer of escapes undone."""
    starts, ends = _plain(text)
    yield _letters(text, starts, ends)
    for pattern in (_BACKSLASH, _ENTITY, _PERCENT):
        read, first, last = text, starts, ends
        for _ in range(_DEPTH):
            undone = _undone(pattern, read, first, last)
            if undone is None:
                break
            read, first, last = undone
            yield _letters(read, first, last)


def _undone(
    pattern: re.Pattern[str], text: str, starts: Places, ends: Places
) -> tuple[str, Places, Places] | None:
    """Return *text* with each escape read, and where each character stood; `None` without any."""
    pieces: list[str] = []
    first: list[Places] = []
    last: list[Places] = []
    at = 0
    for found in pattern.finditer(text):
        read = _read_escape(found)
        pieces += [text[at : found.start()], read]
        first += [starts[at : found.start()], np.repeat(starts[found.start()], len(read))]
        last += [ends[at : found.start()], np.repeat(ends[found.end() - 1], len(read))]
        at = found.end()
    if not at:
        return None
    pieces.append(text[at:])
    return (
        "".join(pieces),
        np.concatenate([*first, starts[at:]]),
        np.concatenate([*last, ends[at:]]),
    )


def _read_escape(found: re.Match[str]) -> str:
    text = found[0]
    if text.startswith("\\"):
        return chr(int(found[1], 16)) if found[1] else _CONTROLS.get(found[2], found[2])
    if text.startswith("&"):
        return html.unescape(text)
    return unquote_to_bytes(text).decode("utf-8", "replace")


def _windows(codes: Codes, size: int) -> Hashes:
    """Return a hash of each *size* letters in a row."""
    count = max(0, len(codes) - size + 1)
    total = np.zeros(count, dtype=np.uint64)
    for place in range(size):
        total = total * _PRIME + codes[place : place + count].astype(np.uint64)
    return total


def _wide_windows(codes: Codes) -> tuple[Places, Hashes]:
    """Return where short windows of mostly wide characters begin, and their hashes."""
    hashes = _windows(codes, _WIDE_WINDOW)
    wide = np.concatenate(([0], np.cumsum(codes >= _WIDE)))
    counts = wide[_WIDE_WINDOW : _WIDE_WINDOW + len(hashes)] - wide[: len(hashes)]
    places = np.flatnonzero(counts >= _WIDE_LEAST)
    return places, hashes[places]


def _among(hashes: Hashes, known: Hashes) -> npt.NDArray[np.bool_]:
    """Tell of each hash whether it is *known*, which is sorted: what is looked for stays short."""
    if not len(known):
        return np.zeros(len(hashes), dtype=bool)
    places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    return np.equal(known[places], hashes)


class Redactor:
    """Knows the redacted *texts*; *names* stay as they are wherever they stand alone."""

    def __init__(self, texts: Iterable[str], names: Collection[str] = ()) -> None:
        self._names = frozenset(names)
        self._short: set[bytes] = set()
        self._seen: dict[str, str] = {}
        self.unsearchable = 0
        known = [np.empty(0, dtype=np.uint64)]
        wide = [np.empty(0, dtype=np.uint64)]
        for text in texts:
            codes = _letters(text, *_plain(text)).codes
            if _weight(codes) < LIMIT:
                self._take_short(codes)
            else:
                known.append(np.unique(_windows(codes, _WINDOW)))
                wide.append(np.unique(_wide_windows(codes)[1]))
        self._known = np.unique(np.concatenate(known))
        self._wide = np.unique(np.concatenate(wide))

    def _take_short(self, codes: Codes) -> None:
        if len(codes) >= _LEAST:
            self._short.add(codes.tobytes())
        else:
            self.unsearchable += 1

    def holds(self, text: str, limit: int = LIMIT) -> bool:
        """Tell whether *text* shares a run of *limit* with a redacted text."""
        if text in self._names:
            return False
        return any(self._runs(letters, limit) for letters in _readings(text))

    def mask(self, text: str) -> str:
        """Return *text*, its line feeds in their places, with what was redacted masked."""
        if len(text) < _LEAST or text in self._names:
            return text
        if len(text) > _REMEMBERED:
            return self._masked(text)
        # Reports say the same words again and again.
        known = self._seen.get(text)
        if known is None:
            known = self._seen[text] = self._masked(text)
        return known

    def _masked(self, text: str) -> str:
        ranges = [
            (int(letters.starts[first]), int(letters.ends[last - 1]))
            for letters in _readings(text)
            for first, last in _joined(self._runs(letters, LIMIT))
        ]
        if not ranges:
            return text
        hidden = np.zeros(len(text), dtype=bool)
        for start, end in ranges:
            hidden[start:end] = True
        # Where most of a text is hidden, the rest of it tells of what it was.
        if 2 * int(hidden.sum()) > len(text.strip()):
            hidden[:] = True
        return "".join(
            MASK if hide and char != "\n" else char for char, hide in zip(text, hidden, strict=True)
        )

    def _runs(self, letters: _Letters, limit: int) -> list[tuple[int, int]]:
        """Return the runs of letters that stand in a redacted text, each long enough."""
        codes = letters.codes
        covered = np.zeros(len(codes) + 1, dtype=np.int64)
        hits = np.flatnonzero(_among(_windows(codes, _WINDOW), self._known))
        places, hashes = _wide_windows(codes)
        wide = places[_among(hashes, self._wide)]
        for found_at, size in ((hits, _WINDOW), (wide, _WIDE_WINDOW)):
            np.add.at(covered, found_at, 1)
            np.add.at(covered, found_at + size, -1)
        inside = np.cumsum(covered[:-1]) > 0
        edges = np.flatnonzero(np.diff(np.concatenate(([0], inside.astype(np.int8), [0]))))
        pairs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
        found = [(first, last) for first, last in pairs if _weight(codes[first:last]) >= limit]
        return sorted([*found, *self._short_runs(codes)])

    def _short_runs(self, codes: Codes) -> Iterator[tuple[int, int]]:
        """Yield where a text that is shorter than the limit stands as a whole."""
        data = codes.tobytes()
        for wanted in self._short:
            at = data.find(wanted)
            while at >= 0:
                if at % 4 == 0:
                    yield at // 4, (at + len(wanted)) // 4
                at = data.find(wanted, at + 4 - at % 4)


def _weight(codes: Codes) -> int:
    return len(codes) + 2 * int((codes >= _WIDE).sum())


def _joined(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join runs with little between them: line numbers, or lines too short to be known."""
    joined: list[tuple[int, int]] = []
    for first, last in runs:
        if joined and first - joined[-1][1] <= _GAP:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


_Record = TypeVar("_Record")


def masked_record(record: _Record, redactor: Redactor) -> _Record:
    """Return a record of the program with every text in it masked."""
    return cast("_Record", _masked(record, redactor))


def _masked(value: object, redactor: Redactor) -> object:
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return redactor.mask(value)
    if isinstance(value, Mapping):
        return {key: _masked(below, redactor) for key, below in value.items()}
    if isinstance(value, (tuple, list)):
        made = [_masked(below, redactor) for below in value]
        return value if all(a is b for a, b in zip(made, value, strict=True)) else type(value)(made)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {}
        for each in fields(value):
            old = getattr(value, each.name)
            new = _masked(old, redactor)
            if each.init and new is not old:
                changed[each.name] = new
        return replace(value, **changed) if changed else value
    return value
