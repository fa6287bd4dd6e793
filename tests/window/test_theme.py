"""Every colour can be told from what it stands on, in every theme."""

import pytest

pytest.importorskip("PySide6.QtGui", exc_type=ImportError)

from PySide6.QtGui import QColor

from reviewer.window import theme
from reviewer.window.presenters.syntax import ROLES
from reviewer.window.views.text_paint import blend

TEXTS = ("ink", "muted", "accent", "good", "open", "bad")
MARKS = ("delivered", "preview", "placeholder", "cited", "gap", "found", "current")


@pytest.mark.parametrize("name", theme.THEMES)
@pytest.mark.parametrize("ground", ["paper", "window", "raised"])
def test_words_can_be_read_on_every_ground(name: str, ground: str) -> None:
    tokens = theme.THEMES[name]
    least = 7.0 if name.startswith("contrast") else 4.5
    weak = {
        word: round(theme.contrast(tokens[word], tokens[ground]), 2)
        for word in TEXTS
        if theme.contrast(tokens[word], tokens[ground]) < least
    }
    assert weak == {}


@pytest.mark.parametrize("name", theme.THEMES)
def test_coloured_syntax_can_be_read_on_paper_and_on_every_tinted_mark(name: str) -> None:
    tokens = theme.THEMES[name]
    paper = QColor(tokens["paper"])
    grounds = {"paper": tokens["paper"]} | {
        kind: blend(share, QColor(tokens[{"added": "good"}.get(kind, kind)]), paper).name()
        for kind, share in (("delivered", 0.10), ("cited", 0.22), ("added", 0.16))
    }
    weak = {
        (role, kind): round(theme.contrast(tokens[role], ground), 2)
        for role in ROLES
        for kind, ground in grounds.items()
        if theme.contrast(tokens[role], ground) < 4.5
    }
    assert weak == {}


@pytest.mark.parametrize("name", theme.THEMES)
def test_marks_stand_out_from_the_paper(name: str) -> None:
    tokens = theme.THEMES[name]
    assert not [mark for mark in MARKS if theme.contrast(tokens[mark], tokens["paper"]) < 3]
    assert theme.contrast(tokens["on_accent"], tokens["accent"]) >= 4.5


def test_every_theme_names_the_same_colours() -> None:
    assert len({frozenset(tokens) for tokens in theme.THEMES.values()}) == 1


def test_contrast_is_that_of_the_standard() -> None:
    assert theme.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert theme.contrast("#777777", "#777777") == pytest.approx(1)
