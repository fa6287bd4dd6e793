"""Versions of the files that a session read, rebuilt from what its results show.

A transcript holds no file; it holds numbered lines and copies for display.
Reads of one unchanged file are pieces of one version; an edit, a write or a
line that differs begins the next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from store.importers._claude_folder import SideFiles
from store.importers._claude_lines import numbered_lines
from store.importers._claude_records import as_list, as_map
from store.records.sources import Integrity, Selection, SourceKind, Version, VersionKey
from store.records.text import Span, Unit

__all__ = ["FileVersions"]


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

    def takes(self, lines: list[tuple[int, str]], whole: str | None) -> bool:
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

    def know(self, lines: list[tuple[int, str]], whole: str | None) -> None:
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

    def __init__(self, side: SideFiles) -> None:
        self._side = side
        self._now: dict[str, _State] = {}
        self._states: list[_State] = []
        self._bare: dict[str, Selection] = {}

    def read(  # noqa: PLR0913 - what a read is: where, what was asked, what came
        self,
        call_id: str,
        path: str,
        text: str,
        arguments: Mapping[str, object],
        display: Mapping[str, object],
        *,
        bare: bool,
        origin: str,
    ) -> None:
        """Take a successful read.

        *display* is the file part of the display copy; *bare* results hold the
        file's text as it is, without line numbers.
        """
        lines = numbered_lines(text)
        whole = _whole(text, lines, display, arguments, bare=bare)
        first, end = _asked(arguments, lines, display)
        if not lines and whole is None:
            self.failed(call_id, path, arguments)
            return
        state = self._current(path)
        if state is None or not state.takes(lines, whole):
            state = self._begin(path, origin)
        state.know(lines, whole)
        state.reads[call_id] = (first, end)

    def failed(self, call_id: str, path: str, arguments: Mapping[str, object]) -> None:
        """Take a read that gave no text: nothing is known of any version."""
        first, end = _asked(arguments, [], {})
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

    def edited(
        self, path: str, arguments: Mapping[str, object], original: object, origin: str
    ) -> None:
        """Take an edit; *original* is the display copy of the file before it, if there is one."""
        before = self._current(path)
        base = before.text if before else None
        if isinstance(original, str) and original:
            if before is None:
                base = original
            elif before.takes([], original):
                base = original
                before.know([], original)
        after = self._begin(path, origin)
        text = None if base is None else _after_edit(base, arguments)
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
        name = self._side.name_in(path)
        if state is None and name:
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


def _whole(
    text: str,
    lines: list[tuple[int, str]],
    display: Mapping[str, object],
    arguments: Mapping[str, object],
    *,
    bare: bool,
) -> str | None:
    """Return the file's whole text where the result proves it to be the whole."""
    if bare and not lines:
        chosen = any(key in arguments for key in ("head", "tail", "offset", "limit"))
        return None if chosen else text
    content = display.get("content")
    numbers = [display.get(key) for key in ("startLine", "numLines", "totalLines")]
    if not isinstance(content, str) or numbers[0] not in (0, 1) or numbers[1] != numbers[2]:
        return None
    return content if "\n".join(row for _, row in lines) == content else None


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:  # noqa: PLR2004
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _asked(
    arguments: Mapping[str, object], lines: list[tuple[int, str]], display: Mapping[str, object]
) -> tuple[int, int | None]:
    """Return the lines ``[first, end)`` that were asked for; no end where all was asked."""
    offset, limit = _number(arguments.get("offset")), _number(arguments.get("limit"))
    total = _number(display.get("totalLines"))
    first = max(1, offset or 1)
    if limit is not None:
        end = first + limit if total is None else min(first + limit, total + 1)
        return first, max(first, end)
    if total is not None:
        return first, max(first, total + 1)
    return first, (lines[-1][0] + 1 if lines else None)


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


def _after_edit(text: str, arguments: Mapping[str, object]) -> str | None:
    """Return the text after the edits, or ``None`` where they do not fit it."""
    edits = [as_map(edit) for edit in as_list(arguments.get("edits"))] or [arguments]
    for edit in edits:
        old, new = edit.get("old_string"), edit.get("new_string")
        if not isinstance(old, str) or not isinstance(new, str) or not old or old not in text:
            return None
        text = text.replace(old, new, -1 if edit.get("replace_all") is True else 1)
    return text


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
