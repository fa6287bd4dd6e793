"""One small sample of every format, for tests that speak of all importers.

An importer names its sample here, by its name: a function that writes it into
a folder and returns its path.  An importer without one is tested with the
smallest recorded file that it recognises, and fails where there is none.
"""

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from reviewer.services.sample import write_sample
from store.entries import Entry
from store.opening import list_paths
from tests.conformance.check_data import shared_folder
from tests.unit import span_products
from tests.unit.claude_sessions import Session

__all__ = ["SAMPLES", "sample"]

Write = Callable[[Path], Path]


def sample(name: str, folder: Path) -> Path | None:
    """Write the sample of the importer *name* into *folder*; ``None`` where none is known."""
    write = SAMPLES.get(name)
    if write is not None:
        try:
            return write(folder)
        except FileNotFoundError:  # what was recorded is not at hand here
            return None
    found = _recorded().get(name)
    return None if found is None else _copied(found, folder)


@cache
def _recorded() -> dict[str, Path]:
    """Return the smallest recorded file of each format."""
    shared = shared_folder()
    best: dict[str, tuple[int, Path]] = {}
    for each in list_paths([str(shared / "data")]) if shared.is_dir() else ():
        if isinstance(each, Entry):
            path = Path(each.place.partition("#")[0])
            size = path.stat().st_size if path.is_file() else 1 << 30
            if path.exists() and size < best.get(each.format, (1 << 40, path))[0]:
                best[each.format] = (size, path)
    return {name: path for name, (_, path) in best.items()}


def _copied(path: Path, folder: Path) -> Path:
    made = folder / path.name
    if path.is_dir():
        shutil.copytree(path, made, copy_function=shutil.copyfile)
    else:
        shutil.copyfile(path, made)
    return made


def _real(place: str) -> Write:
    """Return what copies a recorded file, where it is there."""

    def write(folder: Path) -> Path:
        return _copied(shared_folder() / "data" / place, folder)

    return write


def _json(name: str, value: object) -> Write:
    def write(folder: Path) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
        return path.parent if "/" in name else path

    return write


def _lines(name: str, values: list[object]) -> Write:
    def write(folder: Path) -> Path:
        path = folder / name
        path.write_text("".join(f"{json.dumps(each)}\n" for each in values), encoding="utf-8")
        return path

    return write


def _product(name: str, made: Callable[[Path], None]) -> Write:
    def write(folder: Path) -> Path:
        made(folder / name)
        return folder / name

    return write


def _session(folder: Path) -> Path:
    made = Session()
    made.user("What is the limit?", "u1")
    made.model([{"type": "text", "text": "It is 200."}], "a1", "m1")
    path = folder / "session.jsonl"
    path.write_text("\n".join(made.lines) + "\n", encoding="utf-8")
    return path


def _langchain_folder(folder: Path) -> Path:
    """Return a folder with one run in two formats."""
    place = folder / "both"
    place.mkdir()
    for name in ("langsmith_runs_content.jsonl", "model_calls_plain_content.jsonl"):
        _real(f"langchain/06_rag/{name}")(place)
    return place


def _run_folder(folder: Path) -> Path:
    return write_sample(folder)[0]


_TALK: list[object] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is the limit?"},
    {"role": "assistant", "content": "It is 200."},
]
_HEAD = {"model": "m-1", "max_tokens": 9, "messages": [{"role": "user", "content": "Limit?"}]}
_SAID = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m-1",
    "content": [{"type": "text", "text": "It is 200."}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 9, "output_tokens": 3},
}
_CAPTURE = [
    {
        "request": {
            "method": "POST",
            "url": "https://api.anthropic.com/v1/messages",
            "body": _HEAD,
        },
        "response": {"status": 200, "body": _SAID},
    }
]
_GEMINI = {
    "sessionId": "s-1",
    "projectHash": "p",
    "startTime": "t",
    "lastUpdated": "t",
    "messages": [
        {"id": "u1", "timestamp": "t", "type": "user", "content": [{"text": "Limit?"}]},
        {"id": "g1", "timestamp": "t", "type": "gemini", "content": "It is 200.", "model": "g"},
    ],
}
_CLINE = [
    {"role": "user", "content": [{"type": "text", "text": "<task>\nthe limit?\n</task>"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "It is 200."}]},
]
_AUTOGEN = {
    "type": "LLMCall",
    "agent_id": "a/1",
    "messages": _TALK[:2],
    "response": {"id": "r", "choices": [{"message": _TALK[2]}], "usage": {}},
    "prompt_tokens": 7,
    "completion_tokens": 2,
}
_HAYSTACK = {
    "data": "It is 200.",
    "query": "What is the limit?",
    "documents": [{"id": "d1", "content": "The limit is 200.", "meta": {}, "score": 0.5}],
    "meta": {},
}

_STREAM: list[object] = [
    {"type": "thread.started", "thread_id": "t-1"},
    {"type": "turn.started"},
    {
        "type": "item.completed",
        "item": {
            "id": "item_0",
            "type": "command_execution",
            "command": "cat notes.md",
            "aggregated_output": "The limit is 200.",
            "exit_code": 0,
            "status": "completed",
        },
    },
    {
        "type": "item.completed",
        "item": {"id": "item_1", "type": "agent_message", "text": "It is 200."},
    },
    {"type": "turn.completed", "usage": {"input_tokens": 24, "output_tokens": 12}},
]

SAMPLES: dict[str, Write] = {
    "autogen": _json("events.jsonl", _AUTOGEN),
    "braintrust": _product("braintrust.json", span_products.braintrust),
    "capture": _json("capture.json", _CAPTURE),
    "claude-code": _session,
    "codex-stream": _lines("stream.jsonl", _STREAM),
    "cline": _json("1700000000000/api_conversation_history.json", _CLINE),
    "gemini-cli": _json("session.json", _GEMINI),
    "haystack": _json("answer.json", _HAYSTACK),
    "langchain-folder": _langchain_folder,
    "langchain-calls": _real("langchain/06_rag/model_calls_plain_content.jsonl"),
    "langsmith": _real("langchain/06_rag/langsmith_runs_content.jsonl"),
    "logfire": _product("logfire.json", span_products.logfire),
    "message-dump": _json("talk.json", _TALK),
    "mlflow": _product("mlflow.json", span_products.mlflow),
    "otlp": _real("generated/otlp_valuelimit4096.jsonl"),
    "phoenix": _product("phoenix.json", span_products.phoenix),
    "reread.run": _run_folder,
    "tau-bench": _json(
        "tau.json", [{"task_id": 3, "reward": 1.0, "info": {}, "traj": _TALK, "trial": 0}]
    ),
    "weave": _product("weave.jsonl", span_products.weave),
}
