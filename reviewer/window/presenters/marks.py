"""What is marked in a text, and what stands beside it: positions and words, no colours."""

from __future__ import annotations

from dataclasses import dataclass

from store.records.text import Span

__all__ = ["KINDS", "Gutter", "Mark"]

KINDS = (
    "heading",
    "removed",
    "added",
    "gap",
    "delivered",
    "preview",
    "placeholder",
    "cited",
    "found",
    "current",
)
"""Every kind of mark; where two meet, the later one decides what the eye meets first.

``heading`` is text of the program's own between pieces of evidence: it has a
look of its own, so that no evidence can pass for it.
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked span of a text, in code points.  ``tip`` says in words what ``kind`` shows."""

    span: Span
    kind: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Gutter:
    """A label beside the lines that hold ``span``, in code points, with a bar of ``kind``."""

    span: Span
    label: str
    kind: str
