"""Numbers in an answer that name the sources of a list beside it: ``[1]``, ``[ref_1]``, links.

They count from 1.  A list that no mark of the answer refers to is told as
citations without a place: the service names the sources and no more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from store.importers._openai_marks import link
from store.importers._wire_answers import Answers, Named
from store.importers._wire_offsets import Fitted
from store.records.citations import Offsets
from store.records.runs import Part, PartKind
from store.records.sources import Manifest, ManifestEntry
from store.records.text import Span

__all__ = ["SEARCH", "linked", "listing", "numbered", "placeless"]

_NUMBER: Final = re.compile(r"\[(?:ref_|doc)?([0-9]{1,3})\]")
_LINK: Final = re.compile(r"\[\[[0-9]{1,3}\]\]\((https?://[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)\)")
SEARCH: Final = Part(PartKind.OPAQUE, name="search")
"""Stands for what a search of the service gave the model."""


def numbered(text: str, sources: Sequence[Named], answers: Answers) -> bool:
    """Add the citation of each number in *text*; say whether there was one."""
    found = list(_NUMBER.finditer(text))
    for each in found:
        number = int(each[1])
        known = 1 <= number <= len(sources)
        offsets = Offsets(number, number, "marker", ("marker",) if known else (), 0)
        wrong = "" if known else f"[{number}] is none of the {len(sources)} sources"
        named = sources[number - 1] if known else Named(f"[{number}]")
        answers.add(Fitted(Span(*each.span()), offsets, wrong), 0, [named])
    return bool(found)


def linked(text: str, answers: Answers, sealed: str) -> bool:
    """Add the citation of each link whose words are a number; say whether there was one."""
    found = list(_LINK.finditer(text))
    for each in found:
        place = link(text, each.start(), each.end(), each[1])
        answers.add(place, 0, [answers.unread(each[1], "", sealed)])
    return bool(found)


def placeless(sources: Sequence[Named], answers: Answers) -> None:
    """Add a citation without a place for each source of a list."""
    for each in sources:
        answers.add(Fitted(None, None), 0, [each])


def listing(sources: Sequence[Named]) -> Manifest:
    """Return the list of sources as what was on offer."""
    entries = tuple(ManifestEntry(each.source_id, each.version_id or "") for each in sources)
    return Manifest(None, entries)
