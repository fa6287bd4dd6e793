"""Files of the evidence by relative addresses, so that no report tells a place on a machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from os import path, sep
from pathlib import PurePath
from urllib.parse import quote

from store.records.findings import CitationFacts, Finding, Setting
from store.records.runs import Problem, Run

__all__ = [
    "START",
    "THE_RECORD",
    "EvidenceFiles",
    "FilePlace",
    "RecordFile",
    "places_in_record",
    "uri",
]

START = "%SRCROOT%"
"""Names the folder in which Reread was started, which in a CI job is that of the repository."""

THE_RECORD = "the record"
"""What stands at the last place that is offered for a result: it says nothing more exact."""

_ELSEWHERE = "EVIDENCE"
_STDIN = "-"
_UNRESERVED = "-._~!$&'()*+,;=@"
"""What a segment of a path may hold as it is (RFC 3986, 3.3), without the colon of a scheme."""

_LINE = re.compile(r":([0-9]{1,18})\Z")


@dataclass(frozen=True, slots=True, order=True)
class RecordFile:
    """A file by its address, relative to a folder that has a name and no place."""

    base: str
    uri: str


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in a file: ``line`` counts from 1, ``pointer`` leads into its JSON."""

    file: RecordFile
    line: int | None = None
    pointer: str = ""


def uri(name: str) -> str:
    """Return a relative path with ``/`` as an address, percent-encoded.

    >>> uri("a b/50%:x.md")
    'a%20b/50%25%3Ax.md'
    """
    try:
        data = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = name.encode("utf-8", "surrogatepass")
    return quote(data, safe=f"/{_UNRESERVED}")


@dataclass(slots=True)
class EvidenceFiles:
    """Gives addresses; ``bases`` names each folder that one is relative to, and how."""

    bases: dict[str, str] = field(default_factory=dict)
    _elsewhere: dict[str, str] = field(default_factory=dict)

    def inside(self, run: Run, name: str = "") -> RecordFile:
        """Return the address of *name* in the folder, or of the file, that *run* was opened by."""
        return self.file(run, str(PurePath(run.path, name)))

    def file(self, run: Run, name: str) -> RecordFile:
        """Return the address of the file *name*, a path that is written as that of *run* is."""
        if run.path == _STDIN:
            return RecordFile(self._base(START), "stdin")
        home, given = PurePath(path.normpath(run.path)), PurePath(path.normpath(name))
        if not _is_outside(home) and not _is_outside(given):
            return RecordFile(self._base(START), uri(given.as_posix()))
        folder = home.parent if given.is_relative_to(home.parent) else given.parent
        return RecordFile(self._outside(str(folder)), uri(given.relative_to(folder).as_posix()))

    def place(self, run: Run, origin: str) -> FilePlace:
        """Return the place of *origin*, which an importer wrote as ``file:line`` or ``file#path``.

        Without an origin it is that of the run itself.
        """
        own = PurePath(run.path).name
        rest = origin.removeprefix(own)
        named = rest != origin and rest[:1] in {"", ":", "#"}
        name, line, pointer = ("", *_parts(rest)[1:]) if named else _parts(origin)
        return FilePlace(self.inside(run, name), line, pointer)

    def told(self, problem: Problem) -> str:
        """Return what *problem* says, each folder that has a name here by that name."""
        self.named(problem.where)
        return self._hidden(f"{problem.where}: {problem.what}")

    def named(self, name: str) -> str:
        """Return the path *name*; of one that is no relative path the folder has a name only."""
        where = PurePath(name)
        if where.is_absolute():
            self._outside(str(where.parent))
        return self._hidden(name)

    def setting(self, setting: Setting) -> Setting:
        """Return *setting* with its file named like any other."""
        return replace(setting, origin=self.named(setting.origin))

    def _hidden(self, text: str) -> str:
        for folder in sorted(self._elsewhere, key=len, reverse=True):
            text = text.replace(folder.rstrip("/\\") + sep, f"{self._elsewhere[folder]}/")
        return text

    def _base(self, name: str) -> str:
        self.bases.setdefault(name, "the folder in which Reread was started")
        return name

    def _outside(self, folder: str) -> str:
        """Return the name of a folder that is not below the one Reread was started in."""
        if folder not in self._elsewhere:
            number = len(self._elsewhere) + 1
            name = _ELSEWHERE if number == 1 else f"{_ELSEWHERE}{number}"
            self._elsewhere[folder] = name
            self.bases[name] = "a folder with evidence that was opened; where it lies is left out"
        return self._elsewhere[folder]


def _is_outside(given: PurePath) -> bool:
    return given.is_absolute() or ".." in given.parts


def _parts(origin: str) -> tuple[str, int | None, str]:
    found = _LINE.search(origin)
    if found is not None:
        return origin[: found.start()], int(found[1]), ""
    name, _, pointer = origin.partition("#")
    return name, None, pointer


def places_in_record(
    run: Run, finding: Finding | None, facts: CitationFacts | None
) -> Iterator[tuple[str, str]]:
    """Yield what the record holds of a finding or citation, as (origin, what stands there).

    The nearest comes first; `THE_RECORD` comes last and always.
    """
    for origin, told in _nearest(run, finding, facts):
        if origin:
            yield origin, told
    # A finding that speaks of no place in it is shown where the record begins.
    places = [each.origin for each in run.messages] + [each.origin for each in run.calls]
    begin = next((origin for origin in places if origin), "")
    yield begin, THE_RECORD


def _nearest(
    run: Run, finding: Finding | None, facts: CitationFacts | None
) -> Iterator[tuple[str, str]]:
    where = finding.where if finding else None
    found = facts.evidence if facts else None
    message = where.message if where else None
    if found is not None:
        yield run.messages[found.message].origin, f"what the model was given in call {found.call}"
    elif message is not None and message < len(run.messages):
        yield run.messages[message].origin, f"message {message}"
    if where is not None and where.tool_call_id:
        results = (each for each in run.tool_results if each.tool_call_id == where.tool_call_id)
        if (result := next(results, None)) is not None:
            yield result.origin, f"what tool call {where.tool_call_id} returned"
    if facts is not None and facts.answer < len(run.answers):
        yield run.answers[facts.answer].origin, "the answer"
    call = where.call if where else facts.call_at_answer if facts else None
    if call is not None and 0 < call <= len(run.calls):
        yield run.calls[call - 1].origin, f"call {call}"
