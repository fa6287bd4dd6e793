"""PLC007: a result was saved to a file, and nobody opened the file."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, PlaceholderFacts, PlaceholderKind, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each saved result whose file no later tool call names."""
    side_files = {result.tool_call_id: result.side_file for result in view.run.tool_results}
    for fact in view.placeholders:
        if not _counts(fact) or _is_opened(view, fact, side_files.get(fact.tool_call_id, "")):
            continue
        name = fact.tool or "a tool"
        yield finding(
            RULE.id,
            RULE.severity,
            fact.grade,
            f"a result of {name} was saved to a file, and no later call opened it",
            Where(
                call=fact.first_call,
                source_id=fact.source_id or None,
                tool_call_id=fact.tool_call_id,
            ),
            fact.tool_call_id,
        )


def _counts(fact: PlaceholderFacts) -> bool:
    """Whether no call had it whole; a file that was read is PLC001."""
    saved = fact.kind is PlaceholderKind.PERSISTED and not fact.is_file_read
    timed = fact.first_call is not None and fact.grade is not Grade.UNKNOWN
    return saved and timed and fact.last_full_call is None and fact.reread_at_call is None


def _is_opened(view: AuditView, fact: PlaceholderFacts, side_file: str) -> bool:
    """Whether a later tool call names the file, or the id that it is named after."""
    names = [fact.tool_call_id, side_file.replace("\\", "/").rpartition("/")[2]]
    later = False
    for call in view.run.tool_calls:
        if later and any(name and name in call.arguments for name in names):
            return True
        later = later or call.id == fact.tool_call_id
    return False


def _told(*, opened: bool) -> Run:
    story = Story()
    story.save("fetch_log", "log-1", "line of a log\n" * 40, "saved/log-1.txt")
    story.think()
    if opened:
        story.answers_with("line of a log", {"path": "saved/log-1.txt"}, id="read-2", name="read")
    return story.answer()


RULE = Rule(
    id="PLC007",
    name="SavedFileNotOpened",
    severity=Severity.NOTE,
    summary="A result was too large and saved to a file, which no later call opened",
    why=(
        "What the model had of it is a preview. If the answer speaks of the result, it speaks of "
        "its first lines."
    ),
    silent=(
        "When a later tool call names the file, or the text came again in another way; for reads "
        "of files, which are PLC001; where some call had the whole result, or may have had it "
        "since the time is not recorded; when the grade is unknown."
    ),
    check=check,
    passing=lambda: _told(opened=True),
    failing=lambda: _told(opened=False),
)
