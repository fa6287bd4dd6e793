"""Citations of Anthropic's Messages: source-side, one list on each block of text.

Units and bases: characters of ``source.data`` from 0, end exclusive; pages
from 1, end exclusive; blocks from 0, end exclusive.  Documents and search
results have separate counters; what the service fetched counts as a document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from store.importers._anthropic_blocks import ENCRYPTED, Blocks
from store.importers._wire import count, string
from store.importers._wire_documents import Document, opaque_version
from store.importers._wire_offsets import fit
from store.records.citations import Offsets, SourceCitation
from store.records.text import Span, TextIndex, Unit

__all__ = ["citation_of"]

_NO_REQUEST: Final = "the request is not in the capture, so the cited document is not known"


def citation_of(
    place: Mapping[str, object], answer: Span, blocks: Blocks, *, has_request: bool
) -> SourceCitation:
    """Return the citation that *place* names on the text at *answer*."""
    quote = string(place.get("cited_text")) or None
    title = string(place.get("document_title")) or string(place.get("title"))
    if place.get("type") == "web_search_result_location":
        return _page(place, answer, blocks, quote, title)
    is_result = "search_result_index" in place
    number = count(place.get("search_result_index" if is_result else "document_index"))
    kept = blocks.documents.results if is_result else blocks.documents.documents
    if number is not None and number < len(kept):
        return _placed(place, answer, kept[number], quote, title)
    name = title or string(place.get("source"))
    name = name or f"{'result' if is_result else 'document'}:{'?' if number is None else number}"
    if has_request:
        return SourceCitation(answer, name, quote=quote, label=title)
    missing = Document(opaque_version(name, title), _NO_REQUEST)
    if all(known.version.key != missing.version.key for known in blocks.documents.others):
        blocks.documents.others.append(missing)
    return _placed(place, answer, missing, quote, title)


def _page(
    place: Mapping[str, object], answer: Span, blocks: Blocks, quote: str | None, title: str
) -> SourceCitation:
    url = string(place.get("url"))
    if url not in blocks.pages:
        blocks.pages[url] = Document(opaque_version(url, title), ENCRYPTED)
    version = blocks.pages[url].version.key.version_id
    return SourceCitation(answer, url, version, quote=quote, label=title, unverifiable=ENCRYPTED)


def _placed(
    place: Mapping[str, object],
    answer: Span,
    document: Document,
    quote: str | None,
    title: str,
) -> SourceCitation:
    key = document.version.key
    made = SourceCitation(
        answer,
        key.source_id,
        key.version_id,
        quote=quote,
        label=title,
        unverifiable=document.sealed,
    )
    for name in ("char_index", "page_number", "block_index"):
        start, end = place.get(f"start_{name}"), place.get(f"end_{name}")
        if start is None and end is None:
            continue
        if name == "char_index":
            return _chars(made, document, start, end)
        return _numbered(made, document, (start, end), is_page=name == "page_number")
    return made


def _chars(made: SourceCitation, document: Document, start: object, end: object) -> SourceCitation:
    found = fit(TextIndex(document.text), start, end, made.quote or "")
    recorded = found.offsets
    if recorded is None or recorded.start > recorded.end:
        return replace(made, malformed=found.malformed, offsets=recorded)
    # Numbers that lead to other words stay what the citation says: the audit tells the difference.
    asked = Span(recorded.start, recorded.end)
    span = found.span if recorded.fits and found.span is not None else asked
    return replace(made, span=span, offsets=recorded)


def _numbered(
    made: SourceCitation, document: Document, place: tuple[object, object], *, is_page: bool
) -> SourceCitation:
    """Return a citation of pages or blocks, checked against the words it quotes."""
    unit = Unit.PAGE if is_page else Unit.BLOCK
    start, end = count(place[0]), count(place[1])
    if start is None or end is None or start > end or (is_page and start < 1):
        return replace(made, unit=unit, malformed=f"from {place[0]} to {place[1]} is no place")
    blocks = document.version.blocks
    first = start - 1 if is_page else start
    last = end - 1 if is_page else end
    offsets = Offsets(start, end, unit.value)
    if document.version.text is None:
        return replace(made, unit=unit, span=Span(start, end), offsets=offsets)
    if last > len(blocks) or first == last:
        what = f"from {start} to {end} is no place: the document has {len(blocks)}"
        return replace(made, unit=unit, malformed=what, offsets=offsets)
    text = document.text[blocks[first].span.start : blocks[last - 1].span.end]
    quote = made.quote or ""
    fits = quote in text if is_page else quote == text
    if fits:
        offsets = replace(offsets, fits=(unit.value,), drift=0)
    if is_page:
        return replace(made, unit=unit, span=Span(start, end), offsets=offsets)
    if last - first == 1:
        return replace(made, block_id=blocks[first].block_id, offsets=offsets)
    span = Span(blocks[first].span.start, blocks[last - 1].span.end)
    return replace(made, span=span, offsets=offsets)
