"""``reread bundle``: the evidence of a run, its audit and the decisions, for a third party."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from reviewer.cli._command import Command, Context, UsageError
from reviewer.cli._exit import Exit
from reviewer.services.result_files import RefusedError
from store.errors import StoreError
from store.records.runs import Problem, ProblemKind

__all__ = ["COMMAND"]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="RUN", help="a run folder or a trace file")
    parser.add_argument("out", metavar="OUT", help="the folder to make; it must not be there yet")
    parser.add_argument("--store", metavar="DIR", help="a store with evidence that lies elsewhere")
    parser.add_argument(
        "--decisions", metavar="FILE", help="a further log of decisions to put into the bundle"
    )
    parser.add_argument(
        "--redact",
        metavar="PATTERN",
        action="append",
        default=[],
        help="take the text of these sources out and keep its digests (a shell pattern on source "
        "ids; may be given several times)",
    )
    parser.add_argument("--by", metavar="NAME", default="", help="who makes the bundle")
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="severities and parameters of rules (default: reread.toml in the working folder)",
    )


def _run(args: Namespace, context: Context) -> int:
    # What makes a bundle takes its time to load.
    from reviewer.services.bundling import Wanted  # noqa: PLC0415

    output = context.output
    try:
        wanted = Wanted(
            args.path, args.out, args.store, args.decisions, tuple(args.redact), args.by
        )
        made = context.services.bundle(wanted, args.config)
    except RefusedError as error:
        raise UsageError(str(error)) from None
    except StoreError as error:
        output.note(str(error))
        return Exit.UNDECIDED
    problems = [problem for audit in made.audits for problem in audit.run.problems]
    for problem in (*made.problems, *problems):
        output.note(f"{problem.where}: {problem.what}")
    for each in made.withheld:
        output.note(f"{each.path}: {each.action}: {each.reason}")
    runs = len(made.audits)
    told = f"{runs} run{'' if runs == 1 else 's'}, {made.files} files, {made.size} bytes"
    output.lines(
        [
            f"wrote {args.out}: {told}",
            f"reread verify {args.out} checks it, and so does every reader of BagIt",
        ]
    )
    return Exit.UNDECIDED if _lost((*made.problems, *problems)) else Exit.OK


def _lost(problems: tuple[Problem, ...]) -> bool:
    return any(problem.kind is ProblemKind.LOST for problem in problems)


COMMAND = Command("bundle", "write an evidence bundle for a third party", _configure, _run)
