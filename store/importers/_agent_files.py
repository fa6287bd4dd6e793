"""Versions of the files that an agent read, rebuilt from what its tools' results show.

A transcript holds no file; it holds numbered lines and copies for display.
Reads of one unchanged file are pieces of one version; an edit, a write or a
line that differs begins the next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Protocol

from store.records.sources import Integrity, Selection, SourceKind, Version, VersionKey
from store.records.text import Span, Unit

__all__ = ["FileVersions", "Replacement", "SavedFiles", "Shown"]


class SavedFiles(Protocol):
    """Files that an agent saved beside its transcript, by their own names."""

    def name_in(self, path: str) -> str:
        """Return the name of the saved file that *path* is, or an empty string."""

    def text_of(self, name: str) -> str | None:
        """Return its text, if it is there and is text."""
        data = self.bytes_of(name)
        try:
            return None if data is None else data.decode()
        except UnicodeDecodeError:
            return None

    def bytes_of(self, name: str) -> bytes | None:
        """Return its bytes, if it is there."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What one result shows of a file.

    ``lines`` are its lines by number from 1, in order.  ``whole`` is the
    file's text where the result proves that this is all of it.  Asked for were
    the lines ``[first, end)``, to the end of the file without ``end``.
    """

    lines: Sequence[tuple[int, str]] = ()
    whole: str | None = None
    first: int = 1
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Replacement:
    """One replacement of text in a file, of its first place or of all."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(slots=True, eq=False)
class _State:
    """One state of one file: its whole text, or the lines that were seen of it."""

    path: str
    origin: str
    text: str | None = None
    lines: dict[int, str] = field(default_factory=dict)
    rows: list[str] = field(default_factory=list)
    data: bytes | None = None
    kept: bool = False
    reads: dict[str, tuple[int, int | None]] = field(default_factory=dict)

    def takes(self, lines: Sequence[tuple[int, str]], whole: str | None) -> bool:
        """Return whether what a read shows can be of this state."""
        if self.text is not None:
            if whole is not None:
                return whole == self.text
            count = len(self.rows)
            return all(number <= count and self.rows[number - 1] == row for number, row in lines)
        if whole is not None:
            rows = whole.split("\n")
            return all(at <= len(rows) and rows[at - 1] == row for at, row in self.lines.items())
        return all(self.lines.get(number, row) == row for number, row in lines)

    def know(self, lines: Sequence[tuple[int, str]], whole: str | None) -> None:
        """Add what a read shows."""
        if self.text is not None:
            return
        if whole is not None:
            self.text, self.rows, self.lines = whole, whole.split("\n"), {}
        else:
            self.lines.update(lines)

    def version(self) -> Version:
        """Return the version this state is."""
        title = self.path.rpartition("/")[2]
        if self.text is None:
            ordered = sorted(self.lines.items())
            pieces = "".join(f"{number}\t{row}\n" for number, row in ordered)
            return Version(
                key=VersionKey(self.path, f"partial:{_sha256(pieces)}"),
                kind=SourceKind.FILE,
                title=title,
                text="".join(f"{row}\n" for _, row in ordered),
                integrity=Integrity.RECONSTRUCTED,
                unit=Unit.LINE,
                line_numbers=tuple(number for number, _ in ordered),
                origin=self.origin,
            )
        if self.data is not None:
            sha256 = hashlib.sha256(self.data).hexdigest()
            return Version(
                key=VersionKey(self.path, sha256),
                kind=SourceKind.FILE,
                title=title,
                sha256=sha256,
                byte_length=len(self.data),
                chars=len(self.text),
                text=self.text,
                origin=self.origin,
            )
        return Version(
            key=VersionKey(self.path, f"reconstructed:{_sha256(self.text)}"),
            kind=SourceKind.FILE,
            title=title,
            chars=len(self.text),
            text=self.text,
            integrity=Integrity.RECONSTRUCTED,
            origin=self.origin,
        )


class FileVersions:
    """Follows every file of a run in conversation order; `finish` names the versions."""

    def __init__(self, side: SavedFiles | None = None) -> None:
        self._side = side
        self._now: dict[str, _State] = {}
        self._states: list[_State] = []
        self._bare: dict[str, Selection] = {}

    def read(self, call_id: str, path: str, shown: Shown, origin: str) -> None:
        """Take what the result of *call_id* shows of the file *path*."""
        if not shown.lines and shown.whole is None:
            self.failed(call_id, path, shown)
            return
        state = self._current(path)
        if state is None or not state.takes(shown.lines, shown.whole):
            state = self._begin(path, origin)
        state.know(shown.lines, shown.whole)
        state.reads[call_id] = (shown.first, shown.end)

    def failed(self, call_id: str, path: str, shown: Shown) -> None:
        """Take a read that gave no text: nothing is known of any version."""
        first, end = shown.first, shown.end
        ranges = (Span(first, end),) if end is not None and end > first else ()
        self._bare[call_id] = Selection(path, unit=Unit.LINE, ranges=ranges)

    def attached(self, path: str, text: str, origin: str) -> VersionKey:
        """Take a file whose whole text the client attached; return its version."""
        state = self._current(path)
        if state is None or not state.takes([], text):
            state = self._begin(path, origin)
        state.know([], text)
        state.kept = True
        return state.version().key

    def written(self, path: str, text: str, origin: str) -> None:
        """Take a file that was written whole."""
        state = self._begin(path, origin)
        state.know([], text)
        state.kept = True

    def edited(self, path: str, edits: Sequence[Replacement], original: str, origin: str) -> None:
        """Take an edit; *original* is a copy of the file before it, if there is one."""
        before = self._current(path)
        base = before.text if before else None
        if original:
            if before is None:
                base = original
            elif before.takes([], original):
                base = original
                before.know([], original)
        after = self._begin(path, origin)
        text = None if base is None else _after_edit(base, edits)
        if text is not None:
            after.know([], text)

    def changed(self, path: str, origin: str) -> None:
        """Take a change whose text is not recorded."""
        self._begin(path, origin)

    def finish(self) -> tuple[dict[str, Selection], list[Version]]:
        """Return what each read selected, and the versions in the order they were met."""
        selections = dict(self._bare)
        versions: dict[VersionKey, Version] = {}
        for state in self._states:
            if not state.reads and not state.kept:
                continue
            version = state.version()
            versions.setdefault(version.key, version)
            starts = list(accumulate((len(row) + 1 for row in state.rows), initial=0))
            for call_id, wanted in state.reads.items():
                selections[call_id] = _selection(state, version, starts, wanted)
        return selections, list(versions.values())

    def _current(self, path: str) -> _State | None:
        state = self._now.get(path)
        name = self._side.name_in(path) if self._side is not None else ""
        if state is None and self._side is not None and name:
            text, data = self._side.text_of(name), self._side.bytes_of(name)
            if text is not None and data is not None:
                state = self._begin(path, f"tool-results/{name}")
                state.know([], text)
                state.data = data
        return state

    def _begin(self, path: str, origin: str) -> _State:
        state = _State(path, origin)
        self._now[path] = state
        self._states.append(state)
        return state


def _selection(
    state: _State, version: Version, starts: list[int], wanted: tuple[int, int | None]
) -> Selection:
    first, end = wanted
    key = version.key
    if state.text is None:
        span = Span(first, max(first, end or first))
        return Selection(key.source_id, key.version_id, Unit.LINE, (span,))
    last = len(state.rows) if end is None else min(end - 1, len(state.rows))
    start = min(starts[min(first - 1, len(state.rows))], len(state.text))
    # A tool joins the lines it gives: the end of the last one is not asked for.
    stop = max(start, starts[last] - 1)
    return Selection(key.source_id, key.version_id, Unit.CHAR, (Span(start, stop),))


def _after_edit(text: str, edits: Sequence[Replacement]) -> str | None:
    """Return the text after the edits, or ``None`` where they do not fit it."""
    for edit in edits:
        if not edit.old or edit.old not in text:
            return None
        text = text.replace(edit.old, edit.new, -1 if edit.everywhere else 1)
    return text if edits else None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
