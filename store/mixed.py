"""Finds, among what a folder holds, the records of one run in several formats.

What lies in one folder in several formats may be one run, and so may what is
named by one id anywhere below it.  Only reading tells (`store.joining`), so
such files are read together; all others one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Final

from store.entries import Entry, Found
from store.importers import _files
from store.joining import join
from store.records.runs import Problem, ProblemKind, Run

__all__ = ["together"]

_MOST: Final = 500
"""Of so many files the heads are held while it is found out which belong together."""
_LARGEST: Final = 128 << 20
"""Files of more bytes are not held together in memory; each is read by itself."""
_ID: Final = re.compile(rb"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")

_Met = Iterable[Found | Problem]


@dataclass(frozen=True, slots=True)
class _Several(Found):
    """Files that may hold records of one run; ``rest`` are those after the first.

    ``named`` where they bear one id, so that they are listed as one.
    """

    rest: tuple[Found, ...] = field(default=())
    named: bool = False

    def read(self) -> Iterator[Run | Problem]:
        """Yield the runs of all, records of one run as one, by path and run id."""
        runs: list[Run] = []
        others = {_files.shown(one.probe.label) for one in self.rest}
        for one in (_alone(self), *self.rest):
            for item in one.read():
                if isinstance(item, Run):
                    runs.append(_without(item, others))
                else:
                    yield item
        yield from sorted(join(runs), key=lambda run: (run.path, run.run_id))

    def entries(self) -> Iterator[Entry | Problem]:
        """Yield them as one entry where they bear one id, else each by itself."""
        members = (_alone(self), *self.rest)
        if not self.named:
            for one in members:
                yield from one.entries()
            return
        names = dict.fromkeys(one.importer.name for one in members)
        size = sum(one.probe.size for one in members)
        place = _files.shown(self.probe.label)
        yield Entry(place, " + ".join(names), None, self.read, size=size)


def _without(run: Run, others: set[str]) -> Run:
    """Return *run* without what a folder's own reader says of files that others read."""
    kept = [
        one for one in run.problems if one.kind is not ProblemKind.NOTED or one.where not in others
    ]
    return replace(run, problems=tuple(kept)) if len(kept) < len(run.problems) else run


def _alone(found: _Several) -> Found:
    return Found(found.importer, found.probe, found.place, found.open, found.complete)


def together(met: _Met, label: str) -> Iterator[Found | Problem]:
    """Yield what was *met* in the folder *label*, what may be one run as one.

    Nothing is held back where all of it has one format, beyond the first files.
    """
    held: list[Found | Problem] = []
    count = 0
    stream = iter(met)
    for item in stream:
        held.append(item)
        count += isinstance(item, Found)
        if count > _MOST:
            yield from _many(held, stream, label)
            return
    yield from _grouped(held)


def _many(held: list[Found | Problem], stream: _Met, label: str) -> Iterator[Found | Problem]:
    """Yield what are too many to be held, and say so where they have several formats."""
    formats = {item.importer.name for item in held if isinstance(item, Found)}
    yield from held
    for item in stream:
        if isinstance(item, Found):
            formats.add(item.importer.name)
        yield item
    if len(formats) > 1:
        what = (
            f"more than {_MOST} traces of several formats: records of one run were not put "
            "together; name the folder of the run itself"
        )
        yield Problem(_files.shown(label), what, ProblemKind.NOTED)


def _grouped(held: list[Found | Problem]) -> Iterator[Found | Problem]:
    found = [item for item in held if isinstance(item, Found)]
    several = len({one.importer.name for one in found}) > 1
    groups = _Groups(found) if several else None
    for item in held:
        group = groups.of(item) if groups is not None and isinstance(item, Found) else []
        if groups is None or len(group) < 2:  # noqa: PLR2004 - one alone is no group
            yield item
        elif group[0] is item and isinstance(item, Found):
            parts = (item.importer, item.probe, item.place, item.open, item.complete)
            yield _Several(*parts, rest=tuple(group[1:]), named=groups.is_named(item))
    yield from groups.problems if groups is not None else ()


class _Groups:
    """Which files may hold records of one run: in one folder, or of one id, in several formats."""

    def __init__(self, found: list[Found]) -> None:
        self.problems: list[Problem] = []
        self._order = {id(one): at for at, one in enumerate(found)}
        self._group = {id(one): [one] for one in found}
        self._named: set[int] = set()
        by_id: dict[bytes, list[Found]] = {}
        by_folder: dict[PurePath, list[Found]] = {}
        for one in found:
            place = PurePath(one.probe.label)
            by_folder.setdefault(place.parent, []).append(one)
            if one.probe.is_folder:
                by_folder.setdefault(place, []).append(one)
            for name in _ids(one):
                by_id.setdefault(name, []).append(one)
        for members in by_id.values():
            if self._unite(members):
                self._named |= {id(one) for one in members}
        for folder, members in by_folder.items():
            if _is_mixed(members) and not self._unite(members):
                what = (
                    f"{len(members)} files of several formats are too large to be held together: "
                    "records of one run were not put together; give those of one run alone"
                )
                where = _files.shown(str(folder))
                self.problems.append(Problem(where, what, ProblemKind.NOTED))

    def of(self, one: Found) -> list[Found]:
        """Return the files that may belong to the run of this one, itself among them, in order."""
        return sorted(self._group[id(one)], key=lambda each: self._order[id(each)])

    def is_named(self, one: Found) -> bool:
        """Return whether all files of the group bear ids that they share."""
        return all(id(each) in self._named for each in self._group[id(one)])

    def _unite(self, members: list[Found]) -> bool:
        """Make one group of those that *members* belong to, unless they are too large."""
        if not _is_mixed(members):
            return False
        united = {id(each): each for one in members for each in self._group[id(one)]}
        if sum(one.probe.size for one in united.values()) > _LARGEST:
            return False
        group = list(united.values())
        self._group |= dict.fromkeys(united, group)
        return True


def _is_mixed(members: list[Found]) -> bool:
    return len({one.importer.name for one in members}) > 1


def _ids(found: Found) -> set[bytes]:
    """Return the ids that a file is named after or begins with."""
    name = found.probe.path.name.lower().encode("utf-8", "surrogateescape")
    return {*_ID.findall(name), *_ID.findall(found.probe.head.lower())}
