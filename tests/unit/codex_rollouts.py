"""Rollouts of Codex as the tests write them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from store.importers._base import Probe
from store.importers._probing import file_probe
from store.importers.codex import IMPORTER
from store.records.runs import Run

__all__ = ["asked", "counted", "item", "line", "meta", "output", "probe", "run_of", "said", "turn"]


def line(kind: str, **payload: object) -> dict[str, object]:
    return {"timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload}


def meta(version: str = "0.130.0", **more: object) -> dict[str, object]:
    return line("session_meta", id="thread-1", cwd="/repo", cli_version=version, **more)


def turn(limit: int = 0, mode: str = "bytes") -> dict[str, object]:
    policy = {"truncation_policy": {"mode": mode, "limit": limit}} if limit else {}
    return line("turn_context", cwd="/repo", model="gpt-5.4", **policy)


def item(kind: str, **payload: object) -> dict[str, object]:
    return line("response_item", type=kind, **payload)


def said(role: str, text: str) -> dict[str, object]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text}])


def asked(call_id: str, command: str = "ls", name: str = "shell_command") -> dict[str, object]:
    arguments = json.dumps({"command": command})
    return item("function_call", name=name, arguments=arguments, call_id=call_id)


def output(call_id: str, text: object) -> dict[str, object]:
    return item("function_call_output", call_id=call_id, output=text)


def counted(total: int, tokens: int = 10) -> dict[str, object]:
    info = {
        "total_token_usage": {"input_tokens": total},
        "last_token_usage": {"input_tokens": tokens, "output_tokens": 2},
    }
    return line("event_msg", type="token_count", info=info)


def probe(path: Path) -> Probe:
    return file_probe(path, path.name)


def run_of(folder: Path, lines: Iterable[Mapping[str, object]]) -> Run:
    path = folder / "rollout.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
    assert IMPORTER.recognise(probe(path))
    (run,) = [found for found in IMPORTER.read(probe(path)) if isinstance(found, Run)]
    return run
