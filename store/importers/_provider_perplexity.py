"""Perplexity's Sonar: chat completions whose answer marks its sources with ``[n]``.

``n`` counts from 1 and names ``citations[n-1]``, an address; of the pages
themselves only a snippet is on the wire.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from store.importers._chat_call import Chat
from store.importers._wire import Exchange, Provider, Turn, Wire, items, members, string
from store.importers._wire_answers import Answers
from store.importers._wire_offsets import Fitted
from store.records.citations import Offsets
from store.records.grades import Grade
from store.records.runs import Part, PartKind
from store.records.sources import Manifest, ManifestEntry
from store.records.text import Span

__all__ = ["PROVIDER"]

_MARK = re.compile(r"\[([0-9]{1,3})\]")
_SNIPPETS: Final = (
    "the service searched by itself; of the page only a snippet is on the wire, and what of it the "
    "model was given is not"
)
_SEARCHED: Final = (
    "the service searched by itself within this call, and what it found is not in the capture"
)


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a completion with the list of what was searched."""
    found = isinstance(value.get("citations"), list) or "search_results" in value
    return found and isinstance(value.get("choices"), list)


def is_request(wire: Wire) -> bool:
    """Return whether an exchange is with Perplexity."""
    return "perplexity" in wire.path and "completions" in wire.path


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    chat = Chat.of(wire, "perplexity")
    answers = Answers()
    titles = {
        string(each.get("url")): string(each.get("title"))
        for each in members(chat.response.get("search_results"))
    }
    pages = [string(page) for page in items(chat.response.get("citations"))] or list(titles)
    for found in _MARK.finditer(chat.text):
        number = int(found[1])
        known = 1 <= number <= len(pages)
        offsets = Offsets(number, number, "marker", ("marker",) if known else (), 0)
        place = Fitted(
            Span(*found.span()),
            offsets,
            "" if known else f"[{number}] is none of the {len(pages)} sources",
        )
        url = pages[number - 1] if known else f"[{number}]"
        answers.add(place, 0, [answers.unread(url, titles.get(url, ""), _SNIPPETS)])
    if pages:
        listed = [answers.unread(url, titles.get(url, ""), _SNIPPETS) for url in pages]
        entries = tuple(ManifestEntry(each.source_id, each.version_id or "") for each in listed)
        chat.exchange.manifests.append(Manifest(None, entries))
        chat.exchange.added.append(Turn("tool", (Part(PartKind.OPAQUE, name="search"),)))
        chat.exchange.doubt(Grade.DERIVED, _SEARCHED)
    return chat.finish(answers)


PROVIDER = Provider("perplexity", 150, is_request, is_response, read)
