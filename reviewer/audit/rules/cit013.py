"""CIT013: one mark of an answer stands for several sources."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewer.audit.rules._example import Story, cite
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import CitationFacts, Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run
from store.records.text import Span

_MARK = re.compile(r"\s*[\[({（【［]?\s*\^?[\w.-]{1,16}\s*[\])}）】］]?\s*")
"""A key as a reader sees it, such as ``[3]``; a label that is words of the answer is none."""


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each mark of an answer that leads to more than one source."""
    marks: dict[tuple[int, str], list[CitationFacts]] = {}
    for facts in view.citations:
        label = facts.citation.label
        if facts.source_id and _MARK.fullmatch(label) and any(c.isdigit() for c in label):
            marks.setdefault((facts.answer, label.strip()), []).append(facts)
    for (answer, label), held in marks.items():
        sources = list(dict.fromkeys(facts.source_id for facts in held))
        if len(sources) < 2 or not _are_apart(held):  # noqa: PLR2004 - one mark, two things
            continue
        first = held[0]
        yield finding(
            RULE.id,
            RULE.severity,
            Grade.weakest(*(facts.grade for facts in held)),
            f"{label} stands for {len(sources)} sources in one answer: {', '.join(sources)}",
            Where(call=first.call_at_answer, citation=first.index),
            answer,
            label,
            *sorted(sources),
        )


def _are_apart(held: list[CitationFacts]) -> bool:
    """Whether the mark stands at different places: at one place it may name several sources."""
    places: dict[Span | None, set[str]] = {}
    for facts in held:
        places.setdefault(facts.citation.answer_span, set()).add(facts.source_id)
    return len({frozenset(sources) for sources in places.values()}) > 1


def _told(second: str) -> Run:
    story = Story()
    for name in ("notice", "handbook"):
        story.document(name)
        story.read(name, id=f"read-{name}")
    return story.answer(
        cite("notice", (0, 20), label="[1]", answer_span=Span(20, 23)),
        cite("handbook", (0, 20), label=second, answer_span=Span(44, 47)),
        text="Batches are limited [1]. Exports stop first [1].",
    )


RULE = Rule(
    id="CIT013",
    name="OneMarkTwoSources",
    severity=Severity.WARNING,
    summary="One mark of an answer stands for different sources at different places",
    why=(
        "A reader who follows the mark lands in one of them. Which sentence rests on which source "
        "cannot be told, and the wrong one may be checked."
    ),
    silent=(
        "When the mark names several sources at one place, such as a sentence with two proofs; for "
        "several places of one source; for labels that are words of the answer; in different "
        "answers."
    ),
    check=check,
    passing=lambda: _told("[2]"),
    failing=lambda: _told("[1]"),
)
