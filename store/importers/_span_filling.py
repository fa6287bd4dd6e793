"""How conventions fill a step: the first that has something is taken, gaps are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from store.importers._span_steps import Missing, Step
from store.importers._span_values import Cut, indexed, json_of, number, without_stump
from store.importers._wire import mapping
from store.records.runs import Usage

__all__ = [
    "add_usage",
    "documents_under",
    "numbered",
    "offer",
    "opened",
    "settings_of",
    "usage_from",
]

_NOTHING: Final[tuple[object, ...]] = (None, "", [], {})
_NAMED: Final = 3


def offer(step: Step, *, request: object = None, response: object = None) -> None:
    """Take *request* and *response* where the step has none yet."""
    if step.request in _NOTHING and request not in _NOTHING:
        step.request = request
    if step.response in _NOTHING and response not in _NOTHING:
        step.response = response


def opened(step: Step, value: object, what: str, *, request: bool) -> object:
    """Return the JSON that *value* is; say so where it breaks off within it."""
    found = json_of(value)
    if isinstance(found, Cut):
        step.lacks(
            f"{what} was cut at {found.chars} characters, within its JSON, by a limit on the "
            "length of values; what stands before the cut was read",
            request=request,
        )
        return without_stump(found.value)
    return found


def numbered(
    step: Step, found: Sequence[tuple[int, object]], dropped: int, *, request: bool = True
) -> list[object]:
    """Return messages by their numbers, with a `Missing` for each gap, and tell what that proves.

    A limit that lets the oldest attributes go leaves a gap at the front
    (Python); one that refuses the newest leaves none that can be counted (Go,
    Rust), and only the count of dropped attributes tells of it.
    """
    messages: list[object] = []
    gaps: list[Missing] = []
    expected = 0
    for place, message in found:
        if place > expected:
            gaps.append(Missing(expected, place))
            messages.append(gaps[-1])
        messages.append(message)
        expected = place + 1
    if gaps or (dropped and request):
        step.lacks(_lacking(gaps, dropped, request=request), request=request)
    return messages


def _lacking(gaps: Sequence[Missing], dropped: int, *, request: bool) -> str:
    named = ", ".join(gap.named for gap in gaps[:_NAMED])
    named += ", …" if len(gaps) > _NAMED else ""
    if not request:
        what = f"messages of the response are missing ({named})"
    elif not gaps:
        what = "the end of the request may be missing"
    elif len(gaps) == 1 and not gaps[0].start:
        what = f"the beginning of the request is missing (messages {named})"
    else:
        what = f"messages of the request are missing ({named})"
    return f"{what}: {dropped} attributes of the span were dropped by a limit" if dropped else what


def documents_under(attributes: Mapping[str, object], prefix: str) -> list[object]:
    """Return the documents of a retriever, each as an object with its own names."""
    found = []
    for _, value in indexed(attributes, prefix):
        inner = mapping(value).get("document", value)
        document = dict(mapping(inner))
        if isinstance(document.get("metadata"), str):
            document["metadata"] = json_of(document["metadata"])
        found.append(document or value)
    return found


def settings_of(step: Step, parameters: object, tools: Sequence[tuple[int, object]] = ()) -> None:
    """Keep the parameters of a call and the tools it was offered."""
    known = json_of(parameters)
    for key, value in mapping(known).items():
        step.settings.setdefault(key, value)
    if tools:
        step.settings.setdefault("tools", [json_of(_schema(tool)) for _, tool in tools])


def _schema(tool: object) -> object:
    inner = mapping(mapping(tool).get("tool", tool))
    return inner.get("json_schema", tool)


def add_usage(
    step: Step,
    attributes: Mapping[str, object],
    names: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]],
) -> None:
    """Take token counts under *names*: whole input, output, read from and written to a cache."""
    if step.usage == Usage():
        step.usage = Usage(*(number(attributes, *keys) for keys in names))


def usage_from(value: object, *, cached_apart: bool = False) -> Usage:
    """Return token counts from a report in any spelling; empty where there is none.

    *cached_apart* says that cached input is not part of the input that is named.
    """
    held = mapping(value)
    whole = number(held, "input_tokens", "prompt_tokens", "inputTokens", "promptTokens", "input")
    written = number(
        held, "output_tokens", "completion_tokens", "outputTokens", "completionTokens", "output"
    )
    read = number(
        held,
        "cache_read_input_tokens",
        "cache_read_tokens",
        "prompt_tokens_details.cached_tokens",
        "input_tokens_details.cached_tokens",
        "prompt_cached_tokens",
        "input_cached_tokens",
        "input_cache_read",
        "cachedInputTokens",
    )
    stored = number(
        held,
        "cache_creation_input_tokens",
        "cache_write_tokens",
        "prompt_cache_creation_tokens",
        "input_cache_creation",
    )
    if whole is not None and cached_apart:
        whole += (read or 0) + (stored or 0)
    return Usage(whole, written, read, stored)
