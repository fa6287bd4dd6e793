"""The words and signs that reports for people share.  No state is told by colour alone."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence

from reviewer.reports._glossary import GRADES
from store.records.citations import SourceCitation
from store.records.findings import (
    Anchor,
    Audit,
    CallFacts,
    CitationFacts,
    Delivery,
    Finding,
    Form,
    Outcome,
    PlaceholderFacts,
    Severity,
    Verdict,
    VersionFacts,
)
from store.records.grades import Grade
from store.records.runs import Run
from store.records.text import Span, Unit

__all__ = [
    "FINDING_SIGNS",
    "HASH_CHARS",
    "VERDICT_SIGNS",
    "call_ranges",
    "cited_place",
    "claims",
    "closing",
    "counted",
    "coverage",
    "good",
    "grade_of",
    "grade_words",
    "label",
    "length",
    "no_citations",
    "placeholder_words",
    "quotation",
    "read_words",
    "reference",
    "residency",
    "share",
    "short",
    "spans",
    "summary",
    "undecided",
    "where",
    "where_parts",
]

VERDICT_SIGNS = {
    Verdict.READ: "✓",
    Verdict.PARTLY_READ: "◐",
    Verdict.UNVERIFIABLE: "?",
    Verdict.FROM_MEMORY: "↶",
    Verdict.PREVIEW_ONLY: "◌",
    Verdict.PLACEHOLDER_ONLY: "◌",
    Verdict.LISTED_ONLY: "◌",
}
"""Every verdict that is not named here has the sign of a failure, ``✗``."""

FINDING_SIGNS = {Severity.ERROR: "✗", Severity.WARNING: "▲", Severity.NOTE: "•"}

HASH_CHARS = 12
"""How much of a hash stands in a reference; the JSON output holds all of it."""

_HASH_LENGTH = 64


def good(verdict: Verdict) -> str:
    """Return ``good``, ``open`` or ``bad``: the class of a verdict."""
    if verdict is Verdict.READ:
        return "good"
    return "open" if verdict in {Verdict.UNVERIFIABLE, Verdict.PARTLY_READ} else "bad"


def short(version_id: str) -> str:
    """Return a version id, a hash shortened to its first characters and marked so."""
    prefix, _, digest = version_id.rpartition(":")
    if len(digest) == _HASH_LENGTH and all(char in "0123456789abcdef" for char in digest):
        return f"{prefix}:{digest[:HASH_CHARS]}…" if prefix else f"{digest[:HASH_CHARS]}…"
    return version_id


def reference(
    source_id: str, version_id: str | None, span: Span | None, unit: Unit, block_id: str | None
) -> str:
    """Return a place as RUN_FOLDER.md writes it: ``source@version[span]``, the hash shortened."""
    text = f"{source_id}@{short(version_id)}" if version_id else source_id
    if block_id is not None:
        return f"{text}[block {block_id}]"
    if span is None:
        return text
    if unit is Unit.LINE:
        return f"{text}[lines {span.start}-{max(span.start, span.end - 1)}]"
    return f"{text}[{'' if unit is Unit.CHAR else f'{unit.value}s '}{span.start}:{span.end}]"


def cited_place(facts: CitationFacts) -> str:
    """Return the place that a citation points at."""
    block = facts.citation.block_id
    return reference(facts.source_id, facts.version_id, facts.span, facts.unit, block)


def label(facts: CitationFacts) -> str:
    """Return how a citation is called, with its place: ``[3] of d03@1454125600c3…[4:9]``."""
    return f"{facts.citation.label or f'citation {facts.index}'} of {cited_place(facts)}"


def spans(found: Iterable[Span], limit: int = 0) -> str:
    """Return spans as ``[0:4] [7:9]``; with *limit*, says how many more there are."""
    held = list(found)
    shown = held[:limit] if limit else held
    text = " ".join(f"[{span.start}:{span.end}]" for span in shown)
    return text if len(shown) == len(held) else f"{text} … and {len(held) - len(shown)} more"


def share(found: Iterable[Span], total: int) -> str:
    """Return which part of *total* the spans are, rounded so that only all is 100 %."""
    part = sum(span.length for span in found)
    if not total:
        return "empty"
    if part >= total:
        return "100 %"
    return "under 1 %" if 0 < part * 100 < total else f"{part * 100 // total} %"


def length(facts: VersionFacts) -> int | None:
    """Return how long a version is in its unit, or ``None`` where that is not known."""
    if not facts.length_known:
        return None
    return facts.version.chars if facts.unit is Unit.CHAR else None


def coverage(facts: VersionFacts) -> str:
    """Return what of a version was delivered over the run, in words."""
    table = facts.version.table
    if facts.delivered_rows is not None and table is not None:
        came = sum(span.length for span in facts.delivered_rows)
        return f"{came} of {table.rows} rows, whole or in part"
    total = length(facts)
    if total is None:
        known = spans(facts.delivered, 3) or "nothing"
        return f"{facts.unit.value}s {known}, length unknown"
    return f"{share(facts.delivered, total)} of {total} {facts.unit.value}s"


def call_ranges(calls: Iterable[int]) -> str:
    """Return call numbers as ``2-4, 7``.

    >>> call_ranges([2, 3, 4, 7])
    '2-4, 7'
    """
    ranges: list[list[int]] = []
    for call in calls:
        if ranges and ranges[-1][1] == call - 1:
            ranges[-1][1] = call
        else:
            ranges.append([call, call])
    return ", ".join(f"{a}-{b}" if a != b else f"{a}" for a, b in ranges)


def residency(audit: Audit) -> dict[tuple[str, str], list[int]]:
    """Return, for each source and version, the calls whose request holds some of its body.

    Costs what changed between the requests.
    """
    bodies = _bodies(audit.deliveries)
    counts: Counter[tuple[str, str]] = Counter()
    found: dict[tuple[str, str], list[int]] = {}
    held: list[int] = []
    for call in audit.run.calls:
        for splice in reversed(call.splices):
            for message in held[splice.start : splice.stop]:
                counts.subtract(bodies.get(message, ()))
            for message in splice.messages:
                counts.update(bodies.get(message, ()))
            held[splice.start : splice.stop] = splice.messages
        for key, count in counts.items():
            if count:
                found.setdefault(key, []).append(call.index)
    return found


def _bodies(deliveries: Iterable[Delivery]) -> dict[int, set[tuple[str, str]]]:
    """Return which versions each message holds some body of."""
    bodies: dict[int, set[tuple[str, str]]] = {}
    for piece in deliveries:
        if piece.form is not Form.PREVIEW:
            key = (piece.version.source_id, piece.version.version_id)
            bodies.setdefault(piece.message, set()).add(key)
    return bodies


def quotation(facts: CitationFacts) -> str | None:
    """Return the words a citation quotes, if it quotes any."""
    return facts.citation.quote if isinstance(facts.citation, SourceCitation) else None


_SENTENCE_ENDS = re.compile(r"[\u3002\uff01\uff1f\uff1b\n]|[.!?;](?=\s)")
_MARK = re.compile(
    r"\s*[\[({\uff08\u3010\uff3b\u2460-\u2473\u00b2\u00b3\u00b9\u2070-\u2079]|\s*\d+\s*$"
)
"""How a citation begins whose span is a mark, such as ``[1]``, and not words of the answer."""

_CLAIM = 240
"""A claim is at most one sentence; of a longer one the end counts, and the rest is counted."""


def claims(audit: Audit) -> list[str | None]:
    """Return for each citation the words it stands behind, ``None`` where it marks none.

    From the start of its sentence, or from the end of the citation before it
    where that is later, to the end of its own span.
    """
    ends: dict[int, set[int]] = {}
    for facts in audit.citations:
        if facts.citation.answer_span is not None:
            ends.setdefault(facts.answer, set()).add(facts.citation.answer_span.end)
    ordered = {answer: sorted(found) for answer, found in ends.items()}
    return [_claim(audit.run, facts, ordered.get(facts.answer, [])) for facts in audit.citations]


def _claim(run: Run, facts: CitationFacts, ends: list[int]) -> str | None:
    marked = facts.citation.answer_span
    if marked is None or facts.answer >= len(run.answers):
        return None
    text = run.answers[facts.answer].text
    start = max(0, marked.start - 4 * _CLAIM)
    before = text[start : marked.start]
    stops = [found.end() for found in _SENTENCE_ENDS.finditer(before)]
    # A stop right before the mark ends the sentence that the mark belongs to.
    sentence = next((stop for stop in reversed(stops) if before[stop:].strip()), 0)
    last = _end_before(text, marked, ends)
    words = text[max(start + sentence, last) : marked.end].strip()
    left = len(words) - _CLAIM
    return words if left <= 0 else f"(+{left} characters) …{words[left:]}"


def _end_before(text: str, marked: Span, ends: list[int]) -> int:
    """Return where the citation before ends; marks in a row share the words before the first."""
    place = bisect_right(ends, marked.start) - 1
    mark = _MARK.match(text[marked.start : marked.end])
    while place >= 0:
        between = text[ends[place] : marked.start]
        if not mark or any(char.isalnum() for char in between):
            return ends[place]
        place -= 1
    return 0


def anchor(facts: CitationFacts) -> str:
    """Return the anchor, or a dash where nothing is quoted."""
    return "–" if facts.anchor is Anchor.NONE else facts.anchor.value


def where_parts(finding: Finding) -> list[tuple[str, str]]:
    """Return the place of a finding as kinds and words, each id and path whole."""
    place = finding.where
    parts = []
    if place.call is not None:
        parts.append(("call", f"call {place.call}"))
    if place.message is not None:
        parts.append(("message", f"message {place.message}"))
    if place.citation is not None:
        parts.append(("citation", f"citation {place.citation}"))
    if place.tool_call_id:
        parts.append(("tool call", f"tool call {place.tool_call_id}"))
    if place.source_id is not None:
        parts.append(("source", f"source {place.source_id}"))
    return parts or [("run", "the run")]


def where(finding: Finding) -> str:
    """Return the place of a finding in words."""
    return " · ".join(words for _, words in where_parts(finding))


def placeholder_words(facts: PlaceholderFacts) -> tuple[str, str, str, str]:
    """Return first call, last full call, what is kept and whether there is a way back, in words."""
    timed = facts.first_call is not None
    first = str(facts.first_call) if timed else "not recorded"
    last = "never" if timed else "not recorded"
    if facts.last_full_call is not None:
        last = str(facts.last_full_call)
    kept = spans(facts.kept, 3) or ("nothing, removed" if facts.removed else "nothing")
    back = "yes" if facts.recoverable else "no"
    if facts.reread_at_call is not None:
        part = "" if facts.reread_whole else " in part"
        back += f", read again{part} in call {facts.reread_at_call}"
    return first, last, kept, back


def read_words(audit: Audit) -> str:
    """Return how many reads delivered what they asked for, and how many were taken away again."""
    taken = {facts.tool_call_id: facts for facts in audit.placeholders}
    came = later = untimed = 0
    for read in audit.reads:
        placeholder = taken.get(read.tool_call_id)
        if read.outcome is Outcome.DELIVERED:
            came += 1
            later += placeholder is not None
        elif placeholder is not None and placeholder.first_call is None:
            untimed += 1
    parts = [f"{came} delivered when they first came"]
    if later:
        parts[0] += f", {later} of them taken away later"
    if untimed:
        parts.append(f"{untimed} taken away, when is not recorded")
    rest = len(audit.reads) - came - untimed
    if rest:
        parts.append(f"{rest} not delivered, or not in full")
    return "; ".join(parts)


def closing(audit: Audit) -> CallFacts | None:
    """Return the call that states speak of: that of the last answer, else the last."""
    answers = audit.run.answers
    index = answers[-1].call if answers else len(audit.calls)
    return audit.calls[index - 1] if 0 < index <= len(audit.calls) else None


def grade_of(audit: Audit) -> Grade:
    """Return the weakest grade of the calls, which may be weaker than the kind of record allows."""
    return Grade.weakest(*(call.grade for call in audit.calls), audit.run.grade)


def grade_words(audit: Audit) -> str:
    """Return in a sentence or two what the grade of the run means, and by which rule it has it."""
    grade = grade_of(audit)
    weakest = [call for call in audit.calls if call.grade is grade]
    text = f"grade {grade.value}: {GRADES[grade][:1].lower()}{GRADES[grade][1:]}"
    if weakest and len(weakest) < len(audit.calls):
        counts = Counter(call.grade.value for call in audit.calls if call.grade is not grade)
        others = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        text += f" This holds for {len(weakest)} of {len(audit.calls)} calls; {others}."
    reason = next((call.grade_reason for call in weakest if call.grade_reason), "")
    return f"{text} Reason: {reason.rstrip('.')}." if reason else text


def undecided(calls: Sequence[CallFacts]) -> str:
    """Say how many of *calls* could not be decided, empty where each could."""
    count = sum(call.grade is Grade.UNKNOWN for call in calls)
    if not count:
        return ""
    return f"{count} of {len(calls)} calls could not be decided (grade unknown)"


def no_citations(audit: Audit) -> str:
    """Say that there are no citations to judge, and what of the run can be looked at instead."""
    found = (("findings", audit.findings), ("placeholders", audit.placeholders))
    shown = [name for name, held in (*found, ("reads", audit.reads)) if held]
    text = (
        "This record holds no citations, and nothing in the text of an answer leads to a known "
        "source."
    )
    return f"{text} To look at instead: {', '.join(shown)}." if shown else text


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, the plural where it is due."""
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def summary(audit: Audit) -> str:
    """Return the counts of a run in one sentence; one that could not be decided says so."""
    parts = [
        (len(audit.run.calls), "model call"),
        (len(audit.run.tool_calls), "tool call"),
        (len(audit.sources), "source"),
        (len(audit.citations), "citation"),
        (len(audit.findings), "finding"),
    ]
    text = ", ".join(counted(count, noun) for count, noun in parts)
    left = undecided(audit.calls)
    return f"{text}; {left}" if left else text
