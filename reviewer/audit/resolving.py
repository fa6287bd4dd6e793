"""What a citation points at: source, version and span, or why it points at nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.audit.standing import Standing
from reviewer.audit.texts import Known, VersionText
from store.records.citations import AnswerCitation, Citation, SourceCitation
from store.records.sources import Integrity, VersionKey
from store.records.text import Span, Unit

__all__ = ["Resolved", "Resolver"]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A citation led to its source, as far as that is possible.

    ``key`` is ``None`` when nothing matches; ``why`` says what did not.
    ``span`` counts in ``unit`` and is ``None`` when no place is named;
    ``beyond`` says that it lies outside the version.
    """

    key: VersionKey | None
    text: VersionText | None = None
    span: Span | None = None
    unit: Unit = Unit.CHAR
    why: str = ""
    beyond: str = ""


class Resolver:
    """Resolves citations of one run; keys are compared whole."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing
        self._known: dict[str, list[str]] = defaultdict(list)
        run = standing.run
        stored = (version.key for version in run.versions)
        listed = (
            VersionKey(entry.source_id, entry.version_id)
            for manifest in run.manifests
            for entry in manifest.entries
        )
        chosen = (s.key for result in run.tool_results for s in result.selections)
        for key in (*stored, *listed, *chosen):
            if key.version_id not in self._known[key.source_id]:
                self._known[key.source_id].append(key.version_id)

    @property
    def known(self) -> Mapping[str, Sequence[str]]:
        """The ids of all versions that are known of each source, in recorded order."""
        return self._known

    def resolve(self, citation: Citation, call: int) -> Resolved:
        """Lead *citation*, written by call *call*, to a version and a span of it."""
        known = self._known.get(citation.source_id)
        if not known:
            return Resolved(None, why=f"no source is named {citation.source_id}")
        if citation.version_id is not None and citation.version_id not in known:
            return Resolved(None, why=f"{citation.source_id} has no version {citation.version_id}")
        if citation.block_id is not None:
            return self._block(citation, citation.block_id, call)
        version_id = citation.version_id
        if version_id is None:
            version_id = self._newest(citation.source_id, known, call)
        key = VersionKey(citation.source_id, version_id)
        return self._place(citation, key)

    def _block(self, citation: Citation, block_id: str, call: int) -> Resolved:
        ids = self._known[citation.source_id]
        if citation.version_id is not None:
            ids = [citation.version_id]
        holding = [
            version_id for version_id in ids if block_id in self._blocks(citation, version_id)
        ]
        if not holding:
            return Resolved(None, why=f"no version of {citation.source_id} has block {block_id}")
        key = VersionKey(citation.source_id, self._newest(citation.source_id, holding, call))
        text = self._standing.deliveries.texts[key]
        span = None if text.unit is Unit.BLOCK else text.blocks[block_id]
        beyond = citation.malformed or (_beyond(span, Unit.CHAR, text) if span else "")
        return Resolved(key, text, span, text.unit, beyond=beyond)

    def _blocks(self, citation: Citation, version_id: str) -> dict[str, Span]:
        text = self._standing.deliveries.texts.get(VersionKey(citation.source_id, version_id))
        return dict(text.blocks) if text else {}

    def _newest(self, source_id: str, ids: list[str], call: int) -> str:
        """The newest version delivered at *call*, else the newest stored."""
        present = [
            version_id
            for version_id in ids
            if self._standing.touched(VersionKey(source_id, version_id), call)
        ]
        stored = [
            version_id
            for version_id in ids
            if VersionKey(source_id, version_id) in self._standing.deliveries.texts
        ]
        return (present or stored or ids)[-1]

    def _place(self, citation: Citation, key: VersionKey) -> Resolved:
        text = self._standing.deliveries.texts.get(key)
        if isinstance(citation, AnswerCitation):
            if citation.malformed:
                return Resolved(key, text, beyond=citation.malformed)
            unit = text.unit if text else Unit.CHAR
            return Resolved(key, text, text.whole if text else None, unit)
        if citation.malformed:
            return Resolved(key, text, beyond=citation.malformed)
        span = citation.span
        if span is None and citation.quote is None and text is not None:
            span = text.whole
        beyond = _beyond(span, citation.unit, text) if span and text else ""
        beyond = beyond or _no_such_field(citation, text)
        return Resolved(key, text, span, citation.unit, beyond=beyond)


def _beyond(span: Span, unit: Unit, text: VersionText) -> str:
    """Say how *span* leaves the version, empty when it stays inside or the length is unknown."""
    what = "characters" if unit is Unit.CHAR else f"{unit.value}s"
    if unit in (Unit.LINE, Unit.PAGE) and span.start < 1:
        return f"{what} count from 1, the citation starts at {span.start}"
    limit = _limit(unit, text)
    if limit is None or span.end <= limit:
        return ""
    size = limit - 1 if unit in (Unit.LINE, Unit.PAGE) else limit
    return f"the version has {size} {what}, the citation ends at {span.end}"


def _no_such_field(citation: SourceCitation, text: VersionText | None) -> str:
    if text is None or text.version.table is None:
        return ""
    known = frozenset(text.version.table.fields).union(*text.shapes)
    strange = [name for name in citation.fields or () if name not in known]
    return f"the table has no field {', '.join(strange)}" if strange and known else ""


def _limit(unit: Unit, text: VersionText) -> int | None:
    """The end of the version in *unit*, ``None`` where it is not known."""
    if unit is Unit.PAGE:
        pages = [block.page for block in text.version.blocks if block.page is not None]
        return max(pages) + 1 if pages else None
    if unit is Unit.ROW and text.row_count is not None:
        return text.row_count
    if unit in (Unit.LINE, Unit.ROW):
        whole = text.known is Known.WHOLE
        return text.index.line_count + (unit is Unit.LINE) if whole else None
    return text.whole.end if text.whole is not None else None


def is_changed(text: VersionText | None) -> bool:
    """Whether the stored bytes no longer have the recorded hash."""
    return text is not None and text.version.integrity is Integrity.CHANGED
