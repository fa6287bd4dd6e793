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
from functools import partial

from reviewer.reports import _words as words
from reviewer.reports._base import Meta, Report
from reviewer.reports._baseline import baseline_words
from reviewer.reports._decided import chain_words, of_citation, of_finding, opinion_lines
from reviewer.reports._facts import digest_of
from reviewer.reports._made import rules_digest
from reviewer.reports._parts import Records
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
        yield from _audit(audit, meta)
    for problem in problems:
        yield _row(_problem(problem))
    yield from map(_row, _made(meta))


def _audit(audit: Audit, meta: Meta) -> Iterator[str]:
    run, records = audit.run, Records(audit.run.path)
    versions = VersionPlaces(audit)
    claims = next(records.made("the words that are cited", partial(words.claims, audit)), None)
    for place, facts in enumerate(audit.citations):
        claim = claims[place] if claims else None
        row = partial(_citation, audit, facts, claim, versions, meta)
        yield from map(_row, records.made(f"citation {facts.index}", row))
    for finding in (*audit.findings, *audit.absent):
        row = partial(_finding, audit, finding, versions, meta)
        yield from map(_row, records.made(f"a finding of {finding.rule}", row))
    for problem in (*run.problems, *records.problems):
        yield _row({**_problem(problem), "run_id": run.run_id})
    for line in setting_lines(audit):
        yield _row({"kind": "setting", "run_id": run.run_id, "reason": line})
    yield _row(
        {
            "kind": "run",
            "run_id": run.run_id,
            "result": run.layer.value,
            "grade": words.grade_of(audit).value,
            "reason": f"{words.grade_words(audit)} {words.summary(audit)}.",
            "sha256": digest_of(run),
            "path": run.path,
        }
    )


def _made(meta: Meta) -> Iterator[dict[str, object]]:
    """Yield what the table was made with: the tool, its rules, the baseline, the log."""
    yield {"kind": "made", "result": meta.version, "reason": "Reread"}
    for rule, version in meta.rules:
        yield {"kind": "made", "rule": rule, "result": version, "sha256": rules_digest(meta)}
    if known := baseline_words(meta):
        yield {"kind": "made", "reason": known, "path": meta.baseline_name}
    if meta.reviews is not None:
        log = meta.reviews
        told = {"reason": chain_words(log), "sha256": log.last_hash or None, "path": log.log}
        yield {"kind": "made", **told}


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
    audit: Audit, finding: Finding, versions: VersionPlaces, meta: Meta
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
        "baseline": finding.baseline.value if finding.baseline else None,
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
