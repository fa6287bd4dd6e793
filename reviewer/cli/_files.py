"""Writes what ``--output`` names: whole or not at all, and never onto evidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reviewer.cli._command import UsageError
from reviewer.services import result_files

__all__ = ["ResultFile", "checked_output"]


def checked_output(name: str, evidence: Sequence[str], option: str = "--output") -> Path:
    """Return where to write, or raise `UsageError` where that could touch evidence."""
    try:
        return result_files.checked_output(name, evidence)
    except result_files.RefusedError as error:
        raise UsageError(f"{option} {error}") from None


class ResultFile(result_files.ResultFile):
    """Takes a result beside its place and moves it there when it is whole."""

    option = "--output"

    def _refused(self, error: OSError) -> Exception:
        return UsageError(f"{self.option} {super()._refused(error)}")
