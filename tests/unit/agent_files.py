"""Files of agents as the tests write and read them."""

import json
from collections.abc import Iterable
from pathlib import Path

from store.importers import importers
from store.importers._base import Importer, Probe
from store.importers._probing import file_probe, folder_probe
from store.records.runs import Problem, Run

__all__ = ["probe", "recognised", "runs_in", "texts", "write_json", "write_lines"]


def probe(path: Path) -> Probe:
    made = folder_probe(path, path.name) if path.is_dir() else file_probe(path, path.name)
    assert not isinstance(made, Problem)
    return made


def recognised(path: Path) -> str:
    """Return the name of the format that *path* is taken for; empty for none."""
    found = (one for one in importers() if not one.last_resort and one.recognise(probe(path)))
    return next((one.name for one in found), "")


def runs_in(path: Path, importer: Importer) -> list[Run]:
    """Return the runs of *path*, which *importer* must be the first to recognise."""
    assert recognised(path) == importer.name
    return [item for item in importer.read(probe(path)) if isinstance(item, Run)]


def texts(run: Run, call: int) -> list[str]:
    return [part.text for index in run.request(call) for part in run.messages[index].parts]


def write_json(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_lines(path: Path, values: Iterable[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
    return path
