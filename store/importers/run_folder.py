"""Native run folders: ``reread.run/1`` with events in ``reread.events/1``."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from store import jsonin
from store.builder import RunBuilder
from store.importers import _files
from store.importers._base import HEAD_BYTES, NO_CALLS, HandOver, Importer, Probe
from store.importers._fields import Fields
from store.importers._run_events import EVENTS, EventReader
from store.importers._run_imported import Imported, read_imported
from store.importers._run_listing import listed
from store.importers._run_store import Objects, StoreReader
from store.records.grades import Grade, Layer
from store.records.runs import Budget, Grant, OtherEvent, Problem, ProblemKind, Run

__all__ = ["IMPORTER"]

_FORMAT = "reread.run/1"
_EVENTS_FORMAT = "reread.events/1"
_MANIFEST, _TRACE, _VERSIONS = "manifest.json", "events.jsonl", "versions.jsonl"
_SAYS_FORMAT = re.compile(rb'"format"\s*:\s*"reread\.run/')
_SAYS_EVENT = re.compile(rb'^(?:\xef\xbb\xbf)?\s*\{[^\n]*?"event"\s*:\s*"([a-z_]+)"')
_SAYS_VERSION = re.compile(rb'^(?:\xef\xbb\xbf)?\s*\{[^\n]*?"source_id"\s*:')


def _recognise(probe: Probe) -> bool:
    if not probe.is_folder:
        begins = probe.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
        return begins and (_says_event(probe.head) or bool(_SAYS_FORMAT.search(probe.head)))
    if _MANIFEST in probe.names and _SAYS_FORMAT.search(_head(probe.path / _MANIFEST)):
        return True
    if _TRACE in probe.names and _says_event(_head(probe.path / _TRACE)):
        return True
    return any(
        _SAYS_VERSION.search(_head(probe.path / place)) is not None
        for place in (_VERSIONS, f"store/{_VERSIONS}")
    )


def _says_event(head: bytes) -> bool:
    found = _SAYS_EVENT.search(head)
    return found is not None and found[1].decode() in EVENTS


def _head(path: Path) -> bytes:
    try:
        with _files.open_regular(path) as stream:
            return stream.read(HEAD_BYTES)
    except OSError:
        return b""


def _read(probe: Probe) -> Iterator[Run | HandOver]:
    if probe.is_folder:
        return _Folder(probe.path, probe.label, probe.label).read()
    where = probe.label.removesuffix(probe.path.name).rstrip("/\\") or "."
    if _SAYS_FORMAT.search(probe.head) and not _says_event(probe.head):
        return _Folder(probe.path.parent, probe.label, where).read()
    return _Folder(probe.path.parent, probe.label, where, probe.path.name).read_trace()


@dataclass(slots=True)
class _Facts:
    """What ``manifest.json`` says, as far as it fits; a ``run_id`` may stand in the events too."""

    run_id: str
    title: str = ""
    traces: list[tuple[str, str]] = field(default_factory=list)
    store: str = "store"
    grant: Grant | None = None
    budget: Budget | None = None
    files: dict[str, str] = field(default_factory=dict)
    imported: Imported | None = None


@dataclass(slots=True)
class _Folder:
    """One run folder.

    *path* is what the user named, *label* names the folder itself; *alone* is
    the file in it when the user named no more than that.
    """

    folder: Path
    path: str
    label: str
    alone: str = ""
    problems: list[Problem] = field(default_factory=list)
    other_events: list[OtherEvent] = field(default_factory=list)

    def read(self) -> Iterator[Run | HandOver]:
        """Yield the run, or what is to be read by somebody else."""
        names = _files.names_in(self.folder)
        facts = self._manifest() if _MANIFEST in names else None
        if facts is None:
            facts = _Facts("")
            if _TRACE in names:
                facts.traces.append((_TRACE, _EVENTS_FORMAT))
            if _VERSIONS in names and "store" not in names:
                facts.store = "."
        return self._read(facts)

    def read_trace(self) -> Iterator[Run | HandOver]:
        """Yield the run of an event log that was named alone; a store may lie beside it."""
        facts = _Facts("", traces=[(self.alone, _EVENTS_FORMAT)])
        return self._read(facts)

    def _read(self, facts: _Facts) -> Iterator[Run | HandOver]:
        store = self._store(facts)
        native = [path for path, format_ in facts.traces if format_ == _EVENTS_FORMAT]
        handed = [
            HandOver(path, f"{self.label}/{name}", self._completion(facts, store))
            for name, format_ in facts.traces
            if format_ != _EVENTS_FORMAT and (path := self._foreign(name)) is not None
        ]
        read = {f"{facts.store}/{_VERSIONS}", *native, _MANIFEST}
        for name, sha256 in facts.files.items():
            if name not in read:
                self._check(name, sha256)
        if native or not handed:
            yield self._run(facts, store, native)
        yield from handed

    def _foreign(self, name: str) -> Path | None:
        """Return the path of a trace in another format; one that is this folder would not end."""
        path = self._inside(name)
        if path is not None and path.resolve() in {
            self.folder.resolve(),
            (self.folder / _MANIFEST).resolve(),
        }:
            self._lost(f"{self.label}/{_MANIFEST}", f'the trace "{name}" is this folder itself')
            return None
        return path

    def _run(self, facts: _Facts, store: StoreReader, native: list[str]) -> Run:
        imported = facts.imported
        builder = RunBuilder(
            run_id=facts.run_id,
            path=self.path,
            format=IMPORTER.name,
            layer=imported.layer if imported else IMPORTER.layer,
            title=facts.title,
            parent_run=imported.parent_run if imported else None,
            branch=imported.branch if imported else None,
            grant=facts.grant,
            budget=facts.budget,
            versions=store.versions,
            refresh_failures=store.refresh_failures,
        )
        reader = EventReader(builder, store.objects, imported=imported is not None)
        for name in native:
            self._events(reader, facts, name)
        reader.finish(self.folder.resolve().name)
        known = imported.problems if imported else []
        told = (*known, *self.problems, *store.problems, *builder.problems)
        if not (builder.calls or imported) and all(
            each.kind is not ProblemKind.LOST for each in told
        ):
            builder.problem(self.path, NO_CALLS)
        builder.problems[:0] = known + self.problems + store.problems
        builder.other_events[:0] = self.other_events + store.other_events
        # Without calls there is nothing to grade but what the first record was.
        return builder.finish(imported.grade if imported and not builder.calls else None)

    def _events(self, reader: EventReader, facts: _Facts, name: str) -> None:
        path = self._inside(name)
        if path is None:
            return
        label = self._place(name)
        reader.start(name, label)
        expected = facts.files.get(name)
        digest = hashlib.sha256()
        try:
            with _files.open_regular(path, _files.LONG_LINES) as stream:
                before = _state(stream)
                for line in _files.lines(stream):
                    if expected is not None:
                        digest.update(line.data)
                    reader.line(line)
                if _state(stream) != before:
                    reader.builder.problem(label, _WRITTEN_TO, ProblemKind.NOTED)
        except OSError as error:
            reader.builder.problem(label, _cannot(error))
        if expected is not None and digest.hexdigest() != expected:
            reader.builder.problem(label, _OTHER_HASH, ProblemKind.CHANGED)

    def _place(self, name: str) -> str:
        """Return how a file of the folder is called in problems."""
        return _files.shown(self.path if name == self.alone else f"{self.label}/{name}")

    # -- manifest.json --------------------------------------------------------

    def _manifest(self) -> _Facts | None:
        """Read the manifest, ``None`` when it is none: then what is there is read by content."""
        where = f"{self.label}/{_MANIFEST}"
        path = self._inside(_MANIFEST)
        if path is None:
            return None
        try:
            with _files.open_regular(path) as stream:
                data = stream.read()
            value = jsonin.loads(data)
        except OSError as error:
            self._lost(where, _cannot(error))
            return None
        except jsonin.JsonError as error:
            self._lost(where, f"no JSON ({error}); the folder was read without it")
            return None
        if not isinstance(value, dict):
            self._lost(where, "no JSON object; the folder was read without it")
            return None
        self.other_events.append(OtherEvent(_MANIFEST, _MANIFEST, data.decode(errors="replace")))
        return self._facts(value, where)

    def _facts(self, value: Mapping[str, object], where: str) -> _Facts:
        fields = Fields(value, lambda what: self._lost(where, what))
        format_ = fields.text("format")
        if format_ != _FORMAT:
            told = f"written as {format_}" if format_ else "names no format"
            self._lost(where, f"{told}, read as {_FORMAT}: parts of it may have been missed")
        facts = _Facts(fields.text("run_id") or "")
        facts.title = fields.text("title") or ""
        for trace in fields.objects("traces"):
            path = trace.text("path")
            if path is None:
                self._lost(where, "a trace without a path; left out")
            else:
                facts.traces.append((path, trace.text("format") or _EVENTS_FORMAT))
        store = fields.inner("store")
        facts.store = (store.text("path") if store else None) or "store"
        if grant := fields.inner("grant"):
            facts.grant = Grant(grant.texts("scope") or (), grant.text("account"))
        if budget := fields.inner("budget"):
            limits = (budget.whole(name) for name in Budget.__slots__)
            facts.budget = Budget(*(limit or 0 for limit in limits))
        facts.imported = read_imported(fields.inner("imported"), self.path, IMPORTER.layer)
        files = fields.mapping("files") or {}
        listed = Fields(files, lambda what: self._lost(where, what), "files.")
        for name in files:
            entry = listed.inner(name)
            if entry is not None and (sha256 := entry.text("sha256")):
                facts.files[name] = sha256
        return facts

    # -- files ----------------------------------------------------------------

    def _store(self, facts: _Facts) -> StoreReader:
        name = f"{facts.store}/{_VERSIONS}"
        label = self._place(name)
        reader = StoreReader(Objects(self.folder, facts.store), label)
        path = self._inside(name)
        if path is None:
            return reader
        expected = facts.files.get(name)
        digest = hashlib.sha256()
        watch: Callable[[bytes], None] | None = None if expected is None else digest.update
        try:
            reader.read(path, watch)
        except FileNotFoundError:
            if expected is not None:
                self._lost(label, _NOT_THERE)
            return reader
        except OSError as error:
            self._lost(label, _cannot(error))
        if expected is not None and digest.hexdigest() != expected:
            self.problems.append(Problem(label, _OTHER_HASH, ProblemKind.CHANGED))
        return reader

    def _check(self, name: str, sha256: str) -> None:
        path = self._inside(name)
        if path is None:
            return
        where = self._place(name)
        try:
            found = _files.sha256_of(path)
        except FileNotFoundError:
            self._lost(where, _NOT_THERE)
        except OSError as error:
            self._lost(where, _cannot(error))
        else:
            if found != sha256:
                self.problems.append(Problem(where, _OTHER_HASH, ProblemKind.CHANGED))

    def _inside(self, name: str) -> Path | None:
        try:
            return _files.inside(self.folder, name)
        except _files.OutsideError:
            where = f"{self.label}/{_MANIFEST}"
            told = f'"{_files.shown(name)}" names a path outside the run folder; not opened'
            self._lost(where, f"{told}; put the file inside")
            return None

    def _completion(self, facts: _Facts, store: StoreReader) -> Callable[[Run], Run]:
        def complete(run: Run) -> Run:
            return replace(
                run,
                title=facts.title or run.title,
                grant=run.grant or facts.grant,
                budget=run.budget or facts.budget,
                versions=(*store.versions, *run.versions),
                refresh_failures=(*store.refresh_failures, *run.refresh_failures),
                problems=(*self.problems, *store.problems, *run.problems),
                other_events=(*self.other_events, *store.other_events, *run.other_events),
            )

        return complete

    def _lost(self, where: str, what: str) -> None:
        self.problems.append(Problem(where, what))


_OTHER_HASH = "no longer has the hash recorded in manifest.json; read as it is now, not trusted"
_NOT_THERE = "named in manifest.json, and not there"


_WRITTEN_TO = "was written to while it was read; read it again when nothing writes to it"


def _state(stream: BinaryIO) -> tuple[int, int]:
    found = os.fstat(stream.fileno())
    return found.st_size, found.st_mtime_ns


def _cannot(error: OSError) -> str:
    return f"cannot be read ({error.strerror or error})"


IMPORTER = Importer(
    name="reread.run",
    title="Run folder of this program",
    layer=Layer.CLIENT,
    grade=Grade.RECORDED,
    grade_note="the request of each call is stored, as text or as references to earlier requests",
    recognised_by='"format": "reread.run/…" in manifest.json; events.jsonl; store/versions.jsonl',
    proves=(
        "six runs with what an audit must find in each: 60 requests, 21 citations, edits, "
        "manifests and coverage facts"
    ),
    order=10,
    recognise=_recognise,
    read=_read,
    listing=lambda probe: listed(probe, _read),
    heads_tell=True,
)
