"""Writes native event logs in which every call repeats the whole history, as most logs do."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["KINDS", "SPELLINGS", "write_trace", "write_unknown"]

KINDS = ("JSON", "JSONL", "text", "binary")
"""Kinds of files that hold no run."""
SPELLINGS = ("compact", "ascii", "python")
_WORDS = ("the", "limit", "of", "each", "source", "is", "上限", "为", "二百", "条", "三十", "秒")


def write_trace(  # noqa: PLR0913 - each is one way in which logs differ
    path: Path,
    calls: int,
    new_chars: int,
    *,
    spelling: str = "compact",
    edits: bool = False,
    refer: bool = False,
) -> int:
    """Write *calls* calls with *new_chars* of new text each, and return the size in bytes.

    With *edits* every tenth call clears an old result, as agents do that run
    out of context; the rest of its request stays as it was.
    """
    chance = random.Random(7)  # noqa: S311 - the same file on every machine
    with path.open("wb") as out:
        for event in _events(chance, calls, new_chars, edits=edits, refer=refer):
            _write(out, event, spelling)
        return out.tell()


def write_unknown(folder: Path, files: int, kind: str) -> int:
    """Write *files* files of a *kind* that nobody knows, 60 kB each; return the bytes of all."""
    chance = random.Random(7)  # noqa: S311 - the same files on every machine
    rows = [
        {"number": n, "name": _text(chance, 30), "price": chance.random(), "tags": ["a", None]}
        for n in range(500)
    ]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    texts = {
        "JSON": f'{{"rows": [{", ".join(lines)}]}}',
        "JSONL": "\n".join(lines),
        "text": "\n".join(str(row["name"]) for row in rows + rows),
    }
    data = texts[kind].encode() if kind in texts else chance.randbytes(60_000)
    folder.mkdir()
    for number in range(files):
        (folder / f"{number:05d}").write_bytes(data)
    return len(data) * files


def _events(
    chance: random.Random, calls: int, new_chars: int, *, edits: bool, refer: bool
) -> Iterator[dict[str, object]]:
    yield {"event": "run_started", "run_id": "synthetic", "model": "none"}
    held: list[dict[str, object]] = [_message("user", {"type": "text", "content": "go"})]
    for index in range(1, calls + 1):
        name = f"call-{index:05d}"
        if edits and index % 10 == 0 and len(held) > 20:
            place = 2 * (index // 10)
            held[place] = _result(f"call-{place // 2:05d}", "[cleared]")
        asked = _message(
            "assistant",
            {"type": "tool_call", "id": name, "name": "read", "arguments": {"page": index}},
        )
        yield {
            "event": "model_call",
            "index": index,
            "request": {"model": "none", "messages": held},
            "response": {"messages": [asked], "finish_reason": "tool_calls"},
            "usage": {"input_tokens": 100 * index, "output_tokens": 10},
        }
        text = _text(chance, new_chars)
        yield {"event": "tool_result", "tool_call_id": name, "status": "ok", "content": text}
        if refer:
            held = [m if "same_as" in m else {"same_as": [index, n]} for n, m in enumerate(held)]
        held += [asked, _result(name, text)]
    yield {"event": "answer", "call": calls, "text": "done", "citations": []}


def _message(role: str, part: dict[str, object]) -> dict[str, object]:
    return {"role": role, "parts": [part]}


def _result(name: str, text: str) -> dict[str, object]:
    return _message("tool", {"type": "tool_call_response", "id": name, "response": text})


def _text(chance: random.Random, chars: int) -> str:
    words: list[str] = []
    size = 0
    while size < chars:
        words.append(chance.choice(_WORDS))
        size += len(words[-1]) + 1
    return " ".join(words)[:chars]


def _write(out: BinaryIO, event: dict[str, object], spelling: str) -> None:
    separators = (", ", ": ") if spelling == "python" else (",", ":")
    text = json.dumps(event, ensure_ascii=spelling != "compact", separators=separators)
    out.write(text.encode() + b"\n")
