"""What a client takes away: boundaries, compactions, side files, counts of the API, previews."""

from pathlib import Path

from store.records.grades import Grade
from store.records.runs import EditKind, PartKind, Run
from tests.unit.claude_sessions import (
    SESSION,
    Session,
    held,
    numbered,
    original,
    request,
    runs_of,
    texts,
)

ONE, TWO = "first\nfile\n", "second\nfile\n"


def two_reads(version: str = "2.1.14") -> Session:
    session = Session(version)
    session.user("compare", "u1", None)
    session.reads(1, "one.md", ONE)
    session.reads(2, "two.md", TWO)
    session.says("read both", "a8", "m8")
    session.user("and now?", "u2")
    return session


def side_file(folder: Path, call_id: str, text: str) -> None:
    results = folder / SESSION / "tool-results"
    results.mkdir(parents=True, exist_ok=True)
    (results / f"{call_id}.txt").write_text(text)


def read_one(session: Session, folder: Path) -> Run:
    (run,) = runs_of(session.write(folder / f"{SESSION}.jsonl"))
    return run


def test_a_boundary_takes_results_away_from_the_next_call_on(tmp_path: Path) -> None:
    session = two_reads()
    session.boundary(["t1"], "b1")
    session.says("done", "a9", "m9")
    run = read_one(session, tmp_path)
    assert [held(run, call, "t1") == numbered(ONE) for call in (2, 3, 4)] == [True, True, False]
    assert held(run, 4, "t1") == (
        "<persisted-output>Tool result saved to: …/tool-results/t1.txt\n\n"
        "Use Read to view</persisted-output>"
    )
    assert held(run, 4, "t2") == numbered(TWO)
    assert original(run, "t1") == numbered(ONE)
    (edit,) = run.edits
    assert (edit.before_call, edit.kind, edit.tool_call_ids) == (4, EditKind.PERSIST, ("t1",))
    assert edit.grade is Grade.DERIVED
    assert run.grade is Grade.DERIVED


def test_a_placeholder_says_that_its_words_are_reconstructed(tmp_path: Path) -> None:
    session = two_reads()
    session.boundary(["t1"], "b1")
    session.says("done", "a9", "m9")
    run = read_one(session, tmp_path)
    (part,) = [one for one in request(run, 4) if one.tool_call_id == "t1" and one.status]
    assert part.status == "reconstructed"


def test_one_replaced_result_costs_one_splice(tmp_path: Path) -> None:
    session = Session()
    session.user("go", "u1", None)
    for number in range(200):
        session.reads(number, f"f{number}.md", f"text {number}")
        if number % 10 == 9:
            session.boundary([f"t{number - 5}"], f"b{number}")
    session.says("done", "a-end", "m-end")
    run = read_one(session, tmp_path)
    changes = [len(call.splices) for call in run.calls]
    assert len(run.calls) == 201
    assert sum(changes) == 201 + 20  # what each call added, and one for each result taken away
    put = sum(len(splice.messages) for call in run.calls for splice in call.splices)
    assert put == 1 + 2 * 200 + 20


def test_cleared_attachments_are_removed(tmp_path: Path) -> None:
    session = Session()
    session.user("go", "u1", None)
    session.record(
        "attachment", "x1", attachment={"type": "edited_text_file", "filename": "a", "snippet": "S"}
    )
    session.says("one", "a1", "m1")
    session.user("more", "u2")
    session.boundary([], "b1", attachments=["x1"])
    session.says("two", "a2", "m2")
    session.user("still more", "u3")
    session.says("three", "a3", "m3")
    run = read_one(session, tmp_path)
    assert texts(run, 1) == ["go", "S"]
    assert texts(run, 2) == ["go", "one", "more"]
    assert texts(run, 3) == ["go", "one", "more", "two", "still more"]


def test_an_edit_that_no_call_follows_is_told(tmp_path: Path) -> None:
    session = two_reads()
    session.boundary(["t1"], "b1")
    session.user("nobody answers", "u9")
    run = read_one(session, tmp_path)
    assert run.edits == ()
    assert [problem.kind for problem in run.problems] == ["noted"]


def compacted(**meta: object) -> Session:
    session = two_reads("2.0.76")
    session.record(
        "system",
        "c1",
        None,
        subtype="compact_boundary",
        logicalParentUuid="u2",
        compactMetadata={"trigger": "auto", **meta},
    )
    session.user("It was about files.", "s1", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    session.user("go on", "u3")
    session.says("done", "a9", "m9")
    return session


def test_after_a_compaction_only_the_summary_and_what_follows_is_sent(tmp_path: Path) -> None:
    run = read_one(compacted(), tmp_path)
    assert texts(run, 4) == ["It was about files.", "go on"]
    assert request(run, 4)[0].kind is PartKind.SUMMARY
    (edit,) = run.edits
    assert (edit.kind, edit.before_call, edit.tool_call_ids) == (EditKind.COMPACT, 4, ("t1", "t2"))
    assert run.calls[3].grade is Grade.DERIVED


def test_a_segment_that_a_compaction_kept_stands_behind_the_summary(tmp_path: Path) -> None:
    kept = {"headUuid": "a2", "anchorUuid": "s1", "tailUuid": "u2"}
    session = compacted(preservedSegment=kept)
    run = read_one(session, tmp_path)
    expected = ["It was about files.", numbered(TWO), "read both", "and now?", "go on"]
    assert texts(run, 4) == expected
    assert run.edits[0].tool_call_ids == ("t1",)


def test_a_way_through_the_tail_of_a_kept_segment_leads_over_the_boundary(tmp_path: Path) -> None:
    kept = {"headUuid": "a2", "anchorUuid": "s1", "tailUuid": "u2"}
    session = compacted(preservedSegment=kept)
    session.lines = session.lines[:-2]
    session.user("go on", "u3", "u2")
    session.says("done", "a9", "m9")
    run = read_one(session, tmp_path)
    expected = ["It was about files.", numbered(TWO), "read both", "and now?", "go on"]
    assert texts(run, 4) == expected


def test_a_side_file_without_a_boundary_takes_its_result_out_of_every_request(
    tmp_path: Path,
) -> None:
    session = two_reads("2.1.6")
    session.says("done", "a9", "m9")
    side_file(tmp_path, "t1", numbered(ONE))
    run = read_one(session, tmp_path)
    assert [held(run, call, "t1") == original(run, "t1") for call in (2, 3, 4)] == [False] * 3
    assert held(run, 2, "t1") == held(run, 4, "t1")
    (edit,) = run.edits
    assert (edit.before_call, edit.grade) == (None, Grade.INFERRED)
    assert run.grade is Grade.INFERRED
    assert "no boundary record" in run.calls[1].grade_reason


def test_a_side_file_that_no_boundary_names_weakens_the_calls_that_hold_its_result(
    tmp_path: Path,
) -> None:
    session = two_reads()
    session.boundary(["t1"], "b1")
    session.says("done", "a9", "m9")
    side_file(tmp_path, "t1", numbered(ONE))
    side_file(tmp_path, "t2", numbered(TWO))
    run = read_one(session, tmp_path)
    grades = [call.grade for call in run.calls]
    assert grades == [Grade.DERIVED, Grade.DERIVED, Grade.INFERRED, Grade.INFERRED]
    assert held(run, 3, "t1") == numbered(ONE)
    assert held(run, 3, "t2") != numbered(TWO)


def test_a_preview_in_the_result_itself_is_what_the_model_got(tmp_path: Path) -> None:
    whole = "line\n" * 9000
    inline = (
        "<persisted-output>\nOutput too large (44KB). Full output saved to: "
        f"/h/.claude/projects/p/{SESSION}/tool-results/t1.txt\n\nPreview (first 2KB):\nline\n"
        "</persisted-output>"
    )
    session = Session("2.1.14")
    session.user("go", "u1", None)
    session.asks("t1", "a1", "m1", name="Bash", command="yes line")
    session.result("t1", inline, "r1")
    session.says("much", "a2", "m2")
    side_file(tmp_path, "t1", whole)
    run = read_one(session, tmp_path)
    assert held(run, 2, "t1") == inline
    assert original(run, "t1") == whole
    (result,) = run.tool_results
    assert result.side_file == f"/h/.claude/projects/p/{SESSION}/tool-results/t1.txt"
    (edit,) = run.edits
    assert (edit.before_call, edit.kind, edit.grade) == (2, EditKind.PERSIST, Grade.DERIVED)


def test_a_preview_whose_side_file_is_missing_leaves_the_whole_unknown(tmp_path: Path) -> None:
    inline = (
        "<persisted-output>\nOutput too large (44KB). Full output saved to: /etc/passwd\n\n"
        "Preview (first 2KB):\nx\n</persisted-output>"
    )
    session = Session()
    session.user("go", "u1", None)
    session.asks("t1", "a1", "m1", name="Bash", command="x")
    session.result("t1", inline, "r1")
    session.says("much", "a2", "m2")
    run = read_one(session, tmp_path)
    assert original(run, "t1") is None
    assert held(run, 2, "t1") == inline


def test_words_that_quote_a_placeholder_take_nothing_away(tmp_path: Path) -> None:
    quoted = "It said [Old tool result content cleared] and <persisted-output>Tool result saved to"
    session = Session()
    session.user(quoted, "u1", None)
    session.asks("t1", "a1", "m1", name="Bash", command="x")
    session.result("t1", quoted, "r1")
    session.says(quoted, "a2", "m2")
    run = read_one(session, tmp_path)
    assert run.edits == ()
    assert held(run, 2, "t1") == original(run, "t1") == quoted


def cleared_by_api(*counts: object) -> Session:
    session = Session("2.1.14")
    session.user("go", "u1", None)
    for number in range(6):
        session.reads(number, f"f{number}.md", f"text {number}")
    for number, count in enumerate(counts, 7):
        edits: list[dict[str, object]] = [
            {"type": "clear_tool_uses_20250919", "cleared_tool_uses": count}
        ]
        management = {"applied_edits": edits if count else []}
        message: dict[str, object] = {}
        if count is not None:
            message["context_management"] = management
        text = [{"type": "text", "text": f"answer {number}"}]
        session.model(text, f"z{number}", f"n{number}", "", **message)
        session.user("more", f"y{number}")
    return session


def test_the_api_clears_the_oldest_results_as_many_as_it_reports(tmp_path: Path) -> None:
    run = read_one(cleared_by_api(2, None, 3), tmp_path)
    gone = [
        [number for number in range(6) if held(run, call, f"t{number}") == ""]
        for call in (6, 7, 8, 9)
    ]
    assert gone == [[], [0, 1], [0, 1], [0, 1, 2]]
    assert [(edit.before_call, edit.tool_call_ids) for edit in run.edits] == [
        (7, ("t0", "t1")),
        (9, ("t2",)),
    ]
    assert {edit.grade for edit in run.edits} == {Grade.INFERRED}
    assert run.calls[6].grade is Grade.INFERRED
    assert "the oldest first" in run.calls[6].grade_reason


def test_an_empty_list_of_edits_means_that_nothing_was_cleared(tmp_path: Path) -> None:
    run = read_one(cleared_by_api(2, 0), tmp_path)
    assert held(run, 7, "t0") == ""
    assert held(run, 8, "t0") == original(run, "t0")


def test_grades_follow_the_version_of_each_call(tmp_path: Path) -> None:
    session = Session("2.0.59")
    session.user("old", "u1", None)
    session.says("hi", "a1", "m1")
    session.version = "2.0.60"
    session.user("new", "u2")
    session.says("hi again", "a2", "m2")
    session.version = "2.0.100"
    session.user("newer", "u3")
    session.says("hello", "a3", "m3")
    run = read_one(session, tmp_path)
    assert [call.grade for call in run.calls] == [Grade.UNKNOWN, Grade.INFERRED, Grade.INFERRED]
    assert "left no trace" in run.calls[0].grade_reason
    assert all("lower bound" in call.grade_reason for call in run.calls)
