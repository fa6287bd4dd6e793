"""When rules keep silent, and what makes them speak: their edges, told one by one."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from reviewer.audit.engine import audit
from reviewer.audit.rules import rules
from reviewer.audit.rules._claims import claims
from reviewer.audit.rules._example import NOTICE, Story, cite
from reviewer.audit.settings import Change, Settings
from store.records.findings import Finding
from store.records.grades import Grade
from store.records.runs import Answer, ContextEdit, EditKind, Grant, PartKind, Run
from store.records.sources import Manifest, ManifestEntry
from store.records.text import Span
from tests.unit.audit_runs import TEXT, Talk, chars

FIRST_LINE = (0, NOTICE.index("\n") + 1)


def found(run: Run, rule: str, *changes: Change) -> list[Finding]:
    using = [each for each in rules() if each.id == rule]
    assert using, f"there is no rule {rule}"
    return list(audit(run, using=using, settings=Settings(changes)).findings)


def unknown(run: Run) -> Run:
    """Return *run* as a record that cannot say what its requests held."""
    calls = tuple(replace(call, grade=Grade.UNKNOWN) for call in run.calls)
    return replace(run, grade=Grade.UNKNOWN, calls=calls)


def reading() -> Story:
    story = Story()
    story.document("notice")
    story.read("notice")
    return story


# -- pairing -------------------------------------------------------------------------


def test_a_tool_call_at_the_end_of_an_interrupted_run_is_no_finding() -> None:
    story = reading()
    story.answers_with("never came", {"query": "x"}, id="last")
    run = story.run()
    gone = [m for m in run.messages if m.parts[0].tool_call_id != "last" or m.role != "tool"]
    assert len(gone) == len(run.messages) - 1
    interrupted = replace(run, tool_results=run.tool_results[:-1])
    for rule in ("PAI001", "PAI002", "PAI003", "PAI004"):
        assert found(interrupted, rule) == []


def test_a_request_that_failed_or_that_nobody_can_know_is_no_broken_pair() -> None:
    story = reading()
    story.think()
    story.drop("read-1")
    run = story.answer()
    assert len(found(run, "PAI001")) == 1
    failed = (*run.calls[:-1], replace(run.calls[-1], error="400 no tool output found"))
    assert found(replace(run, calls=failed), "PAI001") == []
    assert found(unknown(run), "PAI001") == []


def test_a_pair_that_goes_together_is_whole() -> None:
    story = reading()
    story.think()
    story.drop("read-1")
    story.drop("read-1", PartKind.TOOL_CALL)
    run = story.answer()
    assert found(run, "PAI001") == []
    assert found(run, "PAI002") == []


def test_what_replaces_a_result_is_no_second_result() -> None:
    story = reading()
    story.think()
    story.clear()
    assert found(story.answer(), "PAI003") == []


# -- coverage ------------------------------------------------------------------------


def test_rows_beyond_the_end_of_a_table_were_never_there() -> None:
    story = Story()
    story.table("orders", 8)
    story.read_rows("orders", 20, range(8))
    assert found(story.answer(), "COV001") == []


def test_filtered_records_are_told_once_and_by_their_own_rule() -> None:
    story = Story()
    story.table("orders", 8)
    story.read_rows("orders", 8, range(5), declared={"filtered_count": 2})
    run = story.answer()
    (short,), (filtered,) = found(run, "COV001"), found(run, "COV003")
    assert "1 of 8 rows" in short.message
    assert "2 of 8 records" in filtered.message


def test_a_part_that_the_model_asked_for_is_no_cut() -> None:
    story = Story()
    story.document("notice")
    story.read("notice", span=FIRST_LINE)
    run = story.answer()
    assert found(run, "COV001") == []
    assert found(run, "COV002") == []


def test_a_result_that_was_cleared_or_refused_is_no_cut() -> None:
    story = Story()
    story.document("notice")
    story.read("notice", shown=NOTICE[:60])
    story.clear(shown=NOTICE[:60])
    assert found(story.answer(), "COV002") == []


@pytest.mark.parametrize(
    ("payload", "arguments", "count"),
    [
        ('{"hits": [], "next_cursor": null}', {"query": "a"}, 0),
        ('{"hits": [], "next_cursor": ""}', {"query": "a"}, 0),
        ('{"hits": [], "has_more": false}', {"query": "a"}, 0),
        ('{"hits": [], "has_more": true}', {"query": "a"}, 1),
        ('{"hits": [], "hasMore": true}', {"query": "a"}, 1),
        ('{"hits": [], "pagination": {"nextPageToken": "t"}}', {"query": "a"}, 1),
        ('{"text": "a", "next_offset": 300}', {"id": "a"}, 1),
        ('{"text": "a", "next_offset": 300}', {"id": "a", "limit": 300}, 0),
        ('{"text": "a", "next_offset": 300}', {"id": "a", "max_chars": 300}, 0),
        ('{"rows": [{"next_cursor": "of a record"}]}', {"query": "a"}, 0),
        ("@@ lines 1-100 of 2600 | next offset 100 @@\nline", {"path": "a"}, 1),
        ("@@ lines 1-100 of 2600 | next offset 100 @@\nline", {"path": "a", "limit": 100}, 0),
        ("next_cursor: p2", {"query": "a"}, 0),
        ('{"next_cursor": "p2"', {"query": "a"}, 0),
        ('{"a":' * 3000, {"query": "a"}, 0),
    ],
)
def test_a_cursor_is_what_a_tool_says_where_it_says_it(
    payload: str, arguments: dict[str, object], count: int
) -> None:
    story = Story()
    story.answers_with(payload, arguments, id="one")
    assert len(found(story.answer(), "COV005")) == count


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": "a", "cursor": "p2"}),
        ("next_page", {"token": "p2"}),
        ("search", {"query": "a", "page": 2}),
    ],
)
def test_a_cursor_is_followed_by_whatever_asks_for_more(
    tool: str, arguments: dict[str, object]
) -> None:
    story = Story()
    story.answers_with('{"next_cursor": "p2"}', {"query": "a"}, id="one")
    story.answers_with("{}", arguments, id="two", name=tool)
    assert found(story.answer(), "COV005") == []


def test_another_query_follows_no_cursor_and_a_tool_can_be_let_off() -> None:
    story = Story()
    story.answers_with('{"next_cursor": "p2"}', {"query": "a"}, id="one")
    story.answers_with("{}", {"query": "b"}, id="two")
    run = story.answer()
    assert len(found(run, "COV005")) == 1
    assert found(run, "COV005", Change("COV005", "ignored_tools", ("search",))) == []
    assert found(replace(run, answers=()), "COV005") == []


# -- what an answer says of a whole --------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "I have read the entire contract.",
        "I've thoroughly reviewed the WPD against all relevant specifications.",
        "I read all of the documents in full.",
        "After reviewing the report from beginning to end, nothing stands out.",
        "Complete summary of the log: it is quiet.",
        "The file has been completely read and summarized.",
        "The contract does not mention a deposit.",
        "The entire file uses tabs.",
        "Nowhere in the report is a date given.",
        "我已通读合同，没有发现押金条款。",
        "整份报告都没有提到日期。",
        "合同中没有提到押金。",
        "所有文件都已看完。",
        "已逐条核对全部条款。",
    ],
)
def test_these_sentences_speak_of_a_whole(said: str) -> None:
    assert [claim.text for claim in claims(said)]


@pytest.mark.parametrize(
    "said",
    [
        "I have read the first part of the contract.",
        "I did not read the entire contract.",
        "I have only read part of the full report.",
        "I haven't reviewed all of the documents.",
        "Should I read the whole file?",
        "The full report is available at the link above.",
        "Please read the entire contract before you sign.",
        "To verify this, you should review the complete file.",
        "Without reading the whole log I cannot say.",
        "The window is Sunday, 02:00 to 04:00.",
        "All tests pass.",
        "The complete command is shown above.",
        "I have written the complete file to disk.",
        "Here is the full document:",
        "I replaced the entire table.",
        "我没有通读全文。",
        "只看了合同的前两页。",
        "请逐条核对。",
        "是否需要通读全文？",
        "仅阅读了部分条款。",
    ],
)
def test_these_sentences_claim_no_whole(said: str) -> None:
    assert [claim.text for claim in claims(said)] == []


def told(answer: str, *, second: bool = False, whole: bool = False) -> Run:
    story = Story()
    story.document("notice")
    story.document("handbook", NOTICE.replace("Sunday", "Monday"))
    story.read("notice", span=None if whole else FIRST_LINE)
    if second:
        story.read("handbook", id="read-2")
    return story.answer(text=answer)


def test_what_was_read_in_full_may_be_spoken_of_as_a_whole() -> None:
    assert found(told("I have read the entire notice.", whole=True), "COV007") == []


def test_a_sentence_speaks_of_the_source_it_names() -> None:
    named = told("I have read the entire handbook.", second=True)
    assert found(told("I have read all of the handbook.", second=True), "COV007") == []
    other = told("I have read the entire notice.", second=True)
    assert found(named, "COV007") == []
    assert [f.where.source_id for f in found(other, "COV007")] == ["notice"]


@pytest.mark.parametrize(
    ("name", "said", "count"),
    [
        ("合同", "我已通读合同，没有押金条款。", 1),
        ("合同", "我已通读报告。", 0),
        ("d03", "I have read d03 in full.", 1),
        ("d03", "I have read d031 in full.", 0),
        ("docs/Notice.md", "I have thoroughly reviewed `notice.md`.", 1),
    ],
)
def test_a_source_is_named_by_its_id_its_file_or_its_title(
    name: str, said: str, count: int
) -> None:
    story = Story()
    story.document(name)
    story.document("other")
    story.read(name, span=FIRST_LINE)
    story.read("other", id="read-2")
    assert len(found(story.answer(text=said), "COV007")) == count


def test_a_sentence_that_names_nothing_speaks_of_the_one_source_or_of_all() -> None:
    assert found(told("I have read the entire text.", second=True), "COV007") == []
    assert len(found(told("I have read the entire text."), "COV007")) == 1
    assert len(found(told("I have read all of the documents.", second=True), "COV007")) == 1


def test_little_that_is_missing_is_let_pass_as_far_as_is_set() -> None:
    run = told("I have read the entire notice.")
    assert found(run, "COV007", Change("COV007", "least_missing_percent", 99)) == []
    assert found(unknown(run), "COV007") == []


def test_white_space_that_is_missing_is_nothing() -> None:
    story = Story()
    story.document("notice", f"{NOTICE}{' ' * 400}\n")
    story.read("notice", span=(0, len(NOTICE)))
    assert found(story.answer(text="I have read the entire notice."), "COV007") == []


# -- placeholders --------------------------------------------------------------------


def test_a_result_whose_kept_head_is_cited_was_there_for_its_use() -> None:
    story = Story()
    version = story.document("notice")
    story.read("notice")
    story.think()
    story.clear(shown=NOTICE[: FIRST_LINE[1]])
    run = story.answer(
        cite("notice", (0, 20), version_id=version), cite("notice", (60, 90), version_id=version)
    )
    assert found(run, "PLC002") == []


def test_a_failed_read_and_a_refused_result_were_not_replaced() -> None:
    story = Story()
    story.document("notice")
    story.read("notice", shown="[error]", status="error")
    assert found(story.answer(), "PLC006") == []


def test_a_question_that_a_summary_or_another_message_repeats_is_not_lost() -> None:
    story = reading()
    story.think()
    story.forget_question()
    lost = story.run()
    story.say("Again: What limits apply during maintenance?")
    assert found(story.answer(), "PLC005") == []
    assert found(replace(lost, answers=()), "PLC005") == []


def test_sources_that_belong_to_the_task_are_those_that_are_named() -> None:
    story = reading()
    story.think()
    story.clear()
    run = story.answer()
    assert found(run, "PLC005") == []
    named = Change("PLC005", "inputs", ("not*",))
    assert [f.where.source_id for f in found(run, "PLC005", named)] == ["notice"]


# -- snapshots, access, citations ----------------------------------------------------


def test_blocks_of_one_id_at_one_place_are_one_block() -> None:
    story = Story()
    story.document("notice", blocks=[("n1", 0, 40), ("n1", 0, 40)])
    assert found(story.answer(), "SNP003") == []


def test_a_tool_may_list_some_blocks_and_a_manifest_of_the_run_lists_all() -> None:
    story = Story()
    version = story.document("notice", blocks=[("n1", 0, 47), ("n2", 47, 151)])
    some = (ManifestEntry("notice", version, block_id="n1"),)
    story.manifests.append(Manifest("search-1", some))
    assert found(story.run(), "SNP004") == []
    story.manifests.append(Manifest(None, some))
    (told,) = found(story.run(), "SNP004")
    assert "blocks: 1 declared in a manifest, 2 stored" in told.message


def test_what_the_grant_leaves_out_is_told_by_one_rule() -> None:
    story = Story(grant=Grant(("handbook",)))
    story.document("notice", origin="run:yesterday")
    story.read("notice")
    run = story.answer()
    assert len(found(run, "ACC002")) == 1
    assert found(run, "ACC004") == []
    assert len(found(replace(run, grant=None), "ACC004")) == 1
    assert found(replace(run, grant=None, parent_run="yesterday"), "ACC004") == []


def test_one_mark_may_name_two_sources_at_one_place() -> None:
    story = Story()
    for name in ("notice", "handbook"):
        story.document(name)
        story.read(name, id=f"read-{name}")
    text = "Batches are limited [1]. Exports stop first [1]."
    both = [
        cite(name, (0, 20), label="[1]", answer_span=Span(*place))
        for place in ((20, 23), (44, 47))
        for name in ("notice", "handbook")
    ]
    run = story.answer(*both, text=text)
    assert found(run, "CIT013") == []
    words = [replace(each, label="Batches are limited") for each in both[1:3]]
    relabelled = replace(run, answers=(Answer(run.answers[0].call, text, tuple(words)),))
    assert found(relabelled, "CIT013") == []


@pytest.mark.parametrize(
    ("make", "count"), [(lambda s: s.answer(text="x" * 200), 0), (lambda s: s.answer(), 0)]
)
def test_where_no_answer_ever_cites_none_is_expected_to(
    make: Callable[[Story], Run], count: int
) -> None:
    run = make(reading())
    assert len(found(run, "CIT014")) == count
    always = Change("CIT014", "expected", "always")
    assert len(found(run, "CIT014", always)) == (len(run.answers[0].text) >= 80)


def test_an_answer_over_plain_results_needs_no_citation() -> None:
    story = reading()
    story.answer(cite("notice", (0, 20)))
    story.say("Is the build done?")
    story.answers_with("ok", {"command": "make"}, id="shell", name="shell")
    assert found(story.answer(text="The build is done. " * 9), "CIT014") == []


def test_arguments_that_are_no_json_are_passed_over() -> None:
    story = Story()
    story.answers_with('{"next_cursor": "p2"}', {"query": "a"}, id="one")
    run = story.answer()
    broken = tuple(replace(call, arguments='{"query": ') for call in run.tool_calls)
    assert len(found(replace(run, tool_calls=broken), "COV005")) == 1
    assert json.loads(run.tool_calls[0].arguments) == {"query": "a"}


def test_a_result_that_an_unrecorded_call_may_have_had_was_not_replaced_at_once() -> None:
    silent, told = Talk(), Talk()
    for talk, speaks in ((silent, True), (told, False)):
        talk.source("notice")
        talk.say('{"id": "notice"}', role="assistant", kind=PartKind.TOOL_CALL)
        talk.result("[cleared]", chars("notice"), obtained=TEXT)
        if speaks:
            talk.say("The limit is 200.", role="assistant")
            talk.say("And on Sunday?")
        talk.builder.edits.append(ContextEdit(1, EditKind.CLEAR, ("r1",)))
        talk.answer()
    assert [len(found(talk.run(), "PLC006")) for talk in (silent, told)] == [0, 1]
