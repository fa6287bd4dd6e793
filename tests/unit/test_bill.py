"""What requests cost: by kind, added up, saved, read again, and where a shared prefix broke."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from reviewer.audit.engine import audit
from store.builder import RunBuilder
from store.records.bills import Bill, BillKind, Change, PrefixBreak
from store.records.grades import Grade, Layer
from store.records.runs import Part, PartKind, Run, ToolCall, Usage
from tests.unit.audit_runs import TEXT, Talk, chars

LONG = " ".join(f"line {number} of a result" for number in range(40))


def words(text: str) -> int:
    return len(text.split())


def billed(run: Run) -> Bill:
    return audit(run, words, "words").bill


def conversation(*requests: list[tuple[str, str]], **settings: object) -> Run:
    """A run of requests told as (role, text); the role ``tool:ID`` is a result."""
    builder = RunBuilder("made", "made", "made", Layer.WIRE)
    for held in requests:
        builder.call([_message(builder, *each) for each in held], settings=settings)
    return builder.finish()


def _message(builder: RunBuilder, role: str, text: str) -> int:
    if role.startswith("tool:"):
        part = Part(PartKind.TOOL_RESULT, text, tool_call_id=role[5:])
        return builder.message("tool", [part])
    return builder.message(role, [Part(PartKind.TEXT, text)])


ASKED = [("system", "be exact"), ("user", "what limits apply?"), ("assistant", "reading")]


def broken(run: Run, call: int = 2) -> PrefixBreak:
    found = billed(run).calls[call - 1].broken
    assert found is not None
    return found


# -- tokens by kind ------------------------------------------------------------------------


def kinds_of(run: Run) -> Mapping[BillKind, int]:
    return billed(run).calls[-1].by_kind


def test_each_part_is_billed_as_what_it_is() -> None:
    builder = RunBuilder("made", "made", "made", Layer.WIRE)
    parts = [
        ("system", Part(PartKind.TEXT, "one")),
        ("user", Part(PartKind.TEXT, "one two")),
        ("user", Part(PartKind.DOCUMENT, "one two three")),
        ("assistant", Part(PartKind.REASONING, "a b c d")),
        ("assistant", Part(PartKind.TEXT, "a b c d e")),
        ("assistant", Part(PartKind.TOOL_CALL, "a b c d e f")),
        ("user", Part(PartKind.SUMMARY, "a b c d e f g")),
        ("tool", Part(PartKind.TOOL_RESULT, "a b c d e f g h")),
    ]
    builder.call([builder.message(role, [part]) for role, part in parts])
    assert kinds_of(builder.finish()) == {
        BillKind.SYSTEM: 1,
        BillKind.INSTRUCTION: 2,
        BillKind.DOCUMENT: 3,
        BillKind.REASONING: 4,
        BillKind.ANSWER: 5,
        BillKind.TOOL_CALL: 6,
        BillKind.SUMMARY: 7,
        BillKind.TOOL_RESULT: 8,
    }


def test_kinds_add_up_to_what_is_resident_and_calls_to_what_was_paid() -> None:
    talk = Talk()
    talk.say("go on")
    for number in range(4):
        talk.result(TEXT, id=f"r{number}")
        talk.call()
    rows = billed(talk.run()).calls
    assert [row.resident for row in rows] == [sum(row.by_kind.values()) for row in rows]
    assert [row.resident for row in rows] == [2 + words(TEXT) * n for n in (1, 2, 3, 4)]
    assert rows[-1].cumulative == sum(row.resident or 0 for row in rows)
    assert rows[-1].cumulative == sum(rows[-1].cumulative_by_kind.values())
    assert [row.new for row in rows] == [2 + words(TEXT), *[words(TEXT)] * 3]


def test_content_that_is_no_text_is_told_and_not_counted_as_nothing() -> None:
    builder = RunBuilder("made", "made", "made", Layer.WIRE)
    picture = Part(PartKind.IMAGE, opaque_bytes=3000)
    builder.call([builder.message("user", [picture, Part(PartKind.TEXT, "what is this?")])])
    (row,) = billed(builder.finish()).calls
    assert (row.resident, row.opaque_parts, row.opaque_bytes) == (3, 1, 3000)


def test_without_a_tokenizer_nothing_is_estimated_and_nothing_is_zero() -> None:
    found = audit(conversation(ASKED)).bill
    assert found.encoding == ""
    assert (found.calls[0].resident, found.calls[0].cumulative) == (None, None)
    assert found.calls[0].by_kind == {}


# -- reported usage ------------------------------------------------------------------------


def with_usage(run: Run, *tokens: int | None) -> Run:
    calls = tuple(
        replace(call, usage=Usage(input_tokens=count))
        for call, count in zip(run.calls, tokens, strict=True)
    )
    return replace(run, calls=calls)


def test_reported_usage_stands_beside_the_estimate_with_the_difference() -> None:
    (row,) = billed(with_usage(conversation(ASKED), 50)).calls
    assert (row.resident, row.usage.input_tokens, row.unaccounted) == (6, 50, 44)
    assert row.holds is True


@pytest.mark.parametrize("reported", [None, 0])
def test_usage_that_is_missing_is_no_zero(reported: int | None) -> None:
    found = audit(with_usage(conversation(ASKED), reported), words, "words")
    (row,) = found.bill.calls
    assert (row.unaccounted, row.holds) == (None, None)
    assert found.bill.reported == ()
    assert found.calls[0].grade is Grade.RECORDED


def test_a_request_that_the_reported_tokens_cannot_hold_is_not_billed_as_fact() -> None:
    found = billed(with_usage(conversation(ASKED, [*ASKED, ("user", LONG)]), 6, 20))
    assert [row.holds for row in found.calls] == [True, False]
    assert [row.call for row in found.unproven] == [2]
    assert found.calls[1].unaccounted == 20 - (found.calls[1].resident or 0)


# -- saved and read again ------------------------------------------------------------------


def test_a_cleared_result_saves_what_it_would_have_cost_less_its_placeholder() -> None:
    talk = Talk()
    place = talk.result(TEXT)
    talk.call()
    talk.replace(place, "it was cleared")
    talk.call()
    talk.call()
    found = billed(talk.run())
    (saving,) = found.savings
    assert (saving.calls, saving.original_tokens) == (2, words(TEXT))
    assert saving.stand_in_tokens == 3
    assert saving.tokens == 2 * (words(TEXT) - 3)
    assert not saving.kept_out
    assert found.calls[1].by_kind == {BillKind.PLACEHOLDER: 3}


def test_a_result_that_never_stood_whole_was_kept_out_and_not_cleared() -> None:
    talk = Talk()
    talk.result("stored elsewhere", obtained=TEXT)
    talk.call()
    found = billed(talk.run())
    assert found.saved(kept_out=False) == ()
    (saving,) = found.saved(kept_out=True)
    assert saving.tokens == words(TEXT) - 2


def test_a_saving_of_an_unknown_grade_is_not_told_as_fact() -> None:
    talk = Talk(grade=Grade.UNKNOWN)
    place = talk.result(TEXT)
    talk.call()
    talk.replace(place, "it was cleared")
    talk.call()
    found = billed(talk.run())
    assert (found.savings, found.unmeasured) == ((), 1)


def reading(times: int) -> Talk:
    talk = Talk()
    talk.source("doc")
    for number in range(1, times + 1):
        talk.call()
        talk.builder.tool_calls.append(ToolCall(f"r{number}", "read", "{}", by_call=number))
        talk.result(TEXT, chars("doc"), id=f"r{number}")
    talk.call()
    return talk


def test_a_text_read_three_times_costs_its_copies_in_every_request_that_held_them() -> None:
    (repeat,) = billed(reading(3).run()).repeats
    assert (repeat.times, repeat.calls, repeat.tool_call_ids) == (3, (2, 3, 4), ("r1", "r2", "r3"))
    assert repeat.standing == 2
    assert repeat.tokens == 2 * words(TEXT)
    assert repeat.paid_tokens == (2 + 1) * words(TEXT)


def test_text_read_once_or_in_other_parts_is_not_read_again() -> None:
    assert billed(reading(1).run()).repeats == ()
    talk = Talk()
    talk.source("doc")
    for number, (start, end) in enumerate([(0, 60), (60, 120)]):
        talk.result(TEXT[start:end], chars("doc", (start, end)), id=f"r{number}")
        talk.call()
    assert billed(talk.run()).repeats == ()


def test_what_was_cleared_before_it_was_asked_again_did_not_stand() -> None:
    talk = Talk()
    talk.source("doc")
    place = talk.result(TEXT, chars("doc"))
    talk.call()
    talk.replace(place, "it was cleared")
    talk.call()
    talk.result(TEXT, chars("doc"), id="r2")
    talk.call()
    (repeat,) = billed(talk.run()).repeats
    assert (repeat.times, repeat.standing) == (2, 0)


def test_the_head_that_a_placeholder_kept_is_not_read_again() -> None:
    talk = Talk()
    talk.source("doc")
    place = talk.result(TEXT, chars("doc"))
    talk.call()
    talk.replace(place, f"{TEXT[:60]} [the rest was cleared]")
    talk.call()
    assert billed(talk.run()).repeats == ()


# -- the shared prefix ---------------------------------------------------------------------


def test_a_request_that_only_grows_breaks_nothing() -> None:
    found = billed(conversation(ASKED, [*ASKED, ("tool:r1", LONG)], [*ASKED, ("tool:r1", LONG)]))
    assert found.broken == ()
    assert [row.continues for row in found.calls] == [False, True, True]


def test_a_clock_in_the_system_text_breaks_the_prefix_at_its_first_changed_byte() -> None:
    before = [("system", "Zeit für alles: 14:03:11."), *ASKED[1:]]
    now = [("system", "Zeit für alles: 14:05:40."), *ASKED[1:], ("tool:r1", LONG)]
    found = broken(conversation(before, now))
    assert found.changes == (Change.SYSTEM,)
    assert found.byte == len("Zeit für alles: 14:0".encode())
    assert (found.was, found.now) == ("… für alles: 14:03:11.", "… für alles: 14:05:40.")
    assert found.resent_bytes == len("what limits apply?reading")
    assert found.resent_tokens == 4


def test_a_cleared_result_breaks_the_prefix_and_is_named_with_what_is_sent_again() -> None:
    before = [*ASKED, ("tool:r1", LONG), ("assistant", "and on")]
    now = [*ASKED, ("tool:r1", "[cleared]"), ("assistant", "and on")]
    found = broken(conversation(before, now))
    assert (found.change, found.results) == (Change.RESULT, ("r1",))
    assert found.byte == len("be exactwhat limits apply?reading")
    assert found.message == 3
    assert found.resent_bytes == len("and on")


def test_a_change_at_the_end_costs_nothing_that_was_paid_before() -> None:
    run = conversation([*ASKED, ("tool:r1", LONG)], [*ASKED, ("tool:r1", "[cleared]")])
    assert billed(run).broken == ()


@pytest.mark.parametrize(
    ("now", "change"),
    [
        ([ASKED[0], ("user", "mind this"), *ASKED[1:]], Change.INSERTED),
        ([ASKED[0], ASKED[2]], Change.REMOVED),
        ([ASKED[0], ASKED[2], ASKED[1]], Change.MOVED),
        ([ASKED[0], ("user", "what rules apply?"), ASKED[2]], Change.REPLACED),
    ],
)
def test_what_broke_the_prefix_is_named(now: list[tuple[str, str]], change: Change) -> None:
    assert broken(conversation(ASKED, now)).change is change


def test_another_conversation_in_between_breaks_no_prefix() -> None:
    other = [("system", "give it a title"), ("user", "what limits apply?")]
    found = billed(conversation(ASKED, other, [*ASKED, ("tool:r1", LONG)]))
    assert [row.continues for row in found.calls] == [False, False, False]
    assert found.broken == ()


def test_tools_in_another_order_break_the_prefix_before_the_first_message() -> None:
    run = conversation(ASKED, [*ASKED, ("tool:r1", LONG)])
    tools = [{"name": "read"}, {"function": {"name": "search"}}]
    calls = (
        replace(run.calls[0], settings={"tools": tools}),
        replace(run.calls[1], settings={"tools": tools[::-1]}),
    )
    found = broken(replace(run, calls=calls))
    assert (found.change, found.byte) == (Change.TOOLS, 0)
    assert (found.was, found.now) == ("read, search", "search, read")
    assert found.resent_bytes == len("be exactwhat limits apply?reading")


def test_another_model_reads_everything_anew() -> None:
    run = conversation(ASKED, [*ASKED, ("tool:r1", LONG)])
    calls = tuple(
        replace(call, model=name) for call, name in zip(run.calls, ("large", "small"), strict=True)
    )
    found = broken(replace(run, calls=calls))
    assert (found.change, found.was, found.now) == (Change.MODEL, "large", "small")


def test_a_break_has_the_weaker_grade_of_its_two_calls() -> None:
    run = conversation(ASKED, [("system", "be quick"), *ASKED[1:]])
    calls = (replace(run.calls[0], grade=Grade.DERIVED), run.calls[1])
    assert broken(replace(run, calls=calls)).grade is Grade.DERIVED


def test_a_splice_that_repeats_what_stood_there_is_no_change() -> None:
    run = conversation(ASKED, [*ASKED, ("tool:r1", LONG)])
    held = run.request(2)
    spelled = replace(
        run.calls[1], splices=(replace(run.calls[0].splices[0], stop=3, messages=held),)
    )
    again = replace(run, calls=(run.calls[0], spelled))
    assert again.request(2) == held
    one, other = (audit(each, words, "words") for each in (run, again))
    assert other.bill == one.bill
    assert other.calls == one.calls
