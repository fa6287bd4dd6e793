"""RET002: a search named several sources, and one of them is missing from what came."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule
from reviewer.audit.rules._searches import of_search
from reviewer.audit.searches import Search
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity
from store.records.runs import Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each source that was named and did not come while others did."""
    for search in view.searches:
        for name in _missing(search):
            yield of_search(
                RULE.id,
                RULE.severity,
                view,
                search,
                f"{search.call.name} was to look in {name} too, and gave only what is in "
                f"{', '.join(sorted(search.sources))}",
                name,
                source_id=name,
            )


def _missing(search: Search) -> Iterator[str]:
    """Yield the named sources of which nothing came, and nothing was said."""
    told = search.has_notice or search.is_cut or not all(hit.source_id for hit in search.hits)
    if told or len(search.scope) < 2 or not search.sources & set(search.scope):  # noqa: PLR2004 - one and another
        return
    for name in search.scope:
        written = (name, json.dumps(name)[1:-1])
        if name not in search.sources and not any(_stands(each, search.text) for each in written):
            yield name


def _stands(name: str, text: str) -> bool:
    """Whether *text* holds a name as a whole: the id ``c`` does not stand in “clause”."""
    return re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", text) is not None


def _told(*scope: str) -> Run:
    story = Story()
    story.document("notice")
    body = json.dumps({"results": [{"doc_id": "notice", "text": "Batches"}]})
    story.answers_with(body, {"query": "limits", "doc_ids": list(scope)}, id="search-1")
    return story.answer()


RULE = Rule(
    id="RET002",
    name="NamedSourceMissing",
    severity=Severity.WARNING,
    summary="A search named several sources, and one is missing from the result without a word",
    why=(
        "The model asked for both and was given one. An answer about both then rests on one, and "
        "nothing in the result says so: the source may not exist, or not be searched at all."
    ),
    silent=(
        "When the result names the missing source or explains itself; when as many came as were "
        "asked for at most; when the source of something that came is not known."
    ),
    check=check,
    passing=lambda: _told("notice"),
    failing=lambda: _told("notice", "appendix"),
)
