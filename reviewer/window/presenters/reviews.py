"""The citations and findings of a run as the rows that a reviewer works through.

A citation and the finding that its verdict is are one row: there is one thing
to look at and to decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from reviewer.display import one_line
from reviewer.filter.columns import Column, Columns, Kind, by_name
from reviewer.reports._words import reference
from reviewer.window.i18n import tr
from reviewer.window.place import Place
from reviewer.window.presenters.positions import citation_position, finding_position
from reviewer.window.presenters.tables import NOTHING, Cell, Heading, Row, Table, cell
from reviewer.window.presenters.words import (
    grade_meaning,
    grade_word,
    severity_words,
    tone,
    verdict_meaning,
    verdict_sign,
    verdict_word,
)
from store.records.findings import Anchor, Audit, CitationFacts, Finding, Severity, Verdict
from store.records.grades import Grade

__all__ = ["GROUPS", "ReviewColumn", "ReviewTable", "claim"]


class ReviewColumn(IntEnum):
    """The columns; their names in lower case are their words in a filter."""

    VERDICT = 0
    SEVERITY = 1
    RULE = 2
    CALL = 3
    SOURCE = 4
    TEXT = 5
    REASON = 6
    PLACE = 7
    ANCHOR = 8
    GRADE = 9


GROUPS = ("rule", "source", "call")
"""The columns that rows can be grouped by."""

_VERDICT_RULE = re.compile(r"CIT0(0[1-9]|1[0-2])")
"""The rules that say no more than the verdict of a citation does (MODEL.md, section 6)."""

_SENTENCE_END = re.compile(r"[\u3002\uff01\uff1f\n]|[.!?](?=\s)")
_LOOK_BACK = 1_000
_VERDICTS = tuple(dict.fromkeys(verdict.word for verdict in Verdict))
_SEVERITIES = tuple(reversed([severity.value for severity in Severity]))
_GRADES = tuple(reversed([grade.value for grade in Grade]))


class _Item(NamedTuple):
    """What a row is about: a citation, a finding or both, as indices of the audit."""

    citation: int | None
    finding: int | None


class ReviewTable(Table):
    """The rows of one audit: every citation in its order, then the findings about no citation."""

    def __init__(self, audit: Audit, run: int = 0) -> None:
        super().__init__()
        self.audit = audit
        self.run = run
        self._items = _items(audit)
        self._columns = _columns(audit)
        self._by_citation = {item.citation: at for at, item in enumerate(self._items)}
        self._by_finding = {item.finding: at for at, item in enumerate(self._items)}

    @property
    def columns(self) -> Columns:
        """What the filter knows of the columns."""
        return self._columns

    def headings(self) -> Sequence[Heading]:
        """Return the columns in the order of `ReviewColumn`."""
        titles = (
            tr("Verdict"),
            tr("Severity"),
            tr("Rule"),
            tr("Call"),
            tr("Source"),
            tr("Claim or finding"),
            tr("Reason"),
            tr("Place"),
            tr("Quotation"),
            tr("Proof"),
        )
        return [
            Heading(column.name.lower(), title, right=column is ReviewColumn.CALL)
            for column, title in zip(ReviewColumn, titles, strict=True)
        ]

    def __len__(self) -> int:
        return len(self._items)

    def row_of(self, place: Place) -> int | None:
        """Return the row of the citation or finding at *place*, if it names one."""
        if place.finding is not None and place.finding in self._by_finding:
            return self._by_finding[place.finding]
        return None if place.citation is None else self._by_citation.get(place.citation)

    def place(self, row: int) -> Place:
        """Return where the evidence of a row is."""
        item = self._items[row]
        if item.citation is not None:
            return citation_position(self.audit, self.run, item.citation, item.finding)
        assert item.finding is not None  # noqa: S101 - a row is about something
        return finding_position(self.audit, self.run, item.finding)

    def values(self, column: str) -> Sequence[str | int | None]:
        """Return one column whole."""
        return [self._value(item, column) for item in self._items]

    def value(self, row: int, column: str) -> str | int | None:
        """Return one value."""
        return self._value(self._items[row], column)

    def make(self, row: int) -> Row:
        """Make a row in the present language."""
        citation, finding = self._both(self._items[row])
        grade = citation.grade if citation else _found(finding).grade
        call = self.value(row, "call")
        return Row(
            (
                _verdict_cell(citation),
                _severity_cell(finding),
                cell(finding.rule if finding else NOTHING),
                cell(NOTHING if call is None else str(call)),
                cell(str(self.value(row, "source") or NOTHING)),
                cell(str(self.value(row, "text"))),
                cell(str(self.value(row, "reason") or NOTHING)),
                cell(str(self.value(row, "place") or NOTHING)),
                cell(_anchor_word(citation.anchor) if citation else NOTHING),
                cell(grade_word(grade), more=grade_meaning(grade)),
            )
        )

    def _both(self, item: _Item) -> tuple[CitationFacts | None, Finding | None]:
        audit = self.audit
        return (
            None if item.citation is None else audit.citations[item.citation],
            None if item.finding is None else audit.findings[item.finding],
        )

    def _value(self, item: _Item, column: str) -> str | int | None:  # noqa: PLR0911 - a table
        citation, finding = self._both(item)
        match column:
            case "verdict":
                return citation.verdict.word if citation else None
            case "severity":
                return finding.severity.value if finding else None
            case "rule":
                return finding.rule if finding else None
            case "call":
                return citation.call_at_answer if citation else _found(finding).where.call
            case "source":
                return citation.source_id if citation else _found(finding).where.source_id
            case "text":
                return claim(self.audit, citation) if citation else _found(finding).message
            case "reason":
                return citation.reason if citation else None
            case "place":
                return _reference(citation) if citation else _where(_found(finding))
            case "anchor":
                return citation.anchor.value if citation else None
            case _:
                return (citation or _found(finding)).grade.value


def _found(finding: Finding | None) -> Finding:
    """Return the finding of a row without a citation; a row is about one of the two."""
    if finding is None:
        raise LookupError("a row is about a citation or a finding")
    return finding


def _items(audit: Audit) -> list[_Item]:
    verdicts: dict[int, int] = {}
    others: list[_Item] = []
    for index, finding in enumerate(audit.findings):
        cited = finding.where.citation
        known = cited is not None and cited < len(audit.citations) and cited not in verdicts
        if cited is not None and known and _VERDICT_RULE.fullmatch(finding.rule):
            verdicts[cited] = index
        else:
            others.append(_Item(None, index))
    cited_ones = [_Item(at, verdicts.get(at)) for at in range(len(audit.citations))]
    return [*cited_ones, *others]


def _columns(audit: Audit) -> Columns:
    rules = sorted({finding.rule for finding in audit.findings})
    sources = dict.fromkeys(source.source_id for source in audit.sources)
    return by_name(
        [
            Column("verdict", Kind.CHOICE, _VERDICTS),
            Column("severity", Kind.ORDER, _SEVERITIES),
            Column("rule", Kind.TEXT, tuple(rules), searched=True),
            Column("call", Kind.NUMBER),
            Column("source", Kind.TEXT, tuple(sources), searched=True),
            Column("text", Kind.TEXT, searched=True),
            Column("reason", Kind.TEXT, searched=True),
            Column("place", Kind.TEXT),
            Column("anchor", Kind.CHOICE, tuple(anchor.value for anchor in Anchor)),
            Column("grade", Kind.ORDER, _GRADES),
        ]
    )


def claim(audit: Audit, facts: CitationFacts) -> str:
    """Return the sentence of the answer that a citation stands behind, its mark included."""
    marked = facts.citation.answer_span
    if marked is None or facts.answer >= len(audit.run.answers):
        return facts.citation.label
    text = audit.run.answers[facts.answer].text
    start = max(0, marked.start - _LOOK_BACK)
    before = text[start : marked.start].rstrip()
    ends = [end.end() for end in _SENTENCE_END.finditer(before) if end.end() < len(before)]
    words = before[ends[-1] if ends else 0 :].lstrip() + text[marked.start : marked.end]
    return words if ends or not start else tr("(+{n} characters) …", n=start) + words


def _reference(facts: CitationFacts) -> str:
    block = facts.citation.block_id
    return reference(facts.source_id, facts.version_id, facts.span, facts.unit, block)


def _where(finding: Finding) -> str | None:
    parts = (finding.where.source_id, finding.where.tool_call_id)
    return " · ".join(part for part in parts if part) or None


def _verdict_cell(facts: CitationFacts | None) -> Cell:
    if facts is None:
        return Cell(tr("• finding"), tr("A finding that is about no citation"))
    verdict = facts.verdict
    words = f"{verdict_sign(verdict)} {verdict_word(verdict)}"
    tip = f"{words} ({verdict.word})\n{verdict_meaning(verdict)}\n{one_line(facts.reason)}"
    return Cell(words, tip, tone(verdict))


def _severity_cell(finding: Finding | None) -> Cell:
    if finding is None:
        return Cell(NOTHING, tr("Nothing was found wrong with it"))
    sign, colour, word = severity_words(finding.severity)
    return Cell(f"{sign} {word}", f"{sign} {word}\n{one_line(finding.message)}", colour)


def _anchor_word(anchor: Anchor) -> str:
    return {
        Anchor.EXACT: tr("exact"),
        Anchor.RELOCATED: tr("elsewhere"),
        Anchor.NORMALISED: tr("normalised"),
        Anchor.AMBIGUOUS: tr("ambiguous"),
        Anchor.ORPHAN: tr("nowhere"),
        Anchor.NONE: NOTHING,
    }[anchor]
