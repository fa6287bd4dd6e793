"""Chooses the two sides of a comparison: what is open, or a folder or file that is not."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from reviewer.display import one_line
from reviewer.window.cut_choice import CutChoice
from reviewer.window.desk import Desk
from reviewer.window.i18n import tr
from reviewer.window.presenters.compare_sides import ComparePair, CompareSide, sides
from reviewer.window.views.following import plain_label

__all__ = ["CompareChooser"]

_LEAST_CHARS = 16


class CompareChooser(QWidget):
    """Two choices, a way to paths, and one button that begins or ends the work."""

    wanted = Signal()
    """The two sides that are chosen are to be compared."""
    stopped = Signal()
    """What is being compared is no longer wanted."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare_chooser")
        self._desk = desk
        self._paths: list[str] = []
        self._busy = False
        self._stale = False
        self.labels = (QLabel("A"), QLabel("B"))
        for label in self.labels:
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.choices = (self._choice("compare_a"), self._choice("compare_b"))
        self.folder, self.file, self.go = QPushButton(), QPushButton(), QPushButton()
        names = ("compare_folder", "compare_file", "compare_go")
        for button, name in zip((self.folder, self.file, self.go), names, strict=True):
            button.setObjectName(name)
            button.setAutoDefault(False)
        self.trouble = plain_label("", "open", selectable=False)
        self.trouble.setObjectName("compare_trouble")
        self.trouble.hide()
        self._lay_out()
        self.folder.clicked.connect(self._ask_folder)
        self.file.clicked.connect(self._ask_file)
        self.go.clicked.connect(self._pressed)
        self.retranslate()

    def _choice(self, name: str) -> CutChoice:
        box = CutChoice(_LEAST_CHARS)
        # The names of two versions of one source differ at their ends.
        box.cut = Qt.TextElideMode.ElideMiddle
        box.setObjectName(name)
        box.view().setObjectName(f"{name}_choices")
        return box

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        for label, choice in zip(self.labels, self.choices, strict=True):
            label.setBuddy(choice)
            row.addWidget(label)
            row.addWidget(choice, 1)
        for button in (self.folder, self.file, self.go):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 2)
        column.addLayout(row)
        column.addWidget(self.trouble)

    # -- what is chosen --------------------------------------------------------------

    @property
    def pair(self) -> ComparePair | None:
        """The two sides, ``None`` where one is missing."""
        a, b = (choice.currentData() for choice in self.choices)
        return (a, b) if isinstance(a, CompareSide) and isinstance(b, CompareSide) else None

    def offer(self) -> None:
        """Offer what is open now, at once or when somebody looks: it may be thousands of texts."""
        self._stale = not self.isVisible()
        if not self._stale:
            self.fill()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Offer what was opened meanwhile."""
        super().showEvent(event)
        if self._stale:
            self.fill()

    def fill(self, pair: ComparePair | None = None) -> None:
        """Offer what is open now; choose *pair*, else what was chosen before."""
        self._stale = False
        offered = list(sides(self._desk.audits, self._desk.place))
        offered += [(one_line(path), CompareSide("path", path=path)) for path in self._paths]
        for number, choice in enumerate(self.choices):
            wanted = pair[number] if pair else choice.currentData()
            choice.clear()
            for words, side in offered:
                choice.addItem(words, side)
            at = next((at for at, (_, side) in enumerate(offered) if side == wanted), -1)
            choice.setCurrentIndex(at)
        self.go.setEnabled(bool(offered) or self._busy)

    def trouble_with(self, pair: ComparePair | None) -> str:
        """Return why the two cannot be compared, "" where they can."""
        if pair is None:
            return tr("Choose both sides: A, the older, and B, the newer.")
        kinds = {side.kind for side in pair}
        if pair[0] == pair[1]:
            return tr("Both sides are the same.")
        if len(kinds) > 1 and kinds != {"run", "path"}:
            return tr("These two are of different kinds: compare runs, versions or calls.")
        return ""

    def add_path(self, path: str) -> None:
        """Offer *path*, and choose it for the side that is free, else for B."""
        if path not in self._paths:
            self._paths.append(path)
        a, b = (choice.currentData() for choice in self.choices)
        side = CompareSide("path", path=path)
        first = a if isinstance(a, CompareSide) else None
        if first is None and self._desk.audits:
            first = CompareSide("run", self._desk.place.run)
        self.fill((first, side) if first is not None else (side, b or side))
        self._want()

    # -- what is asked for -----------------------------------------------------------

    def show_busy(self, *, busy: bool) -> None:
        """Offer to stop while something is compared, else to begin."""
        self._busy = busy
        words = tr("Cancel") if busy else tr("Compare")
        self.go.setText(words)
        self.go.setAccessibleName(tr("Cancel comparing") if busy else tr("Compare"))

    def _pressed(self) -> None:
        if self._busy:
            self.stopped.emit()
        else:
            self._want()

    def _want(self) -> None:
        trouble = self.trouble_with(self.pair)
        self.trouble.setText(trouble)
        self.trouble.setAccessibleName(trouble)
        self.trouble.setVisible(bool(trouble))
        if not trouble:
            self.wanted.emit()

    def begin(self) -> None:
        """Compare what is chosen, or say why not."""
        self._want()

    def _ask_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(self, tr("Compare with a folder"))
        if path:
            self.add_path(path)

    def _ask_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, tr("Compare with a file"))
        if path:
            self.add_path(path)

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self.setAccessibleName(tr("What is compared"))
        self.choices[0].setAccessibleName(tr("A, the older side"))
        self.choices[1].setAccessibleName(tr("B, the newer side"))
        for choice in self.choices:
            choice.view().setAccessibleName(choice.accessibleName())
        self.folder.setText(tr("Folder…"))
        self.file.setText(tr("File…"))
        self.folder.setAccessibleName(tr("Compare with a folder"))
        self.file.setAccessibleName(tr("Compare with a file"))
        self.show_busy(busy=self._busy)
        self.offer()
