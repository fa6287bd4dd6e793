"""Two versions, calls or runs stand side by side, with what became of every citation."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from reviewer.services.comparing import compare_audits
from reviewer.services.deciding import decision_log
from reviewer.window.i18n import set_language
from reviewer.window.models.diff_model import LINE_A, SIGN, TEXT_A, TEXT_B
from reviewer.window.place import Place
from reviewer.window.presenters.compare_sides import CompareSide, offered
from reviewer.window.presenters.compare_table import CompareTable
from reviewer.window.presenters.places import citation_place
from reviewer.window.shell import Shell
from reviewer.window.views.compare import CompareView
from reviewer.window.views.record_text import RecordText
from store.records.differences import Change
from store.records.sources import Version, VersionKey
from tests.window.hands import WAIT, Hands

SOURCE = "runbooks/gateway.md"


@pytest.fixture
def hands(opened: Shell, qtbot: QtBot) -> Hands:
    return Hands(opened, qtbot)


@pytest.fixture
def view(opened: Shell) -> CompareView:
    assert opened.regions is not None
    found = opened.regions.widgets["compare"]
    assert isinstance(found, CompareView)
    return found


def keys(shell: Shell) -> list[VersionKey]:
    versions = shell.desk.audit(0).run.versions
    return [each.key for each in versions if each.key.source_id == SOURCE]


def side_by_side(view: CompareView) -> list[tuple[str, str, str]]:
    model = view.pair.text.diff
    return [
        (
            str(model.index(row, TEXT_A).data()),
            str(model.index(row, SIGN).data()),
            str(model.index(row, TEXT_B).data()),
        )
        for row in range(model.rowCount())
    ]


def cells(view: CompareView) -> list[list[str]]:
    model = view.model
    return [
        [str(model.index(line, column).data()) for column in range(4)]
        for line in range(model.rowCount())
    ]


def compare_versions(hands: Hands, view: CompareView) -> None:
    shell = hands.shell
    shell.desk.go(Place(run=0, source=keys(shell)[-1], tab="source"))
    hands.press("Ctrl+D")
    hands.wait(lambda: view.pair.text.diff.rowCount() > 0)


def test_in_a_source_the_version_before_is_compared(
    opened: Shell, hands: Hands, view: CompareView
) -> None:
    compare_versions(hands, view)
    assert opened.desk.place.tab == "compare"
    assert view.outcome.text().startswith("≠ Different")
    rows = side_by_side(view)
    old, new = (
        next(v.text or "" for v in opened.desk.audit(0).run.versions if v.key == key)
        for key in keys(opened)
    )
    assert "".join(row[0] for row in rows) == old.replace("\n", "")
    assert "".join(row[2] for row in rows) == new.replace("\n", "")
    assert {sign for _, sign, _ in rows} == {"", "~", "+"}


def test_a_citation_that_lands_on_changed_text_is_told_and_marked(
    opened: Shell, hands: Hands, view: CompareView
) -> None:
    compare_versions(hands, view)
    ((kind, change, name, detail),) = cells(view)
    assert (kind, change) == ("cited text", "~ changed")
    index = int(name.split()[1]) - 1
    assert opened.desk.audit(0).citations[index].source_id == SOURCE
    assert SOURCE in detail
    marks = [str(view.pair.text.diff.index(row, LINE_A).data()) for row in range(20)]
    assert any("❝~" in each for each in marks)
    view.view.choose(0)
    assert opened.desk.place.citation == index
    hands.wait(lambda: "❝" in str(view.pair.text.currentIndex().siblingAtColumn(LINE_A).data()))


def test_differences_are_walked_with_the_keys_of_gaps(
    opened: Shell, hands: Hands, view: CompareView
) -> None:
    compare_versions(hands, view)
    view.pair.text.go(0)
    rows = view.pair.text.diff.rows
    assert rows is not None
    hands.press("F3")
    assert view.pair.text.currentIndex().row() == rows.changes[1]
    hands.press("Shift+F3")
    assert view.pair.text.currentIndex().row() == rows.changes[0]
    hands.press("Shift+F3")
    assert opened.statusBar().currentMessage() == "There is no further difference"


def test_in_the_model_view_the_call_before_is_compared(
    opened: Shell, hands: Hands, view: CompareView
) -> None:
    opened.desk.go(Place(run=0, call=3, tab="model"))
    hands.press("Ctrl+D")
    hands.wait(lambda: view.model.total > 0)
    assert view.chooser.choices[0].currentText() == "Call 2 of run 1"
    assert view.chooser.choices[1].currentText() == "Call 3 of run 1"
    first = cells(view)[0]
    assert first[:2] == ["part of the request", "+ added"]
    hands.wait(lambda: view.pair.text.diff.rowCount() > 0)
    assert {row[0] for row in side_by_side(view)} == {""}
    view.filter.set_text("change == same")
    assert 0 < view.model.shown < view.model.total


def test_two_open_runs_are_compared_citation_by_citation(hands: Hands, view: CompareView) -> None:
    hands.choose("Go", "Compare with…")
    hands.wait(lambda: view.model.total > 0)
    kinds = {row[0] for row in cells(view)}
    assert {"cited text", "source", "answer", "call"} <= kinds
    assert view.outcome.text().startswith("≠ Different")


def changed_copy(folder: Path, to: Path) -> Path:
    """Write the run again with one word of one of its sources changed."""
    shutil.copytree(folder, to)
    events = to / "events.jsonl"
    lines = [json.loads(line) for line in events.read_text("utf-8").splitlines()]
    for line in lines:
        for answer in [line] if line.get("event") == "answer" else []:
            answer["text"] = answer["text"].replace("40", "41")
    events.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return to


def test_a_folder_that_is_not_open_is_compared_with_the_run(
    hands: Hands,
    view: CompareView,
    sample: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = changed_copy(Path(sample[0]), tmp_path / "other")
    hands.shell.desk.go(Place(run=0, tab="compare"))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(other))
    view.chooser.folder.click()
    hands.wait(lambda: view.found is not None)
    assert view.chooser.pair == (CompareSide("run", 0), CompareSide("path", path=str(other)))
    assert view.found is not None
    assert view.found.comparing.comparison.b.path == str(other)


def test_what_is_compared_can_be_stopped_and_says_so(
    opened: Shell, hands: Hands, view: CompareView, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reviewer.window.views import compare as module  # noqa: PLC0415 - what is patched

    def endless(
        _audits: object, _pair: object, _store: object, stopped: Callable[[], bool]
    ) -> None:
        while not stopped():
            pass
        raise InterruptedError

    monkeypatch.setattr(module, "compare", endless)
    hands.choose("Go", "Compare with…")
    assert view.chooser.go.text() == "Cancel"
    view.chooser.go.click()
    assert view.chooser.go.text() == "Compare"
    assert "stopped" in view.outcome.text()
    assert view.model.total == 0
    assert opened.desk.place.tab == "compare"


def test_what_cannot_be_compared_says_why(
    opened: Shell, hands: Hands, view: CompareView, tmp_path: Path
) -> None:
    opened.desk.go(Place(run=0, tab="compare"))
    view.chooser.go.click()
    assert "Choose both sides" in view.chooser.trouble.text()
    view.chooser.fill((CompareSide("run", 0), CompareSide("call", 0, call=1)))
    view.chooser.go.click()
    assert "different kinds" in view.chooser.trouble.text()
    view.chooser.fill((CompareSide("run", 0), CompareSide("run", 0)))
    view.chooser.go.click()
    assert "same" in view.chooser.trouble.text()
    view.chooser.add_path(str(tmp_path / "nothing-here"))
    hands.wait(lambda: "Not compared" in view.outcome.text() or view.found is not None)
    assert view.chooser.trouble.isHidden()


def test_decisions_are_carried_over_and_say_so(
    hands: Hands,
    view: CompareView,
    sample: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shell = hands.shell
    monkeypatch.setenv("REREAD_REVIEWER", "Ann")
    other = tmp_path / "other"
    shutil.copytree(sample[0], other)
    manifest = json.loads((other / "manifest.json").read_text("utf-8"))
    manifest["run_id"] = "another-run"
    (other / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    with hands.qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open([str(other)])
    shell.desk.go(citation_place(shell.desk.audit(0), 0, 0, "answer"))
    with hands.qtbot.waitSignal(shell.handlers.deciding.decided, timeout=WAIT):
        hands.press("A")
    shell.desk.go(Place(run=0, tab="compare"))
    view.ask((CompareSide("run", 0), CompareSide("run", 2)))
    hands.wait(lambda: view.carry.ready)
    assert "1 of 1" in view.carry.words.text()
    view.filter.set_text("kind == decision")
    assert cells(view)[0] == [
        "decision on A",
        "☑ can be carried over",
        "citation 1 of A",
        "accepted · Ann",
    ]
    monkeypatch.setenv("REREAD_REVIEWER", "Bo")
    with hands.qtbot.waitSignal(view.carry.done, timeout=WAIT):
        hands.choose("Decide", "Carry decisions over")
    assert view.carry.words.text() == "one decision was carried over; 0 held there already"
    (made,) = decision_log(shell.desk.audit(2).run).read().decisions
    assert made.carried is not None
    assert made.reviewer == "Ann"
    shell.desk.go(citation_place(shell.desk.audit(2), 2, 0, "answer"))
    rows = shell.findChild(RecordText, "decision_rows")
    assert isinstance(rows, RecordText)
    hands.wait(lambda: "carried over by" in rows.toPlainText())
    hands.choose("Decide", "Carry decisions over")
    assert "Compare two runs first" in shell.statusBar().currentMessage()


def test_a_run_that_grew_since_is_told(opened: Shell, hands: Hands, view: CompareView) -> None:
    compare_versions(hands, view)
    audit = opened.desk.audit(0)
    opened.desk.replace(0, replace(audit, findings=()), lambda place: place)
    assert "grown since" in view.outcome.text()


def test_hostile_text_is_shown_as_text_and_copied_as_recorded(
    opened: Shell, hands: Hands, view: CompareView
) -> None:
    audit = opened.desk.audit(0)
    texts = ("<b>one</b> \u202etwo\r\n🦔 three\n", "<b>one</b> \u202ethree\r\n🦔 three\n")
    own = [
        replace(audit.run.versions[0], key=VersionKey("h", name), text=text, sha256="")
        for name, text in zip("ab", texts, strict=True)
    ]
    assert all(isinstance(each, Version) for each in own)
    opened.resize(2200, 900)
    opened.desk.go(Place(run=0, tab="compare"))
    run = replace(audit.run, versions=(*audit.run.versions, *own))
    opened.desk.replace(0, replace(audit, run=run), lambda place: place)
    pair = tuple(CompareSide("version", 0, each.key) for each in own)
    view.ask((pair[0], pair[1]))
    hands.wait(lambda: view.pair.text.diff.rowCount() == 2)
    assert side_by_side(view)[0][0] == "<b>one</b> ▸twoM".replace("▸", "◂")
    view.pair.text.go(0)
    assert view.pair.text.selected_text() == "<b>one</b> \u202etwo\r\n<b>one</b> \u202ethree\r"
    view.pair.text.go(1)
    assert view.pair.text.selected_text() == "🦔 three"
    assert view.pair.text.viewport().grab().width() > 0


def test_closing_the_runs_forgets_the_comparison(hands: Hands, view: CompareView) -> None:
    compare_versions(hands, view)
    hands.press("Ctrl+W")
    assert view.model.total == view.pair.text.diff.rowCount() == 0
    assert view.chooser.pair is None


def test_the_tab_speaks_chinese(opened: Shell, hands: Hands, view: CompareView) -> None:
    compare_versions(hands, view)
    set_language("zh_CN")
    hands.wait(lambda: "不同" in view.outcome.text())
    hands.wait(lambda: cells(view)[0][:2] == ["所引文本", "~ 已改变"])
    assert opened.regions is not None


def test_the_parts_of_requests_are_named_in_chinese(
    opened: Shell, hands: Hands, view: CompareView
) -> None:
    set_language("zh_CN")
    opened.desk.go(Place(run=0, call=3, tab="model"))
    hands.press("Ctrl+D")
    hands.wait(lambda: view.model.total > 0)
    assert cells(view)[0][2].startswith("assistant（助手） ")
    assert not any("tool_" in row[2] for row in cells(view))


def test_nothing_is_offered_where_nothing_belongs_together(opened: Shell) -> None:
    audits = opened.desk.audits
    assert offered(audits[:1], Place(tab="answer")) is None
    assert offered(audits[:1], Place(run=3)) is None
    assert offered(audits[:1], Place(call=1, tab="model")) is None
    assert offered(audits, Place(run=1, tab="answer")) == (
        CompareSide("run", 0),
        CompareSide("run", 1),
    )


def test_every_row_of_a_comparison_can_be_told(opened: Shell) -> None:
    a, b = opened.desk.audits
    for first, second in ((a, b), (b, a), (a, a)):
        table = CompareTable(compare_audits(first, second).comparison)
        for row in range(len(table)):
            assert all(cell.text for cell in table.row(row).cells[:2])
            assert table.value(row, "change")
        assert set(table.values("kind")) <= set(table.columns["kind"].values)
        assert set(table.values("change")) <= set(table.columns["change"].values)
    assert Change.SAME.value in table.columns["change"].values


def test_a_side_that_is_cut_shows_both_ends_of_its_name(opened: Shell, view: CompareView) -> None:
    opened.desk.go(Place(run=0, source=keys(opened)[-1], tab="compare"))
    choice = view.chooser.choices[0]
    choice.addItem("reviews/a-name-that-is-longer-than-any-room, version 2")
    choice.setCurrentIndex(choice.count() - 1)
    choice.resize(200, choice.height())
    shown = choice.shown()
    assert shown.startswith("reviews/")
    assert "…" in shown
    assert shown.endswith("2")
