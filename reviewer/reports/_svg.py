"""Draws lanes as SVG: no scripts, nothing from elsewhere, names as escaped text only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape as _escape
from typing import NamedTuple

from reviewer.display import one_line, visible, width
from reviewer.reports._drawing import CELL_WORDS, STRIP_WORDS, Box, Lane, sample_box
from reviewer.reports._drawing_map import ResidencyMap, residency_map
from reviewer.reports._drawing_strip import coverage_lane, version_strips
from reviewer.reports._words import undecided
from store.records.findings import Audit

__all__ = ["PAINTS", "STYLE", "Paint", "axis", "fluid", "picture", "sample"]


class Paint(NamedTuple):
    """How a look is drawn: its colour on white and on black, and its texture.

    ``texture`` is ``solid``, ``hatched`` (upright stripes) or ``outline``.
    """

    light: str
    dark: str
    texture: str = "solid"


PAINTS: Mapping[str, Paint] = {
    "full": Paint("#0757ba", "#6cb0ff"),
    "partial": Paint("#0757ba", "#6cb0ff"),
    "preview": Paint("#b98a2e", "#c99a3e", "hatched"),
    "placeholder": Paint("#57606a", "#9aa4af", "outline"),
    "absent": Paint("#afb8c1", "#4a535e"),
    "mixed": Paint("#57606a", "#9aa4af", "hatched"),
    "recorded": Paint("#1a7f37", "#57c26c", "outline"),
    "derived": Paint("#57606a", "#9aa4af", "outline"),
    "inferred": Paint("#8a5a00", "#e0ae4a", "outline"),
    "unknown": Paint("#b3261e", "#ff8078", "hatched"),
    "delivered": Paint("#0757ba", "#6cb0ff"),
    "answer": Paint("#6a3fb5", "#b79bf0"),
    "gap": Paint("#d0d7de", "#343b44"),
    "ground": Paint("none", "none"),
    "cited": Paint("#b3261e", "#ff8078"),
    "frame": Paint("#6a3fb5", "#b79bf0", "outline"),
    "doubt": Paint("#ffffff", "#12161b"),
    "text": Paint("#1b1f24", "#e6e9ec"),
    "axis": Paint("#57606a", "#9aa4af"),
    "tick": Paint("#57606a", "#9aa4af"),
}
"""How each look is drawn, here and in a PDF."""

_FILLED = frozenset({"full"})
"""Looks on which a letter has the colour of the paper."""

_HALF = frozenset({"partial"})
"""Looks that leave the upper half of a lane to their letter."""

_MIDDLE, _ABOVE = 10.5, 7.0
"""Lines on which letters stand in a lane."""

_ON_LIGHT, _ON_DARK = "#ffffff", "#12161b"


def _style() -> Iterator[str]:
    """Yield rules for dark screens; attributes hold where no style is obeyed, and on paper."""
    yield "@media screen and (prefers-color-scheme: dark) {"
    for name, paint in PAINTS.items():
        if paint.light == "none":
            continue
        yield f" .k-{name} {{ {_property(paint.texture)}: {paint.dark}; }}"
    yield f" .k-on, .k-paper {{ fill: {_ON_DARK}; }}"
    yield f" .k-text[stroke] {{ stroke: {_ON_DARK}; }}"
    yield "}"


def _property(texture: str) -> str:
    return "fill" if texture == "solid" else "stroke"


STYLE = "\n".join(_style())
"""The style that pictures need beside their attributes; a page holds it once."""


def _text(text: str) -> str:
    return _escape(visible(text), quote=True)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


class _Scale(NamedTuple):
    """Leads from shares of the width to places: percent without *width*, else points."""

    left: float = 0
    width: float | None = None

    def at(self, share: float) -> str:
        if self.width is None:
            return f"{_number(100 * share)}%"
        return _number(self.left + share * self.width)

    def size(self, box: Box) -> str:
        share = box.end - box.start
        if self.width is None:
            return f"{_number(100 * share)}%"
        return _number(share * self.width)


def _box(box: Box, scale: _Scale, top: float) -> str:
    paint = PAINTS[box.look]
    if paint.light == "none":
        return ""
    if paint.texture == "hatched":
        middle = _number(top + box.top + box.height / 2)
        return (
            f'<line class="k-{box.look}" x1="{scale.at(box.start)}" x2="{scale.at(box.end)}" '
            f'y1="{middle}" y2="{middle}" stroke="{paint.light}" '
            f'stroke-width="{_number(box.height)}" stroke-dasharray="2 2"/>'
        )
    fill = f'fill="{paint.light}"'
    if paint.texture == "outline":
        fill = f'fill="none" stroke="{paint.light}"'
    return (
        f'<rect class="k-{box.look}" x="{scale.at(box.start)}" y="{_number(top + box.top)}" '
        f'width="{scale.size(box)}" height="{_number(box.height)}" {fill}/>'
    )


def _shapes(lane: Lane, scale: _Scale, top: float = 0) -> Iterator[str]:
    yield from (_box(box, scale, top) for box in lane.boxes)
    for letter in lane.letters:
        look = "on" if letter.look in _FILLED else "text"
        line = top + (_ABOVE if letter.look in _HALF else _MIDDLE)
        yield _label(scale.at(letter.at), line, letter.text, look, "middle")


def _label(x: str, y: float, text: str, look: str, anchor: str = "start") -> str:
    """Return a text on the line at *y*: white on what is filled, where *look* is ``on``."""
    size = "9" if anchor == "middle" or look == "tick" else "11"
    fill = _ON_LIGHT if look == "on" else PAINTS[look].light
    halo = ""
    if look == "text" and anchor == "middle":
        halo = f' stroke="{_ON_LIGHT}" stroke-width="3" paint-order="stroke"'
    return (
        f'<text class="k-{look}" x="{x}" y="{_number(y)}" font-size="{size}" '
        f'text-anchor="{anchor}" fill="{fill}"{halo}>{_text(text)}</text>'
    )


def fluid(lane: Lane, frame: tuple[float, float] | None = None) -> str:
    """Return a lane as wide as the room it is put in; its letters keep their shape.

    *frame* are the shares between which the column of the answer stands.
    """
    scale = _Scale()
    framed = ""
    if frame is not None:
        framed = _box(Box(*frame, -1, lane.height + 2, "frame"), scale, 0)
    return (
        f'<svg class="lane" role="img" width="100%" height="{_number(lane.height)}">'
        f"<title>{_text(lane.words)}</title>{''.join(_shapes(lane, scale))}{framed}</svg>"
    )


def axis(map_: ResidencyMap) -> str:
    """Return the numbers of the calls, to stand above the lanes of a map."""
    scale = _Scale()
    ticks = [
        _label(scale.at(each.at), 11, each.text, "tick", _anchor(each.at)) for each in map_.axis
    ]
    head = '<svg class="lane" role="img" width="100%" height="14"><title>calls</title>'
    return f"{head}{''.join(ticks)}</svg>"


def _anchor(at: float) -> str:
    """Return which end of a text stands at its place, so that none runs over an edge."""
    if at < _EDGE:
        return "start"
    return "end" if at > 1 - _EDGE else "middle"


_EDGE = 0.03


def sample(look: str) -> str:
    """Return how a look is drawn, for a legend."""
    box = _box(sample_box(look), _Scale(0, 24), 0)
    return f'<svg class="key" aria-hidden="true" width="24" height="14">{box}</svg>'


# -- a picture of its own ----------------------------------------------------------------------

_CHART = 600.0
_MARGIN = 12.0
_ROW = 17.0
_COLUMN = 7.2
"""Points that one column of text may take at a size of 11."""


class _Page:
    """Takes shapes from the top down; how wide and high the picture is shows at the end."""

    def __init__(self) -> None:
        self.shapes: list[str] = []
        self.top = _MARGIN
        self.right = _MARGIN + _CHART
        self.scale = _Scale(_MARGIN, _CHART)

    def text(
        self, text: str, left: float = _MARGIN, look: str = "text", down: float = _ROW
    ) -> None:
        """Write a line; it is never cut, so that the picture grows with it."""
        self.shapes.append(_label(_number(left), self.top + 11, text, look))
        self.right = max(self.right, left + _COLUMN * width(visible(text)))
        self.top += down

    def lane(self, lane: Lane) -> None:
        """Draw a lane; the line does not move."""
        self.shapes.append(f"<g><title>{_text(lane.words)}</title>")
        self.shapes += _shapes(lane, self.scale, self.top)
        self.shapes.append("</g>")


def picture(audit: Audit) -> Iterator[str]:
    """Yield one SVG file with the map and the strips of a run; names stand whole beside them."""
    page = _Page()
    title = f"What the model was given: {one_line(audit.run.title or audit.run.run_id)}"
    page.text(title)
    _draw_map(page, residency_map(audit))
    strips = list(version_strips(audit))
    if strips:
        page.top += _ROW
        page.text("Coverage of each version, from its start to its end", look="axis")
        _legend(page, {**STRIP_WORDS, **_BANDS}, {})
        left = undecided(audit.calls)
        if left:
            page.text(f"{left}: what is drawn came, and may not have stayed.", look="axis")
    for name, facts, strip in strips:
        lane = coverage_lane(facts, strip)
        page.lane(lane)
        words = f"{one_line(name)}: {lane.words}"
        page.text(words, _MARGIN + _CHART + 8, down=max(_ROW, lane.height + 6))
    yield from _file(page, title)


_BANDS = {
    "answer": "lower band: what stood in the request of the answer",
    "cited": "at the foot: cited places",
}


def _draw_map(page: _Page, map_: ResidencyMap) -> None:
    page.text("Which source stood in which call's request", look="axis")
    _legend(page, {look: meaning for look, (_, meaning) in CELL_WORDS.items()}, CELL_WORDS)
    for note in map_.notes:
        page.text(note, look="axis")
    page.text(map_.grades.lane.words, look="axis")
    for tick in map_.axis:
        place = page.scale.at(tick.at)
        page.shapes.append(_label(place, page.top + 11, tick.text, "axis", "middle"))
    page.top += _ROW
    first_row = page.top
    page.lane(map_.grades.lane)
    page.text(map_.grades.name, _MARGIN + _CHART + 8, "axis")
    for row in map_.rows:
        page.lane(row.lane)
        cited = f"  (cited {row.citations}×)" if row.citations else ""
        page.text(f"{row.name}{cited}", _MARGIN + _CHART + 8)
    if map_.frame is not None and map_.rows:
        height = page.top - first_row
        page.shapes.append(_box(Box(*map_.frame, -1, height, "frame"), page.scale, first_row))
        middle = page.scale.at(sum(map_.frame) / 2)
        page.shapes.append(_label(middle, page.top + 9, "answer", "text", "middle"))
        page.top += _ROW


def _legend(page: _Page, words: Mapping[str, str], letters: Mapping[str, tuple[str, str]]) -> None:
    for look, meaning in words.items():
        page.shapes.append(_box(sample_box(look), _Scale(_MARGIN, 24), page.top))
        letter = f"{letters[look][0]}  " if look in letters else ""
        page.text(f"{letter}{look}: {meaning}", _MARGIN + 32, "axis")


def _file(page: _Page, title: str) -> Iterator[str]:
    wide, high = _number(page.right + _MARGIN), _number(page.top + _MARGIN)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {wide} {high}" '
        f'width="{wide}" height="{high}" '
        'font-family="system-ui, Noto Sans, Noto Sans CJK SC, sans-serif">\n'
        f"<title>{_text(title)}</title>\n<style>{STYLE}</style>\n"
        f'<rect class="k-paper" width="100%" height="100%" fill="{_ON_LIGHT}"/>\n'
    )
    for shape in page.shapes:
        yield f"{shape}\n" if shape else ""
    yield "</svg>\n"
