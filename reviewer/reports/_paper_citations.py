"""Answers, citations and findings on paper, each linked to the others both ways.

Marks are those of the page: ``r1-a3`` is the place of citation 3 in the answer,
``r1-c3`` the citation, ``r1-f0`` a finding, ``r1-v2`` a version.
"""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.answers import TextRun
from reviewer.reports import _words as words
from reviewer.reports._baseline import absent_lines, baseline_mark, counted_findings
from reviewer.reports._blocks import Block, Heading, Paragraph, Quotation
from reviewer.reports._contents import (
    WORDS,
    Answers,
    CitationText,
    Contents,
    Passage,
    worst_first,
)
from reviewer.reports._decided import of_finding, opinion_lines
from reviewer.reports._lines import Ink
from store.records.findings import CitationFacts, Finding, Severity, Verdict

__all__ = ["answer_blocks", "citation_blocks", "finding_blocks", "sign"]

_LOOKED_AT = (Verdict.PREVIEW_ONLY, Verdict.PLACEHOLDER_ONLY, Verdict.LISTED_ONLY)
_SIGNS = {
    **words.VERDICT_SIGNS,
    Verdict.FROM_MEMORY: "←",
    **dict.fromkeys(_LOOKED_AT, "○"),
}
_FAILED = "×"
_SEVERITIES = {
    Severity.ERROR: ("×", "bad"),
    Severity.WARNING: ("▲", "open"),
    Severity.NOTE: ("•", "dim"),
}
"""The signs of the page, but for those that no font of the paper has."""


def sign(verdict: Verdict) -> str:
    """Return the sign of a verdict on paper."""
    return _SIGNS.get(verdict, _FAILED)


def _small(*inks: Ink, mark: str = "") -> Paragraph:
    return Paragraph(inks, mark, small=True)


# -- answers -------------------------------------------------------------------------------


def answer_blocks(contents: Contents, mark: str) -> Iterator[Block]:
    """Yield the answers as they were written, a mark where the words of each citation end."""
    answers = contents.answers()
    if not answers:
        return
    cited = bool(contents.audit.citations)
    yield Heading(WORDS["answers" if cited else "plain"], 1)
    if cited:
        yield Paragraph((Ink(WORDS["numbers"], look="dim"),))
    total = len(contents.audit.run.answers)
    left = total - len(answers)
    if left:
        yield Paragraph((Ink(f"{words.counted(left, 'other answer')} without citations: --all"),))
    for answer in answers:
        name = f"Answer {answer.number + 1} of {total}, written in call {answer.call}"
        yield Paragraph((Ink(name, look="dim"),), small=True, keep=True)
        yield from _answer(answer, mark)


def _answer(answer: Answers, mark: str) -> Iterator[Block]:
    inks: list[Ink] = []
    marks: list[str] = []
    for piece in answer.pieces:
        if isinstance(piece, TextRun):
            text = answer.text[piece.span.start : piece.span.end]
            inks.append(Ink(text, bold=bool(piece.citations)))
        else:
            inks += [Ink(" "), _chip(piece, mark)]
            marks.append(f"{mark}-a{piece.index}")
    yield Paragraph(tuple(inks) or (Ink("–"),), marks=tuple(marks))
    if answer.below:
        below = [Ink("Citations that mark no words of this answer:", look="dim")]
        for facts in answer.below:
            below += [Ink(" "), _chip(facts, mark)]
        own = tuple(f"{mark}-a{facts.index}" for facts in answer.below)
        yield Paragraph(tuple(below), small=True, marks=own)


def _chip(facts: CitationFacts, mark: str) -> Ink:
    return Ink(f"[{sign(facts.verdict)} {facts.index}]", bold=True, target=f"{mark}-c{facts.index}")


# -- citations -----------------------------------------------------------------------------


def citation_blocks(contents: Contents, place: int, mark: str) -> Iterator[Block]:
    """Yield one citation with its evidence, and what leads to the rest."""
    told = contents.citation(place)
    facts = told.facts
    target = contents.marks.get(told.version)
    verdict = f"{facts.index} {sign(facts.verdict)} {facts.verdict.word}"
    head = Ink(verdict, bold=True, look=words.good(facts.verdict))
    source = Ink(told.place, target="" if target is None else f"{mark}-v{target}")
    yield Paragraph((head, Ink("  "), source), f"{mark}-c{facts.index}", keep=True)
    if told.claim:
        yield Paragraph((Ink(told.claim, bold=True),))
    yield Paragraph((Ink(facts.reason),))
    if told.quote is not None:
        yield Quotation("quoted", (Ink(told.quote),))
    yield from _passage(told.request)
    yield from _passage(told.stored)
    if told.same:
        yield _small(Ink(WORDS["same"], look="dim"))
    for line in told.decided:
        yield _small(Ink(line, bold=True, look="dim"))
    yield _leads(contents, told, mark)


def _passage(passage: Passage | None) -> Iterator[Block]:
    if passage is None:
        return
    cut = passage.cut
    head, tail = "…" if cut.head else "", "…" if cut.tail else ""
    inks = (
        Ink(f"{head}{cut.before}", look="dim"),
        Ink(cut.words, bold=True),
        Ink(f"{cut.after}{tail}", look="dim"),
    )
    yield Quotation(f"{WORDS[passage.kind]}: {passage.where}", inks)
    if cut.left_out:
        yield _small(Ink(f"… {cut.left_out} {WORDS['more characters']}", look="dim"))


def _leads(contents: Contents, told: CitationText, mark: str) -> Paragraph:
    facts = told.facts
    inks = [Ink(" · ".join(told.notes), look="dim")]
    if facts.answer < len(contents.audit.run.answers):
        inks += [Ink(" · ", look="dim"), Ink("in the answer", target=f"{mark}-a{facts.index}")]
    for number in told.findings:
        rule = contents.audit.findings[number].rule
        inks += [Ink(" · ", look="dim"), Ink(f"finding {rule}", target=f"{mark}-f{number}")]
    return _small(*inks)


# -- findings ------------------------------------------------------------------------------


def finding_blocks(contents: Contents, mark: str) -> Iterator[Block]:
    """Yield the findings, the worst first, and what their rules say."""
    found = contents.audit.findings
    yield Heading(f"{WORDS['findings']} ({counted_findings(contents.audit)})", 1)
    if not found:
        left = words.undecided(contents.audit.calls)
        said = f"{WORDS['no findings']}; {left}." if left else f"{WORDS['no findings']}."
        yield Paragraph((Ink(said),))
    for number in worst_first(contents.audit):
        yield from _finding(contents, found[number], number, mark)
    for line in absent_lines(contents.audit):
        yield _small(Ink(line, look="dim"))
    yield from _rules(contents)


def _finding(contents: Contents, finding: Finding, number: int, mark: str) -> Iterator[Block]:
    shown, look = _SEVERITIES[finding.severity]
    known = baseline_mark(finding)
    head = f"{shown} {finding.severity.value} {finding.rule}{f' ({known})' if known else ''}"
    inks = (Ink(head, bold=True, look=look), Ink(f"  {finding.message}"))
    yield Paragraph(inks, f"{mark}-f{number}", keep=True)
    where = finding.where
    source = contents.sources.get(where.source_id) if where.source_id is not None else None
    targets = {
        "citation": "" if where.citation is None else f"{mark}-c{where.citation}",
        "source": "" if source is None else f"{mark}-v{source}",
    }
    places: list[Ink] = []
    for kind, said in words.where_parts(finding):
        places += [Ink(said, look="dim", target=targets.get(kind, "")), Ink(" · ", look="dim")]
    yield _small(*places, Ink(f"grade {finding.grade.value}", look="dim"))
    for line in opinion_lines(of_finding(contents.meta, contents.audit, finding)):
        yield _small(Ink(line, bold=True, look="dim"))


def _rules(contents: Contents) -> Iterator[Block]:
    from reviewer.audit.rules import rules  # noqa: PLC0415 - a list of formats needs none

    broken = {finding.rule for finding in contents.audit.findings}
    held = [rule for rule in rules() if rule.id in broken]
    if held:
        yield Heading(WORDS["rules broken"], 2)
    for rule in held:
        told = f"  {rule.summary}. {rule.why} (version {rule.version})"
        yield _small(Ink(rule.id, bold=True), Ink(told))
