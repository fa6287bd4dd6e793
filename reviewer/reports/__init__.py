"""One file for each output format, found by walking this package and ``reread.reports``.

Modules starting with ``_`` are helpers.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType

from reviewer.reports._base import Doing, Meta, Report
from reviewer.reports._bill import (
    bill_rows,
    bill_sentences,
    bill_summary,
    break_words,
    repeat_words,
)
from reviewer.reports._comparison import comparison_json
from reviewer.reports._comparison_text import comparison_text
from reviewer.reports._decided import (
    DECISION_WORDS,
    carried_words,
    decision_record,
    opinion_lines,
    state_record,
    time_words,
)
from reviewer.reports._ending import NO_ANSWER
from reviewer.reports._facts import SCHEMA, dumps, problem_record, run_record, source_record
from reviewer.reports._glossary import Word, glossary
from reviewer.reports._map_text import map_lines, strip_lines
from reviewer.reports._retention import (
    RETENTION_HEADINGS,
    retention_cells,
    retention_records,
)
from reviewer.reports._settings import setting_lines, value_words
from reviewer.reports._story import story_lines
from reviewer.reports._svg import picture
from reviewer.reports._words import (
    closing,
    coverage,
    grade_words,
    reference,
    spans,
)

__all__ = [
    "DECISION_WORDS",
    "NO_ANSWER",
    "RETENTION_HEADINGS",
    "SCHEMA",
    "Doing",
    "Meta",
    "Report",
    "Word",
    "bill_rows",
    "bill_sentences",
    "bill_summary",
    "break_words",
    "carried_words",
    "closing",
    "comparison_json",
    "comparison_text",
    "coverage",
    "decision_record",
    "dumps",
    "glossary",
    "grade_words",
    "map_lines",
    "opinion_lines",
    "picture",
    "problem_record",
    "reference",
    "repeat_words",
    "reports",
    "retention_cells",
    "retention_records",
    "run_record",
    "setting_lines",
    "source_record",
    "spans",
    "state_record",
    "story_lines",
    "strip_lines",
    "time_words",
    "value_words",
]


@cache
def reports() -> Mapping[str, Report]:
    """Return every report by name.  Two of one name are an error."""
    found: dict[str, Report] = {}
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            _add(found, import_module(f"{__name__}.{module.name}").REPORT)
    for entry in entry_points(group="reread.reports"):
        _add(found, entry.load())
    return MappingProxyType(dict(sorted(found.items())))


def _add(found: dict[str, Report], report: Report) -> None:
    if report.name in found:
        raise ValueError(f"two reports are named {report.name}")
    found[report.name] = report
