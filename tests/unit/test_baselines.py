"""Baselines: what was known does not fail, what is new does, what is gone is told."""

import json
import shutil
from pathlib import Path

import pytest

from reviewer.app import Program
from reviewer.services import baselines
from reviewer.services.auditing import audit_paths
from reviewer.services.baselines import SCHEMA, Baseline, BaselineError
from reviewer.services.sample import write_sample
from store.records.findings import Audit, BaselineState
from tests.made import Ended, command

SAMPLES = (
    "scenarios/coverage-facts",
    "scenarios/evidence-tools",
    "scenarios/retrieval-admission",
    "scenarios/turn-end-clearing",
    "claude-code/phantom-reads/schema-13-2120_20260129-202641",
)


@pytest.fixture
def samples(tmp_path: Path) -> list[Path]:
    return list(write_sample(tmp_path / "sample"))


def run_audit(*arguments: object) -> Ended:
    return command("audit", *map(str, arguments), program=Program())


def written(folder: Path, *paths: Path) -> Path:
    place = folder / "baseline.json"
    ended = run_audit(*paths, "--write-baseline", place)
    assert "wrote" in ended.err
    return place


def without(place: Path, rule: str) -> None:
    """Take the findings of a rule out of a baseline."""
    value = json.loads(place.read_text())
    for run in value["runs"]:
        run["findings"] = [each for each in run["findings"] if each["rule"] != rule]
    place.write_text(json.dumps(value))


def test_what_is_in_the_baseline_does_not_fail(samples: list[Path], tmp_path: Path) -> None:
    assert run_audit(samples[0]).status == 1
    place = written(tmp_path, *samples)
    ended = run_audit(*samples, "--baseline", place, "--fail-on", "note")
    assert ended.status == 0
    assert "none new; none of the baseline gone" in ended.out


def test_a_new_finding_fails_at_its_severity(samples: list[Path], tmp_path: Path) -> None:
    place = written(tmp_path, *samples)
    without(place, "CIT006")
    assert run_audit(*samples, "--baseline", place).status == 0
    ended = run_audit(*samples, "--baseline", place, "--fail-on", "warning")
    assert ended.status == 1
    new = [line for line in ended.out.splitlines() if line.endswith("· new")]
    assert [line.split()[2] for line in new] == ["CIT006", "CIT006"]


def test_an_earlier_audit_in_json_is_a_baseline(samples: list[Path], tmp_path: Path) -> None:
    place = tmp_path / "audit.json"
    run_audit(samples[0], "--output", place)
    ended = run_audit(samples[0], "--baseline", place, "--format", "json")
    assert ended.status == 0
    (run,) = json.loads(ended.out)["runs"]
    assert {each["baseline"] for each in run["findings"]} == {"unchanged"}
    assert run["absent"] == []


def test_a_finding_that_is_gone_is_told(samples: list[Path], tmp_path: Path) -> None:
    place = written(tmp_path, samples[0])
    value = json.loads(place.read_text())
    value["runs"][0]["findings"].append(
        {"fingerprint": "0" * 32, "rule": "CIT001", "severity": "error", "message": "gone by now"}
    )
    place.write_text(json.dumps(value))
    ended = run_audit(samples[0], "--baseline", place)
    assert (ended.status, "gone: CIT001: gone by now" in ended.out) == (0, True)
    assert (
        "1 of the baseline gone"
        in run_audit(samples[0], "--baseline", place, "--format", "html").out
    )
    (run,) = json.loads(run_audit(samples[0], "--baseline", place, "--format", "json").out)["runs"]
    assert [(each["rule"], each["baseline"]) for each in run["absent"]] == [("CIT001", "absent")]


def test_of_equal_findings_as_many_are_known_as_the_baseline_has(
    samples: list[Path], tmp_path: Path
) -> None:
    place = written(tmp_path, samples[0])
    (found,) = audit_paths([str(samples[0])], tokens=False)
    assert isinstance(found, Audit)
    twice = found.__class__(
        **{
            **{name: getattr(found, name) for name in found.__dataclass_fields__},
            "findings": (*found.findings, found.findings[0]),
        }
    )
    (judged,) = Baseline.read(str(place)).compared([twice])
    assert isinstance(judged, Audit)
    states = [finding.baseline for finding in judged.findings]
    assert states.count(BaselineState.NEW) == 1
    assert states[-1] is BaselineState.NEW


def test_a_run_of_the_baseline_that_was_not_audited_is_named(
    samples: list[Path], tmp_path: Path
) -> None:
    place = written(tmp_path, *samples)
    ended = run_audit(samples[0], "--baseline", place)
    assert "this baseline that were not audited here (1): lease-review" in ended.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "no JSON"),
        ("[]", "neither a baseline nor an audit"),
        ('{"schema": "sarif"}', "neither a baseline nor an audit"),
        (f'{{"schema": "{SCHEMA}", "runs": [{{"findings": [{{}}]}}]}}', "without a fingerprint"),
    ],
)
def test_what_is_no_baseline_is_wrong_usage(
    samples: list[Path], tmp_path: Path, text: str, said: str
) -> None:
    place = tmp_path / "b.json"
    place.write_text(text)
    with pytest.raises(BaselineError, match=said):
        Baseline.read(str(place))
    assert run_audit(samples[0], "--baseline", place).status == 2
    assert run_audit(samples[0], "--baseline", tmp_path / "none").status == 2


def test_a_baseline_that_is_too_large_is_not_called_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baselines, "_MOST_BYTES", 10)
    place = tmp_path / "b.json"
    place.write_text(" " * 20)
    with pytest.raises(BaselineError, match="more than 10 bytes and was not read"):
        Baseline.read(str(place))


def test_a_baseline_is_never_written_into_evidence(samples: list[Path]) -> None:
    ended = run_audit(samples[0], "--write-baseline", samples[0] / "baseline.json")
    assert ended.status == 2
    assert "--write-baseline" in ended.err


def test_the_same_findings_give_the_same_bytes(samples: list[Path], tmp_path: Path) -> None:
    first = written(tmp_path, *samples).read_bytes()
    assert written(tmp_path, *samples).read_bytes() == first
    assert first.decode("ascii").count("\n") > 20


@pytest.mark.parametrize("name", SAMPLES)
def test_a_moved_folder_audited_again_has_the_same_fingerprints(
    shared: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = shared / "data" / name
    if not given.exists():
        pytest.skip(f"{name} is not here")
    place = tmp_path / "somewhere else" / "moved"
    shutil.copytree(given, place)
    monkeypatch.chdir(place.parent)
    baseline = written(tmp_path, given)
    ended = run_audit("moved", "--baseline", baseline, "--fail-on", "note")
    assert ended.status in {0, 3}
    new = [line for line in ended.out.splitlines() if line.endswith("· new")]
    assert (new, "gone: " in ended.out) == ([], False)


def test_copies_of_one_run_are_each_known(samples: list[Path], tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for name in ("a", "b"):
        shutil.copytree(samples[0], runs / name)
    baseline = written(tmp_path, runs)
    again = run_audit(runs, "--baseline", baseline)
    assert again.status == 0
    assert "not audited here" not in again.err
    shutil.rmtree(runs / "a")
    assert "this baseline that were not audited here (1)" in (
        run_audit(runs, "--baseline", baseline).err
    )


def test_a_baseline_goes_neither_onto_settings_nor_a_store_nor_the_report(
    samples: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = tmp_path / "store"
    store.mkdir()
    settings = tmp_path / "reread.toml"
    settings.write_text("[rules]\n")
    given = tmp_path / "given.toml"
    given.write_text("[rules]\n")
    for more, place in (
        (("--store", store), store / "b.json"),
        (("--config", given), given),
        ((), settings),
        (("--output", tmp_path / "b.json"), tmp_path / "b.json"),
    ):
        ended = run_audit(samples[0], *more, "--write-baseline", place)
        assert ended.status == 2
        assert "--write-baseline" in ended.err
    assert run_audit(samples[0], "--format", "json", "--output", "reread.toml").status == 2
    assert given.read_text() == settings.read_text() == "[rules]\n"
    assert not list(store.iterdir())
    assert not (tmp_path / "b.json").exists()
