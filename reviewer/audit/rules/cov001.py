"""COV001: a tool gave fewer entries than it was asked for."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._coverage import place, shown
from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Outcome, ReadFacts, Severity
from store.records.runs import Run
from store.records.text import Unit


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each read of rows or blocks that came short, and not by filtering."""
    for read in view.reads:
        if read.outcome is not Outcome.TRUNCATED or read.selection.unit not in _ENTRIES:
            continue
        missing = _missing(read)
        found = read.recomputed
        short = (found.requested or 0) - (found.loaded or 0)
        short = min(short, len(missing)) - (found.filtered_count or 0)
        if short > 0:
            unit = read.selection.unit.value
            yield finding(
                RULE.id,
                RULE.severity,
                read.grade,
                f"{read.selection.source_id}: {short} of {found.requested} {unit}s did not come: "
                f"{shown(missing)}",
                place(read),
                read.selection.source_id,
                read.selection.version_id,
                read.tool_call_id,
            )


_ENTRIES = (Unit.ROW, Unit.BLOCK)


def _missing(read: ReadFacts) -> list[object]:
    """Return the entries that exist and did not come; rows beyond the end were never there."""
    return [each for each in read.recomputed.missing if not isinstance(each, tuple)]


def _told(came: int) -> Run:
    story = Story()
    story.table("orders", 8)
    story.read_rows("orders", 8, range(came))
    return story.answer()


RULE = Rule(
    id="COV001",
    name="FewerEntriesThanAsked",
    severity=Severity.WARNING,
    summary="A tool gave fewer rows or blocks than it was asked for",
    why=(
        "An entry limit inside a tool looks like the end of the data. What is counted, summed or "
        "said not to exist then rests on the first entries alone."
    ),
    silent=(
        "For rows beyond the end of a table; for entries that the tool declares as filtered, which "
        "is COV003; where nothing came, or the read failed or was refused; where the version is "
        "not stored, so that nothing can be counted. A part that was asked for and came is whole."
    ),
    check=check,
    passing=lambda: _told(8),
    failing=lambda: _told(5),
)
