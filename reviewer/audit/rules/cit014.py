"""CIT014: an answer over evidence that was read cites none of it."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import Story, cite
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.settings import Parameter
from reviewer.audit.texts import PLAIN_RESULT
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Outcome, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run

EXPECTED = Parameter(
    "expected",
    "others",
    meaning=(
        "which answers over evidence must cite: those beside others that do, in the same run, or "
        "always"
    ),
    choices=("others", "always"),
)
SHORTEST = Parameter(
    "shortest", 80, meaning="answers of fewer characters need no citation", minimum=0
)


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each answer without citations in whose turn something was read."""
    run = view.run
    always = view.settings.value(RULE.id, EXPECTED) == "always"
    citing = {facts.answer for facts in view.citations}
    # Naming a known address or file in passing makes nobody one who cites.
    if not always and not any(not facts.pattern for facts in view.citations):
        return  # nothing says that this program ever cites
    shortest = view.settings.value(RULE.id, SHORTEST)
    before = 0
    for number, answer in enumerate(run.answers):
        turn, before = range(before + 1, answer.call + 1), answer.call
        if number in citing or len(answer.text.strip()) < shortest:
            continue
        read = sorted(_read(view, turn))
        known = 0 < answer.call <= len(run.calls)
        grade = run.calls[answer.call - 1].grade if known else Grade.UNKNOWN
        if read and grade is not Grade.UNKNOWN:
            yield finding(
                RULE.id,
                RULE.severity,
                grade,
                f"the answer of call {answer.call} cites nothing, and {len(read)} sources were "
                f"read for it, {read[0]} first",
                Where(call=answer.call),
                number,
            )


def _read(view: AuditView, turn: range) -> set[str]:
    """Return the sources of which reads gave something in the calls of a turn."""
    came = {Outcome.DELIVERED, Outcome.TRUNCATED}
    return {
        read.selection.source_id
        for read in view.reads
        if read.call in turn
        and read.outcome in came
        and not read.selection.source_id.startswith(PLAIN_RESULT)
    }


def _told(*, cited: bool) -> Run:
    story = Story()
    story.document("notice")
    story.document("handbook")
    story.read("notice")
    story.answer(cite("notice", (0, 20)))
    story.say("And in the handbook?")
    story.read("handbook", id="read-2")
    said = "Batches are limited to 200 records while the maintenance window lasts, each Sunday."
    return story.answer(*([cite("handbook", (0, 20))] if cited else []), text=f"{said} So it is.")


RULE = Rule(
    id="CIT014",
    name="NothingCited",
    severity=Severity.NOTE,
    summary="An answer cites nothing, although sources were read for it and other answers cite",
    why="What an answer rests on then has to be searched for, or believed.",
    silent=(
        "In runs in which no answer cites anything, unless reread.toml expects citations always; "
        "for short answers; when nothing but plain tool results was read since the answer before."
    ),
    check=check,
    passing=lambda: _told(cited=True),
    failing=lambda: _told(cited=False),
    parameters=(EXPECTED, SHORTEST),
)
