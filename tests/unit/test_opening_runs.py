"""Opening for somebody who watches: what is met comes as it is met, and it can be stopped."""

from pathlib import Path

from reviewer.services.listing import list_runs
from reviewer.services.opening_runs import Begun, Ended, Found, Stopped, Unread, open_runs
from reviewer.services.sample import write_sample
from store.entries import Entry


def test_each_run_comes_as_it_is_read_and_the_end_counts_them(tmp_path: Path) -> None:
    paths = [str(place) for place in write_sample(tmp_path)]
    steps = list(open_runs(paths, tokens=False))
    assert [step.audit.run.run_id for step in steps if isinstance(step, Found)] == [
        "incident-review",
        "lease-review",
    ]
    assert [step for step in steps if isinstance(step, Begun)] == [
        Begun(paths[0], 1, 2, 0),
        Begun(paths[1], 2, 2, 1),
    ]
    assert steps[-1] == Ended(2, 0)


def found(steps: list[object]) -> bool:
    return any(isinstance(step, Found) for step in steps)


def test_it_stops_after_the_run_that_was_read_and_says_what_is_left(tmp_path: Path) -> None:
    paths = [str(place) for place in write_sample(tmp_path)]
    steps: list[object] = []
    steps.extend(open_runs(paths, tokens=False, stopped=lambda: found(steps)))
    assert steps[-1] == Stopped(1, tuple(paths))
    assert not [step for step in steps if isinstance(step, Begun) and step.number == 2]


def test_what_holds_no_model_call_is_told_and_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a text")
    steps = list(open_runs([str(tmp_path), str(tmp_path / "none")], tokens=False))
    told = [step.problem.what for step in steps if isinstance(step, Unread)]
    assert not [step for step in steps if isinstance(step, Found)]
    assert any("no run found" in what for what in told)
    assert any("no such file" in what for what in told)
    assert steps[-1] == Ended(0, 1)


def test_the_same_problem_is_told_once(tmp_path: Path) -> None:
    paths = [str(place) for place in write_sample(tmp_path)]
    steps = list(open_runs(paths, str(tmp_path / "no-store"), tokens=False))
    told = [step.problem for step in steps if isinstance(step, Unread)]
    assert len([each for each in told if "no-store" in each.where]) == 1


def test_one_run_of_a_list_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    write_sample(tmp_path)
    entries = [each for each in list_runs([str(tmp_path)]) if isinstance(each, Entry)]
    assert [each.run_id for each in entries] == ["incident-review", "lease-review"]
    steps = list(open_runs(entries[1:], tokens=False))
    assert steps[0] == Begun(entries[1].place, 1, 1, 0)
    assert [step.audit.run.run_id for step in steps if isinstance(step, Found)] == ["lease-review"]
    assert steps[-1] == Ended(1, 0)
    assert list(open_runs(entries, tokens=False, stopped=lambda: True)) == [
        Stopped(0, tuple(each.place for each in entries))
    ]
