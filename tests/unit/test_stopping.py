"""Reading can be stopped in the middle of one large run, and nothing of that run is then there."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.audit.engine import audit
from reviewer.services.opening_runs import Found, Stopped, open_runs
from reviewer.services.sample import write_sample
from store.opening import open_paths
from store.records.runs import Run
from store.stopping import StoppedError, asking, go_on, stoppable
from tests.benchmarks.synthetic import write_trace

REAL = (
    "claude-code/cc_2114_two_microcompact.jsonl",
    "langchain/01_langgraph_clear_plain/final_state_messages.json",
)


def after(times: int) -> Callable[[], bool]:
    """Return what says, asked for that many times, that nobody waits any more."""
    asked = Counter[str]()

    def stopped() -> bool:
        asked["times"] += 1
        return asked["times"] > times

    return stopped


def how_often(paths: list[str]) -> int:
    """Return how often is asked while *paths* are read."""
    asked = Counter[str]()

    def stopped() -> bool:
        asked["times"] += 1
        return False

    assert any(isinstance(each, Run) for each in open_paths(paths, stopped=stopped))
    return asked["times"]


def trace(folder: Path, calls: int) -> str:
    path = folder / f"{calls}.jsonl"
    write_trace(path, calls, 400, refer=True)
    return str(path)


def test_each_call_and_each_message_is_a_place_to_stop_at(tmp_path: Path) -> None:
    few, many = how_often([trace(tmp_path, 20)]), how_often([trace(tmp_path, 220)])
    assert many - few >= 2 * 200


def test_a_file_without_any_line_end_is_one_too(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text(json.dumps([{"role": "user", "content": "a " * 1_000_000}]))
    with pytest.raises(StoppedError):
        list(open_paths([str(path)], stopped=after(1)))


@pytest.mark.parametrize("name", REAL)
def test_every_format_is_stopped_by_the_same_means(shared: Path, name: str) -> None:
    path = str(shared / "data" / name)
    times = how_often([path])
    for at in {1, times // 2, times - 1}:
        with pytest.raises(StoppedError):
            list(open_paths([path], stopped=after(at)))


def test_of_a_run_that_was_being_read_nothing_is_shown(tmp_path: Path) -> None:
    places = [str(place) for place in write_sample(tmp_path)]
    first, whole = how_often(places[:1]), how_often(places)
    steps = list(open_runs(places, tokens=False, stopped=after((first + whole) // 2)))
    assert steps[-1] in (Stopped(0, tuple(places)), Stopped(1, tuple(places[1:])))
    assert len([step for step in steps if isinstance(step, Found)]) == steps[-1].runs


def test_the_audit_asks_at_each_message_call_and_source(tmp_path: Path) -> None:
    (run,) = (one for one in open_paths([trace(tmp_path, 50)]) if isinstance(one, Run))
    asked = Counter[str]()
    audit(run, check=lambda: asked.update(["times"]))
    assert asked["times"] >= len(run.messages) + len(run.calls)
    for at in range(0, asked["times"], 20):
        with pytest.raises(StoppedError):
            audit(run, check=asking(after(at)))


def test_whoever_is_not_asked_is_not_stopped() -> None:
    seen = []
    for each in stoppable(iter([1, 2]), lambda: True):
        go_on()  # not what makes the items: it may go on
        seen.append(each)
    assert seen == [1, 2]
