"""COV005: a tool said that there is more, and nobody asked for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.settings import Parameter
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.runs import Run, ToolCall, ToolResult

_NEXT = re.compile(r"next_?(?:offset|cursor|page_?token|page|token|start|link)|continuation_?token")
_MORE = re.compile(r"has_?(?:more|next(?:_?page)?)")
_HEADER = re.compile(r"@@ lines \d+-\d+ of \d+ \| next offset (\d+)")
_LIMITS = re.compile(
    r"(?:max|top|num|n)_?\w*|\w*limit|k|count|size|page_?size|per_?page|end\w*|head|tail|lines"
)
"""Names of arguments with which the model itself says how much it wants."""
_PAGING = re.compile(r"\w*(?:offset|cursor|page|token|start|from|skip|after)\w*")

IGNORED = Parameter(
    "ignored_tools", (), meaning="names of tools whose cursors need not be followed"
)


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each result that names a next part which no tool call fetched."""
    run = view.run
    tools = {call.id: place for place, call in enumerate(run.tool_calls)}
    closing = view.requests.closing_call
    ignored = view.settings.value(RULE.id, IGNORED)
    for result in run.tool_results:
        place = tools.get(result.tool_call_id)
        arrived = view.requests.arrival(result.tool_call_id)
        if place is None or arrived is None or arrived > closing or not run.answers:
            continue
        call = run.tool_calls[place]
        more = _more(result)
        if more is None or call.name in ignored or _chose(call):
            continue
        if any(_follows(later, call, more) for later in run.tool_calls[place + 1 :]):
            continue
        source = result.selections[0].source_id if result.selections else None
        yield finding(
            RULE.id,
            RULE.severity,
            run.calls[arrived - 1].grade,
            f"{call.name} said that there is more ({more.said}), and no later call asked for it",
            Where(call=arrived, source_id=source, tool_call_id=call.id),
            call.id,
            more.cursor,
        )


class _More(NamedTuple):
    """What a result says of its next part: in its words, and the cursor, if it names one."""

    said: str
    cursor: str


def _more(result: ToolResult) -> _More | None:
    text = result.text or ""
    header = _HEADER.match(text)
    if header:
        return _More(f"next offset {header[1]}", header[1])
    if not text.lstrip().startswith("{"):
        return None
    value = _object(text)
    holders = [value, *(each for each in value.values() if isinstance(each, Mapping))]
    for holder in holders:
        for key, cursor in holder.items():
            name = str(key).lower()
            if _NEXT.fullmatch(name) and _is_place(cursor):
                return _More(f"{key} {cursor}", str(cursor))
    for holder in holders:
        for key, flag in holder.items():
            if _MORE.fullmatch(str(key).lower()) and flag is True:
                return _More(f"{key} true", "")
    return None


def _is_place(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool) and value not in ("", -1)


def _object(text: str) -> Mapping[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _chose(call: ToolCall) -> bool:
    """Whether the model itself said how much it wanted: then the rest is no loss."""
    arguments = _object(call.arguments)
    return any(_LIMITS.fullmatch(name.lower()) and value for name, value in arguments.items())


def _follows(later: ToolCall, call: ToolCall, more: _More) -> bool:
    """Whether a later tool call asks for the next part, or for another part of the same."""
    arguments, before = _object(later.arguments), _object(call.arguments)
    if more.cursor and more.cursor in map(str, arguments.values()):
        return True
    if later.name != call.name:
        return False
    same = {k: v for k, v in arguments.items() if not _PAGING.fullmatch(k.lower())}
    return arguments != before and same == {
        k: v for k, v in before.items() if not _PAGING.fullmatch(k.lower())
    }


def _told(*, followed: bool) -> Run:
    story = Story()
    page = json.dumps({"hits": ["a", "b"], "next_cursor": "p2"})
    story.answers_with(page, {"query": "limits"}, id="search-1")
    if followed:
        story.answers_with('{"hits": ["c"]}', {"query": "limits", "cursor": "p2"}, id="search-2")
    return story.answer()


RULE = Rule(
    id="COV005",
    name="CursorNotFollowed",
    severity=Severity.NOTE,
    summary="A tool said that there is more, and the next part was never asked for",
    why=(
        "The first page of a list reads like the list. An answer that counts, compares or denies "
        "speaks of a part, and often does not know it."
    ),
    silent=(
        "When a later call asks for the next part or for another part of the same; when the model "
        "itself said how much it wanted (limit, count, top_k and the like); when no answer came "
        "after it."
    ),
    check=check,
    passing=lambda: _told(followed=True),
    failing=lambda: _told(followed=False),
    parameters=(IGNORED,),
)
