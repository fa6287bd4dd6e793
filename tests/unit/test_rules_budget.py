"""Budgets: what was refused, cut or passed, and when the rules say nothing."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from reviewer.audit.engine import audit
from reviewer.audit.rules import rules
from reviewer.audit.rules._example import Story
from reviewer.audit.rules._refusals import refused
from reviewer.audit.settings import Change, Settings
from store.builder import RunBuilder
from store.records.findings import Finding
from store.records.grades import Grade, Layer
from store.records.runs import Admission, Answer, Budget, Run, ToolCall, Usage
from tests.unit.audit_runs import TEXT, Talk, chars

LONG = TEXT * 12
BUDGETS = [rule for rule in rules() if rule.id.startswith("BUD")]


def words(text: str) -> int:
    return len(text.split())


def found(run: Run, *changes: Change) -> list[Finding]:
    settings = Settings(changes)
    return list(audit(run, words, "words", using=BUDGETS, settings=settings).findings)


def ids(findings: Iterable[Finding]) -> list[str]:
    return [finding.rule for finding in findings]


# -- refusals ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        ("The notice is in force, and all of the batches stop in it.", "BUD002"),
        ("公告已经生效，所有批次都会停止。", "BUD002"),
        ("The notice was too long to be read.", "BUD001"),
        ("公告超出了预算，没有读到。", "BUD001"),
        ("お知らせは有効です。すべて止まります。", "BUD001"),
        ("La nota vale, los lotes paran.", "BUD001"),
    ],
)
def test_only_a_clear_silence_is_held_against_an_answer(answer: str, rule: str) -> None:
    (finding,) = found(refused(answer))
    assert finding.rule == rule
    assert "900 tokens; the limit is 500; budget" in finding.message
    assert finding.where.source_id == "notice"
    assert finding.where.tool_call_id == "read-1"


def test_the_word_that_may_tell_of_a_refusal_is_shown() -> None:
    (finding,) = found(refused("The notice was too long to be read."))
    assert "“too long”" in finding.message


def test_a_refusal_that_a_later_read_made_good_is_none() -> None:
    assert found(refused("The notice is in force.", made_good=True)) == []


def test_text_that_stood_already_when_its_second_read_was_refused_was_given() -> None:
    story = Story()
    story.document("notice")
    story.read("notice")
    story.read("notice", id="read-2", shown="refused")
    run = story.answer(text="The notice is in force for all of the service.")
    refusal = Admission("read-2", admitted=False, reason="budget")
    assert [f.rule for f in found(replace(run, admissions=(refusal,)))] == []


@pytest.mark.parametrize(("span", "rule"), [((0, 20), "BUD001"), ((60, 90), "BUD002")])
def test_a_part_given_otherwise_counts_only_where_it_was_asked_for(
    span: tuple[int, int], rule: str
) -> None:
    story = Story()
    story.document("notice")
    story.read("notice", span=(0, 40), shown="refused")
    story.read("notice", id="read-2", span=span)
    run = story.answer(text="The notice is in force for all of the service.")
    refusal = Admission("read-1", admitted=False, reason="budget")
    (finding,) = found(replace(run, admissions=(refusal,)))
    assert finding.rule == rule


def test_a_refusal_without_a_later_answer_is_only_noted() -> None:
    run = replace(refused("The notice is in force for all of the service."), answers=())
    (finding,) = found(run)
    assert (finding.rule, "no answer after it" in finding.message) == ("BUD001", True)


def test_an_answer_before_the_refusal_says_nothing_of_it() -> None:
    run = refused("The notice is in force for all of the service.")
    early = Answer(1, "It could not be read.")
    assert ids(found(replace(run, answers=(early, *run.answers)))) == ["BUD002"]


def test_what_was_admitted_is_no_refusal() -> None:
    run = refused("The notice is in force for all of the service.")
    assert found(replace(run, admissions=(Admission("read-1", admitted=True),))) == []


# -- silent cuts ---------------------------------------------------------------------------


def cut(*lengths: int, text: str = LONG, **more: object) -> Run:
    talk = Talk()
    for number, length in enumerate(lengths):
        talk.source(f"doc{number}", text + str(number))
        talk.result(
            text[:length],
            chars(f"doc{number}"),
            id=f"r{number}",
            obtained=text + str(number),
            **more,
        )
    talk.call()
    return talk.run()


def test_a_text_that_ends_at_a_round_number_of_characters_was_cut_at_a_limit() -> None:
    (finding,) = found(cut(1000))
    assert finding.rule == "BUD003"
    assert "ends at 1000 characters, a round number" in finding.message


def test_a_limit_in_bytes_is_seen_too() -> None:
    text = f"{'批次上限为二百条。' * 151}批次上限为二a{LONG}"
    assert len(text[:1366].encode()) == 4096
    (finding,) = found(cut(1366, text=text))
    assert "ends at 4096 bytes, a round number" in finding.message


def test_a_cut_at_no_known_limit_is_left_to_other_rules() -> None:
    assert found(cut(1007)) == []
    assert found(cut(500)) == []


def test_cuts_that_agree_show_a_limit() -> None:
    assert ids(found(cut(1007, 1007))) == ["BUD003", "BUD003"]
    assert found(cut(1007, 1013)) == []


def test_the_limit_that_the_run_declares_needs_no_round_number() -> None:
    run = replace(cut(507), budget=Budget(max_read_chars=507))
    (finding,) = found(run)
    assert "max_read_chars" in finding.message


@pytest.mark.parametrize("name", ["byte_complete", "input_complete"])
def test_a_cut_that_was_declared_is_not_silent(name: str) -> None:
    assert found(cut(1000, declared={name: False})) == []
    assert ids(found(cut(1000, declared={name: True}))) == ["BUD003"]


# -- read again ----------------------------------------------------------------------------


def reading(times: int, text: str = LONG, grade: Grade = Grade.RECORDED) -> Run:
    talk = Talk(grade=grade)
    talk.source("doc", text)
    for number in range(1, times + 1):
        talk.call()
        talk.builder.tool_calls.append(ToolCall(f"r{number}", "read", "{}", by_call=number))
        talk.result(text, chars("doc"), id=f"r{number}")
    talk.call()
    return talk.run()


def test_a_text_read_three_times_is_noted_with_its_cost() -> None:
    (finding,) = found(reading(3))
    assert finding.rule == "BUD004"
    assert "came 3 times, in calls 2, 3, 4" in finding.message
    assert "2 of the reads asked for what stood in the request already" in finding.message
    assert f"about {3 * words(LONG)} tokens" in finding.message


def test_twice_is_not_again_and_again_unless_a_user_says_so() -> None:
    assert found(reading(2)) == []
    assert ids(found(reading(2), Change("BUD004", "times", 2))) == ["BUD004"]
    other = Change("BUD004", "times", 2, pattern="other*")
    assert found(reading(2), other) == []


def test_short_text_and_unknown_requests_are_passed_over() -> None:
    assert found(reading(4, text=TEXT[:90])) == []
    assert found(reading(4, grade=Grade.UNKNOWN)) == []


def test_a_source_that_changed_between_reads_is_other_text() -> None:
    talk = Talk()
    for number in range(4):
        version = talk.source("doc", f"{number} {LONG}")
        talk.result(f"{number} {LONG}", chars("doc", version=version), id=f"r{number}")
        talk.call()
    assert found(talk.run()) == []


# -- limits --------------------------------------------------------------------------------


def test_a_request_over_its_limit_is_named_with_the_largest() -> None:
    run = replace(reading(2), budget=Budget(max_context_tokens=words(LONG)))
    (finding,) = found(run)
    assert finding.rule == "BUD005"
    assert f"1 of 3 requests held more than the {words(LONG)} tokens" in finding.message
    assert f"call 3, {2 * words(LONG)} tokens (estimated)" in finding.message


def test_an_estimate_just_over_a_limit_is_within_the_error_of_tokenizers() -> None:
    run = replace(reading(1), budget=Budget(max_request_tokens=words(LONG) - 3))
    assert found(run) == []
    calls = (*run.calls[:-1], replace(run.calls[-1], usage=Usage(input_tokens=words(LONG))))
    (finding,) = found(replace(run, calls=calls))
    assert "(reported)" in finding.message


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (Budget(max_tool_calls=1), "2 tool calls were made; max_tool_calls is 1"),
        (Budget(max_read_chars=100), "brought"),
    ],
)
def test_limits_that_a_run_declares_are_held_against_it(budget: Budget, said: str) -> None:
    findings = found(replace(reading(2), budget=budget))
    assert set(ids(findings)) == {"BUD005"}
    assert all(said in finding.message for finding in findings)


def test_limits_of_a_whole_run_come_from_the_settings() -> None:
    run = reading(2)
    assert found(run) == []
    read = Change("BUD005", "max_run_read_tokens", words(LONG))
    (finding,) = found(run, read)
    assert f"about {2 * words(LONG)} tokens of results and documents" in finding.message
    assert ids(found(run, Change("BUD005", "max_calls", 2))) == ["BUD005"]
    assert ids(found(run, Change("BUD005", "max_run_tokens", words(LONG)))) == ["BUD005"]
    assert found(run, Change("BUD005", "max_run_tokens", 10**6)) == []


def test_a_setting_wins_over_what_the_run_declares() -> None:
    run = replace(reading(2), budget=Budget(max_tool_calls=1))
    assert found(run, Change("BUD005", "max_tool_calls", 5)) == []


# -- usage ---------------------------------------------------------------------------------


def with_usage(run: Run, *tokens: int | None) -> Run:
    calls = tuple(
        replace(call, usage=Usage(input_tokens=count))
        for call, count in zip(run.calls, tokens, strict=True)
    )
    return replace(run, calls=calls)


def test_a_reported_zero_is_noted_once_for_the_run_and_leaves_the_grade() -> None:
    run = with_usage(reading(2), 0, 0, 900)
    (finding,) = found(run)
    assert (finding.rule, finding.grade) == ("BUD006", Grade.RECORDED)
    assert "1 of 3 calls" in finding.message
    assert audit(run, words, "words").calls[1].grade is Grade.RECORDED


def test_a_call_that_failed_or_an_empty_request_may_report_zero() -> None:
    run = with_usage(reading(1), None, 0)
    failed = (run.calls[0], replace(run.calls[1], error="overloaded"))
    assert found(replace(run, calls=failed)) == []
    empty = RunBuilder("empty", "empty", "made", Layer.CLIENT)
    empty.call([], usage=Usage(input_tokens=0))
    assert found(empty.finish()) == []


def test_a_request_far_smaller_than_its_text_is_found() -> None:
    run = with_usage(reading(1, text=LONG * 8), None, 100)
    (finding,) = found(run)
    assert (finding.rule, finding.grade) == ("BUD007", Grade.UNKNOWN)
    assert "call 2 reports 100" in finding.message


def test_a_small_difference_is_no_finding() -> None:
    assert found(with_usage(reading(1), None, words(LONG) // 2)) == []
