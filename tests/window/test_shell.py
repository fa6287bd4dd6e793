"""The window as a person uses it: opened, left, dropped on, stopped, and told in two languages."""

import gc
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QDockWidget,
    QFrame,
    QLabel,
    QLineEdit,
    QMenu,
    QScrollArea,
    QTabBar,
    QTableView,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from reviewer.services.opening_runs import Found, open_runs
from reviewer.services.sessions import Session, load_session
from reviewer.window import i18n, opening, theme
from reviewer.window.place import Place
from reviewer.window.shell import Shell
from store.records.runs import Problem, ProblemKind
from tests.window.texts import texts

WAIT = 30_000
HOME = Path(__file__).parents[2]


def menu_action(shell: Shell, *titles: str) -> QAction:
    """Return what stands under these titles of the menu bar, as a person would find it."""
    found = None
    actions = shell.menuBar().actions()
    for title in titles:
        found = next(each for each in actions if each.text().replace("&", "") == title)
        menus = [each for each in shell.findChildren(QMenu) if each.menuAction() is found]
        actions = menus[0].actions() if menus else []
    assert found is not None
    return found


def drop_on(shell: Shell, data: QMimeData) -> tuple[bool, bool]:
    """Drag *data* over the window and let it fall; return whether each was taken."""
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
    enter = QDragEnterEvent(QPoint(40, 40), copy, data, left, none)
    enter.setAccepted(False)
    QApplication.sendEvent(shell, enter)
    fall = QDropEvent(QPointF(40, 40), copy, data, left, none)
    fall.setAccepted(False)
    QApplication.sendEvent(shell, fall)
    return enter.isAccepted(), fall.isAccepted()


def test_the_first_start_shows_three_choices_and_no_empty_views(shell: Shell) -> None:
    assert shell.stack.currentWidget() is shell.start
    assert [each.accessibleName() for each in shell.start.choices] == [
        "Open a run folder",
        "Open a trace file",
        "Open the sample",
    ]
    assert not shell.start.recent.isVisible()
    assert shell.findChildren(QDockWidget) == []
    assert not menu_action(shell, "Go", "Back").isEnabled()


def test_the_start_page_waits_for_nothing_that_only_an_audit_needs() -> None:
    program = (
        "import sys; from PySide6.QtWidgets import QApplication; app = QApplication([]); "
        "from reviewer.services.sessions import Session; from reviewer.window.shell import Shell; "
        "shell = Shell(Session()); shell.show(); app.processEvents(); "
        "print(*sorted({'numpy', 'tiktoken', 'sqlmodel', 'pygments', 'reviewer.audit.engine', "
        "'store.importers', 'reviewer.window.views'} & set(sys.modules))); shell.close()"
    )
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program], cwd=HOME, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def test_the_sample_is_opened_through_the_menu_by_the_worker(shell: Shell, qtbot: QtBot) -> None:
    threads: list[str] = []
    shell.opener.told.connect(lambda *_: threads.append(threading.current_thread().name))
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        menu_action(shell, "File", "Open the sample").trigger()
        assert shell.stack.currentWidget() is shell.loading
    assert [audit.run.run_id for audit in shell.desk.audits] == ["incident-review", "lease-review"]
    assert shell.stack.currentWidget() is shell.tabs
    assert set(threads) == {threading.main_thread().name}
    assert shell.desk.place.citation == 0
    assert "call 8 of 8" in shell.where.text()
    assert "recorded" in shell.grade.text()
    assert not shell.strip.isVisible()


def test_opening_keeps_to_small_steps_on_the_interface_thread(
    shell: Shell, sample: list[str], qtbot: QtBot
) -> None:
    """No turn of the event loop takes long, from an empty window to two audited runs.

    The time is that of the processor in this thread, so that other work on the
    machine does not count; the limit leaves room above the 50 ms aimed at for
    what a slow machine and its memory add.  Reading and auditing take more.
    """
    steps: list[float] = []
    last = [time.thread_time()]

    def tick() -> None:
        now = time.thread_time()
        steps.append(now - last[0])
        last[0] = now

    watcher = QTimer()
    watcher.timeout.connect(tick)
    watcher.start(0)
    gc.collect()
    last[0] = time.thread_time()
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open(sample)
    watcher.stop()
    assert len(steps) > 20
    assert max(steps) < 0.2


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Let the worker stop after the first run until the event is set."""
    event = threading.Event()
    real = open_runs

    def slowly(paths: list[str], store: str | None, **options: object) -> Iterator[object]:
        for step in real(paths, store, **options):  # type: ignore[arg-type]
            yield step
            if isinstance(step, Found):
                event.wait(20)

    monkeypatch.setattr(opening, "open_runs", slowly)
    yield event
    event.set()


def test_what_was_read_is_shown_while_the_rest_is_read_and_cancel_stops_it(
    shell: Shell, sample: list[str], gate: threading.Event, qtbot: QtBot
) -> None:
    shell.open(sample)
    qtbot.waitUntil(lambda: shell.stack.currentWidget() is shell.tabs, timeout=WAIT)
    assert len(shell.desk.audits) == 1
    assert shell.strip.isVisible()
    assert "Reading" in shell.strip.doing.text()
    with qtbot.waitSignal(shell.settled, timeout=1000):
        qtbot.mouseClick(shell.strip.button, Qt.MouseButton.LeftButton)
    assert not shell.opener.loading
    assert not shell.strip.isVisible()
    assert shell.problems.isVisible()
    assert "stopped" in shell.problems.problems[-1].what
    gate.set()
    qtbot.wait(50)
    assert len(shell.desk.audits) == 1


def test_after_a_cancel_the_next_run_is_opened_at_once(
    shell: Shell, sample: list[str], gate: threading.Event, qtbot: QtBot
) -> None:
    shell.open(sample[:1])
    qtbot.waitUntil(lambda: len(shell.desk.audits) == 1, timeout=WAIT)
    shell.handlers.stop()
    shell.open(sample[1:])
    qtbot.waitUntil(lambda: len(shell.desk.audits) == 2, timeout=WAIT)
    gate.set()
    qtbot.waitUntil(lambda: not shell.opener.loading, timeout=WAIT)


def test_a_broken_file_is_told_in_the_bar_and_the_others_are_opened(
    shell: Shell, sample: list[str], tmp_path: Path, qtbot: QtBot
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b"\x00\x01\x02")
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open([str(broken), sample[1]])
    assert len(shell.desk.audits) == 1
    assert shell.problems.isVisible()
    assert "1 thing could not be read" in shell.problems.words.text()
    qtbot.mouseClick(shell.problems.show_list, Qt.MouseButton.LeftButton)
    assert shell.problems.list.isVisible()
    shown = str(shell.problems.list.model().index(0, 0).data())
    assert shown.startswith("lost: ")
    assert "broken.jsonl" in shown
    qtbot.mouseClick(shell.problems.dismiss, Qt.MouseButton.LeftButton)
    assert not shell.problems.isVisible()


def test_a_note_alone_raises_no_bar_and_evidence_in_it_is_data(shell: Shell) -> None:
    shell.problems.add([Problem("x", "y", ProblemKind.NOTED)])
    assert not shell.problems.isVisible()
    shell.problems.add([Problem("<b>a</b>\n\x1b[2J", "\u202etext", ProblemKind.LOST)])
    shell.problems.show_list.setChecked(True)
    shown = str(shell.problems.list.model().index(1, 0).data())
    assert shown == "lost: <b>a</b>␊␛[2J: \\u{202E}text"


def test_where_there_is_no_run_with_calls_the_window_says_so(
    shell: Shell, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("only a text")
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open([str(folder)])
    assert shell.stack.currentWidget() is shell.empty
    assert shell.empty.what.text() == str(folder)
    assert "no run found" in shell.problems.problems[0].what
    qtbot.mouseClick(shell.empty.buttons["file.close_all"], Qt.MouseButton.LeftButton)
    assert shell.stack.currentWidget() is shell.start


def test_a_sample_that_cannot_be_written_is_told(
    shell: Shell, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> list[str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(opening, "_sample_paths", full)
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.opener.open_sample()
    assert "No space left on device" in shell.problems.problems[0].what
    assert shell.stack.currentWidget() is shell.start


def test_whatever_is_dropped_on_the_window_is_opened(
    shell: Shell, sample: list[str], qtbot: QtBot
) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in sample])
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        assert drop_on(shell, data) == (True, True)
    assert len(shell.desk.audits) == 2


def test_addresses_and_text_that_are_dropped_are_not_taken(shell: Shell) -> None:
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/run.jsonl")])
    assert drop_on(shell, data) == (False, False)
    assert not shell.opener.loading


def test_what_is_open_already_is_not_opened_twice(opened: Shell, sample: list[str]) -> None:
    opened.open(sample)
    assert not opened.opener.loading
    assert len(opened.desk.audits) == 2


def test_two_openings_do_not_get_in_each_others_way(
    shell: Shell, sample: list[str], qtbot: QtBot
) -> None:
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open(sample[:1])
        shell.open(sample[1:])
    assert len(shell.desk.audits) == 2
    assert shell.problems.problems == [
        each for each in shell.problems.problems if "stopped" not in each.what
    ]


def test_reading_again_comes_back_to_the_place(opened: Shell, qtbot: QtBot) -> None:
    opened.desk.go(Place(run=1, call=2, tab="model"))
    with qtbot.waitSignal(opened.settled, timeout=WAIT):
        menu_action(opened, "File", "Read again").trigger()
    assert opened.desk.place == Place(run=1, call=2, tab="model")
    assert len(opened.desk.audits) == 2


def test_closing_everything_leads_back_to_the_start(opened: Shell) -> None:
    menu_action(opened, "File", "Close all runs").trigger()
    assert opened.stack.currentWidget() is opened.start
    assert opened.start.recent.isVisible()
    assert not any(dock.isVisible() for dock in opened.findChildren(QDockWidget))
    assert opened.where.text() == ""


def test_the_window_comes_back_as_it_was_left(
    opened: Shell, make_shell: Callable[..., Shell], tmp_path: Path, qtbot: QtBot
) -> None:
    opened.resize(700, 600)
    opened.desk.go(Place(run=1, call=3, tab="model"))
    opened.set_text_size(125)
    opened.set_theme("dark")
    paths = tuple(opened.opener.paths)
    opened.close()
    session = load_session(tmp_path / "window.json")
    assert (session.paths, session.theme, session.text_size) == (paths, "dark", 125)
    again = make_shell(session)
    with qtbot.waitSignal(again.settled, timeout=WAIT):
        again.restore()
    assert again.desk.place == Place(run=1, call=3, tab="model")
    assert (again.height(), again.text_size) == (600, 125)
    assert theme.present() == "dark"
    again.set_theme("light")


def test_the_place_is_found_in_its_run_whatever_its_number_is(
    opened: Shell, make_shell: Callable[..., Shell], tmp_path: Path, qtbot: QtBot
) -> None:
    opened.desk.go(Place(run=1, call=3, tab="model"))
    paths = tuple(opened.opener.paths)
    opened.close()
    session = load_session(tmp_path / "window.json")
    again = make_shell(msgspec.structs.replace(session, paths=paths[1:]))
    with qtbot.waitSignal(again.settled, timeout=WAIT):
        again.restore()
    assert again.desk.place == Place(run=0, call=3, tab="model")
    again.close()
    again = make_shell(msgspec.structs.replace(session, paths=paths[:1]))
    with qtbot.waitSignal(again.settled, timeout=WAIT):
        again.restore()
    assert again.desk.place.citation == 0, "its run is not open: the beginning of the first that is"


def test_a_place_that_is_no_longer_there_leads_to_the_beginning(
    make_shell: Callable[..., Shell], sample: list[str], qtbot: QtBot
) -> None:
    session = Session(paths=tuple(sample), place={"run": 0, "call": 99, "tab": "model"})
    shell = make_shell(session)
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.restore()
    assert shell.desk.place.citation == 0


def test_recent_runs_that_are_gone_are_greyed_and_say_so(
    make_shell: Callable[..., Shell], sample: list[str], qtbot: QtBot
) -> None:
    shell = make_shell(Session(recent=("/no/such/run", sample[0])))
    items = [shell.start.recent.item(row) for row in range(2)]
    qtbot.waitUntil(
        lambda: shell.start.recent.item(0).flags() == Qt.ItemFlag.NoItemFlags, timeout=WAIT
    )
    items = [shell.start.recent.item(row) for row in range(2)]
    assert "no longer there" in items[0].text()
    assert items[1].flags() & Qt.ItemFlag.ItemIsEnabled
    shell.start.recent.itemActivated.emit(items[0])
    assert not shell.opener.loading
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.start.recent.itemActivated.emit(items[1])
    assert len(shell.desk.audits) == 1


def test_a_damaged_session_is_a_fresh_start(tmp_path: Path) -> None:
    for held in (b"", b"{", b'{"paths": 3}', json.dumps({"place": []}).encode()):
        (tmp_path / "window.json").write_bytes(held)
        assert load_session(tmp_path / "window.json") == Session()


def shown_texts(shell: Shell) -> list[str]:
    """Return every text of the window that is not evidence."""
    found = [action.text() for action in shell.findChildren(QAction)]
    for widget in shell.findChildren(QWidget):
        found += [widget.accessibleName(), widget.accessibleDescription(), widget.toolTip()]
        if isinstance(widget, QLabel | QAbstractButton):
            found.append(widget.text())
        elif isinstance(widget, QLineEdit):
            found.append(widget.placeholderText())
        elif isinstance(widget, QTabBar):
            found += [widget.tabText(at) for at in range(widget.count())]
        elif isinstance(widget, QDockWidget):
            found.append(widget.windowTitle())
        elif isinstance(widget, QComboBox):
            found += [widget.itemText(at) for at in range(widget.count())]
        elif isinstance(widget, QTableView | QTreeView) and widget.model() is not None:
            model = widget.model()
            found += [
                str(model.headerData(at, Qt.Orientation.Horizontal) or "")
                for at in range(model.columnCount())
            ]
    return [text for text in found if text]


def test_a_switch_of_the_language_retitles_everything(opened: Shell) -> None:
    before = shown_texts(opened)
    menu_action(opened, "View", "Language", "简体中文").trigger()
    chinese = shown_texts(opened)
    assert set(before) & set(texts()), "nothing of the window is in the catalogue"
    assert set(chinese) & set(texts()) == set()
    assert menu_action(opened, "文件(F)", "打开示例").isEnabled()
    menu_action(opened, "视图(V)", "语言", "English").trigger()
    assert sorted(shown_texts(opened)) == sorted(before)


def test_a_pseudo_language_shows_that_no_text_passes_the_catalogue_by(
    opened: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = {text: f"⟦{text}⟧" for text in texts()}
    monkeypatch.setattr(i18n, "_catalogue", lambda code: marked if code == "zh_CN" else {})
    i18n.set_language("zh_CN")
    plain = [text for text in shown_texts(opened) if text in marked]
    assert plain == []


def interactive(shell: Shell) -> list[QWidget]:
    """Return what a person can work with, apart from what Qt adds to its own widgets."""
    kinds = (QAbstractButton, QLineEdit, QAbstractItemView, QComboBox, QTabBar, QAbstractScrollArea)
    found: list[QWidget] = []
    for widget in shell.findChildren(QWidget):
        own = not widget.objectName().startswith("qt_") and not isinstance(widget, QAbstractSlider)
        parts = type(widget).__name__ in ("QHeaderView", "CloseButton", "QToolButton")
        parts = parts or isinstance(widget.window(), QFrame)  # what opens from a box or a line
        if isinstance(widget, kinds) and own and not parts:
            found.append(widget)
    return found


def _can_be_reached(widget: QWidget) -> bool:
    """Tell whether Tab leads to *widget*, or into it where it only holds others."""
    inside = widget.findChildren(QWidget) if isinstance(widget, QScrollArea) else []
    return any(each.focusPolicy() & Qt.FocusPolicy.TabFocus for each in [widget, *inside])


@pytest.mark.parametrize("open_first", [False, True])
def test_everything_that_can_be_used_has_a_name_and_is_reached_with_tab(
    shell: Shell, sample: list[str], qtbot: QtBot, *, open_first: bool
) -> None:
    if open_first:
        with qtbot.waitSignal(shell.settled, timeout=WAIT):
            shell.open(sample)
    found = interactive(shell)
    assert found
    unnamed = [
        f"{type(each).__name__} {each.objectName()}" for each in found if not each.accessibleName()
    ]
    assert unnamed == []
    assert [type(each).__name__ for each in found if not each.objectName()] == []
    unreached = [
        each.objectName()
        for each in found
        if not isinstance(each, QTabBar) and not _can_be_reached(each)
    ]
    assert unreached == []


def test_labels_show_what_they_are_given_as_it_is(opened: Shell) -> None:
    rich = [
        (label.objectName(), type(label.parent()).__name__, label.text())
        for label in opened.findChildren(QLabel)
        if label.textFormat() != Qt.TextFormat.PlainText and label.text()
    ]
    assert rich == []


def test_text_grows_and_shrinks_and_comes_back(opened: Shell) -> None:
    size = opened.where.font().pointSizeF()
    opened.menus.actions["view.larger"].trigger()
    assert opened.where.font().pointSizeF() > size
    for _ in range(20):
        opened.menus.actions["view.larger"].trigger()
    assert opened.text_size == 300
    opened.menus.actions["view.normal"].trigger()
    assert opened.where.font().pointSizeF() == pytest.approx(size)


def test_colours_change_while_the_window_runs(opened: Shell) -> None:
    for choice in ("dark", "contrast", "light"):
        menu = {"dark": "Dark", "contrast": "High contrast", "light": "Light"}[choice]
        menu_action(opened, "View", "Colours", menu).trigger()
        assert menu_action(opened, "View", "Colours", menu).isChecked()
        paper = theme.THEMES[theme.present()]["paper"]
        assert opened.palette().base().color().name() == paper


def test_the_place_is_copied_as_a_reference(opened: Shell) -> None:
    opened.menus.actions["edit.copy_ref"].trigger()
    text = QGuiApplication.clipboard().text()
    facts = opened.desk.audit().citations[0]
    assert facts.span is not None
    assert f"[{facts.span.start}:{facts.span.end}]" in text
    assert "run incident-review" in text
    assert facts.verdict.word in text


def test_keys_walk_citations_calls_and_the_way_back(opened: Shell) -> None:
    keys = opened.menus.actions
    keys["go.next"].trigger()
    keys["go.next"].trigger()
    assert opened.desk.place.citation == 2
    keys["go.previous"].trigger()
    assert opened.desk.place.citation == 1
    keys["go.previous_call"].trigger()
    assert opened.desk.place.call == 7
    keys["go.next_call"].trigger()
    keys["go.next_call"].trigger()
    assert opened.desk.place.call == 8
    assert "no further call" in opened.statusBar().currentMessage()
    keys["go.back"].trigger()
    assert opened.desk.place.call == 7
    keys["go.forward"].trigger()
    assert opened.desk.place.call == 8


def test_runs_are_chosen_from_a_list_by_key_and_in_the_palette(opened: Shell) -> None:
    assert opened.runs.isVisible()
    assert opened.runs.itemText(1) == "2. 设备租赁合同审查"
    opened.runs.activated.emit(1)
    assert (opened.desk.place.run, opened.desk.place.citation) == (1, 0)
    assert opened.windowTitle().startswith("设备租赁合同审查")
    opened.menus.actions["go.previous_run"].trigger()
    assert (opened.desk.place.run, opened.runs.currentIndex()) == (0, 0)
    next(each for each in opened.handlers.entries() if each.more == "open run").choose()
    assert opened.desk.place.run == 0


def test_gaps_are_walked_round_the_source(opened: Shell) -> None:
    audit = opened.desk.audit()
    facts = next(
        facts for source in audit.sources for facts in source.versions if len(facts.gaps) > 0
    )
    opened.desk.go(Place(source=facts.version.key, tab="source"))
    seen = []
    for _ in range(len(facts.gaps) + 1):
        opened.menus.actions["go.next_gap"].trigger()
        seen.append(opened.desk.place.span)
    assert seen[:-1] == sorted(facts.gaps)
    assert seen[-1] == seen[0]
    opened.menus.actions["go.previous_gap"].trigger()
    assert opened.desk.place.span == max(facts.gaps)
