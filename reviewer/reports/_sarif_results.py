"""One SARIF result for each finding, and where everything is asked for each citation that holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from reviewer.audit.rules import rules
from reviewer.reports import _words as words
from reviewer.reports._base import Meta
from reviewer.reports._decided import of_citation, of_finding, state_record, time_words
from reviewer.reports._evidence_files import (
    THE_RECORD,
    EvidenceFiles,
    FilePlace,
    RecordFile,
    places_in_record,
)
from reviewer.reports._parts import Records
from reviewer.reports._safe import shortened
from reviewer.reports._version_places import TextPlace, VersionPlaces, full_reference
from store.records.findings import Audit, CitationFacts, Finding, Verdict
from store.records.reviews import DecisionKind, TargetState, citation_key
from store.records.sources import Integrity, Version
from store.records.text import Span

__all__ = ["CITATION_RULE", "Artifacts", "Results"]

_SNIPPET = 1_000
_EXCERPT = 300
_LINK = re.compile(r"\](?=\()")
_STATUS = {
    DecisionKind.ACCEPT: "accepted",
    DecisionKind.FLAG: "underReview",
    DecisionKind.REJECT: "rejected",
}
"""SARIF 3.35.3: a result counts as suppressed only where each of its suppressions is accepted."""

CITATION_RULE = "CITATION"
"""Stands for "the citation points at text that the model was given", where that holds."""


@dataclass(slots=True)
class Artifacts:
    """The files that results refer to, in the order they were met."""

    files: EvidenceFiles = field(default_factory=EvidenceFiles)
    _found: dict[RecordFile, dict[str, object]] = field(default_factory=dict)
    _places: dict[RecordFile, int] = field(default_factory=dict)

    def location(self, file: RecordFile, version: Version | None = None) -> dict[str, object]:
        """Return the artifactLocation of *file*, which holds the bytes of *version*."""
        if file not in self._found:
            self._places[file] = len(self._found)
            self._found[file] = _artifact(file, version)
        return {"uri": file.uri, "uriBaseId": file.base, "index": self._places[file]}

    def records(self) -> list[dict[str, object]]:
        """Return the artifacts; the hash of a version is that of the bytes that were read."""
        return list(self._found.values())


def _artifact(file: RecordFile, version: Version | None) -> dict[str, object]:
    made: dict[str, object] = {"location": {"uri": file.uri, "uriBaseId": file.base}}
    if version is None:
        return made
    if version.byte_length is not None:
        made["length"] = version.byte_length
    made["hashes"] = {"sha-256": version.sha256}
    made["encoding"] = "utf-8"
    made["properties"] = {
        "reread/source": version.key.source_id,
        "reread/version": version.key.version_id,
        "reread/byteOrderMark": (version.text or "").startswith("\ufeff"),
    }
    return made


class Results:
    """The results of one audit."""

    def __init__(self, audit: Audit, meta: Meta, artifacts: Artifacts) -> None:
        self._audit = audit
        self._meta = meta
        self._artifacts = artifacts
        self._versions = VersionPlaces(audit)
        self._cited = {facts.index: facts for facts in audit.citations}
        self._claims: dict[int, str] = {}
        self._numbers = {rule.id: place for place, rule in enumerate(rules())}

    def all(self, records: Records) -> Iterator[dict[str, object]]:
        """Yield each result."""
        for claims in records.made("the words that are cited", self._told_claims):
            self._claims = claims
        everything = self._meta.everything
        for finding in (*self._audit.findings, *(self._audit.absent if everything else ())):
            made = partial(self._finding, finding)
            yield from records.made(f"a finding of {finding.rule}", made)
        for facts in self._audit.citations if everything else ():
            if facts.verdict is Verdict.READ:
                made = partial(self._holding, facts)
                yield from records.made(f"citation {facts.index}", made)

    def _told_claims(self) -> dict[int, str]:
        claims = zip(self._audit.citations, words.claims(self._audit), strict=True)
        return {facts.index: claim for facts, claim in claims if claim}

    def _finding(self, finding: Finding) -> dict[str, object]:
        where = finding.where
        facts = self._cited.get(where.citation) if where.citation is not None else None
        result: dict[str, object] = {"ruleId": finding.rule}
        if finding.rule in self._numbers:
            result["ruleIndex"] = self._numbers[finding.rule]
        result["kind"] = "fail"
        result["level"] = finding.severity.value
        result["message"] = {"text": _text(f"{finding.message} (grade {finding.grade.value})")}
        result |= self._places(finding, facts)
        if finding.fingerprint:
            # GitHub tracks alerts by the second; without it two findings on one line are one.
            result["partialFingerprints"] = {
                "reread/v1": finding.fingerprint,
                "primaryLocationLineHash": f"{finding.fingerprint}:1",
            }
        if finding.baseline is not None:
            result["baselineState"] = finding.baseline.value
        opinions = of_finding(self._meta, self._audit, finding)
        if self._meta.reviews is not None:
            result["suppressions"] = list(_suppressions(opinions))
        result["properties"] = {
            **self._told(facts),
            "reread/grade": finding.grade.value,
            "reread/where": words.where(finding),
            "reread/decision": state_record(opinions),
        }
        return result

    def _holding(self, facts: CitationFacts) -> dict[str, object]:
        state = of_citation(self._meta, self._audit, facts)
        return {
            "ruleId": CITATION_RULE,
            "ruleIndex": len(self._numbers),
            "kind": "pass",
            "level": "none",
            "message": {"text": _text(f"{words.label(facts)}: {facts.reason}")},
            **self._places(None, facts),
            "partialFingerprints": {"reread/v1": citation_key(facts)},
            "properties": {**self._told(facts), "reread/decision": state_record(state)},
        }

    # -- places ------------------------------------------------------------------

    def _places(self, finding: Finding | None, facts: CitationFacts | None) -> dict[str, object]:
        """Return where a result is: in the cited text where its file is known, else in the record.

        The other places are related ones.
        """
        found = []
        cited = self._versions.cited(facts) if facts else None
        if cited is not None and (file := self._file(cited.version)) is not None:
            found.append(self._in_version(file, cited))
        files = self._artifacts.files
        seen: set[FilePlace] = set()
        for origin, told in places_in_record(self._audit.run, finding, facts):
            place = files.place(self._audit.run, origin)
            if place in seen or (found and told == THE_RECORD):
                continue
            seen.add(place)
            found.append(self._in_record(place, told, facts))
        first, *others = found
        first["logicalLocations"] = [self._logical(finding, facts)]
        for number, each in enumerate(others, 1):
            each["id"] = number
        return {"locations": [first], **({"relatedLocations": others} if others else {})}

    def _file(self, version: Version) -> RecordFile | None:
        if version.integrity is not Integrity.INTACT:
            return None
        name = self._meta.file_of(self._audit.run, version)
        return None if name is None else self._artifacts.files.file(self._audit.run, name)

    def _in_version(self, file: RecordFile, place: TextPlace) -> dict[str, object]:
        region: dict[str, object] = {
            "startLine": place.start_line,
            "startColumn": place.start_column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
            "snippet": {"text": place.exact[:_SNIPPET]},
        }
        left = len(place.exact) - _SNIPPET
        if left > 0:
            region["properties"] = {"reread/charactersLeftOut": left}
        artifact = self._artifacts.location(file, place.version)
        return {
            "physicalLocation": {"artifactLocation": artifact, "region": region},
            "message": {"text": _text(f"the cited text of {place.version.key.source_id}")},
        }

    def _in_record(
        self, place: FilePlace, told: str, facts: CitationFacts | None
    ) -> dict[str, object]:
        artifact = self._artifacts.location(place.file)
        if place.pointer:
            told += f" (at {place.pointer})"
        if facts is not None and told.startswith("what the model") and facts.evidence:
            told += f": “{shortened(facts.evidence.text, _EXCERPT)}”"
        elif facts is not None and told == "the answer" and facts.index in self._claims:
            told += f": “{self._claims[facts.index]}”"
        # Without a line a result is refused; of a place inside JSON no line is known.
        region = {"startLine": place.line or 1}
        return {
            "physicalLocation": {"artifactLocation": artifact, "region": region},
            "message": {"text": _text(told)},
        }

    def _logical(self, finding: Finding | None, facts: CitationFacts | None) -> dict[str, object]:
        where = finding.where if finding else None
        call = where.call if where else facts.call_at_answer if facts else None
        names = [self._audit.run.run_id]
        if call is not None:
            names.append(f"call {call}")
        if facts is not None:
            names.append(f"citation {facts.index}")
        elif where is not None and where.message is not None:
            names.append(f"message {where.message}")
        kind = "citation" if facts else "call" if call is not None else "run"
        return {
            "name": names[-1],
            "fullyQualifiedName": "/".join(names),
            "kind": kind,
        }

    # -- what else is said --------------------------------------------------------------

    def _told(self, facts: CitationFacts | None) -> dict[str, object]:
        run: dict[str, object] = {"reread/run": self._audit.run.run_id}
        if facts is None:
            return run
        cited = self._versions.cited(facts)
        known = self._versions.facts(facts.source_id, facts.version_id)
        digest = known.version.sha256 if known else ""
        return {
            **run,
            "reread/citation": facts.index,
            "reread/reference": full_reference(facts),
            "reread/verdict": facts.verdict.word,
            "reread/anchor": facts.anchor.value,
            "reread/grade": facts.grade.value,
            "reread/citedSpan": _pair(facts.span),
            "reread/unit": facts.unit.value,
            "reread/span": _pair(cited.span if cited else None),
            "reread/byteSpan": _pair(cited.byte_span if cited else None),
            "reread/versionDigest": f"sha256:{digest}" if digest else None,
            "reread/missing": [_pair(span) for span in facts.missing],
            "reread/deliveredIn": list(facts.delivered_in),
            "reread/callAtAnswer": facts.call_at_answer,
        }


def _pair(span: Span | None) -> list[int] | None:
    return None if span is None else [span.start, span.end]


def _text(text: str) -> str:
    r"""Return *text* as a message; what would be read as a link is none (SARIF 3.11.6)."""
    return _LINK.sub(r"\\]", text)


def _suppressions(state: TargetState | None) -> Iterator[dict[str, object]]:
    """Yield one for each reviewer whose decision stands; a note alone suppresses nothing."""
    for opinion in state.opinions if state else ():
        decided = opinion.decided
        if decided is None:
            continue
        notes = [each.note for each in (decided, *opinion.notes) if each.note]
        told = f"{opinion.reviewer}, {time_words(decided)}"
        yield {
            "kind": "external",
            "status": _STATUS[decided.kind],
            "justification": ": ".join([told, *notes]),
        }
