"""The bar at the top that says what could not be read."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QStringListModel
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListView,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from reviewer.display import one_line
from reviewer.window.i18n import tr, trn
from reviewer.window.pages import plain_label
from store.records.runs import Problem, ProblemKind

__all__ = ["ProblemBar"]

_LIST_HEIGHT = 110
_WRAPPED = 200
"""Up to so many problems long ones are shown on several lines."""


class ProblemBar(QFrame):
    """Says how much could not be read, was changed or deserves a note, with a list on demand."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("problem_bar")
        self.problems: list[Problem] = []
        self.words = plain_label("problem_words")
        self.show_list = QPushButton()
        self.show_list.setObjectName("problem_show_list")
        self.show_list.setCheckable(True)
        self.show_list.toggled.connect(self._toggled)
        self.dismiss = QPushButton()
        self.dismiss.setObjectName("problem_dismiss")
        self.dismiss.clicked.connect(self.hide)
        self.list = QListView()
        self.list.setObjectName("problem_list")
        self.list.setWordWrap(True)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setMaximumHeight(_LIST_HEIGHT)
        self.list.hide()
        self._model = QStringListModel(self)
        self.list.setModel(self._model)
        row = QHBoxLayout()
        row.addWidget(self.words, 1)
        row.addWidget(self.show_list)
        row.addWidget(self.dismiss)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(10, 6, 10, 6)
        rows.addLayout(row)
        rows.addWidget(self.list)
        self.hide()
        self.retranslate()

    def add(self, problems: Iterable[Problem]) -> None:
        """Take more problems in; what is lost or changed makes the bar appear."""
        new = list(problems)
        self.problems += new
        if self.list.isVisible():
            self._fill()
        self._say()
        if any(problem.kind is not ProblemKind.NOTED for problem in new):
            self.show()

    def replace(self, old: Iterable[Problem], new: Iterable[Problem]) -> None:
        """Put *new* in the place of *old*; the bar appears for what was not told before."""
        told = list(self.problems)
        gone, coming = set(old), list(new)
        self.problems = [each for each in told if each not in gone] + coming
        if self.list.isVisible():
            self._fill()
        self._say()
        alarms = [each for each in self.problems if each.kind is not ProblemKind.NOTED]
        if not alarms:
            self.hide()
        elif any(each not in told for each in alarms):
            self.show()

    def clear(self) -> None:
        """Forget every problem and go away."""
        self.problems.clear()
        self.show_list.setChecked(False)
        self._fill()
        self.hide()

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self._say()
        self._toggled(self.show_list.isChecked())
        self.dismiss.setText(tr("Hide"))
        self.dismiss.setAccessibleName(tr("Hide the list of problems"))
        self.list.setAccessibleName(tr("What could not be read"))

    def _say(self) -> None:
        kinds = [problem.kind for problem in self.problems]
        lost, changed = kinds.count(ProblemKind.LOST), kinds.count(ProblemKind.CHANGED)
        noted = kinds.count(ProblemKind.NOTED)
        words = []
        if lost:
            words.append(trn("{n} thing could not be read", "{n} things could not be read", lost))
        if changed:
            words.append(
                trn("{n} thing is not as recorded", "{n} things are not as recorded", changed)
            )
        if noted:
            words.append(trn("{n} note", "{n} notes", noted))
        self.words.setText("▲ " + tr(", ").join(words))

    def _toggled(self, shown: bool) -> None:  # noqa: FBT001 - Qt's signature
        text = tr("Hide list") if shown else tr("Show list")
        self.show_list.setText(text)
        self.show_list.setAccessibleName(text)
        if shown:
            self._fill()
        self.list.setVisible(shown)

    def _fill(self) -> None:
        kinds = {
            ProblemKind.LOST: tr("lost"),
            ProblemKind.CHANGED: tr("changed"),
            ProblemKind.NOTED: tr("noted"),
        }
        # Many rows are only laid out fast where all are of one height.
        self.list.setUniformItemSizes(len(self.problems) > _WRAPPED)
        self._model.setStringList(
            [
                f"{kinds[each.kind]}: {one_line(each.where)}: {one_line(each.what)}"
                for each in self.problems
            ]
        )
