"""Exchanges that the tests of captures write, and the runs and citations that are read of them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reviewer.audit.engine import audit
from store.opening import open_paths
from store.records.findings import Audit, CitationFacts
from store.records.runs import Part, Problem, Run

Json = Mapping[str, Any]
OPENAI = "https://api.openai.com/v1"
CLAUDE = "https://api.anthropic.com/v1/messages"
GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent"
ASKED: Json = {"model": "m", "messages": [{"role": "user", "content": "Q?"}]}


def exchange(url: str, request: object, response: object, method: str = "POST") -> Json:
    return {
        "request": {"method": method, "url": url, "headers": {}, "body": request},
        "response": {"status": 200, "headers": {}, "body": response},
    }


def events(*data: Json, name: str = "") -> str:
    """Write events of a stream, each named by its key *name* where that is given."""
    text = ""
    for each in data:
        text += f"event: {each[name]}\n" if name else ""
        text += f"data: {json.dumps(each, ensure_ascii=False)}\n\n"
    return text


def opened(tmp_path: Path, *exchanges: Json) -> list[Run]:
    path = tmp_path / "made.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in exchanges), encoding="utf-8")
    found = list(open_paths([str(path)]))
    assert not [item for item in found if isinstance(item, Problem)], found
    return [item for item in found if isinstance(item, Run)]


def audited(run: Run) -> Audit:
    return audit(run, lambda text: len(text) // 4, "characters")


def one(tmp_path: Path, *exchanges: Json) -> tuple[Run, tuple[CitationFacts, ...]]:
    (run,) = opened(tmp_path, *exchanges)
    return run, audited(run).citations


def parts(run: Run, call: int = 1) -> list[Part]:
    """Return the parts of the request of a call, counted from 1."""
    return [part for index in run.request(call) for part in run.messages[index].parts]


def completion(content: object, **more: object) -> Json:
    message = {"role": "assistant", "content": content}
    return {
        "id": "c1",
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 9},
        **more,
    }


def response(text: str, response_id: str = "resp_1", *marks: Json) -> Json:
    """Write a response of OpenAI's Responses."""
    part = {"type": "output_text", "text": text, "annotations": list(marks)}
    message = {
        "type": "message",
        "id": f"msg_{response_id}",
        "role": "assistant",
        "content": [part],
    }
    return {"id": response_id, "object": "response", "status": "completed", "output": [message]}
