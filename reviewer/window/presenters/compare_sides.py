"""What can be compared of what is open: runs, versions of sources and calls, as choices."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reviewer.display import one_line
from reviewer.reports._words import short
from reviewer.services.carrying import Decided, with_decisions
from reviewer.services.comparing import Comparing, compare_audits, compare_sides
from reviewer.services.comparing_open import compare_open_calls, compare_versions, has_text
from reviewer.services.lineage import Lineage, logs_of
from reviewer.window.i18n import tr
from reviewer.window.place import Place
from reviewer.window.presenters.places import run_title
from store.errors import StoreError
from store.records.comparisons import DecisionFate, RunComparison, StoreComparison
from store.records.findings import Audit
from store.records.runs import Problem
from store.records.sources import Version, VersionKey

__all__ = ["ComparePair", "CompareSide", "Compared", "compare", "offered", "sides"]

_NEAR = 100
"""So many calls before and behind the present one are offered; the others from where they are."""


@dataclass(frozen=True, slots=True)
class CompareSide:
    """One side: a run that is open, one of its versions or calls, or a path."""

    kind: str
    run: int = 0
    key: VersionKey | None = None
    call: int | None = None
    path: str = ""


ComparePair = tuple[CompareSide, CompareSide]


def sides(audits: Sequence[Audit], place: Place) -> Iterator[tuple[str, CompareSide]]:
    """Yield what is offered, each with its words: runs, then versions, then calls."""
    for run, audit in enumerate(audits):
        title = run_title(audit)
        yield tr("Run {number}: {title}", number=run + 1, title=title), CompareSide("run", run)
    for run, audit in enumerate(audits):
        for version in audit.run.versions:
            if has_text(version):
                yield _version_words(audits, run, version), CompareSide("version", run, version.key)
    if place.run < len(audits):
        calls = len(audits[place.run].run.calls)
        present = place.call or calls
        for call in range(max(1, present - _NEAR), min(calls, present + _NEAR) + 1):
            words = tr("Call {call} of run {number}", call=call, number=place.run + 1)
            yield words, CompareSide("call", place.run, call=call)


def _version_words(audits: Sequence[Audit], run: int, version: Version) -> str:
    name, version_id = one_line(version.key.source_id), one_line(short(version.key.version_id))
    words = tr("{source}, version {version}", source=name, version=version_id)
    return words if len(audits) == 1 else tr("Run {number}: {title}", number=run + 1, title=words)


def offered(audits: Sequence[Audit], place: Place) -> ComparePair | None:
    """Return the two sides that belong to where the reviewer is, the older first.

    In a source its version before, in the model view the call before, else
    another run that is open; ``None`` where there is nothing of the kind.
    """
    if place.run >= len(audits):
        return None
    run = audits[place.run].run
    if place.tab == "source" and place.source is not None:
        keys = [
            version.key
            for version in run.versions
            if version.key.source_id == place.source.source_id and version.text is not None
        ]
        if len(keys) > 1 and place.source in keys:
            at = max(1, keys.index(place.source))
            older, newer = keys[at - 1], keys[at]
            return (
                CompareSide("version", place.run, older),
                CompareSide("version", place.run, newer),
            )
    if place.tab == "model" and place.call is not None and place.call > 1:
        return (
            CompareSide("call", place.run, call=place.call - 1),
            CompareSide("call", place.run, call=place.call),
        )
    if len(audits) > 1:
        other = place.run - 1 if place.run else 1
        first, second = sorted((place.run, other))
        return CompareSide("run", first), CompareSide("run", second)
    return None


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison, with the decisions on run A where there are any.

    ``trouble`` says why they could not be read.
    """

    comparing: Comparing
    decided: Decided | None = None
    trouble: Problem | None = None

    @property
    def fates(self) -> tuple[DecisionFate, ...]:
        """What becomes of each decision."""
        found = self.comparing.comparison.found
        return found.decisions if isinstance(found, RunComparison | StoreComparison) else ()


def compare(
    audits: tuple[Audit, ...], pair: ComparePair, store: str | None, stopped: Callable[[], bool]
) -> Compared:
    """Compare two sides; *store* holds further evidence of what is open.

    This may take long: it is for a worker.  Raises `ComparisonStopped`, and
    `SideError` for what cannot be compared.
    """
    held = gc.isenabled()
    # What a comparison makes are millions of small records without circles: looking for such
    # again and again would hold the window up.
    gc.disable()
    try:
        comparing = _compare(audits, pair, store, stopped)
    finally:
        if held:
            gc.enable()
    audit = comparing.audit_a
    found = comparing.comparison.found
    if audit is None or not isinstance(found, RunComparison | StoreComparison):
        return Compared(comparing)
    try:
        lineage = Lineage(audit.run)
        decided = Decided.read(lineage, logs_of(lineage))
    except StoreError as error:
        return Compared(comparing, trouble=Problem(error.where, f"{error.what}; {error.advice}"))
    return Compared(with_decisions(comparing, decided), decided)


def _compare(
    audits: tuple[Audit, ...], pair: ComparePair, store: str | None, stopped: Callable[[], bool]
) -> Comparing:
    a, b = pair
    if a.kind == b.kind == "run":
        return compare_audits(audits[a.run], audits[b.run], stopped)
    if a.key is not None and b.key is not None:
        return compare_versions(audits[a.run], a.key, audits[b.run], b.key, stopped)
    if a.call is not None and b.call is not None:
        return compare_open_calls(audits[a.run], a.call, audits[b.run], b.call, stopped)
    given = [_given(audits, side) for side in pair]
    runs = [audits[side.run].run.run_id if side.kind == "run" else None for side in pair]
    stores = [store if side.kind == "run" else None for side in pair]
    return compare_sides(
        given[0],
        given[1],
        runs=(runs[0], runs[1]),
        stores=(stores[0], stores[1]),
        stopped=stopped,
    )


def _given(audits: tuple[Audit, ...], side: CompareSide) -> str:
    return side.path if side.kind == "path" else audits[side.run].run.path
