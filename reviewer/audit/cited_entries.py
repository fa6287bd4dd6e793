"""Numbered entries and chunks of the requests, led to by the numbers that an answer cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from reviewer.audit.cited_contexts import chunks_in, entries_in
from reviewer.audit.cited_keys import Mark
from reviewer.audit.standing import Standing
from reviewer.audit.texts import CONTEXT
from store.records.citations import AnswerCitation, Citation, SourceCitation
from store.records.runs import PartKind
from store.records.sources import Block, Integrity, SourceKind, Version, VersionKey
from store.records.text import Span

__all__ = ["CitedEntries"]

_MODEL_ROLES = frozenset({"assistant", "model", "ai"})
_SHOWN = frozenset({PartKind.TEXT, PartKind.TOOL_RESULT, PartKind.DOCUMENT})
_ADDRESS = re.compile(r"https?://[^\s<>\"'`]+")
_TERM = re.compile(r"[0-9]+|[A-Za-z]{3,}|[^\W\d_a-zA-Z]{2}")
_SHARED = 3
"""One word in so many must stand in an entry that a line of the answer's own list names."""
_CHUNK_RANGE = re.compile(r"\[\s*([0-9]{1,6})(?:\s*[-–]\s*([0-9]{1,6}))?\s*\]")


class _Entry(NamedTuple):
    """A numbered entry: its message and part, where it stands there, and its key."""

    message: int
    part: int
    span: Span
    key: str


class CitedEntries:
    """The numbered contexts in the requests of one run."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing
        self._entries: dict[tuple[int, int], Mapping[str, tuple[Span, ...]]] = {}
        self._sources: dict[tuple[int, int], Version | None] = {}
        self._by_call: dict[int, Mapping[str, list[tuple[int, int, Span]]]] = {}

    @property
    def contexts(self) -> Mapping[tuple[int, int], Version]:
        """The parts of messages that are cited by number, as sources."""
        return {place: made for place, made in self._sources.items() if made is not None}

    def entry(self, key: str, mark: Mark, meant: str = "") -> Iterator[Citation]:
        """Yield the entry of a numbered context: of this turn if it has one, else of another.

        *meant* are the words that a list in the answer itself puts under the number.
        """
        places = self._numbered(mark.call).get(key, ())
        first = self._standing.residency.first
        own = (
            [each for each in places if (first(each[0]) or 0) > mark.before]
            if mark.before
            else places
        )
        chosen = own or places
        if not chosen:
            return
        message, number, entry = chosen[-1]
        why = "" if len(chosen) == 1 else f"{len(chosen)} entries of the request have number {key}"
        shown = self._standing.run.messages[message].parts[number].text[entry.start : entry.end]
        if not why and not _tells_of(meant, shown):
            why = f"a list in the answer puts something else under the number {key}"
        yield from self._cited(_Entry(message, number, entry, key), mark.span, why)

    def _numbered(self, call: int) -> Mapping[str, list[tuple[int, int, Span]]]:
        """Return the entries in the request of *call*, by key."""
        if call not in self._by_call:
            found: dict[str, list[tuple[int, int, Span]]] = {}
            for message, number in self._read_parts(call):
                for key, entries in self._entries_of(message, number).items():
                    found.setdefault(key, []).extend((message, number, each) for each in entries)
            self._by_call[call] = found
        return self._by_call[call]

    def _read_parts(self, call: int) -> Iterator[tuple[int, int]]:
        """Yield the parts of the request of *call* that the model did not write."""
        for message in self._standing.request(call):
            held = self._standing.run.messages[message]
            if held.role in _MODEL_ROLES:
                continue
            for number, part in enumerate(held.parts):
                if part.kind in _SHOWN:
                    yield message, number

    def _entries_of(self, message: int, number: int) -> Mapping[str, tuple[Span, ...]]:
        if (message, number) not in self._entries:
            text = self._standing.run.messages[message].parts[number].text
            self._entries[message, number] = entries_in(text)
        return self._entries[message, number]

    def chunks(self, ranges: str, mark: Mark) -> Iterator[Citation]:
        """Yield a citation for each range of chunks ``[s-e]``, of the newest document in chunks."""
        for message, number in reversed(list(self._read_parts(mark.call))):
            text = self._standing.run.messages[message].parts[number].text
            chunks = chunks_in(text)
            if not chunks:
                continue
            source = self._source_of(message, number)
            if source is None:
                return
            key, shift = source.key, (source.text or "").find(text)
            for found in _CHUNK_RANGE.finditer(ranges):
                first, last = int(found[1]), int(found[2] or found[1])
                label, place, wrong = f"{first}-{last}", None, ""
                if first > last or last not in chunks:
                    wrong = f"the document has chunks 0 to {len(chunks) - 1}"
                else:
                    place = Span(chunks[first].start, chunks[last].end).moved(shift)
                yield SourceCitation(
                    mark.span, key.source_id, key.version_id, place, label=label, malformed=wrong
                )
            return

    # -- contexts ----------------------------------------------------------------------------

    def _cited(self, found: _Entry, span: Span, why: str) -> Iterator[Citation]:
        """Yield a citation of an entry: of what it holds as a whole, else of the entry itself."""
        message, number, entry, key = found
        held = self._held(message, number, entry)
        if held is not None:
            version, block_id = held
            yield AnswerCitation(
                span, version.source_id, version.version_id, block_id, key, unverifiable=why
            )
            return
        source = self._source_of(message, number)
        if source is not None:
            key_, block_id = source.key, _named(source, entry, key)
            yield AnswerCitation(
                span, key_.source_id, key_.version_id, block_id, key, unverifiable=why
            )

    def _held(self, message: int, number: int, entry: Span) -> tuple[VersionKey, str | None] | None:
        """Return the one version, or block of one, that stands in an entry, if it is one."""
        deliveries = self._standing.deliveries
        found = {
            (each.version, each.span)
            for each in deliveries.by_message.get(message, ())
            if each.part == number
            and entry.covers(each.message_span)
            and not deliveries.texts[each.version].is_plain_result
        }
        if len(found) != 1:
            return None
        ((key, span),) = found
        text = deliveries.texts[key]
        if text.whole == span:
            return key, None
        names = [name for name in text.blocks if text.block(name) == (span,)]
        return (key, names[0]) if len(names) == 1 else None

    def _source_of(self, message: int, number: int) -> Version | None:
        """Return the source that a part of a message is, with its numbered entries as blocks."""
        place = (message, number)
        if place not in self._sources:
            self._sources[place] = self._made_source(message, number)
        return self._sources[place]

    def _made_source(self, message: int, number: int) -> Version | None:
        deliveries = self._standing.deliveries
        part = self._standing.run.messages[message].parts[number]
        entries = self._entries_of(message, number)
        for selection in deliveries.selections(part):
            text = deliveries.text_of(selection)
            if text is None or not text.text or not text.is_plain_result:
                continue
            at = text.text.find(part.text)
            if at >= 0:
                blocks = _blocks(entries, at)
                return replace(text.version, blocks=text.version.blocks or blocks)
        if part.kind is PartKind.TOOL_RESULT or part.source_id:
            return None
        return _as_source(message, number, part.text, _blocks(entries, 0))


def _tells_of(words: str, entry: str) -> bool:
    """Whether *words* may stand for an entry: they share its address, else some of its words."""
    wanted, there = set(_ADDRESS.findall(words)), entry.casefold()
    if wanted:
        return any(address.rstrip(".,;)").casefold() in there for address in wanted)
    terms = {found.casefold() for found in _TERM.findall(words)}
    shared = sum(term in there for term in terms)
    return not terms or shared * _SHARED >= len(terms)


def _as_source(message: int, number: int, text: str, blocks: tuple[Block, ...]) -> Version:
    name = f"{CONTEXT}{message}" + (f".{number}" if number else "")
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Version(
        VersionKey(name, digest),
        SourceKind.BLOCKS,
        title="a numbered context of a request",
        text=text,
        chars=len(text),
        integrity=Integrity.RECONSTRUCTED,
        blocks=blocks,
    )


def _blocks(entries: Mapping[str, tuple[Span, ...]], shift: int) -> tuple[Block, ...]:
    """Return entries as blocks; of several under one number each is named with its place."""
    return tuple(
        Block(key if len(spans) == 1 else f"{key}@{span.start}", span.moved(shift))
        for key, spans in entries.items()
        for span in spans
    )


def _named(source: Version, entry: Span, key: str) -> str:
    names = {block.block_id for block in source.blocks}
    return key if key in names else f"{key}@{entry.start}"
