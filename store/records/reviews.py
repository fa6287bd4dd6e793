"""What reviewers decided about citations and findings, and what of it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from store.records.targets import (
    Target,
    TargetKind,
    citation_key,
    citation_target,
    finding_target,
)

__all__ = [
    "NAME_CHARS",
    "NOTE_CHARS",
    "Carried",
    "Decision",
    "DecisionKind",
    "LogEnd",
    "Opinion",
    "Reviews",
    "Target",
    "TargetKind",
    "TargetState",
    "citation_key",
    "citation_target",
    "current",
    "finding_target",
    "standing",
]

NOTE_CHARS = 50_000
"""Code points a note may have: what is longer is refused, never cut."""

NAME_CHARS = 200
"""Code points the name of a reviewer may have."""


class DecisionKind(StrEnum):
    """What a reviewer did.  ``UNDO`` takes one earlier decision of the same reviewer back."""

    ACCEPT = "accept"
    REJECT = "reject"
    FLAG = "flag"
    NOTE = "note"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Carried:
    """Where a decision comes from that was not made on this run, and who carried it over.

    ``run_digest``, ``run_id``, ``event``, ``hash``, ``target`` and ``made`` are
    those of the decision in the other run's log; ``by`` is who carried it
    over, ``from_place`` and ``to_place`` are where the text stands there and
    here, as references, empty where the decision speaks of no single place.
    """

    by: str
    run_digest: str
    run_id: str
    event: str
    hash: str
    target: Target
    made: datetime
    from_place: str = ""
    to_place: str = ""

    def __post_init__(self) -> None:
        if self.made.tzinfo is None:
            raise ValueError("the time of a decision needs its zone")
        if not self.by.strip() or len(self.by) > NAME_CHARS:
            raise ValueError(f"who carries a decision over has a name of up to {NAME_CHARS} signs")
        if not self.event or not self.run_digest:
            raise ValueError("a decision that was carried over names the event it comes from")


@dataclass(frozen=True, slots=True)
class Decision:
    """One event of the log; nothing in it changes once it was made.

    ``at`` is a time with its zone, ``run_digest`` the digest of the run as it
    was open, ``upto`` the `store.digest.Beginnings.mark` of the call that the
    target speaks of: a later record of the same run that begins like this one
    has the same.  ``carried`` is set where the decision was made on another
    run: ``reviewer`` is then who made it there, and ``at`` when it was carried
    over.  ``undoes`` is the id of the decision that an ``UNDO`` takes back.
    ``previous`` and ``hash`` are empty until the log has it.  Raises
    `ValueError` for a decision that says nothing, or of nobody.
    """

    kind: DecisionKind
    target: Target
    reviewer: str
    at: datetime
    id: str
    note: str = ""
    undoes: str = ""
    run_id: str = ""
    run_digest: str = ""
    upto: str = ""
    previous: str = ""
    hash: str = ""
    carried: Carried | None = None

    def __post_init__(self) -> None:
        if self.at.tzinfo is None:
            raise ValueError("the time of a decision needs its zone")
        if not self.reviewer.strip() or len(self.reviewer) > NAME_CHARS:
            raise ValueError(f"a reviewer has a name of up to {NAME_CHARS} characters")
        if not self.id:
            raise ValueError("a decision needs an id")
        if len(self.note) > NOTE_CHARS:
            raise ValueError(f"a note has up to {NOTE_CHARS} characters, this one {len(self.note)}")
        if (self.kind is DecisionKind.UNDO) != bool(self.undoes):
            raise ValueError("an undo, and only an undo, names the decision that it takes back")
        if self.kind is DecisionKind.UNDO and self.carried is not None:
            raise ValueError("an undo cannot be carried over")
        if self.kind is DecisionKind.NOTE and not self.note:
            raise ValueError("a note without text says nothing")


@dataclass(frozen=True, slots=True)
class Opinion:
    """What stands of one reviewer's decisions on one target.

    ``decided`` is the last accept, reject or flag, ``notes`` every note.
    """

    reviewer: str
    decided: Decision | None = None
    notes: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True)
class TargetState:
    """What stands on one target: an opinion for each reviewer, in the order they first spoke."""

    target: Target
    opinions: tuple[Opinion, ...]

    @property
    def disagreement(self) -> bool:
        """Whether two reviewers decided differently (a note is no decision)."""
        return len({each.decided.kind for each in self.opinions if each.decided}) > 1


@dataclass(frozen=True, slots=True)
class LogEnd:
    """A log and what its chain says: the hash of its last record stands for all of it."""

    log: str
    holds: bool
    records: int
    last_hash: str


@dataclass(slots=True)
class Reviews:
    """A log as it is shown beside an audit: what stands, by run id, and what its chain says.

    Where several runs are shown together, each with a log of its own, ``more``
    are the others; what stands is that of all of them.  Where runs are audited
    one after another, it grows until the last audit was taken.
    """

    log: str
    holds: bool
    records: int
    last_hash: str
    by_run: Mapping[str, Mapping[Target, TargetState]] = field(default_factory=dict)
    more: tuple[LogEnd, ...] = ()

    def of(self, run_id: str, target: Target | None) -> TargetState | None:
        """Return what stands on *target* in the run of that id."""
        return None if target is None else self.by_run.get(run_id, {}).get(target)


def standing(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the decisions that no undo took back, in their order, without the undos.

    An undo counts for an earlier decision of the same reviewer on the same
    target; any other says nothing.
    """
    held: dict[int, Decision] = {}
    places: dict[tuple[str, str, Target], int] = {}
    for place, each in enumerate(decisions):
        if each.kind is DecisionKind.UNDO:
            taken = places.pop((each.undoes, each.reviewer, each.target), None)
            if taken is not None:
                del held[taken]
            continue
        held[place] = each
        places[(each.id, each.reviewer, each.target)] = place
    return tuple(held.values())


def current(decisions: Iterable[Decision]) -> dict[Target, TargetState]:
    """Return what stands, by target; a target on which nothing stands is not in it."""
    decided: dict[Target, dict[str, Decision | None]] = {}
    notes: dict[tuple[Target, str], list[Decision]] = {}
    for each in standing(decisions):
        opinions = decided.setdefault(each.target, {})
        opinions.setdefault(each.reviewer, None)
        if each.kind is DecisionKind.NOTE:
            notes.setdefault((each.target, each.reviewer), []).append(each)
        else:
            opinions[each.reviewer] = each
    return {
        target: TargetState(
            target,
            tuple(
                Opinion(reviewer, last, tuple(notes.get((target, reviewer), ())))
                for reviewer, last in opinions.items()
            ),
        )
        for target, opinions in decided.items()
    }
