"""RET003: a search ran in another mode than asked for, without a word."""

from __future__ import annotations

import json
from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule
from reviewer.audit.rules._searches import of_search
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity
from store.records.runs import Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each search whose result names another mode than was asked for."""
    before: dict[tuple[object, ...], str] = {}
    for search in view.searches:
        if not search.said_mode or search.has_notice:
            continue
        same = (search.call.name, search.query, search.scope, search.limit, search.others)
        asked = search.mode or before.setdefault((*same, search.mode), search.said_mode)
        if asked.casefold() in ("auto", "default", search.said_mode.casefold()):
            continue
        yield of_search(
            RULE.id,
            RULE.severity,
            view,
            search,
            f"{search.call.name} was to search by {asked} and searched by {search.said_mode}",
            asked,
            search.said_mode,
        )


def _told(mode: str) -> Run:
    story = Story()
    body = json.dumps({"mode": mode, "results": [{"doc_id": "notice"}]})
    story.answers_with(body, {"query": "limits", "mode": "semantic"}, id="search-1")
    return story.answer()


RULE = Rule(
    id="RET003",
    name="SilentModeSwitch",
    severity=Severity.WARNING,
    summary="A search ran in another mode than asked for, and the result does not explain it",
    why=(
        "A search that falls back to key words finds other things than one by meaning. What it "
        "does not find is then no sign that it is not there."
    ),
    silent=(
        "When the result says why, or does not name a mode; when no mode was asked for and equal "
        "searches before ran in the same one; when the mode was left to the tool."
    ),
    check=check,
    passing=lambda: _told("semantic"),
    failing=lambda: _told("keyword"),
)
