"""Carries decisions over from the log of one run to that of another, where the text is the same.

Nothing is decided here: who decided stays who decided, and each event says
from where it comes and who carried it over.  Done twice it adds nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from reviewer.audit.compare_decisions import decision_fates
from reviewer.services.comparing import Comparing
from reviewer.services.deciding import decision_log, reviewer_name
from store.errors import StoreError
from store.records.comparisons import (
    DecisionFate,
    RunComparison,
    StoreComparison,
)
from store.records.differences import Fated
from store.records.reviews import Carried, Decision, standing
from store.records.runs import ProblemKind
from store.records.sources import Selection, VersionKey
from store.records.text import Span, Unit
from store.references import format_reference
from store.reviews import DecisionLog, Reading

__all__ = ["CarriedOver", "carry", "decided", "with_decisions"]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class CarriedOver:
    """What was done: the events that were added, and how many were in the log before."""

    added: tuple[Decision, ...]
    before: int


def with_decisions(comparing: Comparing, reading: Reading) -> Comparing:
    """Return the comparison with the fate of each decision of A that stands in *reading*.

    Only for runs, and for stores of which A is a run: elsewhere it is unchanged.
    """
    found, audit = comparing.comparison.found, comparing.audit_a
    if audit is None or not isinstance(found, (RunComparison, StoreComparison)):
        return comparing
    held = ((each.id, each.target) for each in _standing(comparing, reading))
    fates = decision_fates(held, audit, comparing.audit_b, found.citations, found.sources)
    told = replace(found, decisions=tuple(fates))
    return replace(comparing, comparison=replace(comparing.comparison, found=told))


def carry(
    comparing: Comparing,
    reading: Reading,
    log: DecisionLog,
    by: str,
    now: Callable[[], datetime] = _now,
) -> CarriedOver:
    """Write into *log*, that of B, what of *reading*, that of A, holds there too.

    *by* is who asks for it.  Raises `StoreError` where the log of A cannot be
    relied on, where two runs have one log, and where *log* cannot be written.
    """
    found = comparing.comparison.found
    a, b = comparing.comparison.a, comparing.comparison.b
    if not isinstance(found, RunComparison) or comparing.audit_b is None:
        raise StoreError("decisions are carried over between runs", a.given, "Name two runs.")
    if not a.digest or not b.digest:
        raise StoreError("a run has no digest, so that it has no log", a.given, "Decide anew.")
    if a.digest == b.digest:
        raise StoreError(
            "both are one record, and have one log", a.given, "There is nothing to carry over."
        )
    if any(each.kind is not ProblemKind.NOTED for each in reading.problems):
        raise StoreError(
            "its log of decisions cannot be relied on",
            a.given,
            "See what reread decisions --verify says of it; nothing was carried over.",
        )
    fates = {one.event: one for one in found.decisions if one.to is not None}
    made = [
        _carried(each, fates[each.id], comparing, by, now())
        for each in _standing(comparing, reading)
        if each.id in fates and (each.carried is None or each.carried.run_digest != b.digest)
    ]
    added = log.append_new(made)
    return CarriedOver(added, len(made) - len(added))


def decided(
    comparing: Comparing, tell: Callable[[str], None], *, carry_over: bool = False
) -> Comparing:
    """Return *comparing* with what becomes of the decisions in A's own log.

    With *carry_over* they are written into B's own log, where they hold there
    too.  *tell* takes what was met and done, in sentences.  Raises `StoreError`
    as `carry` does, and for a log that cannot be read.
    """
    audit = comparing.audit_a
    if audit is None or (carry_over and comparing.audit_b is None):
        given = comparing.comparison.a.given
        what = "decisions are made on runs, and are carried over between runs"
        raise StoreError(what, given, "Name a run with model calls on each side.")
    log = decision_log(audit.run)
    reading = log.read()
    for problem in reading.problems:
        tell(f"{problem.where}: {problem.what}")
    found = with_decisions(comparing, reading)
    if reading.missing:
        tell(f"{log.path}: no decision was made on A: there is no log")
        return found
    if not carry_over or comparing.audit_b is None:
        return found
    other = decision_log(comparing.audit_b.run)
    done = carry(found, reading, other, reviewer_name())
    tell(
        f"{other.path}: {_counted(len(done.added))} carried over, {done.before} more were there "
        "already"
    )
    return found


def _counted(count: int) -> str:
    return "1 decision was" if count == 1 else f"{count} decisions were"


def _standing(comparing: Comparing, reading: Reading) -> Sequence[Decision]:
    """Return the decisions on run A that stand."""
    run_id = comparing.comparison.a.run_id
    if comparing.audit_a is not None:
        run_id = comparing.audit_a.run.run_id
    return [each for each in standing(reading.decisions) if each.run_id == run_id]


def _carried(
    decision: Decision, fate: DecisionFate, comparing: Comparing, by: str, at: datetime
) -> Decision:
    a, b = comparing.comparison.a, comparing.comparison.b
    fated = fate.fated
    return Decision(
        kind=decision.kind,
        target=fate.to or decision.target,
        reviewer=decision.reviewer,
        at=at,
        id=_event_id(a.digest, decision, fate),
        note=decision.note,
        run_id=b.run_id,
        run_digest=b.digest,
        carried=Carried(
            by=by,
            run_digest=a.digest,
            run_id=a.run_id,
            event=decision.id,
            hash=decision.hash,
            target=decision.target,
            made=decision.at,
            from_place=_place(fated, of_b=False),
            to_place=_place(fated, of_b=True),
        ),
    )


def _event_id(digest: str, decision: Decision, fate: DecisionFate) -> str:
    """Return an id that is the same each time: so the log knows what it holds already."""
    identity = json.dumps(["carried", digest, decision.id, decision.hash, str(fate.to)])
    return hashlib.sha256(identity.encode()).hexdigest()[:32]


def _place(fated: Fated | None, *, of_b: bool) -> str:
    if fated is None:
        return ""
    key = fated.version_b if of_b else fated.version_a
    span, unit = (fated.b, fated.b_unit) if of_b else (fated.a, fated.unit)
    return "" if key is None else _reference(key, span, unit)


def _reference(key: VersionKey, span: Span | None, unit: Unit) -> str:
    ranges = () if span is None or unit is Unit.BLOCK else (span,)
    selection = Selection(key.source_id, key.version_id, unit, ranges)
    if not ranges:
        selection = Selection(key.source_id, key.version_id)
    try:
        return format_reference(selection)
    except ValueError:
        return ""
