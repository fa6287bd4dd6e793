"""The wire formats of providers: one file each, found by walking this package.

A module ``_provider_NAME`` holds its `Provider` as ``PROVIDER``; one that is
dropped in is known, one that is deleted is gone without a trace.
"""

from __future__ import annotations

import base64
import binascii
import json
import pkgutil
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module

import store.importers as package
from store.importers._capture_fidelity import put_right
from store.importers._capture_http import Interaction, events_in, is_streamed, parsed
from store.importers._capture_secrets import Masker
from store.importers._capture_stream import StreamError, is_stream, stream_events
from store.importers._wire import Provider, Wire, mapping
from store.jsonin import JsonError, loads

__all__ = ["is_response", "provider_of", "providers", "wire_of"]


@cache
def providers() -> tuple[Provider, ...]:
    """Return every provider, the most specific first."""
    names = (module.name for module in pkgutil.iter_modules(package.__path__))
    found = [
        import_module(f"{package.__name__}.{name}").PROVIDER
        for name in names
        if name.startswith("_provider_")
    ]
    return tuple(sorted(found, key=lambda provider: (provider.order, provider.name)))


def is_response(value: object) -> bool:
    """Return whether *value* is a response, or a first event of one, of any provider."""
    return isinstance(value, dict) and any(each.is_response(value) for each in providers())


def provider_of(wire: Wire) -> Provider | None:
    """Return whose exchange it is: by its request, else by its response."""
    for each in providers():
        if each.is_request(wire):
            return each
    found = next((each for each in providers() if each.is_response(wire.first)), None)
    return found or next((each for each in providers() if each.name == _by_body(wire)), None)


def _by_body(wire: Wire) -> str:
    """Return whose request it is by its form alone, where the capture has no address."""
    asked = wire.request.keys()
    if "/" in wire.path:
        return ""
    if isinstance(wire.request.get("contents"), list):
        return "gemini"
    if isinstance(wire.request.get("messages"), list):
        return "anthropic" if {"system", "max_tokens"} <= asked else "openai-chat"
    more = {"instructions", "store", "stream", "tools", "previous_response_id", "reasoning"}
    return "openai-responses" if "input" in asked and more & asked else ""


def wire_of(interaction: Interaction, masker: Masker) -> Wire:
    """Return *interaction* with its bodies parsed and its credentials masked.

    A stream cuts keys in pieces, so its events are as they were: what is made
    of them is masked when it is whole.
    """
    asked, got = interaction.request, put_right(interaction.response)
    request = parsed(asked)
    trouble = asked.trouble or got.trouble
    if request is None and asked.body and asked.body.lstrip()[:1] in (b"{", b"["):
        trouble = trouble or "the body of the request is no JSON that can be read"
    events: list[tuple[str, object]] = []
    response: object = None
    try:
        if got.body and is_stream(got.body):
            for event in _binary(got.body):
                events.append(event)  # noqa: PERF402 - what came before the damage is kept
        elif is_streamed(got):
            events.extend(_text(got.body or b""))
        else:
            response = parsed(got)
            if response is None:
                events.extend(_by_line(got.body or b""))
    except StreamError as error:
        trouble = trouble or str(error)
    if isinstance(response, list):
        events, response = [_event(item) for item in response], None
    if response is None and not events and got.body and (interaction.status or 200) < 400:  # noqa: PLR2004
        trouble = trouble or "the body of the response is no JSON that can be read"
    return Wire(
        interaction,
        mapping(masker.value(request)),
        masker.value(response),
        tuple(events),
        has_request=bool(asked.body) or asked.value is not None,
        trouble=trouble,
    )


def _event(item: object) -> tuple[str, object]:
    """Return name and data of an event that a recorder took apart already."""
    inner = mapping(item)
    if "data" not in inner or "type" in inner:
        return "", item
    data = inner["data"]
    if isinstance(data, str):
        with suppress(JsonError):
            data = loads(data.encode("utf-8", "surrogateescape"))
    return str(inner.get("event") or ""), data


def _text(body: bytes) -> Iterator[tuple[str, object]]:
    for name, data in events_in(body):
        if data.strip() != "[DONE]":
            try:
                yield name, loads(data.encode("utf-8", "surrogateescape"))
            except JsonError:
                yield name, data


def _by_line(body: bytes) -> Iterator[tuple[str, object]]:
    """Yield the objects of a stream that has one a line; none where a line is something else."""
    found: list[tuple[str, object]] = []
    lines = [line for line in body.split(b"\n") if line.strip()]
    for number, line in enumerate(lines):
        try:
            found.append(("", loads(line)))
        except JsonError:
            if number + 1 < len(lines) or number < 2:  # noqa: PLR2004 - the last one may be cut
                return
    yield from found if len(lines) > 1 else ()


def _binary(body: bytes) -> Iterator[tuple[str, object]]:
    """Yield the events of a binary stream; a ``chunk`` may hold a native event as base64."""
    for name, payload in stream_events(body):
        try:
            value = loads(payload)
        except JsonError:
            value = payload.decode("utf-8", "replace")
        if name == "chunk" and isinstance(value, dict):
            with suppress(ValueError, RecursionError, binascii.Error):
                value = json.loads(base64.b64decode(str(value.get("bytes", ""))))
        yield name, value
