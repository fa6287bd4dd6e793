"""The size of each unique part, measured once for everything that asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from store.records.runs import Message, Run

__all__ = ["CountTokens", "Size", "Sizes", "utf8_length"]

CountTokens = Callable[[str], int]


class Size(NamedTuple):
    """Code points, UTF-8 bytes and tokens of a text."""

    chars: int = 0
    utf8: int = 0
    tokens: int = 0

    def plus(self, other: Size) -> Size:
        """Return the size of both."""
        return Size(self.chars + other.chars, self.utf8 + other.utf8, self.tokens + other.tokens)

    def minus(self, other: Size) -> Size:
        """Return the size without *other*."""
        return Size(self.chars - other.chars, self.utf8 - other.utf8, self.tokens - other.tokens)


class Sizes:
    """Sizes of a run's messages and their parts; tokens are 0 where they are not counted."""

    def __init__(self, run: Run, count_tokens: CountTokens | None) -> None:
        self._count = count_tokens
        self.parts = [self._parts(message) for message in run.messages]
        self.messages = [_total(parts) for parts in self.parts]

    @property
    def counted(self) -> bool:
        """Whether tokens were counted."""
        return self._count is not None

    def tokens(self, text: str) -> int:
        """Return the tokens of a text that is no part of a message."""
        return self._count(text) if self._count else 0

    def _parts(self, message: Message) -> tuple[Size, ...]:
        return tuple(
            Size(len(part.text), utf8_length(part.text), self.tokens(part.text))
            for part in message.parts
        )


def _total(parts: tuple[Size, ...]) -> Size:
    if len(parts) == 1:
        return parts[0]
    return Size(*(sum(column) for column in zip(*parts, strict=True))) if parts else Size()


def utf8_length(text: str) -> int:
    """Return the bytes of *text* in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
