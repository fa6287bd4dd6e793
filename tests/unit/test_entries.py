"""A list of runs holds where each run is, and not what recognition saw of it."""

import json
import tracemalloc
from pathlib import Path

from store.entries import Entry
from store.importers._base import HEAD_BYTES
from store.opening import list_paths
from store.records.runs import Problem, Run

MANY = 40


def _dumps(folder: Path) -> None:
    for number in range(MANY):
        said = [
            {"role": "user", "content": f"{number} " + "x" * HEAD_BYTES},
            {"role": "assistant", "content": f"so {number}"},
        ]
        (folder / f"{number:02}.json").write_text(json.dumps(said), encoding="utf-8")


def _listed(folder: Path) -> list[Entry]:
    return [each for each in list_paths([str(folder)]) if isinstance(each, Entry)]


def test_a_list_of_many_files_does_not_keep_their_heads(tmp_path: Path) -> None:
    _dumps(tmp_path)
    _listed(tmp_path)  # what is imported and kept once does not count
    tracemalloc.start()
    entries = _listed(tmp_path)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(entries) == MANY
    assert held < MANY * HEAD_BYTES / 4


def test_each_entry_of_a_list_is_read_from_its_file(tmp_path: Path) -> None:
    _dumps(tmp_path)
    for number, entry in enumerate(_listed(tmp_path)):
        (run,) = entry.read()
        assert isinstance(run, Run)
        assert run.run_id == f"{number:02}.json"


def test_a_file_that_is_gone_since_it_was_listed_is_a_problem_of_its_entry(tmp_path: Path) -> None:
    _dumps(tmp_path)
    entries = _listed(tmp_path)
    (tmp_path / "03.json").unlink()
    (problem,) = entries[3].read()
    assert isinstance(problem, Problem)
    assert "03.json" in problem.where
    (run,) = entries[4].read()
    assert isinstance(run, Run)
