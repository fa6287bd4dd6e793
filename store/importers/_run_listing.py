"""What a run folder calls itself, told by its manifest or the first line of its log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from store import jsonin
from store.importers import _files
from store.importers._base import HEAD_BYTES, HandOver, Listed, Probe
from store.records.runs import Run

__all__ = ["listed"]

_LINE: Final = 4096
"""Bytes in which the event that starts a run stands."""


def listed(probe: Probe, read: Callable[[Probe], Iterator[Run | HandOver]]) -> Iterator[Listed]:
    """Yield the one run of a folder or log; what it does not say of itself stays empty."""
    folder = probe.path if probe.is_folder else probe.path.parent
    manifest = _object(folder / "manifest.json") if probe.is_folder else {}
    trace = folder / "events.jsonl" if probe.is_folder else probe.path
    run_id = _text(manifest, "run_id") or _started(trace)
    traces = manifest.get("traces")
    foreign = isinstance(traces, list) and any(
        isinstance(each, dict) and each.get("format", _EVENTS) != _EVENTS for each in traces
    )
    yield Listed(
        run_id,
        "",
        partial(read, probe),
        _text(manifest, "title"),
        _size(trace),
        more=foreign or not run_id,
    )


_EVENTS: Final = "reread.events/1"


def _started(path: Path) -> str:
    """Return the id in the event that starts a run, where it is the first."""
    line = _head(path, _LINE).partition(b"\n")[0]
    return _text(_parsed(line), "run_id") if b'"run_started"' in line else ""


def _object(path: Path) -> dict[str, object]:
    return _parsed(_head(path, HEAD_BYTES))


def _parsed(data: bytes) -> dict[str, object]:
    try:
        value = jsonin.loads(data)
    except jsonin.JsonError:
        return {}
    return value if isinstance(value, dict) else {}


def _head(path: Path, size: int) -> bytes:
    try:
        with _files.open_regular(path, size) as stream:
            return stream.read(size)
    except OSError:
        return b""


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _text(value: dict[str, object], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""
