"""``reread compare``: what differs between two versions, stores, runs or calls."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reviewer.cli._command import Command, Context, UsageError
from reviewer.cli._exit import Exit
from reviewer.cli._files import ResultFile, checked_output
from reviewer.cli._output import Output
from reviewer.display import visible
from reviewer.reports import comparison_json, comparison_text
from store.errors import StoreError
from store.records.comparisons import Comparison, Kind
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
    for side in "ab":
        parser.add_argument(
            f"--store-{side}",
            metavar="DIR",
            help=f"a store with evidence for {side.upper()} that lies elsewhere",
        )
    parser.add_argument(
        "--format", choices=("json", "text"), default="text", help="how the comparison is written"
    )
    parser.add_argument("--output", metavar="FILE", help="write to a file outside the evidence")
    parser.add_argument("--all", action="store_true", help="shorten no list and no text")
    parser.add_argument(
        "--decisions",
        action="store_true",
        help="tell what becomes of each decision in the reviewers' log of A",
    )
    parser.add_argument(
        "--carry",
        action="store_true",
        help="write the decisions on A into the log of B where the text is the same; each says "
        "where it comes from, and doing it again adds nothing",
    )


def _run(args: Namespace, context: Context) -> int:
    output = context.output
    stores = args.store_a, args.store_b
    found = context.services.compare(args.a, args.b, runs=(args.run_a, args.run_b), stores=stores)
    paths = [found.comparison.a.path, found.comparison.b.path]
    sides = [*paths, *filter(None, stores)]
    place = checked_output(args.output, sides) if args.output is not None else None
    _tell_problems(found.comparison, output)
    _check_decisions(args, found)
    unkept = False
    if args.decisions or args.carry:
        try:
            found = context.services.decided(found, output.note, carry=args.carry)
        except StoreError as error:
            output.note(str(error))
            unkept = True
    chunks = _chunks(found, args, output.columns)
    if place is None:
        output.result(chunks)
    else:
        with ResultFile(place, args.output) as result:
            result.write(chunks)
            result.keep()
        output.note(f"wrote {args.output} ({args.format})")
    if found.comparison.undecided or unkept:
        return Exit.UNDECIDED
    return Exit.FINDINGS if found.comparison.different else Exit.OK


def _check_decisions(args: Namespace, found: Comparing) -> None:
    """Raise `UsageError` where decisions are asked for, and there can be none."""
    kind = found.comparison.kind
    told = kind is Kind.RUNS or (kind is Kind.STORES and found.audit_a is not None)
    if args.carry and kind is not Kind.RUNS:
        raise UsageError(
            "--carry: decisions are carried over between runs; name a run on each side"
        )
    if args.decisions and not told:
        raise UsageError("--decisions: decisions are made on runs; name a run as A")


def _tell_problems(comparison: Comparison, output: Output) -> None:
    told = dict.fromkeys((*comparison.problems_a, *comparison.problems_b))
    for problem in told:
        mark = "" if problem.kind is ProblemKind.LOST else "note: "
        output.note(f"{mark}{problem.where}: {problem.what}")


def _chunks(found: Comparing, args: Namespace, columns: int) -> Iterator[str]:
    if args.format == "json":
        yield from comparison_json(found.comparison, found.text_of)
        return
    lines = comparison_text(found.comparison, found.text_of, columns, everything=args.all)
    for line in lines:
        yield f"{visible(line)}\n"


COMMAND = Command("compare", "compare two versions, stores, runs or calls", _configure, _run)
