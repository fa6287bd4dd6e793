"""AutoGen: logs of its model calls, and saved states of agents and teams.

Facts from its source (``autogen_core/logging.py``, ``autogen_agentchat/state``):
each line of the log ``autogen_core.events`` names its type; ``LLMCall`` holds
the messages that were sent and the response.  A saved state holds the messages
of each agent's model context, which may send fewer of them than it keeps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_json import begun, document
from store.importers._agent_messages import call_part, parts_of, turn_of, usage_of
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._wire import Turn, count, items, mapping, members, string
from store.jsonin import JsonError, loads
from store.records.grades import Grade, Layer
from store.records.runs import Part, PartKind, Problem, ProblemKind, Run, Usage

__all__ = ["IMPORTER"]

_NAME: Final = "autogen"
_CALLS: Final = frozenset({"LLMCall", "LLMStreamEnd"})
_CALL: Final = re.compile(rb'"type":\s?"(?:LLMCall|LLMStreamStart|LLMStreamEnd)"')
_DELIVERY: Final = re.compile(rb'"delivery_stage":\s?"DeliveryStage\.')
_STATES: Final = ("TeamState", "AssistantAgentState", "BaseGroupChatManagerState")
_REASON: Final = f"{ALL_BEFORE}; the state does not say whether its context sends all it keeps"


def recognise(probe: Probe) -> bool:
    """Return whether a file is a log of events or a saved state."""
    if not probe.is_folder and _is_log(probe.head):
        return True
    root = begun(probe)
    if not isinstance(root, dict):
        return False
    kind = string(root.get("type"))
    is_state = kind in _STATES or kind.endswith("AgentState")
    return "llm_context" in root or (is_state and "agent_states" in root)


def _is_log(head: bytes) -> bool:
    """Return whether a file begins with lines of the log, bare or behind the name of the logger."""
    start = head.lstrip(b"\xef\xbb\xbf \r\n")[:200]
    first = start.partition(b"{")[0]
    if first and b"autogen_core" not in first:
        return False
    return b"{" in start and bool(_CALL.search(head) or _DELIVERY.search(head))


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each agent."""
    if _is_log(probe.head):
        yield from _log(probe)
    else:
        yield from _state(probe)


# -- logs -----------------------------------------------------------------------------


def _log(probe: Probe) -> Iterator[Run]:
    agents: dict[str, AgentRun] = {}
    problems: list[Problem] = []
    others = 0
    waiting: dict[str, list[object]] = {}
    for number, line in _lines(probe):
        origin = f"{probe.path.name}:{number}"
        at = line.find(b"{")
        try:
            event = mapping(loads(line[at:])) if at >= 0 else {}
        except JsonError as error:
            broken = line.lstrip()[:1] == b"{" or _CALL.search(line)
            others += not broken
            if broken:
                what = f"this line is not JSON ({error}); the other lines were read"
                problems.append(Problem(origin, what))
            continue
        kind, name = string(event.get("type")), string(event.get("agent_id"))
        others += not event
        if kind == "LLMStreamStart":
            waiting[name] = items(event.get("messages"))
        elif kind in _CALLS:
            agent = agents.setdefault(name, _agent(probe, name))
            messages = items(event.get("messages")) or waiting.pop(name, [])
            _log_call(agent, messages, event, origin)
    if others:
        what = f"lines of another log were left out ({others} in all)"
        problems.append(Problem(probe.path.name, what, ProblemKind.NOTED))
    if not agents:
        raise UnreadableError(_files.shown(probe.label), "holds no call of a model")
    for agent in agents.values():
        agent.builder.problems.extend(problems)
        problems = []
        yield agent.finish()


def _lines(probe: Probe) -> Iterator[tuple[int, bytes]]:
    with _files.open_regular(probe.path, _files.LONG_LINES) as file:
        for line in _files.lines(file):
            if line.data.strip():
                yield line.number, line.data


def _agent(probe: Probe, name: str) -> AgentRun:
    run_id = f"{probe.path.name}/{name}" if name else probe.path.name
    return AgentRun(RunBuilder(run_id, probe.label, _NAME, Layer.CLIENT, title=run_id))


def _log_call(
    agent: AgentRun, messages: list[object], event: Mapping[str, object], origin: str
) -> None:
    turns = [_turn(message) for message in messages if isinstance(message, dict)]
    response = mapping(event.get("response"))
    choice = next(members(response.get("choices")), {})
    message = mapping(choice.get("message"))
    parts = list(turn_of({**message, "role": "assistant"}).parts) if message else []
    parts = parts or list(_turn({**response, "type": "AssistantMessage"}).parts)
    usage = usage_of(mapping(response.get("usage")))
    if usage.input_tokens is None:
        usage = Usage(count(event.get("prompt_tokens")), count(event.get("completion_tokens")))
    grade = Grade.RECORDED if turns else Grade.UNKNOWN
    agent.call(
        parts,
        origin,
        request=agent.messages(turns, origin),
        id=string(response.get("id")),
        model=string(response.get("model")),
        grade=grade,
        grade_reason="" if turns else "the log has no messages of this call",
        usage=usage,
        finish_reason=string(choice.get("finish_reason")) or string(response.get("finish_reason")),
    )


# -- states ---------------------------------------------------------------------------


def _state(probe: Probe) -> Iterator[Run]:
    found = False
    for name, context in _contexts(mapping(document(probe))):
        found = True
        agent = _agent(probe, name)
        base = f"{probe.path.name}#{name}/messages" if name else f"{probe.path.name}#messages"
        for number, message in enumerate(members(context.get("messages"))):
            origin, turn = f"{base}/{number}", _turn(message)
            if turn.role != "assistant":
                agent.held += agent.messages([turn], origin)
                continue
            grade = Grade.INFERRED
            agent.call(turn.parts, origin, grade=grade, grade_reason=_REASON)
        if not agent.builder.messages:
            what = "the context of this agent holds no message"
            agent.builder.problem(base, what, ProblemKind.NOTED)
        yield agent.finish()
    if not found:
        raise UnreadableError(_files.shown(probe.label), "holds no model context of an agent")


def _contexts(state: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield each model context in a state, with the name of its agent, to any depth of teams."""
    waiting: list[tuple[str, Mapping[str, object]]] = [("", state)]
    while waiting:
        name, held = waiting.pop(0)
        if "llm_context" in held:
            yield name, mapping(held["llm_context"])
        states = mapping(held.get("agent_states"))
        waiting += [(f"{name}/{key}".strip("/"), mapping(each)) for key, each in states.items()]
        inner = mapping(held.get("agent_state"))
        if inner:
            waiting.append((name, inner))


def _turn(message: Mapping[str, object]) -> Turn:
    """Return a message: as it was sent to a service, or in AutoGen's own words."""
    kind, content = string(message.get("type")), message.get("content")
    if "role" in message:
        return turn_of(message)
    if kind == "SystemMessage":
        return Turn("system", tuple(parts_of(content)))
    if kind == "FunctionExecutionResultMessage":
        return Turn("tool", tuple(_result(each) for each in members(content)))
    if kind != "AssistantMessage":
        return Turn("user", tuple(parts_of(content)))
    thought = string(message.get("thought"))
    parts = [Part(PartKind.REASONING, thought)] if thought else []
    for each in content if isinstance(content, list) else [content]:
        if isinstance(each, dict) and "arguments" in each:
            parts.append(call_part(each))
        else:
            parts += parts_of([each] if isinstance(each, dict) else each)
    return Turn("assistant", tuple(parts))


def _result(result: Mapping[str, object]) -> Part:
    return Part(
        PartKind.TOOL_RESULT,
        string(result.get("content")),
        tool_call_id=string(result.get("call_id")),
        name=string(result.get("name")),
        status="error" if result.get("is_error") is True else "",
    )


IMPORTER = Importer(
    name=_NAME,
    title="AutoGen (log of model calls, saved state)",
    layer=Layer.CLIENT,
    grade=Grade.RECORDED,
    grade_note="for lines of the log with `LLMCall`; inferred for saved states",
    recognised_by="lines with type LLMCall, or a state with `llm_context` or `agent_states`",
    proves=(
        "made by the tests: lines of calls are requests as sent; a saved state proves no more "
        "than its last history"
    ),
    order=550,
    recognise=recognise,
    read=read,
    alone=True,
)
