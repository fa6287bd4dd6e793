r"""Text cut into lines and words, for comparison.

Words of scripts that write spaces are words; characters of scripts that write
none (Chinese, Japanese, Thai, Khmer …) each stand for themselves, with the
marks on them.  An emoji is one word, however many code points it is made of,
and so is a line end: ``\r\n`` is another one than ``\n``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["first_cut", "ink", "last_cut", "lines_of", "words_of"]

_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\U0001f3fb-\U0001f3ff"
    "\U000e0020-\U000e007f\U000e0100-\U000e01ef"
)
"""What belongs to the character before it: accents, vowel signs, variation, skin tones, tags."""

_ALONE = (
    "\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3021-\u3029"
    "\u3040-\u3098\u309b-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00016fe0-\U00018fff\U0001aff0-\U0001b2ff\U00020000-\U000323af"
)
"""Letters of scripts in which no space ends a word."""

_INDIC = "\u0900-\u0963\u0966-\u0dff"
"""Scripts whose vowel signs are no letters to Python, and yet stand inside words."""

_WORD = re.compile(
    rf"\r?\n|[0-9]+(?:[.,][0-9]+)+|[\U0001f1e6-\U0001f1ff]{{2}}|[{_ALONE}][{_MARKS}]*"
    rf"|(?:(?![{_ALONE}])[\w{_INDIC}][{_MARKS}]*)+|[^\S\r\n]+"
    rf"|.[{_MARKS}]*(?:\u200d.[{_MARKS}]*)*",
    re.DOTALL,
)

_AT_ONCE = 50_000
"""Code points; of a longer text each word is a step of its own, so that others get their turn."""

_CUT = re.compile(
    rf"\n| (?=[^\s{_MARKS}])|[{_ALONE}](?=[{_ALONE}])|[\"\[\]{{}}()<>:;](?=[!-~])|,(?=[!-/:-~])"
)
"""What a word ends behind, whatever stands around it."""
_NEAR = 1000
"""So far back the last cut is looked for at once."""


def lines_of(text: str) -> list[str]:
    r"""Return the lines of *text*, each with the ``\n`` that ends it."""
    *ended, last = text.split("\n")
    lines = [f"{line}\n" for line in ended]
    if last:
        lines.append(last)
    return lines


def words_of(text: str) -> list[str]:
    """Return the words of *text* and what stands between them; joined they are the text."""
    if len(text) <= _AT_ONCE:
        return _WORD.findall(text)
    return [found[0] for found in _WORD.finditer(text)]


def ink(words: Iterable[str]) -> int:
    """Return how many code points *words* have that are not white space."""
    return sum(len(word) for word in words if not word.isspace())


def first_cut(text: str, start: int, end: int) -> int:
    """Return the first place in ``[start, end)`` at which a word ends for sure, else *end*."""
    cut = _CUT.search(text, start, end)
    return cut.end() if cut else end


def last_cut(text: str, start: int, end: int) -> int:
    """Return the last place in ``[start, end)`` at which a word ends for sure, else *start*."""
    while start < end:
        near = max(start, end - _NEAR)
        found = max((cut.end() for cut in _CUT.finditer(text, near, end)), default=start)
        if found > start or near == start:
            return found
        end = near + 1  # what a cut looks at on both sides is two characters
    return start
