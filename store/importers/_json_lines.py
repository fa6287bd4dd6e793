"""JSON Lines that somebody else wrote: an object a line, whatever is wrong with the others.

A live file ends in half a line and a damaged one holds lines that are no
JSON; both are told and never stop the rest from being read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from store import jsonin
from store.importers import _files
from store.records.runs import Problem, ProblemKind

__all__ = ["JsonLine", "JsonLines", "too_deep"]

_DEEPEST = 200
_TOLD = 20
"""How many damaged lines are told one by one; the others are counted."""


class JsonLine(NamedTuple):
    """A record and the number of its line, from 1."""

    number: int
    value: dict[str, object]


@dataclass(slots=True)
class JsonLines:
    """Reads one file; *label* is how problems call it.

    With ``talk`` lines of words may stand among the records, as a shell writes
    them into one file with the output of a program: they are counted.
    """

    label: str
    talk: bool = False
    problems: list[Problem] = field(default_factory=list)
    damaged: int = 0
    _words: int = 0

    def read(self, path: Path) -> Iterator[JsonLine]:
        """Yield the records of the file.  Raises `OSError`."""
        with _files.open_regular(path, _files.LONG_LINES) as stream:
            for line in _files.lines(stream):
                body = line.data.strip()
                if self.talk and body and not body.startswith(b"{"):
                    self._words += 1
                elif body:
                    value = self._value(line.number, body, ended=line.ended)
                    if value is not None:
                        yield JsonLine(line.number, value)
        if self._words:
            what = f"words of a shell stand among the records; lines left out: {self._words}"
            self.problems.append(Problem(_files.shown(self.label), what, ProblemKind.NOTED))
        if self.damaged > _TOLD:
            what = f"{self.damaged - _TOLD} more lines could not be read either"
            self.problems.append(Problem(_files.shown(self.label), what))

    def _value(self, number: int, body: bytes, *, ended: bool) -> dict[str, object] | None:
        try:
            loaded = jsonin.load(body)
        except jsonin.JsonError as error:
            what = (
                f"this line is no JSON ({error}); the rest was read; restore the line"
                if ended
                else "last line cut short; the rest was read; "
                "open the file again when its writer has finished"
            )
            self._lost(number, what)
            return None
        if too_deep(body, loaded.value):
            self._lost(number, "this line is nested too deeply to be read; the rest was read")
            return None
        if not isinstance(loaded.value, dict):
            self._lost(number, "this line is no record; the rest was read")
            return None
        if loaded.tolerant:
            what = f"read tolerantly, since strict JSON refuses it ({loaded.tolerant})"
            self._tell(number, what, ProblemKind.NOTED)
        return loaded.value

    def _lost(self, number: int, what: str) -> None:
        self.damaged += 1
        if self.damaged <= _TOLD:
            self._tell(number, what, ProblemKind.LOST)

    def _tell(self, number: int, what: str, kind: ProblemKind) -> None:
        self.problems.append(Problem(f"{_files.shown(self.label)}:{number}", what, kind))


def too_deep(body: bytes, value: object) -> bool:
    """Return whether *value* is nested deeper than comparing and writing it can take."""
    if body.count(b"[") + body.count(b"{") <= _DEEPEST:
        return False
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (
                outer.values()
                if isinstance(outer, dict)
                else outer
                if isinstance(outer, list)
                else ()
            )
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True
