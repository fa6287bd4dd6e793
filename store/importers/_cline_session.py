"""Sessions of the newest Cline: one file of messages, each with its own model and counts.

The file holds results as the tools gave them.  While it builds a request the
client cuts long ones, and puts other words in place of reads that a later one
repeats once they are many; neither is recorded.  Format facts: cline 3,
``data/sessions/<id>/<id>.messages.json``, beside the requests that it sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from store.builder import RunBuilder
from store.importers._agent_messages import parts_of
from store.importers._agent_run import AgentRun
from store.importers._fields import compact
from store.importers._moments import moment
from store.importers._wire import count, items, mapping, members, string
from store.records.grades import Grade
from store.records.runs import EditKind, Part, PartKind, Run, Usage

__all__ = ["is_session", "session_run"]

_INPUT: Final = re.compile(r"\A<user_input mode=\"\w{1,20}\">(.*)</user_input>\s*\Z", re.DOTALL)
"""How the file wraps what the user wrote; requests hold it without that."""
_FOLDER: Final = re.compile(r"Working Directory: ([^\n]{1,1000})")
_SESSION: Final = re.compile(
    rb'\A\s*\{(?=.{0,2000}?"sessionId"\s*:)(?=.{0,2000}?"agent"\s*:)', re.DOTALL
)


_LONGEST: Final = 8000
"""A text of a result that is longer is cut in the middle to so many characters."""
_OUTDATED: Final = 65_536
"""Once repeated reads hold so many characters, the earlier ones are replaced."""
_RULE: Final = (
    "each call saw every message before it, texts of results cut to 8,000 characters as the "
    "client cuts them by default"
)
_REPLACED: Final = (
    "files were read again so often that the client may have replaced the earlier reads, which "
    "no record shows"
)


def is_session(head: bytes) -> bool:
    """Return whether a file begins as such a session does."""
    return bool(_SESSION.match(head)) and b'"messages"' in head and b'"origin"' in head


def session_run(value: Mapping[str, object], builder: RunBuilder, name: str) -> Run:
    """Return the run of a session; *builder* gets its identity from it."""
    return _Walk(builder).run(value, name)


class _Walk:
    """Goes through the messages of a session once."""

    def __init__(self, builder: RunBuilder) -> None:
        self._agent = AgentRun(builder)
        self._read: dict[str, int] = {}
        self._outdated = 0

    def run(self, value: Mapping[str, object], name: str) -> Run:
        builder = self._agent.builder
        builder.run_id = string(value.get("sessionId")) or builder.run_id
        builder.parent_run = string(mapping(value.get("origin")).get("parentSessionId")) or None
        system = string(value.get("system_prompt"))
        if system:
            found = _FOLDER.search(system)
            self._agent.cwd = found[1].strip() if found else ""
            self._agent.say("system", [Part(PartKind.TEXT, system)], f"{name}#system_prompt")
        for number, message in enumerate(members(value.get("messages"))):
            self._take(message, f"{name}#messages[{number}]")
        return self._agent.finish()

    def _take(self, message: Mapping[str, object], origin: str) -> None:
        if message.get("role") == "assistant":
            self._call(message, origin)
            return
        results: list[Part] = []
        words: list[Part] = []
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else items(content)
        for each in blocks:
            block = mapping(each)
            if block.get("type") == "tool_result":
                results += self._result(block, origin)
            elif block.get("type") == "text":
                text = string(block.get("text"))
                found = _INPUT.match(text)
                words.append(Part(PartKind.TEXT, found[1] if found else text))
            else:
                words += parts_of([block])
        if results:
            self._agent.say("tool", results, origin)
        if words:
            self._agent.say("user", words, origin)

    def _call(self, message: Mapping[str, object], origin: str) -> None:
        model, counted = mapping(message.get("modelInfo")), mapping(message.get("metrics"))
        fresh, read, write = (
            count(counted.get(key))
            for key in ("inputTokens", "cacheReadTokens", "cacheWriteTokens")
        )
        names = filter(None, (string(model.get("provider")), string(model.get("id"))))
        replaced = self._outdated >= _OUTDATED
        self._agent.call(
            parts_of(message.get("content")),
            origin,
            id=string(message.get("id")),
            model="/".join(names),
            grade=Grade.UNKNOWN if replaced else Grade.INFERRED,
            grade_reason=_REPLACED if replaced else _RULE,
            usage=Usage(fresh, count(counted.get("outputTokens")), read, write),
            at=moment(count(message.get("ts"))),
        )

    def _result(self, block: Mapping[str, object], origin: str) -> list[Part]:
        """Return a result as it is sent: what is no content of the interface as its JSON."""
        call_id, content = string(block.get("tool_use_id")), block.get("content")
        held = [mapping(each) for each in items(content)]
        plain = bool(held) and not any("type" in each for each in held)
        others = [] if plain else [p for p in parts_of(content) if p.kind is not PartKind.TEXT]
        kept = compact(content) if plain else _words(content, cut=False)
        given = compact([_shortened(each) for each in held]) if plain else _words(content, cut=True)
        failed = block.get("is_error") is True or (
            plain and all(each.get("success") is False for each in held)
        )
        made = self._agent.result(
            call_id,
            given,
            origin,
            status="error" if failed else "",
            kept=kept if kept != given else None,
            name=string(block.get("name")),
        )
        if kept != given:
            self._agent.note_edit(
                EditKind.TRUNCATE,
                [call_id],
                origin,
                by="cline",
                reason=_RULE,
                grade=Grade.INFERRED,
            )
        for each in held if plain and block.get("name") in {"read", "read_files"} else ():
            path = string(each.get("query"))
            self._outdated += self._read.get(path, 0)
            self._read[path] = min(len(string(each.get("result"))), _LONGEST)
        return [made, *others]


def _words(content: object, *, cut: bool) -> str:
    texts = [part.text for part in parts_of(content) if part.kind is PartKind.TEXT]
    return "\n".join(_cut(text) if cut else text for text in texts)


def _shortened(entry: Mapping[str, object]) -> dict[str, object]:
    return {key: _cut(held) if isinstance(held, str) else held for key, held in entry.items()}


def _cut(text: str) -> str:
    """Return both ends of a long text around the words that tell how much is missing."""
    if len(text) <= _LONGEST:
        return text
    end = (_LONGEST - len(_gap(len(text)))) // 2
    return f"{text[:end]}{_gap(len(text) - 2 * end)}{text[-end:]}"


def _gap(missing: int) -> str:
    return f"\n\n...[truncated {missing} chars]...\n\n"
