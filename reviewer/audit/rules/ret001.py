"""RET001: a scope was applied after the search had picked its best, so that too few came."""

from __future__ import annotations

import json
from collections.abc import Iterator

from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._rule import Rule
from reviewer.audit.rules._searches import of_search
from reviewer.audit.searches import Search
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity
from store.records.runs import Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each search that gave fewer than asked while its scope holds more."""
    blocks = _blocks(view)
    for search in view.searches:
        if not _is_short(search):
            continue
        held = sum(len(blocks.get(name, ())) for name in search.scope)
        came = {hit.id for hit in search.hits}
        in_blocks = came <= {block for name in search.scope for block in blocks.get(name, ())}
        if in_blocks and held > len(search.hits):
            yield of_search(
                RULE.id,
                RULE.severity,
                view,
                search,
                f"{search.call.name} was asked for {search.limit} and gave {len(search.hits)}, all "
                f"within {', '.join(search.scope)}, which holds {held}",
            )


def _is_short(search: Search) -> bool:
    """Whether a search in a scope gave something, and less than it was asked for, unexplained."""
    few = search.limit is not None and 0 < len(search.hits) < search.limit
    explained = search.has_threshold or search.has_notice or search.total == len(search.hits)
    return few and bool(search.query and search.scope) and not explained


def _blocks(view: AuditView) -> dict[str, frozenset[str]]:
    """The blocks of each source: those of its version with the fewest, to promise nothing."""
    found: dict[str, frozenset[str]] = {}
    for version in view.run.versions:
        names = frozenset(block.block_id for block in version.blocks)
        known = found.get(version.key.source_id)
        found[version.key.source_id] = names if known is None else min(known, names, key=len)
    return found


def _told(limit: int) -> Run:
    story = Story()
    story.document("notice", NOTICE, blocks=(("b1", 0, 48), ("b2", 48, 102), ("b3", 102, 153)))
    body = json.dumps({"results": [{"block_id": "b3"}]})
    asked = {"query": "limits", "scope": "notice", "top_k": limit}
    story.answers_with(body, asked, id="search-1")
    return story.answer()


RULE = Rule(
    id="RET001",
    name="ScopeAppliedAfterRecall",
    severity=Severity.WARNING,
    summary="A search gave fewer than it was asked for, and its scope holds more",
    why=(
        "Where the best are picked first and the scope is applied to them afterwards, what the "
        "scope holds is lost to whatever ranks better outside of it. The model takes the few that "
        "are left for all there is."
    ),
    silent=(
        "When the search set a least score, or its result says why or how many there are; when the "
        "blocks of the scope are not recorded; when nothing came."
    ),
    check=check,
    passing=lambda: _told(1),
    failing=lambda: _told(3),
)
