"""``reread import``: any readable trace as a native run folder."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from reviewer.cli._auditing import Account
from reviewer.cli._command import Command, Context, UsageError
from reviewer.cli._exit import Exit
from reviewer.cli._runs import add_run_option
from reviewer.display import one_line
from store.records.runs import Problem

__all__ = ["COMMAND"]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="a run folder, a trace file, a folder or archive of runs, or -",
    )
    parser.add_argument(
        "--into",
        metavar="DIR",
        required=True,
        help="the folder to write; it must not be there yet, or be empty. Of several runs each "
        "becomes a folder in it",
    )
    parser.add_argument("--store", metavar="DIR", help="a store with evidence that lies elsewhere")
    add_run_option(parser)


def _run(args: Namespace, context: Context) -> int:
    # What it takes is loaded when it is asked for.
    from reviewer.services.importing import ImportRefused, import_runs  # noqa: PLC0415

    account = Account(context.output)
    written = 0
    whole = True
    try:
        for item in import_runs(args.paths, args.into, args.store, args.run_id):
            if isinstance(item, Problem):
                account.report(item)
                continue
            written += 1
            for problem in item.run.problems:
                account.report(problem)
            whole = whole and not item.lost
            for what in item.lost:
                context.output.note(f"{item.folder}: not held by a run folder: {what}")
            calls = len(item.run.calls)
            told = f"run {item.run.run_id}, {calls} call{'' if calls == 1 else 's'}"
            context.output.lines(
                [one_line(f"wrote {item.folder}: {told}, read as {item.run.format}")]
            )
    except ImportRefused as error:
        raise UsageError(f"--into {error}") from None
    if not written:
        if args.run_id is not None and not account.lost:
            where = " ".join(args.paths)
            raise UsageError(
                f"there is no run {args.run_id} here; reread runs {where} lists what there is"
            )
        context.output.note(f"{args.into}: not written, since no run was found")
    return Exit.OK if written and whole and not account.lost else Exit.UNDECIDED


COMMAND = Command("import", "write any readable trace as a run folder", _configure, _run)
