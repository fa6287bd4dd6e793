"""The citations that an assistant's message itself records.

Anthropic and LangChain's standard form of it name a place in a document of
the request; OpenAI and Google name a whole source for a span of the answer.
What names no place that can be one is kept and says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeGuard

from store.importers._lc_content import Document, Documents
from store.records.citations import AnswerCitation, Citation, SourceCitation
from store.records.text import InsideCharacterError, OutsideTextError, Span, TextIndex, Unit

__all__ = ["citations_of"]


def citations_of(
    texts: list[tuple[str, Mapping[str, object]]],
    documents: Documents,
    metadata: Mapping[str, object],
    annotations: object,
) -> tuple[Citation, ...]:
    """Return the citations of an answer whose text is *texts* joined.

    *metadata* is the response's, *annotations* those kept beside the content.
    """
    found: list[Citation] = []
    start = 0
    answer = "".join(text for text, _ in texts)
    for text, block in texts:
        whole = Span(start, start + len(text))
        cited = _dicts(block.get("citations"))
        found.extend(_source_side(place, whole, documents) for place in cited)
        for place in _dicts(block.get("annotations")):
            found.extend(_annotation(place, text, start, documents))
        start += len(text)
    for place in _dicts(annotations):
        found.extend(_annotation(place, answer, 0, documents))
    grounding = metadata.get("grounding_metadata")
    if isinstance(grounding, dict):
        # All are put on the first block of text; its offsets count UTF-8 bytes.
        found.extend(_grounding(grounding, answer))
    return tuple(found)


def _source_side(place: Mapping[str, object], answer: Span, documents: Documents) -> Citation:
    """Return a citation of a place in a document, search result or page of the web."""
    quote = _text(place.get("cited_text")) or None
    title = _text(place.get("document_title")) or _text(place.get("title"))
    if "search_result_index" in place or "document_index" in place:
        document, source_id = _document(place, documents, title)
        version_id = document.version.key.version_id if document and document.version else None
        span, unit, block_id, malformed = _span(place, document)
        return SourceCitation(
            answer_span=answer,
            source_id=source_id,
            version_id=version_id,
            span=span,
            unit=unit,
            block_id=block_id,
            quote=quote,
            label=title,
            malformed=malformed,
        )
    source_id = _text(place.get("url")) or _text(place.get("source")) or title
    return SourceCitation(answer, source_id, quote=quote, label=title)


def _document(
    place: Mapping[str, object], documents: Documents, title: str
) -> tuple[Document | None, str]:
    """Return the document that a number names, and its source.

    A document of another title is not it: the record then lacks some of them.
    """
    is_result = "search_result_index" in place
    number = place.get("search_result_index" if is_result else "document_index")
    kept = documents.results if is_result else documents.documents
    named = _text(place.get("source")) if is_result else title
    if _whole(number) and number < len(kept):
        document = kept[number]
        if not named or named in (document.title, document.source_id):
            return document, document.source_id
    return None, named or f"{'result' if is_result else 'document'}:{number}"


def _span(
    place: Mapping[str, object], document: Document | None
) -> tuple[Span | None, Unit, str | None, str]:
    """Return span, unit, block and what is wrong with the place that a citation names."""
    units = {"char_index": Unit.CHAR, "page_number": Unit.PAGE, "block_index": Unit.BLOCK}
    for name, unit in units.items():
        start, end = place.get(f"start_{name}"), place.get(f"end_{name}")
        if start is None and end is None:
            continue
        if not (_whole(start) and _whole(end) and start <= end):
            return None, unit, None, f"from {start} to {end} is no place"
        span = Span(start, end)
        return (span, unit, None, "") if unit is not Unit.BLOCK else _blocks(span, document)
    return None, Unit.CHAR, None, ""


def _blocks(numbers: Span, document: Document | None) -> tuple[Span | None, Unit, str | None, str]:
    if numbers.length == 1:
        return None, Unit.BLOCK, str(numbers.start), ""
    blocks = document.version.blocks if document and document.version else ()
    if not numbers.length or numbers.end > len(blocks):
        what = f"blocks {numbers.start} to {numbers.end} are not blocks of a known document"
        return None, Unit.BLOCK, None, what
    first, last = blocks[numbers.start].span, blocks[numbers.end - 1].span
    return Span(first.start, last.end), Unit.CHAR, None, ""


def _annotation(
    place: Mapping[str, object], text: str, start: int, documents: Documents
) -> Iterator[Citation]:
    """Yield the citation of an annotation on *text*, which begins at *start* of the answer."""
    kind = place.get("type")
    inner = place.get(kind) if isinstance(kind, str) else None
    place = inner if isinstance(inner, dict) else place
    if kind == "non_standard_annotation":
        value = place.get("value")
        place = value if isinstance(value, dict) else place
        kind = place.get("type")
    title = _text(place.get("title")) or _text(place.get("filename"))
    extras = place.get("extras")
    extras = extras if isinstance(extras, dict) else {}
    if kind == "citation" and ({"document_index", "search_result_index"} & extras.keys()):
        yield _source_side({**extras, **place}, Span(start, start + len(text)), documents)
        return
    if kind not in ("citation", "url_citation", "file_citation", "container_file_citation"):
        return
    url = _text(place.get("url")) or _text(extras.get("file_id")) or _text(place.get("file_id"))
    span, malformed = _answer_span(place, text, start, in_bytes="google_ai_metadata" in extras)
    quote = _text(place.get("cited_text"))
    if quote and "google_ai_metadata" not in extras:
        yield SourceCitation(span, url or title, quote=quote, label=title, malformed=malformed)
    else:
        # Google's quotation is a piece of the answer itself.
        yield AnswerCitation(span, url or title, label=title, malformed=malformed)


def _answer_span(
    place: Mapping[str, object], text: str, start: int, *, in_bytes: bool = False
) -> tuple[Span | None, str]:
    """Return the span of the answer that a place marks, and what is wrong with it."""
    first, end = place.get("start_index"), place.get("end_index")
    if first is None and end is None:
        first = end = place.get("index", place.get("file_index"))
        if first is None:
            return Span(start, start + len(text)), ""
    first = 0 if first is None else first
    if not (_whole(first) and _whole(end)):
        return None, f"from {first} to {end} is no place"
    try:
        if in_bytes:
            index = TextIndex(text)
            first, end = index.from_utf8(first), index.from_utf8(end)
        if end > len(text) or first > end:
            return None, f"from {first} to {end} is outside the answer"
    except (InsideCharacterError, OutsideTextError) as error:
        return None, str(error)
    return Span(start + first, start + end), ""


def _grounding(grounding: Mapping[str, object], answer: str) -> Iterator[Citation]:
    chunks = list(_dicts(grounding.get("grounding_chunks")))
    for support in _dicts(grounding.get("grounding_supports")):
        segment = support.get("segment")
        segment = segment if isinstance(segment, dict) else {}
        span, malformed = _answer_span(segment, answer, 0, in_bytes=True)
        words = _text(segment.get("text"))
        if span is not None and words and answer[span.start : span.end] != words:
            span, malformed = None, "other words of the answer stand at the place it names"
        numbers = support.get("grounding_chunk_indices")
        for number in numbers if isinstance(numbers, list) else ():
            known = _whole(number) and number < len(chunks)
            chunk = chunks[number] if known else {}
            inner = next((value for value in chunk.values() if isinstance(value, dict)), {})
            title = _text(inner.get("title"))
            source_id = _text(inner.get("uri")) or title or f"chunk:{number}"
            yield AnswerCitation(span, source_id, label=title, malformed=malformed)


def _dicts(value: object) -> Iterator[dict[str, object]]:
    return (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))


def _whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
