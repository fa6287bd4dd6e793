"""What a finding says of an answer: its claims, and where they stand in it."""

from __future__ import annotations

from reviewer.window.place import Place
from store.records.findings import Audit, ClaimFacts

__all__ = ["claims_at", "claims_of"]


def claims_at(audit: Audit, place: Place) -> tuple[ClaimFacts, ...]:
    """Return the claims of the finding at *place*; none where a citation is there."""
    if place.citation is not None or place.finding is None:
        return ()
    return claims_of(audit, place.finding)


def claims_of(audit: Audit, index: int) -> tuple[ClaimFacts, ...]:
    """Return the claims that finding *index* speaks of; none for one that speaks of no answer."""
    if not 0 <= index < len(audit.findings):
        return ()
    held = audit.findings[index].where.claims
    return tuple(audit.claims[at] for at in held if 0 <= at < len(audit.claims))
