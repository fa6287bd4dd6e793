"""What the rules of retention share: results that were taken away, tool by tool."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.retention import is_taken
from reviewer.audit.rules._example import Story
from reviewer.audit.view import AuditView
from store.records.findings import PlaceholderFacts

__all__ = ["taken_results", "two_tools"]


def taken_results(view: AuditView) -> Iterator[PlaceholderFacts]:
    """Yield the results that a client took away, each once, with its tool named."""
    told: set[str] = set()
    for fact in view.placeholders:
        if is_taken(fact) and fact.tool and fact.tool_call_id not in told:
            told.add(fact.tool_call_id)
            yield fact


def two_tools(taken: str) -> Story:
    """A file is read, another is written, and the result of tool call *taken* is cleared."""
    story = Story()
    story.answers_with("rules", {"path": "rules.md"}, id="read-1", name="read_file")
    story.answers_with("written", {"path": "new.md"}, id="write-1", name="write_file")
    story.think()
    story.clear(taken)
    return story
