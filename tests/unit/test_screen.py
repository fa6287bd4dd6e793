"""Why no window can be opened is known before Qt is asked."""

import shutil
import sys
from pathlib import Path

import pytest

from reviewer.services import screen
from reviewer.services.screen import missing_text, window_obstacle

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems differ")


def test_without_a_display_there_is_no_screen() -> None:
    assert "neither DISPLAY nor WAYLAND_DISPLAY" in window_obstacle({})


def test_a_platform_without_a_screen_is_none() -> None:
    said = window_obstacle({"QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":0"})
    assert said == "there is no screen: QT_QPA_PLATFORM is offscreen"


def test_a_display_at_which_nothing_answers_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "_missing_library", str)
    monkeypatch.setattr(screen, "find_spec", lambda _name: object())
    try:
        said = window_obstacle({"DISPLAY": ":987654"})
    except OSError:
        pytest.skip("no libxcb here")
    assert "DISPLAY :987654" in said or "libxcb" in said


def test_a_missing_library_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: "/usr/bin/apt-get")
    error = "libxcb-cursor.so.0: cannot open shared object file: No such file or directory"
    said = missing_text(error)
    assert "libxcb-cursor.so.0" in said
    assert "sudo apt-get install libxcb-cursor0" in said
    assert "other.so" in missing_text("other.so: wrong ELF class")


def test_without_pyside_its_installation_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "find_spec", lambda _name: None)
    assert "pip install PySide6-Essentials" in window_obstacle({"DISPLAY": ":0"})


def test_asking_imports_no_qt() -> None:
    code = Path(screen.__file__).read_text("utf-8")
    assert "import PySide6" not in code
    assert "from PySide6" not in code
