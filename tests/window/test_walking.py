"""The keys for the next and the previous one walk the table as it is shown."""

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from reviewer.window.models.roles import Role
from reviewer.window.shell import Shell
from reviewer.window.views.findings import FindingsView


def test_next_and_previous_follow_the_table_as_it_is_filtered_and_sorted(
    opened: Shell, qtbot: QtBot
) -> None:
    assert opened.regions is not None
    view = opened.regions.widgets["findings"]
    assert isinstance(view, FindingsView)
    view.view.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    view.filter.edit.setText('verdict ~ "read"')
    view.filter.use()
    qtbot.waitUntil(lambda: 0 < view.model.shown < view.model.total, timeout=30_000)
    opened.activateWindow()
    places = []
    for _ in range(view.model.shown):
        opened.menus.actions["go.next"].trigger()
        places.append(view.view.selected_line())
    assert places == sorted(places)
    opened.menus.actions["go.previous"].trigger()
    assert view.view.selected_line() == view.model.rowCount() - 2
    assert opened.desk.place == replace(
        view.model.index(view.view.selected_line(), 0).data(Role.PLACE),
        tab=opened.desk.place.tab,
    )
