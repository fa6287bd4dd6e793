"""Memory of smolagents: the steps of an agent, with what each gave to the model.

Facts from its source (``smolagents/memory.py``): full steps keep
``model_input_messages``; succinct ones do not, and then all steps before were
written into the request.  The result of a step comes as a message that begins
with ``Observation:``; texts of more than 20,000 characters were cut in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_json import begun, document
from store.importers._agent_messages import call_part, json_of, parts_of, turn_of, usage_of
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._wire import Turn, items, mapping, members, string
from store.records.grades import Grade, Layer
from store.records.runs import Part, PartKind, Run

__all__ = ["IMPORTER"]

_NAME: Final = "smolagents"
_STEP: Final = frozenset({"model_output", "model_output_message", "observations", "timing"})
_HEAD: Final = "Observation:\n"
_RESULT: Final = "tool-response"


def recognise(probe: Probe) -> bool:
    """Return whether a file is a list of steps."""
    root = begun(probe, b'"step_number"')
    steps = items(root) or items(mapping(root).get("steps"))
    kept = (mapping(step).keys() for step in steps[:3])
    return any(
        "step_number" in keys and ("model_input_messages" in keys or keys >= _STEP) for keys in kept
    )


def read(probe: Probe) -> Iterator[Run]:
    """Yield the run of an agent's memory."""
    value = document(probe)
    steps = list(members(value if isinstance(value, list) else mapping(value).get("steps")))
    if not steps:
        raise UnreadableError(_files.shown(probe.label), "holds no step of an agent")
    name = probe.path.name
    agent = AgentRun(RunBuilder(name, probe.label, _NAME, Layer.CLIENT, title=name))
    reading = _Reading(agent)
    for number, step in enumerate(steps):
        reading.take(step, f"{name}#{number}")
    yield agent.finish()


class _Reading:
    """Reads the steps in order."""

    def __init__(self, agent: AgentRun) -> None:
        self._agent = agent
        self._results: list[tuple[str, str]] = []
        """Observations with the ids of the tool calls that gave them, the last one last."""
        self._ids: dict[str, str] = {}

    def take(self, step: Mapping[str, object], origin: str) -> None:
        """Take the next step."""
        given = list(members(step.get("model_input_messages")))
        asks = given or "model_output" in step or "model_output_message" in step
        if not asks and ("plan" not in step):
            text = string(step.get("system_prompt")) or string(step.get("task"))
            role = "system" if "system_prompt" in step else "user"
            if text and role == "user":
                text = f"New task:\n{text}"
            if text:
                self._agent.say(role, [Part(PartKind.TEXT, text)], origin)
            return
        request = None
        grade, reason = Grade.INFERRED, f"{ALL_BEFORE}; the steps were saved without their input"
        if given:
            request = self._agent.messages(self._turns(given), origin)
            grade, reason = Grade.RECORDED, ""
        output = mapping(step.get("model_output_message"))
        parts = list(turn_of({**output, "role": "assistant"}).parts) if output else []
        parts = parts or list(parts_of(step.get("model_output") or step.get("plan")))
        usage = mapping(step.get("token_usage")) or mapping(output.get("token_usage"))
        error = string(mapping(step.get("error")).get("message"))
        number = self._agent.call(
            parts,
            origin,
            request=request,
            answers=False,
            grade=grade,
            grade_reason=reason,
            usage=usage_of(usage),
            error="" if parts else error,
        )
        self._observe(step, number, origin, replay=not given)

    def _observe(
        self, step: Mapping[str, object], number: int, origin: str, *, replay: bool
    ) -> None:
        calls = [call_part(call) for call in members(step.get("tool_calls"))]
        for call in calls:
            self._agent.ask(call.tool_call_id, call.name, call.text, origin, number)
        final = step.get("is_final_answer") is True or any(c.name == "final_answer" for c in calls)
        if final:
            answer = step.get("action_output")
            text = answer if isinstance(answer, str) else json_of(answer)
            if text and text != "null":
                self._agent.answer(number, text, origin)
        text = string(step.get("observations"))
        error = string(mapping(step.get("error")).get("message"))
        if not calls or not (text or error):
            return
        call_id = calls[0].tool_call_id
        self._results.append((call_id, text or error))
        if final and not replay:
            return  # a later request may hold it; no call of this task was made for it
        # The request puts words before it, which are no text of what the tool returned.
        given, status = _HEAD + (text or error), "" if text else "error"
        part = self._agent.result(
            call_id, given, origin, kept=text or error, status=status, of_one=len(calls) == 1
        )
        if replay:
            self._agent.say("tool", [part], origin)

    def _id_of(self, text: str) -> str:
        """Return the tool call whose result *text* holds; requests hold the same texts again."""
        known = self._ids.get(text)
        if known is None:
            found = (name for name, held in reversed(self._results) if held in text)
            known = self._ids[text] = next(found, "")
        return known

    def _turns(self, given: list[Mapping[str, object]]) -> list[Turn]:
        """Return the messages of a request; where each result stands in it, their order tells."""
        results = [place for place, message in enumerate(given) if _role(message) == _RESULT]
        told = len(results) == len(self._results)
        names = dict(zip(results, (name for name, _ in self._results), strict=False))
        return [
            self._turn(message, names.get(place, "") if told else "")
            for place, message in enumerate(given)
        ]

    def _turn(self, message: Mapping[str, object], likely: str) -> Turn:
        """Return a message of a request; an observation is the result of the step that gave it.

        *likely* is that of a result whose text is not all there, where that is known.
        """
        role = _role(message)
        turn = turn_of({**message, "role": role})
        if role == "tool-call":
            return Turn("assistant", turn.parts)
        if role != _RESULT:
            return turn
        text = "\n".join(part.text for part in turn.parts if part.kind is PartKind.TEXT)
        call_id = self._id_of(text) or likely
        if not call_id:
            return Turn("user", turn.parts)
        others = [part for part in turn.parts if part.kind is not PartKind.TEXT]
        return Turn("tool", (Part(PartKind.TOOL_RESULT, text, tool_call_id=call_id), *others))


def _role(message: Mapping[str, object]) -> str:
    return string(message.get("role")).rpartition(".")[2].lower().replace("_", "-")


IMPORTER = Importer(
    name=_NAME,
    title="smolagents memory",
    layer=Layer.CLIENT,
    grade=Grade.RECORDED,
    grade_note="where the steps keep `model_input_messages`; inferred for succinct steps",
    recognised_by="a list of steps with `step_number` and `model_input_messages`",
    proves="the input of each step as the agent kept it",
    order=530,
    recognise=recognise,
    read=read,
    alone=True,
)
