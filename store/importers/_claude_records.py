"""Claude Code's session files as records: one JSON object a line, read in binary, line by line.

A live file may end in half a line, and a line may be damaged; both are
problems of the file and never stop the rest from being read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from store import jsonin
from store.importers._heads import first_line
from store.importers._json_lines import too_deep
from store.records.runs import OtherEvent, Problem, ProblemKind

__all__ = [
    "Record",
    "Transcript",
    "as_list",
    "as_map",
    "as_text",
    "dump",
    "looks_like_session",
    "read_transcript",
    "session_of",
]

_CONVERSATION = frozenset({"user", "assistant"})
_KNOWN = frozenset(
    {
        "agent-name",
        "ai-title",
        "custom-title",
        "file-history-delta",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "relocated",
        "summary",
        "system",
        "tag",
        "task-summary",
        "worktree-state",
    }
)
_NO_START = (b"", b"}", b"]", b",")
_NO_END = (b",", b":", b"{", b"[")
_TREE_TYPES = _CONVERSATION | {"attachment", "system", "progress"}
_SESSION = re.compile(rb'"sessionId"\s*:\s*"([^"\\]{1,200})"')
_LINKED = re.compile(rb'"(?:parentUuid|leafUuid|messageId)"\s*:')
_SETTING = re.compile(rb'"type"\s*:\s*"(?:permission-mode|queue-operation|last-prompt|mode)"')
_TYPED = re.compile(
    rb'"type"\s*:\s*"(?:user|assistant|attachment|system|progress|summary|queue-operation'
    rb"|file-history-snapshot|file-history-delta|permission-mode|mode|last-prompt|ai-title"
    rb'|custom-title|agent-name)"'
)


def as_map(value: object) -> Mapping[str, object]:
    """Return *value* if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> Sequence[object]:
    """Return *value* if it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def as_text(value: object) -> str:
    """Return *value* if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def dump(value: object) -> str:
    """Return *value* as JSON text, characters unescaped, keys in recorded order."""
    return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """One line.  ``parent`` is what it follows: its parent, or its logical one."""

    line: int
    origin: str
    type: str
    uuid: str
    parent: str
    data: Mapping[str, object] = field(repr=False)

    @property
    def subtype(self) -> str:
        """What a system record is about."""
        return as_text(self.data.get("subtype"))

    @property
    def message(self) -> Mapping[str, object]:
        """The message a conversation record holds."""
        return as_map(self.data.get("message"))

    @property
    def is_conversation(self) -> bool:
        """Whether a person, a tool or the model speaks in it."""
        return self.type in _CONVERSATION

    @property
    def is_sidechain(self) -> bool:
        """Whether a subagent wrote it."""
        return self.data.get("isSidechain") is True

    @property
    def blocks(self) -> Sequence[Mapping[str, object]]:
        """The content blocks of the message; plain text is one text block."""
        content = self.message.get("content")
        if isinstance(content, str):
            return ({"type": "text", "text": content},)
        return [
            block if isinstance(block, dict) else {"type": "text", "text": as_text(block)}
            for block in as_list(content)
        ]

    @property
    def answered(self) -> tuple[str, ...]:
        """The tool call ids whose results it holds."""
        return tuple(
            as_text(block.get("tool_use_id"))
            for block in self.blocks
            if self.type == "user" and block.get("type") == "tool_result"
        )

    @property
    def asked(self) -> tuple[str, ...]:
        """The tool call ids it asks for."""
        return tuple(
            as_text(block.get("id"))
            for block in self.blocks
            if self.type == "assistant" and block.get("type") == "tool_use"
        )

    @property
    def group(self) -> str:
        """Names the model call of an assistant record: its message id, else its own id."""
        return as_text(self.message.get("id")) or self.uuid

    @property
    def is_synthetic(self) -> bool:
        """Whether the client wrote this assistant record itself, without a model."""
        return (
            self.message.get("model") == "<synthetic>" or self.data.get("isApiErrorMessage") is True
        )


@dataclass(slots=True)
class Transcript:
    """One file: ``tree`` are the records of the conversation tree by id, in line order."""

    name: str
    tree: dict[str, Record] = field(default_factory=dict)
    session: str = ""
    title: str = ""
    problems: list[Problem] = field(default_factory=list)
    other: list[OtherEvent] = field(default_factory=list)
    _titles: dict[str, str] = field(default_factory=dict)

    @property
    def boundary_ids(self) -> frozenset[str]:
        """Every tool call id that a boundary record of the file says was taken away."""
        found: set[str] = set()
        for record in self.tree.values():
            if record.subtype == "microcompact_boundary":
                meta = as_map(record.data.get("microcompactMetadata"))
                found.update(as_text(entry) for entry in as_list(meta.get("compactedToolIds")))
        return frozenset(found)

    @property
    def has_boundary(self) -> bool:
        """Whether the file records any edit of its context."""
        return any(
            record.type == "system"
            and record.subtype in {"microcompact_boundary", "compact_boundary"}
            for record in self.tree.values()
        )

    @property
    def is_agent(self) -> bool:
        """Whether the file is a subagent's: every record of its conversation is a sidechain's."""
        return bool(self.tree) and all(record.is_sidechain for record in self.tree.values())

    def add(self, line: int, data: Mapping[str, object]) -> None:
        """Take the record of one line."""
        origin = f"{self.name}:{line}"
        kind = as_text(data.get("type"))
        self.session = self.session or as_text(data.get("sessionId"))
        self._keep_title(kind, data)
        uuid = as_text(data.get("uuid"))
        if kind in _TREE_TYPES and uuid:
            self._add_to_tree(line, origin, kind, uuid, data)
        elif kind not in _KNOWN:
            self.other.append(OtherEvent(kind or "record without a type", origin, dump(data)))

    def _add_to_tree(
        self, line: int, origin: str, kind: str, uuid: str, data: Mapping[str, object]
    ) -> None:
        if uuid in self.tree:
            # A resumed session may write a record again; the first stands where its children hang.
            if data.get("message") != self.tree[uuid].data.get("message"):
                self.other.append(OtherEvent(f"second {kind} record of one id", origin, dump(data)))
            return
        parent = as_text(data.get("parentUuid")) or as_text(data.get("logicalParentUuid"))
        self.tree[uuid] = Record(line, origin, kind, uuid, parent, data)

    def _keep_title(self, kind: str, data: Mapping[str, object]) -> None:
        if kind == "summary":
            self._titles[as_text(data.get("leafUuid"))] = as_text(data.get("summary"))
        elif kind in {"ai-title", "custom-title"}:
            key = {"ai-title": "aiTitle", "custom-title": "customTitle"}[kind]
            self.title = as_text(data.get(key)) or self.title

    def close(self) -> None:
        """Settle what needs the whole file: a summary names its own session by a record's id."""
        for leaf, title in self._titles.items():
            if leaf in self.tree and not self.title:
                self.title = title


def read_transcript(path: Path, name: str) -> Transcript:
    """Read the file at *path*; *name* is how origins and problems call it.

    Raises `OSError` where the file cannot be read at all.
    """
    made = Transcript(name)
    with path.open("rb") as handle:
        for line, raw in enumerate(handle, 1):
            body = raw.rstrip(b"\r\n")
            if body.strip():
                _take(made, line, body, whole=raw.endswith(b"\n"))
    made.close()
    return made


def _take(made: Transcript, line: int, body: bytes, *, whole: bool) -> None:
    where = f"{made.name}:{line}"
    try:
        loaded = jsonin.load(body)
    except jsonin.JsonError as error:
        if whole:
            what = f"this line is no JSON ({error}); the rest was read; restore the line"
        else:
            what = (
                "last line cut short; the rest was read; "
                "open the file again when its writer has finished"
            )
        made.problems.append(Problem(where, what))
        return
    if too_deep(body, loaded.value):
        what = "this line is nested too deeply to be read; the rest was read"
        made.problems.append(Problem(where, what))
        return
    if not isinstance(loaded.value, dict):
        made.problems.append(Problem(where, "this line is no record; the rest was read"))
        return
    if loaded.tolerant:
        what = f"read tolerantly, since strict JSON refuses it ({loaded.tolerant})"
        made.problems.append(Problem(where, what, ProblemKind.NOTED))
    made.add(line, loaded.value)


def looks_like_session(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of a session file.

    The first line may be longer than *head*, so bytes are looked at as well
    as lines; the first lines may all be summaries or snapshots.
    """
    first, _, rest = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    if not first.startswith(b"{"):
        return False
    begins = first_line(head)
    for value in chain((begins,) if begins is not None else (), _whole_lines(rest)):
        verdict = _looks_like_record(value)
        if verdict is not None:
            return verdict
    # No whole line decided: one huge line, or none but settings of a session.
    named = bool(_TYPED.search(head) and _SESSION.search(head))
    return named and bool(_LINKED.search(head) or _SETTING.search(first))


def _whole_lines(rest: bytes) -> Iterator[object]:
    """Yield the values of the lines that are JSON, without the last, which the head may cut."""
    for raw in rest.split(b"\n")[:-1]:
        line = raw.strip()
        if line[:1] in _NO_START or line[-1:] in _NO_END:  # most lines of indented JSON
            continue
        with suppress(jsonin.JsonError):
            yield jsonin.loads(line)


def _looks_like_record(data: object) -> bool | None:
    """Return whether a line is a session's record; ``None`` where it does not settle it."""
    if not isinstance(data, dict):
        return False
    kind = as_text(data.get("type"))
    if kind in _TREE_TYPES and {"sessionId", "parentUuid", "uuid"} <= data.keys():
        return True
    marks = {"summary": "leafUuid", "file-history-snapshot": "messageId"}
    if marks.get(kind, "") in data:
        return True
    # Other lines may come before the first record of a session, and prove nothing themselves.
    return None if kind and "sessionId" in data and "projectHash" not in data else False


def session_of(head: bytes) -> str:
    """Return the first session id in *head*, or an empty string."""
    found = _SESSION.search(head)
    return found.group(1).decode(errors="replace") if found else ""
