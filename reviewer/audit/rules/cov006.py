"""COV006: what a tool declared of its result is not what the request holds."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, ReadFacts, Severity, Where
from store.records.runs import Run

_FIELDS = ("requested", "loaded", "byte_complete", "filtered_count", "input_complete")


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each read whose declaration disagrees with the recomputation."""
    for read in view.reads:
        if read.agrees is False:
            yield finding(
                RULE.id,
                RULE.severity,
                read.grade,
                f"{read.selection.source_id}: {'; '.join(_differences(read))}",
                Where(
                    call=read.call,
                    source_id=read.selection.source_id,
                    tool_call_id=read.tool_call_id,
                ),
                read.selection.source_id,
                read.selection.version_id,
                read.tool_call_id,
            )


def _differences(read: ReadFacts) -> Iterator[str]:
    for name in _FIELDS:
        declared, found = read.declared.get(name), getattr(read.recomputed, name)
        if declared is not None and found is not None and declared != found:
            yield f"{name} declared {declared}, found {found}"


def _told(shown: str | None) -> Run:
    story = Story()
    story.document("notice")
    story.read("notice", shown=shown, declared={"byte_complete": True, "input_complete": True})
    return story.answer()


RULE = Rule(
    id="COV006",
    name="DeclaredCoverageDiffers",
    severity=Severity.WARNING,
    summary="A tool declared more, or other, than stood in the request",
    why=(
        "A program that trusts the declaration goes on as if everything had been read. The "
        "recomputation counts what the request holds: pieces, bytes and identities."
    ),
    silent="When nothing was declared, or the text of the version is not stored.",
    check=check,
    passing=lambda: _told(None),
    failing=lambda: _told(NOTICE[:90]),
)
