"""The findings: what is shown of them, what a filter does, and where a chosen row leads."""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from reviewer.filter.parser import parse
from reviewer.window.desk import Desk
from reviewer.window.models.roles import Role
from reviewer.window.models.rows import RowModel, Wish
from reviewer.window.place import Place
from reviewer.window.presenters.reviews import ReviewColumn, ReviewTable
from reviewer.window.views.findings import FindingsView
from store.records.findings import Audit, Finding, Severity, Where
from store.records.grades import Grade
from store.records.text import Span
from tests.made import quiet_audit, unknown_audit


@pytest.fixture
def view(desk: Desk, qtbot: QtBot) -> FindingsView:
    view = FindingsView(desk)
    qtbot.addWidget(view)
    view.resize(1200, 400)
    view.show()
    return view


def texts(view: FindingsView, column: ReviewColumn) -> list[str]:
    model = view.model
    return [str(model.index(line, column).data()) for line in range(model.rowCount())]


def test_every_citation_has_one_row_and_every_other_finding_one(
    view: FindingsView, audits: list[Audit]
) -> None:
    about_none = [each for each in audits[0].findings if each.where.citation is None]
    total = len(audits[0].citations) + len(about_none)
    assert view.model.total == total > len(audits[0].citations)
    assert view.filter.count.text() == f"{total} of {total} shown"


def test_a_row_says_its_verdict_in_a_word_and_a_sign(view: FindingsView) -> None:
    assert texts(view, ReviewColumn.VERDICT)[:3] == ["✓ read", "◐ partly read", "↶ from memory"]
    assert texts(view, ReviewColumn.SEVERITY)[:3] == ["–", "▲ warning", "✗ error"]


def test_a_chosen_row_leads_to_its_evidence(view: FindingsView, desk: Desk) -> None:
    view.next_row()
    view.next_row()
    view.next_row()
    evidence = desk.audit().citations[2].evidence
    assert evidence is not None
    assert desk.place.citation == 2
    assert desk.place.finding is not None
    assert desk.audit().findings[desk.place.finding].rule == "CIT007"
    assert (desk.place.call, desk.place.message) == (evidence.call, evidence.message)
    assert desk.place.message_span == evidence.message_span
    assert desk.place.source is not None
    assert desk.place.span == Span(1340, 1421)


def test_a_chosen_row_keeps_the_tab_that_is_shown(view: FindingsView, desk: Desk) -> None:
    desk.go(Place(tab="residency"))
    view.next_row()
    assert (desk.place.citation, desk.place.tab) == (0, "residency")


def test_a_phantom_read_leads_to_the_placeholder_in_its_call(
    view: FindingsView, desk: Desk, audits: list[Audit]
) -> None:
    view.filter.set_text("rule == PLC001 and source ~ gateway")
    view.next_row()
    place = desk.place
    assert (place.call, place.citation) == (5, None)
    assert place.message is not None
    run = audits[0].run
    part = run.messages[run.request(5)[place.message]].parts[place.part or 0]
    assert part.tool_call_id == "t2"


def test_a_cited_row_of_a_table_leads_to_characters_of_its_text(
    view: FindingsView, desk: Desk
) -> None:
    desk.go(Place(run=1))
    row = next(c for c in desk.audit().citations if c.unit.value == "row" and c.verdict == "read")
    for _ in range(row.index + 1):
        view.next_row()
    assert desk.place.citation == row.index
    assert desk.place.span == Span(354, 708)


def test_steps_follow_the_order_shown_and_end_at_its_ends(view: FindingsView, desk: Desk) -> None:
    view.filter.set_text("verdict in (never_read, listed_only)")
    view.view.sortByColumn(ReviewColumn.VERDICT, Qt.SortOrder.DescendingOrder)
    steps = []
    while view.next_row():
        steps.append(desk.place.citation)
    assert steps == [8, 7]
    assert view.previous_row()
    assert desk.place.citation == 8
    assert not view.previous_row()


def test_a_filter_hides_rows_and_changes_no_total(view: FindingsView, audits: list[Audit]) -> None:
    view.filter.set_text("severity >= warning and gateway")
    assert view.model.rowCount() < view.model.total
    assert view.filter.count.text() == f"{view.model.rowCount()} of {view.model.total} shown"
    assert view.filter.count.toolTip() == "15 citations, 17 findings".replace(
        "17", str(len(audits[0].findings))
    )


def test_a_wrong_filter_is_said_at_its_character_and_the_one_before_stays(
    view: FindingsView,
) -> None:
    view.filter.set_text("verdict == read")
    view.filter.set_text("verdict == raed")
    assert view.model.shown == 1
    assert view.filter.error.isVisibleTo(view)
    assert view.filter.error.text().startswith("✗ Character 12: verdict is one of unresolved")
    assert view.filter.error.text().endswith("The filter before stays in force.")
    assert view.filter.edit.wrong == Span(11, 15)
    view.filter.set_text("")
    assert not view.filter.error.isVisibleTo(view)
    assert view.model.shown == view.model.total


def test_the_row_of_the_present_place_is_not_lost_silently(view: FindingsView) -> None:
    view.next_row()
    view.filter.set_text("verdict == never_read")
    assert view.hidden.isVisibleTo(view)
    assert view.hidden.wordWrap()  # whatever it says is seen to its end
    view.filter.set_text("")
    assert not view.hidden.isVisibleTo(view)
    assert view.view.currentIndex().row() == 0


def test_what_is_typed_is_used_after_a_pause(view: FindingsView, qtbot: QtBot) -> None:
    QTest.keyClicks(view.filter.edit, "verdict == from_")
    assert view.filter.edit.proposals() == ["from_memory"]
    QTest.keyClicks(view.filter.edit, "memory")
    qtbot.waitUntil(lambda: view.model.shown == 1)


def test_return_uses_a_filter_at_once_and_remembers_it(view: FindingsView) -> None:
    words = "call == 5 and rule == PLC001"
    view.filter.edit.setText(words)
    QTest.keyClick(view.filter.edit, Qt.Key.Key_Return)
    assert view.model.shown == 1
    view.filter.set_text("")
    assert view.filter.history == [words]


def test_a_proposal_takes_the_place_of_what_was_begun(view: FindingsView) -> None:
    view.filter.edit.insert("🦔 ")
    QTest.keyClicks(view.filter.edit, "ver")
    view.filter.edit._completer.activated.emit("verdict")  # noqa: SLF001 - as a click does
    assert view.filter.text() == "🦔 verdict "
    assert view.filter.edit.cursorPosition() == len("🦔 verdict ") + 1


def test_a_cell_becomes_a_filter_or_is_excluded(view: FindingsView) -> None:
    index = view.model.index(2, ReviewColumn.VERDICT)
    menu = view.menu_of(index)
    assert menu is not None
    same, other = menu.actions()
    assert same.text() == "As filter: verdict == from_memory"
    other.trigger()
    assert view.filter.text() == "verdict != from_memory"
    assert view.model.shown == view.model.total - 1
    view.filter.narrow("source", "logs/gateway.log", exclude=False)
    assert view.filter.text() == "verdict != from_memory and source == logs/gateway.log"


def test_a_cell_without_a_value_makes_no_filter(view: FindingsView) -> None:
    menu = view.menu_of(view.model.index(0, ReviewColumn.RULE))
    assert menu is not None
    assert [entry.isEnabled() for entry in menu.actions()] == [False]


@pytest.mark.parametrize("group", ["rule", "source", "call"])
def test_groups_have_headings_with_their_size_and_hide_nothing(
    view: FindingsView, group: str
) -> None:
    view.group.setCurrentIndex(view.group.findData(group))
    headings = view.model.group_lines
    assert view.model.rowCount() == view.model.total + len(headings)
    assert view.model.shown == view.model.total
    assert len({view.model.index(line, 0).data() for line in headings}) == len(headings)


def test_a_group_heading_is_never_a_step(view: FindingsView, desk: Desk) -> None:
    view.group.setCurrentIndex(view.group.findData("rule"))
    steps = 0
    while view.next_row():
        steps += 1
        assert view.view.currentIndex().data(Role.ROW) is not None
    assert steps == view.model.total
    assert desk.place.run == 0


def test_the_view_follows_the_desk_without_answering(view: FindingsView, desk: Desk) -> None:
    place = Place(citation=4, tab="answer")
    desk.go(place)
    assert view.view.currentIndex().row() == 4
    assert desk.place == place


def test_another_run_shows_its_own_rows(view: FindingsView, desk: Desk) -> None:
    desk.go(Place(run=1, citation=3))
    audit = desk.audit(1)
    others = [each for each in audit.findings if each.where.citation is None]
    assert view.model.total == len(audit.citations) + len(others)
    assert view.view.currentIndex().row() == 3
    desk.clear()
    assert view.model.total == 0


def test_the_language_changes_while_the_view_is_open(
    view: FindingsView, speak: Callable[[str], None]
) -> None:
    speak("zh_CN")
    assert texts(view, ReviewColumn.VERDICT)[0] == "✓ read（已读）"
    heading = view.model.headerData(0, Qt.Orientation.Horizontal)
    assert heading == "判定"
    view.filter.set_text("verdict == raed")
    assert view.filter.error.text().startswith("✗ 第 12 个字符：")
    speak("en")
    assert view.filter.error.text().startswith("✗ Character 12")


def test_every_control_has_a_name_and_is_reached_with_tab(view: FindingsView) -> None:
    controls = (view.filter.edit, view.filter.clear, view.filter.earlier, view.group, view.view)
    for control in controls:
        assert control.accessibleName(), control.objectName()
        assert control.objectName()
    order: list[QWidget | None] = [view.filter.edit]
    for _ in range(40):
        order.append(order[-1].nextInFocusChain() if order[-1] is not None else None)
    places = [order.index(control) for control in controls]
    assert places == sorted(places)


def test_a_tip_shows_text_of_the_record_as_text(view: FindingsView, audits: list[Audit]) -> None:
    bad = replace(audits[0].findings[-1], message="<img src=x> & \u202e <b>bold</b>")
    table = ReviewTable(replace(audits[0], findings=(bad,)))
    model = RowModel(table)
    index = model.index(len(table) - 1, ReviewColumn.TEXT)
    assert "<b>" not in str(index.data(Qt.ItemDataRole.ToolTipRole))
    assert "\u202e" not in str(index.data())
    assert view.isVisible()


def test_the_model_keeps_the_rules_of_qt(
    audits: list[Audit], qapp: QApplication, qtlog: object
) -> None:
    model = RowModel(ReviewTable(audits[0]))
    tester = QAbstractItemModelTester(
        model, QAbstractItemModelTester.FailureReportingMode.Warning, model
    )
    for wish in (Wish(group="rule"), Wish(sort="source", descending=True), Wish()):
        model.arrange(wish)
        assert model.data(model.index(0, 0), Qt.ItemDataRole.DisplayRole)
    model.arrange(Wish(parse("nothing-like-this", model.table.columns if model.table else {})))
    assert model.rowCount(QModelIndex()) == 0
    assert tester.model() is model
    qapp.processEvents()
    assert getattr(qtlog, "records", None) == []


def a_million(audit: Audit) -> Audit:
    """Return *audit* with a million findings of 1,000 sources, and no citation."""
    rules, severities = ("COV001", "PLC001", "BUD002", "SNP001"), tuple(Severity)
    thousand = [
        Finding(
            rules[n % 4],
            severities[n % 3],
            Grade.RECORDED,
            f"finding {n}",
            Where(call=n % 8 + 1, source_id=f"source-{n}"),
        )
        for n in range(1000)
    ]
    return replace(audit, citations=(), findings=tuple(thousand * 1000))


def test_a_million_findings_are_shown_filtered_and_sorted(
    audits: list[Audit], qtbot: QtBot
) -> None:
    desk = Desk()
    desk.add(a_million(audits[0]))
    before = threading.active_count()
    view = FindingsView(desk)
    view.show()
    qtbot.waitUntil(lambda: view.model.shown == 1_000_000, timeout=20_000)
    view.filter.set_text("rule == PLC001 and call > 3")
    assert view.model.shown == 1_000_000, "the old rows stay until the new ones are there"
    qtbot.waitUntil(lambda: view.model.shown < 1_000_000, timeout=20_000)
    assert view.model.shown == 125_000, "rule 1 of 4 stands in calls 2 and 6 of 8"
    view.view.sortByColumn(ReviewColumn.SOURCE, Qt.SortOrder.DescendingOrder)
    qtbot.waitUntil(
        lambda: view.model.index(0, ReviewColumn.SOURCE).data() == "source-997", timeout=20_000
    )
    view.next_row()
    assert desk.place.finding is not None
    view.close()
    view.deleteLater()
    qtbot.waitUntil(lambda: threading.active_count() == before, timeout=5_000)


def _says(view: FindingsView, words: str) -> bool:
    return words in view.hidden.text()


def test_nothing_found_says_of_how_many_calls_it_says_nothing(qtbot: QtBot) -> None:
    undecided = replace(unknown_audit(), citations=())
    no_call = replace(undecided, calls=())
    for audit, words in (
        (replace(quiet_audit(), citations=()), "no rule found anything."),
        (undecided, f"1 of {len(undecided.calls)} calls could not be decided"),
        (no_call, "nothing to check"),
    ):
        desk = Desk()
        desk.add(audit)
        view = FindingsView(desk)
        qtbot.addWidget(view)
        qtbot.waitUntil(partial(_says, view, words))
