"""The desk knows what is open and the way that led here."""

import pytest
from pytestqt.qtbot import QtBot

from reviewer.window.desk import Desk
from reviewer.window.place import Place
from tests.made import quiet_audit


def test_back_and_forward_walk_through_the_places_visited() -> None:
    desk = Desk()
    for call in (1, 2, 3):
        desk.go(Place(call=call))
    desk.back()
    desk.back()
    assert (desk.place.call, desk.can_go_back, desk.can_go_forward) == (1, False, True)
    desk.forward()
    assert desk.place.call == 2


def test_a_new_place_ends_the_way_forward() -> None:
    desk = Desk()
    for call in (1, 2):
        desk.go(Place(call=call))
    desk.back()
    desk.go(Place(call=9))
    assert not desk.can_go_forward
    desk.back()
    assert desk.place.call == 1


def test_where_one_is_already_is_no_new_place(qtbot: QtBot) -> None:
    desk = Desk()
    desk.go(Place(call=1))
    with qtbot.assertNotEmitted(desk.moved):
        desk.go(Place(call=1))
    assert not desk.can_go_back


def test_views_that_lead_while_they_follow_are_not_heard() -> None:
    desk = Desk()
    seen: list[Place] = []

    def leads(place: Place) -> None:
        seen.append(place)
        desk.go(Place(call=(place.call or 0) + 1))
        desk.back()

    desk.moved.connect(leads)
    desk.go(Place(call=1))
    assert seen == [Place(call=1)]
    assert desk.place == Place(call=1)
    desk.go(Place(call=5))
    assert [place.call for place in seen] == [1, 5]


def test_the_way_is_not_kept_for_ever() -> None:
    desk = Desk()
    for call in range(2000):
        desk.go(Place(call=call))
    steps = 0
    while desk.can_go_back:
        desk.back()
        steps += 1
    assert steps == 499


def test_a_run_that_is_added_gets_the_next_number_and_moves_nobody(qtbot: QtBot) -> None:
    desk = Desk()
    desk.go(Place(run=0, call=2))
    with qtbot.assertNotEmitted(desk.moved), qtbot.waitSignal(desk.opened) as told:
        desk.add(quiet_audit())
    assert told.args == [0]
    assert desk.audit() is desk.audits[0]
    with pytest.raises(IndexError, match="no run 1"):
        desk.audit(1)


def test_closing_forgets_the_runs_and_the_way(qtbot: QtBot) -> None:
    desk = Desk()
    desk.add(quiet_audit())
    desk.go(Place(call=2))
    desk.go(Place(call=3))
    with qtbot.waitSignal(desk.closed):
        desk.clear()
    assert (desk.audits, desk.place, desk.can_go_back) == ([], Place(), False)
