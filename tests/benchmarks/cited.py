"""Writes run folders with many sources and citations, to measure what a report of them costs."""

from __future__ import annotations

import random
from pathlib import Path

from reviewer.services.sample.story import Story, cite
from store.records.sources import Selection
from store.records.text import Span

__all__ = ["write_cited_run"]

_WORDS = ("the", "limit", "of", "each", "source", "is", "上限", "为", "二百", "条", "三十", "秒")
_PIECE = 3000
_CITED = 60


def write_cited_run(folder: Path, *, sources: int, chars: int, citations: int) -> int:
    """Write a run that reads a piece of each of *sources* texts of *chars* characters.

    Its answer holds *citations* citations; every tenth points at what was
    never read, and results older than twenty calls are cleared.  Returns the
    bytes of the texts.
    """
    chance = random.Random(7)  # noqa: S311 - the same folder on every machine
    story = Story.begin(
        folder,
        "cited",
        title="A run with many citations",
        at="2025-03-01T12:00:00Z",
        system="Answer from the sources only.",
        question="What do the sources say?",
    )
    size = 0
    ids: list[str] = []
    for number in range(sources):
        text = _text(chance, chars)
        size += len(text.encode())
        name = f"docs/{number:04d}.txt"
        ids.append(story.writer.version(name, text))
        story.ask(f"t{number}", "read_file", {"path": name}, "Reading.")
        piece = Selection(name, ids[-1], ranges=(Span(0, _PIECE),))
        story.returned(f"t{number}", text[:_PIECE], piece)
        if number >= 20 and number % 10 == 0:
            story.replaced("clear", f"t{number - 20}", "[cleared]")
    story.answer(
        [
            cite(
                f"Sentence {place} says so",
                f"docs/{place % sources:04d}.txt",
                ids[place % sources],
                _span(place, chars),
            )
            for place in range(citations)
        ]
    )
    story.finish("2025-03-01T13:00:00Z")
    return size


def _span(place: int, chars: int) -> Span:
    """Return a span inside the piece that was read, every tenth time one behind it."""
    start = (place * 37) % (_PIECE - _CITED)
    if place % 10 == 9:
        start = min(chars - _CITED, _PIECE + start)
    return Span(start, start + _CITED)


def _text(chance: random.Random, chars: int) -> str:
    line = " ".join(chance.choice(_WORDS) for _ in range(400))
    cuts = [chance.randrange(len(line)) for _ in range(chars // len(line) + 2)]
    return "\n".join(line[cut:] + line[:cut] for cut in cuts)[:chars]
