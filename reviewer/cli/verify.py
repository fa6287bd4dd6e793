"""``reread verify``: whether an evidence bundle is what it was when it was made."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from reviewer.cli._command import Command, Context
from reviewer.cli._exit import Exit
from store.records.runs import ProblemKind

__all__ = ["COMMAND"]

_WORDS = {
    ProblemKind.CHANGED: "does not hold",
    ProblemKind.LOST: "could not look",
    ProblemKind.NOTED: "note",
}


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("bundle", metavar="BUNDLE", help="a folder that reread bundle made")


def _run(args: Namespace, context: Context) -> int:
    output = context.output
    found = context.services.verify(args.bundle)
    for problem in found.problems:
        output.note(f"{_WORDS[problem.kind]}: {problem.where}: {problem.what}")
    output.lines(f"checked {each}" for each in found.said)
    if any(problem.kind is ProblemKind.LOST for problem in found.problems):
        output.lines([f"{args.bundle}: NOT VERIFIED: some of it could not be looked at"])
        return Exit.UNDECIDED
    if not found.holds:
        count = sum(problem.kind is ProblemKind.CHANGED for problem in found.problems)
        output.lines([f"{args.bundle}: DOES NOT HOLD in {count} place{'' if count == 1 else 's'}"])
        return Exit.FINDINGS
    output.lines([f"{args.bundle}: holds"])
    return Exit.OK


COMMAND = Command("verify", "check an evidence bundle, byte for byte", _configure, _run)
