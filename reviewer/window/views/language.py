"""Tells a widget of a change of language for as long as it lives."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from reviewer.window.i18n import changed

__all__ = ["follow_language"]


def follow_language(owner: QObject, retranslate: Callable[[], None]) -> None:
    """Call *retranslate* after each change of language until *owner* is destroyed."""
    changed.append(retranslate)

    def forget() -> None:
        if retranslate in changed:
            changed.remove(retranslate)

    owner.destroyed.connect(forget)
