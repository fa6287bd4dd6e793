"""The map of a run and its sources on a page."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.strips import strip_of
from reviewer.reports import _words as words
from reviewer.reports._contents import WORDS, Contents, verdict_sign
from reviewer.reports._drawing import CELL_WORDS, STRIP_WORDS
from reviewer.reports._drawing_map import MapRow, residency_map
from reviewer.reports._drawing_strip import coverage_lane
from reviewer.reports._page import escape, grid, identity, link, tag
from reviewer.reports._svg import axis, fluid, sample
from store.records.findings import VersionFacts

__all__ = ["map_part", "source_part"]


def map_part(contents: Contents, mark: str) -> str:
    """Return which source stood in which request; each name leads to its versions."""
    map_ = residency_map(contents.audit)
    if not map_.rows:
        return ""
    rows = [_row(contents, row, map_.frame, mark) for row in map_.rows]
    notes = "".join(tag("p", note) for note in map_.notes)
    return (
        tag("h3", WORDS["map"])
        + _legend({look: f"{letter} {look}: {meaning}" for look, (letter, meaning) in _CELLS})
        + notes
        + f'<div class="map"><div class="row"><span>call</span>{axis(map_)}</div>'
        + f'<div class="row"><span>grade</span>{fluid(map_.grades.lane, map_.frame)}</div>'
        + "\n".join(rows)
        + "</div>\n"
        + tag("p", map_.grades.lane.words)
    )


_CELLS = tuple(CELL_WORDS.items())


def _row(contents: Contents, row: MapRow, frame: tuple[float, float] | None, mark: str) -> str:
    target = contents.sources.get(row.source_id)
    name = escape(row.name) if target is None else link(f"#{mark}-v{target}", row.name)
    cited = f" <small>cited {row.citations}×</small>" if row.citations else ""
    return f'<div class="row"><span class="id">{name}{cited}</span>{fluid(row.lane, frame)}</div>'


def _legend(meanings: dict[str, str]) -> str:
    """Return how each look is drawn and what it means."""
    held = "".join(f"<li>{sample(look)} {escape(said)}</li>" for look, said in meanings.items())
    frame = f"<li>{sample('frame')} the call of the answer</li>" if "full" in meanings else ""
    return f'<ul class="legend">{held}{frame}</ul>\n'


_BANDS = {"answer": "in the request of the last answer", "cited": "cited"}


def source_part(contents: Contents, mark: str) -> str:
    """Return each version with hash and coverage, when it was in the input, and who cites it."""
    if not contents.versions:
        return ""
    looks = {look: f"{look}: {meaning}" for look, meaning in STRIP_WORDS.items()} | _BANDS
    names = ("version", "delivered", "in calls", "at answer", "cited by")
    return (
        tag("h3", f"{WORDS['sources']} ({len(contents.versions)})")
        + tag("p", WORDS["strips"])
        + (tag("p", WORDS["strips unproven"]) if words.undecided(contents.audit.calls) else "")
        + _legend(looks)
        + grid("", names, list(_versions(contents, mark)))
    )


def _versions(contents: Contents, mark: str) -> Iterator[list[str]]:
    audit = contents.audit
    held = words.residency(audit)
    calls = len(audit.run.calls)
    closing = words.closing(audit)
    grade = (closing.grade if closing else audit.run.grade).value
    titles = {source.source_id: source.title for source in audit.sources}
    for key, facts in contents.versions.items():
        inside = held.get((key.source_id, key.version_id), [])
        back = " ".join(
            f'<a href="#{mark}-c{each.index}">{verdict_sign(each.verdict)}&nbsp;{each.index}</a>'
            for each in contents.citing.get(key, ())
        )
        title = titles.get(key.source_id, "")
        yield [
            identity(_name(facts), f"{mark}-v{contents.marks[key]}")
            + (tag("small", title) if title not in {"", key.source_id} else "")
            + _stored(facts),
            _covered(contents, facts),
            f"{len(inside)} of {calls}" + tag("small", words.call_ranges(inside) or "in no call"),
            f"{escape(facts.state_at_answer.value)}{tag('small', f'grade {grade}')}",
            back or "–",
        ]


def _name(facts: VersionFacts) -> str:
    key = facts.version.key
    return words.reference(key.source_id, key.version_id, None, facts.unit, None)


def _stored(facts: VersionFacts) -> str:
    """Return what is known of the stored bytes, their whole hash with it."""
    said = tag("small", f"stored bytes {facts.version.integrity.value}")
    if facts.version.sha256:
        said += f'<small class="id">sha256:{escape(facts.version.sha256)}</small>'
    return said


def _covered(contents: Contents, facts: VersionFacts) -> str:
    strip = strip_of(facts, contents.citing.get(facts.version.key, ()))
    if strip is None:
        return tag("small", words.coverage(facts))
    lane = coverage_lane(facts, strip)
    return fluid(lane) + tag("small", lane.words)
