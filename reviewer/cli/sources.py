"""``reread sources``: sources, versions, coverage and gaps."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from reviewer import __version__
from reviewer.cli._auditing import Account
from reviewer.cli._command import Command, Context, UsageError
from reviewer.cli._files import ResultFile, checked_output
from reviewer.cli._runs import add_run_option, asked, chosen
from reviewer.display import Column, one_line, table, visible, wrap
from reviewer.reports import (
    NO_ANSWER,
    closing,
    coverage,
    dumps,
    grade_words,
    map_lines,
    picture,
    problem_record,
    reference,
    source_record,
    spans,
    strip_lines,
)
from store.records.findings import Audit

__all__ = ["COMMAND"]

_SCHEMA = "reread.sources/1"
_GAPS = 6
_ENDINGS = {"": "text", ".txt": "text", ".svg": "svg", ".json": "json"}


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
        "--format",
        choices=["json", "svg", "text"],
        help="how it is written (default: by the ending of --output, else text); svg with --map",
    )
    parser.add_argument("--output", metavar="FILE", help="write to a file outside the evidence")
    parser.add_argument("--all", action="store_true", help="shorten no list of gaps")
    parser.add_argument(
        "--map",
        action="store_true",
        help="draw which source stood in which call's request, and what of each version came",
    )


def _run(args: Namespace, context: Context) -> int:
    chosen_format = _format(args)
    inputs = [*args.paths, *([args.store] if args.store else [])]
    place = checked_output(args.output, inputs) if args.output is not None else None
    account = Account(context.output, only_lost=True)
    found = context.services.audit(args.paths, args.store, only=args.run_id, tokens=False)
    audits = account.audits(asked(found, args.paths, args.run_id))
    chunks = _chunks(args, chosen_format, audits, account, context.output.columns)
    if place is None:
        context.output.result(chunks)
    else:
        with ResultFile(place, args.output) as result:
            result.write(chunks)
            result.keep()
        context.output.note(f"wrote {args.output} ({chosen_format})")
    return account.status(args.paths)


def _format(args: Namespace) -> str:
    """Return the format asked for; only a map is a picture, and a map is no JSON."""
    ending = Path(args.output or "").suffix.lower()
    if args.format is None and ending not in _ENDINGS:
        raise UsageError(
            f"--output {args.output}: nothing is written with this ending (known: "
            f"{', '.join(filter(None, _ENDINGS))}); name a format with --format"
        )
    found = str(args.format or _ENDINGS[ending])
    if found == "svg" and not args.map:
        raise UsageError("only a map is written as svg; add --map")
    if found == "json" and args.map:
        raise UsageError("a map is written as text or svg; without --map, json holds what it shows")
    return found


def _chunks(
    args: Namespace, chosen_format: str, audits: Iterator[Audit], account: Account, columns: int
) -> Iterator[str]:
    if chosen_format == "svg":
        yield from picture(chosen(list(audits), args.run_id))
    elif chosen_format == "json":
        runs = [_record(audit) for audit in audits]
        problems = [problem_record(problem) for problem in account.problems]
        tool = {"name": "reread", "version": __version__}
        yield dumps({"schema": _SCHEMA, "tool": tool, "runs": runs, "problems": problems})
        yield "\n"
    else:
        limit = 0 if args.all else _GAPS
        for audit in audits:
            lines = _map(audit, columns) if args.map else _lines(audit, columns, limit)
            yield from (f"{visible(line)}\n" for line in lines)


def _map(audit: Audit, columns: int) -> Iterator[str]:
    yield one_line(f"Run {audit.run.title or audit.run.run_id} · {audit.run.path}")
    yield from map_lines(audit, columns)
    yield ""
    yield from strip_lines(audit, columns)
    yield ""


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
    if rows:
        yield from table(shape, rows, columns, gaps)
    else:
        yield "No text of a source is recorded here."
    yield ""


COMMAND = Command("sources", "list sources, versions, coverage and gaps", _configure, _run)
