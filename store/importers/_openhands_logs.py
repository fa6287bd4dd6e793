"""Completion logs of OpenHands: one file for each call, with the request as it was sent.

``LOG/llm/…`` and ``log_completions`` write the messages, the tools and the
response of LiteLLM.  The files of a folder are put in the order of their times
and threaded into conversations: a condenser or a subagent logs there too.  For
a model without tool calls of its own ``messages`` are what was sent, calls and
results written out as text, and ``fncall_messages`` the same, one for one, as
they were before (``openhands/llm/llm.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_json import held_in
from store.importers._agent_run import AgentRun
from store.importers._base import Probe
from store.importers._capture_http import Interaction, Message
from store.importers._capture_threads import Numbered, Thread, Threads
from store.importers._chat_call import Chat
from store.importers._wire import Exchange, Turn, Wire, items, mapping, string
from store.importers._wire_answers import Answers
from store.jsonin import JsonError, loads
from store.records.grades import Layer
from store.records.runs import PartKind, Problem, Run

__all__ = ["LOG_NAME", "is_log", "log_runs"]

LOG_NAME: Final = re.compile(r".*?(\d{10})\.(\d{1,9})(?:-[0-9a-zA-Z]+)?\.json")
"""Names of log files end in the time of the call."""
_LARGEST: Final = 256 << 20


def is_log(value: object) -> bool:
    """Return whether a JSON value is such a log."""
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    return "response" in value and bool(
        {"latency_sec", "context_window", "fncall_messages"} & value.keys()
        or {"timestamp", "cost"} <= value.keys()
    )


def log_runs(probe: Probe, files: list[tuple[str, Path]]) -> Iterator[Run]:
    """Yield a run for each conversation in *files*, which are named and in order."""
    threads = Threads()
    problems: list[Problem] = []
    names: list[str] = []
    turns: dict[Turn, Turn] = {}
    for name, path in files:
        try:
            value = _value(path)
        except (JsonError, OSError) as error:
            problems.append(Problem(name, f"is no completion log that can be read ({error})"))
            continue
        if not is_log(value):
            continue
        exchange = _exchange(mapping(value), len(names), turns)
        at = value.get("timestamp") if isinstance(value, dict) else None
        threads.add(len(names), exchange, None if at is None else str(at))
        names.append(name)
    for thread in threads.threads:
        yield _run(probe, thread, names, problems)
        problems = []


def _value(path: Path) -> object:
    with _files.open_regular(path) as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise JsonError(f"more than {_LARGEST} bytes")
    return loads(data)


def _exchange(value: Mapping[str, object], number: int, turns: dict[Turn, Turn]) -> Exchange:
    """Return the call of a log; *turns* are those of the logs before, which it mostly repeats."""
    exchange = _chat(value, number, "messages", "response")
    if items(value.get("fncall_messages")):
        before = _chat(value, number, "fncall_messages", "fncall_response")
        exchange.tool_calls, exchange.written = before.tool_calls, before.written
        exchange.held = tuple(call.id for call in before.tool_calls)
        if len(before.sent) == len(exchange.sent):
            pairs = zip(exchange.sent, before.sent, strict=True)
            exchange.sent = [_as_result(sent, other) for sent, other in pairs]
    exchange.sent = [turns.setdefault(turn, turn) for turn in exchange.sent]
    return exchange


def _chat(value: Mapping[str, object], number: int, messages: str, response: str) -> Exchange:
    settings = {**mapping(value.get("kwargs")), **mapping(value.get("args"))}
    request: Mapping[str, object] = {**settings, "messages": value.get(messages)}
    answer = mapping(value.get(response))
    sides = (Message(value=request), Message(value=answer))
    wire = Wire(Interaction(number, "POST", "", 200, *sides), request, answer)
    return Chat.of(wire, "openhands").finish(Answers())


def _as_result(sent: Turn, before: Turn) -> Turn:
    """Return a message as it was sent, as the result of a tool call where it is one."""
    results = [part for part in before.parts if part.kind is PartKind.TOOL_RESULT]
    if len(results) != 1 or any(part.kind is PartKind.TOOL_RESULT for part in sent.parts):
        return sent
    text = "\n".join(part.text for part in sent.parts if part.kind is PartKind.TEXT)
    return Turn(sent.role, (replace(results[0], text=text),))


def _run(probe: Probe, thread: Thread, names: list[str], problems: list[Problem]) -> Run:
    first = names[thread.calls[0].number]
    branch = None if thread.branch is None else names[thread.branch]
    run_id = first if probe.is_folder else probe.path.name
    builder = RunBuilder(
        run_id, probe.label, "openhands", Layer.CLIENT, title=run_id, branch=branch
    )
    builder.problems.extend(problems)
    agent = AgentRun(builder)
    for each in thread.calls:
        _call(agent, each, names[each.number])
    return agent.finish()


def _call(agent: AgentRun, each: Numbered, name: str) -> None:
    exchange = each.exchange
    for call in exchange.tool_calls:
        if call.id not in exchange.written:
            agent.ask(call.id, call.name, call.arguments, name)
    request = agent.messages([*exchange.instructions, *exchange.sent], name)
    parts = [part for turn in exchange.response for part in turn.parts]
    number = agent.call(
        parts,
        name,
        request=request,
        answers=False if exchange.written else None,
        **exchange.facts(each.at),
    )
    for call in exchange.tool_calls:
        if call.id in exchange.written and call.id not in {part.tool_call_id for part in parts}:
            agent.ask(call.id, call.name, call.arguments, name, number)
        if call.name == "finish" and call.id in exchange.written:
            given = mapping(held_in(call.arguments))
            told = string(given.get("message")) or string(given.get("final_thought"))
            if told.strip():
                agent.answer(number, told, name)
