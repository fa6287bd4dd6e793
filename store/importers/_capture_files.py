"""Which container a capture is, by its content, and the exchanges in it.

What is damaged gives the exchanges before the damage, and a problem that says
where it is.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, cast

from store.importers._capture_cassettes import (
    interactions_of,
    is_cassette,
    is_toml,
    read_toml,
)
from store.importers._capture_flows import FlowError, flows_in, is_flows
from store.importers._capture_http import Interaction, Message
from store.importers._capture_json import LISTS, is_pair, pair_of, pairs_in
from store.importers._capture_loose import grouped, values_in
from store.importers._capture_yaml import YamlError, read_yaml
from store.importers._heads import beginning
from store.jsonin import JsonError, loads
from store.records.json_text import Node, parse

__all__ = ["Capture", "head_of", "is_capture"]

_GZIP: Final = b"\x1f\x8b"
_LIMIT: Final = 1 << 30
"""A capture that unpacks to more is refused."""

_EVENTS: Final = re.compile(
    rb": OPENROUTER|(?:(?:event|id|retry):[^\n]*\n|:[^\n]*\n|[\r\n]+)*data: ?[{\[]"
)
"""Comments, names and numbers of events, up to the first one with JSON."""

IsResponse = Callable[[object], bool]
"""Tells whether a JSON value is a response, or the first event of one, of a known provider."""


def head_of(data: bytes) -> bytes:
    """Return the first bytes of a file, unpacked if it is packed."""
    if not data.startswith(_GZIP):
        return data
    try:
        return zlib.decompressobj(31).decompress(data, 1 << 16)
    except zlib.error:
        return b""


def is_capture(head: bytes, is_response: IsResponse) -> bool:
    """Return whether a file that begins with *head* (unpacked) is a capture."""
    if is_cassette(head) or is_toml(head) or is_flows(head) or _is_events(head):
        return True
    value, whole = beginning(head)
    begun = not whole
    if isinstance(value, list):
        return any(is_pair(item, begun=begun) or is_response(item) for item in value[:1])
    if _is_known(value) or is_pair(value, begun=begun) or is_response(value):
        return True
    held = (value.get(key) for key in LISTS) if isinstance(value, dict) else ()
    return any(isinstance(each, list) and each and is_pair(each[0], begun=begun) for each in held)


def _is_known(value: object) -> bool:
    """Return whether it is a HAR, a notebook or a cassette, as far as its head shows."""
    if not isinstance(value, dict):
        return False
    log = value.get("log")
    if isinstance(log, dict) and ({"entries", "creator", "_recordingName"} & log.keys()):
        return True
    if isinstance(value.get("cells"), list) and _is_notebook(value):
        return True
    listed = value.get("interactions", value.get("http_interactions"))
    return isinstance(listed, list) and bool(listed) and is_pair(listed[0])


def _is_notebook(value: dict[str, object]) -> bool:
    cells = cast("list[object]", value["cells"])
    return all(isinstance(cell, dict) and "cell_type" in cell for cell in cells[:1])


def _is_events(head: bytes) -> bool:
    """Return whether it begins as server-sent events of a model do."""
    return bool(_EVENTS.match(head.lstrip(b"\xef\xbb\xbf\r\n ")))


@dataclass(slots=True)
class Capture:
    """Reads one file; ``problems`` are places in it, and what was not read there."""

    data: bytes
    is_response: IsResponse
    problems: list[tuple[str, str]] = field(default_factory=list)

    def interactions(self) -> Iterator[Interaction]:
        """Yield the exchanges in order, numbered from 0."""
        data = self._unpacked()
        if is_flows(data):
            yield from self._flows(data)
        elif is_cassette(data[: 1 << 16]):
            yield from self._cassette(data)
        elif is_toml(data[: 1 << 16]):
            yield from self._toml(data)
        elif _is_events(data[: 1 << 16]):
            yield Interaction(0, response=Message({"content-type": "text/event-stream"}, data))
        else:
            yield from self._json(data)

    def _unpacked(self) -> bytes:
        if not self.data.startswith(_GZIP):
            return self.data
        tool = zlib.decompressobj(31)
        try:
            found = tool.decompress(self.data, _LIMIT)
        except zlib.error as error:
            self._lost("", f"the packed data is damaged ({error}); nothing of it was read")
            return b""
        if tool.unconsumed_tail:
            self._lost("", f"unpacks to more than {_LIMIT} bytes; the rest was not read")
        elif not tool.eof:
            self._lost("", "the packed data ends too early; what stands before that was read")
        return found

    def _lost(self, place: str, what: str) -> None:
        self.problems.append((place, what))

    def _flows(self, data: bytes) -> Iterator[Interaction]:
        count = 0
        try:
            for found in flows_in(data):
                count += 1
                yield found
        except FlowError as error:
            self._lost("", f"{error}; the {count} exchanges before that place were read")

    def _cassette(self, data: bytes) -> Iterator[Interaction]:
        try:
            found = read_yaml(data)
        except YamlError as error:
            self._lost("", f"is no YAML that can be read: {error}")
            return
        listed = list(interactions_of(found.value) or ())
        if found.broken:
            what = f"breaks off: {found.broken}; the {len(listed)} exchanges before that were read"
            self._lost("", what)
        yield from listed

    def _toml(self, data: bytes) -> Iterator[Interaction]:
        try:
            value = read_toml(data)
        except (ValueError, RecursionError) as error:
            self._lost("", f"is no TOML that can be read: {error}; nothing of it was read")
            return
        yield from interactions_of(value) or ()

    def _json(self, data: bytes) -> Iterator[Interaction]:
        try:
            value = loads(data)
        except JsonError as error:
            yield from self._lines(data, error)
            return
        found = pairs_in(value)
        if found is not None:
            yield from found
        elif isinstance(value, dict) and "cells" in value:
            yield from self._notebook(value)
        else:
            values = value if isinstance(value, list) else [value]
            if values and self.is_response(values[0]):
                yield from self._loose(values)

    def _loose(self, values: list[object]) -> Iterator[Interaction]:
        """Yield responses that stand without a request."""
        for number, found in enumerate(grouped(values)):
            yield Interaction(number, response=Message(value=found))

    # -- JSON Lines, and JSON that breaks off ---------------------------------------

    def _lines(self, data: bytes, error: JsonError) -> Iterator[Interaction]:
        text = data.decode(errors="surrogateescape").removeprefix("\ufeff")
        first = parse(text, tolerant=True)
        if first is None or not first.complete or "\n" in text[first.start : first.end]:
            yield from self._broken(text, first, error)
            return
        number = 0
        loose: list[object] = []
        for line_number, line in enumerate(data.split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                value = loads(line)
            except JsonError as wrong:
                self._lost(f":{line_number}", f"this line is no JSON ({wrong}); others were read")
                number += not loose
                continue
            if is_pair(value):
                yield pair_of(value, number)
                number += 1
            elif loose or self.is_response(value):
                loose.append(value)
            else:
                self._lost(f":{line_number}", "this line holds no request with its response")
                number += 1
        for found in self._loose(loose):
            yield replace(found, number=number + found.number)

    def _broken(self, text: str, root: Node | None, error: JsonError) -> Iterator[Interaction]:
        """Yield what is whole in a HAR, a cassette or a list that breaks off."""
        log = root.get("log") if root is not None else None
        listed = None if root is None else root.get("interactions") or root.get("http_interactions")
        wrapped = None if root is None else next(filter(None, map(root.get, LISTS)), None)
        items = log.get("entries") if log is not None else listed or wrapped or root
        children = items.children if items is not None and items.kind == "array" else []
        values = [value for child in children if child.complete for value in _value(text, child)]
        if not values and root is not None and root.kind == "object":
            values = _members(text, root)
        what = f"is no JSON: {error}; the {len(values)} exchanges before that place were read"
        self._lost("", what)
        whole: object = {"interactions": values} if listed is not None else values
        found = pairs_in(whole) if values else None
        yield from found if found is not None else self._loose(values)

    # -- notebooks --------------------------------------------------------------------

    def _notebook(self, value: dict[str, object]) -> Iterator[Interaction]:
        number = 0
        for cell in cast("list[object]", value["cells"]):
            outputs = cell.get("outputs") if isinstance(cell, dict) else None
            for output in outputs if isinstance(outputs, list) else ():
                for found in self._shown(output, number):
                    yield found
                    number += 1
        if not number:
            self._lost("", "no cell of this notebook shows a response of a model")

    def _shown(self, output: object, number: int) -> Iterator[Interaction]:
        """Yield what one output of a cell shows."""
        for held in _json_of(output):
            pairs = list(pairs_in(held) or ())
            if not pairs:
                values = held if isinstance(held, list) else [held]
                pairs = list(self._loose(values)) if values and self.is_response(values[0]) else []
            for each in pairs:
                yield replace(each, number=number)
                number += 1


def _members(text: str, root: Node) -> list[object]:
    """Return an object with those of its members that are whole, where its request is."""
    found = {
        child.key or "": value
        for child in root.children
        if child.complete
        for value in _value(text, child)
    }
    return [{"response": None, **found}] if "request" in found else []


def _value(text: str, node: Node) -> list[object]:
    """Return the value of *node*; nothing where only a tolerant parser takes it."""
    try:
        return [loads(text[node.start : node.end].encode("utf-8", "surrogateescape"))]
    except JsonError:
        return []


def _json_of(output: object) -> Iterator[object]:
    """Yield the values that an output of a notebook's cell shows."""
    if not isinstance(output, dict):
        return
    data = output.get("data")
    data = data if isinstance(data, dict) else {}
    if isinstance(data.get("application/json"), (dict, list)):
        yield data["application/json"]
        return
    text = output.get("text", data.get("text/plain"))
    joined = "".join(map(str, text)) if isinstance(text, list) else text
    if isinstance(joined, str):
        yield from values_in(joined)
