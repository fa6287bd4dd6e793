"""Shared prefixes: which breaks are worth a note, and which are none."""

from dataclasses import replace

import pytest

from reviewer.audit.engine import audit
from reviewer.audit.moments import seconds_between
from reviewer.audit.rules import rules
from reviewer.audit.rules._prefix import LONG, told
from reviewer.audit.settings import Change, Settings
from store.records.findings import Finding
from store.records.grades import Grade
from store.records.runs import Run, Splice, Usage

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


# -- the provider's cache ------------------------------------------------------------------


def cached(
    read: int,
    *,
    seconds: int = 9,
    role: str = "tool",
    start: str = "2026-10-27T23:59:55Z",
    model: str = "m",
) -> Run:
    """Two calls of one turn: 9000 tokens were left in the cache, *read* of them were read."""
    held = [*ASKED, ("user", LONG)]
    run = told(held, [*held, (role, "more")])
    later = f"2026-10-28T00:{(seconds - 5) // 60:02d}:{(seconds - 5) % 60:02d}Z"
    calls = (
        replace(run.calls[0], usage=Usage(9000, 1, 1000, 8000), at=start, model=model),
        replace(run.calls[1], usage=Usage(9100, 1, read, 9100 - read), at=later, model="m"),
    )
    return replace(run, calls=calls)


def test_a_cache_that_was_lost_within_seconds_shows_a_change_that_is_not_recorded() -> None:
    (finding,) = found(cached(800))
    assert (finding.rule, finding.where.call) == ("CAC004", 2)
    assert "800 of 9000 tokens in call 2" in finding.message


@pytest.mark.parametrize(
    "run",
    [
        cached(9000),
        cached(6000),
        cached(0),
        cached(800, seconds=300),
        cached(800, role="user"),
        cached(800, start=""),
        cached(800, start="2026-10-27T23:59:55"),
        cached(800, model="other"),
    ],
    ids=["read", "half", "nothing", "late", "turn", "untimed", "zoneless", "model"],
)
def test_a_cache_that_may_be_lost_for_another_reason_says_nothing(run: Run) -> None:
    assert [finding for finding in found(run) if finding.rule == "CAC004"] == []


def test_a_recorded_change_explains_a_lost_cache() -> None:
    run = cached(800)
    tick = replace(run.messages[0], parts=(replace(run.messages[0].parts[0], text="be quick"),))
    clock = Splice(0, 1, (len(run.messages),))
    second = replace(run.calls[1], splices=(clock, *run.calls[1].splices))
    changed = replace(run, messages=(*run.messages, tick), calls=(run.calls[0], second))
    assert [finding.rule for finding in found(changed)] == ["CAC001"]


@pytest.mark.parametrize(
    ("earlier", "later", "seconds"),
    [
        ("2026-10-27T10:00:00Z", "2026-10-27T10:00:09.5Z", 9.5),
        ("2026-10-27T10:00:00+08:00", "2026-10-27T03:00:00+01:00", 0),
        ("2024-02-28T23:59:59", "2024-03-01T00:00:00", 86_401),
        ("2023-02-28T23:59:59", "2023-03-01T00:00:00", 1),
        ("2025-12-31T23:00:00-01:00", "2026-01-01T00:00:00Z", 0),
        ("2026-10-27T10:00:00Z", "yesterday", None),
        (None, "2026-10-27T10:00:00Z", None),
        ("2026-10-27T10:00:00", "2026-10-27T10:00:00Z", None),
    ],
)
def test_recorded_times_are_compared_across_zones_months_and_leap_days(
    earlier: str | None, later: str, seconds: float | None
) -> None:
    assert seconds_between(earlier, later) == seconds
