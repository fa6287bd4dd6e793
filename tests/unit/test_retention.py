"""A policy says what may be taken out of the requests; a run keeps it or breaks it."""

from pathlib import Path

import pytest

from reviewer.app import Program
from reviewer.audit.engine import audit
from reviewer.audit.retention import RETENTION
from reviewer.audit.rules import rules
from reviewer.audit.rules._example import Story
from reviewer.audit.settings import Change, Settings
from store.opening import open_paths
from store.records.findings import Audit, Wanted
from store.records.grades import Grade
from store.records.runs import Run
from tests.made import command

RULES = [rule for rule in rules() if rule.id in {"PLC101", "PLC102"}]


def policy(**patterns: tuple[str, ...]) -> Settings:
    """Return the settings of a policy."""
    changes = (Change(RETENTION.name, name, found) for name, found in patterns.items())
    return Settings(tuple(changes))


def told(*taken: str, grade: Grade = Grade.RECORDED) -> Story:
    """A task is loaded, two files are read, one is written; *taken* are cleared afterwards."""
    story = Story(grade=grade)
    for id_, name in (
        ("task", "load_task"),
        ("one", "read_file"),
        ("two", "read_file"),
        ("new", "write_file"),
    ):
        story.answers_with(f"the text of {id_}", {"id": id_}, id=id_, name=name)
    story.think()
    for id_ in taken:
        story.clear(id_)
    return story


def found(run: Run, settings: Settings) -> list[tuple[str, str | None]]:
    """Return each finding with the tool call it is about."""
    made: Audit = audit(run, using=RULES, settings=settings)
    return [(finding.rule, finding.where.tool_call_id) for finding in made.findings]


WHOLE = policy(never=("load_*",), first=("read_*",), late=("write_*",))


@pytest.mark.parametrize(
    ("taken", "want"),
    [
        ((), []),
        (("one",), []),
        (("one", "two"), []),
        (("one", "two", "new"), []),
        (("task",), [("PLC101", "task")]),
        (("one", "new"), [("PLC102", "new")]),
        (("task", "new"), [("PLC101", "task"), ("PLC102", "new")]),
    ],
)
def test_a_policy_is_kept_or_broken(taken: tuple[str, ...], want: list[tuple[str, str]]) -> None:
    assert found(told(*taken).answer(), WHOLE) == want


def test_without_a_policy_nothing_is_broken() -> None:
    assert found(told("task", "new").answer(), Settings()) == []


def test_what_never_may_be_taken_comes_before_every_other_wish() -> None:
    settings = policy(never=("*",), first=("*",))
    assert found(told("one").answer(), settings) == [("PLC101", "one")]


def test_nothing_is_broken_where_the_record_cannot_say_what_was_taken() -> None:
    assert found(told("task", "new", grade=Grade.UNKNOWN).answer(), WHOLE) == []


def test_a_result_that_came_with_the_same_request_need_not_go_before() -> None:
    story = Story()
    story.answers_with("written", {"path": "a"}, id="new", name="write_file")
    story.answers_with("a page", {"path": "b"}, id="one", name="read_file")
    story.clear("new")
    assert found(story.answer(), WHOLE) == []


def test_each_tool_is_told_with_what_became_of_its_results() -> None:
    story = told("one", "new")
    story.answers_with("the text of one", {"id": "one"}, id="again", name="read_file")
    made = audit(story.answer(), using=[], settings=WHOLE)
    rows = {one.tool: one for one in made.retention}
    assert {tool: one.wanted for tool, one in rows.items()} == {
        "load_task": Wanted.NEVER,
        "read_file": Wanted.FIRST,
        "write_file": Wanted.LATE,
    }
    read = rows["read_file"]
    assert (read.results, read.taken, read.stayed, read.first_taken) == (3, 1, 2, 6)
    assert (rows["write_file"].taken, rows["write_file"].stayed) == (1, 0)


def test_a_recorded_run_is_told_tool_by_tool(shared: Path) -> None:
    folder = shared / "data" / "scenarios" / "turn-end-clearing"
    (run,) = (found for found in open_paths([str(folder)]) if isinstance(found, Run))
    (row,) = audit(run, using=[]).retention
    assert (row.tool, row.results, row.taken, row.stayed) == ("search_logs", 9, 7, 2)
    assert (row.first_taken, row.read_again) == (4, 1)
    assert found_under(run, late=("search_*",)) == []
    assert len(found_under(run, never=("search_*",))) == 7


def found_under(run: Run, **patterns: tuple[str, ...]) -> list[tuple[str, str | None]]:
    """Return what a policy finds in *run*."""
    return found(run, policy(**patterns))


def test_the_bill_shows_the_policy_beside_what_became_of_the_results(
    shared: Path, tmp_path: Path
) -> None:
    given = tmp_path / "policy.toml"
    given.write_text('[retention]\nnever = ["search_*"]\n', "utf-8")
    folder = shared / "data" / "scenarios" / "turn-end-clearing"
    ended = command("bill", str(folder), "--config", str(given), program=Program(strict=True))
    (line,) = [line for line in ended.out.splitlines() if line.startswith("  search_logs")]
    assert line.split() == ["search_logs", "never", "9", "2", "7", "4", "1", "0", "0"]
