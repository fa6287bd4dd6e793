"""The conventions by which spans name what they hold: one file each, found by walking.

A module ``_span_dialect_NAME`` holds its `Dialect` as ``DIALECT``.  A span may
follow several at once; the most specific says what the span stands for, and
each fills in what those before it left open.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

import store.importers as package
from store.importers._span_steps import Kind, Step, Traced

__all__ = ["Dialect", "dialects", "is_known", "step_of"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One convention: ``kind`` says what a span stands for, ``fill`` what it holds.

    ``order`` decides who is asked first for the kind, ``filling`` who fills
    first (small first): who knows the kind best may hold the rawest content.
    """

    name: str
    order: int
    kind: Callable[[Traced], Kind | None]
    fill: Callable[[Traced, Step], None]
    filling: int = 50


@cache
def dialects() -> tuple[Dialect, ...]:
    """Return every convention, the most specific first."""
    names = (module.name for module in pkgutil.iter_modules(package.__path__))
    found = [
        import_module(f"{package.__name__}.{name}").DIALECT
        for name in names
        if name.startswith("_span_dialect_")
    ]
    return tuple(sorted(found, key=lambda dialect: (dialect.order, dialect.name)))


def is_known(span: Traced) -> bool:
    """Return whether any convention knows what the span stands for."""
    return any(dialect.kind(span) is not None for dialect in dialects())


def step_of(span: Traced) -> Step:
    """Return the step that a span is."""
    kinds = (dialect.kind(span) for dialect in dialects())
    step = Step(
        kind=next((kind for kind in kinds if kind is not None), Kind.OTHER),
        span_id=span.span_id,
        trace_id=span.trace_id,
        origin=span.origin,
        parent_id=span.parent_id,
        name=span.name,
        start=span.start,
        end=span.end,
        error=span.error,
    )
    for dialect in sorted(dialects(), key=lambda each: (each.filling, each.order)):
        dialect.fill(span, step)
    return step
