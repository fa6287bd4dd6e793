"""Writes any run, whatever format it was read from, as a run folder (``reread.run/1``).

The folder is written beside its place under a name of its own and moved there
when it is whole.  Until then its manifest says that it is unfinished and names
hashes that nothing has.  What was written is read again and compared with the
run, so that whatever the format cannot hold is told and never lost in silence.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from store import _run_shapes as shapes
from store.importers import _files
from store.records.runs import Call, Problem, Run, ToolCall, ToolResult
from store.records.sources import Integrity, RefreshFailure, Version
from store.records.text import Unit
from store.run_writer import LONG_PART_CHARS, RunWriter
from store.stopping import go_on

__all__ = ["FolderExistsError", "copy_run"]

_SETTINGS = "reread.toml"
_LARGEST_SETTINGS = 1 << 20
_UNFINISHED = "unfinished: the import was interrupted, and this is not the whole run"


class FolderExistsError(Exception):
    """Something stands where the folder should; nothing was written."""


def copy_run(run: Run, folder: Path, version: str) -> None:
    """Write *run* as it was read, before any evidence was derived, to *folder*.

    *version* is that of Reread.  Raises `FolderExistsError` where *folder* is
    there and not empty, and `OSError`; nothing is at *folder* then.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise FolderExistsError(f"{folder} is there and is no folder; name one that is not there")
    if folder.exists() and any(folder.iterdir()):
        raise FolderExistsError(f"{folder} is not empty; name a folder that is not there yet")
    folder.parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f".{folder.name[:100]}.", dir=folder.parent))
    try:
        place.chmod(0o777 & ~_umask())
        _Copy(run, place, version).write()
        if folder.exists():
            folder.rmdir()
        place.rename(folder)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found


@dataclass(slots=True)
class _Copy:
    run: Run
    folder: Path
    version: str
    writer: RunWriter = field(init=False)
    _sent: dict[int, tuple[int, int]] = field(default_factory=dict)
    _written: set[int] = field(default_factory=set)
    _next: int = 0

    def write(self) -> None:
        """Write everything; the manifest comes last."""
        run = self.run
        self.writer = RunWriter(
            self.folder,
            run.run_id,
            run.title,
            producer=("reread import", self.version),
            grant=_grant(run),
            budget=_budget(run),
            more={"imported": _imported(run)},
        )
        self._unfinished()
        self._store()
        self._events()
        self._settings()
        self.writer.finish()

    def _unfinished(self) -> None:
        """Say at once that this is no whole run, for whoever finds it after a crash."""
        nothing = {"sha256": "0" * 64, "bytes": 0}
        record = {
            "format": "reread.run/1",
            "run_id": self.run.run_id,
            "title": _UNFINISHED,
            "files": {"events.jsonl": nothing, "store/versions.jsonl": nothing},
        }
        (self.folder / "manifest.json").write_text(f"{json.dumps(record)}\n", encoding="utf-8")

    def _settings(self) -> None:
        """Take along what the run folder asked for itself, which an audit follows."""
        path = Path(self.run.path, _SETTINGS)
        if path.is_file() and path.stat().st_size <= _LARGEST_SETTINGS:
            (self.folder / _SETTINGS).write_bytes(path.read_bytes())

    # -- evidence -------------------------------------------------------------

    def _store(self) -> None:
        failures = deque(self.run.refresh_failures)
        for place, version in enumerate(self.run.versions):
            while failures and failures[0].after <= place:
                self._failure(failures.popleft())
            self._version(version)
        for failed in failures:
            self._failure(failed)

    def _failure(self, failed: RefreshFailure) -> None:
        told = {"at": failed.at, "error": failed.error, "kept": failed.kept}
        self.writer.line({"source_id": failed.source_id, "refresh_failed": told})

    def _version(self, version: Version) -> None:
        line: dict[str, object] = {
            "source_id": version.key.source_id,
            "version_id": version.key.version_id,
            "revision": version.revision,
            "kind": version.kind.value,
            "title": version.title,
            "media_type": version.media_type,
            "sha256": version.sha256 or None,
            "bytes": version.byte_length,
            "chars": version.chars,
            "acquired_at": version.acquired_at,
            "origin": version.origin,
            "supersedes": version.supersedes,
        }
        if version.blocks:
            line["blocks"] = [
                {"block_id": each.block_id, "start": each.span.start, "end": each.span.end}
                | ({} if each.section is None else {"section": each.section})
                | ({} if each.page is None else {"page": each.page})
                for each in version.blocks
            ]
        if version.table is not None:
            table = version.table
            line["table"] = {"fields": list(table.fields), "rows": table.rows, "key": table.key}
        if _is_exact(version):
            self.writer.keep((version.text or "").encode())
        elif (data := self._bytes(version)) is not None:
            self.writer.keep(data)
        else:
            line[shapes.EXTENSION] = shapes.version_extension(version, self._body)
        self.writer.line(line)

    def _bytes(self, version: Version) -> bytes | None:
        """Return exact bytes that are no text, where the run lies in a folder that has them."""
        if version.integrity is not Integrity.INTACT or version.text is not None:
            return None
        place = f"store/objects/{version.sha256[:2]}/{version.sha256}"
        try:
            with _files.open_regular(_files.inside(Path(self.run.path), place)) as stream:
                data = stream.read()
        except (OSError, _files.OutsideError):
            return None
        return data if sha256(data).hexdigest() == version.sha256 else None

    def _body(self, name: str, text: str) -> dict[str, object]:
        if len(text) >= LONG_PART_CHARS:
            try:
                return {"object": self.writer.keep(text.encode())}
            except UnicodeEncodeError:
                pass  # half a character: JSON holds it, a file of UTF-8 does not
        return {name: text}

    # -- events ---------------------------------------------------------------

    def _events(self) -> None:
        run, event = self.run, self.writer.event
        for other in run.other_events:
            event("kept", name=other.name, origin=other.origin, raw=other.raw)
        edits, answers = list(run.edits), list(run.answers)
        tools = _Tools(deque(run.tool_calls), deque(run.tool_results))
        for offer in run.manifests:
            event("manifest", **shapes.manifest(offer))
        for edit in edits:
            event("context_edit", **shapes.context_edit(edit))
        requests = run.requests()
        for call in run.calls:
            go_on()
            self._call(call, next(requests))
            for tool in tools.after(call.index):
                self._tool(tool)
        for tool in tools.rest():
            self._tool(tool)
        self._in_order(len(run.messages))
        for each in run.admissions:
            event("admission", **shapes.admission(each))
        for said in answers:
            event("answer", **shapes.answer(said, self._body))

    def _tool(self, tool: ToolCall | ToolResult) -> None:
        if isinstance(tool, ToolCall):
            self.writer.event("tool_call", **shapes.tool_call(tool))
        else:
            self.writer.event("tool_result", **shapes.tool_result(tool, self._body))

    def _in_order(self, end: int) -> None:
        """Write the messages before *end* that are not written yet, each by itself.

        Messages are counted in the order in which they are first read.
        """
        for number in range(self._next, end):
            if number not in self._written:
                self.writer.event("message", message=self._message(number))
        self._next = max(self._next, end)

    def _call(self, call: Call, request: Sequence[int]) -> None:
        held = dict.fromkeys((*request, *call.response))
        new = [number for number in held if number not in self._written]
        if new != list(range(self._next, self._next + len(new))):
            self._in_order(max(new, default=0) + 1)
        self._next = max(self._next, max(new, default=-1) + 1)
        fields: dict[str, object] = {"index": call.index}
        if call.id and call.id != str(call.index):
            fields["id"] = call.id
        if call.at is not None:
            fields["at"] = call.at
        asked: dict[str, object] = {
            "model": call.model,
            "messages": [self._sent_at(call.index, *each) for each in enumerate(request)],
        }
        if call.settings:
            asked["settings"] = dict(call.settings)
        said = [self._message(number) for number in call.response]
        fields["request"] = asked
        fields["response"] = {"messages": said, "finish_reason": call.finish_reason}
        fields["usage"] = shapes.usage(call.usage)
        fields["error"] = call.error or None
        fields[shapes.EXTENSION] = {
            "id": call.id,
            "origin": call.origin,
            "grade": call.grade.value,
            "grade_reason": call.grade_reason,
            "splices": [[each.start, each.stop, len(each.messages)] for each in call.splices],
        }
        self.writer.event("model_call", **fields)

    def _sent_at(self, call: int, place: int, number: int) -> dict[str, object]:
        first = self._sent.setdefault(number, (call, place))
        if first[0] == call:
            return self._message(number)
        return {"same_as": list(first)}

    def _message(self, number: int) -> dict[str, object]:
        self._written.add(number)
        return shapes.message(self.run.messages[number], self._body)


@dataclass(slots=True)
class _Tools:
    """Gives tool calls and results near the model call they follow, each list in its order."""

    calls: deque[ToolCall]
    results: deque[ToolResult]
    _called: set[str] = field(default_factory=set)

    def after(self, index: int) -> Iterator[ToolCall | ToolResult]:
        """Yield what is known to have come after model call *index*."""
        while self.calls and self.calls[0].by_call is not None and self.calls[0].by_call <= index:
            self._called.add(self.calls[0].id)
            yield self.calls.popleft()
        while self.results and self.results[0].tool_call_id in self._called:
            yield self.results.popleft()

    def rest(self) -> Iterator[ToolCall | ToolResult]:
        """Yield all that is left."""
        yield from self.calls
        yield from self.results


def _is_exact(version: Version) -> bool:
    """Tell whether a line of a store and its bytes say all there is about *version*."""
    if version.integrity is not Integrity.INTACT or version.text is None:
        return False
    plain = version.unit is Unit.CHAR and not version.excerpts and not version.line_numbers
    if not plain or version.chars != len(version.text):
        return False
    try:
        data = version.text.encode()
    except UnicodeEncodeError:
        return False
    return sha256(data).hexdigest() == version.sha256 and version.byte_length == len(data)


def _grant(run: Run) -> dict[str, object] | None:
    if run.grant is None:
        return None
    return {"scope": list(run.grant.scope), "account": run.grant.account}


def _budget(run: Run) -> dict[str, object] | None:
    if run.budget is None:
        return None
    return {name: getattr(run.budget, name) for name in type(run.budget).__slots__}


def _imported(run: Run) -> dict[str, object]:
    return {
        "format": run.format,
        "path": Path(run.path).name,
        "layer": run.layer.value,
        "grade": run.grade.value,
        "parent_run": run.parent_run,
        "branch": run.branch,
        "problems": [_problem(each, run.path) for each in run.problems],
    }


def _problem(problem: Problem, path: str) -> dict[str, object]:
    """Return a problem; a place in the run moves with it."""
    inside = bool(path) and problem.where.startswith(path)
    where = problem.where.removeprefix(path) if inside else problem.where
    return {"inside": inside, "where": where, "what": problem.what, "kind": problem.kind.value}
