"""Which runs the tokenizer is started for."""

from pathlib import Path

import pytest

from reviewer.audit.settings import Change, Settings
from reviewer.reports import reports
from reviewer.services.auditing import audit_paths
from reviewer.services.tokenizer import TokenizerUnavailable, load_tokenizer
from store.records.findings import Audit
from store.records.runs import Problem, ProblemKind
from store.run_writer import JsonObject, RunWriter


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    def load() -> object:
        found.append("started")
        return load_tokenizer()

    monkeypatch.setattr("reviewer.services.auditing.load_tokenizer", load)
    return found


def _estimates(paths: list[str], *, tokens: bool) -> set[bool]:
    audits = [each for each in audit_paths(paths, tokens=tokens) if isinstance(each, Audit)]
    return {call.tokens.estimated is not None for audit in audits for call in audit.calls}


def _run(
    folder: Path, text: str, *, budget: JsonObject | None = None, usage: JsonObject | None = None
) -> str:
    writer = RunWriter(folder, "r", budget=budget)
    message = {"role": "user", "parts": [{"type": "text", "content": text}]}
    answer = {"role": "assistant", "parts": [{"type": "text", "content": "Nine."}]}
    writer.model_call([message], [answer], usage=usage)
    return str(writer.finish())


def test_the_tokenizer_starts_only_where_its_count_is_used(
    tmp_path: Path, started: list[str]
) -> None:
    silent = [_run(tmp_path / "run", "How much?", budget={"max_tool_calls": 9})]
    assert _estimates(silent, tokens=False) == {False}
    assert not started
    assert _estimates(silent, tokens=True) == {True}
    assert started == ["started"]


def test_a_run_that_reports_tokens_is_counted_to_compare(
    tmp_path: Path, started: list[str]
) -> None:
    run = _run(tmp_path / "run", "How much?", usage={"input_tokens": 9})
    assert _estimates([run], tokens=False) == {True}
    assert started == ["started"]


@pytest.mark.parametrize("by_run", [True, False])
def test_a_limit_in_tokens_holds_whatever_the_report_shows(
    tmp_path: Path, started: list[str], *, by_run: bool
) -> None:
    limit = Change("BUD005", "max_run_tokens", 20)
    settings = Settings() if by_run else Settings((limit,))
    budget = {"max_request_tokens": 20} if by_run else None
    run = _run(tmp_path / "run", "How much is it? " * 40, budget=budget)
    found = audit_paths([run], tokens=False, settings=settings)
    (audit,) = (each for each in found if isinstance(each, Audit))
    assert [finding.rule for finding in audit.findings] == ["BUD005"]
    assert started == ["started"]


def test_a_report_that_shows_tokens_asks_for_them() -> None:
    assert {name for name, report in reports().items() if report.tokens} == {"json"}


def test_a_limit_that_no_tokens_could_be_held_against_was_not_kept_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise TokenizerUnavailable("no vocabulary")

    monkeypatch.setattr("reviewer.services.auditing.load_tokenizer", missing)
    limited = _run(tmp_path / "limited", "What?", budget={"max_request_tokens": 5})
    free = _run(tmp_path / "free", "What?")
    found = list(audit_paths([limited, free], tokens=False))
    lost = [p for p in found if isinstance(p, Problem) and p.kind is ProblemKind.LOST]
    assert [problem.where for problem in lost] == [limited]
    assert "not looked at" in lost[0].what
