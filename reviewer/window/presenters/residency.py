"""Which source stood in which request: the table behind the residency map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reviewer.audit.cells import Cells, SourceCells, closing_call, source_cells
from reviewer.audit.residency import Cell
from reviewer.display import one_line
from reviewer.reports._words import short
from reviewer.window.i18n import tr, tr_message, trn
from reviewer.window.place import Place
from reviewer.window.presenters.requests import request_of
from reviewer.window.presenters.words import grade_word
from store.records.findings import Audit
from store.records.grades import Grade
from store.records.sources import Version, VersionKey

__all__ = ["ResidencyRow", "ResidencyTable", "cell_word", "residency_table"]


def cell_word(cell: Cell) -> str:
    """Return the word of a state: those of ``state_at_answer``."""
    return {
        Cell.FULL: tr("full"),
        Cell.PARTIAL: tr("partial"),
        Cell.PREVIEW: tr("preview"),
        Cell.PLACEHOLDER: tr("placeholder"),
        Cell.ABSENT: tr("absent"),
    }[cell]


@dataclass(frozen=True, slots=True)
class ResidencyRow:
    """One source.  ``first_read`` is the first call that was given some of its body."""

    source_id: str
    title: str
    kind: str
    versions: tuple[Version, ...] = field(repr=False)
    first_read: int | None
    citations: int
    listed: bool

    @property
    def name(self) -> str:
        """What the row is called: the id, on one line and with nothing hidden."""
        return one_line(self.source_id)


@dataclass(frozen=True)
class ResidencyTable:
    """Sources by calls.  ``cells[row, call - 1]`` is a `Cell`.

    ``grades[call - 1]`` is the rank of the grade of that call's request.
    ``answers`` are the calls that wrote an answer, ``closing`` the one of the
    last (the last call where there is none, 0 without calls).
    """

    rows: tuple[ResidencyRow, ...]
    cells: NDArray[np.uint8]
    grades: NDArray[np.uint8]
    answers: tuple[int, ...]
    closing: int
    _audit: Audit = field(repr=False)
    _source: Cells = field(repr=False)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The row of each source."""
        return {row.source_id: place for place, row in enumerate(self.rows)}

    def cell(self, row: int, call: int) -> Cell:
        """Return the state of a row in the request of *call*, from 1."""
        return Cell(int(self.cells[row, call - 1]))

    def grade(self, call: int) -> Grade:
        """Return how far the record proves the request of *call*."""
        return self._audit.run.calls[call - 1].grade

    def version_at(self, row: int, call: int) -> VersionKey:
        """Return the version that the cell speaks of; of equal ones the last recorded."""
        versions = self.rows[row].versions
        if len(versions) == 1:
            return versions[0].key
        states = [int(self._source.version(version)[call - 1]) for version in versions]
        best = max(range(len(versions)), key=lambda place: (states[place], place))
        return versions[best].key

    def place(self, row: int, call: int, run: int) -> Place:
        """Return the place in the model's input that a cell stands for."""
        key = self.version_at(row, call)
        spot = self._source.spot(key, call)
        if spot is None:
            return Place(run, call=call, source=key, tab="model")
        message = request_of(self._audit.run, call).index(spot.message)
        return Place(
            run,
            call=call,
            message=message,
            part=spot.part,
            message_span=spot.span,
            source=key,
            tab="model",
        )

    # -- words --------------------------------------------------------------------

    def cell_words(self, row: int, call: int) -> str:
        """Return what a cell says: ``logs/gateway.log, call 5: placeholder``."""
        held = self.rows[row]
        cell = self.cell(row, call)
        state = cell_word(cell)
        if cell is Cell.ABSENT and held.listed:
            state = tr("absent (a listing names it)")
        words = tr("{source}, call {call}: {state}", source=held.name, call=call, state=state)
        grade = self.grade(call)
        if grade is Grade.UNKNOWN:
            words += tr("; the record does not prove what this call was given (grade unknown)")
        elif grade is not Grade.RECORDED:
            words += tr("; grade {grade}", grade=grade_word(grade))
        if call in self.answers:
            words += tr("; an answer was written in this call")
        return words

    def row_words(self, row: int) -> str:
        """Return what is known of a source, line by line."""
        held = self.rows[row]
        lines = [held.name]
        if held.title and held.title != held.source_id:
            lines.append(one_line(held.title))
        if held.first_read is None:
            lines.append(tr("nothing of its body was ever given"))
        else:
            lines.append(tr("first given in call {call}", call=held.first_read))
        if held.citations:
            lines.append(trn("cited once", "cited {n} times", held.citations))
        if len(held.versions) > 1:
            names = ", ".join(short(v.key.version_id) for v in held.versions)
            lines.append(tr("versions: {names}", names=one_line(names)))
        return "\n".join(lines)

    def call_words(self, call: int) -> str:
        """Return what is known of a call's request."""
        found = self._audit.run.calls[call - 1]
        lines = [tr("call {call}, grade {grade}", call=call, grade=grade_word(found.grade))]
        if found.grade_reason:
            lines.append(one_line(tr_message(found.grade_reason)))
        if call in self.answers:
            lines.append(tr("an answer was written in this call"))
        return "\n".join(lines)


def residency_table(audit: Audit) -> ResidencyTable:
    """Return the table of a run, its rows in the order in which sources were first given."""
    run = audit.run
    source = Cells(audit)
    found = source_cells(audit, source)
    answers = sorted({answer.call for answer in run.answers if answer.call <= source.calls})
    return ResidencyTable(
        rows=tuple(map(_row, found)),
        cells=(
            np.vstack([held.cells for held in found])
            if found
            else np.zeros((0, source.calls), np.uint8)
        ),
        grades=np.array([call.grade.rank for call in run.calls], np.uint8),
        answers=tuple(call for call in answers if call > 0),
        closing=closing_call(run),
        _audit=audit,
        _source=source,
    )


def _row(held: SourceCells) -> ResidencyRow:
    facts = held.source
    return ResidencyRow(
        source_id=facts.source_id,
        title=facts.title,
        kind=facts.kind,
        versions=tuple(version.version for version in facts.versions),
        first_read=held.first_read,
        citations=held.citations,
        listed=any(version.listed for version in facts.versions),
    )
