"""What the rules of grounding share: which claims count, and how they are told."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from reviewer.audit.rules._rule import finding
from reviewer.audit.view import AuditView
from store.records.findings import ClaimFacts, ClaimKind, Finding, Grounding, Severity, Where
from store.records.grades import Grade

__all__ = ["SILENT", "nowhere", "only_in"]

SILENT = (
    "When the request of the call is not known, or something up to it cannot be looked into: "
    "an image, server state, a result that the record does not hold, a damaged record. For what "
    "the user said, what the model itself asked a tool to do, and what it said before. "
)
"""When every rule of grounding is silent; each adds its own."""

_TOLD = 8
"""So many claims are named in one message; the JSON report holds all of them."""


def nowhere(
    rule_id: str, severity: Severity, kinds: Collection[ClaimKind]
) -> Callable[[AuditView], Iterator[Finding]]:
    """Return the check of one family of kinds: a finding for each claim, at its first answer."""

    def check(view: AuditView) -> Iterator[Finding]:
        told: set[str] = set()
        for place, claim in enumerate(view.claims):
            counts = claim.grounding is Grounding.NOWHERE and not claim.is_own
            if not counts or claim.kind not in kinds or claim.text in told:
                continue
            told.add(claim.text)
            message = (
                f"{claim.text} stands nowhere in what is recorded of the request of call "
                f"{claim.call}"
            )
            if claim.obtained:
                message += f"; the result of {claim.obtained} holds it, and no request held that"
            yield finding(
                rule_id,
                severity,
                claim.grade,
                message,
                Where(call=claim.call, tool_call_id=claim.obtained, claims=(place,)),
                claim.kind.value,
                claim.text,
            )

    return check


def only_in(
    rule_id: str,
    severity: Severity,
    grounding: Grounding,
    tell: Callable[[str, ClaimFacts], str],
) -> Callable[[AuditView], Iterator[Finding]]:
    """Return the check for one outcome: a finding for each answer and text it rests on."""

    def check(view: AuditView) -> Iterator[Finding]:
        groups: dict[tuple[int, str, int | None], list[int]] = {}
        for place, claim in enumerate(view.claims):
            if claim.grounding is grounding:
                key = (claim.answer, claim.tool_call_id or "", claim.last_call)
                groups.setdefault(key, []).append(place)
        for held in groups.values():
            claims = [view.claims[place] for place in held]
            first = claims[0]
            texts = list(dict.fromkeys(claim.text for claim in claims))
            shown = ", ".join(texts[:_TOLD])
            if len(texts) > _TOLD:
                shown += f", … ({len(texts)})"
            yield finding(
                rule_id,
                severity,
                Grade.weakest(*(claim.grade for claim in claims)),
                tell(shown, first),
                Where(call=first.call, tool_call_id=first.tool_call_id, claims=tuple(held)),
                first.call,
                first.tool_call_id,
                *texts,
            )

    return check
