"""The audit as Markdown: readable as it is and on code hosting sites; evidence is never markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter

from reviewer.audit.answers import TextRun
from reviewer.reports import _words as words
from reviewer.reports._base import Meta, Report
from reviewer.reports._baseline import absent_lines, baseline_mark, counted_findings
from reviewer.reports._bill import bill_sentences
from reviewer.reports._contents import (
    INDEX,
    WORDS,
    CitationText,
    Contents,
    Passage,
    problem_counts,
    run_facts,
    verdict_counts,
    verdict_sign,
    worst_first,
)
from reviewer.reports._decided import chain_words, of_finding, opinion_lines
from reviewer.reports._ending import ending, index_name
from reviewer.reports._made import made_sentences
from reviewer.reports._map_text import map_lines, strip_lines
from reviewer.reports._markdown import anchor, block, code, exact, lead, prose, table
from reviewer.reports._parts import Parts, Spool
from reviewer.reports._ranking import WORST_FIRST, Rank, findings_words, rank_of
from reviewer.reports._settings import setting_lines
from reviewer.reports._tables import Cell, Sheet, placeholder_sheet, problem_sheet, read_sheet
from store.records.findings import Audit, Finding
from store.records.runs import Problem

__all__ = ["REPORT"]

_READING = (
    "In an answer `⟨✓ 3⟩` stands where the words end that citation 3 marks; in the evidence "
    "`⟦ ⟧` hold the words that count. Citations count from 0, calls from 1."
)

_COLUMNS = 100
"""Columns of the pictures, which stand in code blocks."""


def _write(audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta) -> Iterator[str]:
    """Yield the report; see the page for why its sections wait."""
    spool, parts = Spool(), Parts(_instead)
    index: list[tuple[Rank, list[str]]] = []
    try:
        for number, audit in enumerate(audits, 1):
            for piece in _run(audit, f"r{number}", meta, parts):
                spool.write(piece)
                yield ""
            index.append((rank_of(audit), _index_row(audit, f"r{number}")))
        yield f"# {WORDS['title']}\n\n{WORDS['lead']}\n\n{_READING}\n\n"
        yield _sheet(problem_sheet(problems), 2) if problems else ""
        yield "".join(_instead(name, reason) for name, reason in parts.failed)
        if len(index) > 1:
            rows = [row for _, row in sorted(index, key=itemgetter(0))]
            yield f"## {WORDS['runs']}\n\n{prose(WORST_FIRST)}\n\n"
            yield f"{table(INDEX, rows)}\n"
        yield from spool.taken()
    finally:
        spool.close()
    yield f"{WORDS['no runs']}\n\n" if not index else ""
    yield from _foot(meta)


def _foot(meta: Meta) -> Iterator[str]:
    reviews = meta.reviews
    said = WORDS["no decisions"] if reviews is None else prose(chain_words(reviews))
    yield f"## {WORDS['decisions']}\n\n{said}\n\n## {WORDS['about']}\n\n"
    yield "".join(f"{prose(sentence)}\n\n" for sentence in made_sentences(meta))
    yield f"{WORDS['claims']}\n"


def _instead(name: str, reason: str, mark: str = "") -> str:
    place = anchor(mark) if mark else ""
    return f"{place}✗ **This part could not be made:** {prose(name)} {code(reason)}\n\n"


def _index_row(audit: Audit, mark: str) -> list[str]:
    verdicts = ", ".join(f"{count} {code(v.word)}" for v, count in verdict_counts(audit))
    name = prose(index_name(audit.run))
    return [
        lead(mark, name),
        words.grade_of(audit).value,
        verdicts or "–",
        prose(findings_words(audit)),
        problem_counts(audit),
    ]


def _run(audit: Audit, mark: str, meta: Meta, parts: Parts) -> Iterator[str]:
    run, contents = audit.run, Contents(audit, meta)
    name = run.title or run.run_id
    yield f"## {anchor(mark)}{prose(name)}\n\n"
    yield parts.made(f"{name}: grade and counts", lambda: _facts(audit))
    yield _sheet(problem_sheet(run.problems)) if run.problems else ""
    yield parts.made(f"{name}: {WORDS['answers']}", lambda: _answers(contents, mark))
    yield from _citations(contents, mark, parts)
    yield parts.made(f"{name}: {WORDS['findings']}", lambda: _findings(contents, mark))
    yield parts.made(f"{name}: {WORDS['settings']}", lambda: _settings(audit))
    yield parts.made(f"{name}: {WORDS['map']}", lambda: _map(audit))
    yield parts.made(f"{name}: {WORDS['sources']}", lambda: _sources(contents, mark))
    yield parts.made(f"{name}: {WORDS['placeholders']}", lambda: _placeholders(audit))
    yield parts.made(f"{name}: {WORDS['all reads']}", lambda: _reads(audit, meta))
    yield parts.made(f"{name}: {WORDS['tokens']}", lambda: _tokens(audit))


def _settings(audit: Audit) -> str:
    return _lines(WORDS["settings"], setting_lines(audit))


def _placeholders(audit: Audit) -> str:
    return _sheet(placeholder_sheet(audit)) if audit.placeholders else ""


def _reads(audit: Audit, meta: Meta) -> str:
    return _sheet(read_sheet(audit, meta)) if audit.reads else ""


def _tokens(audit: Audit) -> str:
    return _lines(WORDS["tokens"], bill_sentences(audit.bill))


def _facts(audit: Audit) -> str:
    lines = [f"- {name}: {code(value)}" for name, value in run_facts(audit)]
    lines.append(f"- {words.summary(audit)}")
    lines += [
        f"- {verdict_sign(verdict)} {code(verdict.word)}: {count}"
        for verdict, count in verdict_counts(audit)
    ]
    told = ending(audit.run)
    said = f"{prose(told)}\n\n" if told else ""
    return "\n".join(lines) + f"\n\n{prose(words.grade_words(audit))}\n\n{said}"


def _lines(heading: str, lines: Iterable[str]) -> str:
    held = "".join(f"- {prose(line)}\n" for line in lines)
    return f"### {heading}\n\n{held}\n" if held else ""


def _sheet(made: Sheet, level: int = 3) -> str:
    note = f"{prose(made.note)}\n\n" if made.note else ""
    rows = [[_cell(each) for each in row] for row in made.rows]
    held = f"{table(made.names, rows)}\n" if rows else ""
    return f"{'#' * level} {made.heading}\n\n{note}{held}"


def _cell(made: Cell) -> str:
    return code(made.text) if made.kind == "id" else prose(made.text)


# -- answers and citations ------------------------------------------------------------------


def _answers(contents: Contents, mark: str) -> str:
    """Return each answer as a block, and behind its lines the numbers of its citations."""
    answers = contents.answers()
    total = len(contents.audit.run.answers)
    if not answers:
        return ""
    held = [f"### {WORDS['answers']}\n\n"]
    left = total - len(answers)
    if left:
        held.append(f"{words.counted(left, 'other answer')} without citations: `--all`\n\n")
    for answer in answers:
        held.append(f"Answer {answer.number + 1} of {total}, written in call {answer.call}:\n\n")
        text = ""
        cited = list(answer.below)
        for piece in answer.pieces:
            if isinstance(piece, TextRun):
                text += exact(answer.text[piece.span.start : piece.span.end])
            else:
                text += f"⟨{verdict_sign(piece.verdict)} {piece.index}⟩"
                cited.append(piece)
        held.append(block(text))
        leads = " · ".join(
            anchor(f"{mark}-a{each.index}")
            + lead(f"{mark}-c{each.index}", f"{verdict_sign(each.verdict)} {each.index}")
            for each in cited
        )
        held.append(f"\nMarks in the text: {leads}\n\n" if cited else "\n")
    return "".join(held)


def _citations(contents: Contents, mark: str, parts: Parts) -> Iterator[str]:
    audit = contents.audit
    yield f"### {WORDS['citations']} ({len(audit.citations)})\n\n"
    if not audit.citations:
        yield f"{words.no_citations(audit)}\n\n"
        return
    for place, facts in enumerate(audit.citations):
        made = partial(_citation, contents, place, mark)
        yield parts.made(f"citation {facts.index}", made, f"{mark}-c{facts.index}")


def _citation(contents: Contents, place: int, mark: str) -> str:
    told = contents.citation(place)
    facts = told.facts
    target = contents.marks.get(told.version)
    shown = code(told.place)
    shown = shown if target is None else lead(f"{mark}-v{target}", shown)
    sign = f"{verdict_sign(facts.verdict)} {code(facts.verdict.word)}"
    held = [f"#### {anchor(f'{mark}-c{facts.index}')}{facts.index} · {sign}"]
    held.append(f"{shown}  \n{prose(facts.reason)}")
    held += [f"Claim: {prose(told.claim)}"] if told.claim else []
    held += [f"Quoted: {code(told.quote)}"] if told.quote is not None else []
    held += _passage(told.request) + _passage(told.stored)
    held += [WORDS["same"]] if told.same else []
    held += [f"- {prose(line)}" for line in told.decided]
    held.append(_leads(contents, told, mark))
    return "\n\n".join(held) + "\n\n"


def _passage(passage: Passage | None) -> list[str]:
    """Return a text with its words between marks, and how much is left out."""
    if passage is None:
        return []
    cut = passage.cut
    head, tail = "…" if cut.head else "", "…" if cut.tail else ""
    text = f"{head}{exact(cut.before)}⟦{exact(cut.words)}⟧{exact(cut.after)}{tail}"
    more = [f"… {cut.left_out} {WORDS['more characters']}"] if cut.left_out else []
    return [f"{WORDS[passage.kind]}: {prose(passage.where)}", block(text).rstrip("\n"), *more]


def _leads(contents: Contents, told: CitationText, mark: str) -> str:
    facts = told.facts
    parts = [prose(note) for note in told.notes]
    if facts.answer < len(contents.audit.run.answers):
        parts.append(lead(f"{mark}-a{facts.index}", "in the answer"))
    parts += [
        lead(f"{mark}-f{number}", f"finding {code(contents.audit.findings[number].rule)}")
        for number in told.findings
    ]
    return " · ".join(parts)


# -- findings and sources -------------------------------------------------------------------


def _findings(contents: Contents, mark: str) -> str:
    audit = contents.audit
    heading = f"### {WORDS['findings']} ({counted_findings(audit)})\n\n"
    gone = "".join(f"{prose(line)}\n\n" for line in absent_lines(audit))
    if not audit.findings:
        left = words.undecided(audit.calls)
        return f"{heading}{WORDS['no findings']}{f'; {prose(left)}' if left else ''}.\n\n{gone}"
    found = audit.findings
    rows = [_finding(contents, number, found[number], mark) for number in worst_first(audit)]
    names = ("severity", "rule", "finding", "where", "grade")
    return f"{heading}{table(names, rows)}\n{gone}{_rules(contents)}"


def _finding(contents: Contents, number: int, finding: Finding, mark: str) -> list[str]:
    sign = f"{words.FINDING_SIGNS[finding.severity]} {finding.severity.value}"
    known = baseline_mark(finding)
    decided = opinion_lines(of_finding(contents.meta, contents.audit, finding))
    place = finding.where
    source = contents.sources.get(place.source_id) if place.source_id is not None else None
    targets = {
        "citation": f"{mark}-c{place.citation}",
        "source": "" if source is None else f"{mark}-v{source}",
    }
    where = (
        lead(targets[kind], prose(said)) if targets.get(kind) else prose(said)
        for kind, said in words.where_parts(finding)
    )
    return [
        f"{anchor(f'{mark}-f{number}')}{sign}",
        code(finding.rule) + (f" {known}" if known else ""),
        "<br>".join([prose(finding.message), *map(prose, decided)]),
        " · ".join(where),
        finding.grade.value,
    ]


def _rules(contents: Contents) -> str:
    from reviewer.audit.rules import rules  # noqa: PLC0415 - a list of formats needs none

    broken = {finding.rule for finding in contents.audit.findings}
    told = "".join(
        f"- {code(rule.id)}: {prose(f'{rule.summary}. {rule.why}')}\n"
        for rule in rules()
        if rule.id in broken
    )
    return f"{WORDS['rules broken']}:\n\n{told}\n" if told else ""


def _map(audit: Audit) -> str:
    return f"### {WORDS['map']}\n\n" + block(exact("\n".join(map_lines(audit, _COLUMNS)))) + "\n"


def _sources(contents: Contents, mark: str) -> str:
    if not contents.versions:
        return ""
    audit = contents.audit
    held = words.residency(audit)
    closing = words.closing(audit)
    grade = (closing.grade if closing else audit.run.grade).value
    rows = []
    for key, facts in contents.versions.items():
        inside = held.get((key.source_id, key.version_id), [])
        back = " ".join(
            lead(f"{mark}-c{each.index}", f"{verdict_sign(each.verdict)} {each.index}")
            for each in contents.citing.get(key, ())
        )
        name = words.reference(key.source_id, key.version_id, None, facts.unit, None)
        stored = facts.version.integrity.value
        hash_ = code(f"sha256:{facts.version.sha256}") if facts.version.sha256 else "no hash"
        rows.append(
            [
                f"{anchor(f'{mark}-v{contents.marks[key]}')}{code(name)}",
                f"{stored}, {hash_}",
                prose(words.coverage(facts)),
                prose(words.call_ranges(inside) or "none"),
                f"{facts.state_at_answer.value}, grade {grade}",
                back or "–",
            ]
        )
    names = ("version", "stored bytes", "delivered", "in calls", "at answer", "cited by")
    heading = f"### {WORDS['sources']} ({len(rows)})\n\n"
    strips = block(exact("\n".join(strip_lines(audit, _COLUMNS))))
    return f"{heading}{table(names, rows)}\n{strips}\n"


REPORT = Report("md", "Markdown for code hosting sites", ".md", _write)
