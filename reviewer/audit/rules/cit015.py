"""CIT015: a place that holds its words only when it is counted otherwise than documented."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import NOTICE, Story, cite
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.citations import Offsets
from store.records.findings import CitationFacts, Finding, Severity, Verdict, Where
from store.records.runs import Run
from store.records.text import Span


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each citation whose numbers, as documented, miss its words."""
    for facts in view.citations:
        offsets = facts.citation.offsets
        if offsets is None or facts.verdict in (Verdict.QUOTE_DIFFERS, Verdict.OUT_OF_BOUNDS):
            continue  # those verdicts say it already
        message = _missed(facts, offsets)
        if message:
            yield finding(
                RULE.id,
                RULE.severity,
                facts.grade,
                message,
                Where(call=facts.call_at_answer, citation=facts.index, source_id=facts.source_id),
                facts.answer,
                offsets.start,
                offsets.end,
            )


def _missed(facts: CitationFacts, offsets: Offsets) -> str:
    """Return how the place misses; empty where it does not, or where nothing was compared."""
    place = f"{offsets.start} to {offsets.end}"
    if offsets.fits[:1] == (offsets.documented,):
        return ""
    if offsets.fits:
        return (
            f"citation {facts.index} counts {offsets.fits[0]} from {place}, and "
            f"{offsets.documented} is documented; its words stand {offsets.drift} away"
        )
    if offsets.drift is not None:
        return (
            f"citation {facts.index} names {place} in {offsets.documented}; its words stand "
            f"{offsets.drift} away"
        )
    return ""


def _told(fits: tuple[str, ...], drift: int) -> Run:
    story = Story()
    story.document("notice")
    story.read("notice", id="read")
    offsets = Offsets(4, 20, "codepoint", fits, drift)
    quote = NOTICE[4:20]
    return story.answer(
        cite("notice", (4, 20), quote=quote, answer_span=Span(0, 7), offsets=offsets)
    )


RULE = Rule(
    id="CIT015",
    name="CountedOtherwise",
    severity=Severity.NOTE,
    summary="The recorded place of a citation holds its words only when it is counted otherwise",
    why=(
        "Whoever takes the numbers as they are documented marks other words. Something between "
        "the provider and this record rewrote the text, or counted it in another unit."
    ),
    silent=(
        "Where the verdict says already that the words are not at their place; where the record "
        "quotes no words to compare the place with; where they stand nowhere, or in several places."
    ),
    check=check,
    passing=lambda: _told(("codepoint", "utf16"), 0),
    failing=lambda: _told(("utf16",), -2),
)
