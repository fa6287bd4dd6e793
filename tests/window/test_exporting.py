"""A report is exported from the window in every format, and never onto evidence."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from reviewer.reports import reports
from reviewer.window.shell import Shell
from tests.window.driving import WAIT, is_told


def save_as(monkeypatch: pytest.MonkeyPatch, name: Path, title: str = "") -> list[str]:
    """Let the file dialog answer *name* and the filter that begins with *title*."""
    asked: list[str] = []

    def answer(_parent: object, _title: str, _first: str, filters: str) -> tuple[str, str]:
        asked.extend(filters.split(";;"))
        return str(name), next(each for each in asked if each.startswith(title))

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    return asked


def test_the_report_is_written_in_the_format_of_its_ending(
    opened: Shell, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for report in reports().values():
        place = tmp_path / f"out{report.suffix}"
        asked = save_as(monkeypatch, place)
        opened.menus.actions["file.export"].trigger()
        qtbot.waitUntil(
            lambda: opened.statusBar().currentMessage().startswith("Written"), timeout=WAIT
        )
        assert str(place) in opened.statusBar().currentMessage()
        written = place.read_bytes()
        for number in (0, 1):
            # What is no text is compressed; that it holds the runs is tested where it is made.
            assert report.binary or opened.desk.audit(number).run.run_id.encode() in written
        assert len(asked) == len(reports())
        opened.say("")


def test_a_name_without_an_ending_gets_that_of_the_chosen_format(
    opened: Shell, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_as(monkeypatch, tmp_path / "out", reports()["json"].title)
    opened.menus.actions["file.export"].trigger()
    qtbot.waitUntil((tmp_path / "out.json").exists, timeout=WAIT)


def test_a_report_is_never_written_onto_evidence(
    opened: Shell, sample: list[str], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = sorted(path for path in Path(sample[0]).rglob("*") if path.is_file())
    before = [path.read_bytes() for path in files]
    for name in (Path(sample[0]) / "report.html", files[0].with_suffix(".json")):
        opened.problems.clear()
        save_as(monkeypatch, name)
        opened.menus.actions["file.export"].trigger()
        qtbot.waitUntil(lambda: is_told(opened, "only ever read"), timeout=WAIT)
    assert [path.read_bytes() for path in files] == before
    assert sorted(path for path in Path(sample[0]).rglob("*") if path.is_file()) == files


def test_an_ending_that_no_report_has_is_refused(opened: Shell, tmp_path: Path) -> None:
    opened.handlers.exporter.write(str(tmp_path / "report.docx"))
    assert is_told(opened, ".html")
    assert not (tmp_path / "report.docx").exists()


def test_a_dialog_that_is_left_writes_nothing(
    opened: Shell, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def left(_parent: object, _title: str, first: str, _filters: str) -> tuple[str, str]:
        asked.append(first)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", left)
    before = list(opened.problems.problems)
    opened.menus.actions["file.export"].trigger()
    qtbot.waitUntil(lambda: asked == ["report.html"], timeout=WAIT)
    assert opened.problems.problems == before
    assert "Writ" not in opened.statusBar().currentMessage()
