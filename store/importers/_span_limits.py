"""Limits on attributes that leave no mark: what the spans of one file prove of them.

A limit on the length of values cuts every longer one at the same number of
characters, and nothing says so.  It shows where JSON breaks off at its end,
and where several values have the same, round, greatest length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from store.importers._span_steps import Kind, Step, Traced
from store.importers._span_values import Cut, json_of

__all__ = ["Limits", "limits_of"]

_SAID: Final = "dropped"
_DEFAULT: Final = 128
"""How many attributes SDKs keep of a span where nobody says otherwise."""
_FULL: Final = (
    "the span has exactly 128 attributes, which is the limit of SDKs, and its form has no place "
    "for how many were dropped: some may be missing"
)
_SHORTEST: Final = 64
_ENOUGH: Final = 2
_WRITTEN: Final = (*("output", "response", "completion", "result", "choice", "final_result"),)


@dataclass(frozen=True, slots=True)
class Limits:
    """The length at which values of a file were cut; 0 where nothing shows one."""

    length: int = 0

    def mark(self, span: Traced, step: Step) -> None:
        """Note at *step* what the limits took from *span*."""
        if step.kind is Kind.GENERATION:
            self._dropped(span, step)
        elif step.kind in (Kind.TOOL, Kind.RETRIEVAL) and span.dropped:
            step.lacks(_dropped(span.dropped))
        for key, value in _texts(span) if self.length else ():
            if len(value) == self.length and step.kind is not Kind.OTHER:
                what = (
                    f"{key} has exactly {self.length} characters, as other values of this file "
                    "have: it was cut there by a limit on their length"
                )
                if not any(key in each.what for each in step.shortfalls):
                    step.lacks(what, request=not any(word in key for word in _WRITTEN))

    @staticmethod
    def _dropped(span: Traced, step: Step) -> None:
        if span.dropped and not any(_SAID in each.what for each in step.shortfalls):
            step.lacks(_dropped(span.dropped), request=not step.is_whole)
        if not span.tells_dropped and len(span.attributes) == _DEFAULT:
            step.lacks(_FULL)
        if span.dropped_events:
            step.lacks(f"{span.dropped_events} events of the span were dropped by a limit")
        lost = sum(event.dropped for event in span.events)
        if lost:
            step.lacks(f"{lost} attributes of events were dropped by a limit")


def _dropped(count: int) -> str:
    return f"{count} attributes of the span were dropped by a limit; which, is not recorded"


def limits_of(spans: Sequence[Traced]) -> Limits:
    """Return what all *spans* of a file show."""
    longest = max(map(len, _all_texts(spans)), default=0)
    if longest < _SHORTEST:
        return Limits()
    found = {value for value in _all_texts(spans) if len(value) == longest}
    is_cut = any(value[:1] in "[{" and isinstance(json_of(value), Cut) for value in found)
    shared = len(found) >= _ENOUGH and _is_round(longest)
    return Limits(longest if is_cut or shared else 0)


def _is_round(length: int) -> bool:
    return length % 100 == 0 or length % 64 == 0 or length in (255, 4095, 8191, 65535)


def _all_texts(spans: Iterable[Traced]) -> Iterator[str]:
    return (value for span in spans for _, value in _texts(span))


def _texts(span: Traced) -> Iterator[tuple[str, str]]:
    for key, value in span.attributes.items():
        if isinstance(value, str):
            yield key, value
    for event in span.events:
        for key, value in event.attributes.items():
            if isinstance(value, str):
                yield key, value
