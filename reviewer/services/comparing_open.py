"""Compares what is open: runs, versions of sources and calls, without reading anything again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from reviewer.audit.compare_calls import compare_calls
from reviewer.audit.compare_citations import Fates, compare_citations
from reviewer.audit.compare_stores import versions_by_source
from reviewer.audit.compare_text import compare_text
from reviewer.services.comparing import Comparing
from store.records.comparisons import CallComparison, Comparison, Kind, SideFacts, VersionComparison
from store.records.differences import Change, Proof, SourceChange, SourceDifference
from store.records.findings import Audit
from store.records.runs import Problem
from store.records.sources import Integrity, Version, VersionKey
from store.records.text import Unit

__all__ = ["compare_open_calls", "compare_versions", "has_text"]

_Stopped = Callable[[], bool]


def has_text(version: Version) -> bool:
    """Tell whether the text of *version* is there as a whole."""
    return version.text is not None and version.unit is not Unit.LINE


def compare_versions(
    a: Audit, key_a: VersionKey, b: Audit, key_b: VersionKey, stopped: _Stopped = lambda: False
) -> Comparing:
    """Compare two versions, and tell what became of what run *a* cites of the first.

    Raises `ComparisonStopped` soon after *stopped* says so.
    """
    left, right = _version(a, key_a), _version(b, key_b)
    problems_a, problems_b = _missing(a, key_a, left), _missing(b, key_b, right)
    found: VersionComparison | None = None
    if left is not None and right is not None and not (problems_a or problems_b):
        text_a, text_b = left.text or "", right.text or ""
        text = compare_text(text_a, text_b, stopped=stopped)
        source = SourceDifference(SourceChange.CHANGED, key_a, key_b, proof=Proof.TEXT)
        fates = Fates(a, {key_b.source_id: [right]}, [source], complete=True, stopped=stopped)
        cited = [
            one
            for one in compare_citations(a, None, fates)
            if one.fated is not None and one.fated.version_a == key_a
        ]
        found = VersionComparison(text_a, text_b, text, key_a, key_b, tuple(cited))
    comparison = Comparison(
        Kind.TEXTS,
        _facts(a, key_a, left),
        _facts(b, key_b, right),
        found,
        different=found is not None and not found.text.same,
        undecided=found is None or _rebuilt(left) or _rebuilt(right),
        problems_a=problems_a,
        problems_b=problems_b,
    )
    return Comparing(comparison, a, b, _versions(a), _versions(b))


def compare_open_calls(
    a: Audit, call_a: int, b: Audit, call_b: int, stopped: _Stopped = lambda: False
) -> Comparing:
    """Compare the requests of two calls.  Raises `ComparisonStopped` as above."""
    found: CallComparison = compare_calls(a, call_a, b, call_b, stopped)
    comparison = Comparison(
        Kind.CALLS,
        _call_facts(a, call_a),
        _call_facts(b, call_b),
        found,
        different=any(piece.change is not Change.SAME for piece in found.pieces),
        undecided=bool(found.doubts) and not (a is b and call_a == call_b),
    )
    return Comparing(comparison, a, b, _versions(a), _versions(b))


def _version(audit: Audit, key: VersionKey) -> Version | None:
    return next((one for one in reversed(audit.run.versions) if one.key == key), None)


def _versions(audit: Audit) -> Mapping[str, Sequence[Version]]:
    return versions_by_source(audit.run.versions)


def _missing(audit: Audit, key: VersionKey, version: Version | None) -> tuple[Problem, ...]:
    if version is not None and has_text(version):
        return ()
    what = f"the text of {key.source_id}@{key.version_id} is not known as a whole"
    return (Problem(audit.run.path, what),)


def _rebuilt(version: Version | None) -> bool:
    return version is not None and version.integrity is Integrity.RECONSTRUCTED


def _facts(audit: Audit, key: VersionKey, version: Version | None) -> SideFacts:
    return SideFacts(
        f"{key.source_id}@{key.version_id}",
        audit.run.path,
        title=version.title if version else "",
        version=key,
        sha256=version.sha256 if version and version.integrity is Integrity.INTACT else "",
        chars=len(version.text) if version and version.text is not None else None,
    )


def _call_facts(audit: Audit, call: int) -> SideFacts:
    run = audit.run
    return SideFacts(
        f"{run.path}#{call}",
        run.path,
        run.title,
        run.run_id,
        format=run.format,
        grade=run.calls[call - 1].grade.value,
        call=call,
        calls=len(run.calls),
    )
