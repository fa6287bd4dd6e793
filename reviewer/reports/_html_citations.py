"""Answers, citations and findings of a page, each linked to the others both ways.

Marks on a page: ``r1`` is the first run, ``r1-a3`` the chip of its citation 3
in the answer, ``r1-c3`` the citation, ``r1-f0`` a finding, ``r1-v2`` a version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from reviewer.audit.answers import TextRun
from reviewer.reports import _words as words
from reviewer.reports._baseline import absent_lines, baseline_mark, counted_findings
from reviewer.reports._contents import (
    WORDS,
    Answers,
    CitationText,
    Contents,
    Passage,
    verdict_sign,
    worst_first,
)
from reviewer.reports._decided import of_finding, opinion_lines
from reviewer.reports._page import escape, grid, link, tag
from store.records.findings import CitationFacts, Finding

__all__ = ["answer_part", "citation_article", "finding_part", "jumps"]


def answer_part(contents: Contents, mark: str) -> str:
    """Return the answers as they were written, each citation as a chip where its words end."""
    answers = contents.answers()
    if not answers:
        return ""
    cited = bool(contents.audit.citations)
    parts = [tag("h3", WORDS["answers" if cited else "plain"])]
    if cited:
        parts.append(tag("p", WORDS["numbers"]))
    left = len(contents.audit.run.answers) - len(answers)
    if left:
        parts.append(tag("p", f"{words.counted(left, 'other answer')} without citations: --all"))
    total = len(contents.audit.run.answers)
    parts += [_answer(answer, mark, total) for answer in answers]
    return "".join(parts)


def _answer(answer: Answers, mark: str, total: int) -> str:
    name = f"Answer {answer.number + 1} of {total}, written in call {answer.call}"
    text = "".join(_pieces(answer, mark))
    below = " ".join(_chip(facts, mark) for facts in answer.below)
    if below:
        below = f"<p>Citations that mark no words of this answer: {below}</p>"
    return (
        f'<figure class="answer"><figcaption>{escape(name)}</figcaption>'
        f'<div class="text" dir="auto">{text or "–"}</div>{below}</figure>\n'
    )


def _pieces(answer: Answers, mark: str) -> Iterator[str]:
    for piece in answer.pieces:
        if not isinstance(piece, TextRun):
            yield _chip(piece, mark)
            continue
        text = escape(answer.text[piece.span.start : piece.span.end])
        yield f'<span class="marked">{text}</span>' if piece.citations else text


def _chip(facts: CitationFacts, mark: str) -> str:
    look, sign = words.good(facts.verdict), verdict_sign(facts.verdict)
    name = f"{facts.verdict.word}, citation {facts.index} of {facts.source_id}"
    return (
        f'<a class="chip {look}" id="{mark}-a{facts.index}" href="#{mark}-c{facts.index}" '
        f'title="{escape(name)}">{sign} {facts.index}</a>'
    )


def citation_article(told: CitationText, contents: Contents, mark: str) -> str:
    """Return one citation: its verdict, its place, its evidence, and where each leads."""
    facts = told.facts
    look = words.good(facts.verdict)
    target = contents.marks.get(told.version)
    shown = escape(told.place) if target is None else link(f"#{mark}-v{target}", told.place)
    number = f'<span class="number">{facts.index}</span>'
    if facts.answer < len(contents.audit.run.answers):
        to = f'href="#{mark}-a{facts.index}" title="to its place in the answer"'
        number = f'<a class="number" {to}>{facts.index} ↑</a>'
    head = (
        f"{number} "
        f'<span class="verdict {look}">{verdict_sign(facts.verdict)} '
        f'{escape(facts.verdict.word)}</span> <span class="place">{shown}</span>'
    )
    said = f'<p class="claim" dir="auto">{escape(told.claim)}</p>' if told.claim else ""
    quoted = f"<p>quoted: <q>{escape(told.quote)}</q></p>" if told.quote is not None else ""
    found = " ".join(
        link(f"#{mark}-f{number}", contents.audit.findings[number].rule) for number in told.findings
    )
    return (
        f'<article class="citation {look}-edge" id="{mark}-c{facts.index}"><p>{head}</p>'
        f"{said}{tag('p', facts.reason)}{quoted}"
        f"{_passage(told.request)}{_passage(told.stored)}"
        + (tag("p", WORDS["same"]) if told.same else "")
        + (f"<p>findings: {found}</p>" if found else "")
        + _decided(told.decided)
        + f'<p class="notes">{escape(" · ".join(told.notes))}</p></article>\n'
    )


def _passage(passage: Passage | None) -> str:
    """Return a text as text, its words marked; what is left out is counted."""
    if passage is None:
        return ""
    cut = passage.cut
    more = f"… {cut.left_out} {WORDS['more characters']}" if cut.left_out else ""
    head, tail = "…" if cut.head else "", "…" if cut.tail else ""
    return (
        f'<figure class="{passage.kind}"><figcaption>{escape(WORDS[passage.kind])}: '
        f"{escape(passage.where)}"
        "</figcaption>"
        f'<blockquote dir="auto">{head}{escape(cut.before)}<mark>{escape(cut.words)}</mark>'
        f"{escape(cut.after)}{tail}</blockquote>{tag('p', more) if more else ''}</figure>"
    )


def _decided(lines: Sequence[str]) -> str:
    held = "".join(f'<span dir="auto">{escape(line)}</span>' for line in lines)
    return f'<span class="decided">{held}</span>' if held else ""


_JUMPS_FROM = 10


def jumps(findings: Sequence[Finding], mark: str) -> str:
    """Return links to the findings, the worst first, where there are too many to see at once.

    Of each rule to the first, with how many there are.
    """
    if len(findings) <= _JUMPS_FROM:
        return ""
    lines = []
    for severity, sign in words.FINDING_SIGNS.items():
        first: dict[str, int] = {}
        counted: Counter[str] = Counter()
        for place, finding in enumerate(findings):
            if finding.severity is severity:
                first.setdefault(finding.rule, place)
                counted[finding.rule] += 1
        links = [
            link(f"#{mark}-f{first[rule]}", rule if count == 1 else f"{rule} × {count}")
            for rule, count in counted.items()
        ]
        if links:
            head = f'<span class="severity {severity.value}">{sign} {severity.value}</span>'
            lines.append(f"<li>{head} ({counted.total()}): {', '.join(links)}</li>")
    name = escape(WORDS["jump"])
    return f'<nav class="jumps" aria-label="{name}"><p>{name}</p><ul>{"".join(lines)}</ul></nav>\n'


def finding_part(contents: Contents, mark: str) -> str:
    """Return the findings, what their rules say, and where each leads."""
    audit = contents.audit
    heading = f"{WORDS['findings']} ({counted_findings(audit)})"
    gone = "".join(tag("p", line) for line in absent_lines(audit))
    if not audit.findings:
        left = words.undecided(audit.calls)
        said = f"{WORDS['no findings']}; {left}." if left else f"{WORDS['no findings']}."
        return tag("h3", heading) + tag("p", said) + gone
    rows = [_finding(contents, number, mark) for number in worst_first(audit)]
    names = ("severity", "rule", "finding", "where", "grade")
    return grid(heading, names, rows) + gone + _rules(contents, mark)


def _finding(contents: Contents, number: int, mark: str) -> list[str]:
    finding = contents.audit.findings[number]
    level = finding.severity.value
    sign = escape(f"{words.FINDING_SIGNS[finding.severity]} {level}")
    known = baseline_mark(finding)
    decided = opinion_lines(of_finding(contents.meta, contents.audit, finding))
    return [
        f'<span class="severity {level}" id="{mark}-f{number}">{sign}</span>',
        link(f"#{mark}-{finding.rule}", finding.rule) + (tag("small", known) if known else ""),
        f'<span class="prose">{escape(finding.message)}</span>{_decided(list(decided))}',
        _where(contents, finding, mark),
        escape(finding.grade.value),
    ]


def _where(contents: Contents, finding: Finding, mark: str) -> str:
    """Return where a finding points, led to its citation and its source."""
    place = finding.where
    source = contents.sources.get(place.source_id) if place.source_id is not None else None
    targets = {
        "citation": f"#{mark}-c{place.citation}",
        "source": "" if source is None else f"#{mark}-v{source}",
    }
    shown = (
        link(targets[kind], said) if targets.get(kind) else escape(said)
        for kind, said in words.where_parts(finding)
    )
    return f'<span class="id">{" · ".join(shown)}</span>'


def _rules(contents: Contents, mark: str) -> str:
    """Return what the rules say that found something: a reader may not know their ids."""
    from reviewer.audit.rules import rules  # noqa: PLC0415 - a list of formats needs none

    known = {rule.id: f"{rule.summary}. {rule.why}" for rule in rules()}
    told = "".join(
        f'<div><dt id="{mark}-{escape(rule)}">{escape(rule)}</dt>'
        f"<dd>{escape(known.get(rule, WORDS['rule unknown']))}</dd></div>"
        for rule in sorted({finding.rule for finding in contents.audit.findings})
    )
    return f'<p class="quiet">{escape(WORDS["rules broken"])}</p><dl class="rules">{told}</dl>\n'
