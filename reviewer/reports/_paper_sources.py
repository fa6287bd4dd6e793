"""What stood in which request, and what of each source came, drawn on paper."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.strips import strip_of
from reviewer.reports import _words as words
from reviewer.reports._blocks import Block, Chart, Heading, Legend, Paragraph, Row
from reviewer.reports._contents import WORDS, Contents
from reviewer.reports._drawing import CELL_WORDS, STRIP_WORDS, sample_box
from reviewer.reports._drawing_map import residency_map
from reviewer.reports._drawing_strip import coverage_lane
from reviewer.reports._lines import Ink
from reviewer.reports._paper_citations import sign
from store.records.findings import VersionFacts
from store.records.sources import VersionKey

__all__ = ["map_blocks", "source_blocks"]

_BANDS = {"answer": "in the request of the last answer", "cited": "cited"}


def _note(text: str) -> Paragraph:
    return Paragraph((Ink(text, look="dim"),), small=True)


def map_blocks(contents: Contents, mark: str) -> Iterator[Block]:
    """Yield which source stood in which request; each name leads to its versions."""
    audit = contents.audit
    drawn = residency_map(audit)
    if not (drawn.rows and drawn.columns):
        return
    yield Heading(WORDS["map"], 1)
    looks = {run.look for row in drawn.rows for run in row.runs}
    items = [
        (sample_box(look), letter, f"{look}: {told}")
        for look, (letter, told) in CELL_WORDS.items()
        if look in looks
    ]
    yield Legend((*items, (sample_box("frame"), "", "the call of the answer")))
    rows = [Row(drawn.grades.name, drawn.grades.lane)]
    for row in drawn.rows:
        target = contents.sources.get(row.source_id)
        cited = f"cited {row.citations}×" if row.citations else ""
        lead = "" if target is None else f"{mark}-v{target}"
        rows.append(Row(row.name, row.lane, cited, lead))
    yield Chart(tuple(rows), drawn.axis, drawn.frame)
    for note in (drawn.grades.lane.words, *drawn.notes):
        yield _note(note)


def source_blocks(contents: Contents, mark: str) -> Iterator[Block]:
    """Yield each version with hash and coverage, when it was in the input, and who cites it."""
    if not contents.versions:
        return
    yield Heading(f"{WORDS['sources']} ({len(contents.versions)})", 1)
    yield _note(WORDS["strips"])
    if words.undecided(contents.audit.calls):
        yield _note(WORDS["strips unproven"])
    looks = {look: f"{look}: {told}" for look, told in STRIP_WORDS.items()} | _BANDS
    yield Legend(tuple((sample_box(look), "", told) for look, told in looks.items()))
    titles = {source.source_id: source.title for source in contents.audit.sources}
    held = words.residency(contents.audit)
    for key, facts in contents.versions.items():
        title = titles.get(key.source_id, "")
        inside = held.get((key.source_id, key.version_id), [])
        own = f"{mark}-v{contents.marks[key]}"
        yield from _version(contents, facts, title, inside, own)
        yield from _cited(contents, key, mark)


def _version(
    contents: Contents, facts: VersionFacts, title: str, inside: list[int], own: str
) -> Iterator[Block]:
    key = facts.version.key
    name = words.reference(key.source_id, key.version_id, None, facts.unit, None)
    shown = f"  {title}" if title not in {"", key.source_id} else ""
    yield Paragraph((Ink(name, bold=True), Ink(shown)), own, keep=True)
    strip = strip_of(facts, contents.citing.get(key, ()))
    if strip is None:
        yield _note(words.coverage(facts))
    else:
        lane = coverage_lane(facts, strip)
        yield Chart((Row(lane.words, lane),))
    audit = contents.audit
    closing = words.closing(audit)
    grade = (closing.grade if closing else audit.run.grade).value
    told = [
        f"in {len(inside)} of {len(audit.run.calls)} calls: {words.call_ranges(inside) or 'none'}",
        f"at the answer {facts.state_at_answer.value}, grade {grade}",
        f"stored bytes {facts.version.integrity.value}",
    ]
    if facts.version.sha256:
        told.append(f"sha256:{facts.version.sha256}")
    yield _note(" · ".join(told))


def _cited(contents: Contents, key: VersionKey, mark: str) -> Iterator[Block]:
    cited = contents.citing.get(key, ())
    if cited:
        inks = [Ink("cited by", look="dim")]
        for each in cited:
            inks += [
                Ink(" "),
                Ink(f"[{sign(each.verdict)} {each.index}]", target=f"{mark}-c{each.index}"),
            ]
        yield Paragraph(tuple(inks), small=True)
