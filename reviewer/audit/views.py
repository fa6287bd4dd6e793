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

from reviewer.audit.keys import ID_KEYS, VERSION_KEYS
from reviewer.audit.matching import Target
from store.records.gutters import NumberedLine, numbered_runs
from store.records.json_text import Node, StringMap, parse_all
from store.records.text import Span

__all__ = ["Names", "View", "json_roots", "views"]

BODY_KEYS = ("text", "content", "page_content")
"""Keys under which it holds the body."""

START_KEYS = ("start", "offset")
"""Keys under which it says where the body begins."""

_PREVIEW_KEY = "preview"

_NESTING = 4
"""JSON within a string within JSON: real tools stop at two; deeper is shown as it stands."""

_JSON_START = re.compile(r"\s*[\[{\"]")


class Names(NamedTuple):
    """The ids and the version labels that the JSON around something names.

    ``start`` is where the innermost object says that its body begins, in code
    points of the version, ``None`` where it says nothing.
    """

    ids: frozenset[str] = frozenset()
    versions: frozenset[str] = frozenset()
    start: int | None = None

    def inside(self, node: Node) -> Names:
        """Return the names for what stands in the object *node*."""
        holders = [node]
        metadata = node.get("metadata")
        if metadata is not None:
            holders.append(metadata)
        return Names(
            self.ids.union(*(_values(holder, ID_KEYS) for holder in holders)),
            self.versions.union(*(_values(holder, VERSION_KEYS) for holder in holders)),
            _start(node),
        )


class View(NamedTuple):
    """One text inside a part.

    ``origin`` leads from a span of the view to code points of the part's text.
    ``names`` are what the JSON around it names.  ``is_string`` marks a decoded
    string of JSON, ``is_raw`` the part's text itself.  ``is_body`` says that
    it stands where a body stands, not under a key such as ``status``;
    ``is_preview`` that it only shows what is on offer.
    """

    content: Target
    origin: Callable[[Span], Span]
    names: Names = Names()
    is_raw: bool = False
    is_string: bool = False
    is_body: bool = True
    is_preview: bool = False


def views(text: str) -> tuple[View, ...]:
    """Return the views of a part's *text*, the innermost first, the text itself last."""
    raw = View(Target(text), _same, is_raw=True)
    return (*_inner(raw, 0), raw)


def json_roots(text: str) -> tuple[Node, ...]:
    """Return the JSON values of *text*, read tolerantly; none when it does not start as JSON."""
    return tuple(parse_all(text)) if _JSON_START.match(text) else ()


def _same(span: Span) -> Span:
    return span


def _inner(view: View, depth: int) -> Iterator[View]:
    text = view.content.text
    for content, lead in _numbered(text):
        origin = _after(lead, view.origin)
        yield view._replace(content=Target(content), origin=origin, is_raw=False, is_string=False)
    if depth >= _NESTING:
        return
    for root in json_roots(text):
        for node, names, is_preview in _leaves(root, view):
            if not node.text:
                continue
            inner = View(
                Target(node.text),
                _after(StringMap(text, node).raw_span, view.origin),
                names,
                is_string=True,
                is_body=view.is_body and (node.key is None or node.key in BODY_KEYS),
                is_preview=is_preview,
            )
            yield from _inner(inner, depth + 1)
            yield inner


def _after(first: Callable[[Span], Span], second: Callable[[Span], Span]) -> Callable[[Span], Span]:
    return lambda span: second(first(span))


def _leaves(root: Node, view: View) -> Iterator[tuple[Node, Names, bool]]:
    """Yield every string value with the names around it and whether a preview holds it."""
    waiting = [(root, view.names, view.is_preview)]
    while waiting:
        node, names, is_preview = waiting.pop()
        is_preview = is_preview or node.key == _PREVIEW_KEY
        if node.kind == "string":
            yield node, names, is_preview
            continue
        if node.kind == "object":
            names = names.inside(node)
        waiting.extend((child, names, is_preview) for child in reversed(node.children))


def _start(node: Node) -> int | None:
    for key in START_KEYS:
        child = node.get(key)
        if child is not None and child.kind == "number" and str(child.value).isdecimal():
            return int(str(child.value)[:18])
    return None


def _values(node: Node, keys: tuple[str, ...]) -> Iterator[str]:
    """Yield what *keys* name: strings, and whole numbers as written."""
    for child in node.children:
        if child.key in keys and child.complete and isinstance(child.value, str) and child.value:
            yield child.value


def _numbered(text: str) -> Iterator[tuple[str, Callable[[Span], Span]]]:
    """Yield each run of numbered lines without its numbers, and the way back.

    A view is one more reading of the text, so prose that starts with a number
    costs nothing.
    """
    return (_without_numbers(text, run) for run in numbered_runs(text))


def _without_numbers(text: str, run: list[NumberedLine]) -> tuple[str, Callable[[Span], Span]]:
    pieces: list[str] = []
    starts: list[int] = []
    raws: list[int] = []
    at = 0
    for before, line in zip([None, *run], run, strict=False):
        if before and not line.continues:
            # the line end stands, in the part, behind the content of the line before
            starts.append(at)
            raws.append(before.start + len(before.content))
            pieces.append("\n")
            at += 1
        starts.append(at)
        raws.append(line.start)
        pieces.append(line.content)
        at += len(line.content)
    end = run[-1].start + len(run[-1].content)
    if text.startswith("\n", end):
        starts.append(at)
        raws.append(end)
        pieces.append("\n")

    def place(position: int) -> int:
        piece = bisect_right(starts, position) - 1
        return raws[piece] + position - starts[piece]

    def back(span: Span) -> Span:
        start = place(span.start)
        return Span(start, place(span.end - 1) + 1 if span.end > span.start else start)

    return "".join(pieces), back
