"""Every text of the window follows the language."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLibraryInfo, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDockWidget,
    QLabel,
    QLineEdit,
    QTabBar,
    QTableView,
    QTreeView,
    QWidget,
)

from reviewer.window import i18n
from reviewer.window.shell import Shell
from tests.window.driving import menu_action, rest
from tests.window.texts import texts


def shown_texts(shell: Shell) -> list[str]:
    """Return every text of the window that is not evidence."""
    found = [action.text() for action in shell.findChildren(QAction)]
    for widget in shell.findChildren(QWidget):
        found += [widget.accessibleName(), widget.accessibleDescription(), widget.toolTip()]
        if isinstance(widget, QLabel | QAbstractButton):
            found.append(widget.text())
        elif isinstance(widget, QLineEdit):
            found.append(widget.placeholderText())
        elif isinstance(widget, QTabBar):
            found += [widget.tabText(at) for at in range(widget.count())]
        elif isinstance(widget, QDockWidget):
            found.append(widget.windowTitle())
        elif isinstance(widget, QComboBox):
            found += [widget.itemText(at) for at in range(widget.count())]
        elif isinstance(widget, QTableView | QTreeView) and widget.model() is not None:
            model = widget.model()
            found += [
                str(model.headerData(at, Qt.Orientation.Horizontal) or "")
                for at in range(model.columnCount())
            ]
    return [text for text in found if text]


def test_a_switch_of_the_language_retitles_everything(opened: Shell) -> None:
    before = shown_texts(opened)
    menu_action(opened, "View", "Language", "简体中文").trigger()
    rest()
    chinese = shown_texts(opened)
    assert set(before) & set(texts()), "nothing of the window is in the catalogue"
    assert set(chinese) & set(texts()) == set()
    assert menu_action(opened, "文件(F)", "打开示例").isEnabled()
    menu_action(opened, "视图(V)", "语言", "English").trigger()
    rest()
    assert sorted(shown_texts(opened)) == sorted(before)


def test_the_words_of_qt_follow_the_language_and_leave_with_the_window(
    opened: Shell, speak: Callable[[str], None]
) -> None:
    def cut() -> str:
        return QCoreApplication.translate("QWidgetTextControl", "Cu&t")

    assert cut() == "Cu&t"
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if not (Path(folder) / "qtbase_zh_CN.qm").exists():
        pytest.skip("this Qt brings no Chinese")
    speak("zh_CN")
    assert "剪切" in cut()
    speak("en")
    assert cut() == "Cu&t"
    speak("zh_CN")
    opened.close()
    assert cut() == "Cu&t"


def test_a_pseudo_language_shows_that_no_text_passes_the_catalogue_by(
    opened: Shell, monkeypatch: pytest.MonkeyPatch, speak: Callable[[str], None]
) -> None:
    marked = {text: f"⟦{text}⟧" for text in texts()}
    monkeypatch.setattr(i18n, "_catalogue", lambda code: marked if code == "zh_CN" else {})
    speak("zh_CN")
    plain = [text for text in shown_texts(opened) if text in marked]
    assert plain == []
