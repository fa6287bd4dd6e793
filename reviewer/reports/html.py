"""The audit as one page: no scripts, nothing from elsewhere, evidence as escaped text only."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from reviewer.reports import _words as words
from reviewer.reports._base import Meta, Report
from reviewer.reports._bill import bill_sentences
from reviewer.reports._decided import chain_words, of_citation, of_finding, opinion_lines
from reviewer.reports._page import WORDS, cell, escape, grid, identity, link, measure, tag
from reviewer.reports._settings import setting_lines
from reviewer.reports._strips import coverage_strip, residency_strip
from store.records.findings import (
    Audit,
    CitationFacts,
    Evidence,
    Finding,
    Outcome,
    VersionFacts,
)
from store.records.reviews import TargetState
from store.records.runs import Problem
from store.records.sources import VersionKey

__all__ = ["REPORT"]


def _write(audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta) -> Iterator[str]:
    """Yield the page.  The list of runs stands first, so their sections are held until it is."""
    sections: list[str] = []
    index: list[list[str]] = []
    for number, audit in enumerate(audits, 1):
        sections.append("".join(_run(audit, f"r{number}", meta)))
        index.append(_index_row(audit, f"r{number}"))
    yield from _head(meta)
    yield tag("h1", WORDS["title"])
    yield tag("p", WORDS["lead"])
    if len(index) > 1:
        yield grid(WORDS["runs"], ("run", "grade", "verdicts", "findings"), index)
    yield _problems(problems)
    yield "".join(sections) or tag("p", WORDS["no runs"])
    yield tag("p", chain_words(meta.reviews)) if meta.reviews is not None else ""
    yield f"<footer><p>{escape(WORDS['made by'])} {escape(meta.version)}. "
    yield f"{escape(WORDS['claims'])}</p></footer>\n</main></body></html>\n"


def _head(meta: Meta) -> Iterator[str]:
    style = f"\n{meta.style}"
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="referrer" content="no-referrer">\n'
    yield f"<title>{escape(WORDS['title'])}</title>\n<style>{style}</style></head>\n<body><main>\n"


def _index_row(audit: Audit, mark: str) -> list[str]:
    counted = Counter(facts.verdict.word for facts in audit.citations)
    verdicts = ", ".join(f"{count} {word}" for word, count in sorted(counted.items()))
    name = audit.run.title or audit.run.run_id
    left = words.undecided(audit.calls)
    return [
        link(f"#{mark}", name),
        escape(words.grade_of(audit).value),
        escape(verdicts or "–"),
        escape(f"{len(audit.findings) or 'none'}; {left}" if left else str(len(audit.findings))),
    ]


def _problems(problems: Sequence[Problem]) -> str:
    rows = [
        [escape(problem.kind.value), identity(problem.where), escape(problem.what)]
        for problem in problems
    ]
    return grid(WORDS["problems"], ("kind", "where", "what"), rows) if rows else ""


def _run(audit: Audit, mark: str, meta: Meta) -> Iterator[str]:
    run = audit.run
    yield f'<section class="run" id="{mark}">\n'
    yield tag("h2", run.title or run.run_id)
    facts = [
        ("run", run.run_id),
        ("path", run.path),
        ("format", run.format),
        ("layer", run.layer.value),
        ("holds", words.summary(audit)),
    ]
    facts += [("part of", run.parent_run)] if run.parent_run else []
    facts += [("branch", run.branch)] if run.branch else []
    pairs = "".join(f"<div><dt>{escape(a)}</dt><dd>{escape(b)}</dd></div>" for a, b in facts)
    yield f'<dl class="facts">{pairs}</dl>\n'
    yield tag("p", words.grade_words(audit))
    yield "" if run.answers else tag("p", words.NO_ANSWER)
    yield _jumps(audit.findings, mark)
    yield _problems(run.problems)
    yield from _citations(audit, mark, meta)
    yield _findings(audit, mark, meta)
    yield _settings(audit)
    yield from _sources(audit, mark)
    yield _placeholders(audit)
    yield _reads(audit, meta)
    yield _tokens(audit)
    yield "</section>\n"


_JUMPS_FROM = 10


def _jumps(findings: Sequence[Finding], mark: str) -> str:
    """Return links to the findings, the worst first, where there are too many to see at once."""
    if len(findings) <= _JUMPS_FROM:
        return ""
    lines = []
    for severity, sign in words.FINDING_SIGNS.items():
        links = [
            link(f"#{mark}-f{place}", finding.rule)
            for place, finding in enumerate(findings)
            if finding.severity is severity
        ]
        if links:
            head = f'<span class="severity {severity.value}">{sign} {severity.value}</span>'
            lines.append(f"<li>{head} ({len(links)}): {', '.join(links)}</li>")
    name = escape(WORDS["jump"])
    return f'<nav class="jumps" aria-label="{name}"><p>{name}</p><ul>{"".join(lines)}</ul></nav>\n'


def _version_marks(audit: Audit, mark: str) -> dict[VersionKey, str]:
    keys = [facts.version.key for source in audit.sources for facts in source.versions]
    return {key: f"{mark}-v{number}" for number, key in enumerate(keys)}


def _citations(audit: Audit, mark: str, meta: Meta) -> Iterator[str]:
    yield tag("h3", f"{WORDS['citations']} ({len(audit.citations)})")
    if not audit.citations:
        yield tag("p", words.no_citations(audit))
    marks = _version_marks(audit, mark)
    for facts, claim in zip(audit.citations, words.claims(audit), strict=True):
        yield _citation(facts, claim, mark, marks, _decided(of_citation(meta, audit, facts)))


def _decided(state: TargetState | None) -> str:
    lines = "".join(f'<span dir="auto">{escape(line)}</span>' for line in opinion_lines(state))
    return f'<span class="decided">{lines}</span>' if lines else ""


def _citation(
    facts: CitationFacts, claim: str | None, mark: str, marks: dict[VersionKey, str], decided: str
) -> str:
    look = words.good(facts.verdict)
    sign = words.VERDICT_SIGNS.get(facts.verdict, "✗")
    block = facts.citation.block_id
    place = words.reference(facts.source_id, facts.version_id, facts.span, facts.unit, block)
    target = marks.get(VersionKey(facts.source_id, facts.version_id or ""))
    shown = link(f"#{target}", place) if target else escape(place)
    head = (
        f'<span class="verdict {look}">{sign} {escape(facts.verdict.word)}</span> '
        f'<span class="place">{shown}</span>'
    )
    notes = [
        f"citation {facts.index}",
        f"call {facts.call_at_answer}",
        f"grade {facts.grade.value}",
        f"anchor {words.anchor(facts)}",
        f"{facts.side}-side",
    ]
    if facts.delivered_in:
        notes.append(f"delivered in call {words.call_ranges(facts.delivered_in)}")
    if facts.missing:
        notes.append(f"missing {words.spans(facts.missing, 6)}")
    said = f'<p class="claim" dir="auto">{escape(claim)}</p>' if claim else ""
    quote = words.quotation(facts)
    quoted = f"<p>quoted: <q>{escape(quote)}</q></p>" if quote is not None else ""
    return (
        f'<article class="citation {look}-edge" id="{mark}-c{facts.index}"><p>{head}</p>'
        f"{said}{tag('p', facts.reason)}{quoted}{_excerpt(facts.evidence)}{decided}"
        f'<p class="notes">{escape(" · ".join(notes))}</p></article>\n'
    )


_EXCERPT = 1200


def _excerpt(evidence: Evidence | None) -> str:
    """Return the text that stood in the request, as text; a long one says how much is left out."""
    if evidence is None:
        return ""
    text = evidence.text
    more = ""
    if len(text) > _EXCERPT:
        more = tag("p", f"… {len(text) - _EXCERPT} {WORDS['more characters']}")
        text = text[:_EXCERPT]
    span = evidence.message_span
    place = f"call {evidence.call}, message {evidence.message}, part {evidence.part}, "
    place += f"characters {span.start} to {span.end}"
    return (
        f"<figure><figcaption>{escape(place)}</figcaption>"
        f'<blockquote dir="auto">{escape(text)}</blockquote>{more}</figure>'
    )


def _findings(audit: Audit, mark: str, meta: Meta) -> str:
    findings = audit.findings
    rows = []
    for number, finding in enumerate(findings):
        level = finding.severity.value
        sign = escape(f"{words.FINDING_SIGNS[finding.severity]} {level}")
        place = identity(words.where(finding))
        if finding.where.citation is not None:
            inside = link(f"#{mark}-c{finding.where.citation}", words.where(finding))
            place = f'<span class="id">{inside}</span>'
        rows.append(
            [
                f'<span class="severity {level}" id="{mark}-f{number}">{sign}</span>',
                escape(finding.rule),
                f'<span class="prose">{escape(finding.message)}</span>'
                + _decided(of_finding(meta, audit, finding)),
                place,
                escape(finding.grade.value),
            ]
        )
    heading = f"{WORDS['findings']} ({len(findings)})"
    if not rows:
        left = words.undecided(audit.calls)
        said = f"{WORDS['no findings']}; {left}." if left else f"{WORDS['no findings']}."
        return tag("h3", heading) + tag("p", said)
    return grid(heading, ("severity", "rule", "finding", "where", "grade"), rows)


def _settings(audit: Audit) -> str:
    """Return every setting in force: none of them may act unseen."""
    lines = "".join(f"<li>{escape(line)}</li>" for line in setting_lines(audit))
    return tag("h3", WORDS["settings"]) + f"<ul>{lines}</ul>\n" if lines else ""


def _sources(audit: Audit, mark: str) -> Iterator[str]:
    """Yield each version with its coverage, when it was in the input, and who cites it."""
    if not audit.sources:
        return
    marks = _version_marks(audit, mark)
    citing: dict[VersionKey, list[int]] = {}
    for facts in audit.citations:
        key = VersionKey(facts.source_id, facts.version_id or "")
        citing.setdefault(key, []).append(facts.index)
    held = words.residency(audit)
    calls = len(audit.run.calls)
    closing = words.closing(audit)
    grade = (closing.grade if closing else audit.run.grade).value
    rows = []
    for source in audit.sources:
        for version in source.versions:
            key = version.version.key
            name = words.reference(key.source_id, key.version_id, None, version.unit, None)
            inside = held.get((key.source_id, key.version_id), [])
            back = " ".join(link(f"#{mark}-c{index}", str(index)) for index in citing.get(key, ()))
            title = tag("small", source.title) if source.title not in {"", key.source_id} else ""
            rows.append(
                [
                    f"{identity(name, marks[key])}{title}",
                    escape(version.version.integrity.value),
                    _covered(version),
                    measure(residency_strip(inside, calls), f"{len(inside)} of {calls}")
                    + tag("small", words.call_ranges(inside) or WORDS["in no call"]),
                    escape(version.state_at_answer.value),
                    escape(grade),
                    back or "–",
                ]
            )
    names = ("version", "stored bytes", "delivered", "in calls", "at answer", "grade", "cited by")
    yield tag("h3", f"{WORDS['sources']} ({len(rows)})")
    yield tag("p", WORDS["strips"])
    yield grid("", names, rows)


def _covered(version: VersionFacts) -> str:
    """Return the strip of a version with the shares that its two lanes show."""
    total = words.length(version)
    if total is None:
        return tag("small", words.coverage(version))
    shares = [words.share(held, total) for held in (version.delivered, version.delivered_at_answer)]
    strip = measure(coverage_strip(version), f"{shares[0]}, at answer {shares[1]}")
    return strip + tag("small", words.coverage(version))


def _placeholders(audit: Audit) -> str:
    rows = []
    for facts in audit.placeholders:
        first, last, kept, back = words.placeholder_words(facts)
        told = [cell(text) for text in (first, last, kept, back, facts.grade.value)]
        about = [identity(facts.tool_call_id), identity(facts.source_id or "–")]
        rows.append([cell(facts.kind.value), *about, *told])
    names = (
        "kind",
        "tool call",
        "source",
        "first call",
        "last full call",
        "kept",
        "way back",
        "grade",
    )
    return grid(f"{WORDS['placeholders']} ({len(rows)})", names, rows) if rows else ""


def _reads(audit: Audit, meta: Meta) -> str:
    held = [
        read for read in audit.reads if meta.everything or read.outcome is not Outcome.DELIVERED
    ]
    rows = [
        [
            cell("–" if read.call is None else str(read.call)),
            cell(read.outcome.value),
            cell(read.grade.value),
            identity(read.tool_call_id),
            cell(read.tool),
            identity(read.selection.source_id),
            cell(read.recomputed.reason or "–"),
        ]
        for read in held
    ]
    if not audit.reads:
        return ""
    said = tag("h3", f"{WORDS['all reads']} ({len(audit.reads)})")
    said += tag("p", f"{words.read_words(audit)}.")
    names = ("call", "outcome", "grade", "tool call", "tool", "source", "reason")
    heading = f"{WORDS['reads']} ({len(rows)})"
    return said + grid("" if meta.everything else heading, names, rows) if rows else said


def _tokens(audit: Audit) -> str:
    sentences = "".join(tag("p", sentence) for sentence in bill_sentences(audit.bill))
    return tag("h3", WORDS["tokens"]) + sentences if sentences else ""


REPORT = Report("html", "one page to read on any screen or on paper", ".html", _write)
