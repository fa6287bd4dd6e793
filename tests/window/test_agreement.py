"""Offsets on screen, in the status bar, in references and in the store name the same text."""

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from reviewer.audit.engine import audit
from reviewer.window.place import Place
from reviewer.window.presenters import places
from reviewer.window.shell import Shell
from reviewer.window.views.source_view import SourceView
from store.builder import RunBuilder
from store.records.grades import Layer
from store.records.runs import Answer, Part, PartKind
from store.records.sources import SourceKind, Version, VersionKey
from store.records.text import Span

PIECES = [
    "汉字",
    "😀",
    "\r\n",
    "\u2028",
    "\x00",
    "\u202e",
    "\ud83d",
    "\udc00",
    "a",
    "\n",
    "é",
    "\t",
]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=30).map("".join)
KEY = VersionKey("hostile.txt", "v1")
_SPAN = re.compile(r"\[(\d+)[:,] ?(\d+)[\])]")


def showing(shell: Shell, text: str) -> SourceView:
    """Put a run on the desk whose one source holds *text*, and show that."""
    builder = RunBuilder("r", "r", "reread.run", Layer.CLIENT, title="r")
    asked = builder.message("user", [Part(PartKind.TEXT, "go")])
    builder.call([asked], model="m", response=())
    builder.answers.append(Answer(1, "an answer"))
    version = Version(KEY, SourceKind.TEXT, sha256="", chars=len(text), text=text)
    builder.versions.append(version)
    run = shell.desk.add(audit(builder.finish()))
    shell.desk.go(Place(run=run, call=1, source=KEY, span=Span(0, 0), tab="source"))
    view = shell.findChild(SourceView)
    assert view is not None
    return view


@pytest.fixture
def show(opened: Shell, qapp: QApplication) -> Callable[[str], SourceView]:
    def shown(text: str) -> SourceView:
        view = showing(opened, text)
        qapp.processEvents()
        return view

    return shown


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(TEXTS, st.data())
def test_a_span_is_the_same_everywhere(
    opened: Shell, show: Callable[[str], SourceView], text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    view = show(text)
    desk = opened.desk
    desk.go(Place(run=desk.place.run, call=1, source=KEY, span=Span(start, end), tab="source"))
    assert view.pane.view.text == text
    assert view.selected_text() == text[start:end]
    reference = places.place_reference(desk.audit(), desk.place)
    for told in (opened.where.text(), view.pane.place.text(), reference):
        numbers = {tuple(map(int, each)) for each in _SPAN.findall(told)}
        assert (start, end) in numbers, told
    opened.menus.actions["edit.copy_ref"].trigger()
    assert f"[{start}:{end}]" in QGuiApplication.clipboard().text()
    whole = re.sub("[\ud800-\udfff]", "\ufffd", text[start:end])
    view.pane.view.copy()
    assert QGuiApplication.clipboard().text() == whole
    stored = next(each for each in desk.audit().run.versions if each.key == KEY).text
    assert stored is not None
    assert stored[start:end] == view.selected_text()


def test_two_halves_that_follow_each_other_are_copied_as_two(
    opened: Shell, show: Callable[[str], SourceView]
) -> None:
    view = show("汉😀\ud83d\udc00")
    desk = opened.desk
    desk.go(Place(run=desk.place.run, call=1, source=KEY, span=Span(0, 4), tab="source"))
    view.pane.view.copy()
    assert QGuiApplication.clipboard().text() == "汉😀\ufffd\ufffd"
