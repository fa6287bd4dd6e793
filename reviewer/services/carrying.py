"""Carries decisions over from the log of one run to that of another, where the text is the same.

Nothing is decided here: who decided stays who decided, and each event says
from where it comes and who carried it over.  Done twice it adds nothing.
"""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from reviewer.audit.compare_decisions import decision_fates
from reviewer.services.comparing import Comparing
from reviewer.services.deciding import reviewer_name
from reviewer.services.lineage import Lineage, logs_of
from store.errors import StoreError
from store.records.comparisons import (
    DecisionFate,
    RunComparison,
    StoreComparison,
)
from store.records.differences import Fated
from store.records.reviews import Carried, Decision, standing
from store.records.runs import Problem, ProblemKind
from store.records.sources import Selection, VersionKey
from store.records.targets import Target, citation_target, finding_target
from store.records.text import Span, Unit
from store.references import format_reference
from store.reviews import Log

__all__ = ["CarriedOver", "Decided", "carry", "decided", "with_decisions"]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Decided:
    """The decisions on one record as its logs hold them: those that stand, in the order of time.

    ``problems`` are those of all its logs; ``missing`` says that there is none.
    """

    standing: tuple[Decision, ...]
    problems: tuple[Problem, ...] = ()
    missing: bool = False

    @classmethod
    def read(cls, lineage: Lineage, logs: Sequence[Log]) -> Decided:
        """Read *logs*; raises `StoreError` for one that cannot be read."""
        readings = [log.read() for log in logs]
        # Each log has its own order; between logs only the times tell.
        merged = heapq.merge(*(one.decisions for one in readings), key=lambda each: each.at)
        held = [each for each in merged if lineage.holds(each)]
        problems = tuple(each for one in readings for each in one.problems)
        return cls(standing(held), problems, all(one.missing for one in readings))


@dataclass(frozen=True, slots=True)
class CarriedOver:
    """What was done: the events that were added, and how many held in B before."""

    added: tuple[Decision, ...]
    before: int


def with_decisions(comparing: Comparing, decided: Decided) -> Comparing:
    """Return the comparison with the fate of each decision of A.

    Only for runs, and for stores of which A is a run: elsewhere it is unchanged.
    """
    found, audit = comparing.comparison.found, comparing.audit_a
    if audit is None or not isinstance(found, (RunComparison, StoreComparison)):
        return comparing
    held = ((each.id, each.target) for each in decided.standing)
    fates = decision_fates(held, audit, comparing.audit_b, found.citations, found.sources)
    told = replace(found, decisions=tuple(fates))
    return replace(comparing, comparison=replace(comparing.comparison, found=told))


def carry(
    comparing: Comparing, decided: Decided, by: str, now: Callable[[], datetime] = _now
) -> CarriedOver:
    """Write into the log of B what of *decided*, the decisions on A, holds there too.

    *comparing* is one that `with_decisions` returned; *by* is who asks for it.
    Raises `StoreError` where a log of A cannot be relied on, where both sides
    are one record, and where the log of B cannot be written.
    """
    found = comparing.comparison.found
    a, b = comparing.comparison.a, comparing.comparison.b
    audits = comparing.audit_a, comparing.audit_b
    if not isinstance(found, RunComparison) or audits[0] is None or audits[1] is None:
        raise StoreError("decisions are carried over between runs", a.given, "Name two runs.")
    if a.digest == b.digest:
        raise StoreError(
            "both are one record, and have one log", a.given, "There is nothing to carry over."
        )
    if any(each.kind is not ProblemKind.NOTED for each in decided.problems):
        raise StoreError(
            "its log of decisions cannot be relied on",
            a.given,
            "See what reread decisions --verify says of it; nothing was carried over.",
        )
    lineage = Lineage(audits[1].run)
    logs = logs_of(lineage)
    known = {each.id for log in logs for each in log.read().decisions}
    fates = {one.event: one for one in found.decisions if one.to is not None}
    work = _Carrying(comparing, lineage, by, Lineage(audits[0].run))
    free = [each for each in decided.standing if each.id in fates]
    made = [
        work.carried(each, fates[each.id], now())
        for each in free
        # A record that grew holds the decisions on its beginning already.
        if not lineage.holds(each) and not _came_from(each, b.digest)
    ]
    added = logs[0].append_new(each for each in made if each.id not in known)
    return CarriedOver(added, len(free) - len(added))


def _came_from(decision: Decision, digest: str) -> bool:
    return decision.carried is not None and decision.carried.run_digest == digest


def decided(
    comparing: Comparing, tell: Callable[[str], None], *, carry_over: bool = False
) -> Comparing:
    """Return *comparing* with what becomes of the decisions in A's own log.

    With *carry_over* they are written into B's own log, where they hold there
    too.  *tell* takes what was met and done, in sentences.  Raises `StoreError`
    as `carry` does, and for a log that cannot be read.
    """
    audit = comparing.audit_a
    if audit is None:
        given = comparing.comparison.a.given
        raise StoreError("decisions are made on runs", given, "Name a run with model calls.")
    lineage = Lineage(audit.run)
    logs = logs_of(lineage)
    held = Decided.read(lineage, logs)
    for problem in held.problems:
        tell(f"{problem.where}: {problem.what}")
    found = with_decisions(comparing, held)
    if held.missing:
        tell(f"{logs[0].where}: no decision was made on A: there is no log")
    elif carry_over:
        done = carry(found, held, reviewer_name())
        b = comparing.comparison.b.given
        tell(f"{b}: {_counted(len(done.added))} carried over, {done.before} held there already")
    return found


def _counted(count: int) -> str:
    return "1 decision was" if count == 1 else f"{count} decisions were"


@dataclass(frozen=True, slots=True)
class _Carrying:
    """Makes the events that say from where a decision comes."""

    comparing: Comparing
    lineage: Lineage
    by: str
    origin: Lineage

    def carried(self, decision: Decision, fate: DecisionFate, at: datetime) -> Decision:
        """Return the event for B's log."""
        made = self._made(decision, fate, at)
        # Where both begin alike it would count in A too, beside the decision it comes from.
        return replace(made, upto="") if self.origin.holds(made) else made

    def _made(self, decision: Decision, fate: DecisionFate, at: datetime) -> Decision:
        a = self.comparing.comparison.a
        fated = fate.fated
        return Decision(
            kind=decision.kind,
            target=fate.to or decision.target,
            reviewer=decision.reviewer,
            at=at,
            id=_event_id(a.digest, decision, fate),
            note=decision.note,
            run_id=self.lineage.run_id,
            run_digest=self.lineage.digest,
            upto=self._upto(fate.to),
            carried=Carried(
                by=self.by,
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

    def _upto(self, target: Target | None) -> str:
        """Return the mark of the call that the target in B speaks of."""
        audit = self.comparing.audit_b
        for facts in audit.citations if audit is not None else ():
            if audit is not None and citation_target(facts) == target:
                answers = audit.run.answers
                text = answers[facts.answer].text if facts.answer < len(answers) else ""
                return self.lineage.mark(facts.call_at_answer, text)
        for finding in audit.findings if audit is not None else ():
            if finding_target(finding) == target:
                return self.lineage.mark(finding.where.call)
        return ""


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
