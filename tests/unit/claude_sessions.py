"""Writes small Claude Code sessions for tests, record by record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from store.importers._base import HEAD_BYTES, Probe
from store.importers.claude_code import IMPORTER
from store.records.runs import Part, PartKind, Run

SESSION = "11111111-2222-3333-4444-555555555555"


class Session:
    """Collects records; each follows the one before unless ``parent`` says otherwise."""

    def __init__(
        self, version: str = "2.1.14", session: str = SESSION, agent: str | None = None
    ) -> None:
        self.lines: list[str] = []
        self.version = version
        self.session = session
        self.agent = agent
        self.last: str | None = None

    def record(self, kind: str, uuid: str, parent: str | None = "", **more: object) -> str:
        """Add a record of any type; return its id."""
        data: dict[str, object] = {
            "type": kind,
            "uuid": uuid,
            "parentUuid": self.last if parent == "" else parent,
            "sessionId": self.session,
            "version": self.version,
            "cwd": "/project",
            "isSidechain": self.agent is not None,
            "timestamp": "2026-01-01T00:00:00.000Z",
            **more,
        }
        if self.agent is not None:
            data["agentId"] = self.agent
        self.lines.append(json.dumps(data))
        self.last = uuid
        return uuid

    def user(self, text: str, uuid: str, parent: str | None = "", **more: object) -> str:
        """Add what a person says."""
        message = {"role": "user", "content": text}
        return self.record("user", uuid, parent, message=message, **more)

    def model(
        self,
        blocks: Sequence[Mapping[str, object]],
        uuid: str,
        message_id: str,
        parent: str | None = "",
        **message: object,
    ) -> str:
        """Add one record of a model call with these blocks; *message* changes its fields."""
        body = {
            "id": message_id,
            "role": "assistant",
            "model": "claude-test",
            "content": list(blocks),
            "usage": {
                "input_tokens": 5,
                "cache_read_input_tokens": 20,
                "cache_creation_input_tokens": 300,
                "output_tokens": 1,
            },
            **message,
        }
        return self.record("assistant", uuid, parent, message=body, requestId=f"req-{message_id}")

    def says(self, text: str, uuid: str, message_id: str, parent: str | None = "") -> str:
        """Add text of the model."""
        return self.model([{"type": "text", "text": text}], uuid, message_id, parent)

    def asks(
        self,
        call_id: str,
        uuid: str,
        message_id: str,
        parent: str | None = "",
        name: str = "Read",
        **arguments: object,
    ) -> str:
        """Add a tool call of the model."""
        use = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
        return self.model([use], uuid, message_id, parent)

    def result(
        self, call_id: str, text: object, uuid: str, parent: str | None = "", **more: object
    ) -> str:
        """Add the result of a tool call."""
        block: dict[str, object] = {"type": "tool_result", "tool_use_id": call_id, "content": text}
        if more.pop("failed", False):
            block["is_error"] = True
        message = {"role": "user", "content": [block]}
        return self.record("user", uuid, parent, message=message, **more)

    def reads(self, number: int, path: str, text: str) -> None:
        """Ask for a file and get it whole, in one model call."""
        self.asks(f"t{number}", f"a{number}", f"m{number}", file_path=path)
        self.result(
            f"t{number}",
            numbered(text),
            f"r{number}",
            toolUseResult={"type": "text", "file": display(path, text)},
        )

    def boundary(self, ids: Sequence[str], uuid: str, attachments: Sequence[str] = ()) -> str:
        """Add a boundary record that takes results and attachments away."""
        meta = {"compactedToolIds": list(ids), "clearedAttachmentUUIDs": list(attachments)}
        return self.record(
            "system", uuid, subtype="microcompact_boundary", microcompactMetadata=meta
        )

    def write(self, path: Path, tail: str = "\n") -> Path:
        """Write the session to *path*, which is returned; *tail* ends the file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(("\n".join(self.lines) + tail).encode())
        return path


def numbered(text: str, first: int = 1) -> str:
    """Return *text* as the Read tool shows it."""
    lines = enumerate(text.split("\n"), first)
    return "\n".join(f"{number:>6}→{line}" for number, line in lines)


def display(path: str, text: str, first: int = 1, total: int | None = None) -> dict[str, object]:
    """Return what the client keeps of a read for its own screen."""
    count = len(text.split("\n"))
    return {
        "filePath": path,
        "content": text,
        "numLines": count,
        "startLine": first,
        "totalLines": count if total is None else total,
    }


def probe(path: Path) -> Probe:
    """Return what the one who opens a path shows the importer."""
    if path.is_dir():
        names = frozenset(entry.name for entry in path.iterdir())
        return Probe(path, path.name, is_folder=True, names=names)
    with path.open("rb") as handle:
        head = handle.read(HEAD_BYTES)
    return Probe(path, path.name, is_folder=False, head=head, size=path.stat().st_size)


def runs_of(path: Path) -> list[Run]:
    """Return the runs the importer reads from *path*."""
    return [run for run in IMPORTER.read(probe(path)) if isinstance(run, Run)]


def request(run: Run, call: int) -> list[Part]:
    """Return the parts of the request of *call*."""
    return [part for index in run.request(call) for part in run.messages[index].parts]


def texts(run: Run, call: int) -> list[str]:
    """Return the texts of the request of *call* that are no tool calls."""
    return [part.text for part in request(run, call) if part.kind is not PartKind.TOOL_CALL]


def held(run: Run, call: int, tool_call_id: str) -> str | None:
    """Return what stands for a result in the request of *call*, ``None`` if nothing does."""
    for part in request(run, call):
        if part.kind is PartKind.TOOL_RESULT and part.tool_call_id == tool_call_id:
            return part.text
    return None


def original(run: Run, tool_call_id: str) -> str | None:
    """Return what a tool gave."""
    return next(one.text for one in run.tool_results if one.tool_call_id == tool_call_id)
