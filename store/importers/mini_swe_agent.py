"""Trajectories of mini-swe-agent: the one list of messages that it sends and saves.

Facts from its source (``minisweagent/agents/default.py``): the history is
linear and nothing processes it, so that each call saw all before it.  Before
version 2 commands stand in fenced blocks and their output comes in the user's
name; since then they are tool calls.  Long output is cut as it is rendered
(``<output_head>``, ``<elided_chars>``); ``extra.raw_output`` keeps the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_json import begun, document
from store.importers._agent_messages import turn_of, usage_of
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._fields import compact
from store.importers._wire import items, mapping, members, string
from store.records.grades import Grade, Layer
from store.records.runs import OtherEvent, Part, PartKind, ProblemKind, Run

__all__ = ["IMPORTER"]

_NAME: Final = "mini-swe-agent"
_COMMAND: Final = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n?```", re.DOTALL)
_OUTPUT: Final = re.compile(r"\s*(?:<returncode>|<warning>|<exception>|Observation:|Exit code:)")
_SIGNS: Final = ("mswea_bash_command", "COMPLETE_TASK_AND_SUBMIT", "ONE bash code block")
_LINEAR: Final = "this agent takes nothing out of its one list of messages"


def recognise(probe: Probe) -> bool:
    """Return whether a file is such a trajectory: it says so, or its messages show it."""
    root = begun(probe)
    if isinstance(root, dict):
        if "trajectory_format" in root:
            return string(root["trajectory_format"]).startswith("mini-swe-agent")
        return "mini_version" in mapping(root.get("info")) or _shows_it(root.get("messages"))
    return _shows_it(root)


def _shows_it(messages: object) -> bool:
    """Return whether the first messages are the prompts of this agent."""
    texts = [string(mapping(message).get("content")) for message in items(messages)[:2]]
    return any(sign in text for sign in _SIGNS for text in texts)


def read(probe: Probe) -> Iterator[Run]:
    """Yield the run of a trajectory."""
    value = document(probe)
    whole = mapping(value)
    messages = list(members(value if isinstance(value, list) else whole.get("messages")))
    if not messages:
        raise UnreadableError(_files.shown(probe.label), "holds no message of a trajectory")
    info = mapping(whole.get("info"))
    name = string(whole.get("instance_id")) or probe.path.name
    builder = RunBuilder(name, probe.label, _NAME, Layer.STATE, title=name)
    grade = Grade.DERIVED if info or "trajectory_format" in whole else Grade.INFERRED
    reading = _Reading(AgentRun(builder), grade)
    for number, message in enumerate(messages):
        reading.take(message, f"{probe.path.name}#messages/{number}", number)
    status = string(info.get("exit_status"))
    if status and status.lower() != "submitted":
        what = f"the agent ended with {_files.shown(status)}"
        builder.problem(f"{probe.path.name}#info", what, ProblemKind.NOTED)
    yield reading.agent.finish()


class _Reading:
    """Reads the messages in order."""

    def __init__(self, agent: AgentRun, grade: Grade) -> None:
        self.agent = agent
        self._grade = grade
        self._waiting: list[str] = []

    def take(self, message: Mapping[str, object], origin: str, number: int) -> None:
        """Take the next message."""
        extra, role = mapping(message.get("extra")), string(message.get("role"))
        if role == "exit":
            # What was submitted is the output of a command; no model wrote it.
            event = OtherEvent("exit", origin, compact(message))
            self.agent.builder.other_events.append(event)
        elif role == "assistant" or message.get("object") == "response":
            self._call(message, extra, origin, number)
        else:
            self._observe(message, extra, origin)

    def _call(
        self, message: Mapping[str, object], extra: Mapping[str, object], origin: str, number: int
    ) -> None:
        content = message.get("content", message.get("output"))
        parts = list(turn_of({**message, "role": "assistant", "content": content}).parts)
        response = mapping(extra.get("response"))
        made = self.agent.call(
            parts,
            origin,
            answers=False,
            id=string(response.get("id")),
            model=string(response.get("model")),
            grade=self._grade,
            grade_reason=f"{ALL_BEFORE}; {_LINEAR}",
            usage=usage_of(mapping(response.get("usage"))),
        )
        calls = [part.tool_call_id for part in parts if part.kind is PartKind.TOOL_CALL]
        self._waiting = calls or self._commands(parts, extra, origin, number, made)

    def _commands(
        self,
        parts: list[Part],
        extra: Mapping[str, object],
        origin: str,
        number: int,
        made: int,
    ) -> list[str]:
        """Add the commands that stand in the words of a response; return their ids."""
        told = [
            string(mapping(each).get("command")) or string(each)
            for each in items(extra.get("actions"))
        ]
        text = "".join(part.text for part in parts if part.kind is PartKind.TEXT)
        commands = [each for each in told if each] or _COMMAND.findall(text)
        ids = []
        for at, command in enumerate(commands):
            ids.append(f"message:{number}" + (f".{at}" if at else ""))
            self.agent.ask(ids[-1], "bash", compact({"command": command}), origin, made)
        return ids

    def _observe(
        self, message: Mapping[str, object], extra: Mapping[str, object], origin: str
    ) -> None:
        content = message.get("content", message.get("output"))
        turn = turn_of({**message, "content": content})
        text = "\n".join(part.text for part in turn.parts if part.text)
        call_id = string(message.get("tool_call_id")) or string(message.get("call_id"))
        if not call_id and self._waiting and (_OUTPUT.match(text) or "raw_output" in extra):
            call_id = self._waiting.pop(0)
        if not call_id:
            self.agent.say(turn.role, turn.parts, origin)
            return
        self._waiting = [each for each in self._waiting if each != call_id]
        raw = extra.get("raw_output")
        kept = raw if isinstance(raw, str) and raw.strip() not in text else None
        part = self.agent.result(call_id, text, origin, kept=kept)
        own = turn.role == "tool" or "call_id" in message
        self.agent.say("tool" if own else "user", [part], origin)


IMPORTER = Importer(
    name=_NAME,
    title="mini-swe-agent trajectory",
    layer=Layer.STATE,
    grade=Grade.DERIVED,
    grade_note="the agent sends its one list of messages and takes nothing out; inferred where "
    "only the list was kept",
    recognised_by="`trajectory_format` mini-swe-agent, or the prompts of this agent",
    proves="one history that every call saw up to itself, by a stated rule",
    order=220,
    recognise=recognise,
    read=read,
    alone=True,
)
