"""``reread bill``: tokens resident in each request and paid for so far, call by call."""

from __future__ import annotations

import csv
import io
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence

from reviewer import __version__
from reviewer.cli._auditing import Account
from reviewer.cli._command import Command, Context
from reviewer.cli._runs import add_run_option, asked
from reviewer.display import indented, one_line, wrap
from reviewer.reports import (
    RETENTION_HEADINGS,
    bill_rows,
    bill_sentences,
    bill_summary,
    break_words,
    dumps,
    grade_words,
    problem_record,
    repeat_words,
    retention_cells,
    retention_records,
)
from store.records.bills import Bill, BillKind, CallBill, Saving
from store.records.findings import Audit

__all__ = ["COMMAND"]

_SCHEMA = "reread.bill/1"
_LIMIT = 20
"""Savings and repeats listed without ``--all``; the calls are what was asked for, and all there."""

_LETTERS = {
    BillKind.SYSTEM: "s",
    BillKind.INSTRUCTION: "i",
    BillKind.DOCUMENT: "d",
    BillKind.TOOL_RESULT: "t",
    BillKind.PLACEHOLDER: "p",
    BillKind.SUMMARY: "u",
    BillKind.ANSWER: "a",
    BillKind.TOOL_CALL: "c",
    BillKind.REASONING: "r",
    BillKind.OTHER: "o",
}
_LEAST_BAR = 16
_HEADINGS = ("call", "grade", "resident", "paid so far", "results", "reported", "beyond")
_COLUMNS = (
    "resident: tokens of text in the request; paid so far: in all requests up to this one; "
    "results: of tools, in the request; reported: input tokens in the record; beyond: reported and "
    "not in sight. A dash stands for what is not known."
)
_INDENT = "      "


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="a run folder, a trace file, a folder of runs, or -",
    )
    parser.add_argument("--store", metavar="DIR", help="a store with evidence that lies elsewhere")
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="the policy of what may be taken away (default: reread.toml in the working folder)",
    )
    add_run_option(parser)
    parser.add_argument(
        "--format", choices=["csv", "json", "text"], default="text", help="how it is written"
    )
    parser.add_argument("--all", action="store_true", help="shorten no list of results")


def _run(args: Namespace, context: Context) -> int:
    account = Account(context.output, only_lost=True)
    found = context.services.audit(args.paths, args.store, only=args.run_id, config=args.config)
    audits = account.audits(asked(found, args.paths, args.run_id))
    if args.format == "json":
        runs = [_record(audit) for audit in audits]
        problems = [problem_record(problem) for problem in account.problems]
        tool = {"name": "reread", "version": __version__}
        record = {"schema": _SCHEMA, "tool": tool, "runs": runs, "problems": problems}
        context.output.result([dumps(record), "\n"])
    elif args.format == "csv":
        context.output.lines(_csv(audits))
    else:
        for audit in audits:
            limit = None if args.all else _LIMIT
            context.output.lines(_lines(audit, context.output.columns, limit))
    return account.status(args.paths)


def _record(audit: Audit) -> dict[str, object]:
    return {
        "run_id": audit.run.run_id,
        "title": audit.run.title,
        "path": audit.run.path,
        "grade": audit.run.grade.value,
        "problems": [problem_record(problem) for problem in audit.run.problems],
        "bill": bill_rows(audit.bill),
        "bill_summary": bill_summary(audit.bill),
        "retention": retention_records(audit.retention),
    }


# -- CSV -----------------------------------------------------------------------------------

_FORMULA = ("=", "+", "-", "@")


def _csv(audits: Iterable[Audit]) -> Iterator[str]:
    """Yield one line for each call of each run; what was not counted or reported is empty."""
    kinds = [kind.value for kind in BillKind]
    plain = [
        *("call", "grade", "resident_tokens", "cumulative_tokens", "new_tokens"),
        *("reported_input", "reported_output", "reported_cache_read", "reported_cache_write"),
        *("unaccounted_tokens", "reported_holds_text", "opaque_parts", "opaque_bytes"),
        *("continues", "shared_prefix_bytes"),
    ]
    broken = ("byte", "resent_bytes", "resent_tokens")
    yield _csv_line(
        [*("run_id", "path"), *plain, *kinds, "prefix_change", *(f"prefix_{b}" for b in broken)]
    )
    for audit in audits:
        run = [one_line(audit.run.run_id), one_line(audit.run.path)]
        for call, row in zip(audit.bill.calls, bill_rows(audit.bill), strict=True):
            counted = [
                call.by_kind.get(kind, 0) if audit.bill.encoding else "" for kind in BillKind
            ]
            change = "" if call.broken is None else call.broken.change.value
            at = ["" if call.broken is None else getattr(call.broken, name) for name in broken]
            yield _csv_line([*run, *(row[name] for name in plain), *counted, change, *at])


def _csv_line(values: Sequence[object]) -> str:
    """Return a line; no text in it is taken for a formula by a spreadsheet."""
    held = io.StringIO()
    shown = ["" if value is None else value for value in values]
    csv.writer(held, lineterminator="").writerow(
        f"'{v}" if isinstance(v, str) and v.startswith(_FORMULA) else v for v in shown
    )
    return held.getvalue()


# -- text ----------------------------------------------------------------------------------


def _lines(audit: Audit, columns: int, limit: int | None) -> Iterator[str]:
    yield one_line(f"Run {audit.run.title or audit.run.run_id} · {audit.run.path}")
    yield from wrap(one_line(grade_words(audit)), columns)
    bill = audit.bill
    if not bill.calls:
        yield "This run has no model calls."
        yield ""
        return
    for sentence in bill_sentences(bill) if bill.encoding else ():
        yield from indented(one_line(sentence), "", columns)
    yield ""
    yield from _table(bill, columns)
    yield from _savings(bill, columns, limit)
    yield from _repeats(bill, columns, limit)
    yield from _tools(audit, columns)
    yield ""


def _table(bill: Bill, columns: int) -> Iterator[str]:
    cells = [_cells(call) for call in bill.calls]
    sizes = [max(map(len, column)) for column in zip(_HEADINGS, *cells, strict=True)]
    room = max(_LEAST_BAR, columns - sum(sizes) - 2 * len(sizes) - 2)
    most = max((call.resident or 0 for call in bill.calls), default=0)
    yield f"  {_row(_HEADINGS, sizes)}  in the request"
    yield f"  {'  '.join('─' * size for size in sizes)}  {'─' * room}"
    for call, row in zip(bill.calls, cells, strict=True):
        yield f"  {_row(row, sizes)}  {_bar(call, most, room)}".rstrip()
        for told in _told(call):
            yield from indented(one_line(told), _INDENT, columns)
    yield from indented(_COLUMNS, "  ", columns)
    used = [kind for kind in BillKind if bill.calls[-1].cumulative_by_kind.get(kind)]
    legend = ", ".join(f"{_LETTERS[kind]} {kind.value.replace('_', ' ')}" for kind in used)
    if legend:
        yield from indented(f"Bars: {legend}; a full bar is {most:,} tokens.", "  ", columns)


def _cells(call: CallBill) -> tuple[str, ...]:
    results = call.by_kind.get(BillKind.TOOL_RESULT, 0) if call.resident is not None else None
    numbers = (
        call.resident, call.cumulative, results, call.usage.input_tokens, call.unaccounted
    )  # fmt: skip
    shown = ("–" if number is None else f"{number:,}" for number in numbers)
    return (str(call.call), call.grade.value, *shown)


def _row(cells: Sequence[str], sizes: Sequence[int]) -> str:
    """Return a row: numbers to the right, the grade to the left."""
    return "  ".join(
        cell.ljust(size) if place == 1 else cell.rjust(size)
        for place, (cell, size) in enumerate(zip(cells, sizes, strict=True))
    )


def _bar(call: CallBill, most: int, room: int) -> str:
    """Return a bar of letters: as long as the request is beside the largest, in parts by kind."""
    if not most:
        return ""
    ends, total = [], 0
    for kind, tokens in call.by_kind.items():
        total += tokens
        ends.append((kind, round(total * room / most)))
    if total and not ends[-1][1]:
        return _LETTERS[max(call.by_kind, key=lambda kind: call.by_kind[kind])]
    starts = [0, *(end for _, end in ends)]
    return "".join(
        _LETTERS[kind] * (end - start) for start, (kind, end) in zip(starts, ends, strict=False)
    )


def _told(call: CallBill) -> Iterator[str]:
    """Yield what is worth saying of one call."""
    if call.broken:
        cached = call.usage.cache_read_tokens
        rest = "" if cached is None else f"; reported as read from the cache: {cached:,} tokens"
        yield break_words(call.broken) + rest
    elif call.call > 1 and not call.continues:
        yield "this request does not go on from the one before"
    if call.holds is False:
        yield "the reported tokens cannot hold the text shown: the model was given less"
    if call.usage.input_tokens == 0:
        yield "0 reported tokens count as none reported: no request is empty"
    if call.opaque_parts:
        yield (
            f"{call.opaque_parts} parts that are no text ({call.opaque_bytes:,} bytes recorded) "
            "are not counted"
        )


def _savings(bill: Bill, columns: int, limit: int | None) -> Iterator[str]:
    if not bill.savings:
        return
    held = sorted(bill.savings, key=lambda one: -one.tokens)
    yield f"\n  Results that did not stay whole ({len(held)})"
    for one in held[:limit]:
        name = one_line(one.source_id or one.tool_call_id)
        yield from indented(f"{name}: {_saved(one)}", "  ", columns, [name])
    yield from _more(len(held), limit)


def _saved(one: Saving) -> str:
    # What stands in the place of a short result can cost more than the result did.
    gain = f"saved {one.tokens:,}" if one.tokens >= 0 else f"cost {-one.tokens:,} more"
    since = "never stood whole; " if one.kept_out else ""
    return (
        f"{since}{one.kind.value} from call {one.first_call} on, {one.original_tokens:,} tokens, "
        f"{one.stand_in_tokens:,} in its place; {gain} in {one.calls} "
        f"{'request' if one.calls == 1 else 'requests'} (grade {one.grade.value})"
    )


def _repeats(bill: Bill, columns: int, limit: int | None) -> Iterator[str]:
    if not bill.repeats:
        return
    yield f"\n  Text that came again ({len(bill.repeats)})"
    for one in bill.repeats[:limit]:
        name = one_line(one.version.source_id)
        yield from indented(one_line(repeat_words(one)), "  ", columns, [name])
    yield from _more(len(bill.repeats), limit)


_OF_TOOLS = (
    "results: of the tool, in some request; stayed: whole to the end; taken: cleared, folded, "
    "saved or compacted; from: the first call without one; again: of those, read again; cut: cut "
    "or refused as it came; ?: the record cannot say. The policy is that of [retention] in "
    "reread.toml."
)


def _tools(audit: Audit, columns: int) -> Iterator[str]:
    """Yield what became of the results of each tool."""
    rows = [tuple(map(one_line, retention_cells(one))) for one in audit.retention if one.results]
    if not rows:
        return
    sizes = [max(map(len, column)) for column in zip(RETENTION_HEADINGS, *rows, strict=True)]
    yield f"\n  What became of the results of each tool ({len(rows)})"
    for row in (RETENTION_HEADINGS, *rows):
        words = [cell.ljust(size) for cell, size in zip(row[:2], sizes, strict=False)]
        counts = [cell.rjust(size) for cell, size in zip(row[2:], sizes[2:], strict=True)]
        yield f"  {'  '.join([*words, *counts])}"
    yield from indented(_OF_TOOLS, "  ", columns)


def _more(count: int, limit: int | None) -> Iterator[str]:
    if limit is not None and count > limit:
        yield f"  … {count - limit} more of {count}; --all or --format json shows them"


COMMAND = Command("bill", "show what each request cost in tokens", _configure, _run)
