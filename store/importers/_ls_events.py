"""Events of LangChain's callbacks as runs: what people log who write down what happens.

``astream_events`` gives objects with ``event``, ``run_id`` and ``data``; a
handler of one's own writes the arguments it was called with.  The start of a
model holds its request, the end its answer.
Format facts: ``langchain_core.callbacks`` and ``tracers.event_stream`` 0.2 to 1.8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["is_event", "run_of_event"]

_EVENT: Final = re.compile(r"on_(chat_model|llm|tool|retriever|chain)_(start|end|error|stream)")
_KINDS: Final = {"chat_model": "llm"}
_QUOTED: Final = re.compile(r"\A(?:UUID\()?'([^']*)'\)?\Z")
"""How a handler that writes ``repr`` of what it got writes an id."""


def is_event(value: object) -> bool:
    """Return whether a JSON object is an event of a callback."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("event"), str)
        and _EVENT.fullmatch(value["event"]) is not None
        and isinstance(value.get("run_id"), str)
    )


def run_of_event(value: Mapping[str, object], origin: str) -> dict[str, object]:
    """Return what an event tells of its run; empty for one that only tells of a piece."""
    found = _EVENT.fullmatch(str(value.get("event")))
    if found is None or found[2] == "stream":
        return {}
    kind, phase = _KINDS.get(found[1], found[1]), found[2]
    data, kwargs = _mapping(value.get("data")), _mapping(value.get("kwargs"))
    parents = value.get("parent_ids")
    above = [str(each) for each in parents] if isinstance(parents, list) else []
    parent = _id(value.get("parent_run_id") or kwargs.get("parent_run_id"))
    metadata = _mapping(value.get("metadata") or kwargs.get("metadata"))
    made: dict[str, object] = {
        "id": value["run_id"],
        "run_type": kind,
        "name": value.get("name"),
        "parent_run_id": parent or (above[-1] if above else None),
        "parent_run_ids": above or None,
        "trace_id": above[0] if above else f"events:{origin.partition(':')[0]}",
        "extra": {"metadata": metadata} if metadata else None,
    }
    if phase == "start":
        made["inputs"] = _given(kind, value, data)
        call_id = _id(value.get("tool_call_id") or kwargs.get("tool_call_id"))
        if call_id:
            made["extra"] = {"metadata": metadata, "tool_call_id": call_id}
    elif phase == "end":
        made["outputs"] = _made(kind, value, data)
    else:
        made["error"] = str(value.get("error") or data.get("error") or "failed")
    return {key: each for key, each in made.items() if each is not None}


def _given(kind: str, value: Mapping[str, object], data: Mapping[str, object]) -> object:
    given = data.get("input")
    if kind == "llm":
        inner = _mapping(given)
        for key in ("messages", "prompts"):
            found = value.get(key) or inner.get(key)
            if found:
                return {key: found}
        return {"messages": given} if isinstance(given, list) else None
    return given or value.get("inputs")


def _made(kind: str, value: Mapping[str, object], data: Mapping[str, object]) -> object:
    output = next((data[k] for k in ("output", "response") if data.get(k)), None)
    output = output or value.get("response") or value.get("output")
    if kind == "retriever":
        inner = output.get("documents") if isinstance(output, dict) else output
        return {"documents": inner or value.get("documents")}
    if kind == "llm":
        held = isinstance(output, dict) and output.keys() & {"generations", "choices"}
        return output if held else {"message": output}
    return {"output": output}


def _id(value: object) -> str:
    if not isinstance(value, str) or value == "None":
        return ""
    quoted = _QUOTED.match(value)
    return quoted[1] if quoted else value


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
