"""Lists the runs that paths hold, and audits one of them when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.audit.settings import Settings
from reviewer.services.auditing import DEFAULTS, audit_runs
from reviewer.services.team import saved_runs
from store.entries import Entry
from store.opening import list_paths
from store.records.findings import Audit
from store.records.runs import Problem
from store.stopping import Stopped, stoppable

__all__ = ["audit_entry", "list_runs"]


def list_runs(
    paths: Sequence[str], store: str | None = None, *, stopped: Stopped | None = None
) -> Iterator[Entry | Problem]:
    """Yield what can be read in *paths* without reading it, and what cannot be listed.

    An entry is read by itself, by `audit_entry`, at any time and in any order.
    *store* names further evidence, which every run gets.
    """
    return list_paths(paths, store, stopped=stopped, saved=saved_runs)


def audit_entry(
    entry: Entry,
    *,
    tokens: bool = True,
    settings: Settings = DEFAULTS,
    named: Sequence[str] = (),
    stopped: Stopped | None = None,
) -> Iterator[Audit | Problem]:
    """Yield the audits of the runs that come out of *entry*, mostly one, and what is wrong with it.

    The rest is as with `audit_runs`.
    """
    items = entry.read()
    opened = items if stopped is None else stoppable(items, stopped)
    return audit_runs(
        opened, tokens=tokens, settings=settings, named=named or (entry.place,), stopped=stopped
    )
