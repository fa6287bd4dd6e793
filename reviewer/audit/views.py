"""The texts inside a part: what stands there when escaping, nesting and gutters are undone.

A tool's answer may be JSON with the body escaped in a string, that string may
be JSON again, and a body may carry line numbers.  Each is undone exactly, and
every view leads back to the code points of the part's own text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from reviewer.audit.matching import Target
from store.records.json_text import Node, StringMap, parse_all
from store.records.text import Span

__all__ = ["ID_KEYS", "VERSION_KEYS", "View", "json_roots", "views"]

ID_KEYS = ("doc_id", "document_id", "source_id", "source", "id", "block_id")
"""Keys under which a tool's JSON names what a body belongs to (MODEL.md, section 4)."""

VERSION_KEYS = ("sha256", "hash", "version")
"""Keys under which it names the version."""

_NESTING = 4
"""JSON within a string within JSON: real tools stop at two; deeper is shown as it stands."""

_JSON_START = re.compile(r"\s*[\[{\"]")


class View(NamedTuple):
    """One text inside a part.

    ``origin`` leads from a span of the view to code points of the part's text.
    ``named`` are the ids, ``versions`` the version labels, that the JSON
    around it names.  ``is_string`` marks a decoded string of JSON, ``is_raw`` the
    part's text itself.
    """

    content: Target
    origin: Callable[[Span], Span]
    named: frozenset[str] = frozenset()
    versions: frozenset[str] = frozenset()
    is_raw: bool = False
    is_string: bool = False


def views(text: str) -> tuple[View, ...]:
    """Return the views of a part's *text*, the innermost first, the text itself last."""
    raw = View(Target(text), _same, is_raw=True)
    return (*_inner(text, _same, frozenset(), frozenset(), 0), raw)


def json_roots(text: str) -> tuple[Node, ...]:
    """Return the JSON values of *text*, read tolerantly; none when it does not start as JSON."""
    return tuple(parse_all(text)) if _JSON_START.match(text) else ()


def _same(span: Span) -> Span:
    return span


def _inner(
    text: str,
    origin: Callable[[Span], Span],
    named: frozenset[str],
    versions: frozenset[str],
    depth: int,
) -> Iterator[View]:
    for content, lead in _numbered(text):
        yield View(Target(content), _after(lead, origin), named, versions)
    if depth >= _NESTING:
        return
    for root in json_roots(text):
        for node, owners, labels in _leaves(root):
            if not node.text:
                continue
            back = _after(StringMap(text, node).raw_span, origin)
            ids, marks = named | owners, versions | labels
            yield from _inner(node.text, back, ids, marks, depth + 1)
            yield View(Target(node.text), back, ids, marks, is_string=True)


def _after(first: Callable[[Span], Span], second: Callable[[Span], Span]) -> Callable[[Span], Span]:
    return lambda span: second(first(span))


def _leaves(root: Node) -> Iterator[tuple[Node, frozenset[str], frozenset[str]]]:
    """Yield every string value with the ids and version labels of the objects around it."""
    nothing: frozenset[str] = frozenset()
    waiting = [(root, nothing, nothing)]
    while waiting:
        node, named, versions = waiting.pop()
        if node.kind == "string":
            yield node, named, versions
            continue
        if node.kind == "object":
            named |= _values(node, ID_KEYS)
            versions |= _values(node, VERSION_KEYS)
        waiting.extend((child, named, versions) for child in reversed(node.children))


def _values(node: Node, keys: tuple[str, ...]) -> frozenset[str]:
    values = (child.text for child in node.children if child.key in keys)
    return frozenset(value for value in values if value)


_GUTTER = re.compile(r"[ \t]*(\d{1,9})(\.\d{1,4})?(?:\u2192|\t| {2})")


class _Line(NamedTuple):
    number: int
    continues: bool
    content: str
    raw: int


def _numbered(text: str) -> Iterator[tuple[str, Callable[[Span], Span]]]:
    r"""Yield each run of numbered lines without its numbers, and the way back.

    Gutters are ``N→``, ``N<tab>`` and ``N`` with two spaces; ``N.1`` continues
    line N, which the tool had folded.  Numbers must rise by one.  A view is
    one more reading of the text, so prose that starts with a number costs
    nothing.
    """
    if not _GUTTER_SOMEWHERE.search(text):
        return
    run: list[_Line] = []
    at = 0
    for content in text.split("\n"):
        gutter = _GUTTER.match(content)
        line = gutter and _Line(
            int(gutter[1]), bool(gutter[2]), content[gutter.end() :], at + gutter.end()
        )
        if run and not (line and line.number == run[-1].number + (not line.continues)):
            yield _without_numbers(run)
            run = []
        if line and (run or not line.continues):
            run.append(line)
        at += len(content) + 1
    if run:
        yield _without_numbers(run)


_GUTTER_SOMEWHERE = re.compile(r"^[ \t]*\d{1,9}(?:\.\d{1,4})?(?:\u2192|\t| {2})", re.MULTILINE)


def _without_numbers(run: list[_Line]) -> tuple[str, Callable[[Span], Span]]:
    pieces: list[str] = []
    starts: list[int] = []
    raws: list[int] = []
    at = 0
    for before, line in zip([None, *run], run, strict=False):
        if before and not line.continues:
            # the line end stands, in the part, behind the content of the line before
            starts.append(at)
            raws.append(before.raw + len(before.content))
            pieces.append("\n")
            at += 1
        starts.append(at)
        raws.append(line.raw)
        pieces.append(line.content)
        at += len(line.content)

    def place(position: int) -> int:
        piece = bisect_right(starts, position) - 1
        return raws[piece] + position - starts[piece]

    def back(span: Span) -> Span:
        start = place(span.start)
        return Span(start, place(span.end - 1) + 1 if span.end > span.start else start)

    return "".join(pieces), back
