"""A run that grew keeps its log; a run that only looks like it gets none of another's decisions."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.services.auditing import audit_paths
from reviewer.services.deciding import decision_log
from reviewer.services.lineage import Lineage, decisions_path, logs_of
from reviewer.services.open_reviews import open_reviews
from reviewer.services.run_review import RunReview
from reviewer.services.sample import write_sample
from store.digest import run_digest
from store.records.findings import Audit
from store.records.reviews import Decision, DecisionKind, Target, citation_target
from store.records.runs import Call, Message, Part, PartKind, Run
from tests.made import made_run


def audited(path: Path) -> Audit:
    (found,) = [each for each in audit_paths([str(path)], tokens=False) if isinstance(each, Audit)]
    return found


@pytest.fixture
def grown(tmp_path: Path) -> list[Audit]:
    """Give the same run at three lengths, the last with its answer."""
    (folder, _) = write_sample(tmp_path / "sample")
    events = folder / "events.jsonl"
    lines = events.read_bytes().splitlines(keepends=True)
    found = []
    for calls in (5, 7, 99):
        end = f'"index": {calls + 1},'.encode()
        at = next((n for n, one in enumerate(lines) if end in one[:60]), len(lines))
        copy = tmp_path / f"at-{calls}"
        shutil.copytree(folder, copy)
        (copy / "events.jsonl").write_bytes(b"".join(lines[:at]))
        found.append(audited(copy))
    return found


def decided(audit: Audit, key: str = "f" * 32, *, call: int | None = None) -> Decision:
    review = RunReview(audit.run, "Ann")
    return review.decide(Target.of(f"finding:{key}"), DecisionKind.FLAG, call=call)


def test_the_log_follows_a_run_that_grows(grown: list[Audit]) -> None:
    short, longer, whole = grown
    assert len({run_digest(each.run) for each in grown}) == 3
    made = decided(short)
    log = decision_log(short.run)
    assert log.where == str(decisions_path(run_digest(short.run)))
    assert decision_log(longer.run).where == decision_log(whole.run).where == log.where
    shown = RunReview(whole.run, "Bo").look()
    assert shown is not None
    assert shown.states[made.target].opinions[0].reviewer == "Ann"
    assert shown.problems == ()
    decided(whole, "e" * 32)
    assert [each.run_digest for each in log.read().decisions] == [
        run_digest(short.run),
        run_digest(whole.run),
    ]


def test_a_citation_is_the_same_one_only_with_the_same_answer(grown: list[Audit]) -> None:
    whole = grown[-1]
    facts = whole.citations[2]
    text = whole.run.answers[facts.answer].text
    RunReview(whole.run, "Ann").decide(
        citation_target(facts), DecisionKind.ACCEPT, call=facts.call_at_answer, answer=text
    )
    same = replace(whole.run, title="another title, and so another digest")
    shown = RunReview(same, "Bo").look()
    assert shown is not None
    assert citation_target(facts) in shown.states
    answers = (replace(whole.run.answers[0], text=text + " And more."), *whole.run.answers[1:])
    shown = RunReview(replace(same, answers=answers), "Bo").look()
    assert shown is not None
    assert shown.states == {}


def test_another_run_of_the_same_name_gets_no_decision_of_it() -> None:
    decided_on = made_run()
    RunReview(decided_on, "Ann").decide(Target.of("finding:" + "a" * 32), DecisionKind.ACCEPT)
    other = replace(
        decided_on,
        messages=(
            Message("user", (Part(PartKind.TEXT, "something else"),)),
            *decided_on.messages[1:],
        ),
    )
    assert decision_log(other).where == str(decisions_path(run_digest(other)))
    shown = RunReview(other, "Bo").look()
    assert shown is not None
    assert shown.states == {}


def test_decisions_in_the_same_log_on_what_came_apart_are_counted_and_not_shown(
    grown: list[Audit],
) -> None:
    short, _, whole = grown
    decided(short, call=2)
    decided(whole, "e" * 32)
    calls = list(short.run.calls)
    calls[-1] = replace(calls[-1], model="another model")
    fork = replace(short.run, calls=tuple(calls))
    shown = RunReview(fork, "Bo").look()
    assert shown is not None
    assert [str(each) for each in shown.states] == ["finding:" + "f" * 32]
    assert [each.what for each in shown.problems] == [
        "decisions made on a record that this one does not go on from, not shown: 1"
    ]


def test_two_logs_of_one_run_are_shown_together_and_an_undo_reaches_both(
    grown: list[Audit],
) -> None:
    short, longer, _ = grown
    # Bo decides on what only the longer record holds, so that Ann cannot see that log.
    decided(longer, "b" * 32)
    decided(short, "a" * 32)
    assert decision_log(short.run).where != decision_log(longer.run).where
    review = RunReview(longer.run, "Ann")
    shown = review.look()
    assert shown is not None
    assert len(shown.states) == 2
    assert len(logs_of(Lineage(longer.run))) == 2
    assert review.undo(Target.of("finding:" + "a" * 32)) is not None
    shown = review.look()
    assert shown is not None
    assert [str(each) for each in shown.states] == ["finding:" + "b" * 32]


def test_a_log_made_elsewhere_meanwhile_is_found_at_the_next_look(grown: list[Audit]) -> None:
    short, longer, _ = grown
    review = RunReview(longer.run, "Bo")
    assert review.look() is not None
    assert review.look() is None
    made = decided(short)
    shown = review.look()
    assert shown is not None
    assert made.target in shown.states


def test_a_report_on_several_runs_names_every_log(grown: list[Audit]) -> None:
    assert open_reviews([grown[0]]) == (None, ())
    decided(grown[0])
    reviews, problems = open_reviews([grown[2]])
    assert reviews is not None
    assert (reviews.records, reviews.holds, reviews.more) == (1, True, ())
    assert [each.what for each in problems] == [
        f"decisions made on an earlier record of run {grown[0].run.run_id}: 1"
    ]


def test_runs_that_share_a_name_show_only_what_stands_on_each(grown: list[Audit]) -> None:
    whole = grown[-1]
    decided(whole)
    messages = (Message("user", (Part(PartKind.TEXT, "else"),)), *whole.run.messages[1:])
    other = replace(whole, run=replace(whole.run, messages=messages))
    reviews, problems = open_reviews([whole, other])
    assert reviews is not None
    assert reviews.by_run[whole.run.run_id] == {}
    assert "another open run is called" in problems[-1].what


def test_a_run_without_calls_has_no_beginning() -> None:
    empty = Run("r", "r", "f", made_run().layer, made_run().grade)
    lineage = Lineage(empty)
    assert lineage.mark(None) == lineage.mark(1) == ""
    one = replace(empty, messages=(Message("user", ()),), calls=(Call(1, ()),))
    assert Lineage(one).mark(1).startswith("1:")
    assert Lineage(one).mark(2) == ""
