"""What stands in the window while no run does: the start, the loading and the empty page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from reviewer.display import one_line
from reviewer.window.i18n import tr
from reviewer.window.recent import WHERE, RecentDelegate

__all__ = ["EmptyPage", "LoadingPage", "ProgressStrip", "StartPage", "plain_label"]

_COLUMN = 620
"""Width of the column of text on a page, in device-independent pixels at 100 %."""


def plain_label(name: str, *, tone: str = "", larger: float = 1.0) -> QLabel:
    """Return a label that shows its text as it is, never as markup."""
    label = QLabel()
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if tone:
        label.setProperty("tone", tone)
    if larger != 1.0:
        font = QFont(label.font())
        font.setPointSizeF(font.pointSizeF() * larger)
        font.setBold(True)
        label.setFont(font)
        label.setProperty("larger", larger)
    return label


class _Page(QScrollArea):
    """A column in the middle of the window, which scrolls where large text needs more room."""

    def __init__(self, name: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        ground = QWidget()
        column = QWidget(ground)
        column.setMaximumWidth(_COLUMN)
        self.rows = QVBoxLayout(column)
        self.rows.setSpacing(10)
        across = QHBoxLayout(ground)
        across.addStretch(1)
        across.addWidget(column, 6)
        across.addStretch(1)
        self.setWidget(ground)


class Choice(QPushButton):
    """A large button: what it does, and under it what that means."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("choice")
        self.setAutoDefault(True)
        self._title = plain_label("choice_title", larger=1.15)
        self._more = plain_label("choice_more", tone="muted")
        rows = QVBoxLayout(self)
        rows.setContentsMargins(20, 14, 20, 14)
        for label in (self._title, self._more):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            rows.addWidget(label)

    def tell(self, title: str, more: str) -> None:
        """Show *title* and, under it, *more*."""
        self._title.setText(title)
        self._more.setText(more)
        self.setAccessibleName(title)
        self.setAccessibleDescription(more)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Leave room for both texts."""
        layout = self.layout()
        return layout.sizeHint() if layout is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Leave room for both texts."""
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())


class StartPage(_Page):
    """Three choices, what was opened lately, and a place to drop things on."""

    chosen = Signal(str)
    """The id of a command."""
    recent_chosen = Signal(str)
    """A path that was opened before."""

    _CHOICES = ("file.open_folder", "file.open_file", "file.open_sample")

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("start_page", parent)
        self.title = plain_label("start_title", larger=1.9)
        self.purpose = plain_label("start_purpose", tone="muted")
        self.choices = [self._choice(name) for name in self._CHOICES]
        self.recent_title = plain_label("recent_title", larger=1.1)
        self.recent = QListWidget()
        self.recent.setObjectName("recent_runs")
        self.recent.setFrameShape(QFrame.Shape.NoFrame)
        self.recent.setItemDelegate(RecentDelegate(self.recent))
        self.recent.setUniformItemSizes(True)
        self.recent.itemActivated.connect(self._activated)
        self.recent.itemClicked.connect(self._activated)
        self.drop = plain_label("start_drop", tone="muted")
        self.rows.addStretch(1)
        above = (self.title, self.purpose, *self.choices, self.drop, self.recent_title)
        for widget in above:
            self.rows.addWidget(widget)
        self.rows.addWidget(self.recent, 4)
        self.rows.addStretch(1)
        self._paths: tuple[str, ...] = ()
        self._missing: frozenset[str] = frozenset()
        self.retranslate()

    def _choice(self, command: str) -> Choice:
        button = Choice()
        button.setProperty("command", command)
        button.clicked.connect(lambda: self.chosen.emit(command))
        return button

    def show_recent(self, paths: Sequence[str], missing: frozenset[str] = frozenset()) -> None:
        """List *paths*, the latest first; those in *missing* are greyed and say so."""
        self._paths, self._missing = tuple(paths), missing
        self.recent.clear()
        for path in self._paths:
            name = one_line(PurePath(path).name or path)
            where = one_line(path)
            if path in missing:
                where = tr("{path} (no longer there)", path=where)
            item = QListWidgetItem(name)
            item.setData(WHERE, where)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{name}, {where}")
            item.setData(Qt.ItemDataRole.UserRole, path)
            item.setToolTip(one_line(path))
            if path in missing:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.recent.addItem(item)
        self.recent.setVisible(bool(self._paths))
        self.recent_title.setVisible(bool(self._paths))

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self.title.setText("Reread")
        self.setAccessibleName(tr("Start"))
        self.purpose.setText(
            tr(
                "Shows which exact text a model was sent when it wrote a sentence, and whether its "
                "citation points at that text."
            )
        )
        texts: Mapping[str, tuple[str, str]] = {
            "file.open_folder": (
                tr("Open a run folder"),
                tr("A folder with the trace of a run, its sources and their versions"),
            ),
            "file.open_file": (
                tr("Open a trace file"),
                tr("One session or message log, as an agent wrote it"),
            ),
            "file.open_sample": (
                tr("Open the sample"),
                tr("Two small runs that show every verdict, written to your data folder"),
            ),
        }
        for button in self.choices:
            button.tell(*texts[button.property("command")])
        self.recent_title.setText(tr("Recent runs"))
        self.recent.setAccessibleName(tr("Recent runs"))
        self.drop.setText(tr("Or drop a folder or a file anywhere on this window."))
        self.show_recent(self._paths, self._missing)

    def _activated(self, item: QListWidgetItem) -> None:
        path = item.data(Qt.ItemDataRole.UserRole)
        if path not in self._missing:
            self.recent_chosen.emit(path)


class _Progress(QWidget):
    """What is being done, how much of it, and a way to stop it."""

    stop = Signal()

    def __init__(self, name: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.doing = plain_label(f"{name}_doing")
        self.bar = QProgressBar()
        self.bar.setObjectName(f"{name}_bar")
        self.bar.setTextVisible(False)
        self.button = QPushButton()
        self.button.setObjectName(f"{name}_cancel")
        self.button.clicked.connect(self.stop)
        self._text: Callable[[], str] = str
        self.retranslate()

    def tell(self, text: Callable[[], str], done: int, total: int) -> None:
        """Show what *text* gives in the present language; *total* 0 where it is not known."""
        self._text = text
        self.doing.setText(one_line(text()))
        self.bar.setRange(0, total)
        self.bar.setValue(done)

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self.doing.setText(one_line(self._text()))
        self.bar.setAccessibleName(tr("Progress of reading"))
        self.button.setText(tr("Cancel"))
        self.button.setAccessibleName(tr("Cancel reading"))


class ProgressStrip(_Progress):
    """The progress above what is shown already."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("progress_strip", parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 4)
        row.addWidget(self.doing, 3)
        row.addWidget(self.bar, 1)
        row.addWidget(self.button)


class LoadingPage(_Page):
    """The progress while there is nothing to show yet."""

    stop = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("loading_page", parent)
        self.title = plain_label("loading_title", larger=1.4)
        self.progress = _Progress("loading", self)
        inside = QVBoxLayout(self.progress)
        inside.setContentsMargins(0, 0, 0, 0)
        for widget in (self.progress.doing, self.progress.bar):
            inside.addWidget(widget)
        inside.addWidget(self.progress.button, 0, Qt.AlignmentFlag.AlignLeft)
        self.progress.stop.connect(self.stop)
        self.rows.addStretch(1)
        self.rows.addWidget(self.title)
        self.rows.addWidget(self.progress)
        self.rows.addStretch(2)
        self.retranslate()

    def tell(self, text: Callable[[], str], done: int, total: int) -> None:
        """Show what is being done."""
        self.progress.tell(text, done, total)

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self.title.setText(tr("Reading and auditing"))
        self.setAccessibleName(tr("Reading and auditing"))


class EmptyPage(_Page):
    """What was opened holds no run with model calls: says so, and what to do."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("empty_page", parent)
        self.title = plain_label("empty_title", larger=1.4)
        self.what = plain_label("empty_what")
        self.hint = plain_label("empty_hint", tone="muted")
        self.buttons = {
            name: QPushButton()
            for name in ("file.reload", "file.open_folder", "file.open_file", "file.close_all")
        }
        row = QHBoxLayout()
        for name, button in self.buttons.items():
            button.setObjectName(f"empty_{name}")
            button.clicked.connect(lambda _checked=False, name=name: self.chosen.emit(name))
            row.addWidget(button)
        row.addStretch(1)
        self._paths: tuple[str, ...] = ()
        self._stopped = False
        self.rows.addStretch(1)
        for widget in (self.title, self.what, self.hint):
            self.rows.addWidget(widget)
        self.rows.addLayout(row)
        self.rows.addStretch(2)
        self.retranslate()

    def tell(self, paths: Sequence[str], *, stopped: bool = False) -> None:
        """Say of which *paths* this is true, or that reading them was *stopped* before."""
        self._paths, self._stopped = tuple(paths), stopped
        self.retranslate()
        self.what.setText("\n".join(one_line(path) for path in self._paths))

    def retranslate(self) -> None:
        """Show every text in the present language."""
        title = tr("No run with model calls was found")
        hint = tr(
            "The bar above lists what was met. A run folder holds a manifest.json; a trace "
            "file is a session or message log. “reread formats” lists what can be read."
        )
        if self._stopped:
            title = tr("Reading was stopped")
            hint = tr("Nothing was read to its end, so nothing is shown. Read it again (F5).")
        self.title.setText(title)
        self.setAccessibleName(title)
        self.hint.setText(hint)
        texts = {
            "file.reload": tr("Read again"),
            "file.open_folder": tr("Open a run folder"),
            "file.open_file": tr("Open a trace file"),
            "file.close_all": tr("Back to the start"),
        }
        for name, button in self.buttons.items():
            button.setText(texts[name])
            button.setAccessibleName(texts[name])
