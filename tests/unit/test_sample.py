"""The sample shows every verdict and every kind of placeholder, the same on every machine."""

from hashlib import sha256
from pathlib import Path

import pytest

from reviewer.services.auditing import audit_paths
from reviewer.services.sample import STORIES, SampleRefused, write_sample
from store.records.findings import Audit, PlaceholderKind, Verdict
from store.records.runs import Problem, ProblemKind

VERDICTS = {
    "incident-review": [
        Verdict.READ,
        Verdict.PARTLY_READ,
        Verdict.FROM_MEMORY,
        Verdict.WRONG_VERSION,
        Verdict.PREVIEW_ONLY,
        Verdict.PLACEHOLDER_ONLY,
        Verdict.PLACEHOLDER_ONLY,
        Verdict.LISTED_ONLY,
        Verdict.NEVER_READ,
        Verdict.QUOTE_DIFFERS,
        Verdict.QUOTE_DIFFERS,
        Verdict.WRONG_HASH,
        Verdict.UNVERIFIABLE,
        Verdict.OUT_OF_BOUNDS,
        Verdict.UNRESOLVED,
    ],
    "lease-review": [
        Verdict.READ,
        Verdict.READ,
        Verdict.FROM_MEMORY,
        Verdict.WRONG_VERSION,
        Verdict.QUOTE_DIFFERS,
        Verdict.READ,
        Verdict.NEVER_READ,
        Verdict.UNRESOLVED,
        Verdict.READ,
        Verdict.PARTLY_READ,
        Verdict.FROM_MEMORY,
        Verdict.OUT_OF_BOUNDS,
    ],
}
PLACEHOLDERS = {
    "incident-review": ["cleared", "truncated", "persisted", "refused"],
    "lease-review": ["folded", "compacted"],
}


@pytest.fixture(scope="module")
def audits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Audit]:
    places = write_sample(tmp_path_factory.mktemp("sample"))
    found = list(audit_paths([str(place) for place in places], tokens=False, strict=True))
    assert not [item for item in found if isinstance(item, Problem)]
    return {item.run.run_id: item for item in found if isinstance(item, Audit)}


@pytest.mark.parametrize("name", STORIES)
def test_each_citation_of_the_sample_has_its_verdict(name: str, audits: dict[str, Audit]) -> None:
    assert [facts.verdict for facts in audits[name].citations] == VERDICTS[name]


@pytest.mark.parametrize("name", STORIES)
def test_each_placeholder_of_the_sample_has_its_kind(name: str, audits: dict[str, Audit]) -> None:
    assert [facts.kind.value for facts in audits[name].placeholders] == PLACEHOLDERS[name]


def test_the_sample_shows_every_verdict_and_every_kind_of_placeholder(
    audits: dict[str, Audit],
) -> None:
    citations = [facts for audit in audits.values() for facts in audit.citations]
    placeholders = [facts for audit in audits.values() for facts in audit.placeholders]
    assert {facts.verdict for facts in citations} == set(Verdict)
    assert {facts.kind for facts in placeholders} == set(PlaceholderKind)


def test_only_the_file_changed_on_purpose_is_a_problem(audits: dict[str, Audit]) -> None:
    problems = [problem for audit in audits.values() for problem in audit.run.problems]
    assert [problem.kind for problem in problems] == [ProblemKind.CHANGED]
    assert "config/pool.toml" in problems[0].what


def _bytes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_sample_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    write_sample(tmp_path / "a")
    write_sample(tmp_path / "b")
    again = _bytes(tmp_path / "a")
    assert again == _bytes(tmp_path / "b")
    assert len(again) > 10


def test_an_earlier_sample_is_replaced(tmp_path: Path) -> None:
    first = write_sample(tmp_path)
    (first[0] / "events.jsonl").write_bytes(b"changed")
    before = _bytes(tmp_path)
    write_sample(tmp_path)
    assert _bytes(tmp_path) != before
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(STORIES)


def test_nothing_but_a_sample_is_ever_replaced(tmp_path: Path) -> None:
    mine = tmp_path / "incident-review"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    with pytest.raises(SampleRefused, match="incident-review"):
        write_sample(tmp_path)
    assert (mine / "notes.txt").read_text() == "mine"
    assert [each.name for each in tmp_path.iterdir()] == ["incident-review"]
