"""``reread sources``: sources, versions, coverage and gaps."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from reviewer import __version__
from reviewer.cli._auditing import Account
from reviewer.cli._command import Command, Context
from reviewer.cli._runs import add_run_option
from reviewer.display import Column, one_line, table, wrap
from reviewer.reports import (
    NO_ANSWER,
    closing,
    coverage,
    dumps,
    grade_words,
    problem_record,
    reference,
    source_record,
    spans,
)
from store.records.findings import Audit

__all__ = ["COMMAND"]

_SCHEMA = "reread.sources/1"
_GAPS = 6


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="a run folder, a trace file, a folder of runs, or -",
    )
    parser.add_argument("--store", metavar="DIR", help="a store with evidence that lies elsewhere")
    add_run_option(parser)
    parser.add_argument(
        "--format", choices=["json", "text"], default="text", help="how it is written"
    )
    parser.add_argument("--all", action="store_true", help="shorten no list of gaps")


def _run(args: Namespace, context: Context) -> int:
    account = Account(context.output, only_lost=True)
    found = account.audits(context.services.audit(args.paths, args.store, tokens=False))
    audits = (audit for audit in found if args.run_id in {None, audit.run.run_id})
    if args.format == "json":
        runs = [_record(audit) for audit in audits]
        problems = [problem_record(problem) for problem in account.problems]
        tool = {"name": "reread", "version": __version__}
        record = {"schema": _SCHEMA, "tool": tool, "runs": runs, "problems": problems}
        context.output.result([dumps(record), "\n"])
    else:
        limit = 0 if args.all else _GAPS
        for audit in audits:
            context.output.lines(_lines(audit, context.output.columns, limit))
    return account.status(args.paths)


def _record(audit: Audit) -> dict[str, object]:
    return {
        "run_id": audit.run.run_id,
        "title": audit.run.title,
        "path": audit.run.path,
        "problems": [problem_record(problem) for problem in audit.run.problems],
        "grade_at_answer": _grade(audit),
        "sources": [source_record(source) for source in audit.sources],
    }


def _grade(audit: Audit) -> str:
    """Return the grade of the call that ``at answer`` speaks of."""
    call = closing(audit)
    return (call.grade if call else audit.run.grade).value


def _lines(audit: Audit, columns: int, limit: int) -> Iterator[str]:
    yield one_line(f"Run {audit.run.title or audit.run.run_id} · {audit.run.path}")
    if not audit.run.answers:
        yield NO_ANSWER
    yield from wrap(one_line(grade_words(audit)), columns)
    shape = [
        Column("kind", 11),
        Column("stored", 13),
        Column("at answer", 11),
        Column("grade", 9),
        Column("delivered", 30),
        Column("version", 0, whole=True),
    ]
    grade = _grade(audit)
    rows, gaps = [], []
    for source in audit.sources:
        for facts in source.versions:
            key = facts.version.key
            name = reference(key.source_id, key.version_id, None, facts.unit, None)
            state, stored = facts.state_at_answer.value, facts.version.integrity.value
            rows.append([source.kind, stored, state, grade, coverage(facts), one_line(name)])
            gaps.append(f"gaps {spans(facts.gaps, limit)}" if facts.gaps else "no gaps")
            if not facts.length_known:
                gaps[-1] = "gaps cannot be known: the length of the version is not recorded"
    yield from table(shape, rows, columns, gaps)
    yield ""


COMMAND = Command("sources", "list sources, versions, coverage and gaps", _configure, _run)
