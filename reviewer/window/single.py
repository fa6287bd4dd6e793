"""One window for a user and a data folder: a second start hands its paths to the first."""

from __future__ import annotations

import getpass
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QAbstractSocket, QLocalServer, QLocalSocket

__all__ = ["FirstStart", "hand_over", "server_name"]

_PATIENCE = 300
"""Milliseconds that a start waits for each answer of the first; then it opens its own window."""
_LARGEST = 1_000_000
_TAKEN = b"taken\n"


def server_name(data_folder: Path) -> str:
    """Return the name under which the first start of this user listens."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no name in the user database
        user = ""
    digest = sha256(f"{user}\0{data_folder}".encode("utf-8", "surrogateescape")).hexdigest()
    return f"reread-{digest[:20]}"


def hand_over(name: str, paths: Sequence[str], store: str | None = None) -> bool:
    """Hand *paths* to the window that listens under *name*; return whether it took them."""
    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(_PATIENCE):
        return False
    message = json.dumps({"paths": list(paths), "store": store}).encode("ascii") + b"\n"
    socket.write(message)
    socket.flush()
    answered = socket.waitForReadyRead(_PATIENCE) and bytes(socket.readLine().data()) == _TAKEN
    socket.disconnectFromServer()
    return answered


class FirstStart(QObject):
    """Listens for later starts of the same user."""

    asked = Signal(list, object)
    """Paths, and a store or None, that a later start was given."""

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._connected)
        self._held: dict[QLocalSocket, bytes] = {}
        if not self._server.listen(name):
            if self._server.serverError() == QAbstractSocket.SocketError.AddressInUseError:
                # Nobody answered there before this was made: it is left over from a crash.
                QLocalServer.removeServer(name)
            self._server.listen(name)

    @property
    def listens(self) -> bool:
        """Whether later starts can find this one; without it each opens a window of its own."""
        return self._server.isListening()

    def close(self) -> None:
        """Stop listening."""
        self._server.close()

    def _connected(self) -> None:
        while self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            self._held[socket] = b""
            socket.readyRead.connect(lambda socket=socket: self._read(socket))
            socket.disconnected.connect(lambda socket=socket: self._gone(socket))
            self._read(socket)

    def _read(self, socket: QLocalSocket) -> None:
        if socket not in self._held:
            return
        self._held[socket] += bytes(socket.readAll().data())
        if len(self._held[socket]) > _LARGEST:
            socket.abort()
            return
        line, found, _ = self._held[socket].partition(b"\n")
        if not found:
            return
        self._held[socket] = b""
        request = _request(line)
        if request is None:
            socket.abort()
            return
        socket.write(_TAKEN)
        socket.flush()
        self.asked.emit(*request)

    def _gone(self, socket: QLocalSocket) -> None:
        self._held.pop(socket, None)
        socket.deleteLater()


def _request(line: bytes) -> tuple[list[str], str | None] | None:
    """Return what a later start wrote, or nothing where it is no request."""
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(asked, dict):
        return None
    paths, store = asked.get("paths"), asked.get("store")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        return None
    return (paths, store) if store is None or isinstance(store, str) else None
