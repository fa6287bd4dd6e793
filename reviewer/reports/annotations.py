"""Citations and findings as W3C Web Annotations, for annotation tools and archives.

One `AnnotationCollection` with one page.  Each citation and each finding is an
annotation of the text it is about; the version is named by its digest, never
by a document that may change.  Decisions are bodies with their reviewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from reviewer.reports import _words as words
from reviewer.reports._base import Meta, Report
from reviewer.reports._decided import chain_words, decision_record, of_citation, of_finding
from reviewer.reports._evidence_files import EvidenceFiles
from reviewer.reports._facts import digest_of, dumps
from reviewer.reports._made import made_words, rules_digest
from reviewer.reports._parts import Records
from reviewer.reports._safe import changed_texts
from reviewer.reports._selectors import Targets, named
from reviewer.reports._settings import setting_lines
from reviewer.reports._version_places import full_reference
from store.records.findings import Audit, CitationFacts, Finding
from store.records.reviews import TargetState, citation_key
from store.records.runs import Problem

__all__ = ["REPORT"]

_CONTEXT = ["http://www.w3.org/ns/anno.jsonld", {"reread": "urn:x-reread:"}]
"""What is no word of the standard has a name of its own, which others may pass over."""


def _write(audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta) -> Iterator[str]:
    yield f'{{"@context": {dumps(_CONTEXT)},\n"type": "AnnotationCollection",\n'
    yield '"label": "Citations and findings of an audit by Reread",\n"first": {'
    yield '"type": "AnnotationPage", "startIndex": 0, "items": ['
    runs: list[dict[str, object]] = []
    files = EvidenceFiles()

    def _json(value: object) -> str:
        return dumps(changed_texts(value, lambda text: _in_utf8(meta.mask(text))))

    total = 0
    between = "\n"
    for audit in audits:
        made = _Annotations(audit, meta, files)
        records = Records(audit.run.path)
        for annotation in made.all(records):
            total += 1
            yield between
            yield _json(annotation)
            between = ",\n"
        runs.append(_run(audit, made.targets.run, files, records.problems))
    name = named("collection", *(f"{run['id']}" for run in runs))
    yield f'],\n"id": {dumps(named("page", name))}, "partOf": {dumps(name)}}},\n'
    yield f'"id": {dumps(name)},\n"total": {total},\n"reread:runs": {_json(runs)},\n'
    for key, value in _made(meta):
        yield f'"{key}": {_json(value)},\n'
    told = [files.told(each) for each in problems]
    yield f'"reread:problems": {_json(told)}}}\n'


def _made(meta: Meta) -> Iterator[tuple[str, object]]:
    """Yield what this was made with: the tool, its rules, the baseline, the log."""
    yield "reread:made", made_words(meta)
    if meta.rules:
        yield "reread:rules", [f"{rule} {version}" for rule, version in meta.rules]
        yield "reread:rulesDigest", f"sha256:{rules_digest(meta)}"
    if meta.baseline_name:
        yield "reread:baselineFile", meta.baseline_name
    if meta.reviews is not None:
        yield "reread:decisions", chain_words(meta.reviews)


def _run(
    audit: Audit, run_name: str, files: EvidenceFiles, problems: Sequence[Problem]
) -> dict[str, object]:
    run = audit.run
    files.inside(run)
    shown = replace(audit, settings=tuple(map(files.setting, audit.settings)))
    return {
        "id": run_name,
        "reread:run": run.run_id,
        "reread:title": run.title,
        "reread:digest": digest_of(run),
        "reread:grade": run.grade.value,
        "reread:layer": run.layer.value,
        "reread:problems": [files.told(each) for each in (*run.problems, *problems)],
        "reread:settings": list(setting_lines(shown)),
    }


def _in_utf8(text: str) -> str:
    """Return *text* with halves of characters shown: no file of UTF-8 can hold them."""
    return text.encode("utf-8", "backslashreplace").decode()


class _Annotations:
    """The annotations of one audit."""

    def __init__(self, audit: Audit, meta: Meta, files: EvidenceFiles) -> None:
        self.targets = Targets(audit, meta, files)
        self._audit = audit
        self._meta = meta
        self._generator = {"type": "Software", "name": f"Reread {meta.version}"}
        self._seen: dict[str, int] = {}

    def all(self, records: Records) -> Iterator[object]:
        """Yield an annotation for each citation, then for each finding."""
        told = partial(words.claims, self._audit)
        claims = next(records.made("the words that are cited", told), None)
        for place, facts in enumerate(self._audit.citations):
            made = partial(self._citation, facts, claims[place] if claims else None)
            yield from records.made(f"citation {facts.index}", made)
        cited = {facts.index: facts for facts in self._audit.citations}
        for finding in (*self._audit.findings, *self._audit.absent):
            number = finding.where.citation
            made = partial(self._finding, finding, None if number is None else cited.get(number))
            yield from records.made(f"a finding of {finding.rule}", made)

    def _citation(self, facts: CitationFacts, claim: str | None) -> dict[str, object]:
        bodies: list[dict[str, object]] = [
            _text("classifying", facts.verdict.word),
            _text("describing", facts.reason),
        ]
        answer = self.targets.answer(facts)
        if answer is not None:
            bodies.append(answer)
        bodies += _decisions(of_citation(self._meta, self._audit, facts))
        return {
            "id": self._id("citation", citation_key(facts)),
            "type": "Annotation",
            "motivation": "assessing",
            "generator": self._generator,
            "body": bodies,
            "target": self.targets.cited(facts),
            "reread:run": {"id": self.targets.run},
            "reread:citation": facts.index,
            "reread:reference": full_reference(facts),
            "reread:grade": facts.grade.value,
            "reread:anchor": facts.anchor.value,
            "reread:claim": claim,
            "reread:deliveredIn": list(facts.delivered_in),
            "reread:missing": [f"{span.start}:{span.end}" for span in facts.missing],
        }

    def _finding(self, finding: Finding, facts: CitationFacts | None) -> dict[str, object]:
        state = of_finding(self._meta, self._audit, finding)
        known = {"reread:baseline": finding.baseline.value} if finding.baseline else {}
        target = self.targets.cited(facts) if facts else self.targets.in_record(finding)
        return {
            "id": self._id("finding", finding.fingerprint),
            "type": "Annotation",
            "motivation": "commenting",
            "generator": self._generator,
            "body": [
                _text("tagging", finding.rule),
                _text("classifying", finding.severity.value),
                _text("commenting", finding.message),
                *_decisions(state),
            ],
            "target": target,
            "reread:run": {"id": self.targets.run},
            "reread:grade": finding.grade.value,
            "reread:where": words.where(finding),
            "reread:fingerprint": finding.fingerprint or None,
            **known,
        }

    def _id(self, kind: str, key: str) -> str:
        """Return a name; two that nothing in the record tells apart are counted."""
        count = self._seen[key] = self._seen.get(key, -1) + 1
        return named(self.targets.run, kind, key, count)


def _text(purpose: str, value: str) -> dict[str, object]:
    return {"type": "TextualBody", "purpose": purpose, "format": "text/plain", "value": value}


def _decisions(state: TargetState | None) -> Iterator[dict[str, object]]:
    """Yield a body for each decision and note that stands, with who made it and when."""
    for opinion in state.opinions if state else ():
        held = [opinion.decided] if opinion.decided else []
        for decision in (*held, *opinion.notes):
            record = decision_record(decision)
            is_note = decision in opinion.notes
            yield {
                **_text("commenting" if is_note else "assessing", decision.kind.value),
                "value": decision.note if is_note else decision.kind.value,
                "creator": {"type": "Person", "name": decision.reviewer},
                "created": record["at"],
                "reread:note": None if is_note else decision.note or None,
                "reread:decision": decision.hash,
            }


REPORT = Report("annotations", "W3C Web Annotations of citations and findings", ".jsonld", _write)
