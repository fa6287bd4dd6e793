"""What the rules of retrieval share: their findings, and what an answer says of a search."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewer.audit.rules._rule import finding
from reviewer.audit.searches import Search
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, State, Where
from store.records.grades import Grade
from store.records.runs import Answer

__all__ = ["answers_after", "clauses", "holds_all", "of_search", "words_in"]


def of_search(  # noqa: PLR0913 - a finding in its parts
    rule_id: str,
    severity: Severity,
    view: AuditView,
    search: Search,
    message: str,
    *identity: object,
    source_id: str | None = None,
) -> Finding:
    """Return a finding at a search; what tools were asked and gave back is recorded as it was."""
    call = view.requests.arrival(search.call.id) or search.call.by_call
    where = Where(call=call, source_id=source_id, tool_call_id=search.call.id)
    return finding(rule_id, severity, _grade(view), message, where, search.call.id, *identity)


def _grade(view: AuditView) -> Grade:
    """How far the record proves what tools were asked and gave back: they are in it."""
    return Grade.RECORDED if view.run.grade is Grade.RECORDED else Grade.DERIVED


_CLAUSE = re.compile(r"[^\n.!?,;:。！？，；：]+(?:[.,:](?=\w)[^\n.!?,;:。！？，；：]*)*")
_WORD = re.compile(r"[^\W_]{3,}|[\u3400-\u9fff]{2,}")


def clauses(text: str) -> Iterator[str]:
    """Yield the clauses of an answer: what denies in one says nothing of the next."""
    for found in _CLAUSE.finditer(text):
        yield found[0]


def words_in(query: str, clause: str) -> bool:
    """Whether *clause* speaks of what *query* asked for: all of its words stand there."""
    words = {word.casefold() for word in _WORD.findall(query)}
    spoken = clause.casefold()
    return bool(words) and all(word in spoken for word in words)


def answers_after(view: AuditView, search: Search) -> Iterator[Answer]:
    """Yield the answers written when the result of *search* had come."""
    came = view.requests.arrival(search.call.id)
    for answer in view.run.answers:
        if came is not None and answer.call >= came:
            yield answer


def holds_all(view: AuditView, scope: tuple[str, ...]) -> bool:
    """Whether the last answer had all of every source in *scope*: then it needs no search."""
    states = {
        source.source_id: [version.state_at_answer for version in source.versions]
        for source in view.sources
    }
    return bool(scope) and all(State.FULL in states.get(name, ()) for name in scope)
