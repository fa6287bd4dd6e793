"""What every test gets: its own user folders, no network, and the recorded evidence by name."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

from tests.conformance.check_data import shared_folder

# No test may need a screen; a developer's own choice of platform wins.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Time limits would test the machine. In CI the same examples run each time.
settings.register_profile("reread", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("reread")


def _qt_loads() -> bool:
    """Tell whether this machine has the system libraries that Qt needs."""
    try:
        import PySide6.QtWidgets  # noqa: F401, PLC0415 - the question is whether it can be imported
    except ImportError:
        return False
    return True


# pytest-qt ends the whole run where Qt cannot be loaded, and audits need no Qt; hence its own
# start is switched off in pyproject.toml.
pytest_plugins = ["pytester", *(["pytestqt.plugin"] if _qt_loads() else [])]


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the folder of the recorded evidence, which holds ``data``.

    Without it a test is skipped on a developer's machine and fails in CI.
    """
    folder = shared_folder()
    if not (folder / "data").is_dir():
        message = f"the recorded evidence is not in {folder}; REREAD_SHARED names another folder"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture(autouse=True)
def _own_user_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests out of the folders of the person who runs them."""
    home = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REREAD_DATA_DIR", str(home / "reread"))
        for kind in ("DATA", "CONFIG", "CACHE", "STATE"):
            patch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        yield


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn every attempt to reach another machine into a failure."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def refuse(address: object) -> NoReturn:
        pytest.fail(f"a test tried to reach the network: {address!r}")

    def guarded(self: socket.socket, address: str) -> None:
        connect(self, address) if self.family == socket.AF_UNIX else refuse(address)

    def guarded_ex(self: socket.socket, address: str) -> int:
        return connect_ex(self, address) if self.family == socket.AF_UNIX else refuse(address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_ex)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *address, **_: refuse(address))
