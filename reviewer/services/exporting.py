"""Writes a report on audits that are open already: whole or not at all, never onto evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from reviewer import __version__
from reviewer.audit.rules import rules
from reviewer.reports import Meta, Report, reports
from reviewer.services.open_reviews import open_reviews
from reviewer.services.rereading import VersionFiles
from reviewer.services.resources import resource
from reviewer.services.result_files import ResultFile, checked_output
from store.records.findings import Audit
from store.records.runs import Problem

__all__ = ["export_report", "report_for", "report_meta"]


def report_meta(*, columns: int = 100, colour: bool = False, everything: bool = True) -> Meta:
    """Return what every report uses beside the audits; the options are those of `Meta`."""
    return Meta(
        __version__,
        resource("reports/page.css").read_text("utf-8"),
        columns,
        colour,
        everything,
        file_of=VersionFiles(),
        rules=tuple((rule.id, rule.version) for rule in rules()),
    )


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
    baseline: str = "",
    check: Callable[[], None] = lambda: None,
) -> Path:
    """Write *report* on *audits* to the file *name* and return its place.

    What reviewers decided on them is in it; *baseline* is the file that their
    findings were compared with.  *check* is called between pieces
    and may raise to stop: then nothing is written.  Raises `RefusedError` where
    the file lies in *evidence* or cannot be written.
    """
    place = checked_output(name, evidence)
    reviews, told = open_reviews(audits)
    problems = [*problems, *(each for each in told if each not in problems)]
    meta = replace(report_meta(), reviews=reviews, baseline_name=baseline)
    chunks = report.chunks(iter(audits), problems, meta)
    with ResultFile(place, name) as result:
        result.write(_checked(chunks, check))
        result.keep()
    return place


def _checked(chunks: Iterator[str | bytes], check: Callable[[], None]) -> Iterator[str | bytes]:
    for chunk in chunks:
        check()
        yield chunk
