"""Lines of files that were changed between the read and the answer, and paths that mislead."""

import json
from pathlib import Path

import pytest

from reviewer.audit.engine import audit
from store.records.findings import CitationFacts, Outcome, Verdict
from tests.unit.claude_sessions import Session, runs_of
from tests.unit.test_textual import PATH, reading


def cited(answer: str, *others: tuple[str, str, str]) -> list[CitationFacts]:
    return list(audit(reading(answer, *others)).citations)


def arguments(**given: object) -> str:
    return json.dumps(given)


EDIT = {"file_path": PATH, "old_string": "line 14 of the pool", "new_string": "one\ntwo"}
PATCH = "*** Begin Patch\n*** Update File: src/pool.py\n@@\n-a\n+b\n+c\n*** End Patch"


@pytest.mark.parametrize(
    "change",
    [
        EDIT,
        {"file_path": PATH, "content": "all of it anew"},
        {"path": PATH, "command": "insert", "insert_line": 3, "insert_text": "x"},
        {"path": PATH, "command": "undo_edit"},
        {"input": PATCH},
        {"command": ["apply_patch", PATCH]},
        {"command": "sed -i 1d src/pool.py"},
        {"command": "echo x >> 'src/pool.py'"},
        {"command": "cat other.py | tee src/pool.py"},
    ],
)
def test_lines_of_a_file_that_was_changed_after_the_read_may_have_moved(
    change: dict[str, object],
) -> None:
    (facts,) = cited("See src/pool.py:14-16.", ("any", json.dumps(change), "done"))
    assert facts.verdict is Verdict.UNVERIFIABLE
    assert facts.reason == "tool call t1 changed the file after the read that holds these lines"


@pytest.mark.parametrize(
    ("change", "given"),
    [
        ({**EDIT, "old_string": "line 17 of the pool"}, "done"),
        ({**EDIT, "old_string": "line 12 of the pool", "new_string": "one"}, "done"),
        ({**EDIT, "file_path": "/elsewhere/else.py"}, "done"),
        ({"file_path": PATH, "limit": 3}, "done"),
        ({"command": "grep pool src/pool.py > /tmp/found.txt"}, "done"),
    ],
)
def test_what_leaves_the_cited_lines_in_their_places_changes_no_verdict(
    change: dict[str, object], given: str
) -> None:
    (facts,) = cited("See src/pool.py:14-16.", ("any", json.dumps(change), given))
    assert facts.verdict is Verdict.READ


def test_lines_that_a_search_found_before_a_change_may_have_moved() -> None:
    search = ("grep", "{}", "src/pool.py:30:limit = 40\n")
    before, after = (
        cited("See src/pool.py:30.", *others)[0]
        for others in ([search], [search, ("edit", json.dumps(EDIT), "done")])
    )
    assert before.verdict is Verdict.READ
    assert after.verdict is Verdict.UNVERIFIABLE
    assert "changed the file after the search" in after.reason


@pytest.mark.parametrize(
    "row", ["[Omitted long matching line]", "x = 1 [... omitted end of long line]", "x = 1 …"]
)
def test_a_line_that_a_search_left_out_or_cut_was_not_read(row: str) -> None:
    search = ("grep", "{}", f"src/far.py:30:{row}\nsrc/far.py:31:y = 2\n")
    cut, whole = cited("See src/far.py:30 and src/far.py:31.", search)
    assert cut.verdict is Verdict.UNVERIFIABLE
    assert whole.verdict is Verdict.READ


def test_words_before_a_path_in_another_script_are_no_part_of_it() -> None:
    given = ("view", arguments(path="/repo/文档/说明.md"), "/repo/文档/说明.md:3:甲\n")
    answer = "见文档/说明.md:3，以及说明.md第3行。"
    found = cited(answer, given)
    assert [facts.verdict for facts in found] == [Verdict.READ, Verdict.READ]
    spans = [facts.citation.answer_span for facts in found]
    assert next(answer[span.start : span.end] for span in spans if span) == "文档/说明.md:3"


def test_a_path_on_a_drive_is_one_path_however_it_is_written(tmp_path: Path) -> None:
    session = Session()
    session.user("Look.", "u0")
    session.reads(1, "C:\\w\\src\\pool.py", "one\ntwo\nthree\nfour")
    answer = "See C:\\w\\src\\pool.py:1, src\\pool.py:2, src/pool.py:3 and c:/w/src/pool.py:4."
    session.says(answer, "a9", "m9")
    (run,) = runs_of(session.write(tmp_path / "session.jsonl"))
    assert [facts.verdict for facts in audit(run).citations] == [Verdict.READ] * 4


def test_a_line_that_the_tool_cut_was_not_read_whole(tmp_path: Path) -> None:
    session = Session()
    session.user("Look.", "u0")
    session.reads(1, "/w/a.py", f"one = 1\n{'x' * 90}... [truncated]\nthree = 3")
    session.says("See a.py:2 and a.py:3.", "a9", "m9")
    (run,) = runs_of(session.write(tmp_path / "session.jsonl"))
    cut, whole = audit(run).citations
    assert (cut.verdict, whole.verdict) == (Verdict.UNVERIFIABLE, Verdict.READ)
    assert cut.reason == "the tool cut line 2, and what it left out is not in the result"


def test_words_in_place_of_a_file_are_no_delivery_of_it(tmp_path: Path) -> None:
    session = Session()
    session.user("Look.", "u0")
    session.asks("t1", "a1", "m1", file_path="/w/a.py")
    session.result("t1", "[Old tool result content cleared]", "r1")
    session.says("I looked.", "a9", "m9")
    (run,) = runs_of(session.write(tmp_path / "session.jsonl"))
    (read,) = audit(run).reads
    assert read.outcome is Outcome.PLACEHOLDER
