"""From a row to where its evidence stands, in the units that the views count in."""

from __future__ import annotations

from dataclasses import replace

from reviewer.window.place import Place
from reviewer.window.presenters.places import citation_place, finding_place, version_facts
from reviewer.window.presenters.requests import request_of
from store.records.findings import Audit, VersionFacts
from store.records.runs import PartKind
from store.records.text import OutsideTextError, Span, TextIndex, Unit

__all__ = ["call_position", "citation_position", "finding_position", "in_unit"]


def citation_position(audit: Audit, run: int, index: int, finding: int | None) -> Place:
    """Return the place of citation *index* and of the *finding* about it.

    Its span counts in the unit of the version; there is none where the record
    does not say where that is.
    """
    facts = audit.citations[index]
    place = replace(citation_place(audit, run, index, None), finding=finding)
    version = version_facts(audit, place.source)
    if facts.span is None or version is None:
        return replace(place, span=None)
    return replace(place, span=in_unit(version, facts.span, facts.unit))


def finding_position(audit: Audit, run: int, index: int) -> Place:
    """Return the place of finding *index*, at the result that it is about, if it names one."""
    where = audit.findings[index].where
    place = finding_place(audit, run, index, None)
    if where.call is None or where.message is not None or where.tool_call_id is None:
        return place
    for position, message in enumerate(request_of(audit.run, where.call)):
        for number, part in enumerate(audit.run.messages[message].parts):
            result = part.kind is PartKind.TOOL_RESULT
            if result and part.tool_call_id == where.tool_call_id:
                return replace(place, message=position, part=number)
    return place


def call_position(run: int, call: int) -> Place:
    """Return the place where the request of *call* is shown."""
    return Place(run=run, call=call, tab="model")


def in_unit(version: VersionFacts, span: Span, unit: Unit) -> Span | None:
    """Return *span* in the unit of *version*, ``None`` where the record does not say where."""
    if unit is version.unit:
        return span
    text = version.version.text
    if version.unit is not Unit.CHAR or text is None or unit not in {Unit.ROW, Unit.LINE}:
        return None
    # A table holds one record a line, counted from 0; lines count from 1.
    first = 1 if unit is Unit.ROW else 0
    try:
        return TextIndex(text).line_span(span.start + first, span.end + first)
    except OutsideTextError:
        return None
