"""Decisions on the older side of a comparison, with what they are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reviewer.display import one_line
from reviewer.services.deciding import targets
from reviewer.window.i18n import tr
from reviewer.window.presenters.decisions import kind_words
from store.records.findings import Audit
from store.records.reviews import Decision

__all__ = ["DecidedOn", "decided_on"]


@dataclass(frozen=True, slots=True)
class DecidedOn:
    """A decision on A with what it is about: a citation, by its index, or a finding."""

    decision: Decision
    citation: int | None
    rule: str

    @property
    def name(self) -> str:
        """Return what it is about, in words."""
        if self.citation is not None:
            return tr("citation {number} of A", number=self.citation + 1)
        return self.rule or str(self.decision.target)

    @property
    def said(self) -> str:
        """Return who decided what."""
        note = f": {self.decision.note}" if self.decision.note else ""
        words = f"{kind_words(self.decision.kind)} · {self.decision.reviewer}{note}"
        return one_line(words)


def decided_on(audit: Audit, decisions: Iterable[Decision]) -> Mapping[str, DecidedOn]:
    """Return what each of *decisions* on *audit* is about, by the id of its event."""
    known = targets(audit)
    found = {}
    for each in decisions:
        citation, finding = known.get(each.target, (None, None))
        rule = audit.findings[finding].rule if finding is not None else ""
        found[each.id] = DecidedOn(each, citation, rule)
    return found
