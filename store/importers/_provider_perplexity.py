"""Perplexity's Sonar: chat completions whose answer marks its sources with ``[n]``.

``n`` counts from 1 and names ``citations[n-1]``, an address; of the pages
themselves only a snippet is on the wire.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.importers._chat_call import Chat
from store.importers._wire import Exchange, Provider, Turn, Wire, items, mapping, members, string
from store.importers._wire_answers import SEARCHED, Answers
from store.importers._wire_marks import SEARCH, listing, numbered
from store.records.grades import Grade

__all__ = ["PROVIDER"]

_SNIPPETS: Final = (
    "the service searched by itself; of the page only a snippet is on the wire, and what of it the "
    "model was given is not"
)


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a completion with the list of what was searched."""
    found = isinstance(value.get("citations"), list) or "search_results" in value
    choice = next(members(value.get("choices")), {})
    marked = mapping(choice.get("message")).get("annotations")
    ours = not (marked or string(value.get("model")).startswith("grok"))
    return found and ours and isinstance(value.get("choices"), list)


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
    listed = [answers.unread(url, titles.get(url, ""), _SNIPPETS) for url in pages]
    numbered(chat.text, listed, answers)
    if listed:
        chat.exchange.manifests.append(listing(listed))
        chat.exchange.added.append(Turn("tool", (SEARCH,)))
        chat.exchange.doubt(Grade.DERIVED, SEARCHED)
    return chat.finish(answers)


PROVIDER = Provider("perplexity", 150, is_request, is_response, read)
