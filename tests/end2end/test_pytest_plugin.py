"""Runs as tests of somebody else's project: ``pytest --reread RUNS --reread-fail-on error``."""

from pathlib import Path

import pytest

from reviewer.services.sample import write_sample

HOME = Path(__file__).parents[2]
PLUGIN = ("-p", "reviewer.pytest_plugin", "-p", "no:cacheprovider")


@pytest.fixture(autouse=True)
def _from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(HOME))


def test_a_run_with_findings_is_a_test_that_fails_and_says_what_was_found(
    pytester: pytest.Pytester,
) -> None:
    write_sample(pytester.path / "runs")
    result = pytester.runpytest_subprocess(*PLUGIN, "--reread", "runs/lease-review")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*runs/lease-review has findings of error or worse*", "*CIT001*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_findings_below_the_named_severity_pass(pytester: pytest.Pytester) -> None:
    write_sample(pytester.path / "runs")
    given = ("--reread", "runs/lease-review", "--reread-fail-on", "never")
    pytester.runpytest_subprocess(*PLUGIN, *given).assert_outcomes(passed=1)


def test_what_could_not_be_looked_at_fails_whatever_the_severity(
    pytester: pytest.Pytester,
) -> None:
    (pytester.path / "empty.jsonl").write_bytes(b"")
    given = ("--reread", "empty.jsonl", "--reread-fail-on", "never")
    result = pytester.runpytest_subprocess(*PLUGIN, *given)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*could not be decided*"])


def test_a_path_is_chosen_like_any_test_and_stands_beside_the_others(
    pytester: pytest.Pytester,
) -> None:
    write_sample(pytester.path / "runs")
    pytester.makepyfile("def test_own(): pass")
    both = ("--reread", "runs/lease-review", "--reread", "runs/incident-review")
    result = pytester.runpytest_subprocess(*PLUGIN, *both, "-k", "own or lease")
    result.assert_outcomes(passed=1, failed=1, deselected=1)


def test_without_the_option_nothing_is_audited_and_nothing_is_loaded(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_own():
            assert "reviewer.app" not in sys.modules
            assert "store" not in sys.modules
        """
    )
    pytester.runpytest_subprocess(*PLUGIN).assert_outcomes(passed=1)


def test_several_workers_share_the_runs(pytester: pytest.Pytester) -> None:
    write_sample(pytester.path / "runs")
    both = ("--reread", "runs/lease-review", "--reread", "runs/incident-review")
    result = pytester.runpytest_subprocess(*PLUGIN, *both, "-n", "2")
    result.assert_outcomes(failed=2)
