"""Citations, findings, problems and settings as CSV, to be sorted and counted in a spreadsheet.

RFC 4180: commas, CR LF, every field in quotation marks.  The file begins with
a byte order mark, since Excel takes UTF-8 without one for the code page of the
machine.  A cell that a spreadsheet would run as a formula begins with an
apostrophe, and one that is longer than a spreadsheet holds says what it left
out: this format is for people, and JSON for programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from reviewer.reports import _words as words
from reviewer.reports._base import Meta, Report
from reviewer.reports._decided import of_citation, of_finding, opinion_lines
from reviewer.reports._safe import safe, shortened
from reviewer.reports._settings import setting_lines
from reviewer.reports._version_places import VersionPlaces, full_reference
from store.records.findings import Audit, CitationFacts, Finding
from store.records.reviews import citation_key
from store.records.runs import Problem
from store.records.text import Span

__all__ = ["REPORT"]

_COLUMNS = (
    "kind",
    "run_id",
    "number",
    "rule",
    "result",
    "grade",
    "reason",
    "call",
    "message",
    "tool_call_id",
    "source_id",
    "version_id",
    "reference",
    "span_start",
    "span_end",
    "unit",
    "answer_start",
    "answer_end",
    "anchor",
    "delivered_in_calls",
    "missing",
    "claim",
    "quotation",
    "evidence",
    "sha256",
    "decisions",
    "baseline",
    "key",
    "path",
)
_CELL = 32_000
"""Excel holds 32,767 characters of a cell and drops the rest without a word."""

_FORMULA = re.compile(
    "\\A[\\s\"'\u200b-\u200d\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63]"
)
"""What a spreadsheet may run: also behind white space, and in full-width or small form."""

_NUMBER = re.compile(r"-?[0-9]+\Z")


def _write(audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta) -> Iterator[str]:
    yield "\ufeff" + _line(_COLUMNS)
    for audit in audits:
        versions = VersionPlaces(audit)
        claims = words.claims(audit)
        for facts, claim in zip(audit.citations, claims, strict=True):
            yield _row(_citation(audit, facts, claim, versions, meta))
        for finding in audit.findings:
            state = finding.baseline.value if finding.baseline else None
            yield _row(_finding(audit, finding, state, versions, meta))
        for finding in audit.absent:
            yield _row(_finding(audit, finding, "absent", versions, meta))
        for problem in audit.run.problems:
            yield _row({**_problem(problem), "run_id": audit.run.run_id})
        for line in setting_lines(audit):
            yield _row({"kind": "setting", "run_id": audit.run.run_id, "reason": line})
    for problem in problems:
        yield _row(_problem(problem))


def _row(cells: dict[str, object]) -> str:
    return _line([_cell(cells.get(name)) for name in _COLUMNS])


def _line(cells: Iterable[str]) -> str:
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\r\n"


def _cell(value: object) -> str:
    text = "" if value is None else safe(str(value))
    text = shortened(text, _CELL)
    # A negative number is none to run; it cannot hold more than digits.
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.match(text) else text


def _citation(
    audit: Audit, facts: CitationFacts, claim: str | None, versions: VersionPlaces, meta: Meta
) -> dict[str, object]:
    marked = facts.citation.answer_span
    found = facts.evidence
    return {
        **_version(facts.source_id, facts.version_id, versions),
        "kind": "citation",
        "run_id": audit.run.run_id,
        "number": facts.index,
        "result": facts.verdict.word,
        "grade": facts.grade.value,
        "reason": facts.reason,
        "call": facts.call_at_answer,
        "message": found.message if found else None,
        "reference": full_reference(facts),
        **_ends("span", facts.span),
        "unit": facts.unit.value,
        **_ends("answer", marked),
        "anchor": facts.anchor.value,
        "delivered_in_calls": words.call_ranges(facts.delivered_in),
        "missing": words.spans(facts.missing),
        "claim": claim,
        "quotation": words.quotation(facts),
        "evidence": found.text if found else None,
        "decisions": "\n".join(opinion_lines(of_citation(meta, audit, facts))),
        "key": citation_key(facts),
        "path": audit.run.path,
    }


def _finding(
    audit: Audit, finding: Finding, state: str | None, versions: VersionPlaces, meta: Meta
) -> dict[str, object]:
    where = finding.where
    return {
        **_version(where.source_id, None, versions),
        "kind": "finding",
        "run_id": audit.run.run_id,
        "number": where.citation,
        "rule": finding.rule,
        "result": finding.severity.value,
        "grade": finding.grade.value,
        "reason": finding.message,
        "call": where.call,
        "message": where.message,
        "tool_call_id": where.tool_call_id,
        "decisions": "\n".join(opinion_lines(of_finding(meta, audit, finding))),
        "baseline": state,
        "key": finding.fingerprint,
        "path": audit.run.path,
    }


def _problem(problem: Problem) -> dict[str, object]:
    return {
        "kind": "problem",
        "result": problem.kind.value,
        "reason": problem.what,
        "path": problem.where,
    }


def _version(
    source_id: str | None, version_id: str | None, versions: VersionPlaces
) -> dict[str, object]:
    known = versions.facts(source_id, version_id)
    return {
        "source_id": source_id,
        "version_id": version_id,
        "sha256": known.version.sha256 if known else None,
    }


def _ends(name: str, span: Span | None) -> dict[str, object]:
    return {
        f"{name}_start": None if span is None else span.start,
        f"{name}_end": None if span is None else span.end,
    }


REPORT = Report(
    "csv", "a table of citations, findings and problems for a spreadsheet", ".csv", _write
)
