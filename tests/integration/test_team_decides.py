"""Two reviewers with a shared database, as the programs they use see it."""

from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.services.auditing import audit_paths
from reviewer.services.deciding import decision_log
from reviewer.services.lineage import decisions_path
from reviewer.services.open_reviews import open_reviews
from reviewer.services.run_review import RunReview
from reviewer.services.sample import write_sample
from reviewer.services.team import DATABASE_VARIABLE
from store.digest import run_digest
from store.records.findings import Audit
from store.records.reviews import DecisionKind, citation_target
from store.reviews import DecisionLog
from store.sqlite import sqlite_url
from tests.unit.decisions import made


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    (_, folder) = write_sample(tmp_path / "sample")
    (found,) = [
        each for each in audit_paths([str(folder)], tokens=False) if isinstance(each, Audit)
    ]
    return found


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    address = sqlite_url(tmp_path / "team.db")
    monkeypatch.setenv(DATABASE_VARIABLE, address)
    return address


@pytest.mark.usefixtures("shared")
def test_what_one_decides_the_other_sees_and_nothing_lies_in_the_own_folder(audit: Audit) -> None:
    ann, bo = RunReview(audit.run, "Ann"), RunReview(audit.run, "Bo")
    target = citation_target(audit.citations[0])
    ann.decide(target, DecisionKind.ACCEPT, call=1)
    bo.decide(target, DecisionKind.REJECT, call=1)
    seen = ann.look()
    assert seen is not None
    assert seen.states[target].disagreement
    assert not decisions_path(run_digest(audit.run)).exists()
    assert decision_log(audit.run).verify().records == 2


@pytest.mark.usefixtures("shared")
def test_what_was_decided_in_files_before_is_still_shown(audit: Audit) -> None:
    digest = run_digest(audit.run)
    target = citation_target(audit.citations[0])
    before = made("flag", target, "Ann")
    DecisionLog(decisions_path(digest)).append(
        replace(before, run_id=audit.run.run_id, run_digest=digest)
    )
    bo = RunReview(audit.run, "Bo")
    bo.decide(target, DecisionKind.ACCEPT, call=1)
    seen = bo.look()
    assert seen is not None
    assert {opinion.reviewer for opinion in seen.states[target].opinions} == {"Ann", "Bo"}


def test_a_database_that_cannot_be_reached_is_told_and_nothing_seems_decided(
    audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv(DATABASE_VARIABLE, sqlite_url(tmp_path / "file" / "team.db"))
    seen = RunReview(audit.run, "Ann").look()
    assert seen is not None
    assert not seen.states
    assert [problem.what for problem in seen.problems if "reached" in problem.what]


@pytest.mark.usefixtures("shared")
def test_a_report_shows_the_shared_decisions_and_names_the_database(audit: Audit) -> None:
    target = citation_target(audit.citations[0])
    RunReview(audit.run, "Ann").decide(target, DecisionKind.ACCEPT, "page 3", call=1)
    reviews, problems = open_reviews([audit])
    assert not problems
    assert reviews is not None
    assert "team.db" in reviews.log
    assert reviews.of(audit.run.run_id, target) is not None
