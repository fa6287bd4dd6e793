"""Citations in the text of answers, where the record itself holds none for the answer.

A place that a pattern finds becomes a citation where the run knows what it
names.  A place that has the shape of a citation and leads nowhere is handed
back as a stray: it is told of, and judged by nobody.  Of places that overlap
the longest that leads somewhere counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from reviewer.audit.cited_entries import CitedEntries
from reviewer.audit.cited_files import CitedFiles
from reviewer.audit.cited_keys import Keys, Mark
from reviewer.audit.patterns import Names, Pattern, Patterns
from reviewer.audit.standing import Standing
from reviewer.audit.strays import Stray
from reviewer.audit.texts import CONTEXT
from store.records.citations import Citation, SourceCitation
from store.records.runs import Answer, Run
from store.records.sources import Version
from store.records.text import Span

__all__ = ["Marked", "Textual", "textual"]

_FENCE = re.compile(
    r"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE
)
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^\n]*?(?<!`)\1(?!`)")
_LISTED = re.compile(r"#|(?:[-*][ \t]+)?\[[0-9]{1,3}\]")
_DEFINED = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?\[(?:\^(?P<note>[^\]\s]{1,60})|(?P<number>[0-9]{1,3}))\](?P<colon>:?)"
    r"[ \t]+(?P<target>[^\n]+)$",
    re.MULTILINE,
)


class Marked(NamedTuple):
    """A citation that stands in the text of an answer, and the pattern that found it."""

    citation: Citation
    pattern: str


@dataclass(frozen=True, slots=True)
class Textual:
    """What the texts of answers cite.

    ``marked`` are citations by the place of their answer in `Run.answers`.
    ``contexts`` are the parts of messages whose numbered entries are cited,
    as sources with these entries as blocks, by message and part.
    """

    marked: Mapping[int, tuple[Marked, ...]]
    strays: tuple[Stray, ...]
    contexts: Mapping[tuple[int, int], Version]

    def seen(self, run: Run) -> Run:
        """Return *run* with the contexts among its sources, to be looked for in requests."""
        if not self.contexts:
            return run
        messages = list(run.messages)
        versions = {version.key: version for version in run.versions}
        for (message, number), version in self.contexts.items():
            versions[version.key] = version
            if not version.key.source_id.startswith(CONTEXT):
                continue
            parts = list(messages[message].parts)
            source_id, version_id = version.key.source_id, version.key.version_id
            parts[number] = replace(parts[number], source_id=source_id, version_id=version_id)
            messages[message] = replace(messages[message], parts=tuple(parts))
        return replace(run, messages=tuple(messages), versions=tuple(versions.values()))


def textual(standing: Standing, patterns: Patterns) -> Textual:
    """Return what the answers of a run cite in their text."""
    finding = _Finding(standing, patterns)
    marked: dict[int, tuple[Marked, ...]] = {}
    strays: list[Stray] = []
    before = 0
    for number, answer in enumerate(standing.run.answers):
        if not answer.citations and answer.text and patterns.all:
            found = finding.all(answer, before)
            strays += (Stray(number, *each) for each in found.strays)
            if found.marked:
                marked[number] = found.marked
        before = answer.call
    return Textual(marked, tuple(strays), finding.entries.contexts)


class _Hit(NamedTuple):
    """A place in an answer: what it leads to, nothing where it is a stray.

    ``used`` are the definitions of the answer that led there.
    """

    span: Span
    pattern: Pattern
    citations: tuple[Citation, ...]
    used: tuple[str, ...] = ()


class _Found(NamedTuple):
    marked: tuple[Marked, ...]
    strays: tuple[tuple[Span, str, str], ...]


class _Finding:
    def __init__(self, standing: Standing, patterns: Patterns) -> None:
        self._standing = standing
        self._patterns = [(each, each.compiled()) for each in patterns.all]
        self._keys = Keys(standing)
        self._files = CitedFiles(standing, self._keys)
        self._blocks = _any_of(self._keys.telling_blocks)
        self.entries = CitedEntries(standing)
        self._said: dict[str, str] = {}

    def all(self, answer: Answer, before: int) -> _Found:
        """Find what *answer* cites; *before* is the call of the answer before it."""
        text = answer.text
        fences = [Span(*found.span()) for found in _FENCE.finditer(text)]
        code = [Span(*found.span()) for found in _CODE.finditer(text)]
        defined = self._definitions(answer)
        hits = [
            hit
            for hit in self._hits(answer, before, defined)
            if not _inside(hit.span, fences)
            and (hit.pattern.in_code or not _inside(hit.span, code))
        ]
        # A line that a mark refers to is told through the mark; it cites nothing by itself.
        lines = [defined[key].line for hit in hits for key in hit.used]
        hits = [hit for hit in hits if not _inside(hit.span, lines)]
        kept = _longest((hit for hit in hits if hit.citations), len(text))
        heads = {each.line.start for each in defined.values()}
        open_ = (h for h in hits if not h.citations and h.span.start not in heads)
        strays = [h for h in _longest((*kept, *open_), len(text)) if not h.citations]
        return _Found(
            tuple(Marked(each, hit.pattern.name) for hit in kept for each in hit.citations),
            tuple((h.span, text[h.span.start : h.span.end], h.pattern.name) for h in strays),
        )

    # -- where patterns fit ---------------------------------------------------------------

    def _hits(
        self, answer: Answer, before: int, defined: Mapping[str, _Definition]
    ) -> Iterator[_Hit]:
        for pattern, regex in self._patterns:
            for match in regex.finditer(answer.text):
                marks = pattern.names in (Names.ENTRY, Names.NOTE)
                if match.end() > match.start() and not (marks and _defines(match)):
                    mark = Mark(Span(*match.span()), answer.call, before)
                    yield from self._hit(pattern, match.groupdict(), mark, defined)
        if self._blocks is not None:
            for match in self._blocks.finditer(answer.text):
                span = Span(*match.span())
                led = self._keys.lead(match[0], span)
                if led is not None:
                    yield _Hit(span, _BLOCK_ID, (led,))

    def _hit(
        self,
        pattern: Pattern,
        groups: Mapping[str, str | None],
        mark: Mark,
        defined: Mapping[str, _Definition],
    ) -> Iterator[_Hit]:
        keys: tuple[str, ...] = ()
        led: Iterable[Citation]
        if pattern.names is Names.CHUNKS:
            led = self.entries.chunks(groups["numbers"] or "", mark)
        elif pattern.names is Names.NOTE:
            keys = (f"^{groups['key']}",)
            led = _moved(defined.get(keys[0]), mark.span)
        elif pattern.names is Names.ENTRY:
            keys = tuple(_numbers_of(pattern, groups))
            whole = "" if "numbers" in groups else _key(pattern, groups)
            led = self._numbers(keys, whole, mark, defined)
        else:
            led = self._key(pattern, groups, mark)
        found = tuple(led)
        if found:
            ends = [each.answer_span.end for each in found if each.answer_span is not None]
            reach = Span(mark.span.start, max(ends))
            yield _Hit(reach, pattern, found, tuple(key for key in keys if key in defined))
        elif pattern.tells:
            yield _Hit(mark.span, pattern, ())

    # -- keys ---------------------------------------------------------------------------------

    def _key(
        self, pattern: Pattern, groups: Mapping[str, str | None], mark: Mark
    ) -> Iterator[Citation]:
        key, lines = _key(pattern, groups), groups.get("lines")
        if lines is not None:
            yield from self._files.lead(key, lines, mark)
            return
        # The key may stand before the end of the place: what goes on behind it stays part of it.
        found = self._keys.lead(key, mark.span)
        at = _LINES_OF.fullmatch(key) if found is None else None
        if at is not None:  # the target of a link: lines of a file
            yield from self._files.lead(at["path"], at["lines"], mark)
        if found is None:
            return
        start, end = groups.get("start"), groups.get("end")
        if start is None or end is None:
            yield found
            return
        count = start.isdecimal() and end.isdecimal() and int(start) <= int(end)
        place = Span(int(start), int(end)) if count else None
        wrong = "" if place else f"from {start} to {end} is no place"
        yield SourceCitation(
            mark.span, found.source_id, found.version_id, place, label=key, malformed=wrong
        )

    def _definitions(self, answer: Answer) -> Mapping[str, _Definition]:
        """Return the footnotes and numbered references of an answer that lead somewhere.

        What those say that lead nowhere is kept: their numbers mean that, and no entry.
        """
        self._said = {}
        found: dict[str, _Definition] = {}
        for match in _DEFINED.finditer(answer.text):
            key = f"^{match['note']}" if match["note"] else str(int(match["number"]))
            start = match.start("target")
            led = tuple(self._in_target(match["target"], start, answer.call))
            if led:
                found.setdefault(key, _Definition(Span(*match.span()), led))
            elif match["number"] and _begins_item(match):
                self._said.setdefault(key, match["target"])
        return found

    def _in_target(self, target: str, start: int, call: int) -> Iterator[Citation]:
        whole = Span(start, start + len(target))
        found = self._keys.lead(target.strip("`<> "), whole)
        if found is not None:
            yield found
            return
        hits = []
        for pattern, regex in self._patterns:
            if pattern.names is Names.KEY or pattern.names is Names.FILE:
                for match in regex.finditer(target):
                    mark = Mark(Span(*match.span()).moved(start), call)
                    led = tuple(self._key(pattern, match.groupdict(), mark))
                    hits += [_Hit(mark.span, pattern, led)] if led else []
        for hit in _longest(hits, start + len(target)):
            yield from hit.citations

    # -- numbers ------------------------------------------------------------------------------

    def _numbers(
        self, keys: Sequence[str], whole: str, mark: Mark, defined: Mapping[str, _Definition]
    ) -> Sequence[Citation]:
        """Return what the numbers of a mark lead to; one that leads nowhere makes it a stray."""
        if whole and (known := self._keys.lead(whole, mark.span)) is not None:
            return [known]
        found: list[Citation] = []
        for key in keys:
            led = _moved(defined.get(key), mark.span) or tuple(
                self.entries.entry(key, mark, self._said.get(key, ""))
            )
            if not led and (known := self._keys.lead(key, mark.span)) is not None:
                led = (known,)
            if not led:
                return []
            found += led
        return found


class _Definition(NamedTuple):
    """What a footnote or a numbered reference of an answer names, and the line it stands in."""

    line: Span
    citations: tuple[Citation, ...]


_NUMBER_RANGE = re.compile(r"([0-9]{1,3})(?:\s*[-–]\s*([0-9]{1,3}))?")
_LINES_OF = re.compile(r"(?P<path>[^#]+?)(?:#L|:)(?P<lines>[0-9]{1,7}(?:[-–]L?[0-9]{1,7})?)")
_BLOCK_ID = Pattern("block-id", Names.KEY, "", in_code=True)


def _defines(match: re.Match[str]) -> bool:
    """Whether a mark begins its line and a colon follows: it says what the mark means."""
    text, start = match.string, match.start()
    line = text.rfind("\n", 0, start) + 1
    return text.startswith(":", match.end()) and not text[line:start].strip(" \t-*")


def _begins_item(match: re.Match[str]) -> bool:
    """Whether a line stands in a list, and not in a paragraph that was broken before its mark."""
    before = match.string[: match.start()].rsplit("\n", 2)[-2:-1]
    line = before[0].strip() if before else ""
    return not line or line.endswith((":", "：", "**")) or bool(_LISTED.match(line))


def _any_of(names: Sequence[str]) -> re.Pattern[str] | None:
    """Return what finds any of *names* where it stands for itself, the longest first."""
    if not names:
        return None
    longest = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![\w#/@-])(?:{'|'.join(map(re.escape, longest))})(?![\w#/@-])")


def _key(pattern: Pattern, groups: Mapping[str, str | None]) -> str:
    return pattern.source.format_map({name: text or "" for name, text in groups.items()})


def _moved(defined: _Definition | None, span: Span) -> tuple[Citation, ...]:
    if defined is None:
        return ()
    return tuple(replace(each, answer_span=span) for each in defined.citations)


def _numbers_of(pattern: Pattern, groups: Mapping[str, str | None]) -> Iterator[str]:
    """Yield the numbers that a mark names: ``[1, 3-4]`` and ``【4:0†name】``."""
    numbers = groups.get("numbers")
    if numbers is not None:
        yield from _each_number(numbers)
    else:
        yield _key(pattern, groups).split("†")[0].strip()


def _each_number(text: str) -> Iterator[str]:
    for found in _NUMBER_RANGE.finditer(text):
        first, last = int(found[1]), int(found[2] or found[1])
        yield from map(str, range(first, last + 1))


def _inside(span: Span, others: Sequence[Span]) -> bool:
    return any(other.start <= span.start and span.end <= other.end for other in others)


def _longest(hits: Iterable[_Hit], size: int) -> list[_Hit]:
    """Return the hits that do not overlap a longer one, in order; of equal ones the first.

    What leads somewhere goes before what leads nowhere, however long.
    """
    taken = bytearray(size)
    kept: list[_Hit] = []
    for hit in sorted(hits, key=lambda h: (not h.citations, -h.span.length, h.span.start)):
        if not any(taken[hit.span.start : hit.span.end]):
            taken[hit.span.start : hit.span.end] = b"\1" * hit.span.length
            kept.append(hit)
    return sorted(kept, key=lambda each: each.span)
