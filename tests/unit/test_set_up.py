"""The scripts that set a machine up, and the list of the evidence they ask for."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.conformance.check_data import LIST, missing_files, required_files

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def qt_libraries() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "qt_libraries", ROOT / "packaging" / "qt_libraries.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LDD = """\
\tlinux-vdso.so.1 (0x00007efc9fc7c000)
\tlibxcb-icccm.so.4 => not found
\tlibxcb.so.1 => /lib/x86_64-linux-gnu/libxcb.so.1 (0x00007f0000000000)
\tlibxcb-keysyms.so.1 => not found
"""


def test_libraries_that_the_linker_does_not_find_are_named(qt_libraries: ModuleType) -> None:
    assert qt_libraries.missing_in(LDD) == {"libxcb-icccm.so.4", "libxcb-keysyms.so.1"}


def test_the_command_fits_the_system(
    qt_libraries: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {
        "apt-get": "sudo apt-get install libegl1 libxcb-icccm4",
        "dnf": "sudo dnf install 'libEGL.so.1()(64bit)' 'libxcb-icccm.so.4()(64bit)'",
        "pacman": "sudo pacman -S --needed libglvnd xcb-util-wm",
        "zypper": "sudo zypper install 'libEGL.so.1()(64bit)' 'libxcb-icccm.so.4()(64bit)'",
    }
    for tool, command in expected.items():
        monkeypatch.setattr(qt_libraries.shutil, "which", {tool: f"/usr/bin/{tool}"}.get)
        given = qt_libraries.install_command({"libxcb-icccm.so.4", "libEGL.so.1"})
        assert given == command


def test_a_folder_without_qt_is_not_called_complete(
    qt_libraries: ModuleType, tmp_path: Path
) -> None:
    with pytest.raises(OSError, match="no Qt libraries"):
        qt_libraries.missing_libraries(tmp_path)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the linker of Linux")
def test_a_user_who_may_not_install_is_told_the_command(
    qt_libraries: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(qt_libraries, "missing_libraries", lambda _folder: {"libxcb-icccm.so.4"})
    monkeypatch.setattr(qt_libraries.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(qt_libraries.shutil, "which", {"apt-get": "/usr/bin/apt-get"}.get)
    assert qt_libraries.main() == 1
    assert "sudo apt-get install libxcb-icccm4" in capsys.readouterr().err


def test_missing_evidence_is_found_by_name(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "here.json").write_text("{}")
    names = required_files("# what the tests read\npath\na/here.json\na/gone.json\na\n")
    assert missing_files(tmp_path, names) == ["a/gone.json", "a"]


def test_the_list_of_evidence_is_sorted_and_stays_in_its_folder() -> None:
    names = required_files(LIST.read_text(encoding="utf-8"))
    assert names == sorted(set(names))
    assert not [name for name in names if name.startswith("/") or ".." in name.split("/")]
