"""The audit as JSON: the contract ``reread.audit/1`` that outside programs rely on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reviewer.reports._base import Meta, Report
from reviewer.reports._decided import of_citation, of_finding, review_record, state_record
from reviewer.reports._facts import SCHEMA, dumps, problem_record, run_record
from reviewer.reports._made import tool_record
from store.records.findings import Audit
from store.records.reviews import TargetState
from store.records.runs import Problem

__all__ = ["REPORT"]


def _write(audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta) -> Iterator[str]:
    """Yield one object; the runs are written one after another, so that one is held at a time."""
    yield f'{{"schema": {dumps(SCHEMA)},\n "tool": '
    yield dumps(tool_record(meta))
    yield ',\n "runs": ['
    between = "\n"
    for audit in audits:
        yield between
        yield dumps(_record(audit, meta))
        between = ",\n"
    yield '],\n "problems": '
    yield dumps([problem_record(problem) for problem in problems])
    if meta.baseline_name:
        yield f',\n "baseline": {dumps(meta.baseline_name)}'
    if meta.reviews is not None:
        yield f',\n "decisions": {dumps(review_record(meta.reviews))}'
    yield "}\n"


def _record(audit: Audit, meta: Meta) -> dict[str, object]:
    """Return the record of a run; beside a log each citation and finding has its decision."""
    record = run_record(audit)
    if meta.reviews is None:
        return record
    states = [of_citation(meta, audit, facts) for facts in audit.citations]
    record["citations"] = _decided(record["citations"], states)
    states = [of_finding(meta, audit, finding) for finding in audit.findings]
    record["findings"] = _decided(record["findings"], states)
    return record


def _decided(records: object, states: Iterable[TargetState | None]) -> list[object] | None:
    if not isinstance(records, list):  # this part could not be made
        return None
    return [
        {**each, "decision": state_record(state)}
        for each, state in zip(records, states, strict=True)
    ]


REPORT = Report("json", "JSON, schema reread.audit/1", ".json", _write, tokens=True)
