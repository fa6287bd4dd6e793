"""Reads of files: which lines of which file a result showed, or that it showed the file bare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from posixpath import normpath
from typing import Final

from store.builder import RunBuilder
from store.importers._numbered import KnownLines, numbered_lines
from store.records.json_text import parse
from store.records.markers import marker_of
from store.records.runs import ToolCall
from store.records.sources import Integrity, Selection, SourceKind, Version, VersionKey
from store.records.text import Unit
from store.shelf import Shelf
from store.tool_json import Entry

__all__ = ["FileReads", "path_read"]

_READERS: Final = frozenset({"read_file", "read", "view_file", "readfile"})
_PATHS: Final = ("file_path", "path", "filename", "target_file", "absolute_path")
_PAGING: Final = (
    "offset",
    "limit",
    "start",
    "end",
    "start_line",
    "end_line",
    "view_range",
    "lines",
)
_NO_CONTENT: Final = ("Error", "System reminder:")


def path_read(tool: str, call: ToolCall | None) -> str:
    """Return the path that a reading tool was given, with ``/`` and no detours; else empty."""
    arguments = parse(call.arguments) if call and tool.lower() in _READERS else None
    for key in _PATHS if arguments is not None else ():
        found = arguments.get(key) if arguments else None
        if found is not None and found.text:
            return normpath(found.text.replace("\\", "/"))
    return ""


@dataclass(frozen=True, slots=True)
class _Shown:
    """What one result showed of a file: numbered lines, or its text without numbers."""

    result: int
    path: str
    lines: Mapping[int, str] = field(default_factory=dict)
    text: str = ""
    paged: bool = False


@dataclass(slots=True)
class FileReads:
    """Collects reads while a conversation is read and places them at its end."""

    shown: list[_Shown] = field(default_factory=list)

    def add(self, result: int, path: str, call: ToolCall | None, text: str) -> None:
        """Note that the result numbered *result* of the run showed *text* of the file *path*."""
        lines = numbered_lines(text)
        if lines:
            self.shown.append(_Shown(result, path, lines))
        elif text and lines is None and not text.startswith(_NO_CONTENT) and not marker_of(text):
            arguments = parse(call.arguments) if call else None
            paged = arguments is None or any(arguments.get(key) is not None for key in _PAGING)
            self.shown.append(_Shown(result, path, text=text, paged=paged))

    def place(self, builder: RunBuilder, files: Mapping[str, Version]) -> None:
        """Give each read its selection, and the run the versions that reads make known."""
        stored = {path: (file, (file.text or "").split("\n")) for path, file in files.items()}
        known: dict[str, list[KnownLines]] = {}
        chosen: list[tuple[_Shown, KnownLines | VersionKey]] = []
        for shown in filter(lambda one: one.lines, self.shown):
            file, text = stored.get(shown.path, (None, ()))
            if file is not None and _are_in(text, shown.lines):
                chosen.append((shown, file.key))
                continue
            group = known.setdefault(shown.path, [])
            if not (group and group[-1].takes(shown.lines)):
                origin = builder.tool_results[shown.result].origin
                group.append(KnownLines(shown.path, origin, dict(shown.lines)))
            chosen.append((shown, group[-1]))
        for group in known.values():
            builder.versions.extend({part.key(): part.version() for part in group}.values())
        for shown, place in chosen:
            _select(builder, shown.result, _selection(shown.lines, place))
        self._place_bare(builder)

    def _place_bare(self, builder: RunBuilder) -> None:
        shelf = Shelf(builder.versions)
        places = []
        for shown in self.shown:
            if shown.text:
                origin = builder.tool_results[shown.result].origin
                entry = Entry(shown.path, body=shown.text, chunk=shown.paged)
                places.append((shown.result, shelf.place(entry, origin)))
        for version in shelf.finish():
            # What a tool shows is not the bytes of the file.
            builder.versions.append(
                replace(
                    version,
                    kind=SourceKind.FILE,
                    title=version.key.source_id,
                    sha256="",
                    byte_length=None,
                    integrity=Integrity.RECONSTRUCTED,
                )
            )
        for result, place in places:
            _select(builder, result, place.selection())


def _select(builder: RunBuilder, result: int, selection: Selection) -> None:
    results = builder.tool_results
    results[result] = replace(results[result], selections=(selection,))


def _selection(lines: Mapping[int, str], place: KnownLines | VersionKey) -> Selection:
    if isinstance(place, KnownLines):
        return place.selection(lines)
    ranges = KnownLines(place.source_id).selection(lines).ranges
    return Selection(place.source_id, place.version_id, Unit.LINE, ranges)


def _are_in(text: Sequence[str], lines: Mapping[int, str]) -> bool:
    """Return whether *lines* are those lines of *text*."""
    return all(number <= len(text) and text[number - 1] == line for number, line in lines.items())
