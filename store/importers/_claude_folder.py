"""The folder beside a session file: saved results and subagents, never followed outside."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from store.importers._base import HEAD_BYTES
from store.importers._claude_records import looks_like_session, session_of
from store.records.runs import Problem, ProblemKind

__all__ = [
    "SideFiles",
    "agents_of",
    "find_side_files",
    "is_own_folder",
    "is_session_file",
    "session_beside",
    "session_files",
    "session_in",
]

_RESULTS = "tool-results"
_AGENTS = "subagents"
_OWN = frozenset({_RESULTS, _AGENTS, "session-memory", "workflows", "memory"})


@dataclass(slots=True)
class SideFiles:
    """Results that a session saved to files, by file name.

    ``sessions`` are the names the session's folder may have in a path.
    """

    sessions: frozenset[str]
    files: dict[str, Path] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _texts: dict[str, str | None] = field(default_factory=dict)

    def name_in(self, path: str) -> str:
        """Return the side file that *path* (with ``/``) names, or an empty string."""
        head, _, name = path.rpartition("/")
        rest, _, folder = head.rpartition("/")
        ours = folder == _RESULTS and rest.rpartition("/")[2] in self.sessions
        return name if ours else ""

    def of_call(self, call_id: str) -> str:
        """Return the name of the side file of a tool call, or an empty string."""
        for suffix in (".txt", ".json", ""):
            if call_id + suffix in self.files:
                return call_id + suffix
        return ""

    def bytes_of(self, name: str) -> bytes | None:
        """Return the bytes of a side file, or ``None`` where there is none to read."""
        path = self.files.get(name)
        if path is None:
            return None
        try:
            return path.read_bytes()
        except OSError as error:
            what = f"saved result cannot be read ({error.strerror}); give the right to read it"
            self.problems.append(Problem(f"{_RESULTS}/{name}", what))
            del self.files[name]
            return None

    def text_of(self, name: str) -> str | None:
        """Return the text of a side file; ``None`` where there is none, or where it is no UTF-8."""
        if name not in self._texts:
            data = self.bytes_of(name)
            try:
                self._texts[name] = None if data is None else data.decode()
            except UnicodeDecodeError:
                self._texts[name] = None
                what = "saved result is no UTF-8 text; it is not searched"
                self.problems.append(Problem(f"{_RESULTS}/{name}", what))
        return self._texts[name]


def is_session_file(path: Path) -> bool:
    """Return whether the file's own bytes are those of a session file."""
    return looks_like_session(_head(path))


def session_in(path: Path) -> str:
    """Return the first session id in the head of a session file, or an empty text."""
    return session_of(_head(path))


def _head(path: Path) -> bytes:
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as handle:
            return handle.read(HEAD_BYTES)
    except OSError:
        return b""


def find_side_files(path: Path, session: str) -> SideFiles:
    """Return the saved results of the session whose file is *path*.

    A subagent's file lies in ``<session>/subagents`` or flat beside the
    session; it shares the session's saved results.
    """
    folders = [path.parent / path.stem]
    if session and "/" not in session and "\\" not in session and session not in {".", ".."}:
        folders.append(path.parent / session)
    folders += [above.parent for above in path.parents if above.name == _AGENTS][:1]
    names = frozenset({folder.name for folder in folders} | ({session} if session else set()))
    made = SideFiles(names)
    for folder in dict.fromkeys(folders):
        _collect(folder, made)
    return made


def _collect(folder: Path, made: SideFiles) -> None:
    results = folder / _RESULTS
    if not results.is_dir():
        return
    home = folder.parent.resolve() / folder.name
    try:
        entries = sorted(os.scandir(results), key=lambda entry: entry.name)
    except OSError as error:
        what = f"saved results cannot be listed ({error.strerror}); give the right to read them"
        made.problems.append(Problem(f"{folder.name}/{_RESULTS}", what))
        return
    for entry in entries:
        real = Path(entry.path).resolve()
        if not real.is_relative_to(home):
            what = "is a link out of the session's folder; it is not followed"
            made.problems.append(Problem(f"{folder.name}/{_RESULTS}/{entry.name}", what))
        elif real.is_file():
            made.files.setdefault(entry.name, real)


def agents_of(path: Path, session: str, problems: list[Problem]) -> Iterator[Path]:
    """Yield the subagents' files of a session file, in and beside its folder, by path.

    Links that lead out of the folder are reported in *problems*.
    """
    found = list(_below(path.parent / path.stem / _AGENTS, problems))
    for beside in _listed(path.parent):
        if beside.name.startswith("agent-") and beside != path and session:
            head = _head(beside)
            if looks_like_session(head) and session_of(head) == session:
                found.append(beside)
    yield from sorted(found)


def session_files(folder: Path, problems: list[Problem]) -> Iterator[Path]:
    """Yield every session file in a project's folder, subagents too, by path.

    Links that lead out of the folder are reported in *problems*.
    """
    found = _below(folder, problems)
    yield from sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def is_own_folder(name: str, names: frozenset[str]) -> bool:
    """Return whether a folder of this name with these entries is what a session keeps beside it."""
    return name not in {_RESULTS, _AGENTS} and bool(names & {_RESULTS, _AGENTS}) and (names <= _OWN)


def session_beside(folder: Path) -> bool:
    """Return whether the session's file lies beside its *folder*."""
    beside = (path for path in _listed(folder.parent) if path.stem == folder.name)
    return any(is_session_file(path) for path in beside)


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _below(folder: Path, problems: list[Problem]) -> Iterator[Path]:
    home = folder.parent.resolve() / folder.name
    if folder.is_symlink() and folder.name == _AGENTS:
        problems.append(_leaves(folder))
        return
    if folder.name != _AGENTS:
        home = folder.resolve()
    for at, folders, files in os.walk(folder):
        # A saved result may itself be a copy of a session; it is none of this project.
        folders[:] = sorted(name for name in folders if name != _RESULTS)
        for name in (*folders, *sorted(files)):
            path = Path(at) / name
            if path.is_symlink() and not path.resolve().is_relative_to(home):
                problems.append(_leaves(path))
            elif name in folders:
                continue
            elif is_session_file(path):
                yield path
            elif Path(at) == folder and name.endswith((".jsonl", ".json")):
                what = "is no session; it was left out; name it by itself to have it read"
                problems.append(Problem(name, what, ProblemKind.NOTED))


def _leaves(path: Path) -> Problem:
    what = "is a link out of the folder; it is not followed; open its target by itself"
    return Problem(f"{path.parent.name}/{path.name}", what)
