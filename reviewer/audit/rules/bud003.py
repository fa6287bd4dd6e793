"""BUD003: a result was cut exactly at a limit, without a word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Outcome, ReadFacts, Severity, Where
from store.records.grades import Grade
from store.records.markers import marker_of
from store.records.runs import Run

_TOLD = ("byte_complete", "input_complete")
_LEAST = 1000
"""Code points or bytes; what is shorter was hardly cut at a limit."""
_AGREE = 2


class _Cut(NamedTuple):
    """A read whose text ends early: its length in code points and in UTF-8 bytes."""

    read: ReadFacts
    chars: int
    utf8: int


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each cut at a limit that the record shows or that cuts agree on."""
    cuts = tuple(_cuts(view))
    shared: Mapping[int, set[str]] = _lengths(cuts)
    budget = view.run.budget
    declared = budget.max_read_chars if budget else 0
    for cut in cuts:
        limit = _limit(cut, declared, shared)
        if not limit:
            continue
        read = cut.read
        yield finding(
            RULE.id,
            RULE.severity,
            read.grade,
            f"the text of {read.selection.source_id} ends at {limit} without a word of it; "
            f"{read.recomputed.reason}",
            Where(
                call=read.call,
                source_id=read.selection.source_id,
                tool_call_id=read.tool_call_id,
            ),
            read.selection.source_id,
            read.selection.version_id,
            read.tool_call_id,
        )


def _cuts(view: AuditView) -> Iterator[_Cut]:
    texts = _texts(view)
    for read in view.reads:
        text = texts.get(read.tool_call_id)
        declared_short = any(read.declared.get(name) is False for name in _TOLD)
        if (
            text is not None
            and read.outcome is Outcome.TRUNCATED
            and read.grade is not Grade.UNKNOWN
            and read.recomputed.missing
            and not declared_short
            and marker_of(text) is None
        ):
            yield _Cut(read, len(text), len(text.encode("utf-8", "surrogatepass")))


def _texts(view: AuditView) -> Mapping[str, str]:
    """Return the text that first stood for each result."""
    found: dict[str, str] = {}
    wanted = {r.tool_call_id for r in view.reads if r.outcome is Outcome.TRUNCATED}
    for message in view.run.messages if wanted else ():
        for part in message.parts:
            if part.tool_call_id in wanted and part.kind.value == "tool_result":
                found.setdefault(part.tool_call_id, part.text)
    return found


def _lengths(cuts: tuple[_Cut, ...]) -> Mapping[int, set[str]]:
    """Return which sources were cut at each length in code points."""
    found: dict[int, set[str]] = defaultdict(set)
    for cut in cuts:
        found[cut.chars].add(cut.read.selection.source_id)
    return found


def _limit(cut: _Cut, declared: int, shared: Mapping[int, set[str]]) -> str:
    """Return the limit that a text ends at, in words; empty where none is known."""
    if declared and cut.chars == declared:
        return f"the {declared} characters of the run's max_read_chars"
    if cut.chars < _LEAST:
        return ""
    if _is_round(cut.chars):
        return f"{cut.chars} characters, a round number,"
    if _is_round(cut.utf8):
        return f"{cut.utf8} bytes, a round number,"
    others = len(shared[cut.chars])
    if others >= _AGREE:
        return f"{cut.chars} characters, as {others} sources do,"
    return ""


def _is_round(length: int) -> bool:
    return length % 1000 == 0 or length & (length - 1) == 0


def _run(limit: int) -> Run:
    story = Story()
    text = NOTICE * 20
    story.document("notice", text)
    story.read("notice", shown=text[:limit])
    return story.answer()


RULE = Rule(
    id="BUD003",
    name="SilentCutAtLimit",
    severity=Severity.WARNING,
    summary="A result ends exactly at a limit, without a word, and looks as if it ended there",
    why=(
        "A text that stops at 2000 characters reads like a text of 2000 characters. The model "
        "answers from it as from the whole, and nobody asks for the rest."
    ),
    silent=(
        "When the result, or what the tool declares, says that it was cut; when it ends at no "
        "known limit (then COV rules speak of what is missing); when the text of the version is "
        "not stored, so that nothing shows the rest; when the grade is unknown."
    ),
    check=check,
    passing=lambda: _run(len(NOTICE * 20)),
    failing=lambda: _run(2000),
)
