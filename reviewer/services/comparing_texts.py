"""Compares two texts: files, or versions of a source whose hash was checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.audit.compare_citations import Fates, compare_citations
from reviewer.audit.compare_text import compare_text
from reviewer.services.auditing import audit_runs
from reviewer.services.compared import Chosen, Comparing
from reviewer.services.rereading import results_of
from reviewer.services.sides import Opened, SideError
from store.records.comparisons import (
    CitationDifference,
    Comparison,
    Kind,
    SideFacts,
    VersionComparison,
)
from store.records.differences import Proof, SourceChange, SourceDifference
from store.records.findings import Audit
from store.records.runs import Problem, ProblemKind
from store.records.sources import Integrity, Version
from store.results import RefusedError

__all__ = ["compare_texts"]


@dataclass(frozen=True, slots=True)
class _Text:
    """A text that is to be compared, with its version where it is one."""

    text: str
    sha256: str = ""
    version: Version | None = None


def compare_texts(a: Opened, b: Opened, chosen: Chosen) -> Comparing:
    """Compare the texts of two sides, one of which is a text at least.

    Raises `SideError` where the other is none.
    """
    left, right = _text(a), _text(b)
    found: VersionComparison | None = None
    if left is not None and right is not None:
        text = compare_text(left.text, right.text, stopped=chosen.stopped)
        found = VersionComparison(
            left.text,
            right.text,
            text,
            left.version.key if left.version else None,
            right.version.key if right.version else None,
            tuple(_citations(a, left, right, chosen)),
        )
    comparison = Comparison(
        Kind.TEXTS,
        _text_facts(a, left),
        _text_facts(b, right),
        found,
        different=found is not None and not found.text.same,
        undecided=found is None or _unproven(left) or _unproven(right),
        problems_a=tuple(_concerning(a)),
        problems_b=tuple(_concerning(b)),
    )
    return Comparing(comparison)


def _text(side: Opened) -> _Text | None:
    """Return the text of a side after its hash was checked; why there is none is a problem then."""
    if side.text is not None:
        return _Text(side.text, side.sha256)
    if side.named.reference is None:
        if side.runs:
            raise SideError(
                f"{side.named.given} is no text, and the other side is one; name a version with "
                f"{side.named.given}::SOURCE@VERSION, or compare two stores"
            )
        return None
    results = results_of(side.runs, [side.named.path])
    try:
        found = results.reread(side.named.reference)
    except RefusedError as refused:
        side.problems.append(Problem(side.named.given, f"refused: {refused}"))
        return None
    if found.note:
        side.problems.append(Problem(side.named.given, found.note, ProblemKind.NOTED))
    return _Text(found.text, found.version.sha256 if found.exact else "", found.version)


def _concerning(side: Opened) -> Iterator[Problem]:
    """Yield what could not be read, and what else is said of the source that is compared."""
    reference = side.named.reference
    source = reference.selection.source_id if reference is not None else ""
    for problem in side.all_problems:
        if problem.kind is ProblemKind.LOST or source in f"{problem.where} {problem.what}":
            yield problem


def _unproven(one: _Text | None) -> bool:
    """Whether the text is not known as it is: parts of it only, so that the rest may differ."""
    version = one.version if one is not None else None
    return version is not None and (
        version.text is None or version.integrity is Integrity.RECONSTRUCTED
    )


def _text_facts(side: Opened, found: _Text | None) -> SideFacts:
    version = found.version if found else None
    return SideFacts(
        side.named.given,
        side.named.path,
        title=version.title if version else "",
        version=version.key if version else None,
        sha256=found.sha256 if found else "",
        chars=len(found.text) if found else None,
    )


def _citations(
    a: Opened, left: _Text, right: _Text, chosen: Chosen
) -> Iterator[CitationDifference]:
    """Yield the fate of what the runs on side A cite of the version that is compared."""
    if left.version is None or right.version is None:
        return
    key, names = left.version.key, right.version.key
    source = SourceDifference(SourceChange.CHANGED, key, names, proof=Proof.TEXT)
    runs = [run for run in a.with_calls if chosen.run_a in (None, run.run_id)]
    for found in audit_runs(runs, tokens=False, settings=chosen.settings, stopped=chosen.stopped):
        if not isinstance(found, Audit):
            a.problems.append(found)
            continue
        held = {names.source_id: [right.version]}
        fates = Fates(found, held, [source], complete=True, stopped=chosen.stopped)
        for one in compare_citations(found, None, fates):
            if one.fated is not None and one.fated.version_a == key:
                yield one
