"""Which runs the tokenizer is started for."""

from pathlib import Path

import pytest

from reviewer.reports import reports
from reviewer.services.auditing import audit_paths
from reviewer.services.sample import write_sample
from reviewer.services.tokenizer import load_tokenizer
from store.records.findings import Audit
from store.run_writer import RunWriter


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


def test_the_tokenizer_starts_only_where_its_count_is_used(
    tmp_path: Path, started: list[str]
) -> None:
    silent = [str(place) for place in write_sample(tmp_path / "sample")]
    assert _estimates(silent, tokens=False) == {False}
    assert not started
    assert _estimates(silent, tokens=True) == {True}
    assert started == ["started"]


def test_a_run_that_reports_tokens_is_counted_to_compare(
    tmp_path: Path, started: list[str]
) -> None:
    writer = RunWriter(tmp_path / "run", "r")
    message = {"role": "user", "parts": [{"type": "text", "content": "How much?"}]}
    answer = {"role": "assistant", "parts": [{"type": "text", "content": "Nine."}]}
    writer.model_call([message], [answer], usage={"input_tokens": 9})
    assert _estimates([str(writer.finish())], tokens=False) == {True}
    assert started == ["started"]


def test_a_report_that_shows_tokens_asks_for_them() -> None:
    assert {name for name, report in reports().items() if report.tokens} == {"json"}
