"""Values in a file of telemetry: one document, lines, objects one behind the other, protobuf.

The extension of a file says nothing: exporters write lines into ``.json`` and
indented objects into ``.jsonl``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from store.importers import _files
from store.importers._base import Probe, UnreadableError
from store.jsonin import JsonError, Loaded, load, loads
from store.records.json_text import Node, parse, plain
from store.records.runs import Problem, ProblemKind

__all__ = ["Document", "documents"]

_BOM: Final = "\ufeff"
_BLANK: Final = re.compile(r"[\s,]*")
_LEVELS: Final = 12


@dataclass(slots=True)
class Document:
    """A value of a file with its place, and what of it could not be read."""

    value: object
    origin: str
    problems: list[Problem] = field(default_factory=list)


def _decoded(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").removeprefix(_BOM)
    return data.decode("utf-8", "surrogateescape").removeprefix(_BOM)


def documents(probe: Probe) -> Iterator[Document]:
    """Yield the values of a file, as far as they can be read.

    Raises `UnreadableError` where it holds none.
    """
    name = probe.path.name
    with _files.open_regular(probe.path) as file:
        data = file.read()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = _decoded(data).encode("utf-8", "surrogatepass")
    try:
        loaded = load(data)
    except JsonError as error:
        reason = str(error)
    else:
        yield _document(loaded, name)
        return
    if _is_lines(data):
        yield from _lines(data, name)
        return
    yield from _behind_one_another(probe, data, reason)


def _document(loaded: Loaded, origin: str) -> Document:
    if not loaded.tolerant:
        return Document(loaded.value, origin)
    what = f"read tolerantly, since strict JSON refuses it ({loaded.tolerant})"
    return Document(loaded.value, origin, [Problem(origin, what, ProblemKind.NOTED)])


def _is_lines(data: bytes) -> bool:
    """Return whether the first line that is not blank is a value of its own."""
    line = next((each for each in _some_lines(data) if each.strip()), b"")
    if line.strip()[:1] not in (b"{", b"["):
        return False
    try:
        loads(line)
    except JsonError:
        return False
    return True


def _some_lines(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        yield data[start:end]
        start = end + 1


def _lines(data: bytes, name: str) -> Iterator[Document]:
    for number, line in enumerate(_some_lines(data), 1):
        if not line.strip():
            continue
        origin = f"{name}:{number}"
        try:
            yield _document(load(line), origin)
        except JsonError as error:
            what = f"this line is not JSON ({error}); the other lines were read"
            yield Document(None, origin, [Problem(origin, what)])


def _behind_one_another(probe: Probe, data: bytes, reason: str) -> Iterator[Document]:
    """Yield values that stand one behind the other, and what is left of one that breaks off."""
    text = data.decode("utf-8", "surrogateescape").removeprefix(_BOM)
    decoder = json.JSONDecoder(strict=False)
    place, number = _skip(text, 0), 0
    while place < len(text):
        number += 1
        origin = f"{probe.path.name}[{number}]" if number > 1 or place else probe.path.name
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            yield _broken(probe, text, place, origin, _said(error, reason))
            return
        yield Document(value, f"{probe.path.name}[{number}]")
        place = _skip(text, end)
    if not number:
        raise UnreadableError(_files.shown(probe.label), f"is not JSON: {reason}")


def _said(error: Exception, reason: str) -> str:
    return "nested too deeply to be read" if isinstance(error, RecursionError) else reason


def _skip(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place


def _broken(probe: Probe, text: str, place: int, origin: str, reason: str) -> Document:
    root = parse(text, place, tolerant=True)
    kept = None if root is None else _kept(root, text, _LEVELS)
    if not kept:
        what = f"is not JSON: {reason}; nothing whole stands before that place"
        if place:
            return Document(None, origin, [Problem(origin, what)])
        raise UnreadableError(_files.shown(probe.label), what)
    what = f"is not JSON: {reason}; what stands whole before that place was read"
    return Document(kept, origin, [Problem(origin, what)])


def _kept(node: Node, text: str, levels: int) -> object:
    """Return the value of *node* without the last thing in it, which breaks off.

    Lists on the way to that place keep their whole members; an object that
    breaks off stays only where a list in it has some.
    """
    if node.complete:
        try:
            return loads(text[node.start : node.end].encode("utf-8", "surrogateescape"))
        except ValueError:  # half a character, or a number that never ends
            return plain(node)
    if not levels or node.kind not in ("array", "object") or not node.children:
        return None
    *whole, last = node.children
    values = [_kept(child, text, levels - 1) for child in whole]
    inner = _kept(last, text, levels - 1)
    if node.kind == "array":
        return [*values, *([inner] if inner is not None else [])] or None
    if inner is None and not any(isinstance(value, list) for value in values):
        return None
    pairs = zip((child.key or "" for child in whole), values, strict=True)
    return {**dict(pairs), **({last.key or "": inner} if inner is not None else {})}
