"""How the window was left: its layout, what was open, where the reviewer was.

One small file below the user's data folder.  It is never evidence: a file that
is missing or damaged is a fresh start, and is told where somebody asks.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

__all__ = ["MOST_RECENT", "Session", "load_session", "missing_paths", "save_session"]

MOST_RECENT = 12
"""How many recent paths are kept."""
_LARGEST = 1_000_000
"""Bytes; a larger file was not written by `save_session`."""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """How the window was left.

    ``digests`` gives for digests of runs the path they were read from.
    ``follow`` says whether runs that grow are followed.
    ``geometry`` and ``layout`` are Qt's own bytes.  ``paths`` were open,
    ``recent`` holds what was opened lately, the latest first.  ``place`` is
    the place of the reviewer as plain values.  ``text_size`` is in percent,
    ``highlights`` says whether texts are coloured by their syntax.
    ``reviewer`` is the name that decisions are made under, "" for the one of
    the command line.  ``baseline`` is the file that findings are compared with,
    "" for none.
    """

    geometry: bytes = b""
    layout: bytes = b""
    paths: tuple[str, ...] = ()
    store: str | None = None
    recent: tuple[str, ...] = ()
    place: Mapping[str, object] = msgspec.field(default_factory=dict)
    language: str = ""
    theme: str = "system"
    text_size: int = 100
    highlights: bool = True
    digests: Mapping[str, str] = msgspec.field(default_factory=dict)
    follow: bool = True
    reviewer: str = ""
    baseline: str = ""

    def with_recent(self, path: str) -> Session:
        """Return the session with *path* as the latest of the recent ones."""
        others = [each for each in self.recent if each != path]
        return msgspec.structs.replace(self, recent=(path, *others)[:MOST_RECENT])


def load_session(path: Path) -> Session:
    """Read the session at *path*; what cannot be used is a fresh start."""
    try:
        with path.open("rb") as stream:
            held = stream.read(_LARGEST + 1)
        if len(held) > _LARGEST:
            return Session()
        return msgspec.json.decode(held, type=Session)
    except (OSError, ValueError, RecursionError):
        return Session()


def save_session(path: Path, session: Session) -> None:
    """Write *session* to *path* as a whole or not at all.  Raises `OSError`.

    Paths with bytes that are no text in the system's encoding cannot be written
    as JSON and are left out: they are asked for again, not guessed.
    """
    kept = msgspec.structs.replace(
        session,
        paths=tuple(each for each in session.paths if _is_text(each)),
        recent=tuple(each for each in session.recent if _is_text(each)),
        digests={name: path for name, path in session.digests.items() if _is_text(path)},
        store=session.store if session.store and _is_text(session.store) else None,
        baseline=session.baseline if _is_text(session.baseline) else "",
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(prefix=".window-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(msgspec.json.encode(kept))
        Path(made).replace(path)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise


def missing_paths(paths: Sequence[str], check: Callable[[], None]) -> frozenset[str]:
    """Return which of *paths* are not there; *check* is called before each and may raise.

    A far disk may take its time: this is for a worker thread.
    """
    gone = set()
    for path in paths:
        check()
        try:
            there = Path(path).exists()
        except (OSError, ValueError):
            there = False
        if not there:
            gone.add(path)
    return frozenset(gone)


def _is_text(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
