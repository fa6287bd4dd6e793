"""What was found where a user pointed: recognised, not yet read, and readable one by one.

A `Found` is a file or folder that an importer recognised, on the disk or in an
archive.  It is read whole, or listed as the runs that it holds.  Each `Entry`
of such a list is read when it is asked for, and its failure is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from store.importers import _files
from store.importers._archive_place import ArchiveFolder
from store.importers._base import HandOver, Importer, Listed, Probe, UnreadableError
from store.importers._probing import file_probe, reason
from store.jsonin import noticing
from store.records.grades import Layer
from store.records.runs import Problem, ProblemKind, Run

__all__ = ["Entry", "Found", "InArchive", "OnDisk", "internal"]

_Items = Iterator[Run | Problem]
_Open = Callable[[HandOver], _Items]
"""Opens a trace that an importer found and cannot read itself."""


class Place(Protocol):
    """Where something lies that was recognised."""

    def opened(self) -> AbstractContextManager[tuple[Probe, list[Problem]]]:
        """Make it readable, and tell what of it could not be made so."""

    def lists(self, probe: Probe, importer: Importer) -> bool:
        """Tell whether *importer* can list by what recognition saw."""

    def put_away(self) -> Place:
        """Return it without what recognition saw: a list of thousands would keep each head."""


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A file or folder; *held* is what must stay as long as it may be read."""

    probe: Probe
    held: object = None

    def opened(self) -> AbstractContextManager[tuple[Probe, list[Problem]]]:
        """Give it as it is.  Raises `OSError` where it was put away and is gone since."""
        if self.probe.is_folder or self.probe.head:
            return nullcontext((self.probe, []))
        return nullcontext((file_probe(self.probe.path, self.probe.label), []))

    def lists(self, probe: Probe, importer: Importer) -> bool:
        """Tell so: it saw the whole."""
        del probe, importer
        return True

    def put_away(self) -> OnDisk:
        """Return it without its head, which is read again when it is opened."""
        return replace(self, probe=replace(self.probe, head=b""))


@dataclass(frozen=True, slots=True)
class InArchive:
    """A member of an archive, or a folder in it; an empty *name* is the whole archive."""

    archive: ArchiveFolder
    name: str
    label: str
    is_folder: bool
    alone: bool

    def opened(self) -> AbstractContextManager[tuple[Probe, list[Problem]]]:
        """Take it out into a temporary folder for as long as it is read."""
        return self.archive.opened(
            self.name, self.label, is_folder=self.is_folder, alone=self.alone
        )

    def lists(self, probe: Probe, importer: Importer) -> bool:
        """Tell whether heads are enough, or the head is all there is."""
        whole = not self.is_folder and probe.path.stat().st_size == probe.size
        return importer.heads_tell or whole

    def put_away(self) -> InArchive:
        """Return it as it is: it holds no head."""
        return self


@dataclass(frozen=True, slots=True)
class Entry:
    """A run that can be read, or a file or folder of runs that only reading tells apart.

    ``place`` names it among all others, as the user may name it again;
    ``layer`` is ``None`` where only reading tells.
    ``run_id`` is empty where only reading tells; with ``more`` other runs may
    come too.  ``size`` are the bytes that reading takes, as far as known;
    ``origin`` is where it stands in its file, if that holds others as well.
    `read` yields runs and problems and never raises for what it reads.
    """

    place: str
    format: str
    layer: Layer | None
    read: Callable[[], _Items] = field(repr=False, compare=False)
    run_id: str = ""
    title: str = ""
    size: int | None = None
    more: bool = True
    origin: str = ""

    def is_at(self, wanted: str) -> bool:
        """Tell whether *wanted* is its place or that of its file, or the end of either."""
        ends = (f"/{wanted}", f"#{wanted}")
        return any(each == wanted or each.endswith(ends) for each in (self.place, self.file))

    @property
    def file(self) -> str:
        """The place of the file or folder that holds it."""
        return self.place.removesuffix(f"#{self.origin}") if self.origin else self.place

    def is_called(self, wanted: str) -> bool:
        """Tell whether *wanted* names this entry, by its id or its place."""
        return bool(wanted) and (self.run_id == wanted or self.is_at(wanted))


@dataclass(frozen=True, slots=True)
class Found:
    """Something that *importer* recognised by *probe*, at a place from which it is read.

    ``complete`` is done to each of its runs; ``open`` opens what it hands over.
    """

    importer: Importer
    probe: Probe
    place: Place
    open: _Open
    complete: Callable[[Run], Run] | None = None

    def read(self) -> _Items:
        """Yield all that it holds; failures become problems."""
        return self._completed(self._taken(self.importer.read))

    def entries(self) -> Iterator[Entry | Problem]:
        """Yield the runs that it holds, each to be read by itself; else itself as one entry."""
        if self.importer.last_resort:
            what = "no run found; give the trace, and a folder of texts beside it with --store"
            yield Problem(self._where, what)
            return
        count = 0
        listing = self.importer.listing
        try:
            if listing is not None and self.place.lists(self.probe, self.importer):
                for each in listing(self.probe):
                    if isinstance(each, Listed):
                        count += 1
                        yield self._entry(each)
                    else:
                        yield each
        except UnreadableError as error:
            failure = error.problem
        except OSError as error:
            failure = Problem(self._where, f"cannot be read ({reason(error)})")
        except Exception as error:  # noqa: BLE001 - as in `_from`
            failure = Problem(self._where, internal(error))
        else:
            if not count:
                yield self._whole()
            return
        # Reading tells what is wrong with it, and may read more of it than could be listed.
        yield failure if count else self._whole()

    def _whole(self) -> Entry:
        size = None if self.probe.is_folder else self.probe.size
        importer = self.importer
        probe = replace(self.probe, head=b"")
        away = replace(self, probe=probe, place=self.place.put_away())
        return Entry(self._where, importer.name, importer.layer, away.read, size=size)

    def _entry(self, listed: Listed) -> Entry:
        origin = _files.shown(listed.origin)
        between = "/" if self.probe.is_folder else "#"
        return Entry(
            f"{self._where}{between}{origin}" if origin else self._where,
            self.importer.name,
            self.importer.layer,
            partial(self._one, listed),
            listed.run_id,
            listed.title,
            listed.size,
            listed.more,
            origin,
        )

    @property
    def _where(self) -> str:
        return _files.shown(self.probe.label)

    def _completed(self, items: _Items) -> _Items:
        for item in items:
            complete = self.complete if isinstance(item, Run) else None
            yield complete(item) if complete and isinstance(item, Run) else item

    def _one(self, listed: Listed) -> _Items:
        """Read one run of several; in an archive it is looked up again in what is taken out."""
        if isinstance(self.place, OnDisk):
            return self._from(listed.read)
        return self._taken(partial(self._again, listed))

    def _again(self, listed: Listed, probe: Probe) -> Iterator[Run | HandOver]:
        again = self.importer.listing(probe) if self.importer.listing else iter(())
        found = (
            each for each in again if isinstance(each, Listed) and each.origin == listed.origin
        )
        return next(found, listed).read()

    def _taken(self, read: Callable[[Probe], Iterator[Run | HandOver]]) -> _Items:
        try:
            with self.place.opened() as (probe, problems):
                yield from problems
                yield from self._from(partial(read, probe))
        except UnreadableError as error:
            yield error.problem
        except OSError as error:
            yield Problem(self._where, f"cannot be read ({reason(error)})")

    def _from(self, read: Callable[[], Iterator[Run | HandOver]]) -> _Items:
        """Yield the runs of an importer; its failures become problems.

        This is the one place that catches everything: one hostile or unforeseen
        input must not hide what the other inputs hold.  The runs of one file are
        put in order; those of a folder come as they are read, since all of them
        may be too many to hold.
        """
        handed: list[HandOver] = []
        runs: list[Run] = []
        failure: Problem | None = None
        notes: list[str] = []
        try:
            for item in noticing(read(), notes):
                if isinstance(item, HandOver):
                    handed.append(item)
                elif self.probe.is_folder:
                    yield item
                else:
                    runs.append(item)
        except UnreadableError as error:
            failure = error.problem
        except OSError as error:
            failure = Problem(self._where, f"cannot be read ({reason(error)})")
        except Exception as error:  # noqa: BLE001 - see above
            failure = Problem(self._where, internal(error))
        yield from sorted(runs, key=lambda run: (run.path, run.run_id))
        for each in handed:
            yield from self.open(each)
        if failure is not None:
            yield failure
        if notes:
            what = "holds bytes that are no UTF-8; they were kept, and match no text"
            yield Problem(self._where, what, ProblemKind.NOTED)


def internal(error: Exception) -> str:
    """Say that an error is Reread's own."""
    return f"internal error while reading ({type(error).__name__}); please report it"
