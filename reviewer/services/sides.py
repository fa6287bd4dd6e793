"""What two things a comparison is of: how a side is written, and what lies there.

A side is written as a path, as ``PATH#N`` for a call of the run that lies
there, or as ``PATH::SOURCE@VERSION`` for a version of a source.  What exists
under the whole name is taken for a path.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from reviewer.services.team import saved_runs
from store.errors import MissingObjectError
from store.objects import open_plain
from store.opening import is_about_calls, open_paths
from store.records.runs import Problem, ProblemKind, Run
from store.references import Reference, ReferenceSyntaxError, parse

__all__ = ["Named", "Opened", "SideError", "named", "open_side"]

_LARGEST_TEXT = 512 * 1024 * 1024
_CALL = re.compile(r"(?s)(.+)#([0-9]{1,9})")


class SideError(Exception):
    """What was named cannot be compared as it was named; the text says what to do instead."""


@dataclass(frozen=True, slots=True)
class Named:
    """A side as it was written: *path*, and the call or the version that is meant there."""

    given: str
    path: str
    call: int | None = None
    reference: Reference | None = None


def named(given: str) -> Named:
    """Take the name of a side apart.  Raises `SideError` for what is no name of a side."""
    if not given:
        raise SideError("the name of a side is empty; name a run, a store or a file")
    if os.path.lexists(given) or given == "-":
        return Named(given, given)
    for place in (found.start() for found in re.finditer("::", given)):
        path = given[:place]
        if path and os.path.lexists(path):
            return Named(given, path, reference=_version(given, given[place + 2 :]))
    found = _CALL.fullmatch(given)
    if found and os.path.lexists(found[1]):
        return Named(given, found[1], call=int(found[2]))
    return Named(given, given)


def _version(given: str, text: str) -> Reference:
    try:
        reference = parse(text)
    except ReferenceSyntaxError as error:
        raise SideError(f"{given}: {error}") from error
    held = reference.selection
    if held.ranges or held.blocks or held.fields is not None:
        raise SideError(f"{given}: it names a place; whole versions are compared, leave it away")
    return reference


@dataclass(slots=True)
class Opened:
    """What lies at a side: its runs and what is wrong with it; a plain file is its text."""

    named: Named
    runs: list[Run] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    text: str | None = None
    sha256: str = ""

    @property
    def with_calls(self) -> list[Run]:
        """The runs that can be audited."""
        return [run for run in self.runs if run.calls]

    @property
    def is_text(self) -> bool:
        """Whether one text is meant."""
        return self.text is not None or self.named.reference is not None

    @property
    def all_problems(self) -> list[Problem]:
        """Those of the side, and of all its runs; that a store holds no call is none."""
        found = [*self.problems, *(each for run in self.runs for each in run.problems)]
        if self.with_calls:
            return found
        return [each for each in found if not is_about_calls(each)]

    @property
    def lost(self) -> bool:
        """Whether something could not be read."""
        return any(problem.kind is ProblemKind.LOST for problem in self.all_problems)


def open_side(
    name: Named, store: str | None = None, stopped: Callable[[], bool] = lambda: False
) -> Opened:
    """Read what lies there; what is wrong with it is among its problems.

    *store* holds further evidence for its runs.

    Raises `store.stopping.StoppedError` when *stopped* says so.
    """
    side = Opened(name)
    for found in open_paths([name.path], store, stopped=stopped, saved=saved_runs):
        if isinstance(found, Run):
            side.runs.append(found)
        else:
            side.problems.append(found)
    if not side.runs and name.call is None and name.reference is None:
        _read_text(side)
    return side


def _read_text(side: Opened) -> None:
    """Take a file that is no trace for a text; one that is no text stays a problem."""
    path = Path(os.path.realpath(side.named.path))
    try:
        if not path.is_file():
            return
        with open_plain(path, path.parent) as stream:
            data = stream.read(_LARGEST_TEXT + 1)
    except (OSError, ValueError, MissingObjectError):
        return
    if len(data) > _LARGEST_TEXT:
        side.problems.append(
            Problem(side.named.path, f"larger than {_LARGEST_TEXT} bytes; not read as a text")
        )
        return
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if "\0" not in text:
        side.text = text
        side.sha256 = hashlib.sha256(data).hexdigest()
        side.problems = []
