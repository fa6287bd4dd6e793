"""Places as the W3C Web Annotation Data Model writes them (Recommendation of 2017-02-23).

Positions are half-open and count code points (4.2.5: characters, not code
units) of the recorded text, without any normalisation; data positions count
bytes.  Several selectors of one target select the same text.
"""

from __future__ import annotations

import hashlib
import uuid

from reviewer.reports._base import Meta
from reviewer.reports._evidence_files import START, EvidenceFiles, places_in_record
from reviewer.reports._facts import digest_of
from reviewer.reports._version_places import AROUND, TextPlace, VersionPlaces
from store.records.findings import Audit, CitationFacts, Finding
from store.records.sources import Integrity, Version
from store.records.text import Span, TextIndex, Unit

__all__ = ["Targets", "named"]

_LONGEST = 100_000
"""Code points of a quotation; a longer one is left out whole, and that it is said."""

_FRAGMENT = "http://tools.ietf.org/rfc/rfc5147"
_NAMESPACE = uuid.UUID("8a0f6c1e-5d0b-5f7e-9b8e-3c1d2f4a6b70")


def named(*parts: object) -> str:
    """Return an IRI for what *parts* name; the same parts give the same one on every machine."""
    text = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return f"urn:uuid:{uuid.uuid5(_NAMESPACE, hashlib.sha256(text).hexdigest())}"


def _digest(text: str) -> str:
    return f"urn:sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


class Targets:
    """What the annotations of one audit point at."""

    def __init__(self, audit: Audit, meta: Meta, files: EvidenceFiles) -> None:
        self._audit = audit
        self._meta = meta
        self._versions = VersionPlaces(audit)
        self._files = files
        self._answers: dict[int, tuple[str, TextIndex]] = {}
        self.run = named(digest_of(audit.run) or audit.run.run_id, audit.run.run_id)

    def cited(self, facts: CitationFacts) -> dict[str, object]:
        """Return the cited place: the version by its digest, and the selectors of the span."""
        known = self._versions.facts(facts.source_id, facts.version_id)
        version = known.version if known else None
        target: dict[str, object] = {
            "type": "SpecificResource",
            "source": self._source(facts, version),
            "reread:source": facts.source_id,
            "reread:version": facts.version_id,
        }
        if version is not None and version.sha256:
            target["state"] = self._state(version)
        place = self._versions.cited(facts)
        if place is not None:
            quotable = self._quotable(place.exact, place.prefix, place.suffix)
            target["selector"] = _of_text(place, quotable=quotable)
            if not quotable:
                target["reread:quotationLeftOut"] = len(place.exact)
        elif selectors := _of_span(facts):
            target["selector"] = selectors
        if facts.citation.block_id is not None:
            target["reread:block"] = facts.citation.block_id
        return target

    def answer(self, facts: CitationFacts) -> dict[str, object] | None:
        """Return the place in the answer that a citation marks, ``None`` where it marks none."""
        marked = facts.citation.answer_span
        answers = self._audit.run.answers
        if marked is None or facts.answer >= len(answers):
            return None
        text = answers[facts.answer].text
        if facts.answer not in self._answers:
            self._answers[facts.answer] = (_digest(text), TextIndex(text))
        source, index = self._answers[facts.answer]
        if marked.end > len(text):
            return None
        exact = text[marked.start : marked.end]
        selectors = [_position(marked)]
        before, behind = _around(text, marked)
        if self._quotable(exact, before, behind):
            selectors.append(_quotation(exact, before, behind))
        selectors.append(_data(Span(index.to_utf8(marked.start), index.to_utf8(marked.end))))
        return {
            "type": "SpecificResource",
            "purpose": "linking",
            "source": source,
            "selector": selectors,
            "reread:answerOfCall": facts.call_at_answer,
        }

    def in_record(self, finding: Finding) -> dict[str, object]:
        """Return the line of the record that a finding speaks of."""
        origin, _ = next(places_in_record(self._audit.run, finding, None))
        place = self._files.place(self._audit.run, origin)
        file = place.file
        # Only what lies below the folder of this report has an address that leads there.
        source = file.uri if file.base == START else named(self.run, file.uri)
        target: dict[str, object] = {
            "type": "SpecificResource",
            "source": source,
            "reread:file": file.uri,
        }
        if place.line is not None:
            target["selector"] = [_lines(Span(place.line - 1, place.line))]
        if place.pointer:
            target["reread:pointer"] = place.pointer
        return target

    def _quotable(self, exact: str, prefix: str, suffix: str) -> bool:
        """Tell whether a quotation can stand in a file of UTF-8, may be shown, and is of use."""
        if len(exact) > _LONGEST:
            return False
        text = f"{prefix}{exact}{suffix}"
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
        return self._meta.mask(text) == text

    def _source(self, facts: CitationFacts, version: Version | None) -> str:
        if version is not None and version.sha256:
            return f"urn:sha256:{version.sha256}"
        return named("source", facts.source_id, facts.version_id)

    def _state(self, version: Version) -> dict[str, object]:
        """Return the state of a version: its digest, and the file that holds its bytes."""
        state: dict[str, object] = {"type": "reread:DigestState", "reread:sha256": version.sha256}
        state["reread:integrity"] = version.integrity.value
        name = self._meta.file_of(self._audit.run, version)
        if name is not None and version.integrity is Integrity.INTACT:
            file = self._files.file(self._audit.run, name)
            if file.base == START:
                state["cached"] = file.uri
        return state


def _of_text(place: TextPlace, *, quotable: bool) -> list[dict[str, object]]:
    found = [_position(place.span)]
    if quotable:
        found.append(_quotation(place.exact, place.prefix, place.suffix))
    if place.byte_span is not None:
        found.append(_data(place.byte_span))
    return found


def _of_span(facts: CitationFacts) -> list[dict[str, object]]:
    """Return what can be selected where the text itself is not known as a whole."""
    if facts.span is None:
        return []
    if facts.unit is Unit.CHAR:
        return [_position(facts.span)]
    if facts.unit is Unit.ROW:
        return [_lines(facts.span)]
    if facts.unit is Unit.LINE and facts.span.start > 0:
        return [_lines(facts.span.moved(-1))]
    return []


def _around(text: str, span: Span) -> tuple[str, str]:
    return text[max(0, span.start - AROUND) : span.start], text[span.end : span.end + AROUND]


def _position(span: Span) -> dict[str, object]:
    return {"type": "TextPositionSelector", "start": span.start, "end": span.end}


def _quotation(exact: str, prefix: str, suffix: str) -> dict[str, object]:
    return {"type": "TextQuoteSelector", "exact": exact, "prefix": prefix, "suffix": suffix}


def _data(span: Span) -> dict[str, object]:
    return {"type": "DataPositionSelector", "start": span.start, "end": span.end}


def _lines(span: Span) -> dict[str, object]:
    """Return lines, counted from 0 as RFC 5147 counts the gaps between them."""
    return {
        "type": "FragmentSelector",
        "conformsTo": _FRAGMENT,
        "value": f"line={span.start},{span.end}",
    }
