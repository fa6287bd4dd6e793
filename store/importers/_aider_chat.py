"""The history that Aider keeps of its chats for people to read, as Markdown.

It holds what the user typed, what the model answered and what the program
said, and neither the files nor the map of the repository that requests held.
Format facts: Aider-AI/aider, ``aider/io.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from store.builder import RunBuilder
from store.importers._agent_run import AgentRun
from store.importers._files import Line
from store.records.grades import Grade
from store.records.runs import OtherEvent, Part, PartKind, Run
from store.records.sources import Manifest, ManifestEntry

__all__ = ["Chat", "chat_run", "chats_in", "is_chat"]

_STARTED: Final = re.compile(r"# aider chat started at (.+?)\s*\Z")
_MODEL: Final = re.compile(r"(?:Main model|Model): (\S+)")
_ADDED: Final = re.compile(r"Added (.+?) to (?:the chat\.?|read-only files\.?)\s*\Z")
_COUNTED: Final = re.compile(r"Tokens: [^\n]{1,200}")
_EDITED: Final = re.compile(r"Applied edit to (.+?)\s*\Z")
_SENT: Final = ("/ask", "/code", "/architect", "/help", "/context")
"""Commands whose words go to the model; all others go to the program."""
_UNKNOWN: Final = (
    "this history holds neither the files nor the repository map that a request held, and what "
    "was summarised in it"
)


def is_chat(head: bytes) -> bool:
    """Return whether a file begins as such a history does."""
    return bool(re.match(rb"\s*# aider chat started at \d{4}-\d\d-\d\d", head))


@dataclass(slots=True)
class Chat:
    """One session: its lines by kind, in order, each with the number of its first line."""

    started: str
    line: int
    pieces: list[tuple[str, int, list[str]]] = field(default_factory=list)

    def add(self, kind: str, number: int, text: str) -> None:
        """Add a line to the piece before it, or begin the next."""
        if not self.pieces or self.pieces[-1][0] != kind:
            self.pieces.append((kind, number, []))
        self.pieces[-1][2].append(text)


def chats_in(lines: Iterable[Line]) -> Iterator[Chat]:
    """Yield the sessions of a history."""
    chat: Chat | None = None
    for line in lines:
        text = line.data.decode("utf-8", "surrogateescape").rstrip("\n").removesuffix("\r")
        started = _STARTED.match(text)
        if started:
            if chat is not None:
                yield chat
            chat = Chat(started[1], line.number)
        elif chat is not None:
            kind = "model"
            if text.startswith("#### "):
                kind, text = "user", text[5:].removesuffix("  ")
            elif text.startswith(">"):
                kind, text = "program", text[1:].removeprefix(" ").removesuffix("  ")
            chat.add(kind, line.number, text)
    if chat is not None:
        yield chat


def chat_run(chat: Chat, builder: RunBuilder, name: str) -> Run:
    """Return the run of one session."""
    run = AgentRun(builder)
    model = ""
    files: dict[str, None] = {}
    origin = f"{name}:{chat.line}"
    counted = ""
    for kind, number, rows in chat.pieces:
        origin = f"{name}:{number}"
        text = "\n".join(rows).strip("\n")
        if kind == "program":
            model = _program(text, run, files, origin) or model
            counted = next((row for row in rows if _COUNTED.match(row)), counted)
        elif kind == "user":
            _user(text, run, origin)
        elif text.strip():
            run.call(
                [Part(PartKind.TEXT, text)],
                origin,
                model=model,
                grade=Grade.UNKNOWN,
                grade_reason=_UNKNOWN,
                settings={"reported": counted} if counted else {},
            )
            counted = ""
    if files:
        entries = tuple(ManifestEntry(path) for path in files)
        builder.manifests.append(Manifest(None, entries, f"{name}:{chat.line}"))
    return run.finish()


def _program(text: str, run: AgentRun, files: dict[str, None], origin: str) -> str:
    """Take what the program said; return the model that it named, if it did."""
    model = ""
    for row in text.split("\n"):
        named, added, edited = _MODEL.match(row), _ADDED.match(row), _EDITED.match(row)
        model = named[1] if named else model
        if added:
            files[added[1]] = None
        if edited:
            run.changed(edited[1], origin)
    return model


def _user(text: str, run: AgentRun, origin: str) -> None:
    command = text.partition(" ")[0].strip()
    if command.startswith(("/", "!")) and command not in _SENT:
        run.builder.other_events.append(OtherEvent(f"command {command}", origin, text))
    elif text.strip():
        run.say("user", [Part(PartKind.TEXT, text)], origin)
