"""Chooses a report, writes it whole or not at all, and tells how far it is."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.cli._command import Context, UsageError
from reviewer.cli._files import ResultFile
from reviewer.cli._output import Output

if TYPE_CHECKING:
    from reviewer.cli._auditing import Account
    from reviewer.reports import Report
    from store.records.findings import Audit

__all__ = ["Progress", "add_progress_option", "report_for", "write_file"]


def report_for(chosen: str | None, output: str | None, context: Context) -> Report:
    """Return the report that was asked for by name, or by the ending of the output file.

    Raises `UsageError` for an ending that no report has.
    """
    found = context.services.reports()
    if chosen:
        return found[chosen]
    if not output:
        return found["text"]
    suffix = Path(output).suffix.lower()
    for report in found.values():
        if report.suffix == suffix:
            return report
    known = ", ".join(report.suffix for report in found.values())
    raise UsageError(
        f"--output {output}: no format is written with this ending (known: {known}); "
        "name one with --format"
    )


def write_file(
    place: Path,
    name: str,
    report: Report,
    chunks: Iterator[str | bytes],
    account: Account,
) -> None:
    """Write a report to *place* and say so; where nothing was audited nothing is written."""
    output = account.output
    with ResultFile(place, name) as result:
        result.write(chunks)
        if account.audited:
            result.keep()
            runs = f"{account.runs} run{'' if account.runs == 1 else 's'}"
            output.note(f"wrote {name} ({runs}, {report.name})")
        else:
            output.note(f"{name}: not written, since nothing was audited")


def add_progress_option(parser: ArgumentParser) -> None:
    """Add ``--progress``."""
    parser.add_argument(
        "--progress",
        action="store_true",
        help="tell on standard error how far the work is (default: on a terminal, with --output)",
    )


_SECONDS = {True: 0.2, False: 5.0}
"""How often a line is written: over the one before on a terminal, else below it."""


class Progress:
    """Tells on standard error how many runs were audited and how much was written."""

    def __init__(self, output: Output, args: Namespace) -> None:
        self._output = output
        self._wanted = args.progress or (args.output is not None and output.watched)
        self._next = 0.0
        self._runs = self._citations = self._written = 0
        if self._wanted:
            self._tell(f"reading {', '.join(args.paths)}")

    def audits(self, found: Iterator[Audit]) -> Iterator[Audit]:
        """Yield *found* and count it."""
        for audit in found:
            self._runs += 1
            self._citations += len(audit.citations)
            self._step(f"run {audit.run.run_id}")
            yield audit

    def chunks(self, chunks: Iterator[str | bytes]) -> Iterator[str | bytes]:
        """Yield the pieces of a report and count them; what is told last is wiped at the end."""
        from reviewer.reports import Doing  # noqa: PLC0415 - other commands need no reports

        doing = "writing"
        for chunk in chunks:
            self._written += len(chunk)
            if isinstance(chunk, Doing):
                # Told at once: nothing more comes while it is done.
                doing, self._next = chunk.words, 0.0
            self._step(doing)
            yield chunk
        if self._wanted:
            self._output.wipe()

    def _step(self, doing: str) -> None:
        if self._wanted and time.monotonic() >= self._next:
            runs = f"{self._runs} run{'' if self._runs == 1 else 's'}"
            size = f"{self._written / 1_000_000:.1f} MB written"
            self._tell(f"{runs}, {self._citations} citations audited, {size}; {doing}")

    def _tell(self, text: str) -> None:
        self._output.progress(text)
        self._next = time.monotonic() + _SECONDS[self._output.watched]
