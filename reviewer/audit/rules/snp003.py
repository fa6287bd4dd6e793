"""SNP003: one block id names several pieces of a version."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.runs import Run
from store.records.sources import Version
from store.records.text import Span


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each block id of a version that stands at several places."""
    for version in view.run.versions:
        for name, spans in _several(version).items():
            places = ", ".join(f"[{span.start}:{span.end}]" for span in spans)
            yield finding(
                RULE.id,
                RULE.severity,
                view.run.grade,
                f"block {name} of {version.key.source_id} names {len(spans)} pieces: {places}",
                Where(source_id=version.key.source_id),
                version.key.source_id,
                version.key.version_id,
                name,
            )


def _several(version: Version) -> dict[str, list[Span]]:
    """Return the places of each block id that has more than one."""
    found: dict[str, list[Span]] = {}
    for block in version.blocks:
        held = found.setdefault(block.block_id, [])
        if block.span not in held:
            held.append(block.span)
    return {name: spans for name, spans in found.items() if len(spans) > 1}


def _told(second: str) -> Run:
    story = Story()
    middle = NOTICE.index("\n") + 1
    story.document("notice", blocks=[("n1", 0, middle), (second, middle, len(NOTICE))])
    story.read("notice")
    return story.answer()


RULE = Rule(
    id="SNP003",
    name="BlockIdUsedTwice",
    severity=Severity.WARNING,
    summary="One block id names several pieces of one version",
    why=(
        "A citation by that id points at several places, and a tool that is asked for it gives "
        "back one of them, nobody knows which."
    ),
    silent="Where the same piece is listed twice. Ids are compared whole, and within one version.",
    check=check,
    passing=lambda: _told("n2"),
    failing=lambda: _told("n1"),
)
