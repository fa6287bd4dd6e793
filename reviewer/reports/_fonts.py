"""One font for a whole document, made of the glyphs that it needs.

The fonts come as data files of the packages ``manimgx-fonts`` and
``manimgx-fonts-cjk`` (Noto Sans, Noto Sans CJK, Noto Emoji and others, SIL
Open Font License).  They are variable fonts with two kinds of outlines; what a
document needs of them is drawn once more into one small TrueType font for each
weight, so that a text of several scripts needs no change of fonts and the file
holds no glyph that it does not show.

No script is shaped: each character stands for itself, in the order of the text.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Protocol, cast

from fontTools.fontBuilder import FontBuilder
from fontTools.misc.timeTools import epoch_diff
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

__all__ = ["BOLD", "REGULAR", "UNITS", "Face", "known", "make"]

REGULAR, BOLD = 400, 700

UNITS = 1000
"""Font units of an em: what advances are counted in."""

_ERROR = 1.0
"""How far, in font units, a quadratic curve may lie beside the cubic one it stands for."""

_CJK = "manimgx_fonts_cjk"
_CJK_FACE = 2
"""Simplified Chinese among the five faces of the file; they share all but some shapes."""


@dataclass(frozen=True, slots=True)
class Face:
    """A TrueType font in one weight, with the advance of each character in `UNITS`."""

    data: bytes
    advances: Mapping[str, int]


class _Glyph(Protocol):
    width: float

    def draw(self, pen: object) -> None: ...


@dataclass(frozen=True, slots=True)
class _Source:
    """A font to take glyphs from: which characters it has, and its name of each."""

    font: TTFont
    names: Mapping[int, str]

    def glyphs(self, weight: int) -> Mapping[str, _Glyph]:
        return cast(Mapping[str, _Glyph], self.font.getGlyphSet(location={"wght": weight}))


def make(characters: Iterable[str], weight: int) -> Face:
    """Return a font of *weight* with those of *characters* that any font knows.

    A mark that changes the character before it and that no font draws takes no
    room; nobody sees it anywhere.
    """
    order = [".notdef"]
    drawn = {".notdef": _empty()}
    widths = {".notdef": UNITS // 2}
    codes: dict[int, str] = {}
    outlines = {id(source): source.glyphs(weight) for source in _sources()}
    for character in sorted(set(characters)):
        code = ord(character)
        source = _source_of(code)
        if source is None and not _silent(character):
            continue
        name = f"u{code:05X}"
        order.append(name)
        codes[code] = name
        if source is None:
            drawn[name], widths[name] = _empty(), 0
        else:
            glyphs = outlines[id(source)]
            drawn[name], widths[name] = _drawn(source, glyphs, source.names[code])
    data = _font(order, codes, drawn, widths, weight)
    return Face(data, {chr(code): widths[name] for code, name in codes.items()})


def known(character: str) -> bool:
    """Tell whether *character* can be shown."""
    return _source_of(ord(character)) is not None or _silent(character)


def _silent(character: str) -> bool:
    """Tell whether *character* only chooses how its neighbours look."""
    return unicodedata.category(character) in {"Mn", "Me", "Cf"}


@cache
def _source_of(code: int) -> _Source | None:
    return next((source for source in _sources() if code in source.names), None)


@cache
def _sources() -> tuple[_Source, ...]:
    """Return the fonts, the one whose shape of a character is taken first."""
    folder = files("manimgx_fonts")
    first = ("NotoSans[wght].ttf",)
    last = ("NotoSansSymbols[wght].ttf", "NotoEmoji[wght].ttf")
    found = {entry.name: entry for entry in folder.iterdir() if entry.name.endswith(".ttf")}
    scripts = sorted(set(found) - set(first) - set(last) - {"NotoSans-Italic[wght].ttf"})
    chinese = files(_CJK) / "NotoSansCJK-VF.otf.ttc"
    sources = [_opened(found[name]) for name in first]
    sources.append(_opened(chinese, _CJK_FACE))
    sources += [_opened(found[name]) for name in (*last, *scripts)]
    return tuple(sources)


def _opened(file: Traversable, number: int = -1) -> _Source:
    font = TTFont(io.BytesIO(file.read_bytes()), fontNumber=number, lazy=True)
    return _Source(font, font.getBestCmap())


def _empty() -> object:
    return TTGlyphPen(None).glyph()


def _drawn(source: _Source, glyphs: Mapping[str, _Glyph], name: str) -> tuple[object, int]:
    """Return a glyph as quadratic curves in `UNITS`, with its advance."""
    scale = UNITS / source.font["head"].unitsPerEm
    recorded = DecomposingRecordingPen(glyphs)
    glyphs[name].draw(recorded)
    pen = TTGlyphPen(None)
    # The two kinds of outlines turn the other way round.
    curves = Cu2QuPen(pen, _ERROR, reverse_direction="glyf" not in source.font)
    for command, points in recorded.value:
        getattr(curves, command)(*_scaled(points, scale))
    return pen.glyph(), round(glyphs[name].width * scale)


def _scaled(
    points: Iterable[tuple[float, float] | None], scale: float
) -> Iterator[tuple[float, float] | None]:
    for point in points:
        yield None if point is None else (point[0] * scale, point[1] * scale)


def _font(
    order: list[str],
    codes: Mapping[int, str],
    drawn: Mapping[str, object],
    widths: Mapping[str, int],
    weight: int,
) -> bytes:
    builder = FontBuilder(UNITS, isTTF=True)
    builder.setupGlyphOrder(order)
    builder.setupCharacterMap(dict(codes))
    builder.setupGlyf(dict(drawn))
    table = builder.font["glyf"]
    bearings = {name: getattr(table[name], "xMin", 0) for name in order}
    builder.setupHorizontalMetrics({name: (widths[name], bearings[name]) for name in order})
    builder.setupHorizontalHeader(ascent=1069, descent=-293)
    style = "Bold" if weight == BOLD else "Regular"
    names = {"familyName": "Reread", "styleName": style, "psName": f"Reread-{style}"}
    builder.setupNameTable(names)
    builder.setupOS2(sTypoAscender=1069, sTypoDescender=-293, sCapHeight=714, usWeightClass=weight)
    builder.setupPost()
    # The same text gives the same bytes, whatever the clock says.
    builder.font["head"].created = builder.font["head"].modified = -epoch_diff
    builder.font.recalcTimestamp = False
    data = io.BytesIO()
    builder.save(data)
    return data.getvalue()
