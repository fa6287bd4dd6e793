"""A result that ends before the lines that its tool says it returned."""

from pathlib import Path

import pytest

from reviewer.audit.engine import audit
from store.importers._lines_said import beyond, last_said
from store.importers.opencode import IMPORTER as OPENCODE
from store.records.findings import Outcome, ReadFacts
from store.records.runs import Run
from tests.unit.agent_files import runs_in, write_json
from tests.unit.claude_sessions import display, numbered
from tests.unit.test_claude_code_reads import read as read_session
from tests.unit.test_claude_code_reads import started
from tests.unit.test_opencode import export, message, text
from tests.unit.test_opencode import read as opencode_read

ROWS = [f"def f{number}(): return {number * 7919}" for number in range(1, 31)]
FILE = "\n".join(ROWS)


def first_read(run: Run) -> ReadFacts:
    return audit(run).reads[0]


def claude(folder: Path, shown: str, said: dict[str, object], **asked: int) -> ReadFacts:
    session = started()
    session.asks("t1", "a1", "m1", "", "Read", file_path="f.py", **asked)
    session.result("t1", shown, "r1", toolUseResult={"type": "text", "file": said})
    return first_read(read_session(session, folder))


@pytest.mark.parametrize("asked", [{}, {"limit": 500}])
def test_lines_that_claude_code_says_it_returned_and_that_are_not_there_are_missing(
    tmp_path: Path, asked: dict[str, int]
) -> None:
    read = claude(tmp_path, numbered("\n".join(ROWS[:5])), display("f.py", FILE), **asked)
    assert read.outcome is Outcome.TRUNCATED
    assert read.recomputed.missing == ((6, 31),)
    assert read.recomputed.input_complete is False


def test_a_limit_behind_the_end_of_the_file_is_no_loss(tmp_path: Path) -> None:
    end = "\n".join(ROWS[19:])
    said = display("f.py", end, 20, 30)
    read = claude(tmp_path, numbered(end, 20), said, offset=20, limit=500)
    assert (read.outcome, read.recomputed.missing) == (Outcome.DELIVERED, ())


def test_a_part_that_was_asked_for_and_came_is_no_loss(tmp_path: Path) -> None:
    part = "\n".join(ROWS[:5])
    read = claude(tmp_path, numbered(part), display("f.py", part, 1, 30), limit=5)
    assert (read.outcome, read.recomputed.missing) == (Outcome.DELIVERED, ())


def test_a_blank_line_at_the_end_is_not_missed(tmp_path: Path) -> None:
    read = claude(tmp_path, numbered(FILE), display("f.py", f"{FILE}\n"))
    assert read.outcome is Outcome.DELIVERED


def opencode(folder: Path, output: str) -> ReadFacts:
    step: dict[str, object] = {"type": "step-start"}
    held = [
        (message(1, "user"), [text("look")]),
        (message(2, "assistant", modelID="m"), [step, opencode_read("c", output)]),
        (message(3, "assistant", modelID="m"), [step, text("seen")]),
    ]
    (run,) = runs_in(write_json(folder / "export.json", export(held)), OPENCODE)
    return first_read(run)


@pytest.mark.parametrize(
    ("count", "footer", "missing"),
    [
        (5, "(End of file - total 30 lines)", ((6, 31),)),
        (5, "(Showing lines 1-30 of 90. Use offset=31 to continue.)", ((6, 31),)),
        (5, "(File has more lines. Use 'offset' parameter to read beyond line 30)", ((6, 31),)),
        (30, "(End of file - total 30 lines)", ()),
        (30, "(Showing lines 1-30 of 90. Use offset=31 to continue.)", ()),
    ],
)
def test_the_end_of_a_result_of_opencode_says_how_far_the_tool_read(
    tmp_path: Path, count: int, footer: str, missing: tuple[tuple[int, int], ...]
) -> None:
    rows = "\n".join(f"{at:05}| {row}" for at, row in enumerate(ROWS[:count], 1))
    read = opencode(tmp_path, f"<file>\n{rows}\n\n{footer}\n</file>")
    assert read.recomputed.missing == missing
    assert read.outcome is (Outcome.TRUNCATED if missing else Outcome.DELIVERED)


def test_blank_lines_before_an_offset_may_be_lines_of_the_file() -> None:
    lines = list(enumerate(ROWS[:5], 1))
    assert beyond(lines, last_said("x\n\n[9 more lines in file. Use offset=8 to continue]")) is None
    said = last_said("x\n\n[9 more lines in file. Use offset=31 to continue]")
    assert beyond(lines, said) == (1, 29)
    assert last_said("no footer") is None
    assert beyond([], 30) is None
