"""Hostile telemetry: each product's export with one thing in it that no exporter writes."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from store.importers._base import UnreadableError
from store.records.runs import Run
from tests.unit.span_products import PRODUCTS
from tests.unit.spans import importer_of, lost, otlp, read, span

ASKED = "What is the limit?"
DEEP = "[" * 50_000
NUMBER = "9" * 50_000

CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "a text that nests for ever": lambda data: data.replace(
        ASKED.encode(), json.dumps(DEEP)[1:-1].encode()
    ),
    "data that nests for ever": lambda data: data.replace(
        json.dumps(ASKED).encode(), f"{DEEP}{']' * 50_000}".encode(), 1
    ),
    "a number that never ends": lambda data: data.replace(b"2026-01-02T", NUMBER.encode() + b"T"),
    "a text that is such a number": lambda data: data.replace(b'"5"', f'"{NUMBER}"'.encode()),
    "bytes of another encoding": lambda data: data.replace(b"limit", b"l\xefm\xeft\xff\xfe"),
    "half a character": lambda data: data.replace(b"limit", b"l\\ud83dmit"),
    "a circle of parents": lambda data: data.replace(b'"o1"', b'"o2"').replace(b'"w1"', b'"w2"'),
    "one name for everything": lambda data: data.replace(b"o2", b"o1").replace(b"s3", b"s1"),
    "null characters": lambda data: data.replace(b"limit", b"l\\u0000mit"),
}


def runs_or_reason(path: Path) -> list[Run] | str:
    """Return what is read of *path*, or why nothing is."""
    importer = importer_of(path)
    if importer is None:
        return "not recognised"
    try:
        return read(path, importer.name)
    except UnreadableError as error:
        return error.problem.what


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("name", "write"), PRODUCTS)
def test_a_hostile_export_ends_in_runs_or_in_a_reason(
    tmp_path: Path, name: str, write: Callable[[Path], None], change: str
) -> None:
    path = tmp_path / f"{name}.txt"
    write(path)
    path.write_bytes(CHANGES[change](path.read_bytes()))
    begun = time.process_time()
    found = runs_or_reason(path)
    assert found
    assert time.process_time() - begun < 3


def test_spans_within_one_another_for_ever_cost_what_they_are(tmp_path: Path) -> None:
    chat = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": "[]"}
    spans = [span(n, chat if n % 2 else {}, parent=n - 1) for n in range(1, 6001)]
    begun = time.process_time()
    (run,) = read(otlp(tmp_path / "t.json", *spans))
    assert len(run.calls) == 1
    assert "hold no message of their request" in lost(run)
    assert time.process_time() - begun < 5


def test_many_attributes_cost_what_they_are(tmp_path: Path) -> None:
    start = "llm.input_messages"
    held = {
        f"{start}.{n}.message.{key}": "user" for n in range(20_000) for key in ("role", "content")
    }
    begun = time.process_time()
    (run,) = read(otlp(tmp_path / "t.json", span(1, held)))
    assert len(run.request(1)) == 20_000
    assert time.process_time() - begun < 5
