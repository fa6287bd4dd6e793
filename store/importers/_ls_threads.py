"""The threads that runs of LangSmith tell of: each model call with the request it was given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._capture_secrets import Masker
from store.importers._fields import compact
from store.importers._lc_any import messages_given, plains_in
from store.importers._lc_dialects import Plain
from store.importers._lc_thread import EDITED, PARTLY, ModelCall, Said, Stage, ThreadRecord
from store.importers._lc_usage import usage_of
from store.importers._ls_runs import Runs
from store.records.grades import Grade
from store.records.runs import OtherEvent, Problem, ProblemKind, Usage

__all__ = ["threads_of"]

_THREAD_KEYS: Final = ("thread_id", "session_id", "conversation_id")
_WRAP: Final = re.compile(r"(.+)\.a?wrap_model_call\Z")
_REQUESTS: Final = ("messages", "input", "prompts", "prompt", "text", "question", "query")
_SYSTEM: Final = ("system", "instructions")
_STORED: Final = ("inputs_s3_urls", "s3_urls")
_RENDERED: Final = (
    "the messages of the request were written together as one text; which words were whose cannot "
    "be told from it"
)
_ROLE: Final = re.compile(r"(?:System|Human|AI|Tool|Function): ")
"""How LangChain begins each message when it writes a request as one text."""
_SUMMARY: Final = "summarization"
_LEVELS: Final = 8
"""Around the messages of what a tool returned stand no more objects than these."""


def threads_of(runs: Runs) -> list[ThreadRecord]:
    """Return a record for each thread and for each sub-agent of it, in the order of their calls.

    Some may hold results of tools and no call: `store.importers._lc_join.homed` says whose.
    """
    reader = _Reader(runs)
    for run in runs.ordered():
        reader.add(run)
    return reader.finish()


@dataclass(slots=True)
class _Reader:
    runs: Runs
    _records: dict[tuple[str, str], ThreadRecord] = field(default_factory=dict)
    _threads: dict[str, str] = field(default_factory=dict)
    _summaries: dict[str, int] = field(default_factory=dict)
    _masker: Masker = field(default_factory=Masker)
    _said: dict[int, list[Said | None]] = field(default_factory=dict)

    def add(self, run: Mapping[str, object]) -> None:
        """Take in a run: a model's, a tool's, a retriever's; chains are looked at from inside."""
        kind = run.get("run_type")
        if kind == "llm":
            self._model(run)
        elif kind == "tool":
            self._tool(run)
        elif kind == "retriever":
            documents = _mapping(run.get("outputs")).get("documents")
            self._record(run).artifacts.append((documents, self._origin(run)))

    def finish(self) -> list[ThreadRecord]:
        """Return all that was found; a thread before its parts."""
        for key, count in self._summaries.items():
            record = self._records.get((key, ""))
            what = (
                f"{count} model calls that wrote summaries are kept and not counted as the agent's"
            )
            if record is not None:
                record.problems.append(Problem(self._name(), what, ProblemKind.NOTED))
        for record in [each for each in self._records.values() if not each.calls]:
            self._give_up(record)
        records = self._records.values()
        found = [each for each in records if each.calls or each.results or each.artifacts]
        found.sort(key=lambda record: (record.thread, record.namespace))
        if self._masker.count and found:
            what = f"{self._masker.count} texts of the shape of a credential were masked"
            found[0].problems.append(Problem(self._name(), what, ProblemKind.NOTED))
        return found

    def _give_up(self, record: ThreadRecord) -> None:
        """Give what was obtained where no model was called to the thread around it."""
        thread = self._records.get((record.thread, ""))
        if thread is None:
            record.namespace = ""
        elif thread is not record:
            thread.artifacts += record.artifacts
            thread.results = {**record.results, **thread.results}
            record.artifacts, record.results = [], {}

    def _name(self) -> str:
        return next(iter(self.runs.origins.values()), "").partition(":")[0]

    def _origin(self, run: Mapping[str, object]) -> str:
        return f"{self.runs.origins.get(str(run['id']), '')}#{run['id']}"

    # -- where it belongs -------------------------------------------------------

    def _record(self, run: Mapping[str, object]) -> ThreadRecord:
        key = self._thread(run), self._namespace(run)
        if key not in self._records:
            self._records[key] = ThreadRecord(*key, title="/".join(filter(None, key)))
        return self._records[key]

    def _thread(self, run: Mapping[str, object]) -> str:
        """Return what names the thread: its id in the run or around it, else the trace."""
        trace = str(run.get("trace_id") or run["id"])
        for each in (run, *self.runs.ancestors(run)):
            metadata = _mapping(_mapping(each.get("extra")).get("metadata"))
            for key in _THREAD_KEYS:
                value = metadata.get(key) or (each.get(key) if key == "thread_id" else None)
                if isinstance(value, str | int) and value:
                    return self._threads.setdefault(trace, str(value))
        return self._threads.setdefault(trace, trace)

    def _namespace(self, run: Mapping[str, object]) -> str:
        """Return which part of the thread a run belongs to: a sub-graph, or a tool's own agent."""
        metadata = _mapping(_mapping(run.get("extra")).get("metadata"))
        place = metadata.get("langgraph_checkpoint_ns") or metadata.get("checkpoint_ns")
        if isinstance(place, str):
            return place.rpartition("|")[0]
        tool = next((r for r in self.runs.ancestors(run) if r.get("run_type") == "tool"), None)
        return f"tool:{tool['id']}" if tool is not None else ""

    # -- tools ------------------------------------------------------------------

    def _tool(self, run: Mapping[str, object]) -> None:
        """Keep what a tool returned, whole: the state may only hold what was made of it."""
        record = self._record(run)
        outputs = _mapping(run.get("outputs"))
        output = outputs.get("output", outputs)
        call_id = _mapping(run.get("extra")).get("tool_call_id")
        origin = self._origin(run)
        for plain in plains_in(_messages_in(output)):
            if plain is not None and plain.role == "tool":
                record.results.setdefault(plain.tool_call_id, Said(plain, origin))
        if isinstance(output, str) and isinstance(call_id, str):
            plain = Plain("tool", output, name=_text(run.get("name")), tool_call_id=call_id)
            record.results.setdefault(call_id, Said(plain, origin))

    # -- models -----------------------------------------------------------------

    def _model(self, run: Mapping[str, object]) -> None:
        record = self._record(run)
        metadata = _mapping(_mapping(run.get("extra")).get("metadata"))
        if metadata.get("lc_source") == _SUMMARY:
            origin = self._origin(run)
            record.other.append(OtherEvent("summarization", origin, compact(_kept(run))))
            self._summaries[record.thread] = self._summaries.get(record.thread, 0) + 1
            return
        request, grade, reason = self._request(run)
        answer = _answer(run)
        origin = self._origin(run)
        response = [Said(plain, origin) for plain in answer]
        first = answer[0] if answer else Plain("assistant")
        if first.is_edited:
            grade, reason = Grade.UNKNOWN, EDITED
        made = first.metadata
        record.calls.append(
            ModelCall(
                request=request,
                response=response,
                grade=grade,
                reason=reason,
                origin=origin,
                names=_names(run, answer),
                id=str(run["id"]),
                model=_model_of(run, made),
                usage=_usage(run, first),
                finish_reason=_text(made.get("finish_reason")) or _text(made.get("stop_reason")),
                error=_text(run.get("error")),
                settings=self._settings(run),
                at=_time(run.get("start_time")),
                stages=list(self._stages(run)),
            )
        )

    def _settings(self, run: Mapping[str, object]) -> dict[str, object]:
        params = _mapping(_mapping(run.get("extra")).get("invocation_params"))
        if not params:
            inputs = _mapping(run.get("inputs"))
            params = {k: v for k, v in inputs.items() if k not in (*_REQUESTS, *_SYSTEM)}
        masked = self._masker.value(dict(params))
        return masked if isinstance(masked, dict) else {}

    def _request(self, run: Mapping[str, object]) -> tuple[list[Said], Grade, str]:
        """Return the messages that a model was given, and how far the record proves them."""
        inputs = _mapping(run.get("inputs"))
        origin = self._origin(run)
        found = self._given(inputs, origin)
        said = [each for each in found if each is not None]
        if said and None in found:
            return said, Grade.UNKNOWN, PARTLY
        if said and "messages" not in inputs and _is_rendered(said[0].plain):
            return said, Grade.INFERRED, _RENDERED
        if said:
            return said, Grade.RECORDED, ""
        stored = next((key for key in _STORED if run.get(key)), "")
        if stored:
            what = f"the request is stored elsewhere ({stored}), not in this file"
            return [], Grade.UNKNOWN, what
        if not inputs:
            return [], Grade.UNKNOWN, "the run holds no inputs: they were hidden, or never sent"
        return [], Grade.UNKNOWN, "the inputs of the run are of a form that is not known"

    def _given(self, inputs: Mapping[str, object], origin: str) -> list[Said | None]:
        """Return the messages in the inputs of a model's run; the same one where it comes again."""
        system = [Plain("system", inputs[key]) for key in _SYSTEM if inputs.get(key)]
        found = [_said(plain, origin) for plain in system]
        items = messages_given(inputs.get("messages"))
        if not items:
            return found + [_said(plain, origin) for plain in _asked(inputs)]
        kept = self.runs.alike.kept
        for item in items:
            known = self._said.get(id(item))
            if known is None:
                known = [_said(plain, origin) for plain in plains_in([item])]
                if id(item) in kept:
                    self._said[id(item)] = known
            found += known
        return found

    def _stages(self, run: Mapping[str, object]) -> Iterator[Stage]:
        """Yield the forms of a request before each middleware changed it, the outermost first."""
        around: list[Stage] = []
        for each in self.runs.ancestors(run):
            found = _WRAP.match(_text(each.get("name")))
            if found is None:
                if around or each.get("run_type") != "chain":
                    break
                continue
            request = _mapping(_mapping(each.get("inputs")).get("request"))
            plains = plains_in(request.get("messages"))
            if not plains or None in plains:
                continue
            system = plains_in(request.get("system_message"))
            origin = self._origin(each)
            messages = tuple(Said(p, origin) for p in (*system, *plains) if p is not None)
            around.append(Stage(found[1], messages))
        yield from reversed(around)


def _said(plain: Plain | None, origin: str) -> Said | None:
    return None if plain is None else Said(plain, origin)


def _is_rendered(plain: Plain) -> bool:
    return isinstance(plain.content, str) and _ROLE.match(plain.content) is not None


def _asked(inputs: Mapping[str, object]) -> list[Plain | None]:
    """Return the messages in the inputs of a model's run that are not under ``messages``."""
    for key in _REQUESTS:
        value = inputs.get(key)
        if key == "prompts" and isinstance(value, list) and len(value) == 1:
            value = value[0]
        if value is not None:
            return plains_in(value)
    return []


def _answer(run: Mapping[str, object]) -> list[Plain]:
    """Return what the model wrote, in whichever form its client recorded it."""
    outputs = _mapping(run.get("outputs"))
    generations = outputs.get("generations")
    while isinstance(generations, list) and generations:
        generations = generations[0]
    found: list[Plain | None] = []
    if isinstance(generations, dict):
        found = plains_in(generations.get("message"))
        if not found and isinstance(generations.get("text"), str):
            found = [Plain("assistant", generations["text"])]
    elif isinstance(outputs.get("choices"), list):
        choices = [each for each in _list(outputs["choices"]) if isinstance(each, dict)]
        choice: Mapping[str, object] = choices[0] if choices else {}
        found = plains_in(choice.get("message")) or [Plain("assistant", choice.get("text"))]
    elif isinstance(outputs.get("output"), list):
        found = plains_in(outputs["output"])
    elif outputs.get("role") or outputs.get("message"):
        found = plains_in(outputs.get("message") or dict(outputs))
    elif isinstance(outputs.get("output"), dict | str):
        output = outputs["output"]
        found = [Plain("assistant", output)] if isinstance(output, str) else plains_in(output)
    return [plain for plain in found if plain is not None]


def _names(run: Mapping[str, object], answer: list[Plain]) -> tuple[str, ...]:
    """Return under which names a state may know the answer: LangChain names it after its run."""
    run_id = str(run["id"])
    named = [f"{head}{run_id}-0" for head in ("lc_run--", "run--", "run-")]
    ids = [plain.id for plain in answer if plain.id]
    calls = [call.id for plain in answer for call in plain.calls if call.id]
    return (run_id, *named, *ids, *calls)


def _model_of(run: Mapping[str, object], made: Mapping[str, object]) -> str:
    extra = _mapping(run.get("extra"))
    params, metadata = _mapping(extra.get("invocation_params")), _mapping(extra.get("metadata"))
    outputs, inputs = _mapping(run.get("outputs")), _mapping(run.get("inputs"))
    places = (
        (made, ("model_name", "model")),
        (outputs, ("model",)),
        (params, ("model", "model_name")),
        (metadata, ("ls_model_name",)),
        (inputs, ("model",)),
    )
    return next((t for held, keys in places for key in keys if (t := _text(held.get(key)))), "")


def _usage(run: Mapping[str, object], answer: Plain) -> Usage:
    found = usage_of(answer.usage, answer.metadata)
    if found != Usage():
        return found
    outputs = _mapping(run.get("outputs"))
    standard, native = outputs.get("usage_metadata"), outputs.get("usage")
    metadata = _mapping(_mapping(run.get("extra")).get("metadata"))
    found = usage_of(
        _mapping(standard or metadata.get("usage_metadata")), {"usage": _mapping(native)}
    )
    if found != Usage():
        return found
    whole, written = run.get("prompt_tokens"), run.get("completion_tokens")
    return Usage(whole if _counts(whole) else None, written if _counts(written) else None)  # type: ignore[arg-type]


def _counts(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _messages_in(output: object, level: int = 0) -> object:
    """Return the messages of what a tool returned: one, a list, or those of a command's update."""
    if not isinstance(output, dict):
        return output if isinstance(output, list) else None
    for key in ("update", "kwargs"):
        inner = output.get(key)
        if isinstance(inner, dict) and inner.keys() & {"messages", "update"} and level < _LEVELS:
            return _messages_in(inner, level + 1)
    return output["messages"] if isinstance(output.get("messages"), list) else output


def _kept(run: Mapping[str, object]) -> dict[str, object]:
    return {key: run.get(key) for key in ("id", "name", "start_time", "inputs", "outputs", "error")}


def _time(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
