"""Whether a comparison found a difference, and whether something could not be compared."""

from __future__ import annotations

from collections.abc import Iterable

from store.records.comparisons import (
    CallDifference,
    CitationDifference,
    RunComparison,
)
from store.records.differences import Change, Side, SourceChange, SourceDifference, Why
from store.records.findings import Finding, PlaceholderFacts
from store.records.grades import Grade
from store.records.runs import ContextEdit

__all__ = ["is_doubtful", "runs_differ", "runs_doubt", "sources_differ"]


def runs_differ(found: RunComparison) -> bool:
    """Whether a difference was found between two runs."""
    return bool(
        any(not _is_unknown(each.a, each.b) for each in found.placeholders)
        or any(not _is_unknown(each.a, each.b) for each in found.edits)
        or any(not _is_unknown(each.a, each.b) for each in found.findings)
        or sources_differ(found.sources)
        or any(not each.same and each.doubt is None for each in found.reads)
        or any(each.change is not Change.SAME for each in found.answers)
        or any(map(_call_differs, found.calls))
        or any(not each.same and not is_doubtful(each) for each in found.citations)
    )


def _call_differs(one: CallDifference) -> bool:
    """A request of unknown grade is no request to compare; that there is a call more is proven."""
    proven = one.request if one.doubt is None or one.request is not Change.CHANGED else Change.SAME
    return {proven, one.response, one.settings} != {Change.SAME}


def _is_unknown(*sides: PlaceholderFacts | ContextEdit | Finding | None) -> bool:
    """Whether one of the two is not proven, so that it may be no difference."""
    return any(side is not None and side.grade is Grade.UNKNOWN for side in sides)


def runs_doubt(found: RunComparison) -> bool:
    """Whether something of two runs could not be compared."""
    return bool(
        found.doubts
        or any(each.change is SourceChange.UNKNOWN for each in found.sources)
        or any(each.doubt for each in found.reads)
        or any(map(is_doubtful, found.citations))
    )


def sources_differ(sources: Iterable[SourceDifference]) -> bool:
    """Whether a difference was found between two stores."""
    return any(one.change not in (SourceChange.SAME, SourceChange.UNKNOWN) for one in sources)


def is_doubtful(one: CitationDifference) -> bool:
    """Whether the fate of a cited text is not known.

    That B does not hold the source is a difference; where A's citation names
    no text there is nothing to know.
    """
    doubt = one.fated.doubt if one.fated is not None else None
    if doubt is None or one.names_no_text:
        return False
    return (doubt.why, doubt.side) != (Why.NO_SOURCE, Side.B)
