"""RET004: the answer says that there is none, and rests on the best few of a search."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule
from reviewer.audit.rules._searches import (
    answers_after,
    clauses,
    holds_all,
    of_search,
    words_in,
)
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity
from store.records.runs import Run

_NONE = re.compile(
    r"\b(?:no|none|nothing|never|not (?:found|mentioned|contained|present|listed)|nowhere"
    r"|(?:does|do|did|is|are|was|were) not|(?:does|do|did|is|are|was|were)n't|without any)\b"
    r"|没有|未(?:发现|找到|提及|见|出现)|不存在|并无|均无|查无",
    re.IGNORECASE,
)


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each search cut at its limit that an answer takes for everything."""
    for search in view.searches:
        if not search.is_cut or search.total == len(search.hits) or holds_all(view, search.scope):
            continue
        for answer in answers_after(view, search):
            denied = [clause for clause in clauses(answer.text) if _NONE.search(clause)]
            if any(words_in(search.query, clause) for clause in denied):
                yield of_search(
                    RULE.id,
                    RULE.severity,
                    view,
                    search,
                    f"the answer of call {answer.call} says that there is none of {search.query}; "
                    f"the search gave the best {len(search.hits)} and no more",
                    answer.call,
                )
                break


def _told(answer: str) -> Run:
    story = Story()
    body = json.dumps({"results": [{"doc_id": "notice"}, {"doc_id": "handbook"}]})
    story.answers_with(body, {"query": "penalty clause", "top_k": 2}, id="search-1")
    return story.answer(text=answer)


def _passing() -> Run:
    return _told("The two texts that were found speak of maintenance.")


def _failing() -> Run:
    return _told("There is no penalty clause in the contracts.")


RULE = Rule(
    id="RET004",
    name="AbsenceFromTopResults",
    severity=Severity.WARNING,
    summary="The answer says that there is none, and rests on the best few results of a search",
    why=(
        "A search for the best few always gives the best few. That what was looked for is not "
        "among them does not say that it is nowhere: whoever must know has to read all of it."
    ),
    silent=(
        "When fewer came than were asked for at most, or the result says that these are all; when "
        "no clause of the answer has all words of the query and denies; when every source that "
        "the search named stood whole in the request of the answer."
    ),
    check=check,
    passing=_passing,
    failing=_failing,
)
