"""The filter above a table: the line, what is wrong with it, how much is shown, earlier filters."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from reviewer.display import fit
from reviewer.filter.columns import Columns, Op
from reviewer.filter.lexer import FilterError
from reviewer.filter.parser import parse
from reviewer.filter.tree import EVERYTHING, Compare, Tree, all_of, written
from reviewer.window.i18n import tr
from reviewer.window.presenters.filters import fault_words
from reviewer.window.views.filter_edit import FilterEdit

__all__ = ["FilterBar"]

_KEPT = 30
_PAUSE = 200
"""Milliseconds without a keystroke after which a filter is used."""
_MENU_COLUMNS = 60


class FilterBar(QWidget):
    """Gives out the filter that is in force.

    A filter that is wrong is not used: the one before stays, and the bar says
    so.
    """

    changed = Signal(object)
    """The `Tree` that is in force from now on."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.tree: Tree = EVERYTHING
        self.history: list[str] = []
        self.edit = FilterEdit(self)
        self.edit.setObjectName(f"{name}_text")
        self.clear = QToolButton(self)
        self.clear.setObjectName(f"{name}_clear")
        self.clear.setText("✕")
        self.earlier = QToolButton(self)
        self.earlier.setObjectName(f"{name}_history")
        self.earlier.setText("▾")
        self.earlier.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self.earlier)
        self.earlier.setMenu(self._menu)
        self.count = QLabel(self)
        self.count.setObjectName(f"{name}_count")
        self.error = QLabel(self)
        self.error.setObjectName(f"{name}_error")
        for label in (self.count, self.error):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.error.setWordWrap(True)
        self.error.hide()
        self._lay_out()
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self.use)
        self.edit.typed.connect(self._typed)
        self.edit.returnPressed.connect(self._entered)
        self.edit.editingFinished.connect(self._remember)
        self.clear.clicked.connect(self.edit.clear)
        self._menu.aboutToShow.connect(self._fill)
        self.retranslate()

    def put_beside(self, widget: QWidget) -> None:
        """Put *widget* at the end of the line."""
        self._line.addWidget(widget)

    def _lay_out(self) -> None:
        self._line = line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        for widget in (self.edit, self.clear, self.earlier, self.count):
            line.addWidget(widget)
        line.setStretch(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 4, 6, 4)
        column.setSpacing(2)
        column.addLayout(line)
        column.addWidget(self.error)

    def retranslate(self) -> None:
        """Name everything in the present language."""
        self.edit.setPlaceholderText(tr("Filter: a word, or column == value"))
        self.edit.setAccessibleName(tr("Filter"))
        self.clear.setAccessibleName(tr("Clear the filter"))
        self.clear.setToolTip(tr("Clear the filter"))
        self.earlier.setAccessibleName(tr("Earlier filters"))
        self.earlier.setToolTip(tr("Earlier filters"))
        self.count.setAccessibleName(tr("How much is shown"))
        self.edit.retranslate()
        if self.edit.wrong is not None:
            self._check()

    # -- what is in force ---------------------------------------------------------

    def set_columns(self, columns: Columns) -> None:
        """Take filters in the words of *columns* from now on."""
        self.edit.columns = columns
        self.use()

    def set_text(self, text: str) -> None:
        """Write a filter and use it at once."""
        self.edit.setText(text)
        self.use()

    def text(self) -> str:
        """Return what is written."""
        return self.edit.text()

    def use(self) -> None:
        """Use what is written, unless it is wrong."""
        self._pause.stop()
        tree = self._check()
        if tree is not None and tree != self.tree:
            self.tree = tree
            self.changed.emit(tree)

    def narrow(self, column: str, value: str | int, *, exclude: bool) -> None:
        """Add a condition to the filter in force: show only this value, or leave it out."""
        same = Compare(column, Op.EQUAL, value)
        condition = Compare(column, Op.UNEQUAL, value) if exclude else same
        self.set_text(written(all_of(self.tree, condition), self.edit.columns))
        self._remember()

    def condition(self, column: str, value: str | int, *, exclude: bool) -> str:
        """Return how such a condition is written, short enough for a menu."""
        compare = Compare(column, Op.UNEQUAL if exclude else Op.EQUAL, value)
        return fit(written(compare, self.edit.columns), _MENU_COLUMNS)

    def _typed(self) -> None:
        self._check()
        self._pause.start()

    def _entered(self) -> None:
        self.use()
        self._remember()

    def _check(self) -> Tree | None:
        try:
            tree = parse(self.edit.text(), self.edit.columns)
        except FilterError as error:
            self.edit.mark(error.span)
            words = f"✗ {fault_words(error)}."
            if self.tree != EVERYTHING:
                words += " " + tr("The filter before stays in force.")
            self.error.setText(words)
            self.error.show()
            self.edit.setAccessibleDescription(self.error.text())
            return None
        self.edit.mark(None)
        self.error.hide()
        self.error.clear()
        self.edit.setAccessibleDescription("")
        return tree

    # -- earlier filters ----------------------------------------------------------

    def _remember(self) -> None:
        text = self.edit.text().strip()
        if text and self.edit.wrong is None:
            self.history = [text, *(each for each in self.history if each != text)][:_KEPT]

    def _fill(self) -> None:
        self._menu.clear()
        for text in self.history:
            entry = self._menu.addAction(fit(text, _MENU_COLUMNS).replace("&", "&&"))
            entry.triggered.connect(lambda _=False, text=text: self.set_text(text))
        if not self.history:
            self._menu.addAction(tr("There are none yet")).setEnabled(False)
