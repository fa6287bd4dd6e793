"""Writes a report on audits that are open already: whole or not at all, never onto evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from reviewer import __version__
from reviewer.reports import Meta, Report, reports
from reviewer.services.open_reviews import open_reviews
from reviewer.services.resources import resource
from reviewer.services.result_files import ResultFile, checked_output
from store.records.findings import Audit
from store.records.runs import Problem

__all__ = ["export_report", "report_for"]


def report_for(name: str, chosen: str = "") -> Report | None:
    """Return the format that the ending of *name* asks for, else the one called *chosen*."""
    found = reports()
    suffix = Path(name).suffix.lower()
    for report in found.values():
        if suffix and report.suffix == suffix:
            return report
    return found.get(chosen)


def export_report(  # noqa: PLR0913 - what is written, where, and what must stay as it is
    name: str,
    report: Report,
    audits: Sequence[Audit],
    problems: Sequence[Problem],
    evidence: Sequence[str],
    *,
    check: Callable[[], None] = lambda: None,
) -> Path:
    """Write *report* on *audits* to the file *name* and return its place.

    What reviewers decided on them is in it.  *check* is called between pieces
    and may raise to stop: then nothing is written.  Raises `RefusedError` where
    the file lies in *evidence* or cannot be written.
    """
    place = checked_output(name, evidence)
    style = resource("reports/page.css").read_text("utf-8")
    reviews, told = open_reviews(audits)
    problems = [*problems, *(each for each in told if each not in problems)]
    meta = Meta(__version__, style, everything=True, reviews=reviews)
    with ResultFile(place, name) as result:
        result.write(_checked(report.write(iter(audits), problems, meta), check))
        result.keep()
    return place


def _checked(chunks: Iterator[str], check: Callable[[], None]) -> Iterator[str]:
    for chunk in chunks:
        check()
        yield chunk
