"""The citations and findings of a run as the rows that a reviewer works through.

A citation and the finding that its verdict is are one row: there is one thing
to look at and to decide.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum

from reviewer.display import one_line, visible
from reviewer.filter.columns import Column, Columns, Kind, by_name
from reviewer.reports._words import reference
from reviewer.window.i18n import tr, tr_message
from reviewer.window.place import Place
from reviewer.window.presenters.decisions import (
    DECISIONS,
    decision_name,
    decision_rows,
    decision_sign,
    decision_tone,
    decision_word,
    says_verdict,
    state_of,
)
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
from store.records.findings import (
    Anchor,
    Audit,
    BaselineState,
    CitationFacts,
    Finding,
    Severity,
    Verdict,
)
from store.records.grades import Grade
from store.records.reviews import Target, TargetState

__all__ = ["GROUPS", "ReviewColumn", "ReviewTable", "claim"]


States = Mapping[Target, TargetState]


def _undecided() -> States:
    return {}


class ReviewColumn(IntEnum):
    """The columns; their names in lower case are their words in a filter."""

    VERDICT = 0
    SEVERITY = 1
    DECISION = 2
    RULE = 3
    CALL = 4
    SOURCE = 5
    TEXT = 6
    REASON = 7
    PLACE = 8
    ANCHOR = 9
    GRADE = 10
    BASELINE = 11


GROUPS = ("rule", "source", "call")
"""The columns that rows can be grouped by."""

_SENTENCE_END = re.compile(r"[\u3002\uff01\uff1f\uff1b\n]|[.!?](?=\s)")
_LOOK_BACK = 1_000
_VERDICTS = tuple(dict.fromkeys(verdict.word for verdict in Verdict))
_SEVERITIES = tuple(reversed([severity.value for severity in Severity]))
_BASELINES = (BaselineState.NEW.value, BaselineState.UNCHANGED.value)
_GRADES = tuple(reversed([grade.value for grade in Grade]))


class ReviewTable(Table):
    """The rows of one audit: every citation in its order, then the findings about no citation."""

    def __init__(
        self, audit: Audit, run: int = 0, states: Callable[[], States] = _undecided
    ) -> None:
        """Take an audit; *states* tells at any time what stands on it."""
        super().__init__()
        self._states = states
        self.audit = audit
        self.run = run
        self._columns = _columns(audit)
        self._finding_of = _findings_of_citations(audit)
        self._citation_of = {found: cited for cited, found in self._finding_of.items()}
        merged = self._citation_of.keys()
        self._others = [at for at in range(len(audit.findings)) if at not in merged]

    @property
    def compared(self) -> bool:
        """Whether the findings were compared with a baseline."""
        return any(finding.baseline is not None for finding in self.audit.findings[:1])

    @property
    def columns(self) -> Columns:
        """What the filter knows of the columns."""
        return self._columns

    def headings(self) -> Sequence[Heading]:
        """Return the columns in the order of `ReviewColumn`."""
        titles = (
            tr("Verdict"),
            tr("Severity"),
            tr("Decision"),
            tr("Rule"),
            tr("Call"),
            tr("Source"),
            tr("Claim or finding"),
            tr("Reason"),
            tr("Place"),
            tr("Quotation"),
            tr("Proof"),
            tr("Baseline"),
        )
        return [
            Heading(column.name.lower(), title, right=column is ReviewColumn.CALL)
            for column, title in zip(ReviewColumn, titles, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.audit.citations) + len(self._others)

    def row_of(self, place: Place) -> int | None:
        """Return the row of the citation or finding at *place*, if it names one."""
        cited = place.citation
        if place.finding is not None:
            cited = self._citation_of.get(place.finding)
            if cited is None:
                at = bisect_left(self._others, place.finding)
                if at < len(self._others) and self._others[at] == place.finding:
                    return len(self.audit.citations) + at
                cited = place.citation
        known = cited is not None and cited < len(self.audit.citations)
        return cited if known else None

    def place(self, row: int) -> Place:
        """Return where the evidence of a row is."""
        cited = len(self.audit.citations)
        if row < cited:
            return citation_position(self.audit, self.run, row, self._finding_of.get(row))
        return finding_position(self.audit, self.run, self._others[row - cited])

    def values(self, column: str) -> Sequence[str | int | None]:
        """Return one column whole."""
        if column == "decision":
            states = self._states()
            if not states:
                return ["undecided"] * len(self)
            return [self._decision(row, states) for row in range(len(self))]
        audit, get = self.audit, _GET[column]
        findings = audit.findings
        found = [self._finding_of.get(at) for at in range(len(audit.citations))]
        return [
            *(
                get(audit, cited, None if at is None else findings[at])
                for cited, at in zip(audit.citations, found, strict=True)
            ),
            *(get(audit, None, findings[at]) for at in self._others),
        ]

    def value(self, row: int, column: str) -> str | int | None:
        """Return one value."""
        if column == "decision":
            return self._decision(row, self._states())
        return _GET[column](self.audit, *self._both(row))

    def undecided(self, row: int) -> bool:
        """Tell whether nobody decided on a row."""
        return self._decision(row, self._states()) == "undecided"

    def _decision(self, row: int, states: States) -> str:
        return decision_name(state_of(states, *self._both(row)) if states else None)

    def make(self, row: int) -> Row:
        """Make a row in the present language."""
        citation, finding = self._both(row)
        grade = citation.grade if citation else _found(finding).grade
        call = self.value(row, "call")
        return Row(
            (
                _verdict_cell(citation),
                _severity_cell(finding),
                _decision_cell(state_of(self._states(), citation, finding)),
                cell(finding.rule if finding else NOTHING),
                cell(NOTHING if call is None else str(call)),
                cell(str(self.value(row, "source") or NOTHING)),
                _told(str(self.value(row, "text")))
                if citation is None
                else cell(str(self.value(row, "text"))),
                _told(str(self.value(row, "reason") or NOTHING)),
                cell(str(self.value(row, "place") or NOTHING)),
                cell(_anchor_word(citation.anchor) if citation else NOTHING),
                cell(grade_word(grade), more=grade_meaning(grade)),
                cell(_BASELINE[finding.baseline if finding else None]()),
            )
        )

    def _both(self, row: int) -> tuple[CitationFacts | None, Finding | None]:
        """Return what a row is about: a citation, a finding or both."""
        audit, cited = self.audit, len(self.audit.citations)
        if row >= cited:
            return None, audit.findings[self._others[row - cited]]
        found = self._finding_of.get(row)
        return audit.citations[row], None if found is None else audit.findings[found]


def _found(finding: Finding | None) -> Finding:
    """Return the finding of a row without a citation; a row is about one of the two."""
    if finding is None:
        raise LookupError("a row is about a citation or a finding")
    return finding


def _findings_of_citations(audit: Audit) -> dict[int, int]:
    """Return for citations, by index, the finding that says what their verdict says."""
    found: dict[int, int] = {}
    for index, finding in enumerate(audit.findings):
        cited = finding.where.citation
        if cited is None or cited >= len(audit.citations) or cited in found:
            continue
        if says_verdict(finding):
            found[cited] = index
    return found


def _columns(audit: Audit) -> Columns:
    rules = sorted({finding.rule for finding in audit.findings})
    sources = dict.fromkeys(source.source_id for source in audit.sources)
    return by_name(
        [
            Column("verdict", Kind.CHOICE, _VERDICTS),
            Column("severity", Kind.ORDER, _SEVERITIES),
            Column("decision", Kind.CHOICE, DECISIONS),
            Column("rule", Kind.TEXT, tuple(rules), searched=True),
            Column("call", Kind.NUMBER),
            Column("source", Kind.TEXT, tuple(sources), searched=True),
            Column("text", Kind.TEXT, searched=True),
            Column("reason", Kind.TEXT, searched=True),
            Column("place", Kind.TEXT),
            Column("anchor", Kind.CHOICE, tuple(anchor.value for anchor in Anchor)),
            Column("grade", Kind.ORDER, _GRADES),
            Column("baseline", Kind.CHOICE, _BASELINES),
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


_Value = str | int | None
_GET: Mapping[str, Callable[[Audit, CitationFacts | None, Finding | None], _Value]] = {
    "verdict": lambda _, cited, __: cited.verdict.word if cited else None,
    "severity": lambda _, __, found: found.severity.value if found else None,
    "rule": lambda _, __, found: found.rule if found else None,
    "call": lambda _, cited, found: cited.call_at_answer if cited else _found(found).where.call,
    "source": lambda _, cited, found: cited.source_id if cited else _found(found).where.source_id,
    "text": lambda audit, cited, found: claim(audit, cited) if cited else _found(found).message,
    "reason": lambda _, cited, __: cited.reason if cited else None,
    "place": lambda _, cited, found: _reference(cited) if cited else _where(_found(found)),
    "anchor": lambda _, cited, __: cited.anchor.value if cited else None,
    "grade": lambda _, cited, found: (cited or _found(found)).grade.value,
    "baseline": lambda _, __, found: found.baseline.value if found and found.baseline else None,
}
"""What a row of a citation, a finding or both is in each column, as the filter compares it."""


def _told(message: str) -> Cell:
    """A message in the reader's language; its own words, which the filter compares, in the tip."""
    told = tr_message(message)
    return cell(told, more="" if told == message else message)


def _verdict_cell(facts: CitationFacts | None) -> Cell:
    if facts is None:
        return Cell(tr("• finding"), tr("A finding that is about no citation"))
    verdict = facts.verdict
    words = f"{verdict_sign(verdict)} {verdict_word(verdict)}"
    reason = one_line(tr_message(facts.reason))
    tip = f"{words} ({verdict.word})\n{verdict_meaning(verdict)}\n{reason}"
    return Cell(words, tip, tone(verdict))


def _severity_cell(finding: Finding | None) -> Cell:
    if finding is None:
        return Cell(NOTHING, tr("Nothing was found wrong with it"))
    sign, colour, word = severity_words(finding.severity)
    return Cell(f"{sign} {word}", f"{sign} {word}\n{one_line(tr_message(finding.message))}", colour)


def _decision_cell(state: TargetState | None) -> Cell:
    words = f"{decision_sign(state)} {decision_word(state)}"
    tip = [f"{words} ({decision_name(state)})"]
    for row in decision_rows(state):
        note = f": {visible(row.note)}" if row.note else ""
        stood = f", {row.stood}" if row.stood else ""
        tip.append(f"{row.sign} {row.word}, {row.reviewer}, {row.at} UTC{stood}{note}")
    return Cell(words, "\n".join(tip), decision_tone(state))


_BASELINE: Mapping[BaselineState | None, Callable[[], str]] = {
    BaselineState.NEW: lambda: tr("＋ new"),
    BaselineState.UNCHANGED: lambda: tr("= known"),
    BaselineState.ABSENT: lambda: NOTHING,  # what is no more there has no row
    None: lambda: NOTHING,
}


def _anchor_word(anchor: Anchor) -> str:
    return {
        Anchor.EXACT: tr("exact"),
        Anchor.RELOCATED: tr("elsewhere"),
        Anchor.NORMALISED: tr("normalised"),
        Anchor.AMBIGUOUS: tr("ambiguous"),
        Anchor.ORPHAN: tr("nowhere"),
        Anchor.NONE: NOTHING,
    }[anchor]
