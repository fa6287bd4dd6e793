"""DashScope (Qwen), in its own interface: ``output.choices`` with ``output.search_info``.

Marks are ``[n]`` or ``[ref_n]``, whichever ``search_options.citation_format``
asked for; ``n`` is the ``index`` of a search result, from 1.  Of the pages only
title and address are on the wire.  A stream repeats all of its text in each
event unless ``incremental_output`` was asked for.  As in Alibaba Cloud's
description of the interface; no capture of it was at hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from store.importers._chat_call import Chat
from store.importers._wire import (
    Exchange,
    Provider,
    Turn,
    Wire,
    count,
    items,
    mapping,
    members,
    string,
)
from store.importers._wire_answers import NEVER_SENT, SEARCHED, Answers, Named
from store.importers._wire_marks import SEARCH, listing, numbered, placeless
from store.records.grades import Grade
from store.records.runs import Usage

__all__ = ["PROVIDER"]


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a response, or a piece of a streamed one."""
    output = mapping(value.get("output"))
    said = "choices" in output or isinstance(output.get("text"), str)
    return said and "request_id" in value


def is_request(wire: Wire) -> bool:
    """Return whether an exchange is with this interface."""
    return wire.path.endswith(("/text-generation/generation", "/multimodal-generation/generation"))


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    given = mapping(wire.request.get("input"))
    parameters = mapping(wire.request.get("parameters"))
    messages = items(given.get("messages"))
    if not messages and string(given.get("prompt")):
        messages = [{"role": "user", "content": given["prompt"]}]
    request = {**parameters, "model": wire.request.get("model"), "messages": messages}
    pieces = [mapping(data) for _, data in wire.events] or [mapping(wire.response)]
    grows = parameters.get("incremental_output") is True
    whole = _whole(pieces, grows=grows and bool(wire.events))
    chat = Chat.of(replace(wire, request=request, response=whole, events=()), "dashscope")
    exchange = chat.exchange
    usage = mapping(whole.get("usage"))
    exchange.usage = Usage(
        count(usage.get("input_tokens")) or None,
        count(usage.get("output_tokens")),
        count(mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
    )
    answers = Answers()
    found = sorted(
        members(mapping(whole.get("search_info")).get("search_results")),
        key=lambda each: count(each.get("index")) or 0,
    )
    named = _numbered(found, answers)
    if named:
        if not numbered(chat.text, named, answers):
            placeless(named, answers)
        exchange.manifests.append(listing([each for each in named if each.source_id]))
    if named or parameters.get("enable_search") is True:
        exchange.added.append(Turn("tool", (SEARCH,)))
        exchange.doubt(Grade.DERIVED, SEARCHED)
    if wire.events and exchange.finish_reason in ("", "null"):
        exchange.lost.append("the streamed response ends before its last event")
    return chat.finish(answers)


def _numbered(found: list[Mapping[str, object]], answers: Answers) -> list[Named]:
    """Return the pages in the order of their numbers; a number that is missing names nothing."""
    named: list[Named] = []
    for each in found:
        number = count(each.get("index")) or len(named) + 1
        while len(named) < min(number, 999) - 1:
            named.append(Named(f"[{len(named) + 1}]"))
        url, title = string(each.get("url")), string(each.get("title"))
        named.append(answers.unread(url or title or "?", title, NEVER_SENT))
    return named


def _whole(pieces: list[Mapping[str, object]], *, grows: bool) -> dict[str, object]:
    """Return the response in the words of a chat completion."""
    message: dict[str, object] = {"role": "assistant", "content": ""}
    reason, search, last = "", dict[str, object](), dict[str, object]()
    for piece in pieces:
        last = {**last, **piece}
        output = mapping(piece.get("output"))
        choice = next(members(output.get("choices")), {})
        said = mapping(choice.get("message"))
        text = said.get("content", output.get("text"))
        for key, value in {**said, "content": text}.items():
            known = message.get(key)
            if grows and isinstance(value, str) and isinstance(known, str) and key != "role":
                message[key] = known + value
            elif value is not None:
                message[key] = value
        reason = string(choice.get("finish_reason", output.get("finish_reason"))) or reason
        search = {**search, **mapping(output.get("search_info"))}
    error = {"message": string(last.get("message"))} if last.get("code") else None
    return {
        "id": last.get("request_id"),
        "usage": last.get("usage"),
        "search_info": search,
        "choices": [{"message": message, "finish_reason": reason}],
        **({"error": error} if error else {}),
    }


PROVIDER = Provider("dashscope", 108, is_request, is_response, read)
