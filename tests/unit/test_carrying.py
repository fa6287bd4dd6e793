"""Decisions carried over to another run: only where the text is the same, and each says so."""

import errno
import hashlib
import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.audit.compare_decisions import decision_fates
from reviewer.audit.compare_runs import compare_runs
from reviewer.audit.engine import audit
from reviewer.reports import opinion_lines
from reviewer.services.carrying import Decided, carry, decided, with_decisions
from reviewer.services.comparing import Comparing, compare_audits
from reviewer.services.deciding import decision_log
from reviewer.services.lineage import Lineage, logs_of
from reviewer.services.reviewing import Reviewing
from reviewer.services.run_review import RunReview
from reviewer.window.presenters.decisions import decision_rows
from store.digest import run_digest
from store.errors import StoreError
from store.records.citations import SourceCitation
from store.records.comparisons import DecisionFate, Obstacle, RunComparison
from store.records.findings import Audit
from store.records.reviews import DecisionKind, Target, citation_target, current, finding_target
from store.records.runs import Answer
from store.records.text import Span
from store.reviews import DecisionLog
from tests.unit.audit_runs import TEXT, Talk, chars
from tests.unit.decisions import START, made

SECOND = TEXT.index("The export")
CITED = Span(SECOND, SECOND + 48)
WORDS = "The service stops [1]. All else goes on."
MARK = Span(WORDS.index("[1]"), WORDS.index("[1]") + 3)


def run(
    text: str = TEXT,
    cited: Span = CITED,
    words: str = WORDS,
    *,
    given: str | None = None,
    more: bool = False,
) -> Audit:
    """Return an audited run whose answer cites a place of one source; *more* goes on after it."""
    talk = Talk()
    talk.say("What stops?")
    talk.source("doc", text)
    talk.result(text if given is None else given, chars("doc"))
    mark = Span(words.index("[1]"), words.index("[1]") + 3)
    citation = SourceCitation(mark, "doc", span=cited)
    talk.builder.answers.append(Answer(talk.call(), words, (citation,)))
    if more:
        talk.say(words, role="assistant")
        talk.say("And then?")
        talk.call()
    return audit(talk.run())


A = run()
FRONT = "A line in front of it.\n"
MOVED = run(FRONT + TEXT, Span(CITED.start + len(FRONT), CITED.end + len(FRONT)))
CHANGED = run(TEXT.replace("stops before", "stops long before"))


def reviewing(found: Audit, name: str) -> Reviewing:
    log = decision_log(found.run)
    digest = run_digest(found.run)
    return Reviewing(log, name, run_id=found.run.run_id, run_digest=digest, now=lambda: START)


def decide(found: Audit) -> DecisionLog:
    """Two reviewers decide differently on the citation of a run."""
    target = citation_target(found.citations[0])
    reviewing(found, "Ann").decide(target, DecisionKind.ACCEPT, "page 3 says so")
    reviewing(found, "Bo").decide(target, DecisionKind.REJECT)
    reviewing(found, "Ann").decide(target, DecisionKind.NOTE, "一条注释 🤔")
    return file_of(found)


def file_of(found: Audit) -> DecisionLog:
    return DecisionLog(Path(decision_log(found.run).where))


def compared(a: Audit, b: Audit) -> Comparing:
    return with_decisions(compare_audits(a, b), held(a))


def held(found: Audit) -> Decided:
    """Return the decisions on a run as its logs hold them."""
    lineage = Lineage(found.run)
    return Decided.read(lineage, logs_of(lineage))


def fates(a: Audit, b: Audit) -> tuple[DecisionFate, ...]:
    found = compared(a, b).comparison.found
    assert isinstance(found, RunComparison)
    return found.decisions


def carried(a: Audit, b: Audit, by: str = "Cy") -> int:
    """Carry over and return how many events were added."""
    done = carry(compared(a, b), held(a), by, lambda: START)
    return len(done.added)


def test_decisions_go_over_to_a_text_that_moved_and_say_from_where() -> None:
    theirs = decide(A).read().decisions
    assert carried(A, MOVED) == 3
    ours = decision_log(MOVED.run).read()
    assert ours.holds
    assert [each.kind for each in ours.decisions] == [each.kind for each in theirs]
    for new, old in zip(ours.decisions, theirs, strict=True):
        assert (new.reviewer, new.note) == (old.reviewer, old.note)
        assert new.target == citation_target(MOVED.citations[0])
        assert new.run_digest == run_digest(MOVED.run)
        assert new.carried is not None
        assert (new.carried.event, new.carried.hash, new.carried.by) == (old.id, old.hash, "Cy")
        assert new.carried.run_digest == run_digest(A.run)
        assert new.carried.target == old.target
        assert new.carried.from_place.endswith(f"[{CITED.start}:{CITED.end}]")
        start, end = CITED.start + len(FRONT), CITED.end + len(FRONT)
        assert new.carried.to_place.endswith(f"[{start}:{end}]")


def test_a_disagreement_stays_one() -> None:
    decide(A)
    carried(A, MOVED)
    (state,) = current(decision_log(MOVED.run).read().decisions).values()
    assert state.disagreement
    assert [each.reviewer for each in state.opinions] == ["Ann", "Bo"]


def test_every_place_that_shows_a_carried_decision_says_so() -> None:
    decide(A)
    carried(A, MOVED)
    (state,) = current(decision_log(MOVED.run).read().decisions).values()
    lines = list(opinion_lines(state))
    assert all("carried over by Cy from run talk" in line for line in lines[:-1])
    assert "the text stood at doc@" in lines[0]
    words = [row.word for row in decision_rows(state)]
    assert all(word.endswith("on run talk, carried over by Cy") for word in words)
    (before,) = current(held(A).standing).values()
    assert not any("carried" in row.word for row in decision_rows(before))


def test_done_twice_it_adds_nothing() -> None:
    decide(A)
    assert carried(A, MOVED) == 3
    before = file_of(MOVED).path.read_bytes()
    assert carried(A, MOVED, "Someone else") == 0
    assert file_of(MOVED).path.read_bytes() == before
    reviewing(A, "Dee").decide(citation_target(A.citations[0]), DecisionKind.FLAG)
    assert carried(A, MOVED) == 1


def test_what_was_taken_back_after_it_was_carried_over_does_not_come_again() -> None:
    decide(A)
    carried(A, MOVED)
    reviewing(MOVED, "Bo").undo(citation_target(MOVED.citations[0]))
    assert carried(A, MOVED) == 0
    (state,) = current(decision_log(MOVED.run).read().decisions).values()
    assert not state.disagreement


def test_nothing_goes_back_to_where_it_came_from() -> None:
    log = decide(A)
    carried(A, MOVED)
    before = log.path.read_bytes()
    assert carried(MOVED, A) == 0
    assert log.path.read_bytes() == before


def test_a_record_that_goes_on_holds_the_decisions_on_its_beginning_already() -> None:
    review = RunReview(A.run, "Ann")
    facts = A.citations[0]
    call = facts.call_at_answer
    review.decide(citation_target(facts), DecisionKind.ACCEPT, call=call, answer=WORDS)
    grown = run(more=True)
    assert run_digest(grown.run) != run_digest(A.run)
    assert carried(A, grown) == 0
    assert [each.carried for each in held(grown).standing] == [None]


def test_what_was_carried_over_goes_on_with_the_record() -> None:
    decide(A)
    carried(A, MOVED)
    place = Span(CITED.start + len(FRONT), CITED.end + len(FRONT))
    grown = run(FRONT + TEXT, place, more=True)
    assert len(held(grown).standing) == 3
    assert len(held(A).standing) == 3


def test_what_was_taken_back_is_not_carried_over() -> None:
    decide(A)
    reviewing(A, "Bo").undo(citation_target(A.citations[0]))
    assert carried(A, MOVED) == 2


@pytest.mark.parametrize(
    ("other", "obstacle"),
    [
        (CHANGED, Obstacle.TEXT),
        (run(TEXT[:SECOND], Span(0, 5)), Obstacle.TEXT),
        (run(f"{TEXT}{TEXT}"[10:], Span(0, 5)), Obstacle.TEXT),
        (run(words="The service never stops [1]. All else goes on."), Obstacle.SENTENCE),
        (run(cited=Span(0, 36)), Obstacle.TEXT),
        (run(given=TEXT[:SECOND]), Obstacle.VERDICT),
        (run(words="Nothing of it [1]."), Obstacle.NOTHING),
    ],
    ids=["changed", "gone", "ambiguous", "sentence", "place", "verdict", "nothing"],
)
def test_nothing_is_carried_over_where_anything_is_another(
    other: Audit, obstacle: Obstacle
) -> None:
    decide(A)
    found = {fate.obstacle for fate in fates(A, other)}
    assert None not in found
    assert found <= {obstacle, Obstacle.NOTHING, Obstacle.SENTENCE}
    assert carried(A, other) == 0
    assert decision_log(other.run).read().missing


def test_a_citation_without_a_version_is_not_the_same_where_it_means_another_one() -> None:
    """B holds the version that A meant, and its own citation means a newer one."""
    newer = TEXT.replace("stops before", "goes on before")
    talk = Talk()
    talk.say("What stops?")
    talk.source("doc", TEXT)
    talk.source("doc", newer)
    talk.result(newer, chars("doc", version=hashlib.sha256(newer.encode()).hexdigest()))
    citation = SourceCitation(MARK, "doc", span=CITED)
    talk.builder.answers.append(Answer(talk.call(), WORDS, (citation,)))
    other = audit(talk.run())
    assert citation_target(other.citations[0]) == citation_target(A.citations[0])
    assert other.citations[0].version_id != A.citations[0].version_id
    decide(A)
    assert {fate.obstacle for fate in fates(A, other)} == {Obstacle.TEXT}
    assert carried(A, other) == 0


@pytest.mark.parametrize("more", [{"quote": "another quotation"}, {"fields": ("a",)}])
def test_another_quotation_or_other_fields_are_another_citation(more: dict[str, Any]) -> None:
    talk = Talk()
    talk.say("What stops?")
    talk.source("doc", TEXT)
    talk.result(TEXT, chars("doc"))
    citation = SourceCitation(MARK, "doc", span=CITED, **more)
    talk.builder.answers.append(Answer(talk.call(), WORDS, (citation,)))
    decide(A)
    assert {fate.to for fate in fates(A, audit(talk.run()))} == {None}


LINES = [
    "the first of all the lines\n",
    "单批上限为200条，超时设为三十秒。\n",
    "x\n",
    "a\n",
    "200\n",
]
TEXTS = st.lists(st.sampled_from(LINES), min_size=1, max_size=7).map("".join)


@settings(max_examples=150)
@given(TEXTS, TEXTS, st.data())
def test_whatever_can_be_carried_over_speaks_of_the_same_text(
    old: str, new: str, data: st.DataObject
) -> None:
    def place(text: str) -> Span:
        start = data.draw(st.integers(0, len(text) - 1))
        return Span(start, data.draw(st.integers(start + 1, len(text))))

    a = run(old, place(old))
    # Often the very text, if it is there: chance alone would seldom find it.
    cited = a.citations[0].span or Span(0, 1)
    words = old[cited.start : cited.end]
    at = new.find(words)
    again = Span(at, at + len(words)) if at >= 0 and data.draw(st.booleans()) else place(new)
    b = run(new, again)
    found = compare_runs(a, b, identical=False)
    target = citation_target(a.citations[0])
    (fate,) = decision_fates([("e", target)], a, b, found.citations, found.sources)
    if fate.to is not None:
        assert fate.to == citation_target(b.citations[0])
        assert new[again.start : again.end] == words
        assert a.citations[0].verdict is b.citations[0].verdict
        assert fate.fated is not None
        assert fate.fated.fate.is_same_text
        assert fate.fated.b == again
    else:
        assert fate.obstacle is not None


def test_a_decision_on_something_that_the_audit_does_not_hold_stays_where_it_is() -> None:
    log = decision_log(A.run)
    event = made("flag", Target.of("finding:0123"))
    log.append(replace(event, run_id=A.run.run_id, run_digest=run_digest(A.run)))
    assert [fate.obstacle for fate in fates(A, MOVED)] == [Obstacle.NOT_IN_A]


def test_a_finding_about_the_same_citation_is_the_same_finding() -> None:
    never = run(given=TEXT[:SECOND])
    place = Span(CITED.start + len(FRONT), CITED.end + len(FRONT))
    moved = run(FRONT + TEXT, place, given=(FRONT + TEXT)[: SECOND + len(FRONT)])
    finding = next(each for each in never.findings if each.where.citation is not None)
    target = finding_target(finding)
    assert target is not None
    reviewing(never, "Ann").decide(target, DecisionKind.REJECT)
    (fate,) = fates(never, moved)
    assert fate.to is not None
    assert fate.to in {finding_target(each) for each in moved.findings}
    assert fates(A, moved) == ()


def test_one_record_has_one_log() -> None:
    decide(A)
    with pytest.raises(StoreError, match="one log"):
        carried(A, run())


def test_a_log_that_was_changed_is_not_carried_over() -> None:
    log = decide(A)
    log.path.write_bytes(log.path.read_bytes().replace(b"page 3", b"page 4"))
    with pytest.raises(StoreError, match="cannot be relied on"):
        carried(A, MOVED)
    assert decision_log(MOVED.run).read().missing


def test_where_no_decision_was_made_there_is_nothing_to_carry_over() -> None:
    told: list[str] = []
    decided(compare_audits(A, MOVED), told.append, carry_over=True)
    assert any("there is no log" in words for words in told)
    assert decision_log(MOVED.run).read().missing


def test_what_a_full_disk_stopped_is_carried_over_the_next_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decide(A)
    writes = 0
    real = os.fsync

    def full(handle: int) -> None:
        nonlocal writes
        if os.fstat(handle).st_size and stat.S_ISREG(os.fstat(handle).st_mode):
            writes += 1
            if writes == 2:
                raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="not kept"):
            carried(A, MOVED)
    assert file_of(MOVED).verify().records == 1
    assert carried(A, MOVED) == 2
    log = file_of(MOVED).verify()
    assert (log.records, log.holds) == (3, True)


def test_two_programs_that_carry_over_at_once_write_each_decision_once() -> None:
    decide(A)
    with ThreadPoolExecutor(4) as pool:
        added = list(pool.map(lambda name: carried(A, MOVED, f"By {name}"), range(4)))
    assert sum(added) == 3
    log = file_of(MOVED).verify()
    assert (log.records, log.holds) == (3, True)


# -- the log -----------------------------------------------------------------------


def test_a_log_with_carried_decisions_still_verifies_by_the_recipe_of_the_manual() -> None:
    decide(A)
    carried(A, MOVED)
    log = file_of(MOVED)
    previous = "0" * 64
    for line in log.path.read_bytes().splitlines():
        record = json.loads(line)
        assert record["format"] == "reread.decision/1"
        assert record["previous"] == previous
        content = line.replace(b'"hash":"%s",' % record["hash"].encode(), b"", 1)
        # The other hash stands inside ``carried``, which comes before.
        top = {key: value for key, value in record.items() if key != "hash"}
        spelled = json.dumps(top, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        assert hashlib.sha256(spelled.encode()).hexdigest() == record["hash"]
        assert content == spelled.encode()
        previous = record["hash"]
    assert log.verify().holds
    assert log.verify().last_hash == previous


def test_a_changed_source_of_a_carried_decision_breaks_the_chain() -> None:
    decide(A)
    carried(A, MOVED)
    log = file_of(MOVED)
    log.path.write_bytes(log.path.read_bytes().replace(b'"by":"Cy"', b'"by":"Di"', 1))
    assert not log.verify().holds


def test_a_log_from_before_still_verifies(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "log.jsonl")
    log.append(made())
    log.append(made("note", note="words"))
    assert b"carried" not in log.path.read_bytes()
    assert log.verify().holds
    assert [each.carried for each in log.read().decisions] == [None, None]


def test_carried_words_of_another_kind_are_lost_and_not_invented(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "log.jsonl")
    sealed = log.append(made())
    record = json.loads(log.path.read_bytes())
    for wrong in ("text", 3, {}, {"by": "Ann"}, {"by": 3}):
        record["carried"] = wrong
        top = {key: value for key, value in record.items() if key != "hash"}
        spelled = json.dumps(top, sort_keys=True, separators=(",", ":"))
        top["hash"] = hashlib.sha256(spelled.encode()).hexdigest()
        log.path.write_text(json.dumps(top, sort_keys=True, separators=(",", ":")) + "\n", "utf-8")
        reading = log.read()
        assert reading.decisions == ()
        assert reading.records == 1
        assert "cannot be understood" in reading.problems[0].what
    assert sealed.carried is None


def test_events_that_are_there_are_not_written_again(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "log.jsonl")
    first, second = made(), made("flag")
    assert len(log.append_new([first, second, first])) == 2
    assert DecisionLog(log.path).append_new([second, first]) == ()
    assert log.append_new([]) == ()
    assert log.verify().records == 2


def test_nothing_to_add_makes_no_log(tmp_path: Path) -> None:
    DecisionLog(tmp_path / "log.jsonl").append_new([])
    assert not (tmp_path / "log.jsonl").exists()
