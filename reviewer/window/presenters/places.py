"""Where things are: the place of a citation, a finding, a call or a gap, and steps between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

import msgspec

from reviewer.display import one_line
from reviewer.window.i18n import tr
from reviewer.window.place import Place
from store.records.findings import Audit, VersionFacts
from store.records.grades import Grade
from store.records.sources import VersionKey
from store.records.text import Span, Unit

__all__ = [
    "citation_place",
    "finding_place",
    "first_place",
    "gap_step",
    "grade_words",
    "item_step",
    "kept_place",
    "place_from_values",
    "place_reference",
    "place_values",
    "place_words",
    "run_key",
    "run_title",
    "source_place",
    "still_there",
    "version_facts",
]


def run_title(audit: Audit) -> str:
    """Return what a run is called: its title, else the name of its file, else its id."""
    run = audit.run
    return one_line(run.title or PurePath(run.path).name or run.run_id)


def first_place(audit: Audit, run: int) -> Place:
    """Return where a reviewer begins: the first citation, else the call of the last answer."""
    if audit.citations:
        return citation_place(audit, run, 0, "answer")
    last = audit.calls[-1].index if audit.calls else None
    return Place(run=run, call=last, tab="answer")


def still_there(audit: Audit, place: Place) -> bool:
    """Tell whether everything that *place* names is in this audit."""
    return (
        (place.call is None or 1 <= place.call <= len(audit.calls))
        and (place.citation is None or 0 <= place.citation < len(audit.citations))
        and (place.finding is None or 0 <= place.finding < len(audit.findings))
        and (place.source is None or version_facts(audit, place.source) is not None)
        and (place.message is None or _message_there(audit, place))
    )


def kept_place(old: Audit, new: Audit, place: Place) -> Place:
    """Return where *place* of *old* is in *new*, the same run read again; the rest of it stays."""
    citations = [(each.answer, each.citation) for each in new.citations]
    findings = [(each.fingerprint, each.where, each.message) for each in new.findings]
    citation = finding = None
    if place.citation is not None and place.citation < len(old.citations):
        cited = old.citations[place.citation]
        citation = _found_again((cited.answer, cited.citation), citations, place.citation)
    if place.finding is not None and place.finding < len(old.findings):
        held = old.findings[place.finding]
        finding = _found_again(
            (held.fingerprint, held.where, held.message), findings, place.finding
        )
    place = replace(place, citation=citation, finding=finding)
    if place.call is not None and place.call > len(new.calls):
        place = replace(place, call=len(new.calls) or None, message=None, part=None)
    if place.message is not None and not _message_there(new, place):
        place = replace(place, message=None, part=None)
    if place.message is None:
        place = replace(place, message_span=None)
    if place.source is not None and version_facts(new, place.source) is None:
        place = replace(place, source=None, span=None)
    return place


def _found_again(wanted: object, among: Sequence[object], at: int) -> int | None:
    """Return where *wanted* is: at the same index, else at the first that is equal."""
    if at < len(among) and among[at] == wanted:
        return at
    return among.index(wanted) if wanted in among else None


def _message_there(audit: Audit, place: Place) -> bool:
    if place.call is None or place.message is None:
        return False
    return 0 <= place.message < audit.calls[place.call - 1].messages


def citation_place(audit: Audit, run: int, index: int, tab: str | None) -> Place:
    """Return the place of citation *index*: its evidence, where there is any, and its span."""
    facts = audit.citations[index]
    found = facts.evidence
    return Place(
        run=run,
        call=found.call if found else facts.call_at_answer,
        message=found.message if found else None,
        part=found.part if found else None,
        message_span=found.message_span if found else None,
        source=VersionKey(facts.source_id, facts.version_id) if facts.version_id else None,
        span=facts.span,
        citation=index,
        tab=tab,
    )


def finding_place(audit: Audit, run: int, index: int, tab: str | None) -> Place:
    """Return the place of finding *index*: that of its citation, else its call and source."""
    where = audit.findings[index].where
    if where.citation is not None:
        place = citation_place(audit, run, where.citation, tab)
        return replace(place, finding=index)
    place = Place(run=run, call=where.call, message=where.message, finding=index, tab=tab)
    if where.source_id is not None:
        source = source_place(audit, run, where.source_id, tab)
        place = replace(place, source=source.source)
    return place


def source_place(audit: Audit, run: int, source_id: str, tab: str | None) -> Place:
    """Return the place of a source: its version with the most of it delivered, else its last."""
    for source in audit.sources:
        if source.source_id == source_id and source.versions:
            best = max(source.versions, key=lambda facts: bool(facts.delivered))
            return Place(run=run, source=best.version.key, tab=tab)
    return Place(run=run, tab=tab)


def item_step(audit: Audit, place: Place, by: int) -> Place | None:
    """Return the next or previous citation, or finding where the reviewer walks the findings.

    ``None`` at either end and where there is nothing to walk.
    """
    findings = place.finding is not None or not audit.citations
    count = len(audit.findings) if findings else len(audit.citations)
    at = place.finding if findings else place.citation
    to = (0 if by > 0 else count - 1) if at is None else at + by
    if not 0 <= to < count:
        return None
    make = finding_place if findings else citation_place
    return make(audit, place.run, to, place.tab)


def gap_step(audit: Audit, place: Place, by: int) -> Place | None:
    """Return the next or previous gap of the version shown, going round at its ends.

    ``None`` where no version is shown or none of it is missing.
    """
    facts = version_facts(audit, place.source)
    if facts is None or not facts.gaps:
        return None
    gaps = sorted(facts.gaps)
    at = place.span.start if place.span is not None else -1
    if by > 0:
        gap = next((each for each in gaps if each.start > at), gaps[0])
    else:
        gap = next((each for each in reversed(gaps) if each.start < at), gaps[-1])
    return replace(place, span=gap, tab="source")


def version_facts(audit: Audit, key: VersionKey | None) -> VersionFacts | None:
    """Return what is known of version *key* in this run."""
    for source in audit.sources:
        for facts in source.versions:
            if facts.version.key == key:
                return facts
    return None


# -- words ----------------------------------------------------------------------


def place_words(audit: Audit, place: Place) -> str:
    """Return the place in words, for the status bar; one line, safe to show."""
    words = [run_title(audit)]
    if place.call is not None:
        words.append(tr("call {number} of {count}", number=place.call, count=len(audit.calls)))
    if place.message is not None:
        words.append(tr("message {number}", number=place.message))
    if place.message_span is not None:
        span = place.message_span
        words.append(tr("characters [{start}, {end})", start=span.start, end=span.end))
    if place.source is not None:
        words.append(_source_words(audit, place.source, place.span))
    return " · ".join(one_line(word) for word in words)


def grade_words(audit: Audit, place: Place) -> str:
    """Return the grade that what is shown rests on: that of the call shown, else of the run."""
    calls = audit.calls
    if place.call is not None and 1 <= place.call <= len(calls):
        return tr("request of the call: {grade}", grade=_grade(calls[place.call - 1].grade))
    return tr("run: {grade}", grade=_grade(audit.run.grade))


def _grade(grade: Grade) -> str:
    return {
        Grade.RECORDED: tr("recorded"),
        Grade.DERIVED: tr("derived"),
        Grade.INFERRED: tr("inferred"),
        Grade.UNKNOWN: tr("unknown"),
    }[grade]


def place_reference(audit: Audit, place: Place) -> str:
    """Return the place as a reference that can be written into a note; one line.

    ``source@version[start:end]`` where a source is shown, with the call where
    one is; half-open, in the unit of the version.
    """
    words = []
    if place.source is not None:
        words.append(_source_words(audit, place.source, place.span))
    if place.citation is not None and place.citation < len(audit.citations):
        found = audit.citations[place.citation]
        words.append(f"citation {found.index}: {found.verdict.word} ({found.grade.value})")
    if place.call is not None:
        where = f"call {place.call}"
        if place.message is not None:
            where += f", message {place.message}"
        if place.message_span is not None:
            where += f" [{place.message_span.start}:{place.message_span.end}]"
        words.append(where)
    words.append(f"run {audit.run.run_id}")
    return one_line(" · ".join(words))


def _source_words(audit: Audit, key: VersionKey, span: Span | None) -> str:
    facts = version_facts(audit, key)
    unit = facts.unit if facts else Unit.CHAR
    from reviewer.reports._words import reference  # noqa: PLC0415 - a start page needs none

    return reference(key.source_id, key.version_id, span, unit, None)


# -- as plain values ------------------------------------------------------------


def place_values(audit: Audit, place: Place) -> Mapping[str, object]:
    """Return *place* in *audit* as plain values that can be written as JSON.

    ``in_run`` names the run, whose number is another one the next time.
    """
    made = msgspec.to_builtins(place)
    told = {name: value for name, value in made.items() if value is not None}
    return {**told, "in_run": run_key(audit)}


def run_key(audit: Audit) -> str:
    """Return what tells a run from others that are open: its path and its id."""
    return f"{audit.run.path}#{audit.run.run_id}"


def place_from_values(values: Mapping[str, object]) -> Place:
    """Return the place that *values* describe, or the beginning where they describe none."""
    try:
        return msgspec.convert(dict(values), Place)
    except (msgspec.ValidationError, ValueError, TypeError):
        return Place()
