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
_CONNECTED = QLocalSocket.LocalSocketState.ConnectedState


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

    # Not declared as a list: Qt would copy it, and lose what is no Unicode in the names of files.
    asked = Signal(object, object)
    """A list of paths, and a store or None, that a later start was given."""

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
        for socket in tuple(self._held):
            socket.readyRead.disconnect(self._look)
            socket.disconnected.disconnect(self._look)
            self._let_go(socket)

    def _connected(self) -> None:
        while self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            self._held[socket] = b""
            # Methods and no closures: they are let go when this object is.
            socket.readyRead.connect(self._look)
            socket.disconnected.connect(self._look)
        self._look()

    def _look(self) -> None:
        for socket in tuple(self._held):
            if not self._read(socket) or socket.state() != _CONNECTED:
                self._let_go(socket)

    def _read(self, socket: QLocalSocket) -> bool:
        """Take in what came from *socket*; return whether more is wanted of it."""
        self._held[socket] += bytes(socket.readAll().data())
        if len(self._held[socket]) > _LARGEST:
            return False
        line, found, _ = self._held[socket].partition(b"\n")
        if not found:
            return True
        request = _request(line)
        if request is not None:
            socket.write(_TAKEN)
            socket.flush()
            self.asked.emit(*request)
        return False

    def _let_go(self, socket: QLocalSocket) -> None:
        if self._held.pop(socket, None) is not None:
            socket.disconnectFromServer()
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
