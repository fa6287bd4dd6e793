"""The whole of a review, worked through the menus and the keys of the real window."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from reviewer.services.deciding import decision_log
from reviewer.window.shell import Shell
from reviewer.window.views.compare import CompareView
from reviewer.window.views.everywhere import EverywhereView
from reviewer.window.views.findings import FindingsView
from store.records.findings import Verdict
from tests.window.hands import WAIT, Hands


def seen(shell: Shell, name: str) -> QWidget:
    """Return the widget of that name that is seen."""
    return next(each for each in shell.findChildren(QWidget, name) if each.isVisible())


def cited(shell: Shell) -> int | None:
    """Return the citation that is selected."""
    return shell.desk.place.citation


def words(shell: Shell, name: str) -> str:
    """Return every word of a region."""
    return "\n".join(label.text() for label in seen(shell, name).findChildren(QLabel))


def test_a_review_from_a_folder_to_a_report(
    shell: Shell,
    sample: list[str],
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REREAD_REVIEWER", "Ann")
    hands = Hands(shell, qtbot)
    _opens(hands, sample[0], monkeypatch)
    _walks(hands)
    _decides(hands)
    _finds(hands)
    _filters(hands)
    _compares(hands)
    _exports(hands, tmp_path / "review.json", monkeypatch)


def _opens(hands: Hands, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = hands.shell
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: folder)
    with hands.qtbot.waitSignal(shell.settled, timeout=WAIT):
        hands.choose("File", "Open run folder…")
    assert len(shell.desk.audits) == 1
    assert cited(shell) == 0
    assert shell.desk.place.tab == "answer"
    shell.activateWindow()


def _walks(hands: Hands) -> None:
    """Walk every citation, see its three steps, and go where they lead."""
    shell = hands.shell
    audit = shell.desk.audit()
    for index in range(1, len(audit.citations)):
        hands.press("J")
        assert cited(shell) == index
    hands.press("K")
    hands.choose("Go", "Previous citation or finding")
    while cited(shell) != 0:
        hands.press("K")
    assert audit.citations[0].verdict is Verdict.READ
    hands.wait(lambda: "✓ read" in words(shell, "evidence"))
    told = words(shell, "evidence")
    for step in ("The claim in the answer", "The text in the model's input", "The stored version"):
        assert step in told
    for tab in ("Model view", "Residency map", "Source", "Answer"):
        hands.choose("View", tab)
        assert cited(shell) == 0
    hands.press("Ctrl+2")
    assert shell.desk.place.tab == "model"
    hands.press("]")
    hands.press("[")
    hands.press("Alt+Left")
    hands.press("Ctrl+1")
    while cited(shell) is None:
        hands.press("Alt+Left")


def _decides(hands: Hands) -> None:
    """Decide on every citation, take back, do again, and note."""
    shell = hands.shell
    audit = shell.desk.audit()
    log = decision_log(audit.run)
    while cited(shell) != 0:
        hands.press("K")
    for at, facts in enumerate(audit.citations):
        key = "A" if facts.verdict is Verdict.READ else "R"
        with hands.qtbot.waitSignal(shell.handlers.deciding.decided, timeout=WAIT):
            hands.press(key)
        assert len(log.read().decisions) == at + 1
        hands.press("U")
    assert cited(shell) is None, "every citation is decided, findings are not"
    hands.press("K")
    for way, kinds in (
        (("Decide", "Undo decision"), ["reject", "undo"]),
        (("Decide", "Redo decision"), ["reject", "undo", "reject"]),
        (("Decide", "Flag"), ["reject", "undo", "reject", "flag"]),
    ):
        with hands.qtbot.waitSignal(shell.handlers.deciding.decided, timeout=WAIT):
            hands.choose(*way)
        held = [each.kind.value for each in log.read().decisions]
        assert held[len(audit.citations) - 1 :] == kinds
    with hands.qtbot.waitSignal(shell.handlers.deciding.decided, timeout=WAIT):
        hands.press("Ctrl+Z")
    hands.press("N")
    editor = seen(shell, "note_text")
    assert isinstance(editor, QPlainTextEdit)
    QTest.keyClicks(editor, "ask the author")
    with hands.qtbot.waitSignal(shell.handlers.deciding.decided, timeout=WAIT):
        QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert log.read().decisions[-1].note == "ask the author"
    assert "rejected" in words(shell, "decision_box")
    assert log.verify().holds


def _finds(hands: Hands) -> None:
    shell = hands.shell
    hands.press("Ctrl+2")
    hands.press("Ctrl+F")
    bar = seen(shell, "find_text")
    assert isinstance(bar, QLineEdit)
    bar.setText("ledger")
    bar.textEdited.emit("ledger")
    QTest.keyClick(bar, Qt.Key.Key_Escape)
    hands.choose("Edit", "Find everywhere")
    assert shell.regions is not None
    everywhere = shell.regions.widgets["everywhere"]
    assert isinstance(everywhere, EverywhereView)
    everywhere.ask("40 connections")
    hands.wait(lambda: everywhere.model.rowCount() > 1)


def _filters(hands: Hands) -> None:
    shell = hands.shell
    assert shell.regions is not None
    table = shell.regions.bring("findings")
    assert isinstance(table, FindingsView)
    everything = table.model.total
    table.filter.edit.setText("decision == rejected and verdict ~ version")
    table.filter.use()
    hands.wait(lambda: 0 < table.model.shown < everything)
    table.view.setFocus()
    hands.press("J")
    at = cited(shell)
    assert at is not None
    verdict = shell.desk.audit().citations[at].verdict
    assert "version" in verdict.word
    table.filter.clear.click()
    table.filter.use()
    hands.wait(lambda: table.model.shown == everything)


def _compares(hands: Hands) -> None:
    """Compare a source with its version before, and see a citation on changed text."""
    shell = hands.shell
    versions = shell.desk.audit().run.versions
    changed = [v.key for v in versions if v.key.source_id == "runbooks/gateway.md"]
    hands.press("Ctrl+4")
    shell.desk.go(replace(shell.desk.place, source=changed[-1], span=None))
    hands.press("Ctrl+D")
    assert shell.regions is not None
    view = shell.regions.widgets["compare"]
    assert isinstance(view, CompareView)
    hands.wait(lambda: view.pair.text.diff.rowCount() > 0 and view.model.total > 0)
    assert "Different" in words(shell, "compare")
    rows = view.pair.text.diff.rows
    assert rows is not None
    here = view.pair.text.currentIndex().row()
    hands.press("F3")
    assert view.pair.text.currentIndex().row() in rows.changes
    hands.press("Shift+F3")
    hands.choose("Go", "Previous gap")
    assert view.pair.text.currentIndex().row() <= max(here, rows.changes[0])
    hands.press("Ctrl+5")
    assert shell.desk.place.tab == "compare"


def _exports(hands: Hands, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = hands.shell
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(place), ""))
    hands.press("Ctrl+E")
    hands.wait(place.exists)
    made = json.loads(place.read_text("utf-8"))
    citations = made["runs"][0]["citations"]
    assert len(citations) == len(shell.desk.audit().citations)
    for one in citations:
        (opinion,) = one["decision"]["opinions"]
        assert opinion["reviewer"] == "Ann"
        assert opinion["decision"] == ("accept" if one["verdict"] == "read" else "reject")
