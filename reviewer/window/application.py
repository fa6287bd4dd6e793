"""Starts the window: one process with one event loop."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QTimer
from PySide6.QtWidgets import QApplication

from reviewer.services.places import data_dir, session_file
from reviewer.services.sessions import Session, load_session
from reviewer.services.team import whole_name
from reviewer.window import i18n
from reviewer.window.i18n import tr
from reviewer.window.links import is_link
from reviewer.window.single import FirstStart, hand_over, server_name
from store.records.runs import Problem

if TYPE_CHECKING:
    from reviewer.window.shell import Shell

__all__ = ["open_window"]


def open_window(paths: Sequence[str], store: str | None = None, *, restore: bool = True) -> int:
    """Open the window on *paths* and return the exit status when it is closed.

    Without paths and with *restore*, what was open last is opened again.  Where
    a window of this user is open already, it is given the paths.
    """
    app = QApplication.instance() or QApplication(["reread"])
    if not isinstance(app, QApplication):
        raise TypeError("an application without widgets is running in this process")
    app.setApplicationName("reread")
    app.setApplicationDisplayName("Reread")
    # A file with the name of a link can be given as ./reread:…
    wanted = [path if is_link(path) else whole_name(path) for path in paths]
    kept_store = os.path.abspath(store) if store is not None else None  # noqa: PTH100
    name = server_name(data_dir())
    if hand_over(name, wanted, kept_store):
        return 0
    from reviewer.window.shell import Shell  # noqa: PLC0415 - a second start needs no window

    session = load_session(session_file())
    i18n.set_language(_language(session))
    shell = Shell(session, session_file())
    first = FirstStart(name, shell)
    first.asked.connect(lambda more, its_store: _asked(shell, more, its_store))
    _report_errors(shell)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the event loop would not hear of Ctrl+C
    shell.show()
    if wanted:
        QTimer.singleShot(0, shell, lambda: shell.open(wanted, kept_store))
    elif restore:
        QTimer.singleShot(0, shell, shell.restore)
    status = app.exec()
    first.close()
    return int(status)


def _language(session: Session) -> str:
    if session.language in i18n.LANGUAGES:
        return session.language
    return "zh_CN" if QLocale.system().language() == QLocale.Language.Chinese else "en"


def _asked(shell: Shell, paths: Sequence[str], store: str | None) -> None:
    """Do what a later start was asked to, and come to the front."""
    if paths:
        shell.open(paths, store)
    if shell.isMinimized():
        shell.showNormal()
    shell.raise_()
    shell.activateWindow()


def _report_errors(shell: Shell) -> None:
    """Show an error inside the window in its bar, beside what Python prints of it."""

    def told(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, error, trace)
        what = tr("an error inside Reread: {error}", error=f"{kind.__name__}: {error}")
        shell.problems.add([Problem("Reread", what)])

    sys.excepthook = told
