"""Names that stand for one thing: addresses, paths, hashes, ids, versions, words of code."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from reviewer.audit.grounding_find import SHORTEST
from reviewer.audit.grounding_numbers import Number
from reviewer.audit.grounding_support import Key, Support, whole_or_words
from reviewer.audit.grounding_words import ink
from store.records.findings import ClaimKind

__all__ = ["addresses", "in_code", "names", "names_nothing"]

Found = tuple[ClaimKind, int, int, Support]

_URL = re.compile(r"\b(?:https?|ftp|file)://[^\s<>\"'`|\\^{}\[\]\0()（）。，；、]+", re.IGNORECASE)
_MAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+\b")
_ENDS = ".,;:!?*_~"


def addresses(text: str) -> Iterator[Found]:
    """Yield the URLs and e-mail addresses of *text*, folded."""
    for pattern in (_URL, _MAIL):
        for found in pattern.finditer(text):
            written = found[0].rstrip(_ENDS)
            if _STAND_IN.fullmatch(written):
                continue
            key = ink(written)
            bare = ink(written.partition("://")[2])
            support: Support = ((key,), (bare,)) if bare else ((key,),)
            yield ClaimKind.ADDRESS, found.start(), found.start() + len(written), support


_EXTENSION = (
    "bash|c|cc|cfg|conf|cpp|cs|css|csv|db|docx|eml|env|gif|go|gz|h|har|hpp|html|ini|ipynb|java|jpg|js|json"
    "|jsonl|jsx|key|kt|lock|log|lua|md|mf|mitm|mp3|mp4|parquet|pdf|php|pl|png|pptx|proto|ps1|py|rb"
    "|rs|rst|sh|sql|sqlite|svg|swift|tar|tex|tgz|toml|traj|ts|tsv|tsx|txt|vue|xlsx|xml|yaml|yml|zip"
)
_FILE = rf"[\w@-][\w.@+-]*\.(?:{_EXTENSION})"
_PATH = re.compile(
    rf"(?<![\w/.@+\\-])(?:[A-Za-z]:[\\/]|~?/|\.{{1,2}}/)?(?:[\w.@+-]+[\\/])+(?:{_FILE})\b(?!\()"
    rf"|(?<![\w/.@+\\-])(?:~|\.{{1,2}})?/(?:[\w.@+-]+/)+[\w.@+-]*\w"
    rf"|(?<![\w/.@+\\-]){_FILE}\b(?![\w(/])",
    re.IGNORECASE,
)
_UUID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE)
_HEX = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,128}\b", re.IGNORECASE)
_STAMP = re.compile(r"(?<![\w-])\d{6,}[-_]\d{4,}(?![\w-])")
_SNAKE = re.compile(r"(?<![\w.])_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_*(?!\w)")
_VERSION = re.compile(r"(?<![\w.])v?\d+\.\d+\.\d+(?:\.\d+)*(?:[-+.]?[a-z]+\.?\d+)?(?![\w.]*\d)")
_TICKET = re.compile(r"(?<![\w-])([A-Z]{2,10})-(\d{2,9})(?![\w-])")
_NUMBER_SIGN = re.compile(r"(?<![\w#&])#(\d{2,9})\b")
_LONG = re.compile(r"(?<![\w.,])\d{9,64}(?![\w.,]*\d)")
_STANDARDS = frozenset(
    {"UTF", "ISO", "SHA", "RFC", "GPT", "HTTP", "IEEE", "AES", "MD", "IPV", "BASE", "COVID", "UTC"}
)
_ENOUGH = 20


def names(text: str) -> Iterator[Found]:
    """Yield the paths, hashes, ids and versions of *text*, folded, outside of code."""
    taken: list[tuple[int, int]] = []
    for found in _written(text):
        here = (found[1], found[2])
        at = bisect_right(taken, here)
        before, behind = taken[at - 1 : at], taken[at : at + 1]
        if all(end <= here[0] for _, end in before) and all(here[1] <= s for s, _ in behind):
            taken.insert(at, here)
            yield found


def _written(text: str) -> Iterator[Found]:
    for found in _PATH.finditer(text):
        yield ClaimKind.ADDRESS, *found.span(), path(found[0])
    for pattern in (_UUID, _HEX, _STAMP, _SNAKE, _VERSION, _LONG):
        for found in pattern.finditer(text):
            written = found[0].lstrip("v") if pattern is _VERSION else found[0]
            yield ClaimKind.IDENTIFIER, *found.span(), whole_or_words(written)
    for found in _TICKET.finditer(text):
        if found[1] not in _STANDARDS:
            yield ClaimKind.IDENTIFIER, *found.span(), ((ink(found[0]),),)
    for found in _NUMBER_SIGN.finditer(text):
        if int(found[1]) > _ENOUGH:
            yield ClaimKind.IDENTIFIER, *found.span(), ((Number(int(found[1]), 0),),)


def path(written: str) -> Support:
    """Return the support of a path: as written, or its last name and every folder somewhere."""
    folders = [ink(part) for part in re.split(r"[\\/]", written)]
    parts: tuple[Key, ...] = tuple(part for part in folders if len(part) >= SHORTEST)
    whole: tuple[Key, ...] = (ink(written),)
    return (whole, parts) if len(parts) > 1 else (whole,)


_CODE_WORD = re.compile(r"[{}<>*…]|\.\.\.|\bfoo\b|\bbar\b")
"""A pattern or a stand-in, not a name."""
_STAND_IN = re.compile(
    r"[a-z][a-z0-9+.-]*://|(?:https?://)?(?:www\.)?example\.(?:com|net|org)/?", re.IGNORECASE
)
"""How addresses begin, and the names that RFC 2606 keeps for examples."""


def names_nothing(words: str) -> bool:
    """Whether words in backticks are a pattern or a stand-in, and no name."""
    return bool(_CODE_WORD.search(words) or _STAND_IN.fullmatch(words.rstrip(_ENDS)))


_ONE_WORD = re.compile(r"[\w.$@#:/\\+-]+(?:\([^()]*\))?[,;:]?")


def in_code(words: str) -> tuple[ClaimKind, Support] | None:
    """Read what stands in a pair of backticks, folded, as one name; ``None`` where it is more."""
    if names_nothing(words):
        return None
    for found in _URL.finditer(words):
        if found[0] == words:
            return ClaimKind.ADDRESS, ((ink(words),),)
    if _PATH.fullmatch(words):
        return ClaimKind.ADDRESS, path(words)
    bare = words.rstrip(",;:").partition("(")[0]
    if _ONE_WORD.fullmatch(words) and len(ink(bare)) >= SHORTEST:
        return ClaimKind.IDENTIFIER, whole_or_words(bare)
    return None
