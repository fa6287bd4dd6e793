"""Links: copied anywhere, followed into open, recent and unknown runs, and checked."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from reviewer.services.sessions import Session, load_session, save_session
from reviewer.window.actions.link_dialog import LinkDialog
from reviewer.window.actions.palette import Palette
from reviewer.window.links import Quote, format_link, parse_link
from reviewer.window.place import Place
from reviewer.window.presenters.linking import link_of, place_of
from reviewer.window.shell import Shell
from store.digest import run_digest
from store.records.runs import ProblemKind
from store.records.text import Span
from tests.window.driving import WAIT, is_told


def copied(shell: Shell, qtbot: QtBot) -> str:
    QGuiApplication.clipboard().clear()
    shell.menus.actions["edit.copy_link"].trigger()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() != "", timeout=WAIT)
    return QGuiApplication.clipboard().text()


def test_a_link_leads_back_to_its_place_with_its_words_checked(opened: Shell, qtbot: QtBot) -> None:
    place = opened.desk.place
    assert place.source is not None
    assert place.span is not None
    text = copied(opened, qtbot)
    link = parse_link(text)
    assert link.digest == run_digest(opened.desk.audit().run)
    assert link.quote is not None
    assert link.quote.start
    opened.desk.go(Place(run=1, call=2, tab="model"))
    opened.open([text])
    qtbot.waitUntil(lambda: opened.desk.place == place, timeout=WAIT)
    assert opened.statusBar().currentMessage() == "The text here is what the link quotes"


def test_every_place_that_is_copied_is_the_place_that_is_followed(opened: Shell) -> None:
    audit = opened.desk.audit(0)
    for index in range(len(audit.citations)):
        opened.menus.actions["go.next"].trigger()
        place = opened.desk.place
        if place.run:
            break
        link = parse_link(format_link(link_of(audit, "ab" * 32, place)))
        followed = place_of(audit, 0, link)
        assert followed.place == replace(place, finding=None), index
        assert followed.doubts == ()


def test_a_text_that_is_not_the_quote_is_said(opened: Shell, qtbot: QtBot) -> None:
    link = replace(parse_link(copied(opened, qtbot)), quote=Quote.of("never written"))
    opened.problems.clear()
    opened.open([format_link(link)])
    words = "the text at this place is not what the link quotes"
    qtbot.waitUntil(lambda: is_told(opened, words), timeout=WAIT)
    problem = next(each for each in opened.problems.problems if each.what == words)
    assert problem.kind is ProblemKind.CHANGED
    assert opened.problems.isVisible()


def test_a_place_that_is_not_there_leads_as_near_as_there_is_something(opened: Shell) -> None:
    audit = opened.desk.audit(0)
    link = link_of(audit, "ab" * 32, Place(call=2, message=0, part=0, message_span=Span(0, 3)))
    followed = place_of(audit, 0, replace(link, message=999))
    assert (followed.place.call, followed.place.message) == (2, None)
    assert followed.doubts == (
        "this call has no message 999",
        "the quoted words cannot be checked: there is no text at this place",
    )
    assert place_of(audit, 0, replace(link, call=999)).place.call is None


def test_a_recent_run_is_opened_where_a_link_leads_into_it(
    opened: Shell, make_shell: Callable[..., Shell], tmp_path: Path, qtbot: QtBot
) -> None:
    place, text = opened.desk.place, copied(opened, qtbot)
    opened.close()
    session = load_session(tmp_path / "window.json")
    assert len(session.digests) == 2
    again = make_shell(session)
    assert again.desk.audits == []
    again.open([text])
    qtbot.waitUntil(lambda: again.desk.place == place, timeout=WAIT)
    assert again.opener.paths == [session.digests[parse_link(text).digest]]


def test_an_unknown_run_is_named_and_asked_for(
    opened: Shell,
    sample: list[str],
    qtbot: QtBot,
    get_dialog: Callable[[str], QWidget],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place, text = opened.desk.place, copied(opened, qtbot)
    run = opened.desk.audit().run.run_id
    opened.menus.actions["file.close_all"].trigger()
    opened.session = Session()
    shell = opened
    shell.open([text])
    box = get_dialog("link_needs_run")
    assert isinstance(box, QMessageBox)
    assert run in box.text()
    assert parse_link(text).digest[:12] in box.text()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: sample[0])
    folder = next(each for each in box.findChildren(QPushButton) if "folder" in each.text())
    qtbot.mouseClick(folder, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: shell.desk.place == place, timeout=WAIT)


def test_another_run_than_the_one_named_is_not_taken_for_it(
    opened: Shell,
    sample: list[str],
    qtbot: QtBot,
    get_dialog: Callable[[str], QWidget],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    link = replace(parse_link(copied(opened, qtbot)), digest="0" * 64, run="another")
    opened.problems.clear()
    before = opened.desk.place
    opened.open([format_link(link)])
    qtbot.waitUntil(lambda: opened.findChild(QMessageBox, "link_needs_run") is not None)
    box = get_dialog("link_needs_run")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: sample[0])
    folder = next(each for each in box.findChildren(QPushButton) if "folder" in each.text())
    qtbot.mouseClick(folder, Qt.MouseButton.LeftButton)
    words = "is not the one that this link names"
    qtbot.waitUntil(lambda: is_told(opened, words), timeout=WAIT)
    assert opened.desk.place == before


def test_a_run_that_has_grown_since_is_still_found_and_the_change_is_said(
    opened: Shell, qtbot: QtBot
) -> None:
    link = replace(parse_link(copied(opened, qtbot)), digest="0" * 64)
    opened.desk.go(Place(run=1, call=1, tab="model"))
    opened.open([format_link(link)])
    qtbot.waitUntil(lambda: opened.desk.place.run == 0, timeout=WAIT)
    assert is_told(opened, "no longer, what it was")


def test_a_link_is_pasted_into_the_palette_or_the_dialog(
    opened: Shell, qtbot: QtBot, get_dialog: Callable[[str], QWidget]
) -> None:
    place, text = opened.desk.place, copied(opened, qtbot)
    opened.desk.go(Place(run=1, call=2, tab="model"))
    opened.menus.actions["go.palette"].trigger()
    palette = get_dialog("palette")
    assert isinstance(palette, Palette)
    palette.line.setText(text)
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: opened.desk.place == place, timeout=WAIT)
    opened.desk.go(Place(run=1, call=2, tab="model"))
    opened.menus.actions["go.link"].trigger()
    dialog = get_dialog("link_dialog")
    assert isinstance(dialog, LinkDialog)
    assert dialog.line.text() == text
    dialog.line.setText("reread:nothing")
    assert not dialog.go.isEnabled()
    assert "digest" in dialog.words.text()
    dialog.line.setText(text)
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: opened.desk.place == place, timeout=WAIT)


def test_what_is_no_link_is_refused_with_the_reason(shell: Shell) -> None:
    shell.open(["reread:broken"])
    assert is_told(shell, "cannot be followed")
    assert shell.opener.paths == []


def test_digests_of_paths_that_are_no_text_are_not_kept(tmp_path: Path) -> None:
    kept = Session(digests={"a": "/runs/a", "b": "/runs/\udcff"}, follow=False)
    save_session(tmp_path / "s.json", kept)
    assert load_session(tmp_path / "s.json").digests == {"a": "/runs/a"}
    assert load_session(tmp_path / "s.json").follow is False
