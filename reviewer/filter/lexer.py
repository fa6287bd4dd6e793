"""Cuts a filter into words, quoted texts, comparisons and brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from store.records.text import Span

__all__ = [
    "KEYWORDS",
    "MAX_CHARS",
    "Fault",
    "FilterError",
    "Mark",
    "Token",
    "is_plain",
    "quoted",
    "tokens",
]

MAX_CHARS = 10_000
"""A longer filter is refused: nobody types it, and each keystroke reads it whole."""

KEYWORDS = frozenset({"and", "or", "not", "in"})


class Fault(Enum):
    """Why a text is no filter.  Whoever shows it says it in the user's language."""

    TOO_LONG = "the filter is too long"
    TOO_DEEP = "brackets or 'not' stand too deep"
    QUOTE_OPEN = "a quoted text is not closed"
    BAD_ESCAPE = "an unknown escape"
    STRAY = "a character that belongs into quotes"
    CONDITION = "a condition is expected"
    OPERATOR = "a comparison is expected"
    NOT_FOR_COLUMN = "a comparison that the column does not have"
    VALUE = "a value is expected"
    NUMBER = "a whole number is expected"
    CHOICE = "a word that the column does not have"
    NO_COLUMN = "no such column"
    LIST_OPEN = "an opening bracket is expected"
    LIST_GOES_ON = "a comma or a closing bracket is expected"
    CLOSE = "a closing bracket is expected"
    END = "a joining word or the end is expected"


class FilterError(ValueError):
    """A text is no filter.

    ``span`` are the code points that are wrong; it is empty where something
    is missing.  ``fault`` says what is wrong; ``values`` are its details by
    name, such as ``column``, ``found`` and ``expected``.
    """

    def __init__(self, fault: Fault, span: Span, **values: object) -> None:
        self.fault = fault
        self.span = span
        self.values = {name: str(value) for name, value in values.items()}
        details = "".join(f", {name} {value}" for name, value in self.values.items())
        super().__init__(f"{fault.value} at character {span.start + 1}{details}")


class Mark(Enum):
    """What a token is."""

    WORD = "word"
    QUOTED = "quoted"
    OP = "op"
    OPEN = "("
    CLOSE = ")"
    COMMA = ","
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a filter.  ``text`` is what it means, ``span`` where it is written."""

    mark: Mark
    text: str
    span: Span

    def keyword(self) -> str:
        """Return the keyword this is, in lower case, or nothing."""
        lower = self.text.lower() if self.mark is Mark.WORD else ""
        return lower if lower in KEYWORDS else ""


_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"[^\s\"(),=!<>~]+")
_OP = re.compile(r"==|!=|<=|>=|!~|<|>|~")
_BODY = re.compile(r'[^"\\]*')
_ESCAPE = re.compile(r"\\(?:([\\\"nrt])|u\{([0-9A-Fa-f]{1,6})\})")
_MEANS = {"\\": "\\", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
_WRITTEN = {meaning: f"\\{letter}" for letter, meaning in _MEANS.items()}
_MARKS = {"(": Mark.OPEN, ")": Mark.CLOSE, ",": Mark.COMMA}
_LAST_CODE = 0x10FFFF


def tokens(text: str) -> tuple[Token, ...]:
    """Return the tokens of *text*, an ``END`` last.  Raises `FilterError`."""
    if len(text) > MAX_CHARS:
        raise FilterError(Fault.TOO_LONG, Span(MAX_CHARS, len(text)), limit=MAX_CHARS)
    found: list[Token] = []
    at = 0
    while True:
        at = _end(_SPACE, text, at)
        if at == len(text):
            return (*found, Token(Mark.END, "", Span(at, at)))
        found.append(_token(text, at))
        at = found[-1].span.end


def _token(text: str, at: int) -> Token:
    char = text[at]
    if char == '"':
        return _quoted(text, at)
    if char in _MARKS:
        return Token(_MARKS[char], char, Span(at, at + 1))
    for mark, pattern in ((Mark.OP, _OP), (Mark.WORD, _WORD)):
        match = pattern.match(text, at)
        if match is not None:
            return Token(mark, match[0], Span(at, match.end()))
    raise FilterError(Fault.STRAY, Span(at, at + 1), found=char)


def _quoted(text: str, start: int) -> Token:
    pieces: list[str] = []
    at = start + 1
    while True:
        stop = _end(_BODY, text, at)
        pieces.append(text[at:stop])
        if stop == len(text):
            raise FilterError(Fault.QUOTE_OPEN, Span(start, stop))
        if text[stop] == '"':
            return Token(Mark.QUOTED, "".join(pieces), Span(start, stop + 1))
        escape = _ESCAPE.match(text, stop)
        code = int(escape[2], 16) if escape is not None and escape[2] else 0
        if escape is None or code > _LAST_CODE:
            raise FilterError(Fault.BAD_ESCAPE, Span(stop, min(stop + 2, len(text))))
        pieces.append(_MEANS[escape[1]] if escape[1] else chr(code))
        at = escape.end()


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()


def is_plain(text: str) -> bool:
    """Tell whether *text* can stand without quotes as a value."""
    return _WORD.fullmatch(text) is not None and text.isprintable()


def quoted(text: str) -> str:
    r"""Return *text* in quotes; what cannot be seen is written ``\u{202E}``."""
    return f'"{"".join(_written(char) for char in text)}"'


def _written(char: str) -> str:
    if char in _WRITTEN:
        return _WRITTEN[char]
    return char if char.isprintable() else f"\\u{{{ord(char):X}}}"
