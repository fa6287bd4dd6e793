"""Token counts of an answer, from the three places in which a message may report them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.records.runs import Usage

__all__ = ["usage_of"]

_BY_LIFETIME: Final = ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")


def usage_of(standard: Mapping[str, object], metadata: Mapping[str, object]) -> Usage:
    """Return what a message reports.

    *standard* is its ``usage_metadata``, whose ``input_tokens`` are the whole
    input and whose details are parts of it; *metadata* is its
    ``response_metadata``, which holds the provider's own report.
    """
    found = _standard(standard) if standard else None
    if found is not None and found.input_tokens is not None:
        return found
    for name in ("usage", "token_usage"):
        own = metadata.get(name)
        if isinstance(own, dict) and own:
            return _native(own)
    return found or Usage()


def _standard(usage: Mapping[str, object]) -> Usage:
    details = _mapping(usage.get("input_token_details"))
    read, written = _count(details.get("cache_read")), _count(details.get("cache_creation"))
    # Where the lifetimes are told apart, the sum may be set to 0 instead of repeated.
    by_lifetime = sum(_count(details.get(name)) or 0 for name in _BY_LIFETIME)
    written = by_lifetime if by_lifetime and not written else written
    whole = _count(usage.get("input_tokens"))
    if whole is not None and whole < (read or 0) + (written or 0):
        # A whole that is less than its parts is the report of something else.
        whole = None
    return Usage(whole, _count(usage.get("output_tokens")), read, written)


def _native(usage: Mapping[str, object]) -> Usage:
    """Return the provider's report: Anthropic counts cached input apart, OpenAI within."""
    read = _count(usage.get("cache_read_input_tokens"))
    written = _count(usage.get("cache_creation_input_tokens"))
    if "prompt_tokens" in usage:
        details = _mapping(usage.get("prompt_tokens_details"))
        apart = read is not None or written is not None
        whole = None if apart else _count(usage.get("prompt_tokens"))
        cached = _count(details.get("cached_tokens"))
        output = _count(usage.get("completion_tokens"))
        return Usage(whole, output, read if apart else cached, written)
    whole = _count(usage.get("input_tokens"))
    output = _count(usage.get("output_tokens"))
    details = _mapping(usage.get("input_tokens_details"))
    if "cached_tokens" in details:
        return Usage(whole, output, _count(details.get("cached_tokens")), None)
    if whole is not None:
        whole += (read or 0) + (written or 0)
    return Usage(whole, output, read, written)


def _count(value: object) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count and isinstance(value, int) else None


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
