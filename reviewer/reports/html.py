"""The audit as one page: no scripts, nothing from elsewhere, evidence as escaped text only."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from operator import itemgetter
from typing import NamedTuple

from reviewer.reports import _words as words
from reviewer.reports._base import Meta, Report
from reviewer.reports._bill import bill_sentences
from reviewer.reports._contents import (
    INDEX,
    WORDS,
    Contents,
    problem_counts,
    run_facts,
    verdict_counts,
    verdict_sign,
)
from reviewer.reports._decided import chain_words
from reviewer.reports._ending import ending, index_name
from reviewer.reports._html_citations import answer_part, citation_article, finding_part, jumps
from reviewer.reports._html_sources import map_part, source_part
from reviewer.reports._made import made_sentences
from reviewer.reports._page import escape, grid, link, sheet, tag
from reviewer.reports._parts import Parts, Spool
from reviewer.reports._ranking import WORST_FIRST, Rank, findings_words, rank_of
from reviewer.reports._settings import setting_lines
from reviewer.reports._svg import STYLE
from reviewer.reports._tables import placeholder_sheet, problem_sheet, read_sheet
from store.records.findings import Audit
from store.records.runs import Problem

__all__ = ["REPORT"]


def _write(audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta) -> Iterator[str]:
    """Yield the page.

    The list of runs stands first and is known last: until then their sections
    lie in a spool, and empty pieces tell that work goes on.
    """
    spool, parts = Spool(), Parts(_instead)
    index: list[tuple[Rank, list[str]]] = []
    try:
        for number, audit in enumerate(audits, 1):
            for piece in _run(audit, f"r{number}", meta, parts):
                spool.write(piece)
                yield ""
            index.append((rank_of(audit), _index_row(audit, f"r{number}")))
        yield from _head(meta)
        yield tag("h1", WORDS["title"])
        yield tag("p", WORDS["lead"])
        yield sheet(problem_sheet(problems)) if problems else ""
        yield "".join(f"{_instead(name, reason)}" for name, reason in parts.failed)
        if len(index) > 1:
            rows = [row for _, row in sorted(index, key=itemgetter(0))]
            yield grid(WORDS["runs"], INDEX, rows) + tag("p", WORST_FIRST)
        yield from spool.taken()
    finally:
        spool.close()
    yield tag("p", WORDS["no runs"]) if not index else ""
    yield from _foot(meta)


def _head(meta: Meta) -> Iterator[str]:
    style = f"\n{meta.style}{STYLE}\n"
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="referrer" content="no-referrer">\n'
    yield f"<title>{escape(WORDS['title'])}</title>\n<style>{style}</style></head>\n<body><main>\n"


def _foot(meta: Meta) -> Iterator[str]:
    reviews = meta.reviews
    yield '<section class="about">\n'
    yield tag("h3", WORDS["decisions"])
    yield tag("p", WORDS["no decisions"] if reviews is None else chain_words(reviews))
    yield tag("h3", WORDS["about"])
    yield "".join(tag("p", sentence) for sentence in made_sentences(meta))
    yield f"</section>\n<footer><p>{escape(WORDS['claims'])}</p></footer>\n</main></body></html>\n"


def _instead(name: str, reason: str, mark: str = "") -> str:
    place = f' id="{escape(mark)}"' if mark else ""
    said = escape(f"✗ This part could not be made: {name} ({reason})")
    return f'<p class="missing"{place}>{said}</p>\n'


def _index_row(audit: Audit, mark: str) -> list[str]:
    verdicts = ", ".join(f"{count} {verdict.word}" for verdict, count in verdict_counts(audit))
    name = index_name(audit.run)
    return [
        link(f"#{mark}", name),
        escape(words.grade_of(audit).value),
        escape(verdicts or "–"),
        escape(findings_words(audit)),
        escape(problem_counts(audit)),
    ]


def _run(audit: Audit, mark: str, meta: Meta, parts: Parts) -> Iterator[str]:
    run, contents = audit.run, Contents(audit, meta)
    held = list(_parts(contents, mark, parts))
    yield f'<section class="run" id="{mark}">\n'
    yield tag("h2", run.title or run.run_id)
    name = run.title or run.run_id
    yield parts.made(f"{name}: grade and counts", partial(_facts, audit, mark))
    yield sheet(problem_sheet(run.problems)) if run.problems else ""
    leads = " · ".join(link(f"#{mark}-{part.key}", part.name) for part in held)
    yield f'<nav class="parts" aria-label="parts"><p>{leads}</p></nav>\n'
    yield jumps(audit.findings, mark)
    for part in held:
        yield f'<div id="{mark}-{part.key}">\n'
        yield from part.pieces
        yield "</div>\n"
    yield "</section>\n"


class _Part(NamedTuple):
    """A part of a run: the end of its mark, its name in the list of parts, what makes it."""

    key: str
    name: str
    pieces: Iterator[str]


def _parts(contents: Contents, mark: str, parts: Parts) -> Iterator[_Part]:
    """Yield the parts a run has, in their order; answers that cite nothing come last."""
    audit = contents.audit
    name = audit.run.title or audit.run.run_id

    def part(key: str, make: Callable[[Contents, str], str], count: int | None = None) -> _Part:
        said = WORDS[key] if count is None else f"{WORDS[key]} ({count})"
        made = _made(parts, f"{name}: {said}", partial(make, contents, mark))
        return _Part(key.replace(" ", "-"), said, made)

    cited = bool(audit.citations)
    answers = "answers" if cited else "plain"
    if cited:
        yield part(answers, answer_part)
    told = f"{WORDS['citations']} ({len(audit.citations)})"
    yield _Part("citations", told, _citations(contents, mark, parts))
    yield part("findings", finding_part, len(audit.findings))
    if audit.settings:
        yield part("settings", _settings)
    if audit.run.calls and audit.sources:
        yield part("map", map_part)
    if audit.sources:
        yield part("sources", source_part, len(contents.versions))
    if audit.placeholders:
        yield part("placeholders", lambda held, _: sheet(placeholder_sheet(held.audit)))
    if audit.reads:
        yield part("all reads", lambda held, _: sheet(read_sheet(held.audit, held.meta)))
    if audit.bill.calls:
        yield part("tokens", _tokens)
    if audit.run.answers and not cited:
        yield part(answers, answer_part)


def _made(parts: Parts, name: str, make: Callable[[], str]) -> Iterator[str]:
    yield parts.made(name, make)


def _facts(audit: Audit, mark: str) -> str:
    pairs = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in run_facts(audit)
    )
    first = {facts.verdict.word: facts.index for facts in reversed(audit.citations)}
    counts = "".join(
        f'<li><a class="verdict {words.good(verdict)}" href="#{mark}-c{first[verdict.word]}">'
        f"{verdict_sign(verdict)} {escape(verdict.word)}</a> {count}</li>"
        for verdict, count in verdict_counts(audit)
    )
    return (
        f'<dl class="facts">{pairs}</dl>\n'
        + tag("p", f"{words.summary(audit)}.")
        + tag("p", words.grade_words(audit))
        + (tag("p", ending(audit.run)) if ending(audit.run) else "")
        + (f'<ul class="counts">{counts}</ul>\n' if counts else "")
    )


def _citations(contents: Contents, mark: str, parts: Parts) -> Iterator[str]:
    audit = contents.audit
    yield tag("h3", f"{WORDS['citations']} ({len(audit.citations)})")
    if not audit.citations:
        yield tag("p", words.no_citations(audit))
        return
    for place, facts in enumerate(audit.citations):
        name, made = f"citation {facts.index}", partial(_citation, contents, place, mark)
        yield parts.made(name, made, f"{mark}-c{facts.index}")


def _citation(contents: Contents, place: int, mark: str) -> str:
    return citation_article(contents.citation(place), contents, mark)


def _settings(contents: Contents, _mark: str) -> str:
    """Return every setting in force: none of them may act unseen."""
    lines = "".join(f"<li>{escape(line)}</li>" for line in setting_lines(contents.audit))
    return tag("h3", WORDS["settings"]) + f"<ul>{lines}</ul>\n" if lines else ""


def _tokens(contents: Contents, _mark: str) -> str:
    sentences = "".join(tag("p", said) for said in bill_sentences(contents.audit.bill))
    return tag("h3", WORDS["tokens"]) + sentences if sentences else ""


REPORT = Report("html", "one page to read on any screen or on paper", ".html", _write)
