"""Opens two things and compares them: versions of a source, stores, runs, or calls of runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from reviewer.audit.compare_calls import compare_calls
from reviewer.audit.compare_citations import Fates, compare_citations
from reviewer.audit.compare_outcome import is_doubtful, runs_differ, runs_doubt, sources_differ
from reviewer.audit.compare_runs import compare_runs
from reviewer.audit.compare_sequence import ComparisonStopped
from reviewer.audit.compare_stores import compare_stores, versions_by_source
from reviewer.audit.settings import Settings
from reviewer.services.auditing import DEFAULTS, audit_runs
from reviewer.services.compared import Chosen, Comparing, Pair, Stopped
from reviewer.services.comparing_texts import compare_texts
from reviewer.services.sides import Named, Opened, SideError, named, open_side
from store.digest import run_digest
from store.errors import StoreError
from store.records.comparisons import (
    Comparison,
    Kind,
    SideFacts,
    StoreComparison,
)
from store.records.differences import (
    Change,
    Side,
    SourceChange,
)
from store.records.findings import Audit
from store.records.grades import Grade
from store.records.runs import Problem, ProblemKind, Run
from store.records.sources import Integrity, Version
from store.stopping import StoppedError

__all__ = [
    "Comparing",
    "ComparisonStopped",
    "SideError",
    "compare_audits",
    "compare_sides",
]


def compare_sides(  # noqa: PLR0913 - all that a comparison depends on, by name
    given_a: str,
    given_b: str,
    *,
    runs: Pair = (None, None),
    stores: Pair = (None, None),
    settings: Settings = DEFAULTS,
    stopped: Stopped = lambda: False,
) -> Comparing:
    """Open what *given_a* and *given_b* name, and compare it.

    *runs* are the ids that choose a run where a path holds several, *stores*
    folders with further evidence for each side; *settings* are those of the
    audits.  What could
    not be read is among the problems of the comparison.  Raises `SideError`
    for two things that cannot be compared, and `ComparisonStopped` soon after
    *stopped* says so.
    """
    if given_a == given_b == "-":
        raise SideError("standard input can be one side only; name a file for the other")
    names = named(given_a), named(given_b)
    try:
        return _compared(*names, Chosen(*runs, stores, settings, stopped))
    except StoppedError:
        raise ComparisonStopped from None


def _compared(name_a: Named, name_b: Named, chosen: Chosen) -> Comparing:
    a = open_side(name_a, chosen.stores[0], chosen.stopped)
    b = open_side(name_b, chosen.stores[1], chosen.stopped)
    if name_a.call is not None or name_b.call is not None:
        return _calls(a, b, chosen)
    if a.is_text or b.is_text:
        return compare_texts(a, b, chosen)
    if a.with_calls and b.with_calls:
        return _runs(a, b, chosen)
    return _stores(a, b, chosen)


def compare_audits(a: Audit, b: Audit, stopped: Stopped = lambda: False) -> Comparing:
    """Compare two runs that are open already."""
    return _audits(
        (Named(a.run.path, a.run.path), a, list(a.run.problems)),
        (Named(b.run.path, b.run.path), b, list(b.run.problems)),
        stopped,
    )


# -- runs ------------------------------------------------------------------------

_Judged = tuple[Named, Audit, list[Problem]]


def _runs(a: Opened, b: Opened, chosen: Chosen) -> Comparing:
    return _audits(_judged(a, chosen, "--run-a"), _judged(b, chosen, "--run-b"), chosen.stopped)


def _judged(side: Opened, chosen: Chosen, option: str) -> _Judged:
    """Return the audit of the run that is meant."""
    run = _chosen(side, chosen.run_a if option == "--run-a" else chosen.run_b, option)
    problems = [*side.problems, *run.problems]
    others = len(side.with_calls) - 1
    if others:
        what = f"compared is run {run.run_id}; {others} more lie there, {option} chooses another"
        problems.append(Problem(side.named.given, what, ProblemKind.NOTED))
    for found in audit_runs([run], tokens=False, settings=chosen.settings, stopped=chosen.stopped):
        if isinstance(found, Audit):
            return side.named, found, problems
        problems.append(found)
    # An audit that fails inside Reread is a problem, and its words say so.
    raise SideError(f"{problems[-1].where}: {problems[-1].what}")


def _chosen(side: Opened, run_id: str | None, option: str) -> Run:
    """Return the run that is named, else the only one, else the only one that no other began."""
    found = [run for run in side.with_calls if run_id is None or run.run_id == run_id]
    if run_id is None and len(found) > 1:
        found = [run for run in found if run.parent_run is None and run.branch is None] or found
    if len(found) == 1:
        return found[0]
    ids = "\n".join(f"  {run.run_id}  {len(run.calls)} calls" for run in side.with_calls)
    if not side.with_calls:
        raise SideError(f"{side.named.given}: there is no run with a model call here")
    if run_id is not None and not found:
        raise SideError(f"{side.named.given}: there is no run {run_id} here:\n{ids}")
    raise SideError(f"{side.named.given}: there are several runs; choose with {option} ID:\n{ids}")


def _audits(a: _Judged, b: _Judged, stopped: Stopped) -> Comparing:
    (name_a, audit_a, problems_a), (name_b, audit_b, problems_b) = a, b
    digest_a, digest_b = _digest(audit_a.run), _digest(audit_b.run)
    one_place = _is_one_place(name_a, name_b) and audit_a.run.run_id == audit_b.run.run_id
    identical = bool(digest_a) and digest_a == digest_b
    unread = [side for side, held in ((Side.A, problems_a), (Side.B, problems_b)) if _lost(held)]
    found = compare_runs(audit_a, audit_b, identical=identical, unread=unread, stopped=stopped)
    comparison = Comparison(
        Kind.RUNS,
        _run_facts(name_a, audit_a, digest_a),
        _run_facts(name_b, audit_b, digest_b),
        found,
        different=not identical and runs_differ(found),
        # What cannot be read of a record is no other in the same record.
        undecided=not (identical and one_place)
        and (
            _lost(problems_a, problems_b)
            or (not identical and runs_doubt(found))
            or (identical and _is_damaged(audit_a.run, audit_b.run))
        ),
        problems_a=tuple(problems_a),
        problems_b=tuple(problems_b),
    )
    versions = (versions_by_source(each.run.versions) for each in (audit_a, audit_b))
    return Comparing(comparison, audit_a, audit_b, *versions)


def _is_damaged(*runs: Run) -> bool:
    """Whether stored bytes have not their recorded hash: a digest is of what was recorded."""
    versions = (version for run in runs for version in run.versions)
    return any(version.integrity is Integrity.CHANGED for version in versions)


def _is_one_place(a: Named, b: Named) -> bool:
    """Whether both sides are one file or folder; standard input is none."""
    try:
        return os.path.samefile(a.path, b.path)  # noqa: PTH121 - a name may be no path at all
    except (OSError, ValueError):
        return False


def _digest(run: Run) -> str:
    try:
        return run_digest(run)
    except StoreError:
        return ""


def _lost(*found: Iterable[Problem]) -> bool:
    return any(each.kind is ProblemKind.LOST for problems in found for each in problems)


# -- calls -----------------------------------------------------------------------


def _calls(a: Opened, b: Opened, chosen: Chosen) -> Comparing:
    judged = [_judged(a, chosen, "--run-a"), _judged(b, chosen, "--run-b")]
    numbers = [_call_number(name, audit) for name, audit, _ in judged]
    (name_a, audit_a, problems_a), (name_b, audit_b, problems_b) = judged
    found = compare_calls(audit_a, numbers[0], audit_b, numbers[1], chosen.stopped)
    digest_a, digest_b = _digest(audit_a.run), _digest(audit_b.run)
    identical = bool(digest_a) and digest_a == digest_b and numbers[0] == numbers[1]
    comparison = Comparison(
        Kind.CALLS,
        _run_facts(name_a, audit_a, digest_a, numbers[0]),
        _run_facts(name_b, audit_b, digest_b, numbers[1]),
        found,
        different=any(piece.change is not Change.SAME for piece in found.pieces),
        undecided=_lost(problems_a, problems_b) or bool(found.doubts and not identical),
        problems_a=tuple(problems_a),
        problems_b=tuple(problems_b),
    )
    return Comparing(comparison, audit_a, audit_b)


def _call_number(name: Named, audit: Audit) -> int:
    count = len(audit.run.calls)
    if name.call is None:
        raise SideError(f"{name.given}: which call? Write {name.given}#N, N from 1 to {count}")
    if not 1 <= name.call <= count:
        raise SideError(f"{name.given}: this run has the calls 1 to {count}")
    return name.call


def _run_facts(name: Named, audit: Audit, digest: str, call: int | None = None) -> SideFacts:
    run = audit.run
    return SideFacts(
        name.given,
        run.path,
        run.title,
        run.run_id,
        digest,
        run.format,
        Grade.weakest(run.grade, *(each.grade for each in audit.calls)).value,
        call=call,
        calls=len(run.calls),
        sources=len({version.key.source_id for version in run.versions}),
        versions=len(run.versions),
    )


# -- stores ----------------------------------------------------------------------


def _stores(a: Opened, b: Opened, chosen: Chosen) -> Comparing:
    versions_a, versions_b = _versions(a), _versions(b)
    problems_a = (*a.all_problems, *_empty(a, versions_a))
    problems_b = (*b.all_problems, *_empty(b, versions_b))
    found: StoreComparison | None = None
    audit: Audit | None = None
    if versions_a and versions_b:
        audit = _judged(a, chosen, "--run-a")[1] if a.with_calls else None
        found = _store_comparison(a, b, (versions_a, versions_b), audit, chosen.stopped)
    comparison = Comparison(
        Kind.STORES,
        _store_facts(a, versions_a),
        _store_facts(b, versions_b),
        found,
        different=found is not None and sources_differ(found.sources),
        undecided=found is None or a.lost or b.lost or _stores_doubt(found),
        problems_a=problems_a,
        problems_b=problems_b,
    )
    return Comparing(comparison, audit, None, versions_a, versions_b)


_Versions = Mapping[str, Sequence[Version]]


def _store_comparison(
    a: Opened,
    b: Opened,
    versions: tuple[_Versions, _Versions],
    audit: Audit | None,
    stopped: Stopped,
) -> StoreComparison:
    unread = [side for side, opened in ((Side.A, a), (Side.B, b)) if opened.lost]
    sources = compare_stores(*versions, stopped, unread=unread)
    if audit is None:
        return StoreComparison(sources)
    fates = Fates(audit, versions[1], sources, complete=not b.lost, stopped=stopped)
    return StoreComparison(sources, tuple(compare_citations(audit, None, fates)))


def _stores_doubt(found: StoreComparison) -> bool:
    unknown = any(one.change is SourceChange.UNKNOWN for one in found.sources)
    return unknown or any(map(is_doubtful, found.citations))


def _empty(side: Opened, versions: Mapping[str, Sequence[Version]]) -> Iterator[Problem]:
    if not versions and not side.lost:
        what = "no run, no store and no text was found here, so there is nothing to compare"
        yield Problem(side.named.given, what)


def _versions(side: Opened) -> dict[str, list[Version]]:
    """Return the versions of all runs of a side, each once, by source."""
    return versions_by_source(
        dict.fromkeys(version for run in side.runs for version in run.versions)
    )


def _store_facts(side: Opened, versions: Mapping[str, Sequence[Version]]) -> SideFacts:
    formats = dict.fromkeys(run.format for run in side.runs)
    return SideFacts(
        side.named.given,
        side.named.path,
        format=", ".join(formats),
        sources=len(versions),
        versions=sum(map(len, versions.values())),
    )
