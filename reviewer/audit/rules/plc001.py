"""PLC001: a file's text was taken away before the answer and not read again."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import (
    Finding,
    Outcome,
    PlaceholderFacts,
    PlaceholderKind,
    ReadFacts,
    Severity,
    Where,
)
from store.records.grades import Grade
from store.records.runs import Run

_SAID = {
    "cleared": "cleared",
    "persisted": "moved to a file",
    "folded": "folded to a reference",
    "compacted": "replaced by a summary",
}


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each file whose read was taken away and not made good."""
    lost: dict[str, list[PlaceholderFacts]] = {}
    for fact in view.placeholders:
        if fact.is_file_read and fact.source_id and _counts(fact, view.requests.closing_call):
            lost.setdefault(fact.source_id, []).append(fact)
    reading = _Reading(view)
    for source_id, facts in lost.items():
        if not reading.again(source_id, facts):
            yield _finding(source_id, facts)


def _counts(fact: PlaceholderFacts, closing: int) -> bool:
    replaced = fact.kind not in (PlaceholderKind.TRUNCATED, PlaceholderKind.REFUSED)
    return replaced and fact.grade is not Grade.UNKNOWN and _taken(fact, closing)


def _taken(fact: PlaceholderFacts, closing: int) -> bool:
    """Whether the result was away before the last answer; an unrecorded time was before it."""
    return fact.first_call is None or fact.first_call <= closing


class _Reading:
    """Which reads gave text that stayed until the last answer, and in which order."""

    def __init__(self, view: AuditView) -> None:
        closing = view.requests.closing_call
        gone = {fact.tool_call_id for fact in view.placeholders if _taken(fact, closing)}
        self._order: dict[str, int] = {}
        self._side_files: dict[str, str] = {}
        for place, result in enumerate(view.run.tool_results):
            self._order.setdefault(result.tool_call_id, place)
            self._side_files[result.tool_call_id] = result.side_file
        self._stayed: dict[str, list[int]] = {}
        for read in view.reads:
            if read.tool_call_id not in gone and _gave_text(read, closing):
                places = self._stayed.setdefault(read.selection.source_id, [])
                places.append(self._order.get(read.tool_call_id, -1))

    def again(self, source_id: str, facts: list[PlaceholderFacts]) -> bool:
        """Whether a later read of the path, or of a lost read's side file, gave text and stayed."""
        lost = [fact.tool_call_id for fact in facts]
        earliest = min(self._order.get(id_, 0) for id_ in lost)
        paths = {source_id, *(self._side_files.get(id_, "") for id_ in lost)}
        return any(place > earliest for path in paths for place in self._stayed.get(path, ()))


def _gave_text(read: ReadFacts, closing: int) -> bool:
    arrived = read.call is not None and read.call <= closing
    return arrived and read.outcome in {Outcome.DELIVERED, Outcome.TRUNCATED}


def _finding(source_id: str, facts: list[PlaceholderFacts]) -> Finding:
    last_full = max((f.last_full_call for f in facts if f.last_full_call), default=None)
    ways = sorted({_SAID[fact.kind.value] for fact in facts})
    message = f"the text of {source_id} was {' and '.join(ways)} before the last answer"
    if last_full:
        message += f", last in call {last_full}"
    if any(fact.first_call is None for fact in facts):
        message += "; when is not recorded"
    first = min(facts, key=lambda fact: fact.first_call or 0)
    return finding(
        RULE.id,
        RULE.severity,
        Grade.weakest(*(fact.grade for fact in facts)),
        f"{message}, and it was not read again",
        Where(call=first.first_call, source_id=source_id, tool_call_id=first.tool_call_id),
        source_id,
        *sorted(fact.tool_call_id for fact in facts),
    )


def _passing() -> Run:
    story = Story()
    story.document("docs/notice.md")
    story.read("docs/notice.md", is_file_read=True)
    story.think()
    story.clear()
    story.read("docs/notice.md", id="read-2", is_file_read=True)
    return story.answer()


def _failing() -> Run:
    story = Story()
    story.document("docs/notice.md")
    story.read("docs/notice.md", is_file_read=True)
    story.think()
    story.clear()
    return story.answer()


RULE = Rule(
    id="PLC001",
    name="PhantomRead",
    severity=Severity.ERROR,
    summary="A file's text was taken out of the requests before the last answer and not read again",
    why=(
        "The trace shows a successful read, so everyone, often the model too, believes that the "
        "file was read. What the model had when it answered was a placeholder."
    ),
    silent=(
        "When a later read of the same path, or of the side file it was moved to, gave text that "
        "stayed; when the record cannot say what a request held (grade unknown); for a result that "
        "was cut or refused as it came, which the model was told; for shell, edit and search "
        "results, and for reads of the side file itself."
    ),
    check=check,
    passing=_passing,
    failing=_failing,
)
