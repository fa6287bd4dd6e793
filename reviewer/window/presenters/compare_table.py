"""What a comparison found, as rows: cited texts and their fates first, then everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from reviewer.audit.rules import rules
from reviewer.display import one_line
from reviewer.filter.columns import Column, Columns, Kind, by_name
from reviewer.window.i18n import tr, trn
from reviewer.window.place import Place
from reviewer.window.presenters.compare_decided import DecidedOn
from reviewer.window.presenters.compare_words import (
    change_words,
    doubt_words,
    fate_sign,
    fate_tone,
    fate_word,
    fate_words,
    matched_words,
    obstacle_words,
    place_words,
    source_words,
)
from reviewer.window.presenters.tables import Heading, Row, Table, cell
from reviewer.window.presenters.words import part_kind_word, recorded_word, verdict_word
from store.records.comparisons import (
    AnswerDifference,
    CallComparison,
    CallDifference,
    CitationDifference,
    Comparison,
    DecisionFate,
    FindingDifference,
    ReadDifference,
    RequestPiece,
    RunComparison,
    StoreComparison,
    VersionComparison,
)
from store.records.differences import Change, Doubt, Fate, SourceChange, SourceDifference
from store.records.runs import PartKind

__all__ = ["CompareItem", "CompareTable"]

_KINDS = (
    *("citation", "decision", "source", "reading", "answer", "call", "placeholder"),
    *("edit", "finding", "part", "doubt"),
)
_CHANGES = tuple(
    dict.fromkeys(
        [
            *(change.value for change in Change),
            *(change.value for change in SourceChange),
            *(fate.value for fate in Fate),
            *("free", "held"),
        ]
    )
)


@dataclass(frozen=True, slots=True)
class CompareItem:
    """One row: ``told`` gives sign, colour, word, name and detail in the present language.

    ``source``, ``citation`` and ``piece`` are what its texts are found by.
    """

    kind: str
    change: str
    told: Callable[[], tuple[str, str, str, str, str]]
    source: SourceDifference | None = None
    citation: CitationDifference | None = None
    piece: RequestPiece | None = None

    @property
    def same(self) -> bool:
        """Whether nothing became another."""
        return self.change in ("same", "unchanged")


class CompareTable(Table):
    """The rows of one comparison: what differs before what is the same, within each kind."""

    def __init__(
        self, comparison: Comparison, about: Mapping[str, DecidedOn] | None = None
    ) -> None:
        """Take a comparison; *about* says for each decision on A what it is, by its event."""
        super().__init__()
        items = list(_items(comparison, about or {}))
        items.sort(key=lambda item: (item.same, _KINDS.index(item.kind)))
        self.items = tuple(items)

    @property
    def columns(self) -> Columns:
        """What the filter knows of the columns."""
        return by_name(
            [
                Column("kind", Kind.CHOICE, _KINDS),
                Column("change", Kind.CHOICE, _CHANGES),
                Column("name", Kind.TEXT, searched=True),
                Column("detail", Kind.TEXT, searched=True),
            ]
        )

    def headings(self) -> Sequence[Heading]:
        """Return the columns in their order."""
        titles = (tr("Kind"), tr("Change"), tr("What"), tr("Detail"))
        return [Heading(n, t) for n, t in zip(self.columns, titles, strict=True)]

    def __len__(self) -> int:
        return len(self.items)

    def values(self, column: str) -> Sequence[str | int | None]:
        """Return one column whole."""
        return [self.value(row, column) for row in range(len(self))]

    def value(self, row: int, column: str) -> str | int | None:
        """Return one value as the filter compares it."""
        item = self.items[row]
        if column in ("kind", "change"):
            return item.kind if column == "kind" else item.change
        _sign, _tone, _word, name, detail = item.told()
        return name if column == "name" else detail

    def place(self, row: int) -> Place:  # noqa: ARG002 - which run a row leads to, the view knows
        """Return no place: what a row leads to is a text of the comparison."""
        return Place()

    def make(self, row: int) -> Row:
        """Make a row in the present language."""
        item = self.items[row]
        sign, tone, word, name, detail = item.told()
        return Row(
            (
                cell(_kind_word(item.kind), more=item.kind),
                cell(f"{sign} {word}", tone=tone, more=item.change),
                cell(name),
                cell(detail),
            )
        )


def _kind_word(kind: str) -> str:
    return {
        "citation": tr("cited text"),
        "decision": tr("decision on A"),
        "source": tr("source"),
        "reading": tr("given text"),
        "answer": tr("answer"),
        "call": tr("call"),
        "placeholder": tr("placeholder"),
        "edit": tr("edit"),
        "finding": tr("finding"),
        "part": tr("part of the request"),
        "doubt": tr("not known"),
    }[kind]


def _items(comparison: Comparison, about: Mapping[str, DecidedOn]) -> Iterator[CompareItem]:
    found = comparison.found
    if isinstance(found, CallComparison):
        yield from map(_part, found.pieces)
        yield from (_doubtful(doubt_words_of) for doubt_words_of in map(_later, found.doubts))
        return
    if isinstance(found, VersionComparison | StoreComparison | RunComparison):
        yield from map(_citation, found.citations)
        cited = {one.a: one for one in found.citations}
        for fate in found.decisions:
            known = about.get(fate.event)
            index = known.citation if known is not None else None
            yield _decision(fate, known, cited.get(index) if index is not None else None)
    if isinstance(found, StoreComparison | RunComparison):
        yield from map(_source, found.sources)
    if isinstance(found, RunComparison):
        yield from (_doubtful(told) for told in map(_later, found.doubts))
        yield from (_reading(one) for one in found.reads if not one.same)
        yield from _run_items(found)


def _run_items(found: RunComparison) -> Iterator[CompareItem]:
    for answer in found.answers:
        if answer.change is not Change.SAME:
            yield _changed("answer", answer.change, partial(_answer, answer))
    for call in found.calls:
        if not call.same:
            yield _call(call)
    for held in found.placeholders:
        facts = held.a or held.b
        if facts is not None:
            name = one_line(" ".join((facts.tool, facts.source_id or "", facts.tool_call_id)))
            yield _sided("placeholder", held.a, held.b, partial(_both, name, facts.kind.value))
    for edit in found.edits:
        one = edit.a or edit.b
        if one is not None:
            name = one_line(", ".join(one.tool_call_ids))
            yield _sided("edit", edit.a, edit.b, partial(_both, name, one.kind.value))
    yield from map(_finding, found.findings)


def _both(name: str, detail: str) -> tuple[str, str]:
    return name, detail


def _answer(one: AnswerDifference) -> tuple[str, str]:
    sizes = f"{_count(one.chars_a)} → {_count(one.chars_b)}"
    return tr("answer {number}", number=one.number + 1), sizes


def _citation(one: CitationDifference) -> CompareItem:
    def told() -> tuple[str, str, str, str, str]:
        if one.fated is None:
            number = 0 if one.b is None else one.b + 1
            name = tr("citation {number} of B", number=number)
            return "+", "good", tr("added"), name, one_line(one.source_id)
        number = 0 if one.a is None else one.a + 1
        name = tr("citation {number} of A", number=number)
        where = place_words(one.fated) or one.source_id
        parts = [one_line(where), fate_words(one.fated), *_counterpart(one)]
        fate = one.fated.fate
        detail = tr("; ").join(parts)
        return fate_sign(fate), fate_tone(fate), fate_word(fate), name, detail

    change = one.fated.fate.value if one.fated else Change.ADDED.value
    return CompareItem("citation", change, told, citation=one)


def _counterpart(one: CitationDifference) -> Iterator[str]:
    if one.b is not None and one.matched is not None:
        words = matched_words(one.matched)
        yield tr("citation {number} of B: {how}", number=one.b + 1, how=words)
    if one.verdict_changed and one.verdict_a and one.verdict_b:
        yield tr(
            "verdict: {a} in A, {b} in B",
            a=verdict_word(one.verdict_a),
            b=verdict_word(one.verdict_b),
        )
    for offered in one.fated.suggestions if one.fated else ():
        yield tr("similar, {share} % of the words: {text}", share=offered.share, text=offered.text)


def _decision(
    one: DecisionFate, known: DecidedOn | None, citation: CitationDifference | None
) -> CompareItem:
    def told() -> tuple[str, str, str, str, str]:
        name = known.name if known is not None else str(one.target)
        said = known.said if known is not None else ""
        if one.obstacle is None:
            return "☑", "good", tr("can be carried over"), name, said
        detail = tr("; ").join(filter(None, (said, obstacle_words(one.obstacle))))
        if one.fated is not None and not one.fated.fate.is_same_text:
            detail += tr("; ") + fate_words(one.fated)
        return "✗", "open", tr("has to be decided anew"), name, detail

    change = "free" if one.obstacle is None else "held"
    return CompareItem("decision", change, told, citation=citation)


def _source(one: SourceDifference) -> CompareItem:
    def told() -> tuple[str, str, str, str, str]:
        sign, tone, word = source_words(one.change)
        return sign, tone, word, one_line(one.source_id), tr("; ").join(_source_details(one))

    return CompareItem("source", one.change.value, told, source=one)


def _source_details(one: SourceDifference) -> Iterator[str]:
    names = [one_line(key.version_id) for key in (one.a, one.b) if key is not None]
    if one.change is SourceChange.RENAMED and one.a is not None:
        yield tr("it was called {name}", name=one_line(one.a.source_id))
    yield " → ".join(dict.fromkeys(names))
    if one.twins:
        yield tr("the same bytes: {names}", names=one_line(", ".join(one.twins)))
    if one.only_a:
        yield trn("one version in A alone", "{n} versions in A alone", len(one.only_a))
    if one.only_b:
        yield trn("one version in B alone", "{n} versions in B alone", len(one.only_b))
    if one.doubt is not None:
        yield doubt_words(one.doubt)


def _reading(one: ReadDifference) -> CompareItem:
    def told() -> tuple[str, str, str, str, str]:
        key = one.version_a or one.version_b
        parts = []
        if one.only_a or one.blocks_a:
            count = sum(span.length for span in one.only_a) or len(one.blocks_a)
            parts.append(tr("A alone was given {n} of {unit}", n=count, unit=one.unit.value))
        if one.only_b or one.blocks_b:
            count = sum(span.length for span in one.only_b) or len(one.blocks_b)
            parts.append(tr("B alone was given {n} of {unit}", n=count, unit=one.b_unit.value))
        if one.doubt is not None:
            parts.append(doubt_words(one.doubt))
        name = one_line(key.source_id) if key else ""
        return "~", "open", tr("changed"), name, tr("; ").join(parts)

    return CompareItem("reading", Change.CHANGED.value, told)


def _call(call: CallDifference) -> CompareItem:
    def told() -> tuple[str, str]:
        parts = []
        if call.request is not Change.SAME:
            word = change_words(call.request)[2]
            held = tr(
                "{a} messages in A alone, {b} in B alone", a=call.messages_a, b=call.messages_b
            )
            parts.append(tr("request {change} ({held})", change=word, held=held))
        if call.response is not Change.SAME:
            parts.append(tr("response {change}", change=change_words(call.response)[2]))
        if call.settings is not Change.SAME:
            parts.append(tr("settings {change}", change=change_words(call.settings)[2]))
        if call.doubt is not None:
            parts.append(doubt_words(call.doubt))
        return tr("call {call}", call=call.index), tr("; ").join(parts)

    change = call.request if call.request is not Change.SAME else Change.CHANGED
    return _changed("call", change, told)


def _finding(one: FindingDifference) -> CompareItem:
    finding = one.a or one.b

    def told() -> tuple[str, str]:
        if finding is None:
            return "", ""
        rule = next((rule for rule in rules() if rule.id == finding.rule), None)
        name = f"{finding.rule} {rule.name}" if rule else finding.rule
        return name, one_line(finding.message)

    return _sided("finding", one.a, one.b, told)


def _part(piece: RequestPiece) -> CompareItem:
    def told() -> tuple[str, str]:
        places = []
        if piece.a is not None:
            places.append(
                tr("A: message {message}, part {part}", message=piece.a[0], part=piece.a[1])
            )
        if piece.b is not None:
            places.append(
                tr("B: message {message}, part {part}", message=piece.b[0], part=piece.b[1])
            )
        kind = part_kind_word(PartKind(piece.kind))
        words = (recorded_word(piece.role), kind, piece.name, piece.tool_call_id)
        detail = f"{_count(piece.chars_a)} → {_count(piece.chars_b)}"
        if piece.placeholder is not None and piece.restored:
            detail += tr("; ") + tr("came back in place of its placeholder")
        elif piece.placeholder is not None:
            detail += tr("; ") + tr("replaced by a placeholder or taken away")
        return one_line(" ".join(filter(None, words))), tr("; ").join((*places, detail))

    item = _changed("part", piece.change, told)
    return CompareItem(item.kind, item.change, item.told, piece=piece)


def _count(chars: int | None) -> str:
    return tr("none") if chars is None else trn("one character", "{n} characters", chars)


def _changed(kind: str, change: Change, named: Callable[[], tuple[str, str]]) -> CompareItem:
    def told() -> tuple[str, str, str, str, str]:
        return (*change_words(change), *named())

    return CompareItem(kind, change.value, told)


def _sided(kind: str, a: object, b: object, named: Callable[[], tuple[str, str]]) -> CompareItem:
    change = Change.CHANGED if a and b else (Change.REMOVED if a else Change.ADDED)
    return _changed(kind, change, named)


def _later(doubt: Doubt) -> Callable[[], str]:
    return lambda: doubt_words(doubt)


def _doubtful(told: Callable[[], str]) -> CompareItem:
    return CompareItem("doubt", "unknown", lambda: ("?", "open", tr("not known"), told(), ""))
