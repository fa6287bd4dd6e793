"""Calls and sources in figures, computed from what changed between calls."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.intervals import covers, length, subtract, union
from reviewer.audit.prefix import shared_prefix
from reviewer.audit.sizes import Size, Sizes
from reviewer.audit.standing import Standing
from reviewer.audit.texts import VersionText
from store.records.findings import (
    CallFacts,
    SourceFacts,
    State,
    Tokens,
    VersionFacts,
)
from store.records.runs import Run
from store.records.sources import Integrity, SourceKind, Version, VersionKey
from store.records.text import Span, Unit

__all__ = ["calls", "sources"]


def calls(run: Run, sizes: Sizes, encoding: str) -> Iterator[CallFacts]:
    """Yield the facts of each call; *encoding* names what *sizes* were counted in, if at all."""
    held: list[int] = []
    total = Size()
    for call in run.calls:
        shared = shared_prefix(run, call, held, sizes, total.utf8)
        for splice in reversed(call.splices):
            for message in held[splice.start : splice.stop]:
                total = total.minus(sizes.messages[message])
            for message in splice.messages:
                total = total.plus(sizes.messages[message])
            held[splice.start : splice.stop] = splice.messages
        yield CallFacts(
            index=call.index,
            id=call.id,
            origin=call.origin,
            model=call.model,
            grade=call.grade,
            grade_reason=call.grade_reason,
            messages=len(held),
            chars=total.chars,
            utf8_bytes=total.utf8,
            tokens=Tokens(
                estimated=total.tokens if sizes.counted else None,
                encoding=encoding if sizes.counted else "",
                reported_input=call.usage.input_tokens,
            ),
            shared_prefix_bytes=shared,
        )


def sources(standing: Standing) -> Iterator[SourceFacts]:
    """Yield every source with its versions, in the order recorded; listed ones without text too."""
    run = standing.run
    listed: dict[VersionKey, None] = {}
    for manifest in run.manifests:
        for entry in manifest.entries:
            listed[VersionKey(entry.source_id, entry.version_id)] = None
    texts = dict(standing.deliveries.texts)
    for key in (*listed, *(s.key for r in run.tool_results for s in r.selections)):
        one = standing.deliveries.by_version.get(key)
        named = key.version_id or not any(k.source_id == key.source_id for k in texts)
        if key not in texts and one is None and named:
            texts[key] = VersionText(_unseen(key))
    grouped: dict[str, list[VersionText]] = {}
    for key, text in texts.items():
        grouped.setdefault(key.source_id, []).append(text)
    for source_id, versions in grouped.items():
        yield SourceFacts(
            source_id=source_id,
            kind=versions[0].version.kind.value,
            title=next((t.version.title for t in reversed(versions) if t.version.title), ""),
            versions=tuple(_version(standing, text, listed) for text in versions),
        )


def _unseen(key: VersionKey) -> Version:
    return Version(key, SourceKind.TEXT, integrity=Integrity.MISSING)


def _version(standing: Standing, text: VersionText, listed: dict[VersionKey, None]) -> VersionFacts:
    key, closing = text.version.key, standing.closing_call
    delivered = standing.ever_whole(key)
    now = standing.delivered(key, closing)
    whole = text.whole
    countable = text.unit is not Unit.BLOCK
    return VersionFacts(
        version=text.version,
        unit=text.unit,
        listed=key in listed,
        previewed=standing.previewed(key),
        delivered=delivered if countable else (),
        gaps=subtract([whole], delivered) if whole else (),
        delivered_at_answer=now if countable else (),
        state_at_answer=_state(standing, text, now, listed=key in listed),
        delivered_rows=_rows(standing, text),
        length_known=whole is not None,
        delivered_blocks=tuple(n for n in text.blocks if covers(delivered, text.block(n))),
    )


def _rows(standing: Standing, text: VersionText) -> tuple[Span, ...] | None:
    """Rows of which at least some fields came; the whole ones are in ``delivered``."""
    if text.rows is None:
        return None
    touched = standing.ever(text.version.key)
    return union(Span(text.row_of(s.start), text.row_of(s.end - 1) + 1) for s in touched)


def _state(
    standing: Standing,
    text: VersionText,
    now: tuple[Span, ...],
    *,
    listed: bool,
) -> State:
    key, closing = text.version.key, standing.closing_call
    whole = text.whole
    if whole is not None and now and length(now) == whole.length:
        return State.FULL
    if now or standing.touched(key, closing):
        return State.PARTIAL
    if standing.previewed_at(key, closing):
        return State.PREVIEW
    asked = standing.asked.get(key, ())
    stands = (a for id_ in asked for a in standing.appearances.get(id_, ()))
    if any(a.first <= closing <= a.last for a in stands):
        return State.PLACEHOLDER
    return State.LISTED if listed else State.ABSENT
