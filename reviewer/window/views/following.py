"""What views share: hearing of a new language, and labels for text of unknown origin."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QWidget

from reviewer.window import i18n
from reviewer.window.views.text_stand_ins import shown

__all__ = ["RESTYLED", "follow_language", "plain_label", "tint"]

RESTYLED = frozenset({QEvent.Type.PaletteChange, QEvent.Type.FontChange})
"""Changes after which a view that took colours or sizes takes them anew."""


def follow_language(widget: QWidget, retell: Callable[[], None]) -> None:
    """Call *retell* after each change of language, as long as *widget* lives."""
    i18n.changed.append(retell)
    widget.destroyed.connect(lambda: i18n.changed.remove(retell))


def tint(label: QLabel, tone: str) -> None:
    """Give the words of *label* the colour of a tone: ``good``, ``open``, ``bad``, ``muted``.

    The style sheet of the theme knows the property, so that a change of colours changes it too.
    """
    label.setProperty("tone", tone)
    label.style().unpolish(label)
    label.style().polish(label)


def plain_label(words: str, tone: str = "", *, selectable: bool = True) -> QLabel:
    """Return a label that shows *words* as they are: no markup, nothing hidden, wrapped.

    A selectable label is reached with Tab, and its words can be selected and copied.
    """
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(shown(words))
    label.setWordWrap(True)
    label.setAccessibleName(shown(words))
    if selectable:
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
    if tone:
        tint(label, tone)
    return label
