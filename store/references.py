r"""The way a selection is written everywhere: ``d03@1454125600…[4321:4339]``.

A reference is a source id, then ``@`` and a version, then a place in square
brackets; the last two may be absent.  It is read from the right, because an
id may hold ``@`` and ``[`` itself:

========================== ====================================================
``[4321:4339]``            code points, half-open; ``[0:5,9:12]`` for several
``[lines 3-9]``            lines from 1, both included
``[rows 0:50]``            rows from 0, half-open; ``[rows 0:50 fields a,b]``
``[block ID]``             one block, its id whole; ``[blocks "A","B"]``
``[pages 2-3]``            pages from 1, both included
a bare ``@``               no version: written only where a part of the id would be
                           taken for one
========================== ====================================================

A hash may be shortened while it is unique, with or without ``…`` or ``...``
after it.  A version, field or block id that would be misread stands as a JSON
string in which ``@``, ``[`` and ``]`` are written ``\u0040``, ``\u005b`` and
``\u005d``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NoReturn

from store.records.sources import Selection
from store.records.text import Span, Unit

__all__ = ["Reference", "ReferenceSyntaxError", "format_reference", "parse"]


class ReferenceSyntaxError(ValueError):
    """A text is no reference.  ``position`` is the code point, from 0, that is wrong."""

    def __init__(self, text: str, position: int, what: str) -> None:
        there = repr(text[position]) if position < len(text) else "the end"
        super().__init__(f"not a reference: {what} at character {position + 1} ({there})")
        self.text = text
        self.position = position
        self.what = what


@dataclass(frozen=True, slots=True)
class Reference:
    """A selection as it was written.

    ``shortened`` is set where an ellipsis says that the version's hash goes on.
    A selection without ranges, blocks and fields means the whole version.
    """

    selection: Selection
    shortened: bool = False

    def __str__(self) -> str:
        return format_reference(self)


_UNITS = {"rows": Unit.ROW, "lines": Unit.LINE, "pages": Unit.PAGE}
_WORDS = {unit: word for word, unit in _UNITS.items()} | {Unit.CHAR: ""}
_INCLUSIVE = {Unit.LINE, Unit.PAGE}
_SINGULAR = {"row": "rows", "line": "lines", "page": "pages"}
_ELLIPSES = ("…", "...")
_NUMBER = re.compile(r"[0-9]{1,18}")
_WORD = re.compile(r"[a-z]+")
_PLAIN = re.compile(r'[^\s",@\[\]]+')
_SPACES = re.compile(r" *")
_ESCAPES = {"@": "\\u0040", "[": "\\u005b", "]": "\\u005d"}


def parse(text: str) -> Reference:
    """Return the reference that *text* writes.  Raises `ReferenceSyntaxError`."""
    end = len(text)
    place = Selection("")
    if text.endswith("]") and "[" in text:
        end, place = _bracket(text)
    source, version, shortened = _source_and_version(text, end)
    return Reference(
        Selection(source, version, place.unit, place.ranges, place.blocks, place.fields),
        shortened,
    )


def format_reference(reference: Reference | Selection) -> str:
    """Return *reference* as it is written; `parse` gives the same reference back.

    Raises `ValueError` for what cannot be written: no source id, or a line or
    page 0.
    """
    if isinstance(reference, Selection):
        reference = Reference(reference)
    selection = reference.selection
    if not selection.source_id:
        raise ValueError("a reference needs a source id")
    version = _version_text(selection.version_id, shortened=reference.shortened)
    text = ""
    for place in _places(selection):
        for mark in [version] if version else ["", "@"]:
            text = f"{selection.source_id}{mark}{place}"
            if _reads_as(text, reference):
                return text
    raise ValueError(f"cannot be written as a reference: {selection!r}")


def _reads_as(text: str, reference: Reference) -> bool:
    try:
        return parse(text) == reference
    except ReferenceSyntaxError:
        return False


# -- writing --------------------------------------------------------------------


def _version_text(version: str, *, shortened: bool) -> str:
    if not version:
        return ""
    plain = not any(mark in version for mark in '@[]"') and not version.endswith(_ELLIPSES)
    if shortened:
        return f"@{version}…"
    return f"@{version}" if plain else f"@{_quoted(version)}"


def _places(selection: Selection) -> tuple[str, ...]:
    """Return the ways to write the place, the plainest first."""
    if selection.unit is Unit.BLOCK:
        if len(selection.blocks) != 1:
            ids = ",".join(map(_quoted, selection.blocks))
            return (f"[blocks {ids}]" if ids else "[blocks]",)
        block = selection.blocks[0]
        return f"[block {block}]", f"[block {_quoted(block)}]"
    words = [_WORDS[selection.unit]] if selection.unit is not Unit.CHAR else []
    if selection.ranges:
        words.append(",".join(_range_text(span, selection.unit) for span in selection.ranges))
    if selection.fields is not None:
        words += ["fields", ",".join(map(_field_text, selection.fields))]
    return (f"[{' '.join(words).rstrip()}]" if words else "",)


def _range_text(span: Span, unit: Unit) -> str:
    if unit in _INCLUSIVE:
        if not span.start:
            raise ValueError(f"{_WORDS[unit]} count from 1")
        return f"{span.start}-{span.end - 1}"
    return f"{span.start}:{span.end}"


def _field_text(field: str) -> str:
    return field if _PLAIN.fullmatch(field) else _quoted(field)


def _quoted(text: str) -> str:
    written = json.dumps(text, ensure_ascii=False)
    return re.sub(r"[@\[\]]", lambda found: _ESCAPES[found[0]], written)


# -- reading --------------------------------------------------------------------


def _source_and_version(text: str, end: int) -> tuple[str, str, bool]:
    at = text.rfind("@", 0, end)
    source, version = (text[:at], text[at + 1 : end]) if at >= 0 else (text[:end], "")
    if not source:
        raise ReferenceSyntaxError(text, 0, "a source id is missing")
    if version.startswith('"'):
        value, stop = _string(text, at + 1)
        if stop != end:
            raise ReferenceSyntaxError(text, stop, "something follows the quoted version")
        return source, value, False
    wrong = re.search(r"[\[\]]", version)
    if wrong:
        raise ReferenceSyntaxError(
            text, at + 1 + wrong.start(), "a bracket inside the version, or a place left open"
        )
    for ellipsis in _ELLIPSES:
        if version.endswith(ellipsis):
            shortened = version.removesuffix(ellipsis)
            if not shortened:
                raise ReferenceSyntaxError(text, at + 1, "an ellipsis without a hash before it")
            return source, shortened, True
    return source, version, False


def _bracket(text: str) -> tuple[int, Selection]:
    """Return where the place begins, and the place."""
    last = text.rfind("[")
    try:
        return last, _Place(text, last + 1).read()
    except ReferenceSyntaxError:
        # A block id is opaque and may hold brackets itself.
        outer = text.rfind("[block ", 0, last)
        if outer < 0:
            raise
    return outer, _Place(text, outer + 1).read()


def _string(text: str, start: int) -> tuple[str, int]:
    try:
        value, stop = _DECODER.raw_decode(text, start)
    except ValueError:
        raise ReferenceSyntaxError(text, start, "a quotation that is no JSON string") from None
    return str(value), stop


_DECODER = json.JSONDecoder()


class _Place:
    """Reads what stands between the brackets; the last character of the text closes them."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self.end = len(text) - 1

    def read(self) -> Selection:
        if self.text.startswith("block ", self.at):
            self.at += len("block ")
            return Selection("", unit=Unit.BLOCK, blocks=(self._block(),))
        if self.text.startswith("blocks", self.at):
            self.at += len("blocks")
            return Selection("", unit=Unit.BLOCK, blocks=self._strings())
        unit = Unit.CHAR
        ranges: tuple[Span, ...] = ()
        fields: tuple[str, ...] | None = None
        begin = self.at
        word = self._word()
        word = _SINGULAR.get(word, word)
        if word in _UNITS:
            unit = _UNITS[word]
            word = ""
        if not word and self.at < self.end and not self._sees("fields"):
            ranges = self._ranges(unit)
        if not word:
            begin = self.at
            word = self._word()
        if word == "fields":
            fields = self._fields()
        elif word:
            self._fail(f"an unknown word {word!r}", begin)
        if self.at != self.end:
            self._fail("something that does not belong in a place")
        return Selection("", unit=unit, ranges=ranges, fields=fields)

    def _block(self) -> str:
        if self.at >= self.end:
            self._fail("a block id is missing")
        if not self.text.startswith('"', self.at):
            block, self.at = self.text[self.at : self.end], self.end
            return block
        block, self.at = _string(self.text, self.at)
        if self.at != self.end:
            self._fail("something follows the quoted block id")
        return block

    def _strings(self) -> tuple[str, ...]:
        found: list[str] = []
        self._skip()
        while self.at < self.end:
            if found:
                self._expect(",")
            if not self.text.startswith('"', self.at):
                self._fail("several block ids must be quoted")
            value, self.at = _string(self.text, self.at)
            found.append(value)
            self._skip()
        return tuple(found)

    def _ranges(self, unit: Unit) -> tuple[Span, ...]:
        found = [self._range(unit)]
        while self.text.startswith(",", self.at):
            self._expect(",")
            found.append(self._range(unit))
        return tuple(found)

    def _range(self, unit: Unit) -> Span:
        begin = self.at
        start = self._number()
        inclusive = unit in _INCLUSIVE
        if inclusive and not self.text.startswith("-", self.at):
            end = start
        else:
            self._expect("-" if inclusive else ":")
            end = self._number()
        if inclusive:
            end += 1
        if inclusive and not start:
            self._fail(f"{_WORDS[unit]} count from 1, not 0,", begin)
        if end < start:
            self._fail("a range that ends before it starts", begin)
        self._skip()
        return Span(start, end)

    def _fields(self) -> tuple[str, ...]:
        found: list[str] = []
        while self.at < self.end:
            if found:
                self._expect(",")
            if self.text.startswith('"', self.at):
                value, self.at = _string(self.text, self.at)
            else:
                plain = _PLAIN.match(self.text, self.at, self.end)
                if plain is None:
                    self._fail("a field name is missing")
                value, self.at = plain[0], plain.end()
            found.append(value)
            self._skip()
        return tuple(found)

    def _number(self) -> int:
        found = _NUMBER.match(self.text, self.at, self.end)
        if found is None:
            self._fail("a number is missing")
        self.at = found.end()
        return int(found[0])

    def _word(self) -> str:
        found = _WORD.match(self.text, self.at, self.end)
        if found is None:
            return ""
        self.at = found.end()
        self._skip()
        return found[0]

    def _sees(self, word: str) -> bool:
        return self.text.startswith(word, self.at)

    def _expect(self, mark: str) -> None:
        if not self.text.startswith(mark, self.at) or self.at >= self.end:
            self._fail(f"{mark!r} is missing")
        self.at += len(mark)
        self._skip()

    def _skip(self) -> None:
        spaces = _SPACES.match(self.text, self.at, self.end)
        if spaces is not None:
            self.at = spaces.end()

    def _fail(self, what: str, at: int | None = None) -> NoReturn:
        raise ReferenceSyntaxError(self.text, self.at if at is None else at, what)
