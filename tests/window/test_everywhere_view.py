"""Find everywhere as a person uses it."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QModelIndex, Qt
from PySide6.QtGui import QImage, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from reviewer.services import finding_text
from reviewer.services.finding_text import Group, Kind
from reviewer.window.models.hits import EXCERPT
from reviewer.window.models.roles import Role
from reviewer.window.shell import Shell
from reviewer.window.views.everywhere import EverywhereView
from reviewer.window.views.hit_delegate import HitDelegate
from store.records.text import TextIndex
from tests.window.driving import WAIT


def search(shell: Shell, wanted: str, qtbot: QtBot) -> EverywhereView:
    shell.menus.actions["edit.find_everywhere"].trigger()
    assert shell.regions is not None
    view = shell.regions.widgets["everywhere"]
    assert isinstance(view, EverywhereView)
    assert view.isVisible()
    view.line.clear()
    qtbot.keyClicks(view.line, wanted)
    qtbot.keyClick(view.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not view.stop.isEnabled(), timeout=WAIT)
    return view


def test_hits_are_counted_by_what_the_model_was_given(opened: Shell, qtbot: QtBot) -> None:
    view = search(opened, "the", qtbot)
    counts = view.model.counts
    assert counts[Group.GIVEN] > 0
    assert counts[Group.NOT_GIVEN] > 0
    assert f"{counts[Group.GIVEN]:,} hits in what the model was given" in view.words.text()
    heading = view.model.index(0, 0).data()
    assert heading == f"In what the model was given: {counts[Group.GIVEN]} hits"
    assert view.model.rowCount() == 3 + sum(counts.values())


def test_find_here_looks_everywhere_where_a_tab_has_no_text_of_its_own(opened: Shell) -> None:
    opened.menus.actions["view.answer"].trigger()
    opened.menus.actions["edit.find"].trigger()
    assert opened.regions is not None
    view = opened.regions.widgets["everywhere"]
    assert isinstance(view, EverywhereView)
    assert view.isVisible()
    assert "this looks everywhere" in opened.statusBar().currentMessage()


def test_a_hit_leads_to_its_place_and_shows_the_wanted_text(opened: Shell, qtbot: QtBot) -> None:
    view = search(opened, "the", qtbot)
    kinds = set()
    for row in range(view.model.rowCount()):
        hit = view.model.hit(row)
        if hit is None or hit.passage.kind in kinds:
            continue
        kinds.add(hit.passage.kind)
        view.view.setCurrentIndex(view.model.index(row, 0))
        place = opened.desk.place
        assert place.run == hit.passage.run
        if hit.passage.kind is Kind.MESSAGE and hit.passage.calls:
            assert place.call is not None
            assert place.message is not None
            assert place.part is not None
            run = opened.desk.audit().run
            message = run.messages[run.request(place.call)[place.message]]
            span = place.message_span
            assert span is not None
            assert message.parts[place.part].text[span.start : span.end].lower() == "the"
        if hit.passage.kind is Kind.SOURCE:
            assert place.source == hit.passage.source
            assert place.span == hit.place
    assert {Kind.MESSAGE, Kind.SOURCE} <= kinds


def test_headings_cannot_be_chosen_and_nothing_found_is_said(opened: Shell, qtbot: QtBot) -> None:
    view = search(opened, "no such words anywhere", qtbot)
    assert view.model.rowCount() == 3
    assert view.words.text().startswith("0 hits in what the model was given")
    before = opened.desk.place
    view.view.setCurrentIndex(view.model.index(0, 0))
    assert opened.desk.place == before


def test_a_search_that_is_cancelled_says_so_and_hands_nothing_more_over(
    opened: Shell, qtbot: QtBot
) -> None:
    view = search(opened, "the", qtbot)
    view.look()
    view.stop.click()
    rows = view.model.rowCount()
    assert view.words.text().startswith("Stopped, not everything was looked through")
    QCoreApplication.processEvents()
    assert view.model.rowCount() == rows
    assert not view.bar.isVisible()


def test_an_older_search_never_mixes_with_a_newer_one(opened: Shell, qtbot: QtBot) -> None:
    view = search(opened, "the", qtbot)
    view.line.setText("e")
    view.look()
    view.line.setText("the")
    view.look()
    qtbot.waitUntil(lambda: not view.stop.isEnabled(), timeout=WAIT)
    hits = [view.model.hit(row) for row in range(view.model.rowCount())]
    assert {hit.found.lower() for hit in hits if hit is not None} == {"the"}


def test_more_hits_than_are_listed_are_counted_and_said(
    opened: Shell, qtbot: QtBot, monkeypatch: object
) -> None:
    monkeypatch.setattr(finding_text, "_LISTED", 2)  # type: ignore[attr-defined]
    view = search(opened, "e", qtbot)
    assert view.model.counts[Group.GIVEN] > 2
    assert view.model.index(0, 0).data().endswith("hits, the first 2 listed")


def test_closing_the_runs_empties_the_list_and_the_language_changes_it(
    opened: Shell, qtbot: QtBot, speak: Callable[[str], None]
) -> None:
    view = search(opened, "the", qtbot)
    speak("zh_CN")
    assert "模型收到的内容" in view.model.index(0, 0).data()
    assert "模型收到的内容" in view.words.text()
    opened.menus.actions["file.close_all"].trigger()
    assert view.model.rowCount(QModelIndex()) == 0


def test_a_run_that_arrives_later_makes_the_list_old(
    make_shell: Callable[..., Shell], sample: list[str], qtbot: QtBot, tmp_path: Path
) -> None:
    assert tmp_path.exists()
    shell = make_shell()
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open(sample[:1])
    view = search(shell, "the", qtbot)
    assert "find again" not in view.words.text()
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open(sample[1:])
    assert view.words.text().endswith("The runs have changed since: find again.")


def test_the_hit_is_marked_inside_what_stands_around_it(opened: Shell, qtbot: QtBot) -> None:
    view = search(opened, "pool", qtbot)
    marked = 0
    for row in range(view.model.rowCount()):
        index = view.model.index(row, EXCERPT)
        mark = index.data(Role.MARK)
        if view.model.hit(row) is None:
            assert mark is None
            continue
        text = str(index.data())
        at = TextIndex(text)
        assert text[at.from_utf16(mark[0]) : at.from_utf16(mark[1])].lower() == "pool"
        assert view.model.index(row, 0).data(Role.MARK) is None
        marked += 1
    assert marked
    assert isinstance(view.view.itemDelegateForColumn(EXCERPT), HitDelegate)
    plain, told = picture(view, None), picture(view, (4, 8))
    assert plain != told, "the mark is drawn"


def picture(view: EverywhereView, mark: tuple[int, int] | None) -> QImage:
    """Return how an item with that mark is drawn."""
    item = QStandardItem("the pool is full")
    if mark is not None:
        item.setData(mark, Role.MARK)
    model = QStandardItemModel()
    model.appendRow(item)
    image = QImage(300, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    option = QStyleOptionViewItem()
    option.rect = image.rect()
    option.palette = view.palette()
    painter = QPainter(image)
    HitDelegate(view).paint(painter, option, model.index(0, 0))
    painter.end()
    return image
