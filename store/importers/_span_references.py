"""Content that a span only refers to, where its file lies beside the trace.

Python's ``opentelemetry-util-genai`` uploads messages to
``BASE/NAME_inputs.json`` (also as lines) and puts the address into the span.
Nothing is fetched: the last parts of the address are looked for as a file in
the folder of the trace, and nowhere else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from store.importers import _files
from store.importers._span_steps import Step
from store.jsonin import JsonError, loads

__all__ = ["resolve"]

_DEPTH: Final = 3
"""So many parts of an address are tried: the file, in a folder, in a folder of that."""
_LARGEST: Final = 64 << 20


def resolve(step: Step, folder: Path) -> None:
    """Take the content that *step* refers to from files in *folder*, where it lies there."""
    for name, (place, shortfall) in step.references.items():
        if getattr(step, name) is not None:
            continue
        found = _content(place, folder)
        if found is not None:
            setattr(step, name, found)
            _forget(step, shortfall)


def _forget(step: Step, shortfall: str) -> None:
    step.shortfalls = [each for each in step.shortfalls if each.what != shortfall]


def _content(place: str, folder: Path) -> object:
    """Return the JSON that lies at the end of the address *place*, if it does."""
    parts = [part for part in place.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    for depth in range(1, min(_DEPTH, len(parts)) + 1):
        try:
            path = _files.inside(folder, "/".join(parts[-depth:]))
            with _files.open_regular(path) as file:
                data = file.read(_LARGEST + 1)
        except (OSError, _files.OutsideError):
            continue
        if len(data) <= _LARGEST:
            return _value(data)
    return None


def _value(data: bytes) -> object:
    try:
        return loads(data)
    except JsonError:
        pass
    lines = [line for line in data.split(b"\n") if line.strip()]
    try:
        return [loads(line) for line in lines]
    except JsonError:
        return None
