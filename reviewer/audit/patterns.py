r"""How answers cite in their text: patterns as data, to which a user adds.

A pattern finds places in an answer and what they name.  What becomes of a
place is decided by what the run knows: a key that names no known source or
block is never made a citation by the look of it.

Groups of a regular expression: ``key`` is what is named (a source id, a block
id, an address, a path, a reference), ``numbers`` are numbers of entries of a
numbered context, ``lines`` are lines of the source from 1, both ends included
(``12``, ``12-20``, ``3, 7-9``), ``start`` and ``end`` count characters from 0,
half-open.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["BUILT_IN", "DEFAULT", "Names", "Pattern", "Patterns"]


class Names(StrEnum):
    """What the places of a pattern name.

    ``KEY``: a known source or block, compared whole.  ``FILE``: lines of a
    file.  ``ENTRY``: numbered entries of a context that the model was given,
    or of a list in the answer itself.  ``CHUNKS``: numbered chunks
    (``<C0>`` …) of a document, as a range.  ``NOTE``: a footnote of the answer.
    """

    KEY = "key"
    FILE = "file"
    ENTRY = "entry"
    CHUNKS = "chunks"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to cite in a text.

    ``source`` is the key that is looked up, made of the named groups of
    ``regex``.  With ``in_code`` it is looked for between back quotes too.
    With ``tells`` a place that leads nowhere is told of: its shape is used for
    nothing else.  ``origin`` is the settings file of a user's own.
    """

    name: str
    names: Names
    regex: str
    source: str = "{key}"
    in_code: bool = False
    tells: bool = False
    origin: str = ""

    def compiled(self) -> re.Pattern[str]:
        """Return the regular expression.  Raises `re.error` for one that is none."""
        return re.compile(self.regex)


_NUMBERS = r"[0-9]{1,7}(?:\s?[-–~至]\s?[0-9]{1,7})?"
_NO_PATH = r"\s`'\"()\[\]{}<>|,;:*“”‘’，。；：、（）《》「」【】"
_BEFORE = rf"(?<![^{_NO_PATH}])"
"""A path begins behind what no path holds: so each word is looked at once, however long."""
_FILE = rf"(?P<key>(?:\b[A-Za-z]:[\\/])?[^{_NO_PATH}]{{1,1000}})"
_ANCHORED = rf"(?P<key>(?:\b[A-Za-z]:[\\/])?[^#{_NO_PATH}]{{1,1000}})"

BUILT_IN: tuple[Pattern, ...] = (
    Pattern(
        "reference",
        Names.KEY,
        r"(?<![^\s`'\"()\[\]<>])(?P<key>[^\s`'\"()\[\]<>]{1,300}@[^\s`'\"()\[\]<>@]{1,100}(?:\[[^\[\]\n]{1,200}\])?)",
        in_code=True,
    ),
    Pattern(
        "cite-element",
        Names.CHUNKS,
        r"<cite>\s*(?P<numbers>(?:\[\s*[0-9]{1,6}(?:\s*[-–]\s*[0-9]{1,6})?\s*\]\s*)+)</cite>",
        tells=True,
    ),
    Pattern("corner-brackets", Names.ENTRY, r"【(?P<key>[^【】\n]{1,200})】", tells=True),
    Pattern("footnote", Names.NOTE, r"\[\^(?P<key>[^\]\s]{1,60})\]", tells=True),
    Pattern(
        "number",
        Names.ENTRY,
        r"(?<!\[)\[(?P<numbers>[0-9]{1,3}(?:\s*[-–,;，；、]\s*[0-9]{1,3}){0,30})\](?![\](]|\[[^\]0-9])",
        tells=True,
    ),
    Pattern(
        "link",
        Names.KEY,
        r"\[(?:[^\[\]\n]|\[[^\[\]\n]{0,100}\]){0,300}\]"
        r"\(<?(?P<key>[^()\s<>]{1,2000}(?:\([^()\s<>]{0,200}\)[^()\s<>]{0,200}){0,4})>?"
        r"(?:\s+\"[^\"\n]{0,300}\")?\)",
    ),
    Pattern(
        "address",
        Names.KEY,
        r"(?P<key>\bhttps?://[^\s<>\"'`，。；、（）《》【】「」]{1,2000})",
        in_code=True,
    ),
    Pattern("bracketed", Names.KEY, r"(?<!\])\[(?P<key>[^\[\]\n]{1,300})\](?![(:])", in_code=True),
    Pattern(
        "path-line",
        Names.FILE,
        _BEFORE + _FILE + rf":(?P<lines>{_NUMBERS})(?::[0-9]{{1,5}})?(?![\w:]|\.[0-9])",
        in_code=True,
    ),
    Pattern(
        "path-anchor",
        Names.FILE,
        _BEFORE + _ANCHORED + r"#L(?P<lines>[0-9]{1,7}(?:[-–]L?[0-9]{1,7})?)",
        in_code=True,
    ),
    Pattern(
        "path-words",
        Names.FILE,
        _BEFORE
        + _FILE
        + r"[`*\"]{0,3}[\s,:(（，]{0,3}(?:(?:at|on|in)\s)?(?:[Ll]ines?\s|\bL|第\s?|行\s?)"
        + rf"(?P<lines>{_NUMBERS}(?:(?:\s?[,，、]\s?|\sand\s){_NUMBERS}){{0,30}})",
        in_code=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns in force: a user's own first, then those built in."""

    all: tuple[Pattern, ...] = BUILT_IN


DEFAULT = Patterns()
