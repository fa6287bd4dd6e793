"""The only place that prints: results to standard output, diagnostics to standard error."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import BinaryIO

from reviewer.display import fit, one_line, visible

__all__ = ["Output", "UnwritableError", "columns_of", "encoded"]

_COLUMNS = 100
_DIGITS = 5
_LEAST_COLUMNS = 40
_LINE_START, _REST_AWAY = "\r", "\x1b[K"


class UnwritableError(Exception):
    """Standard output takes nothing more, as on a full disk; a reader who left is none of it."""


class Output:
    """Writes UTF-8 bytes, whatever the locale; half characters are written as escapes.

    ``columns`` is the width to lay text out in and ``colour`` whether escape
    sequences of our own may be written: only to a terminal, and not with
    ``NO_COLOR``.  ``terminal`` says that a person looks at the result,
    ``watched`` that one looks at the diagnostics.
    """

    def __init__(
        self,
        stdout: BinaryIO,
        stderr: BinaryIO,
        *,
        columns: int = _COLUMNS,
        colour: bool = False,
        terminal: bool = False,
    ) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self.terminal = terminal
        self.watched = False
        self._told = False
        self.columns = columns
        self.colour = colour

    @classmethod
    def of_process(cls, environment: Mapping[str, str]) -> Output:
        """Make the output of this process.

        Raises `UnwritableError` when standard output was closed before it began.
        """
        # Python has no stream, and says nothing, where the one who started it closed it.
        if sys.stdout is None:
            raise UnwritableError("it is closed")
        stderr = sys.stderr.buffer if sys.stderr is not None else io.BytesIO()
        terminal = sys.stdout.isatty()
        colour = (
            terminal and not environment.get("NO_COLOR") and environment.get("TERM", "") != "dumb"
        )
        made = cls(
            sys.stdout.buffer,
            stderr,
            columns=columns_of(environment, sys.stdout.fileno() if terminal else None),
            colour=colour,
            terminal=terminal,
        )
        made.watched = sys.stderr is not None and sys.stderr.isatty()
        return made

    def result(self, chunks: Iterable[str | bytes]) -> None:
        """Write a result that is safe to look at already, or bytes that go into a file."""
        for chunk in chunks:
            self._put(chunk if isinstance(chunk, bytes) else encoded(chunk))

    def lines(self, lines: Iterable[str]) -> None:
        """Write lines of a result; what a terminal would obey is made visible."""
        self.result(f"{visible(line)}\n" for line in lines)

    def exact(self, text: str) -> None:
        """Write evidence itself: every byte to a file or a pipe, made visible to a terminal.

        Bytes that were no UTF-8 in the evidence become those bytes again.
        """
        if not self.terminal:
            self._put(_bytes_of(text))
            return
        shown = visible(text)
        self._put(encoded(f"{shown}\n"))
        if shown != text:
            self.note("some characters are shown by stand-ins; into a file they are written as is")

    def note(self, message: str) -> None:
        """Write one line of diagnostics."""
        self.details(f"reread: {one_line(message)}\n")

    def details(self, text: str) -> None:
        """Write diagnostics of several lines, such as a usage or a traceback."""
        self.flush()
        self.wipe()
        self._say(visible(text))

    def progress(self, text: str) -> None:
        """Tell how far the work is: on a terminal over what was told before, else on a line."""
        if not self.watched:
            self.note(text)
            return
        self._say(f"{_LINE_START}{fit(f'reread: {text}', self.columns - 1)}{_REST_AWAY}")
        self._told = True

    def wipe(self) -> None:
        """Take away from a terminal what `progress` told last."""
        if self._told:
            self._told = False
            self._say(f"{_LINE_START}{_REST_AWAY}")

    def _say(self, text: str) -> None:
        try:
            self._stderr.write(encoded(text))
            self._stderr.flush()
        except OSError:  # nowhere is left to say it; the exit status still speaks
            _lead_nowhere(self._stderr)

    def flush(self) -> None:
        """Write what is still held back; a closed pipe is met here and not at the very end."""
        try:
            self._stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UnwritableError(error.strerror or str(error)) from None

    def _put(self, data: bytes) -> None:
        try:
            self._stdout.write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UnwritableError(error.strerror or str(error)) from None

    def abandon(self) -> None:
        """Let what is held back go nowhere: the reader went away."""
        _lead_nowhere(self._stdout)


def _lead_nowhere(stream: BinaryIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)


def columns_of(environment: Mapping[str, str], terminal: int | None) -> int:
    """Return the width to lay text out in: COLUMNS, else that of the terminal, else 100.

    *terminal* is its file descriptor, ``None`` where a file or a pipe is
    written.
    """
    given = environment.get("COLUMNS", "")
    if given.isascii() and given.isdecimal() and int(given[:_DIGITS]):
        return max(_LEAST_COLUMNS, int(given[:_DIGITS]))
    if terminal is not None:
        with suppress(OSError):
            return max(_LEAST_COLUMNS, os.get_terminal_size(terminal).columns or _COLUMNS)
    return _COLUMNS


def _bytes_of(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def encoded(text: str) -> bytes:
    """Return *text* as UTF-8; what UTF-8 cannot hold is written as an escape."""
    return text.encode("utf-8", "backslashreplace")
