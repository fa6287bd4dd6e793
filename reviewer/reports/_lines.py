"""Text as lines of a given width, where each character has an advance of its own."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from reviewer.display import pieces, visible

__all__ = ["Ink", "Letters", "Line", "Measure", "alphabet", "broken"]


@dataclass(frozen=True, slots=True)
class Ink:
    """Some text with one look.

    ``look`` names a colour of the sheet, empty for that of plain text.
    ``target`` is the mark that a link leads to, empty for none.
    """

    text: str
    bold: bool = False
    look: str = ""
    target: str = ""


Line = list[Ink]
"""What stands beside each other on one line."""


@dataclass(frozen=True, slots=True)
class Measure:
    """How wide text is: the advances of both weights, for a font of size one."""

    plain: Mapping[str, float]
    bold: Mapping[str, float]

    def width(self, ink: Ink, size: float) -> float:
        """Return how wide *ink* is in a font of *size*."""
        advances = self.bold if ink.bold else self.plain
        return sum(advances[char] for char in ink.text) * size


class Letters(dict[int, str]):
    r"""How each character is drawn, for `str.translate`: itself where the font has it.

    What nobody would see, or no font has, is written ``\u{2713}``.
    """

    def __init__(self, known: Container[str]) -> None:
        super().__init__({ord("\n"): "\n", ord("\t"): "    "})
        self._known = known

    def __missing__(self, code: int) -> str:
        drawn = visible(chr(code))
        if not all(char in self._known for char in drawn):
            drawn = f"\\u{{{code:X}}}"
        self[code] = drawn
        return drawn


def alphabet(texts: Iterable[str]) -> set[str]:
    """Return the characters that a font must have to draw *texts* and what stands for others."""
    found = {char for text in texts for char in text}
    return {*map(chr, range(ord(" "), 0x7F)), *visible("".join(sorted(found)))} - {"\n", "\t"}


def broken(inks: Iterable[Ink], width: float, size: float, measure: Measure) -> list[Line]:
    """Return *inks* as lines of at most *width*.

    A line is broken between words, or between wide characters; a word that is
    longer than a line is broken anywhere, since paper ends.
    """
    lines: list[Line] = [[]]
    used = 0.0
    for atom in _atoms(inks):
        if atom.text == "\n":
            lines.append([])
            used = 0.0
            continue
        solid = measure.width(replace(atom, text=atom.text.rstrip(" ")), size)
        if used and used + solid > width:
            lines.append([])
            used = 0.0
        for part in _parts(atom, width, size, measure) if solid > width else (atom,):
            wide = measure.width(part, size)
            if used and used + wide > width and solid > width:
                lines.append([])
                used = 0.0
            _join(lines[-1], part)
            used += wide
    return lines


def _atoms(inks: Iterable[Ink]) -> Iterator[Ink]:
    """Yield pieces between which a line may be broken, and line feeds by themselves."""
    for ink in inks:
        for number, paragraph in enumerate(ink.text.split("\n")):
            if number:
                yield replace(ink, text="\n")
            for piece in pieces(paragraph):
                yield replace(ink, text=piece)


def _parts(ink: Ink, width: float, size: float, measure: Measure) -> Iterator[Ink]:
    """Yield *ink* in parts that each fit into a line."""
    advances = measure.bold if ink.bold else measure.plain
    start, used = 0, 0.0
    for place, char in enumerate(ink.text):
        wide = advances[char] * size
        if used and used + wide > width:
            yield replace(ink, text=ink.text[start:place])
            start, used = place, 0.0
        used += wide
    yield replace(ink, text=ink.text[start:])


def _join(line: Line, ink: Ink) -> None:
    """Add *ink* to a line, to what stands last there if it looks the same."""
    if line and replace(line[-1], text="") == replace(ink, text=""):
        line[-1] = replace(line[-1], text=line[-1].text + ink.text)
    else:
        line.append(ink)
