"""Places as links and links as places, with the words at them checked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reviewer.audit.texts import VersionText
from reviewer.window.i18n import tr
from reviewer.window.links import Link, Quote
from reviewer.window.place import Place
from reviewer.window.presenters.places import version_facts
from store.records.findings import Audit
from store.records.sources import VersionKey
from store.records.text import Span, Unit

__all__ = ["Followed", "link_of", "place_of"]

_TABS = ("answer", "model", "residency", "source")


@dataclass(frozen=True, slots=True)
class Followed:
    """Where a link leads, and what is not as it says; ``checked`` if its words are there."""

    place: Place
    doubts: tuple[str, ...] = ()
    checked: bool = False


def link_of(audit: Audit, digest: str, place: Place) -> Link:
    """Return the link of *place* in the run with this digest, with the words that stand there."""
    unit = _unit(audit, place)
    link = Link(
        digest=digest,
        run=audit.run.run_id,
        call=place.call,
        message=place.message if place.call is not None else None,
        part=place.part if place.call is not None and place.message is not None else None,
        at=place.message_span,
        source=place.source,
        span=place.span if place.source is not None else None,
        unit=unit if place.source is not None and place.span is not None else Unit.CHAR,
        citation=place.citation,
        tab=place.tab or "",
    )
    text = _text(audit, link)
    return link if text is None else replace(link, quote=Quote.of(text))


def place_of(audit: Audit, run: int, link: Link) -> Followed:
    """Return where *link* leads in the run at index *run*: as near as there is something."""
    doubts: list[str] = []
    place = Place(run=run, tab=link.tab if link.tab in _TABS else None)
    if link.call is not None:
        if 1 <= link.call <= len(audit.run.calls):
            place = _in_request(audit, replace(place, call=link.call), link, doubts)
        else:
            doubts.append(tr("this run has no call {number}", number=link.call))
    if link.source is not None:
        if version_facts(audit, link.source) is not None:
            place = replace(place, source=link.source, span=link.span)
        else:
            doubts.append(tr("this run has no such version of the source"))
    if link.citation is not None:
        if link.citation < len(audit.citations):
            place = replace(place, citation=link.citation)
        else:
            doubts.append(tr("this run has no citation {number}", number=link.citation + 1))
    checked = False
    if link.quote is not None:
        text = _text(audit, link)
        checked = text is not None and link.quote.fits(text)
        if text is None:
            doubts.append(tr("the quoted words cannot be checked: there is no text at this place"))
        elif not checked:
            doubts.append(tr("the text at this place is not what the link quotes"))
    return Followed(place, tuple(doubts), checked)


def _in_request(audit: Audit, place: Place, link: Link, doubts: list[str]) -> Place:
    """Add message and part to *place*, as far as the request of its call has them."""
    if link.message is None or link.call is None:
        return place
    request = audit.run.request(link.call)
    if link.message >= len(request):
        doubts.append(tr("this call has no message {number}", number=link.message))
        return place
    parts = audit.run.messages[request[link.message]].parts
    if link.part is None or link.part < len(parts):
        return replace(place, message=link.message, part=link.part, message_span=link.at)
    doubts.append(tr("this message has no part {number}", number=link.part))
    return replace(place, message=link.message)


def _unit(audit: Audit, place: Place) -> Unit:
    """Return what the span of *place* counts: a citation may count otherwise than its version."""
    if place.citation is not None and place.citation < len(audit.citations):
        facts = audit.citations[place.citation]
        key = VersionKey(facts.source_id, facts.version_id or "")
        if key == place.source and facts.span == place.span:
            return facts.unit
    found = version_facts(audit, place.source)
    return found.unit if found is not None else Unit.CHAR


def _text(audit: Audit, link: Link) -> str | None:
    """Return the recorded text at *link*, ``None`` where there is none or not all of it."""
    if link.source is not None and link.span is not None:
        return _stored(audit, link.source, link.span, link.unit)
    if link.call is None or link.message is None or link.part is None or link.at is None:
        return None
    request = audit.run.request(link.call) if link.call >= 1 else ()
    if link.message >= len(request):
        return None
    parts = audit.run.messages[request[link.message]].parts
    if link.part >= len(parts) or link.at.end > len(parts[link.part].text):
        return None
    return parts[link.part].text[link.at.start : link.at.end]


def _stored(audit: Audit, key: VersionKey, span: Span, unit: Unit) -> str | None:
    facts = version_facts(audit, key)
    text = VersionText(facts.version) if facts is not None else None
    if text is None or text.text is None:
        return None
    if unit is Unit.BLOCK:
        return text.text[span.start : span.end] if text.unit is Unit.BLOCK else None
    found = text.chars_of(span, unit)
    held = "".join(text.text[one.start : one.end] for one in found)
    if not found or (unit is Unit.CHAR and len(held) != span.length):
        return None
    return held
