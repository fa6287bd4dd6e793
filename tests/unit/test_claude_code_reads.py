"""Reads of files: line numbers, versions, edits between reads, side files read again."""

from pathlib import Path

import pytest

from store.importers._claude_lines import clean_path, numbered_lines
from store.records.runs import Run, ToolResult
from store.records.sources import Integrity, Version
from store.records.text import Span, Unit
from tests.unit.claude_sessions import SESSION, Session, display, numbered, runs_of

TEXT = "one\ntwo\n\nfour\n"


def read(session: Session, folder: Path) -> Run:
    session.says("done", "a-end", "m-end")
    (run,) = runs_of(session.write(folder / f"{SESSION}.jsonl"))
    return run


def started() -> Session:
    session = Session()
    session.user("go", "u1", None)
    return session


def result(run: Run, call_id: str) -> ToolResult:
    return next(one for one in run.tool_results if one.tool_call_id == call_id)


def version_of(run: Run, call_id: str) -> Version:
    (selection,) = result(run, call_id).selections
    return next(one for one in run.versions if one.key == selection.key)


def piece(
    session: Session, number: int, text: str, first: int, total: int, **arguments: int
) -> None:
    session.asks(
        f"t{number}", f"a{number}", f"m{number}", "", "Read", file_path="f.md", **arguments
    )
    info = {"file": display("f.md", text, first, total)}
    session.result(f"t{number}", numbered(text, first), f"r{number}", toolUseResult=info)


def test_a_whole_read_is_a_reconstructed_text_in_code_points(tmp_path: Path) -> None:
    session = started()
    session.reads(1, "docs/f.md", TEXT)
    run = read(session, tmp_path)
    version = version_of(run, "t1")
    assert version.key.source_id == "/project/docs/f.md"
    assert version.text == TEXT
    assert version.key.version_id.startswith("reconstructed:")
    assert (version.sha256, version.integrity) == ("", Integrity.RECONSTRUCTED)
    (selection,) = result(run, "t1").selections
    assert (selection.unit, selection.ranges) == (Unit.CHAR, (Span(0, len(TEXT)),))
    assert result(run, "t1").is_file_read


def test_a_partial_read_is_pieces_with_line_numbers(tmp_path: Path) -> None:
    session = started()
    piece(session, 1, "ten\neleven", 10, 99, offset=10, limit=2)
    run = read(session, tmp_path)
    version = version_of(run, "t1")
    assert version.key.version_id.startswith("partial:")
    assert (version.unit, version.chars, version.line_numbers) == (Unit.LINE, None, (10, 11))
    assert version.text == "ten\neleven\n"
    assert result(run, "t1").selections[0].ranges == (Span(10, 12),)


def test_pieces_of_an_unchanged_file_are_one_version(tmp_path: Path) -> None:
    session = started()
    piece(session, 1, "a\nb\nc", 1, 9, limit=3)
    piece(session, 2, "c\nd", 3, 9, offset=3, limit=2)
    run = read(session, tmp_path)
    assert version_of(run, "t1") == version_of(run, "t2")
    assert version_of(run, "t1").line_numbers == (1, 2, 3, 4)


def test_a_line_that_differs_begins_another_version(tmp_path: Path) -> None:
    session = started()
    piece(session, 1, "a\nb", 1, 9, limit=2)
    piece(session, 2, "B\nc", 2, 9, offset=2, limit=2)
    run = read(session, tmp_path)
    assert version_of(run, "t1").text == "a\nb\n"
    assert version_of(run, "t2").text == "B\nc\n"


def test_a_read_that_asked_for_all_and_got_less_selects_all(tmp_path: Path) -> None:
    session = started()
    piece(session, 1, "a\nb", 1, 5000)
    run = read(session, tmp_path)
    assert result(run, "t1").selections[0].ranges == (Span(1, 5001),)


def test_lines_of_a_text_known_whole_are_code_points_without_the_last_line_end(
    tmp_path: Path,
) -> None:
    session = started()
    session.reads(1, "f.md", TEXT)
    piece(session, 2, "two\n", 2, 5, offset=2, limit=2)
    run = read(session, tmp_path)
    (selection,) = result(run, "t2").selections
    assert selection.key == result(run, "t1").selections[0].key
    assert [TEXT[span.start : span.end] for span in selection.ranges] == ["two\n"]


def test_an_edit_begins_a_version_that_the_next_read_finds(tmp_path: Path) -> None:
    session = started()
    session.reads(1, "f.md", TEXT)
    session.asks("e1", "a2", "m2", name="Edit", file_path="f.md", old_string="two", new_string="2")
    session.result("e1", "updated", "r2", toolUseResult={"originalFile": TEXT})
    piece(session, 3, "2", 2, 5, offset=2, limit=1)
    run = read(session, tmp_path)
    assert version_of(run, "t1").text == TEXT
    assert version_of(run, "t3").text == TEXT.replace("two", "2")
    assert not result(run, "e1").is_file_read


def test_what_was_written_is_a_version_and_a_failed_write_is_none(tmp_path: Path) -> None:
    session = started()
    session.asks("w1", "a1", "m1", name="Write", file_path="/new.md", content="fresh\n")
    session.result("w1", "created", "r1")
    session.asks("w2", "a2", "m2", name="Write", file_path="/refused.md", content="never\n")
    session.result("w2", "<tool_use_error>not read yet</tool_use_error>", "r2")
    run = read(session, tmp_path)
    assert [(one.key.source_id, one.text) for one in run.versions] == [("/new.md", "fresh\n")]


@pytest.mark.parametrize(
    "said",
    [
        "File content (45049 tokens) exceeds maximum allowed tokens (25000). Please use offset",
        "<tool_use_error>File does not exist.</tool_use_error>",
    ],
)
def test_a_refused_read_is_an_error_and_no_version(tmp_path: Path, said: str) -> None:
    session = started()
    session.asks("t1", "a1", "m1", file_path="big.md")
    session.result("t1", said, "r1")
    run = read(session, tmp_path)
    assert result(run, "t1").failed
    assert run.versions == ()
    (selection,) = result(run, "t1").selections
    assert (selection.source_id, selection.version_id) == ("/project/big.md", "")


def test_reading_a_side_file_points_back_to_the_read_it_was_saved_from(tmp_path: Path) -> None:
    path = f"/home/u/.claude/projects/-project/{SESSION}/tool-results/t1.txt"
    saved = numbered(TEXT)
    results = tmp_path / SESSION / "tool-results"
    results.mkdir(parents=True)
    (results / "t1.txt").write_text(saved)
    session = started()
    session.reads(1, "f.md", TEXT)
    session.boundary(["t1"], "b1")
    session.asks("t2", "a2", "m2", file_path=path, limit=2)
    shown = "\n".join(saved.split("\n")[:2])
    info = {"file": display(path, shown, 1, 5)}
    session.result("t2", numbered(shown), "r2", toolUseResult=info)
    run = read(session, tmp_path)
    again = result(run, "t2")
    assert not again.is_file_read
    assert result(run, "t1").side_file == again.selections[0].source_id == path
    version = version_of(run, "t2")
    assert (version.text, version.integrity) == (saved, Integrity.INTACT)
    (span,) = again.selections[0].ranges
    assert saved[span.start : span.end] == shown


def test_another_session_s_side_file_is_an_ordinary_file(tmp_path: Path) -> None:
    session = started()
    session.reads(1, "/h/other-session/tool-results/t9.txt", TEXT)
    assert result(read(session, tmp_path), "t1").is_file_read


def test_gutters_of_both_kinds_are_undone_and_a_gap_ends_them() -> None:
    assert numbered_lines("     1→a\n     2→  b\tc") == [(1, "a"), (2, "  b\tc")]
    assert numbered_lines("12\tx\n13\t\n\n<system-reminder>14\tno") == [(12, "x"), (13, "")]
    assert numbered_lines("1→a\n3→c") == [(1, "a")]
    assert numbered_lines("no numbers") == []


@pytest.mark.parametrize(
    ("path", "cwd", "expected"),
    [
        ("a.md", "/p", "/p/a.md"),
        ("./b/../a.md", "/p", "/p/a.md"),
        ("/abs//a.md", "/p", "/abs/a.md"),
        ("C:\\Users\\u\\a.md", "", "C:/Users/u/a.md"),
        ("src\\a.md", "C:\\repo", "C:/repo/src/a.md"),
        ("odd\\name.md", "/p", "/p/odd\\name.md"),
    ],
)
def test_paths_are_resolved_against_the_working_directory(
    path: str, cwd: str, expected: str
) -> None:
    assert clean_path(path, cwd) == expected
