"""Large text and long references: shown in pieces or cut with a sign, copied whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip, QTreeView
from pytestqt.qtbot import QtBot

from reviewer.window.fitting import FittingButton, FittingLabel
from reviewer.window.presenters import places
from reviewer.window.shell import Shell
from reviewer.window.views.evidence import EvidenceView
from reviewer.window.views.following import plain_label
from reviewer.window.views.row_table import RowTable
from reviewer.window.views.text_stand_ins import shown
from reviewer.window.views.wrapping import breakable

REFERENCE = (
    "runbooks/gateway.md@a16b2636262f1fc51c5420a643e59835cfa3c95c4d1c4f6075290e5481c358d9[48:68]"
)


@given(st.text())
def test_places_to_break_at_change_nothing_else(text: str) -> None:
    words = shown(text)
    assert "\u200b" not in words
    assert breakable(words).replace("\u200b", "") == words


def test_no_long_word_is_left_whole_and_none_that_is_short_is_broken() -> None:
    assert max(map(len, breakable(REFERENCE).split("\u200b"))) <= 12
    assert (
        breakable("call 8 of 1,340 characters, 引用的文字")
        == "call 8 of 1,340 characters, 引用的文字"
    )


def test_a_reference_is_copied_as_it_is_however_it_was_broken(qtbot: QtBot) -> None:
    label = plain_label(REFERENCE)
    qtbot.addWidget(label)
    label.resize(120, 300)
    label.show()
    label.setFocus()
    assert label.minimumSizeHint().width() < 120
    label.select_all()
    qtbot.keyClick(label, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == REFERENCE
    assert label.accessibleName() == REFERENCE


def test_the_evidence_never_scrolls_sideways_at_any_size_of_text(
    opened: Shell, qapp: QApplication
) -> None:
    card = opened.findChild(EvidenceView)
    assert isinstance(card, EvidenceView)
    for percent in (100, 200, 300):
        opened.set_text_size(percent)
        for citation in range(0, len(opened.desk.audit(0).citations), 3):
            opened.desk.go(places.citation_place(opened.desk.audit(0), 0, citation, "answer"))
            qapp.processEvents()
            assert card.horizontalScrollBar().maximum() == 0, (percent, citation)


def test_rows_and_columns_grow_with_the_text(opened: Shell) -> None:
    tables, trees = opened.findChildren(RowTable), opened.findChildren(QTreeView)
    assert tables
    assert trees
    heights = [each.verticalHeader().defaultSectionSize() for each in tables]
    widths = [each.header().sectionSize(0) for each in trees]
    opened.set_text_size(200)
    for table, height in zip(tables, heights, strict=True):
        assert table.verticalHeader().defaultSectionSize() > 1.5 * height
    for tree, width in zip(trees, widths, strict=True):
        assert tree.header().sectionSize(0) > 1.5 * width
    opened.set_text_size(100)
    assert [each.verticalHeader().defaultSectionSize() for each in tables] == heights


@pytest.mark.parametrize("kind", [FittingLabel, FittingButton])
def test_what_is_cut_ends_in_a_sign_and_says_all_of_it_in_the_tip(
    qtbot: QtBot, kind: type[FittingLabel | FittingButton]
) -> None:
    widget = kind(REFERENCE)
    qtbot.addWidget(widget)
    widget.resize(90, 30)
    widget.show()
    assert widget.shown().endswith("…")
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), QPoint(5, 5)))
    assert REFERENCE in QToolTip.text()
    QToolTip.hideText()
    for words in (REFERENCE, "Show in answer", "在回答中查看"):
        widget.setText(words)
        widget.resize(widget.sizeHint())
        assert widget.shown() == words, "what has the room that it asks for is whole"
