"""``reread compare``: what differs between two versions, stores, runs or calls."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reviewer.cli._command import Command, Context
from reviewer.cli._exit import Exit
from reviewer.cli._files import ResultFile, checked_output
from reviewer.display import visible
from reviewer.reports import comparison_json, comparison_text
from store.records.runs import ProblemKind

if TYPE_CHECKING:
    from reviewer.services.comparing import Comparing

__all__ = ["COMMAND"]


def _configure(parser: ArgumentParser) -> None:
    side = "a run, a store, a text file, RUN#N for call N, or STORE::SOURCE@VERSION for a version"
    parser.add_argument("a", metavar="A", help=f"the older side: {side}")
    parser.add_argument("b", metavar="B", help="the newer side, of the same kind")
    parser.add_argument("--run-a", metavar="ID", help="which run of A, if there are several")
    parser.add_argument("--run-b", metavar="ID", help="which run of B, if there are several")
    parser.add_argument(
        "--format", choices=("json", "text"), default="text", help="how the comparison is written"
    )
    parser.add_argument("--output", metavar="FILE", help="write to a file outside the evidence")
    parser.add_argument("--all", action="store_true", help="shorten no list and no text")


def _run(args: Namespace, context: Context) -> int:
    output = context.output
    found = context.services.compare(args.a, args.b, run_a=args.run_a, run_b=args.run_b)
    comparison = found.comparison
    inputs = [comparison.a.path, comparison.b.path]
    place = checked_output(args.output, inputs) if args.output is not None else None
    told = set()
    for problem in (*comparison.problems_a, *comparison.problems_b):
        if (problem.where, problem.what) not in told:
            told.add((problem.where, problem.what))
            mark = "" if problem.kind is ProblemKind.LOST else "note: "
            output.note(f"{mark}{problem.where}: {problem.what}")
    chunks = _chunks(found, args, output.columns)
    if place is None:
        output.result(chunks)
    else:
        with ResultFile(place, args.output) as result:
            result.write(chunks)
            result.keep()
        output.note(f"wrote {args.output} ({args.format})")
    if comparison.undecided:
        return Exit.UNDECIDED
    return Exit.FINDINGS if comparison.different else Exit.OK


def _chunks(found: Comparing, args: Namespace, columns: int) -> Iterator[str]:
    if args.format == "json":
        yield from comparison_json(found.comparison, found.text_of)
        return
    lines = comparison_text(found.comparison, found.text_of, columns, everything=args.all)
    for line in lines:
        yield f"{visible(line)}\n"


COMMAND = Command("compare", "compare two versions, stores, runs or calls", _configure, _run)
