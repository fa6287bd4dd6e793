"""The exit statuses, which programs that call Reread may rely on."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Exit"]


class Exit(IntEnum):
    """What the program says when it ends; ``meaning`` is what the manual says of it."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    UNDECIDED = 3
    INTERNAL = 4
    CANCELLED = 130

    @property
    def meaning(self) -> str:
        """One sentence for the manual."""
        return _MEANINGS[self]


_MEANINGS = {
    Exit.OK: (
        "audited, and nothing at or above `--fail-on` was found, as far as the record says: calls "
        "of grade `unknown` are counted in the output and change no status; `compare`: the same"
    ),
    Exit.FINDINGS: "findings at or above `--fail-on`; `compare`: different",
    Exit.USAGE: "wrong usage: nothing was done",
    Exit.UNDECIDED: (
        "evidence is missing or unreadable, so that the audit could not decide; the other inputs "
        "are still audited and printed (stronger than 1); `compare`: something could not be "
        "compared"
    ),
    Exit.INTERNAL: "an error inside Reread; `--traceback` shows it",
    Exit.CANCELLED: "cancelled, or the reader of the output went away",
}
