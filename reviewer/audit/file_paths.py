"""Paths of files as answers and tool calls write them, compared as the paths they mean."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["ends_with", "is_absolute", "may_be", "plain", "without_words"]


def plain(path: str) -> str:
    """Return *path* with ``/``, a drive in capitals, and without a leading ``./``."""
    path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path[0].upper() + path[1:] if path[1:3] == ":/" else path


def ends_with(path: str, end: str) -> bool:
    """Whether *path* is *end*, or ends with it at a ``/``."""
    path = plain(path)
    return path == end or (not end.startswith("/") and path.endswith(f"/{end}"))


def is_absolute(path: str, known: str) -> bool:
    """Whether *path* is the whole path of what is *known* by its end."""
    return (path.startswith("/") or path[1:3] == ":/") and ends_with(path, known)


def may_be(one: str, other: str) -> bool:
    """Whether two paths may name one file."""
    return ends_with(one, plain(other)) or ends_with(other, plain(one))


def without_words(path: str) -> Iterator[str]:
    """Yield *path*, then what is left of it without each of its first letters.

    In scripts without spaces the words before a path stand right before it,
    and which of the letters are words and which a folder only the files tell.
    """
    yield path
    at = 0
    while at < len(path) and not path[at].isascii():
        at += 1
        if path[at : at + 1] not in ("", "/", "\\"):
            yield path[at:]
