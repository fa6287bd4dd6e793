"""Small pictures of coverage, drawn with plain shapes, each with its words for those who listen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reviewer.reports._page import escape
from reviewer.reports._words import coverage, length
from store.records.findings import VersionFacts
from store.records.text import Span

__all__ = ["coverage_strip", "residency_strip"]

_WIDTH = 240
_LANE = 7
_FILLS = {
    "ground": 'fill="#d0d7de"',
    "delivered": 'fill="#0757ba"',
    "answer": 'fill="#6a3fb5"',
    "previewed": 'fill="none" stroke="#8a5a00"',
}
"""What shows where a reader ignores the style sheet, which overrides these."""


def _frame(label: str, height: int, shapes: str) -> str:
    return (
        f'<svg class="strip" role="img" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}" preserveAspectRatio="none">'
        f"<title>{escape(label)}</title>"
        f'<rect class="ground" {_FILLS["ground"]} width="{_WIDTH}" height="{height}"/>'
        f"{shapes}</svg>"
    )


def _pieces(spans: Iterable[Span], total: int, top: int, look: str) -> str:
    """Return one shape for each span; none is thinner than can be seen."""
    shapes = []
    for span in spans:
        start = span.start * _WIDTH / total
        size = max(1.0, span.length * _WIDTH / total)
        start = min(start, _WIDTH - size)
        shapes.append(
            f'<rect class="{look}" {_FILLS[look]} x="{start:.1f}" y="{top}" '
            f'width="{size:.1f}" height="{_LANE}"/>'
        )
    return "".join(shapes)


def coverage_strip(facts: VersionFacts) -> str:
    """Return which part of a version was delivered; empty where its length is not known."""
    total = length(facts)
    if not total:
        return ""
    shapes = (
        _pieces(facts.delivered, total, 0, "delivered")
        + _pieces(facts.previewed, total, 0, "previewed")
        + _pieces(facts.delivered_at_answer, total, _LANE + 1, "answer")
    )
    return _frame(coverage(facts), 2 * _LANE + 1, shapes)


def residency_strip(calls: Sequence[int], total: int) -> str:
    """Return in which of *total* calls something stood in the request."""
    if not total:
        return ""
    runs: list[Span] = []
    for call in calls:
        if runs and runs[-1].end == call - 1:
            runs[-1] = Span(runs[-1].start, call)
        else:
            runs.append(Span(call - 1, call))
    return _frame(f"in {len(calls)} of {total} calls", _LANE, _pieces(runs, total, 0, "delivered"))
