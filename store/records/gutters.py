"""Line numbers that tools put before the lines of a text: which there are, what stands behind.

Known gutters are ``N→``, ``N<tab>``, ``N`` with two spaces, ``N:``, ``N|``,
``N |`` and ``LN:``; ``N.1`` continues line N, which the tool had folded.  A
space behind a colon or a bar is the tool's where every line has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["NumberedLine", "numbered_runs"]

_NUMBER = r"[ \t]*L?\d{1,9}(?:\.\d{1,4})?(?:→|\t| {2}|:| ?\|)"
_SOMEWHERE = re.compile(rf"^{_NUMBER}", re.MULTILINE)
_GUTTER = re.compile(r"[ \t]*L?(\d{1,9})(\.\d{1,4})?(→|\t| {2}|:| ?\|)")
_SPACED = frozenset({":", "|", " |"})


class NumberedLine(NamedTuple):
    """A line behind its number; ``start`` is where ``content`` stands in the text."""

    number: int
    continues: bool
    content: str
    start: int
    gutter: str


def numbered_runs(text: str) -> Iterator[list[NumberedLine]]:
    r"""Yield each run of lines of *text* whose numbers rise by one, without their numbers.

    Lines end at ``\n`` alone.  A run has one kind of gutter.
    """
    if not _SOMEWHERE.search(text):
        return
    run: list[NumberedLine] = []
    at = 0
    for content in text.split("\n"):
        line = _line(content, at)
        if run and not (line and _follows(line, run[-1])):
            yield _without_space(run)
            run = []
        if line and (run or not line.continues):
            run.append(line)
        at += len(content) + 1
    if run:
        yield _without_space(run)


def _line(content: str, at: int) -> NumberedLine | None:
    found = _GUTTER.match(content)
    if not found:
        return None
    start = found.end()
    return NumberedLine(int(found[1]), bool(found[2]), content[start:], at + start, found[3])


def _follows(line: NumberedLine, before: NumberedLine) -> bool:
    return line.number == before.number + (not line.continues) and line.gutter == before.gutter


def _without_space(run: list[NumberedLine]) -> list[NumberedLine]:
    if run[0].gutter not in _SPACED:
        return run
    if not all(line.content[:1] in ("", " ") for line in run) or not any(
        line.content for line in run
    ):
        return run
    return [
        line._replace(content=line.content[1:], start=line.start + 1) if line.content else line
        for line in run
    ]
