"""What a subcommand is, and what it may ask of the program."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from reviewer.cli._output import Output

if TYPE_CHECKING:
    # For types only: what these import is loaded when a command needs it.
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

__all__ = ["Command", "Context", "Services", "UsageError"]


class UsageError(Exception):
    """The command line asks for something that cannot be; the text says what to do instead."""


class Services(Protocol):
    """The program as the command line sees it.  Each is loaded when it is first asked for."""

    def audit(
        self,
        paths: Sequence[str],
        store: str | None = None,
        *,
        only: str | None = None,
        tokens: bool = True,
        config: str | None = None,
    ) -> Iterator[Audit | Problem]:
        """Audit every run under *paths*, one after another.

        *only*: the id or the place of one run; the others are not read.
        *tokens*: count them; without, only where a call reports its own.
        *config* is the settings file, by default the one in the working
        folder.  Raises `UsageError` for one that cannot be followed.
        """

    def runs(self, paths: Sequence[str]) -> Iterator[Entry | Problem]:
        """List what can be read in *paths* without reading it."""

    def importers(self) -> Sequence[Importer]:
        """Return what can be read."""

    def rules(self) -> Sequence[Rule]:
        """Return what is checked."""

    def reports(self) -> Mapping[str, Report]:
        """Return the formats an audit can be written in, by name."""

    def meta(self, output: Output, *, everything: bool = False) -> Meta:
        """Return what a report says and uses beside the audits."""

    def open_store(self, path: str) -> OpenStore:
        """Open what exact text is read again from."""

    def compare(
        self,
        a: str,
        b: str,
        *,
        runs: tuple[str | None, str | None] = (None, None),
        stores: tuple[str | None, str | None] = (None, None),
    ) -> Comparing:
        """Open and compare what *a* and *b* name.

        *runs* are the ids of the runs that are meant where there are several,
        *stores* hold further evidence for each side.  Raises `UsageError` for
        two things that cannot be compared.
        """

    def decided(
        self, found: Comparing, tell: Callable[[str], None], *, carry: bool = False
    ) -> Comparing:
        """Return a comparison with what becomes of the decisions on A.

        With *carry* they are carried over.  *tell* takes what was met and
        done.  Raises `store.errors.StoreError` for a log that cannot be relied
        on or written.
        """

    def decision_log(self, run: Run) -> Log:
        """Return the log of the decisions on *run* in the user's data folder."""

    def share(self, run: Run) -> str:
        """Save *run* in the database of the team and return its name there."""

    def shared_runs(self) -> Sequence[RunSummary]:
        """Return what is in the database of the team."""

    def unshare(self, name: str) -> RunSummary:
        """Take a run out of the database of the team."""

    def shown_log(self, name: str) -> ShownLog:
        """Read a log from elsewhere, to be shown beside audits."""

    def own_logs(self) -> OwnLogs:
        """Read the logs of the user's data folder, each when its run was audited."""

    def baseline(self, name: str) -> Baseline:
        """Read what was found before.  Raises `UsageError` for what is no baseline."""

    def baseline_writer(self) -> BaselineWriter:
        """Return what takes findings for a new baseline."""

    def bundle(self, wanted: Wanted, config: str | None = None) -> Bundled:
        """Make an evidence bundle."""

    def verify(self, bundle: str) -> Verified:
        """Check an evidence bundle."""

    def write_sample(self, folder: Path | None) -> Sequence[Path]:
        """Write the sample run folders and return their places."""

    def window_obstacle(self) -> str:
        """Return why no window can be opened here, in one sentence, or nothing where one can."""

    def open_window(
        self, paths: Sequence[str], store: str | None = None, *, restore: bool = True
    ) -> int:
        """Open the window and return the exit status when it is closed."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a subcommand is given: where to write, and the program."""

    output: Output
    services: Services


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand; a module of `reviewer.cli` holds it as ``COMMAND``.

    ``configure`` adds its arguments to a parser; ``run`` does the work and
    returns the exit status (`Exit`).
    """

    name: str
    help: str
    configure: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, Context], int]
