"""RET005: the answer counts, and the number is how many results a search gave at most."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule
from reviewer.audit.rules._searches import answers_after, holds_all, of_search
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity
from store.records.runs import PartKind, Run

_HOW_MANY = re.compile(
    r"\bhow (?:many|often)\b|\bcount\b|\bnumber of\b|多少|几(?:个|份|次|条|处|项|家|篇)|数量|总数",
    re.IGNORECASE,
)
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_CHINESE = "零一二三四五六七八九十"


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each search cut at its limit whose length an answer gives as count."""
    if not any(search.is_cut for search in view.searches) or not _is_asked(view.run):
        return
    for search in view.searches:
        count = len(search.hits)
        if not search.is_cut or search.total is not None or holds_all(view, search.scope):
            continue
        for answer in answers_after(view, search):
            if _says(answer.text, count):
                yield of_search(
                    RULE.id,
                    RULE.severity,
                    view,
                    search,
                    f"the answer of call {answer.call} counts {count}, as many as the search for "
                    f"{search.query} was to give at most",
                    answer.call,
                )
                break


def _is_asked(run: Run) -> bool:
    """Whether the user asks how many."""
    return any(
        part.kind is PartKind.TEXT and _HOW_MANY.search(part.text)
        for message in run.messages
        if message.role in ("user", "human")
        for part in message.parts
    )


def _says(text: str, count: int) -> bool:
    """Whether *text* gives *count*, in figures or in a word, outside the marks of citations."""
    plain = re.sub(r"\[[^\]]*\]", "", text)
    written = rf"(?<![\d.,]){count}(?![\d.,]*\d)"
    if count < len(_WORDS):
        written += rf"|\b{_WORDS[count]}\b|{_CHINESE[count]}[个份次条处项家篇]"
    return bool(re.search(written, plain, re.IGNORECASE))


def _told(limit: int) -> Run:
    story = Story()
    story.say("How many contracts have a penalty clause?")
    body = json.dumps({"results": [{"doc_id": "c-1"}, {"doc_id": "c-2"}, {"doc_id": "c-3"}]})
    story.answers_with(body, {"query": "penalty clause", "top_k": limit}, id="search-1")
    return story.answer(text="Three contracts have one.")


RULE = Rule(
    id="RET005",
    name="CountFromTopResults",
    severity=Severity.WARNING,
    summary="The answer counts, and its number is the limit of a search",
    why=(
        "The user asked how many there are, and the answer gives how many were asked for. The "
        "search would have given the same number out of thousands."
    ),
    silent=(
        "When the user did not ask how many; when fewer came than were asked for at most, or the "
        "result says how many there are; when every source that the search named stood whole in "
        "the request of the answer."
    ),
    check=check,
    passing=lambda: _told(10),
    failing=lambda: _told(3),
)
