"""Runs of LangSmith out of whatever holds them, each put together from the parts it came in.

JSON of a run, of many (also nested in one another, or under ``runs``), JSON
Lines; what the client sends (``/runs/batch`` with ``post`` and ``patch``,
``/runs/multipart`` with one part for each field, as it is or in zstd); the
files in which a client keeps what it could not send; bulk exports in Parquet.
Format facts: ``langsmith`` 0.1 to 0.15 (client, schemas, ``_internal``), and
the documentation of its bulk export.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from store.importers import _files
from store.importers._capture_coding import undone
from store.importers._heads import beginning
from store.importers._lc_alike import Alike
from store.importers._ls_events import is_event, run_of_event
from store.importers._parquet import MAGIC, ParquetError, names_in_footer, rows_of
from store.jsonin import JsonError, loads
from store.records.json_text import parse
from store.records.runs import Problem, ProblemKind

__all__ = ["KINDS", "Runs", "is_run", "looks_like_runs"]

KINDS: Final = frozenset({"llm", "chain", "tool", "retriever", "embedding", "prompt", "parser"})
_MARKS: Final = frozenset({"dotted_order", "trace_id", "inputs", "outputs", "start_time"})
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_PART: Final = re.compile(rb"--([^\r\n]{1,200})\r?\n")
_NAME: Final = re.compile(rb'name="([^"\r\n]{1,300})"', re.IGNORECASE)
_FIELD: Final = re.compile(
    r"(post|patch)\.([0-9A-Za-z-]{8,80})(?:\.(inputs|outputs|events|extra|error|serialized))?"
)
_AS_TEXT: Final = ("inputs", "outputs", "extra", "events", "feedback_stats")
_HEAD: Final = 64 * 1024
_LEVELS: Final = 60
_ORDER: Final = "\0met"
"""Under this key a run keeps how many were met before it: not all of them have a time."""
_WORDS: Final = (b'"run_type"', b'"dotted_order"', b'"body_base64"', b'"run_id"')
"""Without one of these no head begins runs; a large one need not be parsed to know it."""


def is_run(value: object) -> bool:
    """Return whether a JSON object is a run: it names its kind, and has what runs have."""
    return (
        isinstance(value, dict)
        and value.get("run_type") in KINDS
        and len(_MARKS & value.keys()) > 1
        and "id" in value
    )


def looks_like_runs(path: Path, head: bytes) -> bool:
    """Return whether the head of a file begins runs, or what was to be sent of them."""
    if head.startswith(_ZSTD):
        head = (undone("", head).body or b"")[:_HEAD]
    if head.startswith(MAGIC):
        return names_in_footer(path, (b"run_type", b"dotted_order"))
    if head.startswith(b"--"):
        return re.search(rb'name="(?:post|patch)\.[0-9A-Za-z-]{8,80}["\.]', head[:4096]) is not None
    if head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] not in (b"{", b"["):
        return False
    if not any(word in head for word in _WORDS):
        return False
    return _begins_runs(beginning(head)[0])


def _begins_runs(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and _may_be_run(value[0])
    if not isinstance(value, dict):
        return False
    if _is_failed(value) or _may_be_run(value):
        return True
    for key in ("post", "patch", "runs"):
        inner = value.get(key)
        if isinstance(inner, list) and inner and _may_be_run(inner[0]):
            return True
    return False


def _may_be_run(value: object) -> bool:
    """Return whether it is a run, or the beginning of one: a head may end anywhere in it."""
    if not isinstance(value, dict):
        return False
    if is_event(value):
        return True
    return is_run(value) or ("dotted_order" in value and "trace_id" in value)


def _is_failed(value: Mapping[str, object]) -> bool:
    endpoint = value.get("endpoint")
    return isinstance(endpoint, str) and "runs" in endpoint and "body_base64" in value


@dataclass(slots=True)
class Runs:
    """Runs of one or many files by id, each with what any of them holds of it."""

    runs: dict[str, dict[str, object]] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    """By run, the file that holds its inputs, or else the first that names it."""
    problems: list[Problem] = field(default_factory=list)
    alike: Alike = field(default_factory=Alike)
    _found: int = 0

    def add_file(self, path: Path, name: str) -> bool:
        """Take in a file; return whether anything of it is a run.  Raises `OSError`."""
        with _files.open_regular(path) as file:
            data = file.read(len(MAGIC))
            if data == MAGIC:
                return self._add_parquet(path, name)
            data += file.read()
        return self.add_bytes(data, name)

    def add_bytes(self, data: bytes, name: str, coding: str = "") -> bool:
        """Take in the bytes of a file or of a body."""
        before = self._found
        body = undone(coding, data)
        if body.trouble:
            self.problems.append(Problem(name, body.trouble))
        data = body.body or b""
        if data.startswith(b"--"):
            self._add_parts(data, name)
        else:
            self._add_json(data, name)
        return self._found > before

    # -- JSON -------------------------------------------------------------------

    def _add_json(self, data: bytes, name: str) -> None:
        try:
            self._add_value(loads(data), name)
        except JsonError as error:
            first = data.partition(b"\n")[0]
            try:
                loads(first)
            except JsonError:
                self._add_broken(data, name, error)
            else:
                self._add_lines(data, name)

    def _add_lines(self, data: bytes, name: str) -> None:
        for number, line in enumerate(data.split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                self._add_value(loads(line), f"{name}:{number}")
            except JsonError as error:
                what = f"this line is not JSON ({error}); the other lines were read"
                self.problems.append(Problem(f"{name}:{number}", what))

    def _add_broken(self, data: bytes, name: str, error: JsonError) -> None:
        """Take in the runs that stand before the place where JSON breaks off."""
        text = data.decode(errors="surrogateescape").removeprefix("\ufeff")
        root = parse(text, tolerant=True)
        nodes = [] if root is None else [root, *root.children]
        nodes += [child for node in nodes[1:] for child in node.children]
        whole = [node for node in nodes if node.kind == "object" and node.complete]
        before = self._found
        for node in whole:
            with suppress(JsonError):  # what the tolerant parser took for whole may not be
                value = loads(text[node.start : node.end].encode("utf-8", "surrogateescape"))
                if is_run(value):
                    self._add_value(value, name)
        count = self._found - before
        what = f"is not JSON: {error}; {count} runs before that place were read"
        self.problems.append(Problem(name, what))

    def _add_value(self, value: object, origin: str, level: int = 0) -> None:
        if level > _LEVELS:
            self.problems.append(Problem(origin, "runs are nested too deeply; the rest was left"))
        elif isinstance(value, list):
            for item in value:
                self._add_value(item, origin, level + 1)
        elif isinstance(value, dict):
            self._add_object(value, origin, level)

    def _add_object(self, value: dict[str, object], origin: str, level: int) -> None:
        if _is_failed(value):
            self._add_failed(value, origin)
        elif is_event(value):
            fields = run_of_event(value, origin)
            if fields:
                self._merge(str(fields["id"]), fields, origin)
        elif _id_of(value) and not _holds_runs(value):
            children = value.get("child_runs")
            self._merge(_id_of(value), value, origin)
            if isinstance(children, list):
                self._add_value(children, origin, level + 1)
        else:
            for key in ("post", "patch", "runs"):
                if isinstance(value.get(key), list):
                    self._add_value(value[key], origin, level + 1)

    def _add_failed(self, value: Mapping[str, object], origin: str) -> None:
        """Take in what a client could not send and kept."""
        headers = value.get("headers")
        named = {
            str(k).lower(): v for k, v in (headers if isinstance(headers, dict) else {}).items()
        }
        try:
            body = base64.b64decode(str(value.get("body_base64", "")), validate=True)
        except (binascii.Error, ValueError):
            self.problems.append(Problem(origin, "its body is no base64; it was not read"))
            return
        self.add_bytes(body, origin, str(named.get("content-encoding", "")))

    # -- parts ------------------------------------------------------------------

    def _add_parts(self, data: bytes, name: str) -> None:
        first = _PART.match(data)
        if first is None:
            self.problems.append(Problem(name, "the parts of this body cannot be told apart"))
            return
        border = b"--" + first[1]
        pieces = data.split(border)[1:]
        if not data.rstrip().endswith(border + b"--"):
            what = "the body ends before its last part; what stands before that was read"
            self.problems.append(Problem(name, what))
        attachments = 0
        for piece in pieces:
            head, _, body = piece.lstrip(b"\r\n").partition(b"\r\n\r\n")
            found = _NAME.search(head)
            part = found[1].decode(errors="replace") if found else ""
            attachments += part.startswith("attachment.")
            named = _FIELD.fullmatch(part)
            if named is not None:
                self._add_part(named, body.removesuffix(b"\r\n"), f"{name}#{part}")
        if attachments:
            what = f"{attachments} attachments of runs were not read"
            self.problems.append(Problem(name, what, ProblemKind.NOTED))

    def _add_part(self, named: re.Match[str], body: bytes, origin: str) -> None:
        try:
            value = loads(body)
        except JsonError as error:
            self.problems.append(Problem(origin, f"this part is not JSON ({error}); it was left"))
            return
        run_id, inner = named[2], named[3]
        fields = value if inner is None and isinstance(value, dict) else {inner or "": value}
        self._merge(run_id, dict(fields), origin.partition("#")[0])

    # -- tables -----------------------------------------------------------------

    def _add_parquet(self, path: Path, name: str) -> bool:
        before = self._found
        try:
            for number, row in enumerate(rows_of(path)):
                self._add_row(row, f"{name}:{number}")
        except ParquetError as error:
            count = self._found - before
            what = f"is no Parquet that can be read ({error}); {count} runs before that were read"
            self.problems.append(Problem(name, what))
        return self._found > before

    def _add_row(self, row: dict[str, object], origin: str) -> None:
        for key in _AS_TEXT:
            value = row.get(key)
            if isinstance(value, str):
                row[key] = self._parsed(value, origin) if value else None
        for key, value in row.items():
            if isinstance(value, datetime):
                row[key] = value.isoformat()
        if isinstance(row.get("id"), str):
            self._merge(str(row["id"]), row, origin)

    def _parsed(self, text: str, origin: str) -> object:
        try:
            return loads(text.encode("utf-8", "surrogatepass"))
        except JsonError:
            self.problems.append(Problem(origin, "a field that should be JSON is not; it was left"))
            return None

    # -- together ---------------------------------------------------------------

    def _merge(self, run_id: str, fields: Mapping[str, object], origin: str) -> None:
        """Put together what is known of a run: what came later wins where it says anything."""
        self._found += 1
        known = self.runs.setdefault(run_id, {"id": run_id, _ORDER: len(self.runs)})
        for key, value in fields.items():
            held = known.get(key)
            empty = value is None or (value in ({}, [], "") and held is not None)
            if not empty and not (key == "inputs" and _says_more(held, value)):
                known[key] = self._shared(value) if key == "inputs" else value
        if fields.get("inputs") or run_id not in self.origins:
            self.origins[run_id] = origin

    def _shared(self, inputs: object) -> object:
        """Return inputs whose messages are the objects that were met before."""
        if not isinstance(inputs, dict) or not isinstance(inputs.get("messages"), list):
            return inputs
        return {**inputs, "messages": self.alike.shared(inputs["messages"])}

    def ordered(self) -> list[dict[str, object]]:
        """Return the runs in the order in which they began."""
        return sorted(self.runs.values(), key=_when)

    def ancestors(self, run: Mapping[str, object]) -> Iterator[dict[str, object]]:
        """Yield the runs around *run* that are known, the nearest first."""
        met = {run.get("id")}
        waiting = _above(run)
        for name in waiting:
            found = self.runs.get(name)
            if found is not None and name not in met:
                met.add(name)
                yield found


def _says_more(held: object, value: object) -> bool:
    """Return whether inputs that are known hold messages, and others only a text made of them."""
    return isinstance(held, dict) and "messages" in held and "messages" not in _mapping(value)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _above(run: Mapping[str, object]) -> Iterable[str]:
    """Return the ids of the runs around one, the nearest first: ``dotted_order`` names them all."""
    order = run.get("dotted_order")
    if isinstance(order, str) and "." in order:
        return [part.partition("Z")[2] for part in order.split(".")[-2::-1]]
    ids = run.get("parent_run_ids")
    if isinstance(ids, list) and ids:
        return [str(each) for each in reversed(ids)]
    parent = run.get("parent_run_id")
    return [parent] if isinstance(parent, str) else []


def _id_of(value: Mapping[str, object]) -> str:
    """Return the id of a run: where a change leaves it out, its ``dotted_order`` ends with it."""
    name, order = value.get("id"), value.get("dotted_order")
    if isinstance(name, str):
        return name
    return order.rpartition(".")[2].partition("Z")[2] if isinstance(order, str) else ""


def _holds_runs(value: Mapping[str, object]) -> bool:
    return any(isinstance(value.get(key), list) for key in ("post", "patch", "runs"))


def _when(run: Mapping[str, object]) -> tuple[str, str, int]:
    order, start = run.get("dotted_order"), run.get("start_time")
    began = re.sub(r"[^0-9]", "", str(start or ""))
    named = order if isinstance(order, str) else "~" if began else ""
    met = run.get(_ORDER)
    return named, began, met if isinstance(met, int) else 0
