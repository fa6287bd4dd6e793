"""Reads ``reread.toml``: severities and parameters of rules, per source, and shared tables.

The user's own file is the one given, or the one in the working folder; a
mistake in it is an error with its line.  A file inside a run is evidence: it
is read as such, and what it asks for may only make the audit stricter.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from reviewer.audit.patterns import DEFAULT
from reviewer.audit.rules import Rule, rules
from reviewer.audit.settings import OFF, SEVERITY, Change, Parameter, Settings, Table, Value
from reviewer.services.citation_patterns import (
    CITATIONS,
    PatternError,
    changes_of,
    patterns_of,
)
from reviewer.services.places import SETTINGS_FILE as FILE_NAME
from reviewer.services.setting_lines import lines_of
from store.importers import _files
from store.records.findings import Severity
from store.records.runs import Problem, ProblemKind, Run

__all__ = [
    "FILE_NAME",
    "SettingsError",
    "kind_of",
    "of_run",
    "settings_here",
    "tables",
    "user_settings",
]

MOST_BYTES = 1 << 18
_SEVERITIES = (*(each.value for each in Severity), OFF)
_SEVERITY = Parameter(SEVERITY, "", meaning="how bad its findings are", choices=_SEVERITIES)
_RULES, _SOURCES = "rules", "sources"
_REASON = "reason"
"""The key with which a person says why; it changes nothing and stands in every report."""


class SettingsError(Exception):
    """A settings file cannot be followed.  ``where`` is the file with the line, if one is known."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what


def user_settings(given: str | None) -> Settings:
    """Return what the file *given* sets, or ``reread.toml`` in the working folder.

    Raises `SettingsError`; a file that was given must be there.
    """
    name = given or FILE_NAME
    # What has the name and is no file is refused below: settings are never left out unsaid.
    if given is None and not os.path.lexists(FILE_NAME):
        return Settings()
    return _File(name, _read(Path(name), name)).settings()


def settings_here() -> tuple[Settings, Problem | None]:
    """Return what ``reread.toml`` in the working folder sets; one that is wrong is a problem."""
    try:
        return user_settings(None), None
    except SettingsError as error:
        what = f"{error.what}; nothing that this file asks for was followed"
        return Settings(), Problem(error.where, what)


def of_run(run: Run, user: Settings, named: Sequence[str] = ()) -> tuple[Settings, Problem | None]:
    """Return the settings for *run*: below those of the *user*, those that lie in its own folder.

    *named* are the paths that the user gave.  A file that cannot be followed is
    a problem, and nothing in it is followed.
    """
    place = _beside(run.path, named)
    if place is None or any(_same(place, change.origin) for change in user.changes):
        return user, None
    name = _files.shown(str(place))
    try:
        file = _File(name, _read(_inside(place), name))
        own = file.settings()
    except SettingsError as error:
        what = f"{error.what}; nothing that this file asks for was followed"
        return user, Problem(error.where, what)
    # A run must not say itself where its citations lead.
    asked = tuple(each for each in own.changes if each.owner != CITATIONS)
    told = None
    if len(asked) < len(own.changes):
        what = "patterns of citations in a run's own settings are not followed; --config FILE does"
        told = Problem(name, what, ProblemKind.NOTED)
    evidence = tuple(replace(change, is_evidence=True) for change in asked)
    return Settings((*evidence, *user.changes), user.patterns), told


def _beside(path: str, named: Sequence[str]) -> Path | None:
    """Return the settings file of the run folder that *path* is or lies in, if it has one.

    What the user *named* is looked at and nothing around it, but for the folder
    of a trace that was named alone.
    """
    given = Path(path)
    try:
        if given.is_dir():
            return _settings_in(given)
        for folder in given.parents:
            inside = any(folder.is_relative_to(name) for name in named)
            if (inside or folder == given.parent) and (folder / "manifest.json").is_file():
                return _settings_in(folder)
    except (OSError, ValueError):
        pass
    return None  # a trace that lies anywhere: what is beside it is not the run's


def _settings_in(folder: Path) -> Path | None:
    place = folder / FILE_NAME
    return place if place.is_symlink() or place.exists() else None


def _same(place: Path, origin: str) -> bool:
    try:
        return Path(origin).samefile(place)
    except (OSError, ValueError):
        return False


def _inside(place: Path) -> Path:
    try:
        return _files.inside(place.parent, place.name)
    except _files.OutsideError:
        raise SettingsError(_files.shown(str(place)), "a link out of the run folder") from None


def _read(path: Path, name: str) -> str:
    shown = _files.shown(name)
    try:
        with _files.open_regular(path) as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise SettingsError(shown, f"cannot be read ({error.strerror or error})") from None
    if len(data) > MOST_BYTES:
        raise SettingsError(shown, f"larger than {MOST_BYTES} bytes, which no settings are")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise SettingsError(shown, f"no UTF-8 text (byte {error.start})") from None


def tables(asked: Sequence[Rule] | None = None) -> Mapping[str, Table]:
    """Return the tables that rules share, by name.  Two of one name are an error."""
    found: dict[str, Table] = {}
    for rule in rules() if asked is None else asked:
        for table in rule.tables:
            taken = table.name in {_RULES, _SOURCES, CITATIONS}
            if taken or found.setdefault(table.name, table) != table:
                raise ValueError(f"two tables are called {table.name}")
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class _File:
    """One file: its name for errors, and its text."""

    name: str
    text: str

    @cached_property
    def lines(self) -> Mapping[tuple[str, ...], int]:
        """The line of each key."""
        return lines_of(self.text)

    def settings(self) -> Settings:
        """Return what the file sets, what holds for one source after what holds for all."""
        try:
            found = tomllib.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise SettingsError(self.name, f"no TOML: {error}") from None
        cited = self._table([CITATIONS], found.pop(CITATIONS, {}))
        try:
            patterns = patterns_of(cited, self.name) if cited else DEFAULT
        except PatternError as error:
            raise self._wrong([CITATIONS, *error.path], error.what) from None
        told = changes_of(cited, self.name, self.lines)
        return Settings((*told, *self._changes(found)), patterns)

    def _changes(self, found: Mapping[str, object]) -> Iterator[Change]:
        known = tables()
        for name, value in found.items():
            if name in {_RULES, _SOURCES}:
                continue
            if name not in known:
                names = _named([_RULES, _SOURCES, CITATIONS, *known])
                raise self._wrong([name], f"this key is unknown, known are {names}")
            parameters = known[name].parameters
            yield from self._values(name, [name], self._table([name], value), parameters)
        yield from self._rules([_RULES], found.get(_RULES, {}), None)
        for pattern, value in self._table([_SOURCES], found.get(_SOURCES, {})).items():
            yield from self._rules([_SOURCES, pattern], value, pattern)

    def _rules(self, path: list[str], value: object, pattern: str | None) -> Iterator[Change]:
        by_id = {rule.id: rule for rule in rules()}
        for id_, values in self._table(path, value).items():
            here = [*path, id_]
            if id_ not in by_id:
                raise self._wrong(here, "no rule has this id; reread rules lists them")
            known = (_SEVERITY, *by_id[id_].parameters)
            for change in self._values(id_, here, self._table(here, values), known):
                yield replace(change, pattern=pattern)

    def _values(
        self,
        owner: str,
        path: list[str],
        values: Mapping[str, object],
        known: Sequence[Parameter[Any]],
    ) -> Iterator[Change]:
        by_name = {parameter.name: parameter for parameter in known}
        why = values.get(_REASON, "")
        if not isinstance(why, str):
            raise self._wrong([*path, _REASON], f"takes a text, not {why!r}")
        for name, value in values.items():
            here = [*path, name]
            if name == _REASON:
                continue
            if name not in by_name:
                raise self._wrong(here, f"this key is unknown, known are {_named(by_name)}")
            try:
                taken = read(by_name[name], value)
            except ValueError as error:
                raise self._wrong(here, f"{error}, not {value!r}") from None
            line = self.lines.get(tuple(here))
            yield Change(owner, name, taken, self.name, line=line, key=_dotted(here), reason=why)

    def _table(self, path: list[str], value: object) -> Mapping[str, object]:
        if not isinstance(value, dict):
            raise self._wrong(path, f"a table is expected, not {value!r}")
        return value

    def _wrong(self, path: list[str], what: str) -> SettingsError:
        line = self.lines.get(tuple(path))
        where = self.name if line is None else f"{self.name}:{line}"
        return SettingsError(where, f"at key {_files.shown(_dotted(path))}: {_files.shown(what)}")


def _named(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(names) or "none"


def _dotted(path: Sequence[str]) -> str:
    """Return the place of a value as TOML writes it."""
    return ".".join(each if _is_bare(each) else f'"{each}"' for each in path)


def _is_bare(name: str) -> bool:
    return name.isascii() and name.replace("-", "").replace("_", "").isalnum()


# -- parameters ------------------------------------------------------------------


def kind_of(parameter: Parameter[Any]) -> str:
    """Return in words what a parameter takes."""
    if parameter.choices:
        return f"one of {', '.join(parameter.choices)}"
    names = {
        bool: "true or false",
        tuple: "a list of texts",
        int: "a whole number",
        float: "a number",
        str: "a text",
    }
    least = "" if parameter.minimum is None else f" from {parameter.minimum:g}"
    return names[type(parameter.default)] + least


def read(parameter: Parameter[Any], value: object) -> Value:
    """Return *value* as *parameter* takes it.  Raises `ValueError` with what it takes."""
    wanted: type = type(parameter.default)
    taken: Value | None = None
    if wanted is tuple and isinstance(value, list):
        taken = tuple(value) if all(isinstance(each, str) for each in value) else None
    elif wanted is float and type(value) in {int, float}:
        taken = float(str(value))
    elif type(value) is wanted and isinstance(value, bool | int | str):
        taken = value
    fits = taken is not None and (not parameter.choices or taken in parameter.choices)
    if isinstance(taken, int | float) and parameter.minimum is not None:
        fits = taken >= parameter.minimum  # false for what is no number at all
    if taken is None or not fits:
        raise ValueError(f"takes {kind_of(parameter)}")
    return taken
