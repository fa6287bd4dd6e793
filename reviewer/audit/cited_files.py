"""Lines of files that an answer names: ``src/pool.py:12-20``, ``pool.py (lines 3, 7)``.

A path is led to a source whose id is that path, or ends with it, or that it
ends with, where no other path of the record can be meant.  Lines that no read
of the file gave may stand in the result of a search that names path and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from reviewer.audit.changed_files import ChangedFiles
from reviewer.audit.cited_keys import Keys, Mark
from reviewer.audit.cited_searches import search_lines
from reviewer.audit.file_paths import ends_with, is_absolute, may_be, plain, without_words
from reviewer.audit.intervals import subtract
from reviewer.audit.standing import Standing
from reviewer.audit.texts import VersionText
from store.records.citations import Citation, SourceCitation
from store.records.runs import PartKind
from store.records.sources import VersionKey
from store.records.text import Span, Unit

__all__ = ["CitedFiles", "line_spans"]

_RANGE = re.compile(r"([0-9]{1,7})(?:\s?[-–~至]L?\s?([0-9]{1,7}))?")
_FILE = re.compile(r"[^\s/\\]*[^\s/\\.]\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
_GUTTER = re.compile(r"^[ \t]*([0-9]{1,7})(?:\t|→|\||:| {2,})", re.MULTILINE)
_CUT_LINE = re.compile(r"(?:\.\.\.|…) ?\[(?:line )?truncated\]\s*\Z")
_BEFORE = re.compile(r"(?:\b[A-Za-z]:)?[\w.@+~/-]*\Z")
_LONGEST_PATH = 1000
_MOST_LINES = 400
"""So many lines at most are looked for in the results of searches."""


def line_spans(text: str) -> list[Span]:
    """Return the lines that *text* names, from 1, half-open; a reversed range is no place."""
    found: list[Span] = []
    for match in _RANGE.finditer(text):
        first, last = int(match[1]), int(match[2] or match[1])
        if 1 <= first <= last:
            found.append(Span(first, last + 1))
    return found


class CitedFiles:
    """The files of one run."""

    def __init__(self, standing: Standing, keys: Keys) -> None:
        self._standing = standing
        self._ids = keys.sources
        self._changed = ChangedFiles(standing)
        self._rivals = cache(self._paths_ending)

    def lead(self, written: str, lines: str, mark: Mark) -> Iterator[Citation]:
        """Yield a citation for each range of *lines* of the path *written* at a mark.

        Yield nothing for what is no path of a file.
        """
        path = plain(written)
        ids = self._sources(path)
        if not ids and (inner := self._named_in(written, mark.call)) != written:
            cut = len(written) - len(inner)
            written, path, ids = inner, plain(inner), self._sources(plain(inner))
            mark = mark._replace(span=Span(mark.span.start + cut, mark.span.end))
        rivals = self._others(path, ids[0]) if len(ids) == 1 else ()
        for span in line_spans(lines):
            ends = f"{span.start}-{span.end - 1}" if span.length > 1 else f"{span.start}"
            cited = SourceCitation(
                mark.span, path, span=span, unit=Unit.LINE, label=f"{written}:{ends}"
            )
            if len(ids) == 1 and not rivals:
                yield self._known(replace(cited, source_id=ids[0]), path, mark.call)
            elif ids:
                why = f"{written} may be any of {', '.join((*ids, *rivals))}"
                yield replace(cited, source_id=ids[0], unverifiable=why)
            else:
                yield from self._unknown(cited, path, mark.call)

    def _named_in(self, written: str, call: int) -> str:
        """Return *written* without the words right before a path that the record knows."""
        for inner in without_words(written):
            if self._sources(plain(inner)):
                return inner
        for inner in without_words(written):
            if inner == written and inner[:1].isascii():
                break  # nothing can be taken away
            if self._named_by(plain(inner), call):
                return inner
        return written

    def _sources(self, path: str) -> tuple[str, ...]:
        if path in self._ids:
            return (path,)
        if not path.strip("./"):
            return ()
        return tuple(
            known
            for known in self._ids
            if ends_with(known, path) or ("/" in known and is_absolute(path, known))
        )

    # -- a file that was read ---------------------------------------------------------

    def _known(self, cited: SourceCitation, path: str, call: int) -> Citation:
        newest = ""
        for text in self._standing_versions(cited.source_id, call):
            version_id = text.version.key.version_id
            newest = newest or version_id
            wanted = _in_unit(text, cited.span) if cited.span is not None else ()
            if not wanted or subtract(wanted, self._standing.delivered(text.version.key, call)):
                continue
            if version_id == newest:
                why = _cut_line(text, cited.span) or self._moved(cited, text, wanted, call)
                return replace(cited, version_id=version_id, unverifiable=why)
            # The lines may have moved since: which state the answer means, it does not say.
            why = "these lines stand in the request in an earlier state of the file only"
            return replace(cited, version_id=version_id, unverifiable=why)
        shown = self._shown(cited, path, call)
        return shown or replace(cited, unverifiable=self._numbered(cited, path, call))

    def _moved(
        self, cited: SourceCitation, text: VersionText, wanted: Sequence[Span], call: int
    ) -> str:
        """Say what may have moved the lines between the last read that holds them and *call*."""
        holds = self._standing.residency.holds
        held = self._standing.holders(text.version.key, wanted)
        shown = [each.message for each in held if holds(call, each.message)]
        changed = self._changed.since(cited.source_id, shown, call, text, cited.span or Span(0, 0))
        if not changed:
            return ""
        return f"tool call {changed} changed the file after the read that holds these lines"

    def _standing_versions(self, source_id: str, call: int) -> Iterator[VersionText]:
        """Yield the versions of which some stands in the request of *call*, the newest first."""
        for text in reversed(self._standing.deliveries.by_source.get(source_id, ())):
            if self._standing.touched(text.version.key, call):
                yield text

    # -- a file of which no read is known -----------------------------------------------

    def _unknown(self, cited: SourceCitation, path: str, call: int) -> Iterator[Citation]:
        if "//" in path or ("/" not in path and _FILE.search(path) is None):
            return  # a time, a ratio, an address
        shown = self._shown(cited, path, call)
        if shown is not None:
            yield shown
            return
        if _FILE.search(path) is None:
            return
        why = self._numbered(cited, path, call)
        if not why and (named := self._named_by(path, call)):
            why = f"no read of {path} is recorded; {named} names it"
        if why or "/" in path:
            yield replace(cited, unverifiable=why)
        # Else it is a bare name with a dot and a number, which may be anything.

    def _named_by(self, path: str, call: int) -> str:
        """Return the first tool call, else the first message of the request, that names *path*."""
        named = re.compile(rf"(?<![\w.-]){re.escape(path)}(?![\w-])")
        for made in self._standing.run.tool_calls:
            if named.search(made.arguments.replace("\\\\", "/")):
                return f"tool call {made.id or made.name}"
        for place, message in enumerate(self._standing.request(call)):
            for part in self._standing.run.messages[message].parts:
                if path in part.text and named.search(part.text):
                    return f"message {place} of the request"
        return ""

    # -- lines in the results of searches -------------------------------------------------

    def _shown(self, cited: SourceCitation, path: str, call: int) -> Citation | None:
        """Return a citation of the result that shows each of these lines under path and number."""
        span = cited.span
        if span is None or span.length > _MOST_LINES:
            return None
        for message, key, text in self._results(call):
            held = search_lines(text, path)
            wanted = range(span.start, span.end)
            files = [lines for lines in held.values() if all(n in lines for n in wanted)]
            if len(files) > 1:
                return None  # two files end so, and nothing says which is meant
            if files:
                places = [files[0][number] for number in wanted]
                there = Span(min(p.start for p in places), max(p.end for p in places))
                changed = self._changed.since(path, [message], call, None, span)
                why = (
                    f"tool call {changed} changed the file after the search that shows these lines"
                )
                return replace(
                    cited, source_id=key.source_id, version_id=key.version_id, span=there,
                    unit=Unit.CHAR, unverifiable=why if changed else "",
                )  # fmt: skip
        return None

    def _numbered(self, cited: SourceCitation, path: str, call: int) -> str:
        """Say where the request shows lines under these numbers beside the name of the file.

        An edit or a notice does so; which file they are of, no record of a read says.
        """
        span = cited.span or Span(0, 0)
        for message in self._standing.request(call):
            for part in self._standing.run.messages[message].parts:
                if part.kind is not PartKind.TOOL_RESULT or path not in part.text:
                    continue
                shown = {int(found[1]) for found in _GUTTER.finditer(part.text)}
                if all(number in shown for number in range(span.start, span.end)):
                    return (
                        f"the result of {part.tool_call_id} names {path} and shows lines under "
                        "these numbers; that they are of it no read records"
                    )
        return ""

    def _results(self, call: int) -> Iterator[tuple[int, VersionKey, str]]:
        """Yield the plain results in the request of *call*, the newest first, by message."""
        deliveries = self._standing.deliveries
        for message in reversed(self._standing.request(call)):
            for part in self._standing.run.messages[message].parts:
                if part.kind is not PartKind.TOOL_RESULT:
                    continue
                for selection in deliveries.selections(part):
                    text = deliveries.text_of(selection)
                    if text and text.text and text.is_plain_result:
                        yield message, text.version.key, text.text

    # -- other paths that may be meant ------------------------------------------------------

    def _others(self, path: str, source_id: str) -> tuple[str, ...]:
        """Return other paths of the record that *path* may mean as well as *source_id*."""
        source_id = plain(source_id)
        if path == source_id:
            return ()
        short, long = sorted((path, source_id), key=len)
        return tuple(
            each
            for each in self._rivals(short)
            if not any(may_be(inner, long) for inner in without_words(each))
        )

    def _paths_ending(self, path: str) -> tuple[str, ...]:
        """Return the paths in all messages that end with *path* and are longer."""
        found: dict[str, None] = {}
        for message in self._standing.run.messages:
            for part in message.parts:
                if path in part.text.replace("\\", "/"):
                    found.update((each, None) for each in _longer_paths(part.text, path))
        return tuple(found)


def _longer_paths(text: str, path: str) -> Iterator[str]:
    text = text.replace("\\\\", "/").replace("\\", "/")
    at = text.find(f"/{path}")
    while at >= 0:
        end = at + 1 + len(path)
        before = _BEFORE.search(text, max(0, at - _LONGEST_PATH), at)
        if not text[end : end + 1].isalnum() and text[end : end + 1] not in ("_", "-"):
            yield plain(f"{before[0] if before else ''}{text[at:end]}")
        at = text.find(f"/{path}", end)


def _cut_line(text: VersionText, span: Span | None) -> str:
    """Say which line of *span* the tool cut, by the mark that it put at its end."""
    rows = (text.version.text or "").split("\n")
    numbers = text.version.line_numbers if text.unit is Unit.LINE else range(1, len(rows) + 1)
    for number, row in zip(numbers, rows, strict=False):
        if span is not None and span.start <= number < span.end and _CUT_LINE.search(row):
            return f"the tool cut line {number}, and what it left out is not in the result"
    return ""


def _in_unit(text: VersionText, span: Span) -> Sequence[Span]:
    """Return lines in the unit of a version, nothing where some of them are not known."""
    if text.unit is Unit.LINE:
        known = set(text.version.line_numbers)
        return (span,) if all(n in known for n in range(span.start, span.end)) else ()
    found = text.proving(span, Unit.LINE)
    return text.in_unit(found)
