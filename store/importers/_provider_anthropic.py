"""Anthropic Messages (``POST /v1/messages``), streamed or not, also behind other services.

Fields as in the types of Anthropic's SDK.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.importers._anthropic_call import read_message
from store.importers._wire import Provider, Wire, string

__all__ = ["PROVIDER"]

_EVENTS: Final = frozenset(
    ("message_start", "content_block_start", "content_block_delta", "message_delta")
)


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a message, an error or the first event of a stream."""
    kind = string(value.get("type"))
    if kind == "message":
        return value.get("role") == "assistant" and isinstance(value.get("content"), list)
    return kind in _EVENTS


def is_request(wire: Wire) -> bool:
    """Return whether an exchange asks for a message."""
    if wire.path.endswith(("/v1/messages", "/v1/messages/count_tokens")):
        return True
    return "anthropic_version" in wire.request and "messages" in wire.request


PROVIDER = Provider(
    name="anthropic",
    order=100,
    is_request=is_request,
    is_response=is_response,
    read=read_message,
)
