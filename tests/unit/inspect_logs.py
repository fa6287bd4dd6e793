"""Logs of Inspect made for tests: a sample with events, as one member or in chunks."""

import json
import struct
import sys
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HEADER = {"version": 2, "status": "success", "eval": {"run_id": "r", "task": "t"}, "plan": {}}


def message(role: str, content: object, **more: object) -> dict[str, object]:
    return {"role": role, "content": content, **more}


def call(name: str, tool: str = "bash", **arguments: object) -> dict[str, object]:
    return {"id": name, "function": tool, "arguments": arguments, "type": "function"}


def model(
    given: Sequence[Mapping[str, object]],
    text: str = "",
    calls: Sequence[Mapping[str, object]] = (),
    **more: object,
) -> dict[str, object]:
    said = message("assistant", text, tool_calls=list(calls))
    output = {"model": "m", "choices": [{"message": said, "stop_reason": "stop"}]}
    event = {"event": "model", "model": "m", "input": list(given), "tools": [], "config": {}}
    return {**event, "output": {**output, "usage": {"input_tokens": 5, "output_tokens": 2}}, **more}


def tool(name: str, result: object, **more: object) -> dict[str, object]:
    told = {"event": "tool", "id": name, "function": "bash", "arguments": {"cmd": "ls"}}
    return {**told, "result": result, **more}


def wire(given: Sequence[Mapping[str, object]], text: str) -> dict[str, object]:
    """Return request and response of a chat completion."""
    answer = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    request = {"model": "m", "messages": list(given)}
    return {"request": request, "response": {"id": "x", "choices": [answer]}}


def sample(*events: Mapping[str, object], **more: object) -> dict[str, object]:
    return {"id": "s", "epoch": 1, "input": "", "events": list(events), **more}


def eval_file(path: Path, members: Mapping[str, object], method: int = 8) -> Path:
    """Write an archive of *members*; values that are no bytes are written as JSON."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        if method == zipfile.ZIP_DEFLATED:
            for name, value in {"header.json": HEADER, **members}.items():
                archive.writestr(name, as_bytes(value))
            return path
    path.write_bytes(zstd_archive({"header.json": HEADER, **members}))
    return path


def as_bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def zstd_frames(data: bytes, frames: int = 1) -> bytes:
    """Return *data* as one or several frames behind one another."""
    size = -(-len(data) // frames) or 1
    return b"".join(_zstd().compress(data[at : at + size]) for at in range(0, len(data), size))


def _zstd() -> Any:  # noqa: ANN401 - two modules of one interface
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415
    else:
        from backports import zstd  # noqa: PLC0415
    return zstd


def zstd_archive(members: Mapping[str, object], frames: int = 3) -> bytes:
    """Return a ZIP archive whose members are packed by method 93, each in several frames."""
    body, directory = b"", b""
    for name, value in members.items():
        data, title = as_bytes(value), name.encode()
        packed = zstd_frames(data, frames)
        sizes = struct.pack("<IIIH", zlib.crc32(data), len(packed), len(data), len(title))
        about = struct.pack("<HHHHH", 63, 0x800, 93, 0, 0x21)
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + about + sizes
        directory += struct.pack("<HHHHII", 0, 0, 0, 0, 0, len(body)) + title
        body += b"PK\x03\x04" + about + sizes + struct.pack("<H", 0) + title + packed
    count = len(members)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end
