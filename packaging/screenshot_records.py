"""The small records that pictures are made of, beside the sample of the program."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["counted_in_utf16", "session"]

_SAID = "At most 200 records a batch; the export is stopped first."
"""An answer that cites nothing."""


def session(place: Path, version: str, *, damaged: bool = False, said: str = _SAID) -> Path:
    """Write a small coding session: two files read, and an answer."""
    kind = "-damaged" if damaged else "-citing" if said != _SAID else ""
    path = place / f"session-{version}{kind}.jsonl"
    texts = {
        "limits.md": "Batches are limited to 200 records.\nThe export stops first.\n",
        "plan.md": "1. Stop the export.\n2. Drain the queue.\n3. Restart.\n",
    }
    lines = [_record(0, version, "user", "How large may a batch be during maintenance?")]
    at = 1
    for number, (name, text) in enumerate(texts.items()):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Read"}
        shown = "".join(f"{n:>6}→{line}\n" for n, line in enumerate(text.split("\n")[:-1], 1))
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": shown}
        ask = _record(at, version, "assistant", [{**use, "input": {"file_path": f"/repo/{name}"}}])
        lines += [ask, _record(at + 1, version, "user", [result])]
        at += 2
    lines.append(_record(at, version, "assistant", [{"type": "text", "text": said}]))
    if damaged:
        lines.insert(2, '{"type": "user", "message": {"role"')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _record(number: int, version: str, role: str, content: object) -> str:
    message: dict[str, object] = {"role": role, "content": content}
    if role == "assistant":
        usage = {"input_tokens": 400 + 90 * number, "output_tokens": 20}
        message |= {"id": f"m{number}", "model": "claude-example", "usage": usage}
    return json.dumps(
        {
            "type": role,
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "sessionId": "11111111-2222-3333-4444-555555555555",
            "version": version,
            "cwd": "/repo",
            "isSidechain": False,
            "timestamp": f"2026-01-01T00:00:{number:02}.000Z",
            "message": message,
        }
    )


def counted_in_utf16(place: Path) -> Path:
    """Write a capture with a citation whose place a provider counted in UTF-16."""
    text = "𠮷𠮷 Batches are limited to 200 records. The export stops first."
    cited = "Batches are limited to 200 records."
    start = text.index(cited) + 2
    cited_at = {"type": "char_location", "cited_text": cited, "document_index": 0}
    cited_at |= {"start_char_index": start, "end_char_index": start + len(cited)}
    said = {"type": "text", "text": "At most 200 a batch.", "citations": [cited_at]}
    source = {"type": "text", "media_type": "text/plain", "data": text}
    document = {"type": "document", "title": "limits.md", "source": source}
    document["citations"] = {"enabled": True}
    request = {
        "model": "claude-example",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": [document]}],
    }
    response = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-example",
        "content": [said],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 60, "output_tokens": 8},
    }
    entry = {
        "startedDateTime": "2026-01-01T00:00:00.000Z",
        "request": {
            "method": "POST",
            "url": "https://api.anthropic.com/v1/messages",
            "headers": [],
            "postData": {"mimeType": "application/json", "text": json.dumps(request)},
        },
        "response": {
            "status": 200,
            "headers": [],
            "content": {"mimeType": "application/json", "text": json.dumps(response)},
        },
    }
    path = place / "counted.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": [entry]}}), encoding="utf-8")
    return path
