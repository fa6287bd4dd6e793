"""The audit as JSON: the contract ``reread.audit/1`` that outside programs rely on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reviewer.reports._base import Meta, Report
from reviewer.reports._facts import SCHEMA, dumps, problem_record, run_record
from store.records.findings import Audit
from store.records.runs import Problem

__all__ = ["REPORT"]


def _write(audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta) -> Iterator[str]:
    """Yield one object; the runs are written one after another, so that one is held at a time."""
    yield f'{{"schema": {dumps(SCHEMA)},\n "tool": '
    yield dumps({"name": "reread", "version": meta.version})
    yield ',\n "runs": ['
    between = "\n"
    for audit in audits:
        yield between
        yield dumps(run_record(audit))
        between = ",\n"
    yield '],\n "problems": '
    yield dumps([problem_record(problem) for problem in problems])
    yield "}\n"


REPORT = Report("json", "JSON, schema reread.audit/1", ".json", _write, tokens=True)
