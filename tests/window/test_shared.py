"""The window on a run that a team shares: no file of that name is anywhere."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.services.sample import write_sample
from reviewer.services.team import DATABASE_VARIABLE, share
from reviewer.window.shell import Shell
from store.opening import open_paths
from store.records.runs import Run
from store.sqlite import sqlite_url
from tests.window.driving import WAIT


def test_a_shared_run_is_opened_by_its_name(
    shell: Shell, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATABASE_VARIABLE, sqlite_url(tmp_path / "team.db"))
    (_, folder) = write_sample(tmp_path / "sample")
    (run,) = [each for each in open_paths([str(folder)]) if isinstance(each, Run)]
    name = share(run)
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open([name])
    (audit,) = shell.desk.audits
    assert audit.run.path == name
    assert audit.run.run_id == run.run_id
    assert len(audit.citations) == 12
