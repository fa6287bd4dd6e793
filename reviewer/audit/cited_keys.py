"""What a key in the text of an answer names: a source, a block, a reference, lines of a file.

Keys are compared whole.  Of a key that goes on into the punctuation behind it
the longest known one counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from reviewer.audit.resolving import Resolver
from reviewer.audit.standing import Standing
from reviewer.audit.texts import PLAIN_RESULT
from store.records.citations import AnswerCitation, Citation, SourceCitation
from store.records.text import Span, Unit
from store.references import ReferenceSyntaxError, parse

__all__ = ["Keys", "Mark"]

_TRAILING = ".,;:!?'\"*_~…。，；：！？、"
_PAIRS = {")": "(", "]": "[", "}": "{"}
_LEAST_BLOCK = 3
"""Shorter block ids are found in brackets only: in running text they may be anything."""


class Mark(NamedTuple):
    """A place in an answer: its span, the call that wrote it, and that of the answer before."""

    span: Span
    call: int
    before: int = 0


class Keys:
    """The keys of one run."""

    def __init__(self, standing: Standing) -> None:
        self._resolver = Resolver(standing)
        self._standing = standing

    @cached_property
    def _blocks(self) -> Mapping[str, tuple[str, ...]]:
        """The sources that have a block of a name."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for key, text in self._standing.deliveries.texts.items():
            for block_id in text.blocks:
                found[block_id][key.source_id] = None
        return {block_id: tuple(sources) for block_id, sources in found.items()}

    @property
    def sources(self) -> tuple[str, ...]:
        """The ids of all sources that are known, results of other tools left out."""
        return tuple(s for s in self._resolver.known if not s.startswith(PLAIN_RESULT))

    @cached_property
    def telling_blocks(self) -> tuple[str, ...]:
        """The block ids that mean nothing else wherever they stand in a text."""
        return tuple(
            name
            for name in self._blocks
            if len(name) >= _LEAST_BLOCK
            and not name.isdecimal()
            and not any(map(str.isspace, name))
            and not name.isalpha()
        )

    def lead(self, key: str, place: Span) -> Citation | None:
        """Return what *key*, which ends where *place* does, names; the place ends with the key."""
        for known in _candidates(key):
            marked = Span(place.start, place.end - (len(key) - len(known)))
            found = self._whole(known, marked)
            if found is not None:
                return found
        return None

    def _whole(self, key: str, place: Span) -> Citation | None:
        if self._resolver.known.get(key):
            return AnswerCitation(place, key, label=key)
        holders = self._blocks.get(key, ())
        if holders:
            why = f"{len(holders)} sources have a block of this name" if len(holders) > 1 else ""
            return AnswerCitation(place, holders[0], block_id=key, label=key, unverifiable=why)
        return self._reference(key, place) if "@" in key else None

    def _reference(self, key: str, place: Span) -> Citation | None:
        try:
            selection = parse(key).selection
        except ReferenceSyntaxError:
            return None
        versions = self._resolver.known.get(selection.source_id)
        if not versions:
            return None
        fitting = [each for each in versions if each.startswith(selection.version_id)]
        version = fitting[0] if len(fitting) == 1 else selection.version_id
        ends = [edge for span in selection.ranges for edge in (span.start, span.end)]
        return SourceCitation(
            place,
            selection.source_id,
            version or None,
            span=Span(min(ends), max(ends)) if ends else None,
            unit=Unit.CHAR if selection.blocks else selection.unit,
            block_id=selection.blocks[0] if selection.blocks else None,
            fields=selection.fields,
            label=key,
        )


def _candidates(key: str) -> Iterator[str]:
    """Yield *key* and what is left of it without the punctuation at its end, the longest first."""
    yield key
    while key:
        last = key[-1]
        opened = _PAIRS.get(last)
        if last not in _TRAILING and (opened is None or key.count(opened) >= key.count(last)):
            return
        key = key[:-1]
        yield key
