"""Which words of a text are what in the language it is written in: for colours only.

Nothing of the text decides what is loaded: a language is chosen by the name of
its source, by its declared type or because a text looks like JSON, and only
among `_BY_ENDING`, whose lexers take time in proportion to the text.  A lexer
is given a bounded stretch and never the whole of a large text; what it says is
checked against the text, so that every offset is one of the record.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from store.records.text import Span

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

__all__ = ["ROLES", "Piece", "language_of", "looks_like_json", "pieces"]

ROLES = ("syntax.comment", "syntax.keyword", "syntax.name", "syntax.number", "syntax.string")
"""What a piece of a text can be, as the themes name its colour."""

_BY_ENDING = {
    "json": "json", "jsonl": "json", "ndjson": "json", "geojson": "json", "ipynb": "json",
    "py": "python", "pyi": "python", "md": "markdown", "markdown": "markdown",
    "xml": "xml", "svg": "xml", "html": "html", "htm": "html", "css": "css",
    "yaml": "yaml", "yml": "yaml", "toml": "toml", "ini": "ini", "cfg": "ini",
    "sql": "sql", "sh": "bash", "bash": "bash", "diff": "diff", "patch": "diff",
    "js": "javascript", "ts": "typescript", "c": "c", "h": "c", "cpp": "cpp",
    "java": "java", "go": "go", "rs": "rust",
}  # fmt: skip
_BY_TYPE = {
    "application/json": "json", "application/x-ndjson": "json", "text/markdown": "markdown",
    "text/html": "html", "application/xml": "xml", "text/xml": "xml", "text/x-python": "python",
    "application/yaml": "yaml", "application/sql": "sql", "text/css": "css",
}  # fmt: skip

_CONTEXT = 4_000
"""Code points before a stretch that a lexer is given too, for strings and comments in progress."""
_REACH = 60_000
"""How far back the line of a stretch may begin; from the middle of a line nothing can be told."""
_LONGEST = 120_000
"""Code points of a stretch; more are never on one screen."""
_PATIENCE = 0.5
"""Seconds for one stretch; what is not done by then stays plain."""
_LOOK = 4_096
"""How far into a text one looks for its first sign."""


class Piece(NamedTuple):
    """``text[start:end]`` is what ``role`` says."""

    start: int
    end: int
    role: str


def language_of(name: str, media_type: str = "") -> str | None:
    """Return the language of a source called *name* with this declared type, if it is known."""
    ending = PurePosixPath(name.replace("\\", "/")).suffix[1:].lower()
    kind = media_type.partition(";")[0].strip().lower()
    return _BY_ENDING.get(ending) or _BY_TYPE.get(kind)


def looks_like_json(text: str) -> bool:
    """Whether *text* begins and ends as an object or array of JSON does."""
    first, last = text[:_LOOK].lstrip()[:1], text[-_LOOK:].rstrip()[-1:]
    return (first, last) in {("{", "}"), ("[", "]")}


def pieces(
    text: str,
    body: Span,
    stretch: Span,
    language: str,
    check: Callable[[], None],
) -> Sequence[Piece]:
    """Return the pieces of *stretch* that have a role, ascending and without overlaps.

    *body* is where the text in *language* stands in *text*; nothing outside it
    is looked at.  *check* is called now and then and may raise to stop.
    """
    inside = body.meet(stretch)
    if inside is None or not inside.length:
        return ()
    start = _beginning(text, body, inside.start)
    if start is None:
        return ()
    end = min(inside.end, inside.start + _LONGEST)
    lexer = _lexer(language)
    return tuple(_found(lexer, text[start:end], start, inside, check))


def _beginning(text: str, body: Span, position: int) -> int | None:
    """Return where a line begins from which a lexer can start to tell what is at *position*."""
    wanted = max(position - _CONTEXT, body.start)
    line = text.rfind("\n", max(wanted - _REACH, body.start), wanted) + 1
    if line or wanted - _REACH <= body.start:
        return max(line, body.start)
    # The line began too far back; the next one may begin before the place.
    line = text.find("\n", wanted, position) + 1
    return line or None


def _found(
    lexer: Lexer, chunk: str, origin: int, inside: Span, check: Callable[[], None]
) -> Iterator[Piece]:
    until = time.monotonic() + _PATIENCE
    reached = inside.start
    for number, (at, token, value) in enumerate(lexer.get_tokens_unprocessed(chunk)):
        if number % 64 == 0:
            check()
            if time.monotonic() > until:
                return
        role = _role(token)
        start, end = origin + at, origin + at + len(value)
        if role is None or end <= reached:
            continue
        if chunk[at : at + len(value)] != value:
            return  # a lexer that changes what it is given says nothing of the record
        start, end = max(start, reached), min(end, inside.end)
        if start < end:
            yield Piece(start, end, role)
            reached = end


def _lexer(language: str) -> Lexer:
    """Return a lexer of Pygments' own; *language* is one of ours, never a word of the evidence."""
    from pygments.lexers import get_lexer_by_name  # noqa: PLC0415 - nobody waits for it at the start

    # A block of Markdown may name any language, also one that a plug-in brings.
    options = {"handlecodeblocks": False} if language == "markdown" else {}
    return get_lexer_by_name(language, **options)


@cache
def _role(token: _TokenType) -> str | None:
    from pygments.token import Token  # noqa: PLC0415 - see above

    for kind, role in (
        (Token.Comment, "syntax.comment"),
        (Token.Name.Tag, "syntax.name"),
        (Token.Name.Attribute, "syntax.name"),
        (Token.Name.Function, "syntax.name"),
        (Token.Name.Class, "syntax.name"),
        (Token.Name.Decorator, "syntax.name"),
        (Token.Generic.Heading, "syntax.keyword"),
        (Token.Generic.Subheading, "syntax.keyword"),
        (Token.Generic.Inserted, "syntax.string"),
        (Token.Generic.Deleted, "syntax.number"),
        (Token.Keyword, "syntax.keyword"),
        (Token.Literal.Number, "syntax.number"),
        (Token.Literal.String, "syntax.string"),
        (Token.Literal, "syntax.string"),
    ):
        if token in kind:
            return role
    return None
