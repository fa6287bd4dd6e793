"""What an answer says that can be looked for: numbers, dates, names, addresses, quotations, code.

Markup, list numbers, headings and the marks of citations say nothing of their
own.  Small counts are not looked for: "two reasons" needs no source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from reviewer.audit.grounding_dates import dates, support_for, times
from reviewer.audit.grounding_names import addresses, in_code, names, names_nothing
from reviewer.audit.grounding_quantities import quantities
from reviewer.audit.grounding_support import Claim, Key, Support, whole_or_words, words_of
from reviewer.audit.grounding_words import fold, ink
from store.records.findings import ClaimKind
from store.records.text import Span

__all__ = ["claims"]


def claims(text: str, marks: Iterable[Span] = ()) -> tuple[Claim, ...]:
    """Return the claims of an answer's *text* in order; *marks* are the places of its citations."""
    return tuple(sorted(_Answer(text, marks).claims(), key=lambda claim: claim.span))


_FENCE = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_NUMBERING = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+)?(?:\*\*|__)?[\[(（]?\d{1,3}(?:\.\d{1,3})*[.)、)\]:：][ \t*_]?",
    re.MULTILINE,
)
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t][^\n]*$|^[ \t]*\*\*[^*\n]+\*\*:?[ \t]*$", re.MULTILINE)
_MARK = re.compile(
    r"\[\^?\d{1,3}(?:\s*[-,]\s*\d{1,3})*\](?!\()|【[^】\n]{1,24}】|</?[a-zA-Z][^<>\n]{0,80}>"
)
_QUOTED = re.compile(r'"([^"\n]*)"|「([^」\n]*)」|『([^』\n]*)』|«([^»\n]*)»')
_CODE = re.compile(r"(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)")
_SENTENCE_END = re.compile(
    r"\n|[。！？；]|(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)[.!?;](?=[\s\"')*_]|\Z)"
)
_GAP = re.compile(r"\.{3,}|…+|\[[^\]\n]*\]")
_PROPOSED = re.compile(
    r"\b(?:should|could|would|recommend\w*|suggest\w*|propos\w*|consider\w*|e\.g|for example"
    r"|for instance|such as|if|try|let's|let me|i'll|i will|perhaps|maybe|might|instead|imagine"
    r"|examples?(?!\.\w)|convention\w*)\b|建议|应该|应当|不妨|例如|比如|譬如|如果|假设|推荐|可考虑|[?？]\s*\Z",
    re.IGNORECASE,
)
"""Words of a sentence that proposes: what it names need not be there yet."""

_QUOTED_INK = 12
_QUOTED_WORDS = 3
_QUOTED_CHINESE = 8
_CODE_INK = 16


class _Answer:
    """One answer being read; what one kind of claim covers is none of another."""

    def __init__(self, text: str, marks: Iterable[Span]) -> None:
        self.text = text
        self._left = fold(text)
        self._covered: list[tuple[int, int]] = []
        for mark in marks:
            self._cover(mark.start, mark.end)
        self._ends = [found.end() for found in _SENTENCE_END.finditer(self._left)]
        self._proposes: dict[int, bool] = {}

    def claims(self) -> Iterator[Claim]:
        for found in _FENCE.finditer(self.left):
            yield from self._lines(found)
            self._cover(*found.span())
        yield from self._named(addresses(self.left))
        for pattern in (_MARK, _HEADING, _NUMBERING):
            for found in pattern.finditer(self.left):
                self._cover(*found.span())
        yield from self._quotations()
        yield from self._code()
        yield from self._named(names(self.left))
        yield from self._moments()
        for quantity in quantities(self.left):
            made = tuple((number,) for number in quantity.readings)
            yield self._claim(ClaimKind.NUMBER, quantity.start, quantity.end, made)

    def _moments(self) -> Iterator[Claim]:
        left = self.left
        for moment in [*dates(left), *times(left)]:
            kind = ClaimKind.DATE if moment.is_date else ClaimKind.TIME
            yield self._claim(kind, moment.start, moment.end, tuple(support_for(moment)))
            self._cover(moment.start, moment.end)

    def _cover(self, start: int, end: int) -> None:
        self._covered.append((start, end))

    @property
    def left(self) -> str:
        """What nothing has covered yet, folded, with NUL in the place of the rest."""
        if self._covered:
            pieces, at = [], 0
            for start, end in sorted(self._covered):
                if end > at:
                    pieces += [self._left[at : max(at, start)], "\0" * (end - max(at, start))]
                    at = end
            self._left = "".join([*pieces, self._left[at:]])
            self._covered = []
        return self._left

    def _claim(self, kind: ClaimKind, start: int, end: int, support: Support) -> Claim:
        return Claim(
            Span(start, end), kind, self.text[start:end], support, self._is_proposed(start)
        )

    def _named(self, found: Iterable[tuple[ClaimKind, int, int, Support]]) -> Iterator[Claim]:
        for kind, start, end, support in found:
            yield self._claim(kind, start, end, support)
            self._cover(start, end)

    def _is_proposed(self, place: int) -> bool:
        sentence = bisect_right(self._ends, place)
        if sentence not in self._proposes:
            start = self._ends[sentence - 1] if sentence else 0
            end = self._ends[sentence] if sentence < len(self._ends) else len(self.text)
            self._proposes[sentence] = bool(_PROPOSED.search(self.text, start, end))
        return self._proposes[sentence]

    def _lines(self, block: re.Match[str]) -> Iterator[Claim]:
        """Yield the lines of a block of code: where they stand is said, that they do not is not."""
        at = block.start(2)
        for line in block[2].splitlines(keepends=True):
            key = ink(line)
            if len(key) >= _CODE_INK:
                start = at + len(line) - len(line.lstrip())
                end = at + len(line.rstrip())
                yield Claim(
                    Span(start, end), ClaimKind.CODE, self.text[start:end], ((key,),), is_own=True
                )
            at += len(line)

    def _quotations(self) -> Iterator[Claim]:
        for found in _QUOTED.finditer(self.left):
            words = found[found.lastindex or 0]
            pieces = [ink(piece) for piece in _GAP.split(words.replace("\0", " "))]
            if "\0" in words or not _is_quotation(words, "".join(pieces)):
                continue
            keys: tuple[Key, ...] = tuple(piece for piece in pieces if len(piece) > 2)  # noqa: PLR2004 - as short as anything
            start, end = found.span(found.lastindex or 0)
            made = self._claim(ClaimKind.QUOTATION, start, end, (keys,))
            yield made._replace(words=words_of(words))
            self._cover(*found.span())

    def _code(self) -> Iterator[Claim]:
        for found in _CODE.finditer(self.left):
            start, end = found.span(2)
            words = found[2]
            if "\0" not in words:
                made = in_code(words)
                if made:
                    yield self._claim(made[0], start, end, made[1])
                elif len(ink(words)) > 2 and not names_nothing(words):  # noqa: PLR2004 - as short as anything
                    yield self._claim(ClaimKind.CODE, start, end, whole_or_words(words))
            self._cover(*found.span())


def _is_quotation(words: str, key: str) -> bool:
    """Whether so much stands in quotation marks that it must be somebody's words."""
    if words.isascii():
        return len(key) >= _QUOTED_INK and len(words.split()) >= _QUOTED_WORDS
    chinese = sum("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3" for char in words)
    many = len(words.split()) >= _QUOTED_WORDS and len(key) >= _QUOTED_INK
    return chinese >= _QUOTED_CHINESE or (chinese < len(key) // 2 and many)
