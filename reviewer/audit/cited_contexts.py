r"""Numbered contexts: entries of a message under numbers, which an answer cites by number.

Known are lines that begin with ``[1]``, ``【1】``, ``Document 1:`` and its
kin, ``<doc index="1">`` and its kin, chunks after ``<C0>``, and the markers
``【4:0†name】`` of file search.  Numbers must begin with 0 or 1 and rise by one:
anything else is no numbering that could be told from other text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from store.records.text import Span

__all__ = ["Entry", "chunks_in", "entries_in"]

_WORDS = (
    "document|doc|source|passage|context|reference|result|snippet|chunk|evidence|article|"
    "资料|文档|来源|段落|参考|材料|片段|结果"
)
_HEADS = (
    re.compile(r"^[ \t]*\[([0-9]{1,3})\]", re.MULTILINE),
    re.compile(r"^[ \t]*【([0-9]{1,3})】", re.MULTILINE),
    re.compile(
        rf"^[ \t#*]*(?:{_WORDS})[ \t]*[\[(#]?([0-9]{{1,3}})[\])]?(?=[ \t]*(?:[:：.(（*]|$))",
        re.MULTILINE | re.IGNORECASE,
    ),
    re.compile(
        r"<(?:document|doc|source|passage|context|item|result|search_result|chunk)\b[^<>\n]{0,300}?"
        r"\b(?:index|id|n|number|ref)\s*=\s*[\"']?([0-9]{1,3})[\"']?[^<>\n]{0,300}>",
        re.IGNORECASE,
    ),
)
_CHUNK = re.compile(r"<C([0-9]{1,6})>")
_MARKER = re.compile(r"【([0-9]{1,4}:[0-9]{1,4}|[0-9]{1,4})†[^【】\n]{0,200}】")


class Entry(NamedTuple):
    """One entry: its key (a number, or ``4:0``) and where it stands in the text."""

    key: str
    span: Span


def entries_in(text: str) -> Mapping[str, tuple[Span, ...]]:
    """Return where the entries of numbered contexts in *text* stand, by key."""
    found: dict[str, list[Span]] = {}
    for head in _HEADS:
        for entry in _numbered(text, head):
            found.setdefault(entry.key, []).append(entry.span)
    heads = list(_MARKER.finditer(text))
    ends = [*(head.start() for head in heads), len(text)][1:]
    for marker, end in zip(heads, ends, strict=True):
        found.setdefault(marker[1], []).append(Span(marker.start(), end))
    return {key: tuple(dict.fromkeys(spans)) for key, spans in found.items()}


def _numbered(text: str, head: re.Pattern[str]) -> Iterator[Entry]:
    """Yield the entries under heads of one kind; those whose numbers do not rise are none."""
    heads: list[re.Match[str]] = []
    for found in head.finditer(text):
        number = int(found[1])
        if (heads and number == int(heads[-1][1]) + 1) or (not heads and number <= 1):
            heads.append(found)
        elif number <= 1:  # another list begins
            yield from _between(text, heads, found.start())
            heads = [found]
    yield from _between(text, heads, len(text))


def _between(text: str, heads: list[re.Match[str]], end: int) -> Iterator[Entry]:
    if not heads:
        return
    starts = [head.start() for head in heads]
    ends = [*starts[1:], end]
    paragraphs = any("\n\n" in text[a:b].rstrip() for a, b in pairwise(starts))
    for number, (head, start, stop) in enumerate(zip(heads, starts, ends, strict=True), 1):
        last = number == len(heads)
        blank = text.find("\n\n", start, stop)
        # Of entries of one paragraph each the last ends where they do.
        ends_early = last and len(heads) > 1 and not paragraphs and blank > 0
        size = len(text[start : blank if ends_early else stop].rstrip())
        if size > len(head[0]):
            yield Entry(str(int(head[1])), Span(start, start + size))


def chunks_in(text: str) -> Mapping[int, Span]:
    """Return where the chunks of *text* stand that begin with ``<C0>``, ``<C1>`` …, by number."""
    heads = list(_CHUNK.finditer(text))
    if not heads or [int(head[1]) for head in heads] != list(range(len(heads))):
        return {}
    ends = [*(head.start() for head in heads[1:]), _end_of_last(text, heads[-1].end())]
    return {int(head[1]): Span(head.start(), end) for head, end in zip(heads, ends, strict=True)}


def _end_of_last(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
