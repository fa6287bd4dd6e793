"""The bill of a run as rows and as heights: what each request held, and what was paid so far.

What was not counted or not reported is a dash with the reason, never a zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from reviewer.display import one_line
from reviewer.filter.columns import Column, Columns, Kind, by_name
from reviewer.window.i18n import tr, trn
from reviewer.window.place import Place
from reviewer.window.presenters.bill_words import change_words, kind_word
from reviewer.window.presenters.tables import NOTHING, Cell, Heading, Row, Table, cell
from reviewer.window.presenters.words import grade_meaning, grade_word
from store.records.bills import Bill, BillKind, CallBill
from store.records.findings import Audit
from store.records.grades import Grade

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["BillColumn", "BillTable", "Heights", "call_words", "heights", "summary"]

_GRADES = tuple(reversed([grade.value for grade in Grade]))
_KINDS = tuple(BillKind)


class BillColumn(IntEnum):
    """The columns; their names in lower case are their words in a filter."""

    CALL = 0
    RESIDENT = 1
    NEW = 2
    PAID = 3
    REPORTED = 4
    CACHED = 5
    BEYOND = 6
    PREFIX = 7
    KINDS = 8
    GRADE = 9


class Heights(NamedTuple):
    """What the picture shows: tokens by call and `BillKind` in their order; -1 where unknown."""

    resident: NDArray[np.int64]
    reported: NDArray[np.int64]
    broken: tuple[bool, ...]
    grades: tuple[Grade, ...]

    @property
    def paid(self) -> NDArray[np.int64]:
        """The tokens of all requests up to each call."""
        return self.resident.cumsum(axis=0)

    @property
    def paid_reported(self) -> NDArray[np.int64]:
        """The reported tokens up to each call, -1 from the first call on that reports none."""
        known = (self.reported < 0).cumsum() == 0
        sums: NDArray[np.int64] = self.reported.cumsum()
        sums[~known] = -1
        return sums


def heights(bill: Bill) -> Heights:
    """Return the figures of the picture of *bill*."""
    import numpy as np  # noqa: PLC0415 - takes a while to load, and a start page needs none

    resident = np.zeros((len(bill.calls), len(_KINDS)), np.int64)
    places = {kind: at for at, kind in enumerate(_KINDS)}
    for row, call in enumerate(bill.calls):
        for kind, tokens in call.by_kind.items():
            resident[row, places[kind]] = tokens
    reported = np.array([call.usage.input_tokens or -1 for call in bill.calls], np.int64)
    return Heights(
        resident,
        reported,
        tuple(call.broken is not None for call in bill.calls),
        tuple(call.grade for call in bill.calls),
    )


class BillTable(Table):
    """One row for each call."""

    def __init__(self, audit: Audit, run: int = 0) -> None:
        super().__init__()
        self.bill = audit.bill
        self.run = run
        numbers = ("resident", "new", "paid", "reported", "cached", "beyond")
        self._columns = by_name(
            [
                Column("call", Kind.NUMBER),
                *(Column(name, Kind.NUMBER) for name in numbers),
                Column("prefix", Kind.TEXT, searched=True),
                Column("kinds", Kind.TEXT, tuple(kind.value for kind in _KINDS), searched=True),
                Column("grade", Kind.ORDER, _GRADES),
            ]
        )

    @property
    def columns(self) -> Columns:
        """What the filter knows of the columns."""
        return self._columns

    def headings(self) -> Sequence[Heading]:
        """Return the columns in the order of `BillColumn`."""
        titles = (
            tr("Call"),
            tr("In the request"),
            tr("New in it"),
            tr("Paid so far"),
            tr("Reported"),
            tr("From the cache"),
            tr("Beyond the text"),
            tr("Shared prefix"),
            tr("Made up of"),
            tr("Proof"),
        )
        return [
            Heading(column.name.lower(), title, right=column < BillColumn.PREFIX)
            for column, title in zip(BillColumn, titles, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.bill.calls)

    def row_of(self, place: Place) -> int | None:
        """Return the row of the call at *place*."""
        if place.call is None or not self.bill.calls:
            return None
        row = place.call - self.bill.calls[0].call
        return row if 0 <= row < len(self) else None

    def place(self, row: int) -> Place:
        """Return the call of a row."""
        return Place(run=self.run, call=self.bill.calls[row].call, tab="bill")

    def values(self, column: str) -> Sequence[str | int | None]:
        """Return one column whole."""
        return [self.value(row, column) for row in range(len(self))]

    def value(self, row: int, column: str) -> str | int | None:
        """Return one value; ``None`` for what is not known."""
        call = self.bill.calls[row]
        known: dict[str, str | int | None] = {
            "call": call.call,
            "resident": call.resident,
            "new": call.new,
            "paid": call.cumulative,
            "reported": call.usage.input_tokens or None,
            "cached": call.usage.cache_read_tokens,
            "beyond": call.unaccounted,
            "prefix": None if call.broken is None else call.broken.change.value,
            "kinds": " ".join(kind.value for kind in call.by_kind) or None,
            "grade": call.grade.value,
        }
        return known[column]

    def make(self, row: int) -> Row:
        """Make a row in the present language."""
        call = self.bill.calls[row]
        encoding = self.bill.encoding
        estimate = tr("Estimated with {encoding}", encoding=encoding) if encoding else ""
        uncounted = estimate or tr("not counted")
        return Row(
            (
                cell(str(call.call)),
                cell(_number(call.resident), more=uncounted),
                cell(_number(call.new), more=uncounted),
                cell(_number(call.cumulative), more=uncounted),
                _reported(call),
                _optional(call.usage.cache_read_tokens),
                _beyond(call),
                _prefix(call),
                cell(_kinds(call) or NOTHING),
                Cell(grade_word(call.grade), grade_meaning(call.grade)),
            )
        )


def _number(value: int | None) -> str:
    return NOTHING if value is None else f"{value:,}"


def _optional(value: int | None) -> Cell:
    return cell(_number(value), more="" if value is not None else tr("not reported"))


def _reported(call: CallBill) -> Cell:
    value = call.usage.input_tokens
    if value == 0:
        return cell(
            NOTHING, more=tr("The record says 0: nothing was measured, no request is empty.")
        )
    if call.holds is False:
        sign = tr("✗ {n}", n=_number(value))
        return cell(sign, tone="bad", more=tr("Fewer tokens than the text shown needs"))
    return _optional(value)


def _beyond(call: CallBill) -> Cell:
    if call.unaccounted is None:
        return cell(NOTHING, more=tr("not known: no tokens were reported or counted"))
    more = tr("Tool definitions, overhead, what is not in the record, and another tokenizer")
    return cell(f"{call.unaccounted:+,}", more=more)


def _prefix(call: CallBill) -> Cell:
    if call.broken is not None:
        return cell(f"✂ {change_words(call.broken)}", tone="bad", more=call_words(call))
    if call.call == 1:
        return cell(NOTHING, more=tr("There is no request before it."))
    if not call.continues:
        return cell(tr("↺ begins anew"), more=tr("It does not go on from the request before."))
    return cell(tr("= kept"))


def _kinds(call: CallBill) -> str:
    """Return what a request is made up of, the most first."""
    ranked = sorted(call.by_kind.items(), key=lambda each: -each[1])
    return tr(", ").join(f"{kind_word(kind)} {tokens:,}" for kind, tokens in ranked)


# -- in words ------------------------------------------------------------------------------


def call_words(call: CallBill) -> str:
    """Return what is known of one call, as sentences on lines of their own."""
    return "\n".join(_of_call(call))


def _of_call(call: CallBill) -> Iterator[str]:
    if call.resident is None:
        yield tr("Call {call}: its tokens were not counted.", call=call.call)
    else:
        yield tr(
            "Call {call}: {resident} tokens in its request, {new} of them new; {paid} paid so far.",
            call=call.call,
            resident=_number(call.resident),
            new=_number(call.new),
            paid=_number(call.cumulative),
        )
        if call.by_kind:
            yield tr("Made up of: {kinds}.", kinds=_kinds(call))
    value = call.usage.input_tokens
    if value:
        beyond = "" if call.unaccounted is None else f" ({call.unaccounted:+,})"
        yield tr("Reported: {n} input tokens{beyond}.", n=_number(value), beyond=beyond)
    else:
        yield tr("What it used is not reported.")
    if call.opaque_parts:
        yield trn(
            "{n} part that is no text is not counted.",
            "{n} parts that are no text are not counted.",
            call.opaque_parts,
        )
    yield from _of_break(call)


def _of_break(call: CallBill) -> Iterator[str]:
    broken = call.broken
    if broken is None:
        return
    yield tr(
        "✂ The shared prefix broke at byte {byte} of {all} (message {message}): {what}.",
        byte=_number(broken.byte),
        all=_number(broken.before_bytes),
        message=broken.message,
        what=change_words(broken),
    )
    if broken.results:
        ids = tr(", ").join(one_line(each) for each in broken.results)
        yield tr("Results that changed: {ids}.", ids=ids)
    if broken.resent_tokens is not None:
        yield trn(
            "{n} token behind it was sent again.",
            "{n} tokens behind it were sent again.",
            broken.resent_tokens,
        )


def summary(bill: Bill) -> str:
    """Return what the run cost, in a few sentences."""
    return " ".join(_of_run(bill))


def _of_run(bill: Bill) -> Iterator[str]:
    if not bill.calls:
        return
    if not bill.encoding:
        yield tr("Tokens were not counted.")
    else:
        yield tr(
            "Estimated with {encoding}: all requests together hold {paid} tokens, {new} of them "
            "sent for the first time.",
            encoding=bill.encoding,
            paid=_number(bill.cumulative),
            new=_number(bill.new),
        )
    if bill.reported:
        total = sum(call.usage.input_tokens or 0 for call in bill.reported)
        yield tr(
            "Reported: {n} input tokens in {some} of {all} calls.",
            n=_number(total),
            some=len(bill.reported),
            all=len(bill.calls),
        )
        if len(bill.reported) < len(bill.calls):
            yield tr("What the others used is not known.")
    else:
        yield tr("No call reports what it used.")
    if bill.broken:
        yield trn(
            "The shared prefix broke once (✂).",
            "The shared prefix broke {n} times (✂).",
            len(bill.broken),
        )
    if bill.unproven:
        yield trn(
            "What one request held is not proven.",
            "What {n} requests held is not proven.",
            len(bill.unproven),
        )
