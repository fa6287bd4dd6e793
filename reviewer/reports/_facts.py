"""An audit as plain values, key by key as ``reread.audit/1`` fixes them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, is_dataclass
from math import isfinite

from reviewer.reports._bill import bill_rows, bill_summary
from reviewer.reports._retention import retention_records
from reviewer.reports._settings import setting_record
from store.digest import run_digest
from store.errors import StoreError
from store.records.citations import Offsets, SourceCitation
from store.records.findings import (
    Audit,
    CallFacts,
    CitationFacts,
    ClaimFacts,
    Coverage,
    Finding,
    PlaceholderFacts,
    ReadFacts,
    SourceFacts,
    VersionFacts,
)
from store.records.runs import ContextEdit, Problem, Run
from store.records.sources import Selection
from store.records.text import Span, Unit

__all__ = [
    "SCHEMA",
    "digest_of",
    "dumps",
    "finding_record",
    "placeholder_record",
    "problem_record",
    "run_record",
    "source_record",
]

SCHEMA = "reread.audit/1"

_ESCAPED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
"""What UTF-8 cannot hold, and what a terminal would obey: written as an escape, the same value."""


def dumps(value: object) -> str:
    """Return *value* as JSON text, the same on every machine, its keys in the order given."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False, default=_plain)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _plain(value: object) -> object:
    """Return what JSON has no word for as something it has."""
    if isinstance(value, Span):
        return [value.start, value.end]
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if is_dataclass(value) and not isinstance(value, type):
        return astuple(value)
    return str(value)


def _spans(spans: Iterable[Span]) -> list[list[int]]:
    return [[span.start, span.end] for span in spans]


def _span(span: Span | None) -> list[int] | None:
    return None if span is None else [span.start, span.end]


def digest_of(run: Run) -> str | None:
    """Return the digest of what *run* holds, ``None`` for one that has none."""
    try:
        return run_digest(run)
    except StoreError:
        return None


def run_record(audit: Audit) -> dict[str, object]:
    """Return the record of one run."""
    run = audit.run
    records: dict[str, object] = {
        "run_id": run.run_id,
        "title": run.title,
        "path": run.path,
        "format": run.format,
        "layer": run.layer.value,
        "grade": run.grade.value,
        "counts": _counts(audit, run),
        "parent_run": run.parent_run,
        "branch": run.branch,
        "problems": [problem_record(problem) for problem in run.problems],
    }
    failed: list[dict[str, str]] = []
    for name, make in _PARTS.items():
        try:
            records[name] = make(audit)
        except Exception as error:  # noqa: BLE001 - the other parts do not depend on it
            records[name] = None
            failed.append({"part": name, "reason": f"{type(error).__name__}: {error}"})
    return {**records, "not_made": failed} if failed else records


def _counts(audit: Audit, run: Run) -> dict[str, int]:
    return {
        "calls": len(run.calls),
        "messages": len(run.messages),
        "tool_calls": len(run.tool_calls),
        "tool_results": len(run.tool_results),
        "sources": len(audit.sources),
        "versions": sum(len(source.versions) for source in audit.sources),
        "citations": len(audit.citations),
        "findings": len(audit.findings),
    }


def problem_record(problem: Problem) -> dict[str, object]:
    """Return the record of one problem."""
    return {"where": problem.where, "what": problem.what, "kind": problem.kind.value}


def edit_record(edit: ContextEdit) -> dict[str, object]:
    """Return the record of what was changed in a request; ``before_call`` is null without time."""
    return {
        "before_call": edit.before_call,
        "kind": edit.kind.value,
        "tool_call_ids": list(edit.tool_call_ids),
        "by": edit.by,
        "grade": edit.grade.value,
        "reason": edit.reason,
    }


def _call(call: CallFacts) -> dict[str, object]:
    return {
        "index": call.index,
        "id": call.id,
        "origin": call.origin,
        "model": call.model,
        "grade": call.grade.value,
        "grade_reason": call.grade_reason,
        "messages": call.messages,
        "chars": call.chars,
        "utf8_bytes": call.utf8_bytes,
        "tokens": {
            "estimated": call.tokens.estimated,
            "encoding": call.tokens.encoding,
            "reported_input": call.tokens.reported_input,
        },
        "shared_prefix_bytes": call.shared_prefix_bytes,
    }


def source_record(source: SourceFacts) -> dict[str, object]:
    """Return the record of one source with its versions."""
    return {
        "source_id": source.source_id,
        "kind": str(source.kind),
        "title": source.title,
        "versions": [_version(facts) for facts in source.versions],
    }


def _version(facts: VersionFacts) -> dict[str, object]:
    version = facts.version
    rows = facts.delivered_rows
    return {
        "version_id": version.key.version_id,
        "revision": version.revision,
        "sha256": version.sha256 or None,
        "chars": version.chars,
        "unit": facts.unit.value,
        "length_known": facts.length_known,
        "integrity": version.integrity.value,
        "listed": facts.listed,
        "previewed": _spans(facts.previewed),
        "delivered": _spans(facts.delivered),
        "gaps": _spans(facts.gaps),
        "delivered_at_answer": _spans(facts.delivered_at_answer),
        "delivered_rows": None if rows is None else _spans(rows),
        "delivered_blocks": list(facts.delivered_blocks),
        "state_at_answer": facts.state_at_answer.value,
    }


def _read(read: ReadFacts) -> dict[str, object]:
    return {
        "tool_call_id": read.tool_call_id,
        "tool": read.tool,
        "call": read.call,
        "source_id": read.selection.source_id,
        "version_id": read.selection.version_id or None,
        "selection": _selection(read.selection),
        "outcome": read.outcome.value,
        "grade": read.grade.value,
        "agrees": read.agrees,
        "declared": _declared(read.declared, 0),
        "recomputed": _coverage(read.recomputed),
    }


_DEPTH = 20
"""How deep a producer's declaration is followed: it is anybody's JSON."""


def _declared(value: object, depth: int) -> object:
    """Return a producer's own values without what JSON has no word for (NaN, infinities)."""
    if depth > _DEPTH:
        return f"(nested more than {_DEPTH} levels deep)"
    if isinstance(value, Mapping):
        return {str(key): _declared(below, depth + 1) for key, below in value.items()}
    if isinstance(value, (list, tuple)):
        return [_declared(below, depth + 1) for below in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value


def _selection(selection: Selection) -> dict[str, object]:
    blocks = selection.unit is Unit.BLOCK
    return {
        "unit": selection.unit.value,
        "ranges": list(selection.blocks) if blocks else _spans(selection.ranges),
        "fields": None if selection.fields is None else list(selection.fields),
    }


def _coverage(facts: Coverage) -> dict[str, object]:
    return {
        "requested": facts.requested,
        "loaded": facts.loaded,
        "byte_complete": facts.byte_complete,
        "filtered_count": facts.filtered_count,
        "input_complete": facts.input_complete,
        "reason": facts.reason,
        "missing": list(facts.missing),
        "duplicate": list(facts.duplicate),
        "unexpected": list(facts.unexpected),
    }


def placeholder_record(facts: PlaceholderFacts) -> dict[str, object]:
    """Return the record of one placeholder."""
    return {
        "tool_call_id": facts.tool_call_id,
        "tool": facts.tool,
        "source_id": facts.source_id or None,
        "kind": facts.kind.value,
        "first_call": facts.first_call,
        "last_full_call": facts.last_full_call,
        "original_chars": facts.original_chars,
        "kept": _spans(facts.kept),
        "recoverable": facts.recoverable,
        "reread_at_call": facts.reread_at_call,
        "grade": facts.grade.value,
        "byte_stable": facts.byte_stable,
        "removed": facts.removed,
        "is_file_read": facts.is_file_read,
        "reason": facts.reason,
    }


def _citation(facts: CitationFacts) -> dict[str, object]:
    cited = facts.citation
    return {
        "index": facts.index,
        "answer_span": _span(cited.answer_span),
        "label": cited.label,
        "source_id": facts.source_id,
        "version_id": facts.version_id,
        "span": _span(facts.span),
        "unit": facts.unit.value,
        "block_id": cited.block_id,
        "quote": cited.quote if isinstance(cited, SourceCitation) else None,
        "side": facts.side,
        "pattern": facts.pattern or None,
        "offsets": _offsets(cited.offsets),
        "anchor": facts.anchor.value,
        "verdict": facts.verdict.word,
        "grade": facts.grade.value,
        "reason": facts.reason,
        "call_at_answer": facts.call_at_answer,
        "delivered_in": list(facts.delivered_in),
        "missing": _spans(facts.missing),
        "evidence": _evidence(facts),
    }


def _offsets(offsets: Offsets | None) -> dict[str, object] | None:
    """Return a place as the provider counts it, and which ways of counting lead to its words."""
    if offsets is None:
        return None
    return {
        "start": offsets.start,
        "end": offsets.end,
        "unit": offsets.documented,
        "end_inclusive": offsets.inclusive,
        "fits": list(offsets.fits),
        "drift": offsets.drift,
    }


def _evidence(facts: CitationFacts) -> dict[str, object] | None:
    found = facts.evidence
    if found is None:
        return None
    return {
        "call": found.call,
        "message": found.message,
        "part": found.part,
        "message_span": _span(found.message_span),
        "text": found.text,
    }


def _claim(facts: ClaimFacts) -> dict[str, object]:
    return {
        "answer": facts.answer,
        "call": facts.call,
        "span": _span(facts.span),
        "kind": facts.kind.value,
        "text": facts.text,
        "grounding": facts.grounding.value,
        "grade": facts.grade.value,
        "reason": facts.reason or None,
        "last_call": facts.last_call,
        "tool_call_id": facts.tool_call_id,
        "obtained": facts.obtained,
        "proposed": facts.is_own,
    }


def finding_record(finding: Finding) -> dict[str, object]:
    """Return the record of one finding."""
    where = finding.where
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "grade": finding.grade.value,
        "message": finding.message,
        "where": {
            "call": where.call,
            "message": where.message,
            "source_id": where.source_id,
            "citation": where.citation,
            "tool_call_id": where.tool_call_id,
        },
        "fingerprint": finding.fingerprint,
        "baseline": finding.baseline.value if finding.baseline else None,
    }


_PARTS: Mapping[str, Callable[[Audit], object]] = {
    "calls": lambda audit: [_call(call) for call in audit.calls],
    "sources": lambda audit: [source_record(source) for source in audit.sources],
    "reads": lambda audit: [_read(read) for read in audit.reads],
    "placeholders": lambda audit: [placeholder_record(facts) for facts in audit.placeholders],
    "edits": lambda audit: [edit_record(edit) for edit in audit.run.edits],
    "citations": lambda audit: [_citation(facts) for facts in audit.citations],
    "claims": lambda audit: [_claim(facts) for facts in audit.claims],
    "bill": lambda audit: bill_rows(audit.bill),
    "bill_summary": lambda audit: bill_summary(audit.bill),
    "retention": lambda audit: retention_records(audit.retention),
    "findings": lambda audit: [finding_record(finding) for finding in audit.findings],
    "settings": lambda audit: [setting_record(setting) for setting in audit.settings],
    "absent": lambda audit: [finding_record(finding) for finding in audit.absent],
    "digest": lambda audit: digest_of(audit.run),
}
"""Each part of a record; one that cannot be made is ``null``, and ``not_made`` says why."""
