"""The audit on paper: pages with bookmarks, links and every font they need.

What it says is what the page says.  Where a font lacks a character, its number
stands for it; text is set in the order of its characters, which for scripts
written from right to left is not the order of reading, and the paper says so.
"""

from __future__ import annotations

import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from reviewer.reports import _words as words
from reviewer.reports._base import Meta, Report
from reviewer.reports._bill import bill_sentences
from reviewer.reports._blocks import (
    Block,
    Chart,
    Grid,
    Heading,
    Legend,
    Paragraph,
    Quotation,
    Row,
    letters,
)
from reviewer.reports._contents import WORDS
from reviewer.reports._decided import chain_words, of_citation, of_finding, opinion_lines
from reviewer.reports._drawing import CELL_WORDS, STRIP_WORDS, sample_box
from reviewer.reports._drawing_map import residency_map
from reviewer.reports._drawing_strip import coverage_lane, version_strips
from reviewer.reports._lines import Ink
from reviewer.reports._settings import setting_lines
from store.records.findings import (
    Audit,
    CitationFacts,
    Finding,
    Outcome,
    Severity,
    SourceFacts,
    Verdict,
)
from store.records.reviews import TargetState
from store.records.runs import Problem
from store.records.sources import VersionKey

__all__ = ["REPORT"]

_SIGNS = {
    Verdict.READ: "✓",
    Verdict.PARTLY_READ: "◐",
    Verdict.UNVERIFIABLE: "?",
    Verdict.FROM_MEMORY: "←",
    Verdict.PREVIEW_ONLY: "◌",
    Verdict.PLACEHOLDER_ONLY: "◌",
    Verdict.LISTED_ONLY: "◌",
}
_FAILED = "×"
_FINDING_SIGNS = {Severity.ERROR: "×", Severity.WARNING: "▲", Severity.NOTE: "•"}
_FINDING_LOOKS = {Severity.ERROR: "bad", Severity.WARNING: "open", Severity.NOTE: "dim"}

_EXCERPT = 1200


def _write(audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta) -> Iterator[bytes]:
    """Yield the document, at once: where a page ends is known when its text is."""
    runs: list[list[Block]] = []
    index: list[tuple[Ink, ...]] = []
    for number, audit in enumerate(audits, 1):
        runs.append(list(_run(audit, f"r{number}", meta)))
        index.append(_index_row(audit, f"r{number}"))
    blocks = [*_front(index, problems, meta)]
    for run in runs:
        blocks += run
    blocks += _end(blocks)
    yield _drawn(blocks, meta)


def _drawn(blocks: Sequence[Block], meta: Meta) -> bytes:
    # These take half a second to load; only this report needs them.
    from reviewer.reports._fonts import BOLD, REGULAR, make  # noqa: PLC0415
    from reviewer.reports._lines import alphabet  # noqa: PLC0415
    from reviewer.reports._sheet import Sheet  # noqa: PLC0415

    foot = f"{WORDS['title']} · {WORDS['made by']} {meta.version}"
    characters = alphabet((*letters(blocks), foot))
    plain, bold = make(characters, REGULAR), make(characters, BOLD)
    with tempfile.TemporaryDirectory() as folder:
        sheet = Sheet(WORDS["title"], foot, plain, bold, Path(folder))
        sheet.add(blocks)
        return sheet.data()


def _text(text: str, look: str = "", *, small: bool = False, keep: bool = False) -> Paragraph:
    return Paragraph((Ink(text, look=look),), small=small, keep=keep)


def _front(
    index: Sequence[tuple[Ink, ...]], problems: Sequence[Problem], meta: Meta
) -> Iterator[Block]:
    yield Heading(WORDS["title"], 0)
    yield _text(WORDS["lead"])
    yield _text(WORDS["claims"], "dim")
    if index:
        yield Heading(WORDS["runs"], 1)
        yield Grid(("run", "grade", "verdicts", "findings"), (5, 2, 5, 4), tuple(index))
    else:
        yield _text(WORDS["no runs"])
    yield from _problems(problems, 1)
    if meta.reviews is not None:
        yield _text(chain_words(meta.reviews), "dim", small=True)


def _index_row(audit: Audit, mark: str) -> tuple[Ink, ...]:
    counted = Counter(facts.verdict.word for facts in audit.citations)
    verdicts = ", ".join(f"{count} {word}" for word, count in sorted(counted.items()))
    left = words.undecided(audit.calls)
    told = f"{len(audit.findings) or 'none'}; {left}" if left else str(len(audit.findings))
    name = Ink(audit.run.title or audit.run.run_id, target=mark)
    return name, Ink(words.grade_of(audit).value), Ink(verdicts or "–"), Ink(told)


def _problems(problems: Sequence[Problem], level: int) -> Iterator[Block]:
    if problems:
        yield Heading(f"{WORDS['problems']} ({len(problems)})", level)
        rows = tuple((Ink(p.kind.value), Ink(p.where), Ink(p.what)) for p in problems)
        yield Grid(("kind", "where", "what"), (2, 5, 9), rows)


def _run(audit: Audit, mark: str, meta: Meta) -> Iterator[Block]:
    run = audit.run
    yield Heading(run.title or run.run_id, 0, mark)
    facts = [
        ("run", run.run_id),
        ("path", run.path),
        ("format", run.format),
        ("layer", run.layer.value),
        ("holds", words.summary(audit)),
        *((("part of", run.parent_run),) if run.parent_run else ()),
        *((("branch", run.branch),) if run.branch else ()),
    ]
    yield Grid((), (2, 14), tuple((Ink(a, look="dim"), Ink(b)) for a, b in facts))
    yield _text(words.grade_words(audit))
    if not run.answers:
        yield _text(words.NO_ANSWER)
    yield from _problems(run.problems, 1)
    yield from _findings(audit, mark, meta)
    yield from _citations(audit, mark, meta)
    yield from _map(audit)
    yield from _sources(audit, mark)
    yield from _placeholders(audit)
    yield from _reads(audit, meta)
    yield from _lines(WORDS["tokens"], bill_sentences(audit.bill))
    yield from _lines(WORDS["settings"], setting_lines(audit))


def _lines(heading: str, lines: Iterable[str]) -> Iterator[Block]:
    held = [_text(line) for line in lines]
    if held:
        yield Heading(heading, 1)
        yield from held


def _findings(audit: Audit, mark: str, meta: Meta) -> Iterator[Block]:
    yield Heading(f"{WORDS['findings']} ({len(audit.findings)})", 1)
    if not audit.findings:
        left = words.undecided(audit.calls)
        yield _text(f"{WORDS['no findings']}; {left}." if left else f"{WORDS['no findings']}.")
    for number, finding in enumerate(audit.findings):
        yield from _finding(finding, audit, f"{mark}-f{number}", mark, meta)


def _finding(finding: Finding, audit: Audit, own: str, mark: str, meta: Meta) -> Iterator[Block]:
    level = finding.severity
    head = f"{_FINDING_SIGNS[level]} {level.value} {finding.rule}"
    inks = (Ink(head, bold=True, look=_FINDING_LOOKS[level]), Ink(f"  {finding.message}"))
    yield Paragraph(inks, own, keep=True)
    cited = finding.where.citation
    target = f"{mark}-c{cited}" if cited is not None else ""
    place = Ink(words.where(finding), look="dim", target=target)
    yield Paragraph((place, Ink(f" · grade {finding.grade.value}", look="dim")), small=True)
    yield from _decided(of_finding(meta, audit, finding))


def _decided(state: TargetState | None) -> Iterator[Block]:
    for line in opinion_lines(state):
        yield Paragraph((Ink(line, bold=True, look="dim"),), small=True)


def _citations(audit: Audit, mark: str, meta: Meta) -> Iterator[Block]:
    yield Heading(f"{WORDS['citations']} ({len(audit.citations)})", 1)
    if not audit.citations:
        yield _text(words.no_citations(audit))
    marks = _version_marks(audit, mark)
    found: dict[int, list[str]] = {}
    for number, finding in enumerate(audit.findings):
        if finding.where.citation is not None:
            found.setdefault(finding.where.citation, []).append(f"{mark}-f{number}")
    for facts, claim in zip(audit.citations, words.claims(audit), strict=True):
        target = marks.get(VersionKey(facts.source_id, facts.version_id or ""), "")
        yield from _citation(facts, claim, f"{mark}-c{facts.index}", target)
        rules = [
            Ink(f" {audit.findings[int(own.rpartition('f')[2])].rule}", target=own)
            for own in found.get(facts.index, ())
        ]
        if rules:
            yield Paragraph((Ink("findings:", look="dim"), *rules), small=True)
        yield from _decided(of_citation(meta, audit, facts))


def _citation(facts: CitationFacts, claim: str | None, own: str, target: str) -> Iterator[Block]:
    look = words.good(facts.verdict)
    sign = _SIGNS.get(facts.verdict, _FAILED)
    block = facts.citation.block_id
    place = words.reference(facts.source_id, facts.version_id, facts.span, facts.unit, block)
    head = Ink(f"{sign} {facts.verdict.word}", bold=True, look=look)
    yield Paragraph((head, Ink("  "), Ink(place, target=target)), own, keep=True)
    if claim:
        yield Paragraph((Ink(claim, bold=True),))
    yield _text(facts.reason)
    quote = words.quotation(facts)
    if quote is not None:
        yield Quotation("quoted", quote)
    if facts.evidence is not None:
        span = facts.evidence.message_span
        caption = (
            f"in the model's input: call {facts.evidence.call}, message {facts.evidence.message}, "
            f"part {facts.evidence.part}, characters {span.start} to {span.end}"
        )
        text = facts.evidence.text
        yield Quotation(caption, text[:_EXCERPT])
        if len(text) > _EXCERPT:
            yield _text(f"… {len(text) - _EXCERPT} {WORDS['more characters']}", "dim", small=True)
    yield _text(_notes(facts), "dim", small=True)


def _notes(facts: CitationFacts) -> str:
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
    return " · ".join(notes)


def _map(audit: Audit) -> Iterator[Block]:
    drawn = residency_map(audit)
    if not drawn.rows or not drawn.columns:
        return
    yield Heading("What stood in which request", 1)
    yield _text(
        "A row for each source, a column for each call; the call of the answer is framed.",
        "dim",
        small=True,
        keep=True,
    )
    rows = [
        Row(row.name, row.lane, words.counted(row.citations, "citation") if row.citations else "")
        for row in drawn.rows
    ]
    grades = Row(drawn.grades.name, drawn.grades.lane)
    yield Chart((grades, *rows), drawn.axis, drawn.frame)
    looks = {run.look for row in drawn.rows for run in row.runs}
    items = [
        (sample_box(look), letter, told)
        for look, (letter, told) in CELL_WORDS.items()
        if look in looks
    ]
    yield Legend(tuple(items))
    for note in (drawn.grades.lane.words, *drawn.notes):
        yield _text(note, "dim", small=True)


def _version_marks(audit: Audit, mark: str) -> dict[VersionKey, str]:
    keys = [facts.version.key for source in audit.sources for facts in source.versions]
    return {key: f"{mark}-v{number}" for number, key in enumerate(keys)}


def _sources(audit: Audit, mark: str) -> Iterator[Block]:
    if not audit.sources:
        return
    marks = _version_marks(audit, mark)
    yield Heading(f"{WORDS['sources']} ({len(marks)})", 1)
    strips = {each.facts.version.key: each for each in version_strips(audit)}
    if strips:
        yield Heading("How much of each was delivered", 2)
        rows = [
            Row(
                each.name,
                coverage_lane(each.facts, each.strip),
                words.coverage(each.facts),
                marks[key],
            )
            for key, each in strips.items()
        ]
        yield Chart(tuple(rows))
        told = {**STRIP_WORDS, "answer": "in the request of the answer", "cited": "cited"}
        items = [(sample_box(look), "", words_of) for look, words_of in told.items()]
        yield Legend(tuple(items))
    citing: dict[VersionKey, list[int]] = {}
    for facts in audit.citations:
        key = VersionKey(facts.source_id, facts.version_id or "")
        citing.setdefault(key, []).append(facts.index)
    for source in audit.sources:
        yield from _source(source, marks, citing, mark)


def _source(
    source: SourceFacts,
    marks: dict[VersionKey, str],
    citing: dict[VersionKey, list[int]],
    mark: str,
) -> Iterator[Block]:
    for facts in source.versions:
        key = facts.version.key
        name = words.reference(key.source_id, key.version_id, None, facts.unit, None)
        title = f"  {source.title}" if source.title not in {"", key.source_id} else ""
        yield Paragraph((Ink(name, bold=True), Ink(title)), marks[key], keep=True)
        told = [
            f"stored bytes {facts.version.integrity.value}",
            f"at the answer {facts.state_at_answer.value}",
            f"delivered: {words.coverage(facts)}",
        ]
        if facts.version.sha256:
            told.append(f"SHA-256 {facts.version.sha256}")
        inks = [Ink(" · ".join(told), look="dim")]
        if citing.get(key):
            inks.append(Ink(" · cited by", look="dim"))
            inks += [Ink(f" {index}", target=f"{mark}-c{index}") for index in citing[key]]
        yield Paragraph(tuple(inks), small=True)


def _placeholders(audit: Audit) -> Iterator[Block]:
    if not audit.placeholders:
        return
    yield Heading(f"{WORDS['placeholders']} ({len(audit.placeholders)})", 1)
    rows = []
    for facts in audit.placeholders:
        first, last, kept, back = words.placeholder_words(facts)
        about = f"{facts.source_id or '–'}\n{facts.tool_call_id}"
        told = (facts.kind.value, about, first, last, kept, back, facts.grade.value)
        rows.append(tuple(map(Ink, told)))
    names = ("kind", "source, tool call", "first", "last full", "kept", "way back", "grade")
    yield Grid(names, (4, 11, 3, 3, 5, 6, 4), tuple(rows))


def _reads(audit: Audit, meta: Meta) -> Iterator[Block]:
    if not audit.reads:
        return
    yield Heading(f"{WORDS['all reads']} ({len(audit.reads)})", 1)
    yield _text(f"{words.read_words(audit)}.")
    held = [
        read for read in audit.reads if meta.everything or read.outcome is not Outcome.DELIVERED
    ]
    rows = []
    for read in held:
        call = "–" if read.call is None else str(read.call)
        about = f"{read.selection.source_id}\n{read.tool} {read.tool_call_id}"
        reason = read.recomputed.reason or "–"
        told = (call, read.outcome.value, read.grade.value, about, reason)
        rows.append(tuple(map(Ink, told)))
    if rows:
        if not meta.everything:
            yield _text(f"{WORDS['reads']} ({len(rows)}):", keep=True)
        yield Grid(
            ("call", "outcome", "grade", "source, tool call", "reason"),
            (2, 4, 4, 10, 12),
            tuple(rows),
        )


_SHAPED = {"R", "AL"}


def _end(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield what the paper could not do as the page does."""
    found = {char for text in letters(blocks) for char in text}
    if any(unicodedata.bidirectional(char) in _SHAPED for char in found):
        yield _text(
            "This paper holds text of scripts that are written from right to left. It stands in "
            "the order of its characters, without joining them; the HTML report shows it as it "
            "is read.",
            "dim",
        )


REPORT = Report("pdf", "pages to print and hand over", ".pdf", write_bytes=_write)
