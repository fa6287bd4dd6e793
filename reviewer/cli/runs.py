"""``reread runs``: what runs there are, without reading them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from reviewer import __version__
from reviewer.cli._auditing import Account
from reviewer.cli._command import Command, Context
from reviewer.cli._exit import Exit
from reviewer.display import Column, one_line, table
from reviewer.reports import dumps, problem_record
from store.entries import Entry
from store.records.runs import Problem

__all__ = ["COMMAND"]

_SCHEMA = "reread.runs/1"
_COLUMNS = [
    Column("bytes", 12),
    Column("format", 16),
    Column("run", 40),
    Column("place", 0, whole=True),
]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="a run folder, a trace file, a folder or archive of runs, or -",
    )
    parser.add_argument(
        "--format", choices=["json", "text"], default="text", help="how the list is written"
    )


def _run(args: Namespace, context: Context) -> int:
    account = Account(context.output)
    entries: list[Entry] = []
    problems: list[Problem] = []
    for item in context.services.runs(args.paths):
        if isinstance(item, Entry):
            entries.append(item)
        else:
            problems.append(item)
            account.report(item)
    if args.format == "json":
        tool = {"name": "reread", "version": __version__}
        record = {
            "schema": _SCHEMA,
            "tool": tool,
            "runs": [_record(entry) for entry in entries],
            "problems": [problem_record(problem) for problem in problems],
        }
        context.output.result([dumps(record), "\n"])
    elif entries:
        context.output.lines(_lines(entries, context.output.columns))
    return Exit.UNDECIDED if account.lost or not entries else Exit.OK


def _record(entry: Entry) -> dict[str, object]:
    return {
        "place": entry.place,
        "run_id": entry.run_id or None,
        "title": entry.title,
        "format": entry.format,
        "layer": entry.layer.value if entry.layer else None,
        "bytes": entry.size,
        "more": entry.more,
    }


def _lines(entries: list[Entry], columns: int) -> Iterator[str]:
    rows = [
        [
            "" if entry.size is None else str(entry.size),
            entry.format,
            _called(entry),
            one_line(entry.place),
        ]
        for entry in entries
    ]
    yield from table(_COLUMNS, rows, columns)
    unread = sum(not entry.run_id for entry in entries)
    if unread:
        yield ""
        told = "is one whose run" if unread == 1 else "are such whose runs"
        yield f"{unread} of {len(entries)} {told} only reading tells; each is read when it is asked"
    yield ""
    yield "reread audit PATH --run RUN, or --run PLACE, reads one of them and leaves the others"


def _called(entry: Entry) -> str:
    if not entry.run_id:
        return "…"
    title = f"  {one_line(entry.title)}" if entry.title not in {"", entry.run_id} else ""
    return f"{one_line(entry.run_id)}{' and more' if entry.more else ''}{title}"


COMMAND = Command("runs", "list the runs in files, folders and archives", _configure, _run)
