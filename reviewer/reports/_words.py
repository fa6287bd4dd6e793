"""The words and signs that reports for people share.  No state is told by colour alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from store.records.citations import SourceCitation
from store.records.findings import (
    Anchor,
    Audit,
    CitationFacts,
    Delivery,
    Finding,
    Form,
    PlaceholderFacts,
    Severity,
    Verdict,
    VersionFacts,
)
from store.records.runs import Run
from store.records.text import Span, Unit

__all__ = [
    "FINDING_SIGNS",
    "HASH_CHARS",
    "VERDICT_SIGNS",
    "call_ranges",
    "coverage",
    "good",
    "placeholder_words",
    "quotation",
    "reference",
    "residency",
    "share",
    "spans",
    "summary",
    "where",
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


_SENTENCE_ENDS = re.compile(r"[\u3002\uff01\uff1f\n]|[.!?](?=\s)")
_CLAIM = 240
"""A claim is one sentence; of a longer one the end counts, and the rest is counted."""


def claim(run: Run, facts: CitationFacts) -> str | None:
    """Return the words of the answer that a citation stands behind, ``None`` if it marks none.

    From the start of its sentence to the end of the citation's own span.
    """
    marked = facts.citation.answer_span
    if marked is None or facts.answer >= len(run.answers):
        return None
    text = run.answers[facts.answer].text
    before = text[max(0, marked.start - 4 * _CLAIM) : marked.start].rstrip()
    ends = [found.end() for found in _SENTENCE_ENDS.finditer(before) if found.end() < len(before)]
    words = before[ends[-1] if ends else 0 :].lstrip() + text[marked.start : marked.end]
    left = len(words) - _CLAIM
    return words if left <= 0 else f"(+{left} characters) …{words[left:]}"


def anchor(facts: CitationFacts) -> str:
    """Return the anchor, or a dash where nothing is quoted."""
    return "–" if facts.anchor is Anchor.NONE else facts.anchor.value


def where(finding: Finding) -> str:
    """Return the place of a finding in words."""
    place = finding.where
    parts = []
    if place.call is not None:
        parts.append(f"call {place.call}")
    if place.message is not None:
        parts.append(f"message {place.message}")
    if place.tool_call_id:
        parts.append(f"tool call {place.tool_call_id}")
    if place.source_id is not None:
        parts.append(place.source_id)
    if place.citation is not None:
        parts.append(f"citation {place.citation}")
    return ", ".join(parts) or "the run"


def placeholder_words(facts: PlaceholderFacts) -> tuple[str, str, str, str]:
    """Return first call, last full call, what is kept and whether there is a way back, in words."""
    first = "not recorded" if facts.first_call is None else str(facts.first_call)
    last = "never" if facts.last_full_call is None else str(facts.last_full_call)
    kept = spans(facts.kept, 3) or ("nothing, removed" if facts.removed else "nothing")
    back = "yes" if facts.recoverable else "no"
    if facts.reread_at_call is not None:
        back += f", read again in call {facts.reread_at_call}"
    return first, last, kept, back


def summary(audit: Audit) -> str:
    """Return the counts of a run in one sentence."""
    parts = [
        (len(audit.run.calls), "model call"),
        (len(audit.run.tool_calls), "tool call"),
        (len(audit.sources), "source"),
        (len(audit.citations), "citation"),
        (len(audit.findings), "finding"),
    ]
    return ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in parts)
