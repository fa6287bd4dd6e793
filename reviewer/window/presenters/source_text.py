"""A stored version as one text, with what of it was delivered, cited or missing.

Where only pieces of a version are known, headings of the program's own stand
between them and say what is not known.  Spans of the version count in its
unit; positions of the composed text are code points.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from reviewer.audit.texts import Known, VersionText
from reviewer.display import one_line
from reviewer.window.i18n import tr, tr_message, trn
from reviewer.window.presenters.marks import Gutter, Mark
from reviewer.window.presenters.syntax import language_of, looks_like_json
from reviewer.window.presenters.words import span_words, verdict_sign, verdict_word
from store.records.citations import SourceCitation
from store.records.findings import Audit, CitationFacts, VersionFacts
from store.records.sources import Integrity, Version
from store.records.text import Span, Unit

__all__ = [
    "CitedPlace",
    "SourceText",
    "cited_places",
    "compose_source",
    "coverage_words",
    "title_of",
]


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """A citation of this version: its index, its words, and where it stands (perhaps nowhere)."""

    index: int
    words: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Segment:
    """A stretch of the search text as it stands on the page.

    ``line`` is the line of the page on which it begins, ``number`` what that
    line is called: its number, or its position in the version.
    """

    search: Span
    at: int
    line: int
    number: int | None

    @property
    def body(self) -> Span:
        return Span(self.at, self.at + self.search.length)


@dataclass(frozen=True)
class SourceText:
    """A composed version; ``gaps`` and the spans of ``cited`` are places on the page."""

    facts: VersionFacts
    version: VersionText = field(repr=False)
    text: str = field(repr=False)
    segments: tuple[_Segment, ...] = field(repr=False)
    headings: tuple[Span, ...] = field(repr=False)

    @property
    def stored(self) -> bool:
        """Whether the stored bytes are what is shown; else its text comes from elsewhere."""
        lacking = (Integrity.CHANGED, Integrity.MISSING)
        return self.facts.version.integrity not in lacking

    @property
    def whole(self) -> bool:
        """Whether the page holds all of the version."""
        return self.version.known is Known.WHOLE

    # -- positions -------------------------------------------------------------

    def on_page(self, span: Span, unit: Unit, block: str | None = None) -> tuple[Span, ...]:
        """Return where a span of the version, or a block of it, stands on the page.

        Of a span whose text is not known the heading that says so is
        returned, where there is one.
        """
        search: Sequence[Span]
        if block is not None and block in self.version.blocks:
            search = self.version.block_chars(self.version.blocks[block])
        elif unit is Unit.BLOCK:
            search = (span,) if self.version.known is Known.BLOCKS else ()
        else:
            search = self.version.chars_of(span, unit)
        found = tuple(piece for one in search for piece in self._moved(one))
        return found or self._heading_before(span, unit)

    def in_version(self, position: int) -> Span | None:
        """Return which unit of the version stands at *position*; ``None`` in a heading."""
        at = bisect_right(self.segments, position, key=lambda one: one.at) - 1
        if at < 0 or position >= self.segments[at].body.end:
            return None
        segment = self.segments[at]
        start = segment.search.start + position - segment.at
        if self.version.known is Known.LINES:
            line = segment.line + self.text.count("\n", segment.at, position)
            number = self._number(line, position, segment)
            return None if number is None else Span(number, number + 1)
        found = self.version.in_unit([Span(start, start + 1)])
        return found[0] if found else None

    def number_of(self, line: int, start: int) -> str:
        """Return what a line of the page is called: its true number, or its first position.

        *start* is the position on the page at which line *line* begins.
        """
        at = bisect_right(self.segments, start, key=lambda one: one.at) - 1
        if at < 0 or start > self.segments[at].body.end:
            return ""
        body = self.segments[at].body
        if self.version.known is not Known.WHOLE and start == body.end > body.start:
            return ""
        number = self._number(line, start, self.segments[at])
        return "" if number is None else str(number)

    def _number(self, line: int, start: int, segment: _Segment) -> int | None:
        if segment.number is None:
            return None
        if self.version.known is Known.PLACED:
            return segment.number + start - segment.at
        return segment.number + line - segment.line

    def _moved(self, span: Span) -> Iterator[Span]:
        first = bisect_right(self.segments, span.start, key=lambda one: one.search.start) - 1
        for segment in self.segments[max(first, 0) :]:
            if segment.search.start >= span.end:
                return
            both = span.meet(segment.search)
            if both:
                yield both.moved(segment.at - segment.search.start)

    def _heading_before(self, span: Span, unit: Unit) -> tuple[Span, ...]:
        if not self.headings or unit not in (Unit.LINE, Unit.CHAR):
            return ()
        numbers = [one.number or 0 for one in self.segments]
        at = bisect_left(numbers, span.start)
        return (self.headings[min(at, len(self.headings) - 1)],)

    def languages(self, stretch: Span) -> Sequence[tuple[Span, str]]:
        """Return the stretches of the version that meet *stretch*, with their language if known.

        Its name and declared type say what it is written in; where they do
        not, a whole text that looks like JSON is JSON.
        """
        key = self.facts.version.key
        language = language_of(key.source_id, self.facts.version.media_type)
        if language is None and self.whole and looks_like_json(self.text):
            language = "json"
        if language is None:
            return ()
        first = max(bisect_right(self.segments, stretch.start, key=lambda one: one.at) - 1, 0)
        end = bisect_right(self.segments, stretch.end, key=lambda one: one.at)
        held = (one.body for one in self.segments[first:end])
        return [(body, language) for body in held if body.overlaps(stretch)]

    # -- what is marked ----------------------------------------------------------

    @cached_property
    def gaps(self) -> tuple[Span, ...]:
        """Where on the page something was not delivered, ascending."""
        found = (piece for gap in self.facts.gaps for piece in self.on_page(gap, self.facts.unit))
        return tuple(dict.fromkeys(sorted(found)))

    def marks(self, cited: Iterable[CitedPlace]) -> tuple[Mark, ...]:
        """Return what is marked on the page."""
        words = tr("A heading of Reread, not part of the record")
        found = [Mark(span, "heading", words) for span in self.headings]
        found += self._of(
            self.facts.delivered, "delivered", tr("Delivered to the model in some call")
        )
        found += self._of(self.facts.previewed, "preview", tr("Delivered as a preview"))
        found += [Mark(span, "gap", tr("Never delivered to the model")) for span in self.gaps]
        for name in self.facts.delivered_blocks:
            if self.facts.unit is Unit.BLOCK:
                spans = self.on_page(Span(0, 0), Unit.BLOCK, name)
                found += [
                    Mark(s, "delivered", tr("Delivered to the model in some call")) for s in spans
                ]
        found += self._partial_rows()
        for one in cited:
            found += [Mark(span, "cited", one.words) for span in one.spans]
        return tuple(found)

    def _of(self, spans: Iterable[Span], kind: str, tip: str) -> list[Mark]:
        if self.facts.unit is Unit.BLOCK:
            return []
        return [Mark(p, kind, tip) for s in spans for p in self.on_page(s, self.facts.unit)]

    def _partial_rows(self) -> list[Mark]:
        whole = self.facts.delivered
        tip = tr("Some fields of this row were delivered, not all")
        found = []
        for rows in self.facts.delivered_rows or ():
            for row in range(rows.start, rows.end):
                for span in self.on_page(Span(row, row + 1), Unit.ROW):
                    inner = Span(span.start, max(span.end - 1, span.start))
                    if not any(one.covers(inner) for one in _around(whole, inner)):
                        found.append(Mark(span, "preview", tip))
        return found

    def gutter(self, cited: Iterable[CitedPlace]) -> tuple[Gutter, ...]:
        """Return the labels beside the page: which citation points where."""
        return tuple(
            Gutter(span, tr("citation {n}", n=one.index + 1), "cited")
            for one in cited
            for span in one.spans[:1]
        )


def _around(spans: Sequence[Span], span: Span) -> Sequence[Span]:
    at = bisect_right(spans, span.start, key=lambda one: one.start)
    return spans[max(at - 1, 0) : at]


def compose_source(facts: VersionFacts) -> SourceText:
    """Return a version as one text; what is not known is said between the pieces."""
    version = VersionText(facts.version)
    if version.text is None:
        return SourceText(facts, version, "", (), ())
    blocks: list[str] = []
    segments: list[_Segment] = []
    headings: list[Span] = []
    length, lines = 0, 1
    for heading, search, number in _stretches(version):
        if heading:
            line = one_line(heading)
            headings.append(Span(length, length + len(line)))
            blocks += [line, "\n"]
            length += len(line) + 1
            lines += 1
        if search is not None:
            segments.append(_Segment(search, length, lines, number))
            body = version.text[search.start : search.end]
            blocks.append(body)
            length += len(body)
            # Nothing follows a whole text, and counting the lines of 50 MB takes its time.
            lines += 0 if version.known is Known.WHOLE else body.count("\n")
            if version.known is not Known.WHOLE and not body.endswith("\n"):
                blocks.append("\n")
                length += 1
                lines += 1
    return SourceText(facts, version, "".join(blocks), tuple(segments), tuple(headings))


_Stretch = tuple[str, Span | None, int | None]


def _stretches(version: VersionText) -> Iterator[_Stretch]:
    """Yield what stands on the page in order: a heading or none, search text, its number."""
    text = version.text or ""
    if version.known is Known.LINES:
        yield from _by_line(version)
    elif version.known is Known.PLACED:
        yield from _placed(version)
    elif version.known is Known.BLOCKS:
        for name, span in version.blocks.items():
            yield tr("── block {name} ──", name=name), span, None
        yield tr("── what lies between blocks is not known ──"), None, None
    else:
        yield "", Span(0, len(text)), 1


def _by_line(version: VersionText) -> Iterator[_Stretch]:
    numbers = version.version.line_numbers
    if not numbers:
        return
    breaks = [0, *(at for at, (a, b) in enumerate(pairwise(numbers), 1) if b != a + 1)]
    before = 0
    for first, end in pairwise([*breaks, len(numbers)]):
        start, last = numbers[first], numbers[end - 1]
        heading = _unknown_lines(before + 1, start - 1) if start > before + 1 else ""
        (search,) = version.chars_of(Span(start, last + 1), Unit.LINE) or (Span(0, 0),)
        yield heading, search, start
        before = last
    yield tr("── how many lines follow is not known ──"), None, None


def _unknown_lines(first: int, last: int) -> str:
    if first == last:
        return tr("── line {first} is not in the record ──", first=first)
    return tr("── lines {first} to {last} are not in the record ──", first=first, last=last)


def _placed(version: VersionText) -> Iterator[_Stretch]:
    end = version.pieces[-1].end if version.pieces else 0
    reached = 0
    for search in version.chars_of(Span(0, end), Unit.CHAR):
        (place, *_) = version.in_unit([search])
        yield _unknown_chars(reached, place.start), search, place.start
        reached = max(reached, place.end)
    chars = version.version.chars
    if chars is None:
        yield tr("── how much follows is not known ──"), None, None
    elif chars > reached:
        yield _unknown_chars(reached, chars), None, None


def _unknown_chars(start: int, end: int) -> str:
    if end <= start:
        return ""
    return tr("── characters [{start}, {end}) are not in the record ──", start=start, end=end)


# -- citations and words -------------------------------------------------------------


def cited_places(audit: Audit, source: SourceText) -> Iterator[CitedPlace]:
    """Yield the citations of this version, and those that name its source and no version."""
    key = source.facts.version.key
    for facts in audit.citations:
        if facts.source_id == key.source_id and facts.version_id in (key.version_id, None):
            yield CitedPlace(facts.index, _cited_words(facts), _cited_spans(facts, source))


def _cited_spans(facts: CitationFacts, source: SourceText) -> tuple[Span, ...]:
    block = facts.citation.block_id
    if facts.version_id is None:
        return ()
    if facts.span is not None and facts.unit is not Unit.BLOCK:
        return source.on_page(facts.span, facts.unit)
    return source.on_page(Span(0, 0), Unit.BLOCK, block) if block is not None else ()


def _cited_words(facts: CitationFacts) -> str:
    where = tr("no place")
    if facts.citation.block_id is not None:
        where = tr("block {name}", name=facts.citation.block_id)
    elif facts.span is not None:
        where = span_words(facts.span, facts.unit)
    if isinstance(facts.citation, SourceCitation) and facts.version_id is None:
        where = tr("{where}, no version named", where=where)
    return one_line(
        tr(
            "{sign} citation {n}: {where} · {verdict} · {reason}",
            sign=verdict_sign(facts.verdict),
            n=facts.index + 1,
            where=where,
            verdict=verdict_word(facts.verdict),
            reason=tr_message(facts.reason),
        )
    )


def coverage_words(facts: VersionFacts) -> str:
    """Return in words how much of a version was delivered."""
    if facts.unit is Unit.BLOCK:
        return trn("{n} block delivered", "{n} blocks delivered", len(facts.delivered_blocks))
    came = sum(span.length for span in facts.delivered)
    words = {
        Unit.LINE: lambda n: trn("{n} line delivered", "{n} lines delivered", n),
        Unit.CHAR: lambda n: trn("{n} character delivered", "{n} characters delivered", n),
    }.get(facts.unit, lambda n: trn("{n} unit delivered", "{n} units delivered", n))(came)
    if not facts.length_known:
        return tr("{words}; its length is not known", words=words)
    missing = sum(span.length for span in facts.gaps)
    gaps = trn("{n} gap", "{n} gaps", len(facts.gaps))
    if not missing:
        return tr("{words}, all of it", words=words)
    return tr("{words}, {missing} not, in {gaps}", words=words, missing=f"{missing:,}", gaps=gaps)


def title_of(version: Version) -> str:
    """Return what a version is called: its revision or the start of its hash, and when it came."""
    name = version.key.version_id or tr("version not named")
    facts = [name if len(name) <= _NAME else f"{name[:_NAME]}…"]
    facts += [version.revision] if version.revision else []
    facts += [version.acquired_at] if version.acquired_at else []
    return one_line(" · ".join(facts))


_NAME = 24
"""Code points of a version's id in a list; the rest is marked, and a tool tip holds it all."""
