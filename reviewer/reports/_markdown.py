"""Text of unknown origin in Markdown: it stays text on every site that renders it.

Code hosting sites turn more than CommonMark says into markup: addresses,
mentions, numbers of issues, hashes of commits, emoji between colons, formulas.
None of that happens inside code.  So a word stands as it is only where it is
made of letters; everything else of unknown origin stands in a code span or a
code block, whose fence is longer than any run of its own sign inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from reviewer.display import one_line, visible

__all__ = ["anchor", "block", "code", "exact", "lead", "prose", "table"]

_PLAIN = re.compile(r"[(“‘\"']*[^\W\d_]+(?:['’-][^\W\d_]+)*[,.;:!?)”’\"'…]*|\d+[,.;:)]?|[–—…%]+")
"""What cannot become markup: words, whole numbers, marks of a sentence."""

_HASH = re.compile(r"[0-9a-f]{7,}", re.IGNORECASE)
_LIST = re.compile(r"(\d+)([.)])")
"""What begins a list at the start of a line."""

_STOPS = ",.;:!?"
_TICKS = re.compile("`+")
_MARKS = re.compile("[\u27e6\u27e7\u27e8\u27e9]")
"""The brackets around words and marks that the report itself sets: evidence may not forge them."""


def code(text: str) -> str:
    """Return *text* on one line in a code span, exactly as it is; hidden characters are visible."""
    shown = one_line(text)
    if not shown.strip():
        return "–"
    fence = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    edge = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{edge}{shown}{edge}{fence}"


def prose(text: str) -> str:
    """Return a sentence whose words are kept; whatever could be markup stands in code spans."""
    held: list[str] = []
    odd: list[str] = []
    for word in one_line(text).split(" "):
        if _PLAIN.fullmatch(word) and not _HASH.fullmatch(word.strip(_STOPS)):
            held += _odd(odd)
            held.append(_LIST.sub(r"\1\\\2", word))
        elif word:
            odd.append(word)
    held += _odd(odd)
    return " ".join(held)


def _odd(words: list[str]) -> list[str]:
    """Return what stands in one code span, the stop of a sentence behind it, and forget it."""
    text = " ".join(words)
    words.clear()
    bare = text if text.startswith(":") else text.rstrip(_STOPS)
    if not text:
        return []
    return [code(bare) + text[len(bare) :]] if bare else [code(text)]


def exact(text: str) -> str:
    """Return *text* without the brackets that the report sets itself, which become escapes."""
    return _MARKS.sub(lambda found: f"\\u{{{ord(found[0]):X}}}", text)


def block(text: str) -> str:
    """Return *text* as a code block of its own, its lines as they are."""
    shown = visible(text)
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    return f"{fence}text\n{shown}\n{fence}\n"


def anchor(mark: str) -> str:
    """Return a place that `lead` leads to; *mark* is made here and holds letters and digits."""
    return f'<a id="{mark}"></a>'


def lead(mark: str, shown: str) -> str:
    """Return a link inside the report; *shown* is Markdown already."""
    return f"[{shown}](#{mark})"


def table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are Markdown already, their bars are escaped here."""
    lines = [_line(names), _line(["---"] * len(names)), *map(_line, rows)]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
