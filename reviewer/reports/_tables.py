"""Tables of a report for people, as plain cells; pages differ only in how they look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reviewer.reports import _words as words
from reviewer.reports._base import Meta
from reviewer.reports._contents import WORDS
from store.records.findings import Audit, Outcome
from store.records.runs import Problem

__all__ = ["Cell", "Sheet", "placeholder_sheet", "problem_sheet", "read_sheet"]


class Cell(NamedTuple):
    """A cell; an ``id`` is a name or a path of the record, ``prose`` a sentence, else a word."""

    text: str
    kind: str = "word"


class Sheet(NamedTuple):
    """A table under its heading; ``note`` stands between the two."""

    heading: str
    note: str
    names: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]


def problem_sheet(problems: Iterable[Problem]) -> Sheet:
    """Return what could not be read."""
    rows = [
        (Cell(problem.kind.value), Cell(problem.where, "id"), Cell(problem.what, "prose"))
        for problem in problems
    ]
    return Sheet(f"{WORDS['problems']} ({len(rows)})", "", ("kind", "where", "what"), rows)


def placeholder_sheet(audit: Audit) -> Sheet:
    """Return what stood where results had stood."""
    rows = []
    for facts in audit.placeholders:
        first, last, kept, back = words.placeholder_words(facts)
        about = (Cell(facts.tool_call_id, "id"), Cell(facts.source_id or "–", "id"))
        told = tuple(Cell(text) for text in (first, last, kept, back, facts.grade.value))
        rows.append((Cell(facts.kind.value), *about, *told))
    names = (
        "kind",
        "tool call",
        "source",
        "first call",
        "last full call",
        "kept",
        "way back",
        "grade",
    )
    return Sheet(f"{WORDS['placeholders']} ({len(rows)})", "", names, rows)


def read_sheet(audit: Audit, meta: Meta) -> Sheet:
    """Return the reads that did not deliver all they asked for; with ``everything`` all reads."""
    held = [
        read for read in audit.reads if meta.everything or read.outcome is not Outcome.DELIVERED
    ]
    rows = [
        (
            Cell("–" if read.call is None else str(read.call)),
            Cell(read.outcome.value),
            Cell(read.grade.value),
            Cell(read.tool_call_id, "id"),
            Cell(read.tool, "id"),
            Cell(read.selection.source_id, "id"),
            Cell(read.recomputed.reason or "–", "prose"),
        )
        for read in held
    ]
    names = ("call", "outcome", "grade", "tool call", "tool", "source", "reason")
    note = f"{len(audit.reads)} reads: {words.read_words(audit)}."
    if 0 < len(rows) < len(audit.reads):
        note += f" Listed: the {len(rows)} of them that did not deliver all they asked for."
    return Sheet(f"{WORDS['all reads']} ({len(audit.reads)})", note, names, rows)
