"""``reread reread``: print an exact selection after its hash was checked."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from dataclasses import replace

from reviewer.cli._auditing import names_any
from reviewer.cli._command import Command, Context, UsageError
from reviewer.cli._exit import Exit
from store.records.runs import ProblemKind
from store.records.sources import Selection
from store.records.text import Span, Unit
from store.references import Reference, ReferenceSyntaxError, parse
from store.results import RefusedError

__all__ = ["COMMAND"]

_HALF_OPEN = re.compile(r"([0-9]{1,18}):([0-9]{1,18})")
_LINES = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "store", metavar="STORE", help="a run folder, its store, a folder of texts, or a trace"
    )
    parser.add_argument(
        "reference", metavar="REF", help="SOURCE, SOURCE@VERSION or SOURCE@VERSION[PLACE]"
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--span", metavar="S:E", help="characters from S up to, not including, E")
    place.add_argument("--rows", metavar="S:E", help="rows of a table, counted from 0")
    place.add_argument("--block", metavar="ID", help="one block, its id whole")
    place.add_argument("--lines", metavar="A-B", help="lines from A to B, counted from 1")
    parser.add_argument("--fields", metavar="A,B", help="with --rows: only these fields")


def _run(args: Namespace, context: Context) -> int:
    reference = _asked(args)
    found = context.services.open_store(args.store)
    asked = [reference.selection.source_id]
    for problem in found.problems:
        # What is wrong elsewhere in the store is no news for one who asks for this source.
        if problem.kind is ProblemKind.LOST or names_any(problem, asked):
            context.output.note(f"{problem.where}: {problem.what}")
    try:
        result = found.results.reread(reference)
    except RefusedError as refused:
        lost = any(problem.kind is ProblemKind.LOST for problem in found.problems)
        # Not found where something could not be read is not the same as not there.
        where = " in what of the store could be read" if lost else ""
        context.output.note(f"{args.reference}: refused: {refused}{where}")
        return Exit.UNDECIDED
    checked = "its SHA-256 was checked" if result.exact else "no hash could be checked"
    note = f"; {result.note}" if result.note else ""
    context.output.note(f"{result.reference}: {len(result.text)} characters, {checked}{note}")
    context.output.exact(result.text)
    return Exit.OK


def _asked(args: Namespace) -> Reference:
    """Return the reference with the place that the options name."""
    try:
        reference = parse(args.reference)
    except ReferenceSyntaxError as error:
        raise UsageError(f"{args.reference}: {error}") from error
    place = _place(args, reference.selection)
    if place is None:
        return reference
    held = reference.selection
    if held.ranges or held.blocks or held.fields is not None:
        raise UsageError(f"{args.reference}: it names a place already; leave the option away")
    return replace(reference, selection=place)


def _place(args: Namespace, held: Selection) -> Selection | None:
    fields = tuple(args.fields.split(",")) if args.fields is not None else None
    if fields is not None and args.rows is None:
        raise UsageError("--fields names fields of rows: give --rows S:E too")
    if args.span is not None:
        return replace(held, unit=Unit.CHAR, ranges=(_range("--span", args.span),))
    if args.rows is not None:
        return replace(held, unit=Unit.ROW, ranges=(_range("--rows", args.rows),), fields=fields)
    if args.block is not None:
        return replace(held, unit=Unit.BLOCK, blocks=(args.block,))
    if args.lines is not None:
        return replace(held, unit=Unit.LINE, ranges=(_line_range(args.lines),))
    return None


def _range(option: str, text: str) -> Span:
    found = _HALF_OPEN.fullmatch(text)
    if found is None or int(found[1]) > int(found[2]):
        raise UsageError(
            f"{option} {text}: two numbers are needed, such as 0:50, the first smaller"
        )
    return Span(int(found[1]), int(found[2]))


def _line_range(text: str) -> Span:
    found = _LINES.fullmatch(text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UsageError(f"--lines {text}: two lines from 1 on are needed, such as 3-9")
    return Span(int(found[1]), int(found[2]) + 1)


COMMAND = Command("reread", "print an exact selection after its hash was checked", _configure, _run)
