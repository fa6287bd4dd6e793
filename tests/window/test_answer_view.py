"""The answer shows its text as recorded, and each citation as a chip that leads on."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QListWidget, QPushButton
from pytestqt.qtbot import QtBot

from reviewer.audit.engine import audit
from reviewer.audit.rules._example import Story, cite
from reviewer.window.desk import Desk
from reviewer.window.place import Place
from reviewer.window.views import answer_text as module
from reviewer.window.views.answer import PANEL, AnswerText, AnswerView
from store.records.citations import Citation
from store.records.findings import Audit
from store.records.grades import Grade
from store.records.text import Span

_NONE = Qt.KeyboardModifier.NoModifier


def shown(qtbot: QtBot, *found: Audit) -> tuple[Desk, AnswerView, AnswerText]:
    desk = Desk()
    view = PANEL.factory(desk, None)
    assert isinstance(view, AnswerView)
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.show()
    for one in found:
        desk.add(one)
    text = view.findChild(AnswerText, "answer_text")
    assert isinstance(text, AnswerText)
    return desk, view, text


def answered(text: str, *citations: Citation) -> Audit:
    story = Story()
    story.document("notice")
    story.read("notice")
    return audit(story.answer(*citations, text=text))


def marks(*places: tuple[int, int]) -> Sequence[Citation]:
    return [cite("notice", (0, 10), answer_span=Span(*place)) for place in places]


def test_every_chip_has_the_sign_and_the_word_of_its_verdict(qtbot: QtBot, incident: Audit) -> None:
    _, _, text = shown(qtbot, incident)
    assert [chip.citation for chip in text.chips] == list(range(len(incident.citations)))
    plain = text.toPlainText()
    assert "[1]\u2009 ✓ read " in plain
    assert "[3]\u2009 ↶ from memory " in plain


def test_tab_walks_the_chips_and_enter_goes_to_the_citation(qtbot: QtBot, incident: Audit) -> None:
    desk, _, text = shown(qtbot, incident)
    text.setFocus()
    QTest.keyClick(text, Qt.Key.Key_Tab)
    QTest.keyClick(text, Qt.Key.Key_Tab)
    QTest.keyClick(text, Qt.Key.Key_Tab)
    QTest.keyClick(text, Qt.Key.Key_Return)
    place = desk.place
    assert (place.citation, place.call, place.tab) == (2, 4, "answer")
    assert place.source is not None
    assert place.source.source_id == "logs/gateway.log"


def test_tab_leaves_the_text_after_its_last_chip(qtbot: QtBot) -> None:
    _, view, text = shown(qtbot, answered("So it is [1].", *marks((9, 12))))
    assert view.isVisible()
    text.setFocus()
    for _ in range(3):
        QTest.keyClick(text, Qt.Key.Key_Tab)
    assert not text.hasFocus()


def test_a_click_on_cited_words_goes_to_their_citation(qtbot: QtBot) -> None:
    desk, _, text = shown(qtbot, answered("So it is, they say.", *marks((0, 8))))
    cursor = QTextCursor(text.document())
    cursor.setPosition(3)
    spot = text.cursorRect(cursor).center()
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, _NONE, spot)
    assert desk.place.citation == 0


def test_the_present_citation_is_marked(qtbot: QtBot, incident: Audit) -> None:
    desk, _, text = shown(qtbot, incident)
    desk.go(Place(citation=4))
    marked = "".join(s.cursor.selectedText() for s in text.extraSelections())
    assert "[5]" in marked
    assert "preview" in marked
    desk.go(Place(call=1))
    assert text.extraSelections() == []


@pytest.mark.parametrize(
    "evil",
    [
        "<b>bold</b> <img src='http://example.org/x.png'> &amp; <a href='x'>y</a>",
        "# heading\n* item [link](http://example.org)",
        "turned \u202eround, split\u2028here, nothing\x00there, \ud83d half, \r\n line",
        "数控车床 \U0001f600 and \U00020000",
    ],
)
def test_the_text_is_shown_as_characters_and_copied_as_recorded(qtbot: QtBot, evil: str) -> None:
    _, _, text = shown(qtbot, answered(f"{evil} [1].", *marks((len(evil) + 1, len(evil) + 4))))
    text.selectAll()
    assert text.selected_record() == f"{evil} [1]."
    expected = f"{evil} [1].".replace("\ud83d", "\ufffd")
    assert text.createMimeDataFromSelection().text() == expected
    assert not text.createMimeDataFromSelection().hasHtml()
    if evil.startswith("<"):
        assert evil in text.toPlainText()


def test_the_claims_of_a_finding_are_marked_in_their_answer(qtbot: QtBot) -> None:
    said = "\U0001f600 At most 250 records, and 4711 in all."
    found = answered(said, *marks((0, 4)))
    desk, _, text = shown(qtbot, found)
    marked = []
    for index, finding in enumerate(found.findings):
        if finding.rule == "GRD001":
            desk.go(Place(finding=index, tab="answer"))
            spots = text.extraSelections()
            marked.append("".join(spot.cursor.selectedText() for spot in spots))
    assert marked == ["250", "4711"]


def test_citations_without_a_place_are_listed_below_and_lead_on(qtbot: QtBot) -> None:
    desk, view, _ = shown(
        qtbot, answered("So it is.", cite("notice", (0, 10), answer_span=None, label="n1"))
    )
    below = view.findChild(QListWidget, "answer_below")
    assert isinstance(below, QListWidget)
    assert below.isVisible()
    assert below.item(0).text() == "✓ read · n1 · notice · marks no words of the answer"
    below.setFocus()
    below.setCurrentRow(0)
    QTest.keyClick(below, Qt.Key.Key_Return)
    assert desk.place.citation == 0


def test_an_answer_without_citations_says_so_and_offers_what_there_is(qtbot: QtBot) -> None:
    desk, view, _ = shown(qtbot, answered("So it is."))
    button = view.findChild(QPushButton, "answer_to_model")
    assert isinstance(button, QPushButton)
    assert button.isVisible()
    assert button.text() == "Show what call 2 was given"
    button.click()
    assert (desk.place.call, desk.place.tab) == (2, "model")


def test_a_run_without_an_answer_says_so(qtbot: QtBot) -> None:
    story = Story()
    story.document("notice")
    story.read("notice")
    _, view, text = shown(qtbot, audit(story.run()))
    assert not text.isVisible()
    assert "holds no answer" in view._notice.words.words  # noqa: SLF001


def test_a_long_answer_shows_its_start_and_the_way_to_the_rest(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AT_FIRST", 100)
    words = "word " * 100
    _, _, text = shown(qtbot, answered(words, *marks((490, 495))))
    assert "400 more characters" in text.toPlainText()
    assert text.chips == ()
    text.setFocus()
    QTest.keyClick(text, Qt.Key.Key_Tab)
    QTest.keyClick(text, Qt.Key.Key_Return)
    text.selectAll()
    assert text.selected_record() == words
    assert len(text.chips) == 1


def test_of_several_answers_the_one_with_the_present_citation_is_shown(qtbot: QtBot) -> None:
    story = Story()
    story.document("notice")
    story.read("notice")
    story.answer(*marks((0, 2)), text="It is.")
    found = audit(story.answer(*marks((0, 3)), text="Not so."))
    desk, view, text = shown(qtbot, found)
    assert text.toPlainText().startswith("Not")
    desk.go(Place(citation=0))
    assert text.toPlainText().startswith("It")
    view._choose(1)  # noqa: SLF001 - what the box does when an item is activated
    assert text.toPlainText().startswith("Not")
    assert (desk.place.call, desk.place.tab) == (3, "answer")


def test_the_chips_follow_the_language(
    qtbot: QtBot, incident: Audit, speak: Callable[[str], None]
) -> None:
    _, _, text = shown(qtbot, incident)
    speak("zh_CN")
    assert "已读" in text.toPlainText()


def test_what_no_record_proves_is_not_promised_instead_of_citations(qtbot: QtBot) -> None:
    story = Story()
    story.document("notice")
    story.read("notice")
    proven = audit(story.answer(text="so"))
    (*calls, last) = proven.calls
    unknown = replace(proven, calls=(*calls, replace(last, grade=Grade.UNKNOWN)))
    for each, words in ((proven, "can still be read"), (unknown, "is not proven by the record")):
        _, view, _ = shown(qtbot, each)
        said = " ".join(label.text() for label in view.findChildren(QLabel))
        assert words in said
