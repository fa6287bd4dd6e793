"""Archives: what lies in them, without unpacking more than what is asked for.

An archive is hostile in ways a folder is not: its names climb out of it, its
links lead elsewhere, its sizes lie, it grows a thousandfold.  Names that no
file in a folder could have are left out and told; every member is read in
pieces, up to the size that the archive's list declares and no further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Final

from store.importers._base import HEAD_BYTES
from store.importers._unpacking import PIECE
from store.records.runs import Problem, ProblemKind

__all__ = ["MEMBERS", "Archive", "ArchiveError", "Member", "Members"]

MEMBERS: Final = 100_000
"""Members up to which an archive is listed."""
_LARGEST: Final = 2 << 30
"""Bytes of the largest member that is read."""
_LONGEST: Final = 255
"""Bytes that a part of a name may have: no file system takes more."""
_DEEPEST: Final = 64


class ArchiveError(Exception):
    """An archive, or a member of it, cannot be read.  The text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: its name with ``/``, its size as declared, and its bytes.

    ``pieces`` reads it anew each time, about so many bytes at once, and raises
    `ArchiveError` where it proves to be damaged or larger than declared.
    """

    name: str
    size: int
    pieces: Callable[[int], Iterator[bytes]] = field(repr=False)

    def head(self, size: int = HEAD_BYTES) -> bytes:
        """Return its first bytes.  Raises `ArchiveError`."""
        found = b""
        for piece in self.pieces(size):
            found += piece
            if len(found) >= size:
                break
        return found[:size]

    def data(self) -> bytes:
        """Return all its bytes.  Raises `ArchiveError`."""
        return b"".join(self.pieces(PIECE))

    def copy(self, path: Path) -> None:
        """Write it to a new file.  Raises `ArchiveError` and `OSError`."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as copy:
            copy.writelines(self.pieces(PIECE))


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Archive:
    """What can be read in an archive, by name, and why other members cannot.

    Hold it as long as its members are read: what it was unpacked to goes with it.
    """

    members: Mapping[str, Member]
    problems: tuple[Problem, ...] = ()
    single: str = ""
    """The name of the one file that is packed here without being in an archive."""


@dataclass(slots=True)
class Members:
    """Collects the members of an archive; what has no safe name or size becomes a problem."""

    label: str
    found: dict[str, Member] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _folders: set[str] = field(default_factory=set)
    _count: int = 0

    def add(self, member: Member) -> None:
        """Take in a file.  Raises `ArchiveError` where there are more than can be listed."""
        self._counted()
        why = _unsafe(member.name)
        if why:
            self.leave_out(member.name, why, ProblemKind.LOST)
            return
        name = "/".join(part for part in member.name.split("/") if part not in {"", "."})
        above = [name[:at] for at, sign in enumerate(name) if sign == "/"]
        if member.size > _LARGEST:
            why = f"{member.size} bytes, more than the {_LARGEST} that are read of a member"
            self.leave_out(name, f"{why}; unpack it and give it by itself", ProblemKind.LOST)
        elif name in self._folders or any(each in self.found for each in above):
            self.leave_out(name, "both a file and a folder in this archive; left out")
        else:
            if name in self.found:
                self.leave_out(name, "stands in this archive twice; the later one was taken")
            self._folders.update(above)
            self.found[name] = Member(name, member.size, member.pieces)

    def leave_out(self, name: str, why: str, kind: ProblemKind = ProblemKind.NOTED) -> None:
        """Tell that a member was not read."""
        self.problems.append(Problem(f"{self.label}/{name}", why, kind))

    def strange(self, name: str, what: str) -> None:
        """Tell of a member that is no file.  Raises `ArchiveError` as `add` does."""
        self._counted()
        self.leave_out(name, what)

    def _counted(self) -> None:
        self._count += 1
        if self._count > MEMBERS:
            raise ArchiveError(f"holds more than {MEMBERS} members; unpack it and give the folder")


def _unsafe(name: str) -> str:
    """Say why a name could not be that of a file inside a folder, or nothing."""
    pure = PureWindowsPath(name)
    parts = [part for part in name.split("/") if part not in {"", "."}]
    if not parts or "\0" in name:
        return "no name that a file can have; left out"
    if pure.drive or pure.root or ".." in pure.parts:
        return "a name that leads out of the archive; left out"
    long = any(len(part.encode("utf-8", "surrogateescape")) > _LONGEST for part in parts)
    if long or len(parts) > _DEEPEST:
        return "a name longer or deeper than any file's; left out"
    return ""
