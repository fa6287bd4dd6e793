"""Goes to what a user named and finds what can be read there: in a file, a folder, an archive.

Nothing is read here but heads and names, so that a folder of ten thousand files
is a list soon.  Nothing is followed out of the folder or the archive.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from store.entries import Found, InArchive, OnDisk, Place
from store.importers import _files, importers
from store.importers._archive_place import ArchiveFolder, is_archive
from store.importers._archive_tar import is_tar
from store.importers._base import NO_CALLS, HandOver, Importer, Probe, UnreadableError
from store.importers._heads import forget
from store.importers._probing import file_probe, folder_probe, reason, unknown
from store.mixed import together
from store.records.runs import Problem, ProblemKind, Run
from store.stopping import go_on

__all__ = ["UNFINISHED", "find", "find_file", "on_disk", "recognised"]

_NOT_WALKED = frozenset({".git", ".hg", ".svn", "reread.toml"})
"""Names that are passed over in silence: no evidence, and the settings of an audit."""

UNFINISHED = "UNFINISHED-IMPORT.txt"
"""The file that stands in a folder of imported runs until all of them are there."""

_NAMED = 5
"""How many files that nobody can read are named; the others are counted."""

_Met = Iterator[Found | Problem]


def find(path: str) -> _Met:
    """Yield what can be read at *path*, as the user gave it, and what cannot."""
    where = _files.shown(path)
    try:
        mode = Path(path).stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        yield from _member(path)
    except (OSError, ValueError) as error:
        yield Problem(where, f"cannot be looked at ({reason(error)})")
    else:
        if stat.S_ISDIR(mode):
            yield from _folder(Path(path), _label(path))
        elif stat.S_ISREG(mode):
            yield from find_file(Path(path), path)
        else:
            yield Problem(
                where, "neither a file nor a folder (a pipe, socket or device); not opened"
            )


def find_file(path: Path, label: str, held: object = None) -> _Met:
    """Yield what can be read in a file; *held* must stay as long as that may be read."""
    where = _files.shown(label)
    try:
        probe = file_probe(path, label)
    except OSError as error:
        yield Problem(where, f"cannot be read ({reason(error)})")
        return
    importer = recognised(probe)
    if importer is not None:
        yield on_disk(importer, probe, held)
    elif is_archive(probe.head):
        yield from _Archive(path, label).found(probe.head)
    else:
        yield Problem(where, unknown(probe))


def on_disk(importer: Importer, probe: Probe, held: object = None) -> Found:
    """Return what *importer* recognised on the disk."""
    return Found(importer, probe, OnDisk(probe, held), _handed_over)


def recognised(probe: Probe) -> Importer | None:
    """Return the importer that reads what *probe* shows, or ``None``.

    No format begins as a TAR archive does, and what lies in one shows in its head.
    """
    if is_tar(probe.head):
        return None
    try:
        return _asked(probe)
    finally:
        forget()


def _asked(probe: Probe) -> Importer | None:
    for importer in importers():
        try:
            if not importer.last_resort and importer.recognise(probe):
                return importer
        except Exception as error:  # noqa: BLE001 - told by reading, like any other failure
            return replace(importer, read=partial(_fail, error), listing=None)
    return None


def _fail(error: Exception, _probe: Probe) -> Iterator[Run]:
    raise error


def _label(folder: str) -> str:
    """Return how a folder is called before the names in it: one stroke stands between."""
    return folder.rstrip("/") or folder


def _handed_over(trace: HandOver) -> Iterator[Run | Problem]:
    opened = _folder if trace.path.is_dir() else find_file
    for item in opened(trace.path, trace.label):
        if isinstance(item, Found):
            yield from replace(item, complete=trace.complete).read()
        else:
            yield item


# -- archives ------------------------------------------------------------------


def _member(path: str) -> _Met:
    """Yield what a path names that goes through an archive as through a folder."""
    place = path
    while (place := place.rpartition("/")[0]) and not Path(place).is_dir():
        if Path(place).is_file():
            break
    archive = Path(place) if place else None
    try:
        head = file_probe(archive, place).head if archive and archive.is_file() else b""
    except OSError:
        head = b""
    if archive is None or not is_archive(head):
        what = "there is no such file or folder; check the spelling"
        yield Problem(_files.shown(path), what)
        return
    yield from _Archive(archive, place, path.rstrip("/")).found(head)


@dataclass(slots=True)
class _Archive:
    """Finds what can be read in an archive, or only what *wanted* names in it.

    One *among* other files may well hold no run: then nothing is said but ``empty``.
    """

    path: Path
    label: str
    wanted: str = ""
    among: bool = False
    empty: bool = False

    def found(self, head: bytes) -> _Met:
        """Yield it.  *head* are the first bytes of the archive."""
        where = _files.shown(self.wanted or self.label)
        try:
            held = ArchiveFolder(self.path, self.label, head)
            root = held.heads()
        except UnreadableError as error:
            yield error.problem
            return
        except OSError as error:
            yield Problem(where, f"cannot be unpacked ({reason(error)})")
            return
        count = 0
        problems: list[Problem] = []
        for item in self._single(held, root) if held.single else self._all(held, root):
            if isinstance(item, Problem):
                problems.append(item)
            elif self._is_wanted(item.probe.label):
                count += 1
                yield item
        self.empty = not count
        yield from held.problems
        if self.among and self.empty:
            return
        yield from problems
        if count or held.single:
            return
        if self.wanted:
            yield Problem(where, "no run stands there in this archive; `reread runs` lists them")
        else:
            what = "no run found in this archive; unpack it, and give texts in it with --store"
            yield Problem(where, what)

    def _is_wanted(self, label: str) -> bool:
        return not self.wanted or f"{label}/".startswith(f"{self.wanted}/")

    def _single(self, held: ArchiveFolder, root: Path) -> _Met:
        """Find out what the one file is that is packed here; it is called as the packed one."""
        probe = file_probe(root / held.single, self.label)
        probe = replace(probe, size=held.size(held.single))
        importer = recognised(probe)
        if importer is not None:
            place = InArchive(held, held.single, self.label, is_folder=False, alone=True)
            yield Found(importer, probe, place, _handed_over)
        elif is_archive(probe.head):
            yield Problem(_files.shown(self.label), _NESTED)
        else:
            yield Problem(_files.shown(self.label), unknown(probe))

    def _all(self, held: ArchiveFolder, root: Path) -> _Met:
        probe = folder_probe(root, self.label)
        importer = recognised(probe) if isinstance(probe, Probe) else None
        walk = _Walk(root.resolve(), held)
        if importer is not None and isinstance(probe, Probe):
            found = Found(importer, probe, walk.place(probe, importer), _handed_over)
            yield from together((found, *walk.beside(importer, probe)), self.label)
            return
        yield from together(walk.inside(root, self.label), self.label)
        yield from walk.problems
        if walk.others and not self.wanted:
            yield Problem(_files.shown(self.label), walk.left_out(self.label), ProblemKind.NOTED)


_NESTED = "an archive in an archive; not opened: unpack it and give it by itself"


# -- folders -------------------------------------------------------------------


def _folder(path: Path, label: str) -> _Met:
    """Find what a folder is: something as a whole, else what is in it, else a store."""
    where = _files.shown(label)
    probe = folder_probe(path, label)
    if isinstance(probe, Problem):
        yield probe
        return
    importer = recognised(probe)
    walk = _Walk(path.resolve())
    if importer is not None:
        yield from together((on_disk(importer, probe), *walk.beside(importer, probe)), label)
        return
    yield from together(walk.inside(path, label), label)
    if not walk.found:
        yield from _without_run(probe, walk.problems)
        return
    yield from walk.problems
    if walk.others:
        yield Problem(where, walk.left_out(label), ProblemKind.NOTED)


def _without_run(probe: Probe, problems: list[Problem]) -> _Met:
    """Take a folder without any trace as a store, and say that this is no run."""
    where = _files.shown(probe.label)
    for importer in importers():
        if importer.last_resort and importer.recognise(probe):
            only = replace(importer, read=partial(_store_alone, importer, problems))
            yield on_disk(only, probe)
            return
    yield from problems
    yield Problem(where, _NOTHING)


_NOTHING = "no run and no text file found in this folder"


def _store_alone(importer: Importer, problems: list[Problem], probe: Probe) -> Iterator[Run]:
    """Yield a store that was given where a run should be."""
    where = _files.shown(probe.label)
    for item in importer.read(probe):
        if isinstance(item, Run) and item.versions:
            texts = "text file" if len(item.versions) == 1 else "text files"
            told = (
                f"no run found: {len(item.versions)} {texts} opened as a store;"
                " give the trace, and this folder with --store"
            )
            own = [each for each in item.problems if each.what != NO_CALLS]
            places = {each.where for each in own}
            others = [each for each in problems if each.where not in places]
            yield replace(item, problems=(*others, Problem(where, told), *own))
            return
    raise UnreadableError(where, _NOTHING)


@dataclass(slots=True)
class _Walk:
    """Goes through a folder, or the heads of an archive, however deep, and never out of it."""

    root: Path
    archive: ArchiveFolder | None = None
    found: int = 0
    others: int = 0
    named: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    _seen: set[Path] = field(default_factory=set)

    def inside(self, path: Path, label: str) -> _Met:
        """Yield what can be read in the folder at *path*, ordered by path."""
        pending = [(path, label)]
        while pending:
            go_on()
            place, name = pending.pop()
            if not self._is_new(place, name):
                continue
            probe = self._probe(place, name)
            if probe is None:
                continue
            importer = recognised(probe) if place != path else None
            if importer is not None:
                self.found += 1
                yield Found(importer, probe, self.place(probe, importer), _handed_over)
                yield from self.beside(importer, probe)
            elif probe.is_folder:
                names = sorted(probe.names - _NOT_WALKED, reverse=True)
                pending += [(place / each, f"{name}/{each}") for each in names]
            elif is_archive(probe.head):
                yield from self._archive(probe)
            elif place.name == UNFINISHED:
                what = "an import into this folder did not end, and runs are missing; import again"
                self.problems.append(Problem(_files.shown(name), what))
            else:
                self._leave_out(name)

    def beside(self, importer: Importer, folder: Probe) -> Iterator[Found]:
        """Yield the traces of other formats in a folder that *importer* reads as a whole."""
        for name in sorted(folder.names) if folder.is_folder and importer.shares else ():
            place = folder.path / name
            real = place.resolve()
            if not place.is_file() or self.root not in real.parents or real in self._seen:
                continue
            probe = self._probe(place, f"{folder.label.rstrip('/')}/{name}")
            other = recognised(probe) if probe is not None else None
            if probe is not None and other is not None and other.name != importer.name:
                self._seen.add(real)
                yield Found(other, probe, self.place(probe, other), _handed_over)

    def place(self, probe: Probe, importer: Importer) -> Place:
        """Return from where it is read what *probe* shows."""
        if self.archive is None:
            return OnDisk(probe)
        name = probe.path.resolve().relative_to(self.root).as_posix()
        return InArchive(
            self.archive,
            "" if name == "." else name,
            probe.label,
            is_folder=probe.is_folder,
            alone=importer.alone,
        )

    def left_out(self, label: str) -> str:
        """Say which files of the folder *label* nobody can read, the first by name."""
        names = [_files.shown(name.removeprefix(label).lstrip("/")) for name in self.named]
        more = self.others - len(names)
        files = "file" if self.others == 1 else "files"
        return (
            f"{self.others} other {files} of no kind that can be read; left out: "
            f"{', '.join(names)}{f' and {more} more' if more else ''}; "
            "reread audit FILE on one says why"
        )

    def _archive(self, probe: Probe) -> _Met:
        if self.archive is not None:
            self.problems.append(Problem(_files.shown(probe.label), _NESTED))
            return
        archive = _Archive(probe.path, probe.label, among=True)
        for item in archive.found(probe.head):
            self.found += isinstance(item, Found)
            if isinstance(item, Found):
                yield item
            else:
                self.problems.append(item)
        if archive.empty:
            self._leave_out(probe.label)

    def _leave_out(self, name: str) -> None:
        self.others += 1
        if len(self.named) < _NAMED:
            self.named.append(name)

    def _is_new(self, place: Path, name: str) -> bool:
        """Return whether to look at *place*: not twice, and not outside the folder."""
        try:
            real = place.resolve()
        except (OSError, RuntimeError):  # a link that leads to itself
            self._leave_out(name)
            return False
        if real != self.root and self.root not in real.parents:
            what = "a link out of the folder; not followed"
            self.problems.append(Problem(_files.shown(name), what, ProblemKind.NOTED))
            return False
        if real in self._seen:
            return False
        self._seen.add(real)
        return True

    def _probe(self, place: Path, name: str) -> Probe | None:
        if place.is_dir():
            probe = folder_probe(place, name)
            if isinstance(probe, Probe):
                return probe
            self.problems.append(probe)
            return None
        if not place.is_file():
            self._leave_out(name)  # pipes, sockets, devices, broken links: opening may block
            return None
        try:
            probe = file_probe(place, name)
        except OSError as error:
            what = f"cannot be read ({reason(error)})"
            self.problems.append(Problem(_files.shown(name), what))
            return None
        if self.archive is not None:
            size = self.archive.size(place.resolve().relative_to(self.root).as_posix())
            return replace(probe, size=size)
        return probe
