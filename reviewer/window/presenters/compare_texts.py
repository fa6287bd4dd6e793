"""The two texts behind a row of a comparison, and what is cited of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reviewer.audit.compare_text import compare_text
from reviewer.audit.texts import VersionText
from reviewer.reports._words import reference
from reviewer.services.comparing import Comparing
from reviewer.window.i18n import tr
from reviewer.window.presenters.compare_table import CompareItem
from reviewer.window.presenters.compare_words import fate_sign, fate_tone, fate_words
from store.records.comparisons import (
    CitationDifference,
    RequestPiece,
    RunComparison,
    StoreComparison,
    VersionComparison,
)
from store.records.differences import (
    Fate,
    Fated,
    SourceChange,
    SourceDifference,
    TextComparison,
)
from store.records.findings import Audit
from store.records.sources import Version, VersionKey
from store.records.text import Span, Unit

__all__ = ["Cited", "TextPair", "pair_of"]


@dataclass(frozen=True, slots=True)
class Cited:
    """A cited place in one of two texts, in code points; ``citation`` is its index in A."""

    of_b: bool
    span: Span
    fated: Fated = field(repr=False)
    citation: int

    @property
    def sign(self) -> str:
        """Return the sign of what became of it."""
        return fate_sign(self.fated.fate)

    @property
    def tone(self) -> str:
        """Return its colour by name."""
        return fate_tone(self.fated.fate)

    @property
    def tip(self) -> str:
        """Return what became of it, in words."""
        name = tr("citation {number} of A", number=self.citation + 1)
        return f"{name}: {fate_words(self.fated)}"


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two texts and their comparison; ``name_a`` and ``name_b`` say which they are."""

    text_a: str = field(repr=False)
    text_b: str = field(repr=False)
    comparison: TextComparison = field(repr=False)
    name_a: str = ""
    name_b: str = ""
    cited: tuple[Cited, ...] = field(default=(), repr=False)


def pair_of(
    comparing: Comparing, item: CompareItem | None, stopped: Callable[[], bool]
) -> TextPair | None:
    """Return the texts behind *item*, without one those of the whole; ``None`` for none.

    This compares texts: it is for a worker.  Raises `ComparisonStopped`.
    """
    found = comparing.comparison.found
    if isinstance(found, VersionComparison):
        return _of_versions(comparing, found, found.citations)
    if item is not None and item.piece is not None:
        return _of_piece(comparing, item.piece, stopped)
    source = _source_of(item) if item is not None else None
    if source is None or not isinstance(found, RunComparison | StoreComparison):
        return None
    return _of_source(comparing, source, found.citations, stopped)


def _source_of(item: CompareItem) -> SourceDifference | None:
    """Return the source whose texts are behind *item*: its own, or that of its citation."""
    fated = item.citation.fated if item.citation is not None else None
    if item.source is None and fated is not None:
        return SourceDifference(SourceChange.CHANGED, fated.version_a, fated.version_b)
    return item.source


def _of_versions(
    comparing: Comparing, found: VersionComparison, citations: Sequence[CitationDifference]
) -> TextPair:
    a, b = comparing.comparison.a, comparing.comparison.b
    left = _version(comparing.versions_a, found.version_a)
    right = _version(comparing.versions_b, found.version_b)
    cited = tuple(_cited(citations, left, right))
    name_a = _name(found.version_a) or a.given
    name_b = _name(found.version_b) or b.given
    return TextPair(found.text_a, found.text_b, found.text, name_a, name_b, cited)


def _of_source(
    comparing: Comparing,
    one: SourceDifference,
    citations: Sequence[CitationDifference],
    stopped: Callable[[], bool],
) -> TextPair | None:
    found = comparing.text_of(one, stopped)
    if found is not None:
        return _of_versions(comparing, found, citations)
    left, right = _version(comparing.versions_a, one.a), _version(comparing.versions_b, one.b)
    known = [version for version in (left, right) if version is not None and _whole(version)]
    if (one.a is not None and one.b is not None) or not known:
        return None
    text_a = left.text if left is not None and left.text else ""
    text_b = right.text if right is not None and right.text else ""
    comparison = compare_text(text_a, text_b, stopped=stopped)
    cited = tuple(_cited(citations, left, right))
    return TextPair(text_a, text_b, comparison, _name(one.a), _name(one.b), cited)


def _whole(version: Version) -> bool:
    return version.text is not None and version.unit is not Unit.LINE


def _of_piece(
    comparing: Comparing, piece: RequestPiece, stopped: Callable[[], bool]
) -> TextPair | None:
    a, b = comparing.comparison.a, comparing.comparison.b
    if comparing.audit_a is None or comparing.audit_b is None or not a.call or not b.call:
        return None
    text_a = _part(comparing.audit_a, a.call, piece.a)
    text_b = _part(comparing.audit_b, b.call, piece.b)
    comparison = compare_text(text_a, text_b, stopped=stopped)
    return TextPair(text_a, text_b, comparison, _part_name(piece.a), _part_name(piece.b))


def _part_name(place: tuple[int, int] | None) -> str:
    if place is None:
        return ""
    return tr("message {message}, part {part}", message=place[0], part=place[1])


def _part(audit: Audit, call: int, place: tuple[int, int] | None) -> str:
    if place is None:
        return ""
    request = audit.run.request(call)
    return audit.run.messages[request[place[0]]].parts[place[1]].text


def _version(held: Mapping[str, Sequence[Version]], key: VersionKey | None) -> Version | None:
    versions = held.get(key.source_id, ()) if key is not None else ()
    return next((one for one in reversed(versions) if one.key == key), None)


def _name(key: VersionKey | None) -> str:
    return reference(key.source_id, key.version_id, None, Unit.CHAR, None) if key else ""


def _cited(
    citations: Sequence[CitationDifference], left: Version | None, right: Version | None
) -> Iterator[Cited]:
    """Yield the cited places in both texts."""
    texts = {
        of_b: VersionText(version)
        for of_b, version in ((False, left), (True, right))
        if version is not None
    }
    for one in citations:
        fated = one.fated
        if fated is None or one.a is None:
            continue
        ends = [(False, left, fated.version_a, fated.a, fated.unit)]
        if fated.fate in (Fate.UNCHANGED, Fate.MOVED, Fate.CHANGED):
            ends.append((True, right, fated.version_b, fated.b, fated.b_unit))
        for of_b, version, key, span, unit in ends:
            if version is None or key != version.key or span is None:
                continue
            for place in _chars(texts[of_b], span, unit):
                yield Cited(of_b, place, fated, one.a)


def _chars(text: VersionText, span: Span, unit: Unit) -> Sequence[Span]:
    if unit is Unit.CHAR:
        return (span,)
    try:
        return text.block_chars(span) if unit is Unit.BLOCK else text.chars_of(span, unit)
    except ValueError:
        return ()
