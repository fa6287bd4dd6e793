"""The evidence region shows the three steps of the present citation, and leads to each."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from reviewer.audit.engine import audit
from reviewer.audit.rules import rules
from reviewer.audit.rules._example import Story, cite
from reviewer.window.desk import Desk
from reviewer.window.place import Place
from reviewer.window.views.evidence import EvidenceView, ExcerptBox
from reviewer.window.views.strip import CoverageStrip
from reviewer.window.views.wrapping import WrappingLabel
from store.records.findings import Audit
from store.records.text import Span

_NONE = Qt.KeyboardModifier.NoModifier


def shown(qtbot: QtBot, found: Audit) -> tuple[Desk, EvidenceView]:
    desk = Desk()
    view = EvidenceView(None, desk)
    qtbot.addWidget(view)
    view.resize(420, 800)
    view.show()
    desk.add(found)
    return desk, view


def words_of(view: QWidget) -> str:
    if isinstance(view, EvidenceView):
        view.finish()
    return "\n".join(label.words for label in view.findChildren(WrappingLabel))


def excerpt(view: EvidenceView, step: str) -> ExcerptBox:
    view.finish()
    box = view.findChild(ExcerptBox, f"excerpt_{step}")
    assert isinstance(box, ExcerptBox)
    return box


def test_without_a_selection_it_says_what_to_do(qtbot: QtBot, incident: Audit) -> None:
    _, view = shown(qtbot, incident)
    assert "Select a citation" in words_of(view)


def test_a_citation_shows_claim_input_and_stored_version(qtbot: QtBot, incident: Audit) -> None:
    desk, view = shown(qtbot, incident)
    desk.go(Place(citation=2))
    said = words_of(view)
    assert "↶ from memory" in said
    assert "It last stood in the request of call 4" in said
    assert "✓ The stored bytes have their recorded SHA-256." in said
    assert "queued" in excerpt(view, "claim").toPlainText()
    assert excerpt(view, "input").toPlainText() == excerpt(view, "stored").toPlainText()


def test_each_citation_of_the_sample_can_be_shown(qtbot: QtBot, incident: Audit) -> None:
    desk, view = shown(qtbot, incident)
    seen = set()
    for index in range(len(incident.citations)):
        desk.go(Place(citation=index))
        seen.add(words_of(view))
    assert len(seen) == len(incident.citations)


def test_the_buttons_lead_to_the_model_view_and_the_source(qtbot: QtBot, incident: Audit) -> None:
    desk, view = shown(qtbot, incident)
    desk.go(Place(citation=0))
    view.finish()
    for step, tab in (("input", "model"), ("stored", "source"), ("claim", "answer")):
        button = view.findChild(QPushButton, f"go_{step}_{tab}")
        assert isinstance(button, QPushButton)
        QTest.keyClick(button, Qt.Key.Key_Space)
        assert desk.place.tab == tab
        assert desk.place.citation == 0
    assert desk.place.call == incident.citations[0].call_at_answer


def test_a_long_excerpt_opens_on_demand(qtbot: QtBot) -> None:
    story = Story()
    text = "".join(f"Sentence number {n}. " for n in range(100))
    story.document("long", text)
    story.read("long")
    desk, view = shown(qtbot, audit(story.answer(cite("long", (0, len(text))))))
    desk.go(Place(citation=0))
    box = excerpt(view, "stored")
    left = len(text) - 600
    assert f"(+{left:,} characters)" in box.toPlainText()
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Tab)
    QTest.keyClick(box, Qt.Key.Key_Return)
    box.selectAll()
    assert box.selected_record() == text


def test_hostile_evidence_is_shown_as_characters(qtbot: QtBot) -> None:
    story = Story()
    text = "<b>bold</b> and \u202eround <img src='http://example.org/x.png'>"
    story.document("<i>name</i>", text)
    story.read("<i>name</i>")
    desk, view = shown(qtbot, audit(story.answer(cite("<i>name</i>", (0, len(text))))))
    desk.go(Place(citation=0))
    assert excerpt(view, "stored").toPlainText() == text.replace("\u202e", "\u25c2")
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in view.findChildren(QLabel))
    assert "<i>name</i>@" in words_of(view)


def test_a_finding_without_a_citation_shows_its_rule(qtbot: QtBot) -> None:
    found = audit(next(rule for rule in rules() if rule.id == "COV006").failing())
    desk, view = shown(qtbot, found)
    index = next(n for n, one in enumerate(found.findings) if one.rule == "COV006")
    desk.go(Place(finding=index))
    said = words_of(view)
    assert "COV006 DeclaredCoverageDiffers" in said
    assert "Why it matters" in said
    button = view.findChild(QPushButton, "go_finding_model")
    assert isinstance(button, QPushButton)
    button.click()
    assert desk.place == Place(
        call=2, source=found.sources[0].versions[0].version.key, finding=index, tab="model"
    )


def test_the_strip_leads_to_gaps_and_cited_places(qtbot: QtBot) -> None:
    story = Story()
    story.document("notice")
    story.read("notice", span=(0, 48))
    desk, view = shown(qtbot, audit(story.answer(cite("notice", (48, 101)))))
    desk.go(Place(citation=0))
    view.finish()
    bar = view.findChild(CoverageStrip)
    assert isinstance(bar, CoverageStrip)
    assert "one gap, one place cited" in bar.accessibleName()
    QTest.keyClick(bar, Qt.Key.Key_End)
    assert "never given" in bar.accessibleDescription()
    QTest.keyClick(bar, Qt.Key.Key_Return)
    assert (desk.place.tab, desk.place.span) == ("source", Span(48, 101))
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, _NONE, bar.rect().center())
    assert desk.place.tab == "source"


def test_the_same_card_is_not_made_again(qtbot: QtBot, incident: Audit) -> None:
    desk, view = shown(qtbot, incident)
    desk.go(Place(citation=1))
    view.finish()
    body = view.widget()
    desk.go(Place(citation=1, call=3, tab="model"))
    assert view.complete
    assert view.widget() is body
    desk.go(Place(citation=2))
    view.finish()
    assert view.widget() is not body


def test_a_card_is_made_piece_by_piece_and_shown_whole(qtbot: QtBot, incident: Audit) -> None:
    desk, view = shown(qtbot, incident)
    view.finish()
    before = view.widget()
    desk.go(Place(citation=1))
    desk.go(Place(citation=2))
    assert not view.complete
    assert view.widget() is before
    view._late.timeout.emit()  # noqa: SLF001 - as on a machine that is slow
    assert before is not None
    assert not before.isEnabled(), "the card of another place is not taken for that of this one"
    qtbot.waitUntil(lambda: view.complete)
    now = view.widget()
    assert now is not None
    assert now.isEnabled()
    assert "Citation 3 of" in words_of(view)


def test_every_control_is_named_and_reached_with_the_keyboard(
    qtbot: QtBot, incident: Audit
) -> None:
    desk, view = shown(qtbot, incident)
    desk.go(Place(citation=1))
    view.finish()
    controls = [*view.findChildren(QPushButton), *view.findChildren(ExcerptBox)]
    controls += view.findChildren(CoverageStrip)
    assert controls
    for control in controls:
        assert control.accessibleName()
        assert control.objectName()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus
