"""What a user may set for rules, and the settings in force.

A rule declares its parameters in its own file.  The audit gets a frozen record
of what was set; reading files is somebody else's work.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, cached_property
from typing import Any, Generic, TypeVar

from reviewer.audit.patterns import DEFAULT, Patterns
from store.records.findings import Severity

__all__ = ["OFF", "SEVERITY", "Change", "Parameter", "Settings", "Table", "Value"]

Value = bool | int | float | str | tuple[str, ...]
T = TypeVar("T", bool, int, float, str, tuple[str, ...])

OFF = "off"
"""The severity that keeps a rule from reporting."""
SEVERITY = "severity"
"""The key that every rule has."""


@dataclass(frozen=True, slots=True)
class Parameter(Generic[T]):
    """One value of a rule, or of a table, that a user may set.

    Its type is that of its default.  ``minimum`` is the least number that
    makes sense, ``choices`` are the only texts that do.  A list holds texts.
    """

    name: str
    default: T
    meaning: str
    minimum: float | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """Values that several rules share: the table *name* of a settings file."""

    name: str
    meaning: str
    parameters: tuple[Parameter[Any], ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One value that a settings file sets.

    ``owner`` is the id of a rule or the name of a table, ``name`` the
    parameter or ``severity``.  ``pattern`` limits it to source ids that match
    (a shell pattern, case kept).  ``origin`` is the file and ``line`` the line
    in it, ``key`` its place there, ``reason`` what the file says why.
    ``is_evidence`` says that the file lies in the run it is about.
    """

    owner: str
    name: str
    value: Value
    origin: str = ""
    pattern: str | None = None
    line: int | None = None
    key: str = ""
    reason: str = ""
    is_evidence: bool = False

    def reaches(self, source_id: str | None) -> bool:
        """Whether it holds for what is found at a source."""
        return self.pattern is None or (
            source_id is not None and _compiled(self.pattern).match(source_id) is not None
        )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a shell pattern ready to match; `fnmatch` itself keeps few of them."""
    return re.compile(translate(pattern))


@dataclass(frozen=True)
class Settings:
    """The settings in force, the weakest first: a later change wins over an earlier one.

    ``patterns`` say how answers cite in their text.
    """

    changes: tuple[Change, ...] = ()
    patterns: Patterns = DEFAULT

    def value(self, owner: str, parameter: Parameter[T], source_id: str | None = None) -> T:
        """Return the value of a parameter of a rule, or of a table, for a source."""
        found = self.last(owner, parameter.name, source_id)
        # Whoever made the change has read its value as this parameter takes it.
        return parameter.default if found is None else found.value  # type: ignore[return-value]

    def severity(self, rule: str, given: Severity, source_id: str | None) -> Severity | None:
        """Return the severity of a finding of *rule* that has *given* itself; ``None`` for off."""
        found = self.last(rule, SEVERITY, source_id)
        if found is None:
            return given
        return None if found.value == OFF else Severity(str(found.value))

    def last(self, owner: str, name: str, source_id: str | None) -> Change | None:
        """Return the change that decides, ``None`` where nothing was set."""
        found = self._by_name.get((owner, name), ())
        return next((change for change in found if change.reaches(source_id)), None)

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Sequence[Change]]:
        """The changes of each value, the strongest first."""
        found: dict[tuple[str, str], list[Change]] = {}
        for change in reversed(self.changes):
            found.setdefault((change.owner, change.name), []).append(change)
        return found

    @property
    def trusted(self) -> Settings:
        """What the user set, without what a run asks for itself."""
        changes = tuple(each for each in self.changes if not each.is_evidence)
        return Settings(changes, self.patterns)
