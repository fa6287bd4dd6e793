"""Audits runs as part of a test run: ``pytest --reread RUNS --reread-fail-on error``.

Each path given with ``--reread`` is one test.  It fails where ``reread audit``
on it would not end with 0: with findings from the named severity on, and where
something could not be looked at.  Nothing of Reread is imported before such a
test runs.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

__all__ = ["RunItem", "pytest_addoption", "pytest_collection_modifyitems"]

_LEVELS = ("error", "warning", "note", "never")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of Reread."""
    group = parser.getgroup("reread", "audit of recorded agent runs")
    group.addoption(
        "--reread",
        metavar="RUNS",
        action="append",
        default=[],
        help="audit this run folder, trace file or folder of runs as one test; may be repeated",
    )
    group.addoption(
        "--reread-fail-on",
        choices=_LEVELS,
        default="error",
        help="from which severity on a finding fails the test (default: error); what could not "
        "be looked at always does",
    )
    group.addoption(
        "--reread-store", metavar="DIR", help="a store with evidence that lies elsewhere"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Put a test for each path behind the others; ``-k`` and ``-m`` choose among these too."""
    paths: list[str] = config.getoption("reread")
    if not paths:
        return
    runs = _Runs.from_parent(session, name="reread", nodeid="reread")
    items.extend(RunItem.from_parent(runs, name=path) for path in paths)


class _Runs(pytest.Collector):
    """What the tests of Reread stand under; it collects nothing itself."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield nothing: the paths come from the command line."""
        yield from ()


class RunItem(pytest.Item):
    """One path that is audited.  Its name is the path as it was given, from where pytest began."""

    def runtest(self) -> None:
        """Audit the path; fail where that would not end with 0."""
        # These load what only an audit needs.
        from reviewer.app import Program  # noqa: PLC0415
        from reviewer.cli._auditing import Account, FailOn  # noqa: PLC0415
        from reviewer.cli._exit import Exit  # noqa: PLC0415
        from reviewer.cli._output import Output  # noqa: PLC0415

        fail_on = FailOn(self.config.getoption("--reread-fail-on"))
        place = str(self.config.invocation_params.dir / self.name)
        program, said = Program(strict=True), io.BytesIO()
        output = Output(io.BytesIO(), said)
        account = Account(output)
        report = program.reports()["text"]
        found = program.audit(
            [place], self.config.getoption("--reread-store"), tokens=report.tokens
        )
        meta = program.meta(output)
        text = "".join(report.write(account.audits(found), account.problems, meta))
        status = account.status([self.name], fail_on)
        text += said.getvalue().decode()
        self.add_report_section("call", "reread", text)
        self.user_properties.append(("reread_runs", account.runs))
        if status is Exit.UNDECIDED:
            told = f"{self.name} could not be decided; the last lines say why"
            pytest.fail(f"{told}\n{text}", pytrace=False)
        if status is not Exit.OK:
            pytest.fail(f"{self.name} has findings of {fail_on} or worse\n{text}", pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return where the path lies, and its name in reports."""
        return self.config.invocation_params.dir / self.name, None, f"reread {self.name}"
