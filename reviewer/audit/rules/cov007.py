"""COV007: an answer speaks of a whole of which its request holds a part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reviewer.audit.intervals import length, subtract, union
from reviewer.audit.rules._claims import Claim, claims
from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.settings import Parameter
from reviewer.audit.texts import PLAIN_RESULT
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Outcome, Severity, SourceFacts, VersionFacts, Where
from store.records.grades import Grade
from store.records.runs import Answer, Run
from store.records.text import Span, Unit

LEAST = Parameter(
    "least_missing_percent",
    5,
    meaning="how much of a source must be missing, in percent of its length, to be told",
    minimum=0,
)
_SHORTEST_NAMES = (3, 2)
"""Characters from which on a name is looked for: of ASCII, and of other scripts, such as 合同."""
_QUOTED = 120


class _Part(NamedTuple):
    """A source of which a request holds a part: which part, of how much."""

    source: SourceFacts
    held: int
    whole: int
    unit: Unit

    @property
    def missing(self) -> int:
        return 100 * (self.whole - self.held) // self.whole


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each answer and source that it speaks of as read in full."""
    lines, saved = _lines(view), _saved(view)
    for number, answer in enumerate(view.run.answers):
        if not 0 < answer.call <= len(view.run.calls):
            continue
        call = view.run.calls[answer.call - 1]
        if call.grade is Grade.UNKNOWN:
            continue
        said = list(claims(answer.text))
        seen = _read(view, answer)
        # What was read again from the file it was saved to is judged there.
        seen -= {saved[name] for name in seen if name in saved}
        sources = [source for source in view.sources if source.source_id in seen]
        parts = _parts(view, answer, sources, lines) if said else []
        for part in parts:
            claim = next((c for c in said if _is_meant(c, part, sources, saved)), None)
            if claim is None:
                continue
            name = part.source.source_id
            where = f"{saved[name]}, as saved in {name}," if name in saved else name
            yield finding(
                RULE.id,
                RULE.severity,
                call.grade,
                f"the answer of call {answer.call} says “{_short(claim.text)}”; of {where} its "
                f"request holds {part.held} of {part.whole} {part.unit.value}s",
                Where(call=answer.call, source_id=name),
                name,
                number,
            )


def _lines(view: AuditView) -> dict[str, int]:
    """Return how many lines a file has where only its reads say so."""
    found: dict[str, int] = {}
    for read in view.reads:
        total = read.declared.get("total_lines")
        if isinstance(total, int) and not isinstance(total, bool):
            found[read.selection.source_id] = max(total, found.get(read.selection.source_id, 0))
    return found


def _saved(view: AuditView) -> dict[str, str]:
    """Return for each file that a result was saved to what the result was read from."""
    return {
        result.side_file: result.selections[0].source_id
        for result in view.run.tool_results
        if result.side_file and result.selections
    }


def _read(view: AuditView, answer: Answer) -> set[str]:
    """Return the sources that reads gave something of before an answer."""
    came = {Outcome.DELIVERED, Outcome.TRUNCATED}
    return {
        read.selection.source_id
        for read in view.reads
        if read.call is not None
        and read.call <= answer.call
        and read.outcome in came
        and not read.selection.source_id.startswith(PLAIN_RESULT)
    }


def _parts(
    view: AuditView, answer: Answer, sources: Sequence[SourceFacts], lines: dict[str, int]
) -> list[_Part]:
    found: list[_Part] = []
    for source in sources:
        least = view.settings.value(RULE.id, LEAST, source.source_id)
        part = _part(view, source, answer.call, lines)
        if part is not None and part.missing >= least:
            found.append(part)
    return found


def _part(view: AuditView, source: SourceFacts, call: int, lines: dict[str, int]) -> _Part | None:
    """Return what a request holds of the version it holds most of, ``None`` if that is all.

    Of a source of which nothing stands there other rules tell.
    """
    best: _Part | None = None
    for facts in source.versions:
        whole = _whole(facts, lines.get(source.source_id, 0))
        if whole is None or not whole.length:
            continue
        held = whole.length - length(subtract([whole], _held(view, facts, call)))
        if held == whole.length:
            return None
        if held and (best is None or held * best.whole > best.held * whole.length):
            best = _Part(source, held, whole.length, facts.unit)
    return best


def _whole(facts: VersionFacts, lines: int) -> Span | None:
    if facts.unit is Unit.LINE:
        return Span(1, lines + 1) if lines else None
    chars = facts.version.chars
    return Span(0, chars) if facts.unit is Unit.CHAR and chars else None


def _held(view: AuditView, facts: VersionFacts, call: int) -> Sequence[Span]:
    """Return what stands in a request, and the white space between: nobody misses it."""
    held = view.requests.touched(facts.version.key, call)
    text = facts.version.text
    if text is None or facts.unit is not Unit.CHAR:
        return held
    gaps = subtract([Span(0, len(text))], held)
    blank = [gap for gap in gaps if not text[gap.start : gap.end].strip()]
    return union([*held, *blank])


def _is_meant(
    claim: Claim, part: _Part, seen: Sequence[SourceFacts], saved: dict[str, str]
) -> bool:
    """Whether a claim speaks of a source: by its name, or since it names none of those read."""
    named = [each.source_id for each in seen if _is_named(claim.text, each, saved)]
    if named:
        return part.source.source_id in named
    return claim.many or len(seen) == 1


def _is_named(words: str, source: SourceFacts, saved: dict[str, str]) -> bool:
    """Whether *words* name a source, or what was saved to it, by id, file or title."""
    ids = [source.source_id, saved.get(source.source_id, "")]
    files = [each.replace("\\", "/").rpartition("/")[2] for each in ids]
    stems = [each.rpartition(".")[0] for each in files]
    return any(_stands_in(name, words) for name in (source.title, *ids, *files, *stems))


def _stands_in(name: str, words: str) -> bool:
    """Whether a name stands in *words*; within another word one of ASCII letters does not."""
    if len(name) < _SHORTEST_NAMES[not name.isascii()]:
        return False
    edges = (r"(?<!\w)", r"(?!\w)") if name.isascii() else ("", "")
    sought = re.escape(name).join(edges)
    return re.search(sought, words, re.IGNORECASE | re.ASCII) is not None


def _short(text: str) -> str:
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}… (+{len(text) - _QUOTED})"


def _told(answer: str) -> Run:
    story = Story()
    story.document("notice")
    story.read("notice", span=(0, NOTICE.index("\n") + 1))
    return story.answer(text=answer)


RULE = Rule(
    id="COV007",
    name="PartToldAsWhole",
    severity=Severity.WARNING,
    summary="An answer speaks of a whole document, and its request holds a part of it",
    why=(
        "“I have read the whole contract” and “the report does not mention it” are claims about "
        "every line. Who read a part cannot make them, and the reader takes them for a proof."
    ),
    silent=(
        "When the sentence names another source, or several were read and it names none and does "
        "not speak of all; when it limits itself; when the length of the source is not known; when "
        "nothing of it stands in the request, which is PLC001 or a verdict; where the grade is "
        "unknown."
    ),
    check=check,
    passing=lambda: _told("The first line of the notice names a window on Sunday."),
    failing=lambda: _told("I have read the entire notice: nothing else is limited."),
    parameters=(LEAST,),
)
