"""Shared prefixes: which breaks are worth a note, and which are none."""

from dataclasses import replace

import pytest

from reviewer.audit.engine import audit
from reviewer.audit.rules import rules
from reviewer.audit.rules._prefix import LONG, told
from reviewer.audit.settings import Change, Settings
from store.records.findings import Finding
from store.records.grades import Grade
from store.records.runs import Run

CACHE = [rule for rule in rules() if rule.id.startswith("CAC")]
ASKED = [("system", "be exact"), ("user", "question"), ("assistant", "reply")]


def found(run: Run, *changes: Change) -> list[Finding]:
    return list(audit(run, using=CACHE, settings=Settings(changes)).findings)


def ticking(count: int) -> Run:
    return told(*([("system", f"clock {n}"), *ASKED[1:], ("tool", LONG)] for n in range(count)))


def test_a_clock_gives_one_finding_for_the_run_with_its_first_changed_byte() -> None:
    (finding,) = found(ticking(9))
    assert (finding.rule, finding.where.call, finding.where.message) == ("CAC001", 2, 0)
    assert "in 8 of 9 calls (2, 3, 4, 5, 6, 7, … (+2))" in finding.message
    assert "first in call 2 at byte 6, where “clock 0” became “clock 1”" in finding.message


def test_a_cleared_result_before_much_other_text_is_noted() -> None:
    head = [*ASKED, ("tool", "it was a result"), ("assistant", LONG)]
    cleared = [*ASKED, ("tool", "[cleared]"), ("assistant", LONG)]
    (finding,) = found(told(head, cleared))
    assert finding.rule == "CAC002"
    assert finding.where.tool_call_id == "read-1"
    assert f"{len(LONG)} bytes behind it" in finding.message


def test_little_text_behind_a_change_is_not_worth_a_note_unless_a_user_says_so() -> None:
    head = [*ASKED, ("tool", LONG), ("assistant", "short")]
    run = told(head, [*ASKED, ("tool", "[cleared]"), ("assistant", "short")])
    assert found(run) == []
    (finding,) = found(run, Change("CAC002", "least_bytes", 0))
    assert "5 bytes behind it" in finding.message


@pytest.mark.parametrize("grade", [Grade.INFERRED, Grade.UNKNOWN])
def test_requests_that_are_not_recorded_have_no_known_first_byte(grade: Grade) -> None:
    run = ticking(3)
    weak = replace(run, calls=tuple(replace(call, grade=grade) for call in run.calls))
    assert found(weak) == []


def test_another_conversation_is_no_change_of_this_one() -> None:
    other = [("system", "give it a title"), ("user", LONG)]
    assert found(told([*ASKED, ("user", LONG)], other, [*ASKED, ("user", LONG)])) == []


def test_a_conversation_that_is_cut_back_and_goes_on_reads_nothing_anew() -> None:
    whole = [*ASKED, ("user", LONG), ("assistant", "on")]
    assert found(told(whole, [*ASKED, ("user", "other question")])) == []


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ([["read", "search"], ["search", "read"]], "changed their order"),
        ([["read"], ["read", "write"]], "changed (gone: none; come: write)"),
    ],
)
def test_tools_that_change_are_named(tools: list[list[str]], said: str) -> None:
    held = [*ASKED, ("user", LONG)]
    (finding,) = found(told(held, held, tools=tools))
    assert (finding.rule, said in finding.message) == ("CAC003", True)


def test_another_model_is_named_beside_the_one_before() -> None:
    held = [*ASKED, ("user", LONG)]
    run = told(held, held)
    calls = (replace(run.calls[0], model="large"), replace(run.calls[1], model="small"))
    (finding,) = found(replace(run, calls=calls))
    assert "the model changed (large → small) in 1 of 2 calls" in finding.message


def test_a_call_whose_tools_were_not_recorded_says_nothing_of_them() -> None:
    held = [*ASKED, ("user", LONG)]
    run = told(held, held, tools=[["read"], ["read"]])
    bare = replace(run, calls=(run.calls[0], replace(run.calls[1], settings={})))
    assert found(bare) == []
