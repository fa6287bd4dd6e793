"""RET006: equal searches of one state gave the same things in another order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule
from reviewer.audit.rules._searches import of_search
from reviewer.audit.searches import Search
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity
from store.records.runs import Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each search that an equal one before it contradicts in order."""
    before: dict[tuple[object, ...], Search] = {}
    for search in view.searches:
        asked = (
            *(search.call.name, search.query, search.scope, search.limit, search.mode),
            *(search.others, search.snapshot, search.said_mode),
        )
        first = before.setdefault(asked, search)
        if not _is_reordered(first, search):
            continue
        yield of_search(
            RULE.id,
            RULE.severity,
            view,
            search,
            f"{search.call.name} gave the same {len(search.hits)} results as in "
            f"{first.call.id} in another order",
            first.call.id,
        )


def _is_reordered(first: Search, other: Search) -> bool:
    """Whether both gave the same versions of the same things, each once, in another order."""
    one, two = first.hits, other.hits
    return one != two and len(set(one)) == len(one) and sorted(one, key=str) == sorted(two, key=str)


def _told(*orders: Sequence[str]) -> Run:
    story = Story()
    for number, order in enumerate(orders, 1):
        body = json.dumps({"results": [{"doc_id": name} for name in order]})
        story.answers_with(body, {"query": "limits", "top_k": 3}, id=f"search-{number}")
    return story.answer()


RULE = Rule(
    id="RET006",
    name="OrderChanged",
    severity=Severity.NOTE,
    summary="Equal searches of one state gave the same results in another order",
    why=(
        "What ranks first is read first, and what ranks last may be cut. If the order is chance, "
        "the same question gets another answer tomorrow, and no run can be repeated."
    ),
    silent=(
        "When anything that was asked, the snapshot or mode that the results name, or a version of "
        "what came differs; when the results do not hold the same things."
    ),
    check=check,
    passing=lambda: _told(["a", "b", "c"], ["a", "b", "c"]),
    failing=lambda: _told(["a", "b", "c"], ["b", "a", "c"]),
)
