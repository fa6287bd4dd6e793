"""Annotations of OpenAI and of those who speak its interfaces: marks on the answer's text.

``url_citation`` and ``container_file_citation`` count characters from 0, end
exclusive, and the slice is the link itself; 0 to 0 stands for no place.
``file_citation`` names the character before which its marker stood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from store.importers._wire import count, mapping, string
from store.importers._wire_answers import Answers, Named
from store.importers._wire_offsets import Fitted, fit
from store.records.citations import Offsets
from store.records.text import Span, TextIndex

__all__ = ["link", "mark"]

_KINDS: Final = ("url_citation", "file_citation", "container_file_citation")


def mark(
    annotation: Mapping[str, object],
    text: str,
    start: int,
    answers: Answers,
    files: Mapping[str, Named],
) -> str:
    """Add the citation that *annotation* is on *text*, which begins at *start* of the answer.

    *files* are the files whose found pieces are in the capture, by id.  What
    is no citation is told by the text that is returned.
    """
    kind = string(annotation.get("type"))
    inner = mapping(annotation.get(kind)) or annotation
    if kind not in _KINDS:
        named = string(inner.get("file_id")) or string(inner.get("url"))
        return f"the answer carries a mark of type {kind or '?'} ({named}), which cites nothing"
    title = string(inner.get("title")) or string(inner.get("filename"))
    file_id = string(inner.get("file_id"))
    if kind == "file_citation":
        place = _point(inner.get("index"), text)
        answers.add(place, start, [files.get(file_id) or answers.unread(file_id or title, title)])
        return ""
    first, end = inner.get("start_index"), inner.get("end_index")
    if kind == "container_file_citation":
        if first == end == 0:
            return f"the service made the file {title or file_id}; no words of the answer cite it"
        place = fit(TextIndex(text), first, end, lambda words: words.startswith("sandbox:"))
        answers.add(place, start, [answers.unread(file_id or title, title)])
        return ""
    url = string(inner.get("url"))
    place = Fitted(None, None) if _is_nowhere(first, end) else link(text, first, end, url)
    answers.add(place, start, [answers.unread(url or title or "?", title)])
    return ""


def _is_nowhere(first: object, end: object) -> bool:
    return (first is None and end is None) or first == end == 0


def link(text: str, first: object, end: object, url: str) -> Fitted:
    """Return the place of a link in *text*; one whose words name no address cannot be checked."""
    found = fit(TextIndex(text), first, end, _is_link(url))
    if found.offsets is not None and not found.offsets.fits and (not url or url not in text):
        return Fitted(found.span, None, found.malformed)
    return found


def _is_link(url: str) -> Callable[[str], bool]:
    def test(words: str) -> bool:
        opened = words.startswith(("[", "([", "http"))
        closed = words.endswith((")", url)) and words.count("(") == words.count(")")
        return bool(url) and url in words and opened and closed

    return test


def _point(index: object, text: str) -> Fitted:
    place = count(index)
    if place is None or place > len(text):
        return Fitted(None, None, f"{index} is no place of the answer")
    return Fitted(Span(place, place), Offsets(place, place, "point", ("point",), 0))
