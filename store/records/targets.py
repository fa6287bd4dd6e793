"""What can be decided on, named so that a later audit finds it again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum

from store.records.citations import SourceCitation
from store.records.findings import CitationFacts, Finding
from store.records.text import Unit

__all__ = ["Target", "TargetKind", "citation_key", "citation_target", "finding_target"]


class TargetKind(StrEnum):
    """What a decision is about."""

    CITATION = "citation"
    FINDING = "finding"


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """One citation or finding, named so that a later audit finds it again.

    ``key`` is the fingerprint of a finding, or `citation_key`.
    """

    kind: TargetKind
    key: str

    def __str__(self) -> str:
        return f"{self.kind.value}:{self.key}"

    @classmethod
    def of(cls, text: str) -> Target:
        """Return the target that *text* (``citation:…``, ``finding:…``) names, or `ValueError`."""
        kind, _, key = text.partition(":")
        if not key:
            raise ValueError("no citation or finding is named")
        return cls(TargetKind(kind), key)


def citation_key(facts: CitationFacts) -> str:
    """Return a digest of what the record says of a citation, 32 hexadecimal digits.

    Verdict, reason and what was looked up for it (a version that the record
    does not name, the place of a quotation) are not part of it: with better
    rules or more evidence the citation is still the same one.
    """
    cited = facts.citation
    source = cited if isinstance(cited, SourceCitation) else None
    marked = cited.answer_span
    span = source.span if source else None
    identity = [
        cited.source_id,
        cited.version_id,
        None if span is None else [span.start, span.end],
        (source.unit if source else Unit.BLOCK).value,
        cited.block_id,
        source.quote if source else None,
        None if marked is None else [marked.start, marked.end],
        facts.call_at_answer,
    ]
    # One spelling for every text, lone surrogates too.
    text = json.dumps(identity, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def citation_target(facts: CitationFacts) -> Target:
    """Return the target that a citation is."""
    return Target(TargetKind.CITATION, citation_key(facts))


def finding_target(finding: Finding) -> Target | None:
    """Return the target that a finding is; ``None`` for one that no later audit could name."""
    return Target(TargetKind.FINDING, finding.fingerprint) if finding.fingerprint else None
