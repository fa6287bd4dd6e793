"""The audit on paper: pages with bookmarks, links and every font they need.

What it says is what the page says (`_contents`).  Where a font lacks a
character, its number stands for it; text is set in the order of its
characters, which for scripts written from right to left is not the order of
reading, and the paper says so.
"""

from __future__ import annotations

import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from reviewer.reports import _words as words
from reviewer.reports._base import Doing, Meta, Report
from reviewer.reports._bill import bill_sentences
from reviewer.reports._blocks import Block, Grid, Heading, Paragraph, letters
from reviewer.reports._contents import (
    INDEX,
    WORDS,
    Contents,
    problem_counts,
    run_facts,
    verdict_counts,
)
from reviewer.reports._decided import chain_words
from reviewer.reports._ending import ending, index_name
from reviewer.reports._lines import Ink
from reviewer.reports._made import made_sentences
from reviewer.reports._paper_citations import answer_blocks, citation_blocks, finding_blocks
from reviewer.reports._paper_sources import map_blocks, source_blocks
from reviewer.reports._ranking import WORST_FIRST, Rank, findings_words, rank_of
from reviewer.reports._settings import setting_lines
from reviewer.reports._tables import Sheet, placeholder_sheet, problem_sheet, read_sheet
from store.records.findings import Audit
from store.records.runs import Problem

__all__ = ["REPORT"]


def _write(audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta) -> Iterator[bytes]:
    """Yield the document, in one piece: where a page ends is known when all of it is.

    Empty pieces before it tell that work goes on.
    """
    runs: list[Block] = []
    index: list[tuple[Rank, tuple[Ink, ...]]] = []
    failed: list[Block] = []
    for number, audit in enumerate(audits, 1):
        for block in _run(audit, f"r{number}", meta, failed):
            runs.append(block)
            yield b""
        index.append((rank_of(audit), _index_row(audit, f"r{number}")))
    rows = tuple(row for _, row in sorted(index, key=itemgetter(0)))
    blocks = [*_front(rows, problems), *failed, *runs, *_about(meta)]
    blocks += _unlike_the_page(blocks)
    yield from _drawn(blocks, meta)


def _drawn(blocks: Sequence[Block], meta: Meta) -> Iterator[bytes]:
    # These take half a second to load; only this report needs them.
    from reviewer.reports._fonts import BOLD, REGULAR, make  # noqa: PLC0415
    from reviewer.reports._lines import alphabet  # noqa: PLC0415
    from reviewer.reports._sheet import Sheet as Pages  # noqa: PLC0415

    foot = f"{WORDS['title']} · {WORDS['made by']} {meta.version}"
    yield Doing("making the fonts")
    characters = alphabet((*letters(blocks), foot))
    yield b""
    plain = make(characters, REGULAR)
    yield b""
    bold = make(characters, BOLD)
    with tempfile.TemporaryDirectory() as folder:
        pages = Pages(WORDS["title"], foot, plain, bold, Path(folder))
        yield Doing("laying out the pages")
        for block in blocks:
            pages.add([block])
            yield b""
        # The last that can be told, and where it can be stopped: from here on the library works.
        yield Doing("writing the file")
        yield pages.data()


def _front(index: tuple[tuple[Ink, ...], ...], problems: Sequence[Problem]) -> Iterator[Block]:
    yield Heading(WORDS["title"], 0)
    yield _text(WORDS["lead"])
    yield _text(WORDS["claims"], "dim")
    if problems:
        yield from _sheet(problem_sheet(problems))
    if index:
        yield Heading(WORDS["runs"], 1)
        if len(index) > 1:
            yield _text(WORST_FIRST, "dim")
        yield Grid(INDEX, (5, 2, 5, 4, 3), index)
    else:
        yield _text(WORDS["no runs"])


def _index_row(audit: Audit, mark: str) -> tuple[Ink, ...]:
    verdicts = ", ".join(f"{count} {verdict.word}" for verdict, count in verdict_counts(audit))
    found = findings_words(audit)
    name = Ink(index_name(audit.run), target=mark)
    grade = words.grade_of(audit).value
    return name, Ink(grade), Ink(verdicts or "–"), Ink(found), Ink(problem_counts(audit))


def _run(audit: Audit, mark: str, meta: Meta, failed: list[Block]) -> Iterator[Block]:
    """Yield a run, part after part; one that cannot be made is replaced by the reason."""
    run, contents = audit.run, Contents(audit, meta)
    name = run.title or run.run_id

    def part(called: str, make: Callable[[], Iterator[Block]], own: str = "") -> list[Block]:
        try:
            return list(make())
        except Exception as error:  # noqa: BLE001 - the rest of the report does not depend on it
            said = f"× This part could not be made: {called} ({type(error).__name__}: {error})"
            instead = Paragraph((Ink(said, bold=True, look="bad"),), own)
            failed.append(Paragraph(instead.inks))
            return [instead]

    yield Heading(name, 0, mark)
    yield from part(f"{name}: grade and counts", lambda: _facts(audit))
    if run.problems:
        yield from _sheet(problem_sheet(run.problems))
    cited = bool(audit.citations)
    if cited:
        yield from part(f"{name}: {WORDS['answers']}", lambda: answer_blocks(contents, mark))
    yield Heading(f"{WORDS['citations']} ({len(audit.citations)})", 1)
    if not cited:
        yield _text(words.no_citations(audit))
    for place, facts in enumerate(audit.citations):
        own = f"{mark}-c{facts.index}"
        yield from part(
            f"citation {facts.index}",
            lambda place=place: citation_blocks(contents, place, mark),  # type: ignore[misc]
            own,
        )
    yield from part(f"{name}: {WORDS['findings']}", lambda: finding_blocks(contents, mark))
    yield from part(f"{name}: {WORDS['settings']}", lambda: _settings(audit))
    yield from part(f"{name}: {WORDS['map']}", lambda: map_blocks(contents, mark))
    yield from part(f"{name}: {WORDS['sources']}", lambda: source_blocks(contents, mark))
    yield from part(f"{name}: {WORDS['placeholders']}", lambda: _placeholders(audit))
    yield from part(f"{name}: {WORDS['all reads']}", lambda: _reads(audit, meta))
    yield from part(f"{name}: {WORDS['tokens']}", lambda: _tokens(audit))
    if run.answers and not cited:
        yield from part(f"{name}: {WORDS['plain']}", lambda: answer_blocks(contents, mark))


def _facts(audit: Audit) -> Iterator[Block]:
    rows = tuple((Ink(name, look="dim"), Ink(value)) for name, value in run_facts(audit))
    yield Grid((), (3, 13), rows)
    yield _text(f"{words.summary(audit)}.")
    yield _text(words.grade_words(audit))
    if told := ending(audit.run):
        yield _text(told)


def _settings(audit: Audit) -> Iterator[Block]:
    yield from _lines(WORDS["settings"], setting_lines(audit))


def _placeholders(audit: Audit) -> Iterator[Block]:
    if audit.placeholders:
        yield from _sheet(placeholder_sheet(audit))


def _reads(audit: Audit, meta: Meta) -> Iterator[Block]:
    if audit.reads:
        yield from _sheet(read_sheet(audit, meta))


def _tokens(audit: Audit) -> Iterator[Block]:
    yield from _lines(WORDS["tokens"], bill_sentences(audit.bill))


_SHARES = {"id": 5, "prose": 7, "word": 3}
_WIDE, _LONG_WORD = 4, 9
"""What a column of words has where one of them is longer: none is broken in its middle."""


def _sheet(made: Sheet) -> Iterator[Block]:
    yield Heading(made.heading, 1)
    if made.note:
        yield _text(made.note)
    if made.rows:
        kinds = [
            max((cell.kind for cell in column), key=_SHARES.__getitem__)
            for column in zip(*made.rows, strict=True)
        ]
        rows = tuple(tuple(Ink(cell.text) for cell in row) for row in made.rows)
        shares = [
            max(_SHARES[kind], _WIDE if kind == "word" and any(map(_is_wide, column)) else 0)
            for kind, column in zip(kinds, zip(*rows, strict=True), strict=True)
        ]
        yield Grid(made.names, tuple(shares), rows)


def _is_wide(ink: Ink) -> bool:
    return any(len(word) > _LONG_WORD for word in ink.text.split())


def _lines(heading: str, lines: Iterable[str]) -> Iterator[Block]:
    held = [_text(line) for line in lines]
    if held:
        yield Heading(heading, 1)
        yield from held


def _text(text: str, look: str = "") -> Paragraph:
    return Paragraph((Ink(text, look=look),))


def _about(meta: Meta) -> Iterator[Block]:
    reviews = meta.reviews
    yield Heading(WORDS["decisions"], 1)
    yield _text(WORDS["no decisions"] if reviews is None else chain_words(reviews))
    yield from _lines(WORDS["about"], made_sentences(meta))


_TURNED = {"R", "AL"}


def _unlike_the_page(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield what the paper cannot do as the page does."""
    found = {char for text in letters(blocks) for char in text}
    if any(unicodedata.bidirectional(char) in _TURNED for char in found):
        yield _text(
            "This paper holds text of scripts that are written from right to left. It stands in "
            "the order of its characters, without joining them; the HTML report shows it as it "
            "is read.",
            "dim",
        )


REPORT = Report("pdf", "pages to print and hand over", ".pdf", write_bytes=_write)
