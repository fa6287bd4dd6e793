"""Files and folders that are dropped anywhere on the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QMimeData, QObject
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

__all__ = ["DropTarget"]

_OVER = (QEvent.Type.DragEnter, QEvent.Type.DragMove)


class DropTarget(QObject):
    """Lets *widget* take local files and folders; addresses of other places are never followed."""

    def __init__(self, widget: QWidget, take: Callable[[Sequence[str]], None]) -> None:
        super().__init__(widget)
        self._take = take
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Take what holds local paths, and leave everything else to the widget."""
        # What is dragged over a widget is told by kinds of this one class.
        if isinstance(event, QDropEvent) and event.type() in (*_OVER, QEvent.Type.Drop):
            paths = _local_paths(event.mimeData())
            if paths:
                event.acceptProposedAction()
                if event.type() == QEvent.Type.Drop:
                    self._take(paths)
                return True
        return super().eventFilter(watched, event)


def _local_paths(data: QMimeData) -> list[str]:
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
