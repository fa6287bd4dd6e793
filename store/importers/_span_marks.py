"""Words that an export puts where content stood: what was cut, and what stands elsewhere.

Each counts only as a whole text or at its end, as the product writes it;
inside of a text it may be quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from store.importers._capture_secrets import names_credential
from store.importers._fields import compact
from store.importers._span_steps import Kind, Step
from store.importers._span_values import Cut, json_of

__all__ = ["mark_step"]

_CUT: Final = (
    re.compile(r"\s*<truncated due to size exceeding limit>\s*"),
    re.compile(r"__REDACTED__|\[REDACTED\]|<redacted>"),
    # Logfire's words; what it instruments may be exported to any product.
    re.compile(r"\[Scrubbed due to '[^'\n]*'\]"),
)
_CUT_END: Final = re.compile(r"(?:…|\.\.\.)\[truncated [0-9]{1,12} chars\]\s*\Z")
_ELSEWHERE: Final = re.compile(
    r"(?:@@@langfuseMedia:|mlflow-attachment://|weave:///|braintrust_attachment\Z)"
)
_TRACE_END: Final = "... [truncated]"
_TRACE_BYTES: Final = 90_000
"""The trace export of OpenAI's agents cuts a field that has more than 100,000 bytes."""
_SHOWN: Final = 60
_MOST: Final = 1_000_000


def mark_step(step: Step) -> None:
    """Note at *step* what words of its request and response say was taken from them."""
    if step.kind is Kind.OTHER:
        return
    for value, request in ((step.request, True), (step.response, False)):
        for what in dict.fromkeys(_marks(value)):
            step.lacks(what, request=request and step.kind is Kind.GENERATION)


def _marks(value: object) -> Iterator[str]:
    large: bool | None = None
    for text in _texts(value):
        if len(text) < _SHOWN and any(each.fullmatch(text) for each in _CUT):
            yield f"a text was taken out as it was recorded: {text.strip()}"
        elif _CUT_END.search(text[-_SHOWN:]):
            yield "a text was cut as it was recorded, and says how many characters are gone"
        elif _ELSEWHERE.match(text):
            yield f"content stands elsewhere: {text[:_SHOWN]}"
        elif text.endswith(_TRACE_END):
            large = _is_large(value) if large is None else large
            if large:
                yield f"a text was cut at the limit of the export ({_TRACE_END})"


def _is_large(value: object) -> bool:
    return len(compact(value).encode("utf-8", "replace")) >= _TRACE_BYTES


def _texts(value: object) -> Iterator[str]:
    """Yield every text in *value*; one that is JSON is looked into."""
    waiting = [json_of(value)]
    seen = 0
    while waiting and seen < _MOST:
        item = waiting.pop()
        seen += 1
        if isinstance(item, Cut):
            item = item.value
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            # What a client logged in with is no text of a message, however it was masked.
            waiting.extend(held for key, held in item.items() if not names_credential(str(key)))
        elif isinstance(item, list):
            waiting.extend(item)
