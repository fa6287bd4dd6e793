"""What reviewers decided, in words and as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC

from reviewer.reports._base import Meta
from store.records.findings import Audit, CitationFacts, Finding
from store.records.reviews import (
    Carried,
    Decision,
    DecisionKind,
    LogEnd,
    Opinion,
    Reviews,
    TargetState,
    citation_target,
    finding_target,
)

__all__ = [
    "DECISION_WORDS",
    "DISAGREE",
    "EXIT_STATUS",
    "carried_words",
    "chain_words",
    "decision_record",
    "decision_words",
    "of_citation",
    "of_finding",
    "opinion_lines",
    "review_record",
    "settled",
    "state_record",
    "time_words",
]

DECISION_WORDS = {
    DecisionKind.ACCEPT: "☑ accepted",
    DecisionKind.REJECT: "☒ rejected",
    DecisionKind.FLAG: "⚑ flagged",
    DecisionKind.NOTE: "✎ note",
    DecisionKind.UNDO: "⤺ undone",
}
"""Each kind with its sign; none of the signs is that of a verdict or a severity."""

DISAGREE = "the reviewers disagree"

EXIT_STATUS = "Decisions do not change the exit status."


def of_citation(meta: Meta, audit: Audit, facts: CitationFacts) -> TargetState | None:
    """Return what stands on a citation, ``None`` also where no log was given."""
    reviews = meta.reviews
    return reviews.of(audit.run.run_id, citation_target(facts)) if reviews else None


def of_finding(meta: Meta, audit: Audit, finding: Finding) -> TargetState | None:
    """Return what stands on a finding, ``None`` also where no log was given."""
    reviews = meta.reviews
    return reviews.of(audit.run.run_id, finding_target(finding)) if reviews else None


def time_words(decision: Decision) -> str:
    """Return when a decision was made, as its program's clock said, to the second."""
    return decision.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def decision_words(decision: Decision) -> str:
    """Return one decision in words, its note whole."""
    text = f"{DECISION_WORDS[decision.kind]} by {decision.reviewer}, {time_words(decision)}"
    text += carried_words(decision)
    return f"{text}: {decision.note}" if decision.note else text


def carried_words(decision: Decision) -> str:
    """Return where a decision was carried over from, and by whom; nothing for one made here."""
    carried = decision.carried
    if carried is None:
        return ""
    made = carried.made.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    text = (
        f" (carried over by {carried.by} from run {carried.run_id}, digest "
        f"{carried.run_digest[:_DIGITS]}…, event {carried.event}, made {made}"
    )
    if carried.from_place and carried.from_place != carried.to_place:
        text += f"; the text stood at {carried.from_place} and stands at {carried.to_place}"
    return f"{text})"


_DIGITS = 12


def opinion_lines(state: TargetState | None) -> Iterator[str]:
    """Yield what stands on a target, a line for each decision and note."""
    if state is None:
        return
    for opinion in state.opinions:
        held = [opinion.decided] if opinion.decided else []
        for decision in (*held, *opinion.notes):
            yield decision_words(decision)
    if state.disagreement:
        yield f"≠ {DISAGREE}"


def settled(state: TargetState | None) -> bool:
    """Tell whether every reviewer who decided accepted, and somebody did."""
    decided = [each.decided.kind for each in state.opinions if each.decided] if state else []
    return bool(decided) and all(kind is DecisionKind.ACCEPT for kind in decided)


def chain_words(reviews: Reviews) -> str:
    """Return in a sentence for each log that is shown what its chain says."""
    return " ".join([_chain(reviews), *map(_chain, reviews.more)])


def _chain(log: Reviews | LogEnd) -> str:
    if not log.records and not log.holds:
        return f"Decisions: none could be read from {log.log}, see the problems."
    if not log.records:
        return f"Decisions: none in {log.log}."
    records = f"{log.records} record{'' if log.records == 1 else 's'}"
    state = "its chain holds" if log.holds else "its chain is broken, see the problems"
    return f"Decisions from {log.log}: {records}, {state}; last hash {log.last_hash}."


def decision_record(decision: Decision) -> dict[str, object]:
    """Return the record of one decision of a log."""
    return {
        "id": decision.id,
        "kind": decision.kind.value,
        "target": str(decision.target),
        "reviewer": decision.reviewer,
        "at": decision.at.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z",
        "note": decision.note,
        "undoes": decision.undoes or None,
        "run_id": decision.run_id,
        "run": decision.run_digest,
        "upto": decision.upto or None,
        "previous": decision.previous,
        "hash": decision.hash,
        "carried": _carried_record(decision.carried),
    }


def _carried_record(carried: Carried | None) -> dict[str, object] | None:
    if carried is None:
        return None
    return {
        "by": carried.by,
        "run": carried.run_digest,
        "run_id": carried.run_id,
        "event": carried.event,
        "hash": carried.hash,
        "target": str(carried.target),
        "made": carried.made.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z",
        "from": carried.from_place or None,
        "to": carried.to_place or None,
    }


def state_record(state: TargetState | None) -> dict[str, object] | None:
    """Return the record of what stands on a target."""
    if state is None:
        return None
    return {
        "disagreement": state.disagreement,
        "opinions": [_opinion(each) for each in state.opinions],
    }


def _opinion(opinion: Opinion) -> dict[str, object]:
    decided = opinion.decided
    return {
        "reviewer": opinion.reviewer,
        "decision": decided.kind.value if decided else None,
        "event": decision_record(decided) if decided else None,
        "notes": [decision_record(note) for note in opinion.notes],
    }


def review_record(reviews: Reviews) -> dict[str, object]:
    """Return the record of the logs that are shown beside audits."""
    record = _end(reviews)
    if reviews.more:
        record["more"] = [_end(each) for each in reviews.more]
    return record


def _end(log: Reviews | LogEnd) -> dict[str, object]:
    return {
        "log": log.log,
        "holds": log.holds,
        "records": log.records,
        "last_hash": log.last_hash or None,
    }
