"""Decisions are made in the window, on the disk before they are shown, beside those of others."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from reviewer.services.deciding import decision_log
from reviewer.services.reviewing import Reviewing
from reviewer.services.sessions import Session
from reviewer.window.i18n import set_language
from reviewer.window.presenters import places
from reviewer.window.presenters.reviews import ReviewColumn
from reviewer.window.shell import Shell
from reviewer.window.views.answer_text import AnswerText
from reviewer.window.views.evidence_panel import EvidencePanel
from reviewer.window.views.findings import FindingsView
from reviewer.window.views.record_text import RecordText
from store.errors import StoreError
from store.records.reviews import DecisionKind, citation_target, finding_target
from store.reviews import DecisionLog
from tests.window.hands import WAIT, Hands
from tests.window.test_live import Growing


@pytest.fixture(autouse=True)
def _named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REREAD_REVIEWER", "Ann")


@pytest.fixture
def hands(opened: Shell, qtbot: QtBot) -> Hands:
    opened.desk.go(places.citation_place(opened.desk.audit(0), 0, 2, "answer"))
    return Hands(opened, qtbot)


def log_of(shell: Shell, run: int = 0) -> DecisionLog:
    return DecisionLog(Path(decision_log(shell.desk.audit(run).run).where))


def kinds(shell: Shell) -> list[str]:
    return [each.kind.value for each in log_of(shell).read().decisions]


def state(shell: Shell) -> str:
    label = shell.findChild(QLabel, "decision_state")
    assert isinstance(label, QLabel)
    return label.text()


def rows(shell: Shell) -> str:
    text = shell.findChild(RecordText, "decision_rows")
    assert isinstance(text, RecordText)
    return text.toPlainText()


def table(shell: Shell) -> FindingsView:
    assert shell.regions is not None
    view = shell.regions.widgets["findings"]
    assert isinstance(view, FindingsView)
    return view


def cell(shell: Shell, row: int) -> str:
    view = table(shell)
    line = view.model.line_of(row)
    assert line is not None
    return str(view.model.index(line, ReviewColumn.DECISION).data())


def chip(shell: Shell, citation: int) -> str:
    text = shell.findChild(AnswerText, "answer_text")
    assert isinstance(text, AnswerText)
    (found,) = [each for each in text.chips if each.citation == citation]
    shown = text.toPlainText()
    assert not found.decision or f"{found.word}\xa0{found.decision}\xa0".replace(
        " ", "\xa0"
    ) in shown.replace(" ", "\xa0")
    return found.decision


def somebody(shell: Shell, name: str) -> Reviewing:
    run = shell.desk.audit(0).run
    log = decision_log(run)
    digest = Path(log.where).parent.name
    return Reviewing(log, name, run_id=run.run_id, run_digest=digest)


@pytest.mark.parametrize(
    ("key", "sign", "word"),
    [("A", "☑", "accepted"), ("R", "☒", "rejected"), ("F", "⚑", "flagged")],
)
def test_a_key_decides_on_what_is_selected_and_every_region_shows_it(
    opened: Shell, hands: Hands, key: str, sign: str, word: str
) -> None:
    hands.press(key)
    hands.wait(lambda: word in state(opened))
    assert state(opened) == f"{sign} {word} · citation 3"
    assert rows(opened).startswith(f"{sign} {word} Ann")
    assert cell(opened, 2) == f"{sign} {word}"
    titles = [label.text() for label in opened.findChildren(QLabel)]
    assert any("15 citations, one decided" in each for each in titles)
    assert chip(opened, 2) == sign
    assert cell(opened, 3) == "· undecided"
    (made,) = log_of(opened).read().decisions
    assert made.target == citation_target(opened.desk.audit(0).citations[2])
    assert made.reviewer == "Ann"
    assert opened.statusBar().currentMessage() == f"{word}: citation 3"


def test_a_button_does_what_its_key_does_and_names_it(opened: Shell, hands: Hands) -> None:
    button = opened.findChild(QPushButton, "decide_reject")
    assert isinstance(button, QPushButton)
    assert button.text() == "Reject  (R)"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    hands.wait(lambda: "rejected" in state(opened))


def test_a_decision_is_taken_back_and_made_again(opened: Shell, hands: Hands) -> None:
    for key in ("A", "R", "Ctrl+Z", "Ctrl+Z", "Ctrl+Z", "Ctrl+Shift+Z"):
        with hands.qtbot.waitSignal(opened.handlers.deciding.decided, timeout=WAIT):
            hands.press(key)
    assert kinds(opened) == ["accept", "reject", "undo", "undo", "accept"]
    assert state(opened) == "☑ accepted · citation 3"
    assert log_of(opened).verify().holds


def test_what_is_taken_back_elsewhere_is_gone_to(opened: Shell, hands: Hands) -> None:
    hands.press("A")
    hands.wait(lambda: kinds(opened) == ["accept"])
    hands.press("J")
    assert opened.desk.place.citation == 3
    hands.press("Ctrl+Z")
    hands.wait(lambda: kinds(opened) == ["accept", "undo"])
    hands.wait(lambda: opened.desk.place.citation == 2)
    assert state(opened) == "· undecided · citation 3"
    assert chip(opened, 2) == ""


def test_a_note_is_written_beside_the_evidence_and_stays_until_it_is_kept(
    opened: Shell, hands: Hands
) -> None:
    editor = opened.findChild(QPlainTextEdit, "note_text")
    assert isinstance(editor, QPlainTextEdit)
    hands.press("N")
    assert not editor.isHidden()
    editor.setPlainText("see <b>page</b> 2\n第二行")
    hands.choose("Go", "Next citation or finding")
    assert editor.isHidden() or not editor.toPlainText()
    hands.choose("Go", "Previous citation or finding")
    assert editor.toPlainText() == "see <b>page</b> 2\n第二行"
    QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    hands.wait(lambda: kinds(opened) == ["note"])
    hands.wait(lambda: editor.toPlainText() == "")
    assert "see <b>page</b> 2" in rows(opened)
    assert state(opened) == "✎ undecided, with a note · citation 3"


def test_a_note_that_is_left_is_not_kept(opened: Shell, hands: Hands) -> None:
    editor = opened.findChild(QPlainTextEdit, "note_text")
    assert isinstance(editor, QPlainTextEdit)
    hands.press("N")
    editor.setPlainText("no")
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    hands.press("N")
    assert editor.toPlainText() == ""
    assert kinds(opened) == []


def test_the_next_undecided_is_found_in_the_order_shown_and_goes_round(
    opened: Shell, hands: Hands
) -> None:
    view = table(opened)
    hands.press("A")
    hands.wait(lambda: cell(opened, 2) == "☑ accepted")
    hands.press("K")
    hands.press("U")
    assert opened.desk.place.citation == 3
    view.view.choose(view.model.rowCount() - 1)
    hands.press("U")
    assert opened.desk.place.citation == 0


def test_the_filter_knows_what_was_decided_and_the_walk_goes_on_where_a_row_went(
    opened: Shell, hands: Hands
) -> None:
    view = table(opened)
    total = view.model.total
    view.filter.edit.setText("decision == undecided")
    view.filter.use()
    assert view.model.shown == total
    hands.press("R")
    hands.wait(lambda: view.model.shown == total - 1)
    assert not view.hidden.isHidden()
    hands.press("U")
    assert opened.desk.place.citation == 3
    view.filter.edit.setText("decision == rejected")
    view.filter.use()
    hands.wait(lambda: view.model.shown == 1)


def test_what_others_decide_appears_and_disagreement_is_told(opened: Shell, hands: Hands) -> None:
    hands.press("A")
    hands.wait(lambda: "accepted" in state(opened))
    target = citation_target(opened.desk.audit(0).citations[2])
    somebody(opened, "Bo").decide(target, DecisionKind.REJECT, "not <i>there</i>")
    hands.wait(lambda: "reviewers disagree" in state(opened))
    assert chip(opened, 2) == "≠"
    assert cell(opened, 2) == "≠ reviewers disagree"
    assert "rejected Bo" in rows(opened)
    assert "not <i>there</i>" in rows(opened)


def test_what_others_decided_before_there_was_a_log_here_appears_too(
    opened: Shell, hands: Hands
) -> None:
    hands.wait(lambda: opened.desk.decisions.digest(0) != "")
    target = citation_target(opened.desk.audit(0).citations[0])
    somebody(opened, "Bo").decide(target, DecisionKind.FLAG)
    hands.wait(lambda: chip(opened, 0) == "⚑")


def test_a_decision_that_cannot_be_written_is_told_and_shown_nowhere(
    opened: Shell, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands.wait(lambda: opened.desk.decisions.digest(0) != "")

    def full(self: DecisionLog, *_: object) -> None:
        raise StoreError(
            "the decision was not kept: it cannot be written (No space left on device)",
            str(self.path),
            "Free some space on the disk and decide again.",
        )

    with monkeypatch.context() as patch:
        patch.setattr(DecisionLog, "append", full)
        hands.press("A")
        hands.wait(lambda: "not decided" in opened.statusBar().currentMessage())
    assert "Free some space" in opened.problems.problems[-1].what
    assert not opened.problems.isHidden()
    assert state(opened) == "· undecided · citation 3"
    assert chip(opened, 2) == ""
    hands.press("A")
    hands.wait(lambda: "accepted" in state(opened))


def test_a_folder_that_cannot_be_made_is_told(opened: Shell, hands: Hands) -> None:
    hands.wait(lambda: opened.desk.decisions.digest(0) != "")
    folder = log_of(opened).path.parent.parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way")
    hands.press("A")
    hands.wait(lambda: "not decided" in opened.statusBar().currentMessage())
    assert chip(opened, 2) == ""
    folder.unlink()
    hands.press("A")
    hands.wait(lambda: chip(opened, 2) == "☑")


def test_a_note_that_was_not_kept_is_still_in_the_editor(
    opened: Shell, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: DecisionLog, *_: object) -> None:
        raise StoreError("the decision was not kept", str(self.path), "Decide again.")

    editor = opened.findChild(QPlainTextEdit, "note_text")
    assert isinstance(editor, QPlainTextEdit)
    hands.press("N")
    editor.setPlainText("long thoughts")
    monkeypatch.setattr(DecisionLog, "append", full)
    QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    hands.wait(lambda: "not decided" in opened.statusBar().currentMessage())
    assert editor.toPlainText() == "long thoughts"


def test_a_finding_about_no_citation_is_decided_for_itself(opened: Shell, hands: Hands) -> None:
    audit = opened.desk.audit(0)
    index = next(at for at, one in enumerate(audit.findings) if one.where.citation is None)
    opened.desk.go(places.finding_place(audit, 0, index, "answer"))
    hands.press("F")
    hands.wait(lambda: kinds(opened) == ["flag"])
    (made,) = log_of(opened).read().decisions
    assert made.target == finding_target(audit.findings[index])
    hands.wait(lambda: audit.findings[index].rule in state(opened))
    assert table(opened).model.total > len(audit.citations)


def test_a_place_with_nothing_to_decide_decides_nothing(opened: Shell, hands: Hands) -> None:
    opened.desk.go(places.source_place(opened.desk.audit(0), 0, "config/pool.toml", "source"))
    hands.press("A")
    assert "Select a citation or a finding" in opened.statusBar().currentMessage()
    assert kinds(opened) == []
    button = opened.findChild(QPushButton, "decide_accept")
    assert isinstance(button, QPushButton)
    assert not button.isEnabled()


def test_the_reviewer_is_named_in_the_window_and_stays_named(
    opened: Shell, hands: Hands, make_shell: Callable[..., Shell], sample: list[str], qtbot: QtBot
) -> None:
    name = opened.findChild(QLineEdit, "reviewer_name")
    assert isinstance(name, QLineEdit)
    hands.wait(lambda: name.text() == "Ann")
    name.setText("  Bo Li ")
    name.editingFinished.emit()
    with qtbot.waitSignal(opened.handlers.deciding.decided, timeout=WAIT):
        hands.press("A")
    hands.wait(lambda: [one.reviewer for one in log_of(opened).read().decisions] == ["Bo Li"])
    assert opened.session.reviewer == "Bo Li"
    other = make_shell(Session(reviewer="Bo Li"))
    with qtbot.waitSignal(other.settled, timeout=WAIT):
        other.open(sample[:1])
    hands.wait(lambda: other.desk.decisions.reviewer == "Bo Li")


def test_a_decision_asked_for_as_the_window_closes_is_kept(opened: Shell, hands: Hands) -> None:
    log = log_of(opened)
    hands.press("A")
    opened.close()
    assert [each.kind.value for each in log.read().decisions] == ["accept"]


def test_decisions_are_there_when_the_run_is_opened_again(opened: Shell, hands: Hands) -> None:
    hands.press("R")
    hands.wait(lambda: "rejected" in state(opened))
    with hands.qtbot.waitSignal(opened.settled, timeout=WAIT):
        hands.press("F5")
    hands.wait(lambda: chip(opened, 2) == "☒")
    assert opened.desk.place.citation == 2


def test_a_report_from_the_window_says_who_decided_what(
    opened: Shell, hands: Hands, tmp_path: Path
) -> None:
    hands.press("R")
    hands.wait(lambda: "rejected" in state(opened))
    place = tmp_path / "report.json"
    opened.handlers.exporter.write(str(place))
    hands.wait(place.exists)
    made = json.loads(place.read_text("utf-8"))
    assert made["decisions"]["records"] == 1
    cited = made["runs"][0]["citations"]
    assert cited[2]["decision"]["opinions"][0]["reviewer"] == "Ann"
    assert cited[3]["decision"] is None


def test_the_decisions_follow_a_run_that_grows(
    shell: Shell, sample: list[str], qtbot: QtBot
) -> None:
    growing = Growing(Path(sample[0]), 7)
    hands = Hands(shell, qtbot)
    follower = shell.handlers.follower
    with qtbot.waitSignals([shell.settled, follower.looked], timeout=WAIT):
        shell.open([str(growing.folder)])
    audit = shell.desk.audit(0)
    index = next(at for at, one in enumerate(audit.findings) if finding_target(one) is not None)
    rule = audit.findings[index].rule
    shell.desk.go(places.finding_place(audit, 0, index, "model"))
    hands.press("F")
    hands.wait(lambda: "flagged" in state(shell))
    log = log_of(shell)
    growing.append(99)
    hands.wait(lambda: len(shell.desk.audit(0).calls) == 8)
    hands.wait(lambda: shell.desk.decisions.digest(0) not in ("", log.path.parent.name))
    assert log_of(shell).path == log.path
    target = log.read().decisions[0].target
    assert target in shell.desk.decisions.states(0)
    place = places.citation_place(shell.desk.audit(0), 0, 0, "answer")
    shell.desk.go(place)
    hands.press("A")
    hands.wait(lambda: "accepted" in state(shell))
    assert [each.kind.value for each in log.read().decisions] == ["flag", "accept"]
    later = [at for at, f in enumerate(shell.desk.audit(0).findings) if finding_target(f) == target]
    if later:
        shell.desk.go(places.finding_place(shell.desk.audit(0), 0, later[0], "model"))
        assert "on an earlier record of this run" in rows(shell)
        assert rule in state(shell)


def test_the_box_speaks_chinese(opened: Shell, hands: Hands) -> None:
    set_language("zh_CN")
    hands.press("A")
    hands.wait(lambda: state(opened) == "☑ 已接受 · 引用 3")
    button = opened.findChild(QPushButton, "decide_note")
    assert isinstance(button, QPushButton)
    assert "备注" in button.text()
    assert opened.regions is not None
    assert isinstance(opened.regions.widgets["evidence"], EvidencePanel)
