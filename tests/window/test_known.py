"""The window tells findings that a baseline holds from new ones."""

import json
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from reviewer.services.baselines import BaselineWriter
from reviewer.services.sessions import Session, load_session
from reviewer.window import i18n
from reviewer.window.presenters.reviews import ReviewColumn
from reviewer.window.shell import Shell
from reviewer.window.views.findings import FindingsView
from store.records.findings import Audit, BaselineState
from tests.window.driving import WAIT, is_told, menu_action, rest


@pytest.fixture
def baseline(audits: list[Audit], tmp_path: Path) -> Path:
    """Give a baseline that holds all findings but the first of each run, and one that is gone."""
    writer = BaselineWriter()
    list(writer.taking(audits))
    made = json.loads("".join(writer.chunks()))
    for run in made["runs"]:
        run["findings"].sort(key=lambda each: each["fingerprint"])
        del run["findings"][0]
    gone = {"fingerprint": "0" * 32, "rule": "CIT001", "severity": "error", "message": "it was"}
    made["runs"][0]["findings"].append(gone)
    place = tmp_path / "known.json"
    place.write_text(json.dumps(made), "utf-8")
    return place


def compare(shell: Shell, name: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (name, ""))
    with qtbot.waitSignal(shell.handlers.known.judged, timeout=WAIT):
        menu_action(shell, "File", "Compare findings with a baseline…").trigger()
    rest()


def findings(shell: Shell) -> FindingsView:
    view = shell.findChild(FindingsView)
    assert isinstance(view, FindingsView)
    return view


def _has_rows(view: FindingsView, rows: int) -> bool:
    return view.model.rowCount() == rows


def test_findings_are_compared_with_a_baseline_and_filtered_by_it(
    opened: Shell, baseline: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = findings(opened)
    assert view.view.isColumnHidden(ReviewColumn.BASELINE)
    place = opened.desk.place
    compare(opened, str(baseline), qtbot, monkeypatch)
    assert opened.desk.place == place
    assert not view.view.isColumnHidden(ReviewColumn.BASELINE)
    heads = view.view.horizontalHeader()
    assert heads.visualIndex(ReviewColumn.BASELINE) < heads.visualIndex(ReviewColumn.DECISION)
    assert "2 new findings" in opened.statusBar().currentMessage()
    assert is_told(opened, "this finding of the baseline is there no more: it was; CIT001")
    count = len(opened.desk.audit().findings)
    for words, rows in (("new", 1), ("unchanged", count - 1)):
        view.filter.edit.setText(f"baseline == {words}")
        qtbot.waitUntil(partial(_has_rows, view, rows), timeout=WAIT)
        shown = view.model.index(0, ReviewColumn.BASELINE).data(Qt.ItemDataRole.DisplayRole)
        assert shown == ("＋ new" if words == "new" else "= known")


def test_a_baseline_is_forgotten_and_its_column_goes(
    opened: Shell, baseline: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget = menu_action(opened, "File", "Forget the baseline")
    assert not forget.isEnabled()
    compare(opened, str(baseline), qtbot, monkeypatch)
    assert forget.isEnabled()
    with qtbot.waitSignal(opened.handlers.known.judged, timeout=WAIT):
        forget.trigger()
    rest()
    assert findings(opened).view.isColumnHidden(ReviewColumn.BASELINE)
    assert not forget.isEnabled()


def test_what_is_opened_later_is_compared_too_and_the_baseline_comes_back_with_the_window(
    shell: Shell, baseline: Path, sample: list[str], qtbot: QtBot, tmp_path: Path
) -> None:
    shell.handlers.known.take(str(baseline))
    qtbot.waitUntil(lambda: shell.desk.judge is not None, timeout=WAIT)
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open(sample[:1])
    states = {found.baseline for found in shell.desk.audit().findings}
    assert states == {BaselineState.NEW, BaselineState.UNCHANGED}
    shell.close()
    assert load_session(tmp_path / "window.json").baseline == str(baseline)


def test_a_window_that_is_restored_compares_again(
    make_shell: object, baseline: Path, sample: list[str], qtbot: QtBot
) -> None:
    shell: Shell = make_shell(Session(paths=tuple(sample), baseline=str(baseline)))  # type: ignore[operator]
    with qtbot.waitSignals([shell.settled, shell.handlers.known.judged], timeout=WAIT):
        shell.restore()
    qtbot.waitUntil(
        lambda: all(f.baseline for audit in shell.desk.audits for f in audit.findings),
        timeout=WAIT,
    )


@pytest.mark.parametrize("text", [None, "no JSON", '{"schema": "other"}'])
def test_a_file_that_is_no_baseline_is_told_and_changes_nothing(
    opened: Shell, tmp_path: Path, qtbot: QtBot, text: str | None
) -> None:
    place = tmp_path / "broken.json"
    if text is not None:
        place.write_text(text, "utf-8")
    opened.handlers.known.take(str(place))
    qtbot.waitUntil(lambda: any(p.where == str(place) for p in opened.problems.problems))
    assert opened.handlers.known.name == ""
    assert opened.desk.judge is None
    i18n.set_language("zh_CN")
    (what,) = [p.what for p in opened.problems.problems if p.where == str(place)]
    assert any("\u4e00" <= char <= "\u9fff" for char in i18n.tr_message(what))
