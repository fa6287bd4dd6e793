"""The calls of a run as rows: what the model asked for, and in which form it came back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

from reviewer.display import one_line
from reviewer.filter.columns import Column, Columns, Kind, by_name
from reviewer.window.i18n import tr, tr_message
from reviewer.window.place import Place
from reviewer.window.presenters.positions import call_position
from reviewer.window.presenters.tables import NOTHING, Cell, Heading, Row, Table, cell
from reviewer.window.presenters.words import grade_meaning, grade_word
from store.records.findings import Audit, Outcome, PlaceholderFacts, PlaceholderKind, Tokens
from store.records.grades import Grade

__all__ = ["CallColumn", "CallTable"]


class CallColumn(IntEnum):
    """The columns; their names in lower case are their words in a filter."""

    CALL = 0
    TOOL = 1
    FORM = 2
    TOKENS = 3
    MESSAGES = 4
    GRADE = 5
    MODEL = 6


_FORMS = {
    Outcome.DELIVERED: "full",
    Outcome.TRUNCATED: "truncated",
    Outcome.PLACEHOLDER: "placeholder",
    Outcome.REFUSED: "refused",
    Outcome.FAILED: "failed",
    Outcome.UNDELIVERED: "undelivered",
}
_LISTING, _OPEN = "listing", "open"
_GRADES = tuple(reversed([grade.value for grade in Grade]))


class _Came(NamedTuple):
    """One tool call: its id, the tool, the forms of what came back, and what became of it."""

    id: str
    tool: str
    forms: tuple[str, ...]
    later: tuple[PlaceholderFacts, ...]


class CallTable(Table):
    """One row for each call, with the tool calls that its response made."""

    def __init__(self, audit: Audit, run: int = 0) -> None:
        super().__init__()
        self.audit = audit
        self.run = run
        self._came = _tool_calls(audit)
        self._edits = _edits(audit)
        tools = sorted({came.tool for all_ in self._came.values() for came in all_ if came.tool})
        models = dict.fromkeys(call.model for call in audit.calls if call.model)
        self._columns = by_name(
            [
                Column("call", Kind.NUMBER),
                Column("tool", Kind.TEXT, tuple(tools), searched=True),
                Column("form", Kind.TEXT, (*_FORMS.values(), _LISTING, _OPEN), searched=True),
                Column("tokens", Kind.NUMBER),
                Column("messages", Kind.NUMBER),
                Column("grade", Kind.ORDER, _GRADES),
                Column("model", Kind.TEXT, tuple(models), searched=True),
            ]
        )

    @property
    def columns(self) -> Columns:
        """What the filter knows of the columns."""
        return self._columns

    def headings(self) -> Sequence[Heading]:
        """Return the columns in the order of `CallColumn`."""
        titles = (
            tr("Call"),
            tr("Tool calls"),
            tr("Came back"),
            tr("Tokens"),
            tr("Messages"),
            tr("Proof"),
            tr("Model"),
        )
        right = {CallColumn.CALL, CallColumn.TOKENS, CallColumn.MESSAGES}
        return [
            Heading(column.name.lower(), title, right=column in right)
            for column, title in zip(CallColumn, titles, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.audit.calls)

    def row_of(self, place: Place) -> int | None:
        """Return the row of the call at *place*."""
        if place.call is None or not self.audit.calls:
            return None
        row = place.call - self.audit.calls[0].index
        return row if 0 <= row < len(self) else None

    def place(self, row: int) -> Place:
        """Return where the request of the call is shown."""
        return call_position(self.run, self.audit.calls[row].index)

    def values(self, column: str) -> Sequence[str | int | None]:
        """Return one column whole."""
        return [self.value(row, column) for row in range(len(self))]

    def value(self, row: int, column: str) -> str | int | None:  # noqa: PLR0911 - a table
        """Return one value; several tools or forms of one call stand beside each other."""
        facts = self.audit.calls[row]
        came = self._came.get(facts.index, ())
        match column:
            case "call":
                return facts.index
            case "tool":
                return " ".join(each.tool for each in came) or None
            case "form":
                forms = dict.fromkeys(form for each in came for form in each.forms)
                return " ".join(forms) or None
            case "tokens":
                return facts.tokens.estimated
            case "messages":
                return facts.messages
            case "grade":
                return facts.grade.value
            case _:
                return facts.model or None

    def make(self, row: int) -> Row:
        """Make a row in the present language."""
        facts = self.audit.calls[row]
        came = self._came.get(facts.index, ())
        tokens = facts.tokens.estimated
        told = (facts.grade_reason, *self._edits.get(facts.index, ()))
        lines = [grade_meaning(facts.grade), *(one_line(tr_message(text)) for text in told)]
        reason = "\n".join(lines).strip()
        return Row(
            (
                cell(str(facts.index), more=facts.id),
                cell(", ".join(each.tool or tr("no name") for each in came) or NOTHING),
                _came_cell(came),
                cell(NOTHING if tokens is None else f"{tokens:,}", more=_counted(facts.tokens)),
                cell(f"{facts.messages:,}"),
                Cell(grade_word(facts.grade), reason),
                cell(facts.model or NOTHING),
            )
        )


def _edits(audit: Audit) -> dict[int, list[str]]:
    """Return what was changed in the request of each call, as its record says it."""
    found: dict[int, list[str]] = {}
    for edit in audit.run.edits:
        if edit.before_call is not None and edit.reason:
            found.setdefault(edit.before_call, []).append(edit.reason)
    return found


def _counted(tokens: Tokens) -> str:
    if tokens.estimated is None:
        return tr("not counted")
    return tr("Estimated with {encoding}", encoding=tokens.encoding)


def _tool_calls(audit: Audit) -> dict[int, tuple[_Came, ...]]:
    """Return the tool calls that each call made, in the order of the record."""
    outcomes: dict[str, list[str]] = defaultdict(list)
    for read in audit.reads:
        outcomes[read.tool_call_id].append(_FORMS[read.outcome])
    later: dict[str, list[PlaceholderFacts]] = defaultdict(list)
    for facts in audit.placeholders:
        later[facts.tool_call_id].append(facts)
    listings = {manifest.tool_call_id for manifest in audit.run.manifests}
    found: dict[int, list[_Came]] = defaultdict(list)
    for call in audit.run.tool_calls:
        if call.by_call is None:
            continue
        forms = tuple(dict.fromkeys(outcomes.get(call.id, ())))
        forms = forms or ((_LISTING,) if call.id in listings else (_OPEN,))
        found[call.by_call].append(_Came(call.id, call.name, forms, tuple(later.get(call.id, ()))))
    return {call: tuple(made) for call, made in found.items()}


def _came_cell(came: Iterable[_Came]) -> Cell:
    words: list[str] = []
    tips: list[str] = []
    for each in came:
        for form in each.forms:
            words.append(_form_words(form))
            tips.append(f"{one_line(each.tool)} ({one_line(each.id)}): {_form_meaning(form)}")
        tips += [_fate(facts) for facts in each.later]
    return Cell(", ".join(words) or NOTHING, "\n".join(tips))


def _form_words(form: str) -> str:
    return {
        "full": tr("● full"),
        "truncated": tr("◐ truncated"),
        "placeholder": tr("▢ placeholder"),
        "refused": tr("⊘ refused"),
        "failed": tr("✗ failed"),
        "undelivered": tr("○ not delivered"),
        "listing": tr("☰ listing"),
    }.get(form, tr("? not judged"))


def _form_meaning(form: str) -> str:
    return {
        "full": tr("all that was asked for stood in the next request that holds it"),
        "truncated": tr("some of what was asked for stood in the request"),
        "placeholder": tr("none of what was asked for stood in the request"),
        "refused": tr("a budget kept the result out"),
        "failed": tr("the tool failed"),
        "undelivered": tr("no request holds the result"),
        "listing": tr("a listing of what there is, not its text"),
    }.get(form, tr("the record does not say what of it was a read"))


def _fate(facts: PlaceholderFacts) -> str:
    """Return what stands in the place of a result, since when, and whether it came again."""
    kind = {
        PlaceholderKind.CLEARED: tr("cleared"),
        PlaceholderKind.FOLDED: tr("folded to a reference"),
        PlaceholderKind.PERSISTED: tr("moved to a file"),
        PlaceholderKind.TRUNCATED: tr("cut short"),
        PlaceholderKind.COMPACTED: tr("compacted into a summary"),
        PlaceholderKind.REFUSED: tr("refused by a budget"),
    }[facts.kind]
    if facts.first_call is None:
        parts = [tr("{kind}, the time is not recorded", kind=kind)]
    else:
        parts = [tr("{kind} from call {call} on", kind=kind, call=facts.first_call)]
    if facts.last_full_call is None:
        parts.append(tr("in no request as a whole"))
    else:
        parts.append(tr("whole for the last time in call {call}", call=facts.last_full_call))
    if facts.reread_at_call is not None:
        parts.append(tr("given again in call {call}", call=facts.reread_at_call))
    return "    " + ", ".join(parts)
