"""What views share: tones of colour, and labels that show words as they are."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QWidget

from reviewer.window.theme import colour
from reviewer.window.views.text_stand_ins import shown

__all__ = ["RESTYLED", "plain_label", "tint"]

RESTYLED = frozenset({QEvent.Type.PaletteChange, QEvent.Type.FontChange})
"""Changes after which a view that took colours or sizes takes them anew."""

_TONES = {"good": "good", "open": "open", "bad": "bad", "muted": "muted", "": "ink"}


def tint(widget: QWidget, tone: str) -> None:
    """Give the words of *widget* the colour of a tone: ``good``, ``open``, ``bad``, ``muted``."""
    palette = widget.palette()
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        palette.setColor(role, colour(_TONES[tone]))
    widget.setPalette(palette)


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
