"""Where the program looks for the user's folder and for its own files."""

from pathlib import Path

import pytest

from reviewer.services.places import data_dir
from reviewer.services.resources import ResourceMissingError, resource, resources_dir


def test_the_user_can_move_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REREAD_DATA_DIR", str(tmp_path / "elsewhere"))
    assert data_dir() == tmp_path / "elsewhere"
    assert not data_dir().exists()


def test_a_relative_data_folder_starts_at_the_current_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REREAD_DATA_DIR", "here")
    assert data_dir() == tmp_path / "here"


def test_an_empty_setting_means_the_place_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REREAD_DATA_DIR", "")
    assert data_dir().is_absolute()
    assert "reread" in data_dir().parts


def test_resources_are_found_in_a_checkout() -> None:
    assert resource("README.md").read_text(encoding="utf-8").startswith("# Resources")


def test_resources_are_found_in_an_installed_package(tmp_path: Path) -> None:
    (tmp_path / "reviewer" / "resources").mkdir(parents=True)
    (tmp_path / "resources").mkdir()
    assert resources_dir(tmp_path / "reviewer") == tmp_path / "reviewer" / "resources"


def test_a_foreign_folder_beside_the_installed_package_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "reviewer").mkdir()
    (tmp_path / "resources").mkdir()
    with pytest.raises(ResourceMissingError, match="Install the package again"):
        resources_dir(tmp_path / "reviewer")


@pytest.mark.parametrize("name", ["../pyproject.toml", "/etc/passwd", "a/../../b", "..\\b"])
def test_a_name_that_leaves_the_folder_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not the name of a resource"):
        resource(name)


def test_a_missing_resource_is_named() -> None:
    with pytest.raises(ResourceMissingError, match=r"no/such\.file"):
        resource("no/such.file")
