"""A text with what a reader needs around it: find, wrapping, and where the cursor stands."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from reviewer.window.fitting import FittingLabel
from reviewer.window.i18n import tr
from reviewer.window.views.following import follow_language
from reviewer.window.views.text_stand_ins import name_of
from reviewer.window.views.text_view import TextView
from store.records.text import Span

__all__ = ["FindBar", "TextPane"]


class FindBar(QWidget):
    """Find in one text: what, how, and which of how many is shown.

    ``partial`` is set where the text is not all there is: not found then does
    not mean that it is not there.
    """

    closed = Signal()
    """The reader has done with it."""

    def __init__(self, view: TextView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self.partial = False
        self.setObjectName("find_bar")
        self.edit = QLineEdit(self)
        self.edit.setObjectName("find_text")
        self.count = QLabel(self)
        self.count.setObjectName("find_count")
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.previous, self.next = QToolButton(self), QToolButton(self)
        self.case, self.whole = QCheckBox(self), QCheckBox(self)
        self.close_button = QToolButton(self)
        for name, widget in (
            ("find_previous", self.previous),
            ("find_next", self.next),
            ("find_case", self.case),
            ("find_whole", self.whole),
            ("find_close", self.close_button),
        ):
            widget.setObjectName(name)
            widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 4, 6, 4)
        row.addWidget(self.edit, 1)
        for part in (self.previous, self.next, self.case, self.whole, self.count):
            row.addWidget(part)
        row.addWidget(self.close_button)
        self._connect()
        self.retell()

    def _connect(self) -> None:
        self.edit.textEdited.connect(self._again)
        self.case.toggled.connect(self._again)
        self.whole.toggled.connect(self._again)
        self.next.clicked.connect(self._forward)
        self.previous.clicked.connect(self._backward)
        self.close_button.clicked.connect(self.done)
        self.edit.installEventFilter(self)
        self._view.found.connect(self._tell)

    def retell(self) -> None:
        """Take every word anew: the language changed."""
        self.edit.setPlaceholderText(tr("Find in this text"))
        self.edit.setAccessibleName(tr("Find in this text"))
        for button, sign, words in (
            (self.previous, "↑", tr("Previous hit")),
            (self.next, "↓", tr("Next hit")),
            (self.close_button, "✕", tr("Close find")),
        ):
            button.setText(sign)
            button.setToolTip(words)
            button.setAccessibleName(words)
        self.case.setText(tr("Match case"))
        self.case.setAccessibleName(tr("Match case"))
        self.whole.setText(tr("Whole words"))
        self.whole.setAccessibleName(tr("Whole words"))
        self._tell(*self._view.finding)

    def begin(self) -> None:
        """Show the bar and look for what is selected, or for what was looked for before."""
        chosen = self._view.selected_text()
        if chosen and "\n" not in chosen and chosen.isprintable():
            self.edit.setText(chosen)
        self.show()
        self.edit.setFocus()
        self.edit.selectAll()
        self._again()

    def done(self) -> None:
        """End the search and hide."""
        self._view.find("")
        self.hide()
        self.closed.emit()

    def look(self) -> None:
        """Look again: the text is another one."""
        if self.isVisible():
            self._again()

    def _again(self) -> None:
        self._find(backwards=False)

    def _forward(self) -> None:
        self._find(backwards=False, on=True)

    def _backward(self) -> None:
        self._find(backwards=True, on=True)

    def _find(self, *, backwards: bool, on: bool = False) -> None:
        self._view.find(
            self.edit.text(),
            backwards=backwards,
            case=self.case.isChecked(),
            whole=self.whole.isChecked(),
            on=on,
        )

    def _tell(self, number: int, count: int, complete: bool) -> None:  # noqa: FBT001 - a slot
        if not self.edit.text():
            self.count.clear()
        elif not complete:
            self.count.setText(tr("{count} so far, looking…", count=f"{count:,}"))
        elif not self._view.text:
            self.count.setText(tr("there is no text to look in"))
        elif not count:
            words = tr("not in what is shown here") if self.partial else tr("not in this text")
            self.count.setText(words)
        else:
            self.count.setText(tr("{k} of {n}", k=f"{number:,}", n=f"{count:,}"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Go on with Return, back with Shift+Return, end with Escape."""
        if watched is self.edit and isinstance(event, QKeyEvent):
            pressed = event.type() == QEvent.Type.KeyPress
            if pressed and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self._find(backwards=back, on=True)
                return True
            if pressed and event.key() == Qt.Key.Key_Escape:
                self.done()
                return True
        return super().eventFilter(watched, event)


class TextPane(QWidget):
    """A `TextView` with a find bar above and a line below that says where the cursor stands.

    ``where`` gives the words for a selection; by default its code points.
    ``filled`` is called when the pane comes into sight.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.where: Callable[[Span], str] = _where
        self.filled: Callable[[], None] | None = None
        self.view = TextView(self)
        self.view.setObjectName(f"{name}_text")
        self.bar = FindBar(self.view, self)
        self.bar.hide()
        self.wrap = QCheckBox(self)
        self.wrap.setObjectName(f"{name}_wrap")
        self.place = FittingLabel(self)
        self.place.setObjectName(f"{name}_place")
        self.place.setTextFormat(Qt.TextFormat.PlainText)
        # A long place must not keep the window from becoming narrow.
        self.place.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.view, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(6, 2, 6, 2)
        foot.addWidget(self.place, 1)
        foot.addWidget(self.wrap)
        column.addLayout(foot)
        self.wrap.toggled.connect(lambda on: self.view.set_wrap(wraps=on))
        self.view.selection_changed.connect(self._tell)
        self.view.notice.connect(self.place.setText)
        self.bar.closed.connect(self.view.setFocus)
        self.retell()
        follow_language(self, self.retell)

    def retell(self) -> None:
        """Take every word anew: the language changed."""
        self.wrap.setText(tr("Wrap lines"))
        self.wrap.setAccessibleName(tr("Wrap lines"))
        self.bar.retell()
        self.view.retell()
        self._tell(self.view.selection())

    def set_tab_order(self, before: QWidget, behind: QWidget | None) -> None:
        """Let Tab lead from *before* through this pane to *behind*."""
        bar = self.bar
        stops = [before, bar.edit, bar.previous, bar.next, bar.case, bar.whole, bar.close_button]
        stops += [self.view, self.wrap, *([behind] if behind is not None else [])]
        for one, other in pairwise(stops):
            QWidget.setTabOrder(one, other)

    def find_here(self) -> None:
        """Begin to find in this text."""
        self.bar.begin()

    def _tell(self, span: Span) -> None:
        words = self.where(span) if self.view.text else ""
        text = self.view.text
        one = Span(span.start, span.start + 1)
        ours = any(mark.kind == "heading" for mark in self.view.marks.meeting(one))
        if span.length <= 1 and span.start < len(text) and not ours:
            words += f" · {name_of(text[span.start])}"
        self.place.setText(words)
        self.place.setAccessibleName(words)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Fill what was left empty while nobody looked."""
        super().showEvent(event)
        if self.filled is not None:
            self.filled()


def _where(span: Span) -> str:
    return tr("characters [{start}, {end})", start=span.start, end=span.end)
