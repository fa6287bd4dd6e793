"""The audit as one page: no scripts, nothing from elsewhere, evidence as escaped text only."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from reviewer.reports import _words as words
from reviewer.reports._base import Meta, Report
from reviewer.reports._page import WORDS, cell, escape, grid, link, tag
from reviewer.reports._strips import coverage_strip, residency_strip
from store.records.findings import Audit, CitationFacts, Evidence, Finding, Outcome
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
    return [
        link(f"#{mark}", name),
        escape(audit.run.grade.value),
        escape(verdicts or "–"),
        str(len(audit.findings)),
    ]


def _problems(problems: Sequence[Problem]) -> str:
    rows = [
        [escape(problem.kind.value), escape(problem.where), escape(problem.what)]
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
        ("grade", run.grade.value),
        ("holds", words.summary(audit)),
    ]
    facts += [("part of", run.parent_run)] if run.parent_run else []
    facts += [("branch", run.branch)] if run.branch else []
    pairs = "".join(f"<div><dt>{escape(a)}</dt><dd>{escape(b)}</dd></div>" for a, b in facts)
    yield f'<dl class="facts">{pairs}</dl>\n'
    yield _problems(run.problems)
    yield from _citations(audit, mark)
    yield _findings(audit.findings, mark)
    yield from _sources(audit, mark)
    yield _placeholders(audit)
    yield _reads(audit, meta)
    yield "</section>\n"


def _version_marks(audit: Audit, mark: str) -> dict[VersionKey, str]:
    keys = [facts.version.key for source in audit.sources for facts in source.versions]
    return {key: f"{mark}-v{number}" for number, key in enumerate(keys)}


def _citations(audit: Audit, mark: str) -> Iterator[str]:
    yield tag("h3", f"{WORDS['citations']} ({len(audit.citations)})")
    if not audit.citations:
        yield tag("p", WORDS["no citations"])
    marks = _version_marks(audit, mark)
    for facts in audit.citations:
        yield _citation(audit, facts, mark, marks)


def _citation(audit: Audit, facts: CitationFacts, mark: str, marks: dict[VersionKey, str]) -> str:
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
    claim = words.claim(audit.run, facts)
    said = f'<p class="claim" dir="auto">{escape(claim)}</p>' if claim else ""
    quote = words.quotation(facts)
    quoted = f"<p>quoted: <q>{escape(quote)}</q></p>" if quote is not None else ""
    return (
        f'<article class="citation {look}-edge" id="{mark}-c{facts.index}"><p>{head}</p>'
        f"{said}{tag('p', facts.reason)}{quoted}{_excerpt(facts.evidence)}"
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


def _findings(findings: Sequence[Finding], mark: str) -> str:
    rows = []
    for finding in findings:
        sign = f"{words.FINDING_SIGNS[finding.severity]} {finding.severity.value}"
        place = escape(words.where(finding))
        if finding.where.citation is not None:
            place = link(f"#{mark}-c{finding.where.citation}", words.where(finding))
        rows.append(
            [
                f'<span class="severity {finding.severity.value}">{escape(sign)}</span>',
                escape(finding.rule),
                escape(finding.message),
                place,
                escape(finding.grade.value),
            ]
        )
    heading = f"{WORDS['findings']} ({len(findings)})"
    if not rows:
        return tag("h3", heading) + tag("p", WORDS["no findings"])
    return grid(heading, ("severity", "rule", "finding", "where", "grade"), rows)


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
                    f'<span id="{marks[key]}">{escape(name)}</span>{title}',
                    escape(version.version.integrity.value),
                    coverage_strip(version) + tag("small", words.coverage(version)),
                    residency_strip(inside, calls)
                    + tag("small", words.call_ranges(inside) or WORDS["in no call"]),
                    escape(version.state_at_answer.value),
                    back or "–",
                ]
            )
    names = ("version", "stored bytes", "delivered", "in calls", "at answer", "cited by")
    yield grid(f"{WORDS['sources']} ({len(rows)})", names, rows)
    yield tag("p", WORDS["strips"])


def _placeholders(audit: Audit) -> str:
    rows = []
    for facts in audit.placeholders:
        first, last, kept, back = words.placeholder_words(facts)
        shown = (facts.kind.value, facts.tool_call_id, facts.source_id or "–", first, last)
        rows.append([cell(text) for text in (*shown, kept, back, facts.grade.value)])
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
            cell(read.tool_call_id),
            cell(read.tool),
            cell(read.selection.source_id),
            cell(read.recomputed.reason or "–"),
        ]
        for read in held
    ]
    heading = f"{WORDS['reads']} ({len(rows)} of {len(audit.reads)})"
    names = ("call", "outcome", "tool call", "tool", "source", "reason")
    return grid(heading, names, rows) if rows else ""


REPORT = Report("html", "one page to read on any screen or on paper", ".html", _write)
