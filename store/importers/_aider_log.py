"""The log of requests that Aider writes with ``--llm-history-file``: what was sent, line by line.

Each line of a message has its role before it.  Line ends at the end of a
message are not kept.  Format facts: Aider-AI/aider, ``aider/utils.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from store.builder import RunBuilder
from store.importers._agent_run import AgentRun
from store.importers._files import Line
from store.importers._wire import Turn
from store.records.grades import Grade
from store.records.runs import Part, PartKind, Run

__all__ = ["is_log", "log_run"]

_HEAD: Final = re.compile(r"\A(TO LLM|LLM RESPONSE) (\S+)\s*\Z")
_RULE: Final = "-------"
_ROLES: Final = frozenset({"SYSTEM", "USER", "ASSISTANT", "TOOL", "FUNCTION", "DEVELOPER"})
_PATH: Final = re.compile(r"\A[^\s`*#>|<][^\n`*|<>]{0,400}\Z")
_FENCES: Final = {
    "```": "```",
    "````": "````",
    "<source>": "</source>",
    "<code>": "</code>",
    "<pre>": "</pre>",
    "<codeblock>": "</codeblock>",
}
_FILES: Final = re.compile(
    r"(?:\*added these files to the chat\*|\*read-only\* files|READ ONLY files"
    r"|these \*read-only\*|contents of (?:these|the) files|read-only for your reference)"
)
"""How Aider begins the messages that hold files."""
_LINES: Final = (
    "the log holds the request line by line; the ends of lines and what is no text are not kept"
)


def is_log(head: bytes) -> bool:
    """Return whether a file begins as such a log does."""
    return bool(re.match(rb"\s*TO LLM \d{4}-\d\d-\d\dT[^\n]{0,40}\n(?:-------|[A-Z]+ )", head))


@dataclass(slots=True)
class _Section:
    """The lines after a head: a request or its response."""

    kind: str
    at: str
    number: int
    rows: list[str] = field(default_factory=list)


def _sections(lines: Iterable[Line]) -> Iterator[_Section]:
    section: _Section | None = None
    for line in lines:
        text = line.data.decode("utf-8", "surrogateescape").rstrip("\n").removesuffix("\r")
        head = _HEAD.match(text)
        if head:
            if section is not None:
                yield section
            section = _Section(head[1], head[2], line.number)
        elif section is not None:
            section.rows.append(text)
    if section is not None:
        yield section


def log_run(lines: Iterable[Line], builder: RunBuilder, name: str) -> Run:
    """Return the run of a log; a request without a response is a call without one."""
    run = AgentRun(builder)
    asked: _Section | None = None
    for section in _sections(lines):
        if section.kind == "TO LLM":
            if asked is not None:
                _call(run, asked, None, name)
            asked = section
        elif asked is not None:
            _call(run, asked, section, name)
            asked = None
    if asked is not None:
        _call(run, asked, None, name)
    return run.finish()


def _call(run: AgentRun, asked: _Section, answer: _Section | None, name: str) -> None:
    origin = f"{name}:{asked.number}"
    turns = [_with_files(turn, run, origin) for turn in _turns(asked.rows)]
    said = [part for turn in _turns(answer.rows) for part in turn.parts] if answer else []
    run.call(
        said,
        origin,
        request=run.messages(turns, origin),
        grade=Grade.RECORDED,
        grade_reason=_LINES,
        error="" if answer else "no response stands behind this request",
        at=asked.at,
    )


def _turns(rows: Iterable[str]) -> list[Turn]:
    """Return the messages: their lines have the role before them, a rule stands between them."""
    turns: list[Turn] = []
    role = ""
    held: list[str] = []
    for row in [*rows, _RULE]:
        word, _, text = row.partition(" ")
        known = word in _ROLES
        if row == _RULE or (known and role and word != role):
            if role:
                turns.append(Turn(role.lower(), (Part(PartKind.TEXT, "\n".join(held)),)))
            role, held = "", []
        if row != _RULE and (known or role):
            role = role or word
            # A line without a role belongs to the one before: what is no line end to the reader.
            held.append(text if known else row)
    return turns


def _with_files(turn: Turn, run: AgentRun, origin: str) -> Turn:
    """Return the message with each file in it as a part of its own, a version of that file."""
    (part,) = turn.parts
    if turn.role != "user" or not _FILES.search(part.text[:2000]):
        return turn
    rows = part.text.split("\n")
    parts: list[Part] = []
    words: list[str] = []
    at = 0
    while at < len(rows):
        end = _closing(rows, at)
        if end is None:
            words.append(rows[at])
            at += 1
            continue
        text = "".join(f"{row}\n" for row in rows[at + 2 : end])
        key = run.attach(rows[at], text, origin)
        parts.append(Part(PartKind.TEXT, "\n".join([*words, *rows[at : at + 2], ""])))
        parts.append(
            Part(
                PartKind.DOCUMENT,
                text,
                name=rows[at],
                source_id=key.source_id,
                version_id=key.version_id,
            )
        )
        words, at = [], end
    parts.append(Part(PartKind.TEXT, "\n".join(words)))
    return Turn(turn.role, tuple(parts))


def _closing(rows: list[str], at: int) -> int | None:
    """Return where the fence ends that stands behind the path in row *at*, if one does."""
    if at + 1 >= len(rows) or not _PATH.match(rows[at]):
        return None
    opening = rows[at + 1]
    mark = opening.rstrip("abcdefghijklmnopqrstuvwxyz+#") if opening.startswith("`") else opening
    close = _FENCES.get(mark)
    if close is None:
        return None
    return next((end for end in range(at + 2, len(rows)) if rows[end] == close), None)
