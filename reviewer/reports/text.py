"""The audit for a terminal: tables of verdicts, findings, placeholders and reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from reviewer.display import Column, fit, indented, one_line, table
from reviewer.reports import _words as words
from reviewer.reports._base import Meta, Report
from reviewer.reports._baseline import absent_lines, baseline_mark, counted_findings
from reviewer.reports._bill import bill_sentences
from reviewer.reports._contents import worst_first
from reviewer.reports._decided import (
    EXIT_STATUS,
    chain_words,
    of_citation,
    of_finding,
    opinion_lines,
)
from reviewer.reports._ending import ending, index_name
from reviewer.reports._made import made_words
from reviewer.reports._ranking import Rank, findings_words, rank_of
from reviewer.reports._settings import setting_lines
from store.records.findings import (
    Audit,
    CallFacts,
    CitationFacts,
    Outcome,
    ReadFacts,
    Severity,
    Verdict,
)
from store.records.runs import Problem, ProblemKind

__all__ = ["REPORT"]

_WHAT = (Column("tool call", 1, whole=True), Column("source", 0, whole=True))
"""What a row is about, in the last columns: an id or a path is never broken."""

_LIMIT = 20
"""Rows of a list shown without ``--all``."""
_WORST = 5

_EXPLAIN = "reread explain WORD explains any word above."
_QUOTE_COLUMNS = 60
_GOOD, _OPEN, _BAD, _BOLD, _PLAIN = "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[1m", "\x1b[0m"
_VERDICT_COLOURS = {"good": _GOOD, "open": _OPEN, "bad": _BAD}
_SEVERITY_COLOURS = {Severity.ERROR: _BAD, Severity.WARNING: _OPEN, Severity.NOTE: ""}


def _write(audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta) -> Iterator[str]:
    verdicts: dict[str, int] = {}
    findings = 0
    ranked: list[tuple[Rank, str, str]] = []
    calls: list[CallFacts] = []
    met: list[Problem] = []
    for audit in audits:
        ranked.append((rank_of(audit), index_name(audit.run), findings_words(audit)))
        met += audit.run.problems
        calls += audit.calls
        findings += len(audit.findings)
        for facts in audit.citations:
            verdicts[facts.verdict.word] = verdicts.get(facts.verdict.word, 0) + 1
        for line in _run(audit, meta):
            yield f"{line}\n"
        yield "\n"
    met += problems  # they are only whole when every run was read
    counted = ", ".join(f"{count} {word}" for word, count in sorted(verdicts.items()))
    yield f"Audited {words.counted(len(ranked), 'run')}: "
    yield words.counted(sum(verdicts.values()), "citation")
    yield f" ({counted})" if counted else ""
    left = words.undecided(calls)
    unread = [problem for problem in met if problem.kind is ProblemKind.LOST]
    yield f", {words.counted(findings, 'finding')}{f'; {left}' if left else ''}"
    lost = f" ({len(unread)} lost)" if unread else ""
    yield f", {words.counted(len(met), 'problem')} in opening{lost}.\n"
    yield from _look_first(ranked, meta)
    for line in _unread(unread, meta):
        yield f"{line}\n"
    if meta.reviews is not None:
        yield f"{one_line(chain_words(meta.reviews))} {EXIT_STATUS}\n"
    yield f"{made_words(meta)}.\n" if meta.rules else ""
    yield f"{_EXPLAIN}\n"


def _unread(problems: Sequence[Problem], meta: Meta) -> Iterator[str]:
    """Yield what could not be read, in one place at the end: it stands beside its run as well."""
    if not problems:
        return
    yield f"Not read ({len(problems)}):"
    shown = problems if meta.everything else problems[:_LIMIT]
    for problem in shown:
        text = one_line(f"! {problem.where}: {problem.what}")
        yield from indented(text, "  ", meta.columns, [one_line(problem.where)])
    yield from _shortened(len(problems), len(shown))


def _look_first(ranked: Sequence[tuple[Rank, str, str]], meta: Meta) -> Iterator[str]:
    """Yield which of many runs to look at first: the end of the text is what a terminal shows."""
    worst = sorted((one for one in ranked if any(one[0])), key=itemgetter(0))
    if len(ranked) < 2 or not worst:  # noqa: PLR2004 - one run has no order
        return
    yield "Look first at:\n"
    shown = len(worst) if meta.everything else _WORST
    for _, name, found in worst[:shown]:
        told = one_line(f"{name}: findings {found}")
        for line in indented(told, "  ", meta.columns, [one_line(name)]):
            yield f"{line}\n"
    for line in _shortened(len(worst), shown):
        yield f"{line}\n"


def _run(audit: Audit, meta: Meta) -> Iterator[str]:
    run = audit.run
    name = one_line(run.title or run.run_id)
    yield _painted(f"Run {name}", _BOLD, meta)
    about = [f"id {run.run_id}", run.path, run.format, f"layer {run.layer}"]
    if run.parent_run:
        about.append(f"part of {run.parent_run}")
    if run.branch:
        about.append(f"branch {run.branch}")
    about = [one_line(part) for part in about]
    yield from indented(" · ".join(about), "  ", meta.columns, about)
    yield from indented(one_line(words.grade_words(audit)), "  ", meta.columns)
    yield from indented(words.summary(audit), "  ", meta.columns)
    if told := one_line(ending(run)):
        yield from indented(told, "  ", meta.columns)
    for problem in run.problems:
        text = one_line(f"! {problem.where}: {problem.what} ({problem.kind.value})")
        yield from indented(text, "  ", meta.columns, [one_line(problem.where)])
    yield from _citations(audit, meta)
    yield from _findings(audit, meta)
    yield from _settings(audit, meta)
    yield from _placeholders(audit, meta)
    yield from _reads(audit, meta)
    yield from _bill(audit, meta)


def _painted(text: str, colour: str, meta: Meta) -> str:
    return f"{colour}{text}{_PLAIN}" if meta.colour and colour else text


def _shortened(count: int, shown: int) -> Iterator[str]:
    if shown < count:
        yield f"  … {count - shown} more of {count}; --all or --format json shows them"


def _citations(audit: Audit, meta: Meta) -> Iterator[str]:
    """Yield every citation: verdicts are what was asked for, so this list is never shortened."""
    citations = audit.citations
    if not citations:
        yield ""
        yield from indented(words.no_citations(audit), "  ", meta.columns)
        return
    yield f"\n  Citations ({len(citations)})"
    columns = [
        Column("#", 5),
        Column("verdict", 18),
        Column("anchor", 10),
        Column("grade", 8),
        Column("cited place", 0, whole=True),
    ]
    rows = [
        [
            str(facts.index),
            _verdict(facts.verdict),
            words.anchor(facts),
            facts.grade.value,
            one_line(words.cited_place(facts)),
        ]
        for facts in citations
    ]
    claims = words.claims(audit)
    reasons = []
    for facts, claim in zip(citations, claims, strict=True):
        decided = opinion_lines(of_citation(meta, audit, facts))
        reasons.append("\n".join(map(one_line, (_reason(facts, claim), *decided))))
    lines = table(columns, rows, meta.columns, reasons)
    yield from _coloured(lines, {_verdict(facts.verdict): facts for facts in citations}, meta)


def _coloured(lines: Iterable[str], cells: dict[str, CitationFacts], meta: Meta) -> Iterator[str]:
    for line in lines:
        shown = line
        for cell, facts in cells.items() if meta.colour else ():
            if f"  {cell}" in shown:
                colour = _VERDICT_COLOURS[words.good(facts.verdict)]
                shown = shown.replace(cell, _painted(cell, colour, meta), 1)
                break
        yield shown


def _verdict(verdict: Verdict) -> str:
    return f"{words.VERDICT_SIGNS.get(verdict, '✗')} {verdict.word}"


def _reason(facts: CitationFacts, claim: str | None) -> str:
    parts = [f"“{claim}” – {facts.reason}" if claim else facts.reason]
    if facts.missing:
        parts.append(f"missing {words.spans(facts.missing, 4)}")
    quote = words.quotation(facts)
    if quote is not None and facts.verdict is Verdict.QUOTE_DIFFERS:
        parts.append(f"quoted: {fit(quote, _QUOTE_COLUMNS)}")
    return "; ".join(part for part in parts if part)


def _findings(audit: Audit, meta: Meta) -> Iterator[str]:
    # A list that is cut must not lose the worst.
    findings = [audit.findings[place] for place in worst_first(audit)]
    gone = [line for text in absent_lines(audit) for line in _gone(text, meta)]
    if not findings:
        left = words.undecided(audit.calls)
        yield f"\n  No findings; {left}." if left else "\n  No findings."
        yield from gone
        return
    shown = findings if meta.everything else findings[:_LIMIT]
    yield f"\n  Findings ({counted_findings(audit)})"
    for finding in shown:
        sign = f"{words.FINDING_SIGNS[finding.severity]} {finding.severity.value}"
        head = _painted(sign, _SEVERITY_COLOURS[finding.severity], meta)
        # Never wrapped and never cut: an id or a path is copied from here.
        about = [words.where(finding), baseline_mark(finding)]
        place = one_line(" · ".join(filter(None, about)))
        yield f"  {head} {finding.rule} ({finding.grade.value}) · {place}"
        names = [one_line(finding.where.source_id or ""), finding.where.tool_call_id or ""]
        yield from indented(one_line(finding.message), "      ", meta.columns, names)
        for line in opinion_lines(of_finding(meta, audit, finding)):
            yield from indented(one_line(line), "      ", meta.columns)
    yield from _shortened(len(findings), len(shown))
    yield from gone


def _gone(text: str, meta: Meta) -> Iterator[str]:
    yield from indented(one_line(text), "  ", meta.columns)


def _settings(audit: Audit, meta: Meta) -> Iterator[str]:
    """Yield every setting in force: none of them may act unseen."""
    if audit.settings:
        yield f"\n  Settings ({len(audit.settings)})"
    for line in setting_lines(audit):
        yield from indented(one_line(line), "    ", meta.columns)


def _placeholders(audit: Audit, meta: Meta) -> Iterator[str]:
    if not audit.placeholders:
        return
    held = audit.placeholders
    shown = held if meta.everything else held[:_LIMIT]
    yield f"\n  Placeholders ({len(held)})"
    columns = [
        Column("kind", 10),
        Column("first call", 12),
        Column("last full", 12),
        Column("grade", 8),
        Column("kept", 18),
        Column("way back", 18),
        *_WHAT,
    ]
    rows = []
    for facts in shown:
        first, last, kept, back = words.placeholder_words(facts)
        what = [one_line(facts.tool_call_id), one_line(facts.source_id) or "–"]
        rows.append([facts.kind.value, first, last, facts.grade.value, kept, back, *what])
    yield from table(columns, rows, meta.columns)
    yield from _shortened(len(held), len(shown))


def _reads(audit: Audit, meta: Meta) -> Iterator[str]:
    held = [read for read in audit.reads if read.outcome is not Outcome.DELIVERED]
    if not audit.reads:
        return
    told = f"Reads ({len(audit.reads)}, grade {_grades(audit.reads)}): {words.read_words(audit)}"
    yield ""
    yield from indented(told, "  ", meta.columns)
    if not held:
        return
    shown = held if meta.everything else held[:_LIMIT]
    columns = [
        Column("call", 5),
        Column("outcome", 12),
        Column("grade", 8),
        Column("tool", 16),
        *_WHAT,
    ]
    rows = [
        [
            "–" if read.call is None else str(read.call),
            read.outcome.value,
            read.grade.value,
            one_line(read.tool),
            one_line(read.tool_call_id),
            one_line(read.selection.source_id),
        ]
        for read in shown
    ]
    yield from table(columns, rows, meta.columns)
    yield from _shortened(len(held), len(shown))


def _bill(audit: Audit, meta: Meta) -> Iterator[str]:
    sentences = list(bill_sentences(audit.bill))
    if not sentences:
        return
    yield ""
    for sentence in sentences:
        yield from indented(one_line(sentence), "  ", meta.columns)


def _grades(reads: Sequence[ReadFacts]) -> str:
    """Return the grades of *reads*, the weakest first: a read proves what its request proves."""
    found = sorted({read.grade for read in reads}, key=lambda grade: -grade.rank)
    return " or ".join(grade.value for grade in found)


REPORT = Report("text", "tables for a terminal", ".txt", _write)
