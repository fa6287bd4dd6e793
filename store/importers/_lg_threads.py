"""The threads of a checkpoint database: its trees, and the states along a path of one.

Schema: ``checkpoints(thread_id, checkpoint_ns, checkpoint_id,
parent_checkpoint_id, type, checkpoint, metadata)`` and ``writes(…, task_id,
task_path?, idx, channel, type, value)``; the first generation had neither
``checkpoint_ns`` nor ``type`` and called the ids ``thread_ts`` and
``parent_ts``.  What lies in ``writes`` under a checkpoint was made by the
tasks that started from it, and went into its child.
Format facts: ``langgraph.checkpoint.sqlite`` 1.0 to 3.1, ``langgraph.channels.delta``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._lc_dialects import message_of
from store.importers._lg_serde import Decoder, Named, SerdeError
from store.importers._sqlite_copy import Database

__all__ = ["Checkpoint", "Database", "Namespace", "Task", "Threads", "are_messages", "folded"]

_NAMES: Final = {
    "thread_id": ("thread_id",),
    "checkpoint_ns": ("checkpoint_ns",),
    "checkpoint_id": ("checkpoint_id", "thread_ts"),
    "parent_checkpoint_id": ("parent_checkpoint_id", "parent_ts"),
    "type": ("type",),
    "checkpoint": ("checkpoint",),
    "metadata": ("metadata",),
}
_WRITE_ORDER: Final = ("task_path", "task_id", "idx")
_LATER: Final = re.compile(r"~~0*([0-9]{1,18})~(.*)", re.DOTALL)
"""The path of a task whose step was not saved: the step, then its own path."""
_NODE: Final = re.compile(r"~__pregel_pull, ([\s\S]*)")
_PUSH: Final = re.compile(r"~__pregel_push, (?:0*([0-9]{1,9}))")
_ALL: Final = "__remove_all__"


@dataclass(frozen=True, slots=True)
class Task:
    """What one task wrote, by channel in the order written.

    ``step`` is 0 for a task that started from the checkpoint itself, else the
    number of the step that was not saved.  ``node`` is its name where the path
    says it; ``push`` the number of the packet it was sent.
    """

    id: str
    step: int
    node: str
    push: int | None
    writes: tuple[tuple[str, object], ...]

    def of(self, channel: str) -> Iterator[object]:
        """Yield what it wrote into *channel*."""
        return (value for name, value in self.writes if name == channel)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One saved state: ``values`` as stored, without channels that are kept as writes."""

    id: str
    parent: str
    at: str | None
    values: Mapping[str, object]
    versions: Mapping[str, object]
    metadata: Mapping[str, object]

    @property
    def source(self) -> str:
        """What made it: ``input``, ``loop``, ``update``, ``fork``, or nothing known."""
        value = self.metadata.get("source")
        return value if isinstance(value, str) else ""

    @property
    def step(self) -> int | None:
        """The number of the step that it ended."""
        value = self.metadata.get("step")
        return value if isinstance(value, int) else None


@dataclass(slots=True)
class Namespace:
    """The checkpoints of a thread, or of one sub-graph of it: a tree by their parents."""

    thread: str
    name: str
    key: tuple[object, ...]
    parents: dict[str, str] = field(default_factory=dict)

    def leaves(self) -> list[str]:
        """Return the ids without a child, the latest first."""
        inner = set(self.parents.values())
        return sorted((each for each in self.parents if each not in inner), reverse=True)

    def path(self, leaf: str) -> list[str]:
        """Return the ids from the first checkpoint to *leaf*."""
        found: dict[str, None] = {}
        at = leaf
        while at in self.parents and at not in found:
            found[at] = None
            at = self.parents[at]
        return list(found)[::-1]


class Threads:
    """Reads the trees of a database and the states of them; ``troubles`` says what it could not."""

    def __init__(self, database: Database) -> None:
        self.decoder = Decoder()
        self.troubles: dict[tuple[str, str], None] = {}
        """Place and what is wrong there, each once."""
        self._database = database
        self._columns = _known(database.columns("checkpoints"))
        self._writes = database.columns("writes")
        self._holders: dict[str, tuple[object, ...]] = {}

    @property
    def is_readable(self) -> bool:
        """Whether the table has the columns without which no checkpoint can be told."""
        return {"thread_id", "checkpoint_id", "checkpoint"} <= self._columns.keys()

    def namespaces(self) -> list[Namespace]:
        """Return all trees, by thread and name."""
        asked = ("thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id")
        made: dict[tuple[str, str], Namespace] = {}
        present = [name for name in asked if name in self._columns]
        columns = [self._columns[name] for name in present]
        for row in self._database.rows("checkpoints", columns):
            found = dict(zip(present, row, strict=True))
            thread, name = _text(found["thread_id"]), _text(found.get("checkpoint_ns"))
            key = tuple(found[name] for name in ("thread_id", "checkpoint_ns") if name in found)
            space = made.setdefault((thread, name), Namespace(thread, name, key))
            parent = _text(found.get("parent_checkpoint_id"))
            space.parents[_text(found["checkpoint_id"])] = parent
        return [made[key] for key in sorted(made)]

    def checkpoint(self, space: Namespace, name: str) -> Checkpoint | None:
        """Return a checkpoint decoded, ``None`` where it cannot be; `troubles` then says why."""
        present = [each for each in ("type", "checkpoint", "metadata") if each in self._columns]
        columns = [self._columns[each] for each in present]
        rows = self._database.rows("checkpoints", columns, *self._where(space, name))
        row = dict(zip(present, next(rows, ()), strict=False))
        kind = row.get("type", "")
        state = self._decoded(kind, row.get("checkpoint"), name)
        if not isinstance(state, dict):
            if state is not None or not self.troubles:
                self._trouble(name, "this checkpoint holds no state")
            return None
        metadata = self._metadata(kind, row.get("metadata"), name)
        at = state.get("ts")
        return Checkpoint(
            id=name,
            parent=space.parents.get(name, ""),
            at=at if isinstance(at, str) else None,
            values=_mapping(state.get("channel_values")),
            versions=_mapping(state.get("channel_versions")),
            metadata=metadata,
        )

    def tasks(self, space: Namespace, name: str) -> list[Task]:
        """Return what the tasks that started from a checkpoint wrote, in the order it counted."""
        present = [
            each
            for each in ("task_id", "task_path", "idx", "channel", "type", "value")
            if each in self._writes
        ]
        if not {"task_id", "idx", "channel", "value"} <= set(present):
            return []
        if not {"thread_id", "checkpoint_id"} <= set(self._writes):
            return []
        rows = [
            dict(zip(present, row, strict=True))
            for row in self._database.rows(
                "writes", present, *self._where(space, name, writes=True)
            )
        ]
        rows.sort(key=lambda row: [_order(row.get(each)) for each in _WRITE_ORDER])
        tasks: dict[tuple[str, str], list[tuple[str, object]]] = {}
        for row in rows:
            key = _text(row.get("task_path")), _text(row["task_id"])
            place = f"{name}/{key[1]}"
            value = self._decoded(row.get("type"), row["value"], place)
            tasks.setdefault(key, []).append((_text(row["channel"]), value))
        return [_task(path, task, writes) for (path, task), writes in tasks.items()]

    def _where(
        self, space: Namespace, name: str, *, writes: bool = False
    ) -> tuple[str, tuple[object, ...]]:
        names = ["thread_id", *(["checkpoint_ns"] if len(space.key) > 1 else []), "checkpoint_id"]
        columns = names if writes else [self._columns[each] for each in names]
        asked = " AND ".join(f'"{column}" IS ?' for column in columns)
        return f"WHERE {asked}", (*space.key, name)

    def _metadata(self, kind: object, data: object, name: str) -> Mapping[str, object]:
        """Return the metadata: JSON text, written in JavaScript by the same hand as the state."""
        if data is None:
            return {}
        raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        is_json = isinstance(raw, bytes) and raw.lstrip()[:1] in (b"{", b"n")
        return _mapping(self._decoded("json" if is_json else kind, raw, f"{name}/metadata"))

    def _decoded(self, kind: object, data: object, place: str) -> object:
        try:
            return self.decoder.value(kind, data)
        except SerdeError as error:
            self._trouble(place, str(error))
            return None

    def _trouble(self, place: str, what: str) -> None:
        self.troubles[place, what] = None


def _known(columns: Iterable[str]) -> dict[str, str]:
    """Return the columns that are known, by the name they have today."""
    present = set(columns)
    found = {}
    for name, spellings in _NAMES.items():
        spelling = next((each for each in spellings if each in present), None)
        if spelling is not None:
            found[name] = spelling
    return found


def _task(path: str, task: str, writes: list[tuple[str, object]]) -> Task:
    later = _LATER.match(path)
    own = later[2] if later else path
    own = own if own.startswith("~") else f"~{own}"
    node, push = _NODE.match(own), _PUSH.match(own)
    return Task(
        id=task,
        step=int(later[1]) if later else 0,
        node=node[1] if node else "",
        push=int(push[1]) if push else None,
        writes=tuple(writes),
    )


def _order(value: object) -> tuple[int, int, str]:
    if isinstance(value, int):
        return 0, value, ""
    return 1, 0, _text(value)


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return "" if value is None else str(value)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


# -- channels that are kept as writes ---------------------------------------------


def are_messages(value: object) -> bool:
    """Return whether it is a list of messages."""
    return isinstance(value, list) and bool(value) and message_of(value[0]) is not None


def folded(value: object, written: Iterable[object]) -> object:
    """Return a channel's value after *written*, as the reducers of messages and files make it."""
    for each in written:
        anew = _overwriting(each)
        if anew is not None:
            value = anew.value
        elif isinstance(value, dict) or (value is None and _is_mapping(each)):
            value = _merged(value, each)
        else:
            value = _added(value, each)
    return value


def _overwriting(each: object) -> Named | None:
    """Return what is to stand instead of the channel's value, if *each* says that it is."""
    if isinstance(each, Named) and each.name == "Overwrite":
        inner = each.value
        return Named("", inner.get("value") if isinstance(inner, dict) else inner)
    if isinstance(each, dict) and each.keys() == {"__overwrite__"}:
        return Named("", each["__overwrite__"])
    return None


def _is_mapping(value: object) -> bool:
    """Return whether it is an object, and none that stands for a message."""
    return isinstance(value, dict) and message_of(value) is None and value.get("type") != "remove"


def _merged(value: object, each: object) -> object:
    made = dict(value) if isinstance(value, dict) else {}
    for key, item in (each if isinstance(each, dict) else {}).items():
        if item is None:
            made.pop(key, None)
        else:
            made[key] = item
    return made


def _added(value: object, each: object) -> object:
    """Return messages with further ones: an id that is there already is replaced in place."""
    new = each if isinstance(each, list) else [] if each is None else [each]
    held: list[object] = list(value) if isinstance(value, list) else []
    for at in range(len(new) - 1, -1, -1):
        if _removes(new[at]) == _ALL:
            held, new = [], new[at + 1 :]
            break
    places = {name: at for at, item in enumerate(held) if (name := _id(item))}
    gone: set[int] = set()
    for item in new:
        name = _id(item)
        at = places.get(name, -1) if name else -1
        if _removes(item):
            gone.add(at)
        elif at >= 0:
            held[at] = item
            gone.discard(at)
        else:
            held.append(item)
            if name:
                places[name] = len(held) - 1
    return [item for at, item in enumerate(held) if at not in gone] if gone else held


def _removes(item: object) -> str:
    """Return which message an item takes away, empty if it is none that does."""
    if not isinstance(item, dict):
        return ""
    fields = item
    path = item.get("id")
    if isinstance(path, list):  # a serialised object: its name, and its fields
        if not (path and path[-1] == "RemoveMessage"):
            return ""
        fields = _mapping(item.get("kwargs"))  # type: ignore[assignment]
    elif item.get("type") != "remove":
        return ""
    name = fields.get("id")
    return name if isinstance(name, str) else ""


def _id(item: object) -> str:
    if not isinstance(item, dict):
        return ""
    fields = item.get("kwargs") if isinstance(item.get("id"), list) else item
    fields = fields.get("data", fields) if isinstance(fields, dict) else {}
    name = fields.get("id") if isinstance(fields, dict) else None
    return name if isinstance(name, str) else ""
