"""Trajectories of SWE-agent: ``.traj`` files of every era.

Facts from the source of SWE-agent (`sweagent/agent/agents.py`): since 1.0 a
step keeps the messages as its history processors made them.  First they were
kept as ``messages``, read behind the step, so that they are the request of the
next one; later as ``query``, the request of the step itself.  Before 1.0 only
the unprocessed ``history`` was kept.  With several attempts each has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_json import begun, document, held_in
from store.importers._agent_messages import turn_of
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._fields import compact
from store.importers._swe_steps import (
    as_result,
    call_id_of,
    is_of,
    messages_of,
    own_place,
    response_of,
    state_of,
    text_of,
    tool_of,
)
from store.importers._wire import Turn, items, mapping, members, string
from store.records.grades import Grade, Layer
from store.records.runs import EditKind, Part, PartKind, ProblemKind, Run

__all__ = ["IMPORTER"]

_NAME = "swe-agent"
_BEHIND = "the messages as they were processed for this call, kept behind the step before it"
_BEGIN = "the messages before the first step, kept behind it"
_NO_RECORD = "the trajectory keeps no request, and does not say what was taken out of them"
_STEP_KEYS = frozenset({"observation", "thought", "response", "state"})
_OLD = re.compile(r"(?:Observation:\s*)?Old environment output: \(")
_FOLDER = re.compile(r"\(Current directory: ([^\n)]{1,400})\)")
_HARMLESS = frozenset({"cache_control", "default", "DefaultHistoryProcessor"})
"""Processors that change no text."""
_EDITS = frozenset({"edit", "insert", "create", "str_replace_editor", "undo_edit"})


def recognise(probe: Probe) -> bool:
    """Return whether a file is an object with steps of an action and its observation."""
    whole = mapping(begun(probe))
    history = items(whole.get("history"))
    if history and "trajectory" not in whole:
        return {"role", "agent", "message_type"} <= mapping(history[0]).keys()
    attempt = mapping(next(iter(items(whole.get("attempts"))), None))
    steps = attempt.get("trajectory", whole.get("trajectory"))
    names = mapping(next(iter(items(steps)), None)).keys()
    return "action" in names and bool(_STEP_KEYS & names)


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for the trajectory, or one for each attempt."""
    value = mapping(document(probe))
    attempts = list(members(value.get("attempts"))) or [value]
    found = False
    for number, attempt in enumerate(attempts):
        if not items(attempt.get("trajectory")) and not items(attempt.get("history")):
            continue
        found = True
        at = f"#attempts/{number}/" if len(attempts) > 1 or attempt is not value else "#"
        config = _config(value) or _config(attempt)
        yield _Trajectory(probe, attempt, config, f"{probe.path.name}{at}").run()
    if not found:
        raise UnreadableError(_files.shown(probe.label), "holds no step of a trajectory")


def _config(value: Mapping[str, object]) -> Mapping[str, object]:
    """Return the settings of a replay: an object, or JSON text."""
    held = value.get("replay_config")
    held = held_in(held) if isinstance(held, str) else held
    return mapping(held)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The messages of a request, and how far they are proven."""

    messages: list[Mapping[str, object]]
    grade: Grade = Grade.RECORDED
    reason: str = ""


@dataclass(slots=True)
class _Trajectory:
    """One attempt."""

    probe: Probe
    value: Mapping[str, object]
    config: Mapping[str, object]
    origin: str
    agent: AgentRun = field(init=False)
    _elided: dict[str, None] = field(default_factory=dict)
    _ids: dict[int, str] = field(default_factory=dict)
    _next: int = 0
    _waiting: tuple[str, str] | None = None
    """Id and text of the last observation, until a request says how it was given."""

    def __post_init__(self) -> None:
        name = self.origin.rstrip("#/").replace("#", "/") or self.probe.path.name
        builder = RunBuilder(name, self.probe.label, _NAME, Layer.CLIENT, title=name)
        self.agent = AgentRun(builder)

    def run(self) -> Run:
        """Return the run of this attempt."""
        steps = list(members(self.value.get("trajectory")))
        history = list(members(self.value.get("history")))
        self.agent.cwd = string(state_of(steps[0]).get("working_dir")) if steps else ""
        if any(messages_of(step) for step in steps):
            self._recorded(steps, history)
        elif history:
            self._replayed(steps, history)
        else:
            self._only_steps(steps)
        info = mapping(self.value.get("info"))
        status = string(info.get("exit_status"))
        if status and status != "submitted":
            what = f"the agent ended with {_files.shown(status)}"
            self.agent.builder.problem(f"{self.origin}info", what, ProblemKind.NOTED)
        return self.agent.finish()

    # -- with requests ---------------------------------------------------------------

    def _recorded(
        self, steps: list[Mapping[str, object]], history: list[Mapping[str, object]]
    ) -> None:
        """Read steps that keep the messages; originals of what is elided are the observations."""
        behind: list[Mapping[str, object]] | None = None
        for number, step in enumerate(steps):
            held = messages_of(step)
            own = own_place(held, step) if "query" not in step else None
            asked = _Asked(held)
            if own is None and held:
                pass
            elif behind is not None:
                asked = _Asked(behind, Grade.RECORDED, _BEHIND)
            elif own is not None:
                asked = _Asked(held[:own], Grade.RECORDED, _BEGIN)
            else:
                asked = _Asked([], Grade.UNKNOWN, "neither this step nor one before keeps messages")
            said = held[own] if own is not None else self._in_history(step, history)
            self._step(step, asked, said, f"{self.origin}trajectory/{number}")
            behind = held if own is not None else None
        self._give(behind or [], f"{self.origin}trajectory")

    def _in_history(
        self, step: Mapping[str, object], history: list[Mapping[str, object]]
    ) -> Mapping[str, object]:
        """Return the message of the history that the step's response became, if it did."""
        for place in range(self._next, len(history)):
            message = history[place]
            if message.get("role") == "assistant" and is_of(message, step):
                self._next = place + 1
                return message
        return {}

    def _step(
        self,
        step: Mapping[str, object],
        asked: _Asked,
        said: Mapping[str, object],
        origin: str,
    ) -> None:
        agent = self.agent
        self._note_elided(asked.messages, origin)
        turns = self._give(asked.messages, origin)
        settings = mapping(mapping(self.config.get("agent")).get("model"))
        parts = response_of(step, said)
        request = agent.messages(turns, origin)
        number = agent.call(
            parts,
            origin,
            request=request,
            answers=False,
            model=string(settings.get("name")),
            grade=asked.grade,
            grade_reason=asked.reason,
        )
        calls = [part for part in parts if part.kind is PartKind.TOOL_CALL]
        # Request, response, observation: there it stands in what follows.
        self._ids[len(turns) + 1] = self._observe(step, calls, number, origin)

    def _give(self, messages: list[Mapping[str, object]], origin: str) -> list[Turn]:
        """Return the turns of a request; it says what was given of the last observation.

        A template may stand around it; what is not all there is kept as the tool gave it.
        """
        turns = [self._turn(place, message) for place, message in enumerate(messages)]
        if self._waiting is None:
            return turns
        call_id, text = self._waiting
        self._waiting = None
        given = [part.text for turn in turns for part in turn.parts if part.tool_call_id == call_id]
        shown = given[-1] if given and turns[-1].role != "assistant" else text
        whole = text.strip().replace("\r\n", "\n") in shown.replace("\r\n", "\n")
        self.agent.result(call_id, shown, origin, kept=None if whole else text)
        return turns

    def _turn(self, place: int, message: Mapping[str, object]) -> Turn:
        """Return a message; an observation in the user's name is the result of its step."""
        turn = turn_of({**message, **call_id_of(message)})
        is_result = string(message.get("message_type")) in ("observation", "")
        if turn.role == "user" and is_result and self._ids.get(place):
            return Turn("user", tuple(as_result(turn.parts, self._ids[place])))
        return turn

    def _observe(
        self, step: Mapping[str, object], calls: list[Part], number: int, origin: str
    ) -> str:
        """Take the observation of a step, whatever requests hold of it; return its id."""
        agent = self.agent
        call_id = calls[0].tool_call_id if calls else self._ask(step, number, origin)
        if calls:
            self._follow_edit(step, origin)
        agent.cwd = string(state_of(step).get("working_dir")) or agent.cwd
        if call_id:
            self._waiting = call_id, string(step.get("observation"))
        return agent.name_of(call_id)

    def _note_elided(self, request: list[Mapping[str, object]], origin: str) -> None:
        """Note the results that stand in this request as a notice, and did not before."""
        gone = []
        for place, message in enumerate(request):
            call_id = self._ids.get(place) or string(call_id_of(message).get("tool_call_id"))
            if call_id and call_id not in self._elided and _OLD.match(text_of(message)):
                self._elided[call_id] = None
                gone.append(call_id)
        if gone:
            self.agent.note_edit(
                EditKind.CLEAR,
                gone,
                origin,
                by="SWE-agent",
                reason="the messages of this call hold a notice in place of the observation",
                grade=Grade.RECORDED,
            )

    # -- without requests --------------------------------------------------------------

    def _replayed(
        self, steps: list[Mapping[str, object]], history: list[Mapping[str, object]]
    ) -> None:
        """Read a history of which no request was kept."""
        grade, reason = self._rule()
        waiting = iter(steps)
        call_id = ""
        agent = self.agent
        for place, message in enumerate(history):
            origin = f"{self.origin}history/{place}"
            turn = turn_of({**message, **call_id_of(message)})
            if message.get("role") != "assistant" or message.get("is_demo"):
                told = _FOLDER.search(text_of(message))
                agent.cwd = told[1].strip() if told and not agent.cwd else agent.cwd
                if call_id and turn.role == "user":
                    turn = Turn("user", tuple(as_result(turn.parts, call_id)))
                    call_id = ""
                agent.held += agent.messages([turn], origin)
                continue
            step = next(waiting, message)
            made = agent.call(turn.parts, origin, answers=False, grade=grade, grade_reason=reason)
            asks = any(part.kind is PartKind.TOOL_CALL for part in turn.parts)
            call_id = "" if asks else self._ask(step, made, origin)
            agent.cwd = string(state_of(step).get("working_dir")) or agent.cwd

    def _ask(self, step: Mapping[str, object], number: int, origin: str) -> str:
        """Add the tool call that an action in words is; return its id."""
        action = string(step.get("action"))
        if not action.strip():
            return ""
        tool, arguments = tool_of(action)
        self._follow_edit(step, origin)
        self.agent.ask(f"step:{number}", tool, compact(arguments), origin, number)
        return f"step:{number}"

    def _follow_edit(self, step: Mapping[str, object], origin: str) -> None:
        """Note that the file that is open was changed, where the action is an edit."""
        opened = string(state_of(step).get("open_file"))
        words = string(step.get("action")).split()
        if words and words[0] in _EDITS and opened not in ("", "n/a"):
            self.agent.changed(opened, origin)

    def _only_steps(self, steps: list[Mapping[str, object]]) -> None:
        for number, step in enumerate(steps):
            origin = f"{self.origin}trajectory/{number}"
            parts = response_of(step, {})
            made = self.agent.call(
                parts, origin, answers=False, grade=Grade.UNKNOWN, grade_reason=_NO_RECORD
            )
            call_id = self._ask(step, made, origin)
            if call_id:
                part = self.agent.result(call_id, string(step.get("observation")), origin)
                self.agent.say("user", [part], origin)

    def _rule(self) -> tuple[Grade, str]:
        """Return what is known of requests that were not kept."""
        agent = mapping(self.config.get("agent"))
        if "history_processors" not in agent:
            return Grade.UNKNOWN, _NO_RECORD
        names = [string(each.get("type")) for each in members(agent["history_processors"])]
        if any(name not in _HARMLESS for name in names):
            shown = ", ".join(map(_files.shown, names))
            return Grade.UNKNOWN, f"{_NO_RECORD}; its settings name {shown}"
        return Grade.INFERRED, f"{ALL_BEFORE}; the settings name nothing that takes any out"


IMPORTER = Importer(
    name=_NAME,
    title="SWE-agent trajectory",
    layer=Layer.CLIENT,
    grade=Grade.RECORDED,
    grade_note="where its steps keep the messages they sent (`query`, before that `messages`); "
    "unknown before version 1.0, which kept only the history before it was processed, and "
    "inferred where its settings name no processor that takes anything out",
    recognised_by="an object whose `trajectory` is a list of steps with `action` and "
    "`observation`, or whose `history` has messages with `agent` and `message_type`",
    proves=(
        "13 requests as sent beside the whole history: the elided observations stand in "
        "neither the same"
    ),
    order=500,
    recognise=recognise,
    read=read,
    alone=True,
)
