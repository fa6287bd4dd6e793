"""What views share: hearing of a new language or look, and labels for text of unknown origin."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QLabel, QWidget

from reviewer.window import i18n
from reviewer.window.views.wrapping import WrappingLabel

__all__ = ["RESTYLED", "Soon", "follow_language", "plain_label", "tint"]

RESTYLED = frozenset({QEvent.Type.PaletteChange, QEvent.Type.FontChange})
"""Changes after which a view that took colours or sizes takes them anew."""


class Soon(QObject):
    """One piece of work that is done in a turn of the event loop of its own.

    However often it is asked for until then, it is done once.  Many views hear
    of the same change: each takes its time for itself, and the window stays alive.
    """

    def __init__(self, owner: QObject, work: Callable[[], None]) -> None:
        super().__init__(owner)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(work)

    def ask(self) -> None:
        """Have it done soon."""
        self._timer.start()


def follow_language(widget: QWidget, retell: Callable[[], None]) -> None:
    """Call *retell* soon after each change of language, as long as *widget* lives."""
    ask = Soon(widget, retell).ask
    i18n.changed.append(ask)
    widget.destroyed.connect(lambda: i18n.changed.remove(ask))


def tint(label: QLabel, tone: str) -> None:
    """Give the words of *label* the colour of a tone: ``good``, ``open``, ``bad``, ``muted``.

    The style sheet of the theme knows the property, so that a change of colours changes it too.
    """
    label.setProperty("tone", tone)
    label.style().unpolish(label)
    label.style().polish(label)


def plain_label(
    words: str, tone: str = "", *, selectable: bool = True, longest: int = 12
) -> WrappingLabel:
    """Return a label that shows *words* as they are: no markup, nothing hidden, wrapped.

    A selectable label is reached with Tab, and its words can be selected and copied.
    A word of more than *longest* characters is broken where there is too little room.
    """
    label = WrappingLabel(words, longest)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setAccessibleName(label.words)
    if selectable:
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
    if tone:
        tint(label, tone)
    return label
