"""Writes checkpoint databases as LangGraph's savers do: for tests, without LangGraph."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from store.importers._base import Probe
from store.importers._probing import file_probe
from store.importers.langgraph_checkpoints import IMPORTER
from store.records.runs import Run

CHECKPOINTS = (
    "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', "
    "checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, "
    "metadata BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id))"
)
WRITES = (
    "CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', "
    "checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, task_path TEXT NOT NULL DEFAULT '', "
    "idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB, "
    "PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx))"
)


def packed(value: object) -> bytes:
    return msgspec.msgpack.encode(value)


def ext(code: int, *members: object) -> msgspec.msgpack.Ext:
    return msgspec.msgpack.Ext(code, packed(list(members)))


def model(name: str, fields: Mapping[str, object]) -> msgspec.msgpack.Ext:
    module = f"langchain_core.messages.{name.removesuffix('Message').lower()}"
    return ext(5, module, name, dict(fields), "model_validate_json")


def _fields(kind: str, content: object, name: str, **more: object) -> dict[str, object]:
    base = {"content": content, "additional_kwargs": {}, "response_metadata": {}, "type": kind}
    return {**base, "id": name, **more}


def human(content: object, name: str = "h1", **more: object) -> msgspec.msgpack.Ext:
    return model("HumanMessage", _fields("human", content, name, **more))


def ai(content: object, name: str, *calls: str, **more: object) -> msgspec.msgpack.Ext:
    made = [{"name": "look", "args": {}, "id": call, "type": "tool_call"} for call in calls]
    return model("AIMessage", _fields("ai", content, name, tool_calls=made, **more))


def tool(content: object, call: str, **more: object) -> msgspec.msgpack.Ext:
    fields = _fields("tool", content, f"m-{call}", tool_call_id=call, status="success", **more)
    return model("ToolMessage", fields)


def remove(name: str) -> msgspec.msgpack.Ext:
    return model("RemoveMessage", {"content": "", "type": "remove", "id": name})


@dataclass
class Saver:
    """Saves one thread step by step; ``delta`` keeps messages as writes only."""

    connection: sqlite3.Connection
    thread: str = "t"
    space: str = ""
    delta: bool = False
    kind: str = "msgpack"
    last: str = ""
    step: int = -2
    state: dict[str, object] = field(default_factory=dict)

    def save(
        self,
        values: Mapping[str, object],
        source: str = "loop",
        *,
        parent: str | None = None,
        name: str = "",
        metadata: Mapping[str, object] | None = None,
    ) -> str:
        """Save a state and return the id of its checkpoint."""
        self.step += 1
        checkpoint_id = name or f"{self.space}{self.step + 10:04d}"
        held = {k: v for k, v in values.items() if not (self.delta and k == "messages")}
        value = {
            "v": 4,
            "ts": "2031-01-01T00:00:00+00:00",
            "id": checkpoint_id,
            "channel_values": held,
            "channel_versions": dict.fromkeys(values, f"{self.step + 3:032d}"),
            "versions_seen": {},
        }
        row = {"source": source, "step": self.step, "parents": {}, **(metadata or {})}
        if self.delta:
            row["counters_since_delta_snapshot"] = {"messages": [1, 1]}
        blob = packed(value) if self.kind == "msgpack" else json.dumps(value).encode()
        self.connection.execute(
            "INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                self.thread,
                self.space,
                checkpoint_id,
                (self.last if parent is None else parent) or None,
                self.kind,
                blob,
                json.dumps(row).encode(),
            ),
        )
        self.connection.commit()
        self.last = checkpoint_id
        return checkpoint_id

    def write(
        self,
        path: str,
        *writes: tuple[str, object],
        at: str = "",
        task: str = "",
    ) -> None:
        """Save what a task wrote that started from the last checkpoint."""
        for index, (channel, value) in enumerate(writes):
            self.connection.execute(
                "INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self.thread,
                    self.space,
                    at or self.last,
                    task or f"task-{path}",
                    path,
                    index,
                    channel,
                    self.kind,
                    packed(value) if self.kind == "msgpack" else json.dumps(value).encode(),
                ),
            )
        self.connection.commit()

    def turn(self, messages: Sequence[object], *answers: Iterable[object]) -> list[object]:
        """Save an input and then a step for each list of new messages; return all messages."""
        given = list(messages)
        self.save({"__start__": {"messages": given}}, "input")
        self.write("~__pregel_pull, __start__", ("messages", given))
        held = given
        self.save({"messages": held})
        for number, answer in enumerate(answers):
            new = list(answer)
            self.write(f"~__pregel_pull, agent{number}", ("messages", new))
            held = [*held, *new]
            self.save({"messages": held})
        return held


def database(path: Path, *, wal: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode={'WAL' if wal else 'DELETE'}")
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute(CHECKPOINTS)
    connection.execute(WRITES)
    connection.commit()
    return connection


def probe_of(path: Path) -> Probe:
    return file_probe(path, path.name)


def runs_of(path: Path) -> list[Run]:
    probe = probe_of(path)
    assert IMPORTER.recognise(probe)
    return [run for run in IMPORTER.read(probe) if isinstance(run, Run)]
