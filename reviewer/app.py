"""Puts the program together: the only place that knows every part of it.

Each service is imported when it is first asked for, so that ``reread --help``
does not wait for what only an audit needs.
"""

# ruff: noqa: PLC0415 - imported at first use, which is what this module is for

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.cli import TRACEBACK_VARIABLE, run
from reviewer.cli._exit import Exit
from reviewer.cli._interrupt import Interrupt
from reviewer.cli._output import Output, UnwritableError
from store.stopping import stopped_by

if TYPE_CHECKING:
    from reviewer.audit.rules import Rule
    from reviewer.reports import Meta, Report
    from reviewer.services.baselines import Baseline, BaselineWriter
    from reviewer.services.bundling import Bundled, Wanted
    from reviewer.services.comparing import Comparing
    from reviewer.services.deciding import ShownLog
    from reviewer.services.own_logs import OwnLogs
    from reviewer.services.rereading import OpenStore
    from reviewer.services.verifying import Verified
    from store.entries import Entry
    from store.importers._base import Importer
    from store.records.findings import Audit
    from store.records.runs import Problem, Run
    from store.records.summaries import RunSummary
    from store.reviews import Log

__all__ = ["Program", "main"]


@dataclass(frozen=True, slots=True)
class Program:
    """The services of one process; with *strict* the audit raises an error of its own."""

    strict: bool = False

    def audit(
        self,
        paths: Sequence[str],
        store: str | None = None,
        *,
        only: str | None = None,
        tokens: bool = True,
        config: str | None = None,
    ) -> Iterator[Audit | Problem]:
        """Audit every run under *paths*."""
        from reviewer.cli._command import UsageError
        from reviewer.services.auditing import audit_paths
        from reviewer.services.settings import SettingsError, user_settings

        try:
            settings = user_settings(config)
        except SettingsError as error:
            raise UsageError(str(error)) from None
        return audit_paths(
            paths, store, only=only, tokens=tokens, settings=settings, strict=self.strict
        )

    def runs(self, paths: Sequence[str]) -> Iterator[Entry | Problem]:
        """List what can be read in *paths*."""
        from reviewer.services.listing import list_runs

        return list_runs(paths)

    def importers(self) -> Sequence[Importer]:
        """Return what can be read."""
        from store.importers import importers

        return importers()

    def rules(self) -> Sequence[Rule]:
        """Return what is checked."""
        from reviewer.audit.rules import rules

        return rules()

    def reports(self) -> Mapping[str, Report]:
        """Return the formats an audit can be written in."""
        from reviewer.reports import reports

        return reports()

    def meta(self, output: Output, *, everything: bool = False) -> Meta:
        """Return what a report uses beside the audits."""
        from reviewer.services.exporting import report_meta

        return report_meta(columns=output.columns, colour=output.colour, everything=everything)

    def open_store(self, path: str) -> OpenStore:
        """Open what exact text is read again from."""
        from reviewer.services.rereading import open_store

        return open_store(path)

    def compare(
        self,
        a: str,
        b: str,
        *,
        runs: tuple[str | None, str | None] = (None, None),
        stores: tuple[str | None, str | None] = (None, None),
    ) -> Comparing:
        """Open and compare two things."""
        from reviewer.cli._command import UsageError
        from reviewer.services.comparing import SideError, compare_sides
        from reviewer.services.settings import SettingsError, user_settings

        try:
            return compare_sides(a, b, runs=runs, stores=stores, settings=user_settings(None))
        except (SettingsError, SideError) as error:
            raise UsageError(str(error)) from None

    def decided(
        self, found: Comparing, tell: Callable[[str], None], *, carry: bool = False
    ) -> Comparing:
        """Tell what becomes of the decisions on A, and carry them over."""
        from reviewer.services.carrying import decided

        return decided(found, tell, carry_over=carry)

    def decision_log(self, run: Run) -> Log:
        """Return the log of the decisions on *run*."""
        from reviewer.services.deciding import decision_log

        return decision_log(run)

    def share(self, run: Run) -> str:
        """Save *run* in the database of the team."""
        from reviewer.services.team import share

        return share(run)

    def shared_runs(self) -> Sequence[RunSummary]:
        """Return what is in the database of the team."""
        from reviewer.services.team import shared_runs

        return shared_runs()

    def unshare(self, name: str) -> RunSummary:
        """Take a run out of the database of the team."""
        from reviewer.services.team import unshare

        return unshare(name)

    def shown_log(self, name: str) -> ShownLog:
        """Read a log from elsewhere."""
        from reviewer.services.deciding import ShownLog

        return ShownLog.read(name)

    def own_logs(self) -> OwnLogs:
        """Read the logs of the user's data folder."""
        from reviewer.services.own_logs import OwnLogs

        return OwnLogs()

    def baseline(self, name: str) -> Baseline:
        """Read what was found before."""
        from reviewer.cli._command import UsageError
        from reviewer.services.baselines import Baseline, BaselineError

        try:
            return Baseline.read(name)
        except BaselineError as error:
            raise UsageError(f"--baseline {error}") from None

    def baseline_writer(self) -> BaselineWriter:
        """Return what takes findings for a new baseline."""
        from reviewer.services.baselines import BaselineWriter

        return BaselineWriter()

    def bundle(self, wanted: Wanted, config: str | None = None) -> Bundled:
        """Make an evidence bundle."""
        from reviewer.services.bundling import bundle_time, make_bundle

        def audit(paths: Sequence[str], store: str | None) -> Iterator[Audit | Problem]:
            return self.audit(paths, store, tokens=False, config=config)

        return make_bundle(wanted, audit, bundle_time())

    def verify(self, bundle: str) -> Verified:
        """Check an evidence bundle."""
        from reviewer.services.verifying import verify_bundle

        return verify_bundle(bundle)

    def write_sample(self, folder: Path | None) -> Sequence[Path]:
        """Write the sample run folders."""
        from reviewer.services.places import data_dir
        from reviewer.services.sample import write_sample

        return write_sample(folder or data_dir() / "sample")

    def window_obstacle(self) -> str:
        """Return why no window can be opened here, or nothing where one can."""
        from reviewer.services.screen import window_obstacle

        return window_obstacle()

    def open_window(
        self, paths: Sequence[str], store: str | None = None, *, restore: bool = True
    ) -> int:
        """Open the window; only here is Qt loaded."""
        from reviewer.window.application import open_window

        return open_window(paths, store, restore=restore)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    strict = "--traceback" in given or bool(os.environ.get(TRACEBACK_VARIABLE))
    # A record is millions of small objects without cycles: looking for cycles takes half the time.
    gc.set_threshold(200_000, 20, 20)
    try:
        output = Output.of_process(os.environ)
    except UnwritableError as error:
        output = Output(io.BytesIO(), sys.stderr.buffer if sys.stderr else io.BytesIO())
        output.note(f"standard output cannot be written ({error}); nothing was done")
        return Exit.USAGE
    with Interrupt(last=arguments is None) as interrupt, stopped_by(interrupt):
        return run(given, Program(strict), output, os.environ)
