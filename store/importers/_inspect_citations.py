"""Citations as Inspect keeps them in its own words, for answers of which no wire was read.

Facts from the source of inspect_ai (``_util/citation.py``): a citation stands
at the text that it belongs to; ``cited_text`` is a quotation, or the place in
that text which is cited.  What it points at is not in the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._wire import mapping, members, string
from store.importers._wire_answers import NEVER_SENT
from store.records.citations import AnswerCitation, Citation, SourceCitation
from store.records.text import Span, Unit

__all__ = ["citations_of"]

_UNITS: Final = {"char": Unit.CHAR, "page": Unit.PAGE, "block": Unit.BLOCK}


def citations_of(message: Mapping[str, object]) -> tuple[Citation, ...]:
    """Return the citations at the texts of an answer, which are counted joined."""
    found: list[Citation] = []
    start = 0
    for block in members(message.get("content")):
        if block.get("type") != "text":
            continue
        text = string(block.get("text"))
        whole = Span(start, start + len(text))
        found += (_citation(each, whole) for each in members(block.get("citations")))
        start += len(text)
    return tuple(found)


def _citation(cited: Mapping[str, object], whole: Span) -> Citation:
    title, quote = string(cited.get("title")), string(cited.get("cited_text"))
    if cited.get("type") == "url":
        inside = _inside(cited.get("cited_text"), whole)
        name = string(cited.get("url")) or title
        return AnswerCitation(inside, name, label=title, unverifiable=NEVER_SENT)
    span, unit = _place(mapping(cited.get("range")))
    return SourceCitation(
        whole,
        title or "document",
        span=span,
        unit=unit,
        quote=quote or None,
        label=title,
        unverifiable=NEVER_SENT,
    )


def _inside(place: object, whole: Span) -> Span:
    """Return the part of the text that is cited, else all of it."""
    for span in _spans(place):
        if span.end <= whole.length:
            return span.moved(whole.start)
    return whole


def _place(held: Mapping[str, object]) -> tuple[Span | None, Unit]:
    unit = _UNITS.get(string(held.get("type")), Unit.CHAR)
    pair = [held.get("start_index"), held.get("end_index")]
    return next(_spans(pair), None), unit


def _spans(pair: object) -> Iterator[Span]:
    """Yield the span that a pair of numbers is, if it is one."""
    match pair:
        case [int() as start, int() as end] if 0 <= start <= end:
            yield Span(start, end)
