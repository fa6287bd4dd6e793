"""OpenAI's Chat Completions, also as OpenRouter, xAI, DeepSeek, Azure and others serve them.

Citations are ``message.annotations`` on the text of the answer.  Some who
serve it put a list of addresses beside it (``citations``), to which links or
numbers in the text lead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.importers._chat_call import Chat, is_chat_response
from store.importers._openai_marks import mark
from store.importers._wire import Exchange, Provider, Turn, Wire, items, mapping, members, string
from store.importers._wire_answers import NEVER_SENT, SEARCHED, Answers
from store.importers._wire_marks import linked, listing, numbered, placeless
from store.records.grades import Grade
from store.records.runs import Part, PartKind

__all__ = ["PROVIDER"]

_SERVERS: Final = (
    "openrouter",
    "x.ai",
    "xai",
    "deepseek",
    "groq",
    "azure",
    "mistral",
    "perplexity",
)
_COMPRESSED: Final = (
    "the request lets the service take messages out of its middle; its tokens do not contradict "
    "that all of them were read"
)


def is_request(wire: Wire) -> bool:
    """Return whether an exchange asks for a chat completion."""
    return wire.path.endswith("/chat/completions")


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a chat completion or the first piece of a streamed one."""
    return is_chat_response(value)


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    server = next((name for name in _SERVERS if name in wire.path), "openai")
    chat = Chat.of(wire, server)
    answers = Answers()
    for annotation in members(chat.message.get("annotations")):
        note = mark(annotation, chat.text, 0, answers, {})
        chat.exchange.notes += [note] if note else []
    listed = _listed(chat, answers)
    request = wire.request
    if "middle-out" in items(request.get("transforms")):
        chat.exchange.doubt(Grade.INFERRED, _COMPRESSED)
    plugins = [string(each.get("id")) for each in members(request.get("plugins"))]
    asks = bool(mapping(request.get("web_search_options"))) or "web" in plugins
    asks = asks or bool(mapping(request.get("search_parameters"))) or listed
    if asks or answers.citations():
        chat.exchange.added.append(Turn("tool", (Part(PartKind.OPAQUE, name="web_search"),)))
        chat.exchange.doubt(Grade.DERIVED, SEARCHED)
    return chat.finish(answers)


def _listed(chat: Chat, answers: Answers) -> bool:
    """Read the list of addresses beside an answer; say whether there is one."""
    given = items(chat.response.get("citations")) or items(chat.message.get("citations"))
    pages = [string(page) or string(mapping(page).get("url")) for page in given]
    named = [answers.unread(page) for page in pages if page]
    if not named:
        return False
    chat.exchange.manifests.append(listing(named))
    text = chat.text
    if not (answers.citations() or linked(text, answers, NEVER_SENT)):
        numbered(text, named, answers)
    if not answers.citations():
        placeless(named, answers)
    return True


PROVIDER = Provider("openai-chat", 200, is_request, is_response, read)
