r"""JSON with positions: where each value of a JSON text stands in that text.

A tool's answer is often JSON, and the sentence that a citation points at then
stands escaped inside it: a line end is ``\n``, a character may be
``\ud83d\ude00``.  `parse` gives the structure with raw spans, `StringMap`
leads from a position in a decoded string to the raw text and back, so that a
comparison can be made on decoded text and shown on the recorded one.

Real results are cut off in the middle; `parse` with ``tolerant`` then gives
what is there and marks what is not complete.  Nothing here recurses, and the
work grows with the length of the text only.  All positions are code points.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final, Literal

from store.records.text import InsideCharacterError, OutsideTextError, Span

__all__ = ["MAX_DEPTH", "Kind", "Node", "StringMap", "parse", "parse_all", "plain", "strings"]

MAX_DEPTH: Final = 512
"""Deeper nesting is refused: no tool answers so, and views must walk what is parsed."""

Kind = Literal["object", "array", "string", "number", "literal"]

_VALUE = re.compile(
    r"[ \t\n\r]*(?:(?P<open>[\"\[{])"
    r"|(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|NaN|-?Infinity)"
    r"|(?P<literal>true|false|null))"
)
_AFTER = re.compile(r"[ \t\n\r]*([,\]}])")
_QUOTE = re.compile(r'[ \t\n\r]*"')
_COLON = re.compile(r"[ \t\n\r]*:")
_BLANK = re.compile(r"[ \t\n\r]*+")
_BODY = re.compile(r'[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+')
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
)
_LITERALS: Final = {"true": True, "false": False, "null": None}
_CLOSES: Final = {"array": "]", "object": "}"}


@dataclass(slots=True)
class Node:
    """One value of a JSON text; read only.

    ``[start, end)`` is its raw text, quotes and brackets included.  ``value``
    is the decoded text of a string, the raw text of a number, the value of a
    literal, and ``None`` for objects and arrays, whose members are
    ``children`` in recorded order, equal keys kept.  ``key`` is the decoded
    key of a member of an object.  ``complete`` is false for what the end of
    the text cut off: a string then holds its whole characters up to there.
    """

    kind: Kind
    start: int
    end: int
    value: object = None
    children: list[Node] = field(default_factory=list)
    key: str | None = None
    complete: bool = True

    @property
    def span(self) -> Span:
        """The raw span."""
        return Span(self.start, self.end)

    @property
    def text(self) -> str | None:
        """The decoded text of a string, ``None`` for anything else."""
        return self.value if isinstance(self.value, str) and self.kind == "string" else None

    @property
    def body_span(self) -> Span:
        """The raw span of a string between its quotes."""
        return Span(self.start + 1, self.end - 1 if self.complete else self.end)

    def get(self, key: str) -> Node | None:
        """Return the member *key*; of equal keys the last, as JSON parsers do."""
        return next((child for child in reversed(self.children) if child.key == key), None)


def parse(text: str, start: int = 0, *, tolerant: bool = False) -> Node | None:
    """Return the JSON value of *text* from *start* on, or ``None`` if it is none.

    White space may stand around it.  With *tolerant*, text that ends early or
    stops being JSON gives what stands before that place, and text may follow.
    Nesting beyond `MAX_DEPTH` gives ``None`` either way.  Raw control
    characters in strings and ``NaN`` and ``Infinity`` are taken, as
    `json.loads` with ``strict=False`` takes them.
    """
    reader = _Reader(text, start)
    reader.run()
    if reader.root is None or reader.too_deep:
        return None
    if tolerant:
        return reader.root
    whole = reader.root.complete and _skip_blank(text, reader.root.end) == len(text)
    return reader.root if whole else None


def parse_all(text: str) -> Iterator[Node]:
    """Yield the JSON values that stand one behind the other (JSON Lines), tolerantly.

    It ends at the first place that begins no value.
    """
    place = 0
    while (node := parse(text, place, tolerant=True)) is not None:
        yield node
        if not node.complete:
            return
        place = node.end


def strings(text: str) -> Iterator[Node]:
    """Yield every string value of the JSON in *text*, in order, read tolerantly; no keys."""
    for root in parse_all(text):
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node.kind == "string":
                yield node
            waiting.extend(reversed(node.children))


def plain(node: Node) -> object:
    """Return the value of *node* as dictionaries and lists; of equal keys the last.

    Numbers stay text, as recorded.
    """
    holder: list[object] = []
    waiting: list[tuple[Node, list[object] | dict[str, object]]] = [(node, holder)]
    while waiting:
        item, around = waiting.pop()
        value: object = item.value
        if item.kind in ("array", "object"):
            inner: list[object] | dict[str, object] = [] if item.kind == "array" else {}
            value = inner
            waiting.extend((child, inner) for child in reversed(item.children))
        if isinstance(around, dict):
            around[item.key or ""] = value
        else:
            around.append(value)
    return holder[0]


class StringMap:
    r"""Leads between the decoded text of one JSON string and its raw text.

    >>> text = '{"a": "x\\ny"}'
    >>> node = next(strings(text))
    >>> StringMap(text, node).raw_span(Span(1, 2))
    Span(start=8, end=10)
    """

    __slots__ = ("_decoded", "_ends", "_length", "_raw", "body")

    def __init__(self, text: str, node: Node) -> None:
        self.body = node.body_span
        self._length = len(node.text or "")
        self._decoded: list[int] = []
        self._raw: list[int] = []
        self._ends: list[int] = []
        extra = self.body.start
        if text.find("\\", self.body.start, self.body.end) < 0:
            return
        for found in _ESCAPE.finditer(text, self.body.start, self.body.end):
            self._decoded.append(found.start() - extra)
            self._raw.append(found.start())
            self._ends.append(found.end())
            extra += found.end() - found.start() - 1

    def raw(self, position: int) -> int:
        """Return where the decoded code point *position* begins in the raw text."""
        if not 0 <= position <= self._length:
            raise OutsideTextError(f"position {position} outside [0, {self._length}]")
        before = bisect_left(self._decoded, position)
        if not before:
            return self.body.start + position
        return self._ends[before - 1] + position - self._decoded[before - 1] - 1

    def decoded(self, position: int) -> int:
        """Return the decoded code point that begins at raw *position*.

        Raises `InsideCharacterError` within an escape and `OutsideTextError`
        outside the string.
        """
        if not self.body.start <= position <= self.body.end:
            raise OutsideTextError(f"position {position} outside the string")
        before = bisect_right(self._raw, position) - 1
        if before < 0:
            return position - self.body.start
        if position == self._raw[before]:
            return self._decoded[before]
        if position < self._ends[before]:
            raise InsideCharacterError(f"position {position} is inside an escape")
        return self._decoded[before] + 1 + position - self._ends[before]

    def raw_span(self, span: Span) -> Span:
        """Return the raw span of a decoded *span*."""
        return Span(self.raw(span.start), self.raw(span.end))

    def decoded_span(self, span: Span) -> Span:
        """Return the decoded span of a raw *span*; never rounded (see `decoded`)."""
        return Span(self.decoded(span.start), self.decoded(span.end))


_Step = Callable[[], "_Step | None"]


class _Reader:
    """Reads one value step by step; each step names the next, so that depth costs no stack."""

    __slots__ = ("key", "place", "root", "stack", "text", "too_deep")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.place = start
        self.root: Node | None = None
        self.stack: list[Node] = []
        self.key: str | None = None
        self.too_deep = False

    def run(self) -> None:
        step: _Step | None = self.read_value
        while step is not None:
            step = step()
        for node in self.stack:
            node.end = max(self.place, node.start + 1)
            node.complete = False

    def read_value(self) -> _Step | None:
        found = _VALUE.match(self.text, self.place)
        if found is None:
            return self.give_up()
        group = found.lastgroup
        start = found.start(group or 0)
        if group == "open":
            return self.opened(start)
        self.place = end = found.end()
        raw = self.text[start:end]
        node = Node("literal", start, end, _LITERALS[raw]) if group == "literal" else None
        if node is None:
            node = Node("number", start, end, raw)
            # Where the text ends inside a container more digits may have stood behind.
            node.complete = not (self.stack and end == len(self.text))
        self.add(node)
        return self.after_value

    def opened(self, start: int) -> _Step | None:
        sign = self.text[start]
        if sign == '"':
            node = self.string(start)
            self.add(node)
            return self.after_value if node.complete else None
        if len(self.stack) >= MAX_DEPTH:
            self.too_deep = True
            return None
        node = Node("array" if sign == "[" else "object", start, start + 1)
        self.add(node)
        self.stack.append(node)
        self.place = start + 1
        return self.first

    def string(self, start: int) -> Node:
        """Return the string that begins with the quote at *start*; the place moves behind it."""
        value: str
        try:
            value, self.place = scanstring(self.text, start + 1, False)  # noqa: FBT003 - C function
            return Node("string", start, self.place, value)
        except ValueError:
            return self.cut_string(start)

    def cut_string(self, start: int) -> Node:
        """Return what is there of a string that never ends."""
        found = _BODY.match(self.text, start + 1)
        end = found.end() if found else start + 1
        value: str = scanstring(f'"{self.text[start + 1 : end]}"', 1, False)[0]  # noqa: FBT003
        if "\ud800" <= value[-1:] <= "\udbff" and self.text[end - 1] != value[-1]:
            # The second half of a pair may have been cut off; half a character is none.
            value, end = value[:-1], end - len(r"\ud83d")
        self.place = end
        return Node("string", start, end, value, complete=False)

    def first(self) -> _Step | None:
        """Step behind an opening bracket: the container may be empty."""
        inner = self.stack[-1]
        found = _AFTER.match(self.text, self.place)
        if found and found[1] == _CLOSES[inner.kind]:
            return self.after_value
        return self.read_value if inner.kind == "array" else self.read_key

    def read_key(self) -> _Step | None:
        found = _QUOTE.match(self.text, self.place)
        if found is None:
            return self.give_up()
        node = self.string(found.end() - 1)
        colon = _COLON.match(self.text, self.place) if node.complete else None
        if colon is None:
            return self.give_up()
        self.key = node.text
        self.place = colon.end()
        return self.read_value

    def after_value(self) -> _Step | None:
        if not self.stack:
            return None
        inner = self.stack[-1]
        found = _AFTER.match(self.text, self.place)
        if found is None:
            return self.give_up()
        if found[1] == ",":
            self.place = found.end()
            return self.read_value if inner.kind == "array" else self.read_key
        if found[1] != _CLOSES[inner.kind]:
            return None
        self.place = inner.end = found.end()
        self.stack.pop()
        return self.after_value

    def add(self, node: Node) -> None:
        if not self.stack:
            self.root = node
            return
        if self.stack[-1].kind == "object":
            node.key = self.key
        self.stack[-1].children.append(node)

    def give_up(self) -> _Step | None:
        """Stop; only blanks stand between the last value and the place."""
        self.place = _skip_blank(self.text, self.place)
        return None


def _skip_blank(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place
