"""The words of Qt's own dialogs and menus, such as Cut and Paste, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QTranslator
from PySide6.QtWidgets import QApplication

__all__ = ["speak"]

_NAME = "reread_qt_words"


def speak(code: str) -> None:
    """Let Qt speak the language *code*, where Qt brings it; English otherwise."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        return
    held = app.findChild(QTranslator, _NAME)
    if held is not None and held.language() == code:
        return
    if held is not None:
        app.removeTranslator(held)
        held.setParent(None)
        held.deleteLater()
    made = QTranslator(app)
    made.setObjectName(_NAME)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if code != "en" and made.load(f"qtbase_{code}", folder):
        app.installTranslator(made)
    else:
        made.setParent(None)
        made.deleteLater()
