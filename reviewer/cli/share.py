"""``reread share``: runs in the database of a team, where colleagues open them by their digest."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from reviewer.cli._auditing import Account
from reviewer.cli._command import Command, Context, UsageError
from reviewer.cli._exit import Exit
from reviewer.display import Column, one_line, table
from store.errors import StoreError

__all__ = ["COMMAND"]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="a run folder, a trace file or a folder of runs; without one, lists what is shared",
    )
    parser.add_argument("--store", metavar="DIR", help="a store with evidence that lies elsewhere")
    parser.add_argument(
        "--remove",
        metavar="NAME",
        action="append",
        default=[],
        help="take a run (team:DIGEST) out again; decisions on it stay",
    )


def _run(args: Namespace, context: Context) -> int:
    if args.paths and args.remove:
        raise UsageError("--remove takes away and PATH adds: do one after the other")
    try:
        if args.remove:
            return _remove(args.remove, context)
        return _share(args, context) if args.paths else _list(context)
    except StoreError as error:
        context.output.note(str(error))
        return Exit.UNDECIDED


def _share(args: Namespace, context: Context) -> int:
    account = Account(context.output)
    for audit in account.audits(context.services.audit(args.paths, args.store, tokens=False)):
        name = context.services.share(audit.run)
        context.output.lines([f"{name}  {one_line(audit.run.title or audit.run.run_id)}"])
    return account.status(args.paths)


def _remove(names: list[str], context: Context) -> int:
    for name in names:
        gone = context.services.unshare(name)
        context.output.lines([f"removed {gone.digest}  {one_line(gone.title or gone.run_id)}"])
    return Exit.OK


def _list(context: Context) -> int:
    runs = context.services.shared_runs()
    columns = (
        Column("calls", 6),
        Column("grade", 10),
        Column("run", 40),
        Column("name", 0, whole=True),
    )
    rows = [
        [
            str(each.calls),
            each.grade.value,
            one_line(each.title or each.run_id),
            f"team:{each.digest}",
        ]
        for each in runs
    ]
    if rows:
        context.output.lines(table(columns, rows, context.output.columns))
    else:
        context.output.note("nothing is shared yet: reread share PATH adds a run")
    return Exit.OK


COMMAND = Command("share", "put runs into the database of a team, or list them", _configure, _run)
