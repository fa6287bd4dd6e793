"""What differs between two runs, as lines: what each was given, did, lost and said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from reviewer.display import indented, one_line
from reviewer.reports._comparison_words import (
    MATCHES,
    doubt_words,
    span_words,
    version_words,
)
from reviewer.reports._words import FINDING_SIGNS, call_ranges, counted, placeholder_words, where
from store.records.comparisons import (
    AnswerDifference,
    CallDifference,
    CitationDifference,
    EditDifference,
    FindingDifference,
    PlaceholderDifference,
    ReadDifference,
    RunComparison,
)
from store.records.differences import Change
from store.records.findings import PlaceholderFacts

__all__ = ["run_lines"]

_READS = 4


def run_lines(found: RunComparison, columns: int, limit: int) -> Iterator[str]:
    """Yield each part of the comparison that has something to say; with *limit* 0 all of it."""
    yield from _part("Not known", [doubt_words(one) for one in found.doubts], columns, 0)
    reads = [line for one in found.reads if not one.same for line in _read(one, limit)]
    same = sum(one.same for one in found.reads)
    title = f"Given to one and not to the other ({same} of {len(found.reads)} sources read alike)"
    yield from _part(title, reads, columns, limit)
    verdicts = [_verdict(one) for one in found.citations if one.verdict_changed]
    yield from _part("Verdicts that changed", verdicts, columns, limit)
    alone = [line for one in found.citations if (line := _alone(one))]
    yield from _part("Citations of one run only", alone, columns, limit)
    yield from _part("Answers", list(_answers(found.answers)), columns, limit)
    yield from _part("Calls", list(_calls(found.calls)), columns, 0)
    taken = [_placeholder(one) for one in found.placeholders]
    yield from _part("Taken away from requests, and not alike", taken, columns, limit)
    yield from _part("Recorded edits", [_edit(one) for one in found.edits], columns, limit)
    findings = [_finding(one) for one in found.findings]
    yield from _part("Findings that appeared (+) or are gone (-)", findings, columns, limit)


def _part(title: str, lines: Sequence[str], columns: int, limit: int) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield title
    shown = lines[:limit] if limit else lines
    for line in shown:
        yield from indented(one_line(line), "  ", columns)
    if len(shown) < len(lines):
        yield f"  … {len(lines) - len(shown)} more of {len(lines)}; --all shows them"


def _read(one: ReadDifference, limit: int) -> Iterator[str]:
    names = {
        side: version_words(key.source_id, key.version_id)
        for side, key in (("A", one.version_a), ("B", one.version_b))
        if key is not None
    }
    alone, why, signs = "alone", "", _SIGN
    if one.doubt is not None:
        # Not proven to be a difference: it is shown as what each record holds.
        alone, why, signs = "shows", f"; {doubt_words(one.doubt)}", dict.fromkeys(_SIGN, "?")
    most = _READS if limit else 0
    for side, spans, unit in (("A", one.only_a, one.unit), ("B", one.only_b, one.b_unit)):
        if spans:
            told = span_words(spans[:most] if most else spans, unit)
            left = len(spans) - most if most else 0
            more = f" and {left} more" if left > 0 else ""
            total = sum(span.length for span in spans)
            all_ = f" ({total} in all)" if len(spans) > 1 else ""
            yield f"{signs[side]} {side} {alone}: {names[side]}: {told}{more}{all_}{why}"
    for side, blocks in (("A", one.blocks_a), ("B", one.blocks_b)):
        if blocks:
            shown = blocks[:most] if most else blocks
            left = len(blocks) - len(shown)
            more = f" and {left} more" if left else ""
            told = ", ".join(shown)
            yield f"{signs[side]} {side} {alone}: {names[side]}: blocks {told}{more}{why}"
    if one.doubt is not None and not (one.only_a or one.only_b or one.blocks_a or one.blocks_b):
        yield f"? {' / '.join(dict.fromkeys(names.values()))}{why}"


_SIGN = {"A": "-", "B": "+"}


def _verdict(one: CitationDifference) -> str:
    before = one.verdict_a.word if one.verdict_a else ""
    after = one.verdict_b.word if one.verdict_b else ""
    how = MATCHES[one.matched] if one.matched else ""
    return f"~ A #{one.a} → B #{one.b} {one.source_id}: {before} → {after} ({how})"


def _alone(one: CitationDifference) -> str:
    if one.b is None and one.verdict_a is not None:
        return f"- A #{one.a} {one.source_id} ({one.verdict_a.word})"
    if one.a is None and one.verdict_b is not None:
        return f"+ B #{one.b} {one.source_id} ({one.verdict_b.word})"
    return ""


def _answers(answers: Iterable[AnswerDifference]) -> Iterator[str]:
    for one in answers:
        if one.change is Change.REMOVED:
            yield f"- answer {one.number}: in A alone, {one.chars_a} characters"
        elif one.change is Change.ADDED:
            yield f"+ answer {one.number}: in B alone, {one.chars_b} characters"
        elif one.change is Change.CHANGED:
            yield f"~ answer {one.number}: {one.chars_a} → {one.chars_b} characters, another text"


def _calls(calls: Sequence[CallDifference]) -> Iterator[str]:
    doubtful = [one.index for one in calls if one.doubt and one.request is not Change.REMOVED]
    told = Counter(one.request for one in calls if one.doubt is None)
    yield (
        f"{counted(told[Change.SAME], 'request')} the same, {told[Change.CHANGED]} changed, "
        f"{told[Change.REMOVED]} in A alone, {told[Change.ADDED]} in B alone"
    )
    if doubtful:
        yield f"? the request of call {call_ranges(doubtful)} could not be compared: grade unknown"
    changed = [one for one in calls if one.doubt is None and one.request is Change.CHANGED]
    for name, held in (
        ("the request", [one.index for one in changed]),
        ("the response", [one.index for one in calls if one.response is Change.CHANGED]),
        ("model or settings", [one.index for one in calls if one.settings is Change.CHANGED]),
    ):
        if held:
            yield f"~ {name} differs in call {call_ranges(held)}"


def _placeholder(one: PlaceholderDifference) -> str:
    held = one.a or one.b
    if held is None:
        return ""
    name = f"{held.tool or 'tool call'} {held.source_id or held.tool_call_id}"
    if one.a is None or one.b is None:
        side = "A" if one.b is None else "B"
        return f"{_SIGN[side]} {side} alone: {name}: {_taken(held)}"
    return f"~ {name}: {_taken(one.a)} → {_taken(one.b)}"


def _taken(facts: PlaceholderFacts) -> str:
    first, last, kept, back = placeholder_words(facts)
    return (
        f"{facts.kind.value} from call {first}, last whole in call {last}, kept {kept}, "
        f"way back {back}, grade {facts.grade.value}"
    )


def _edit(one: EditDifference) -> str:
    edit = one.a or one.b
    if edit is None:
        return ""
    side = "A" if one.a else "B"
    when = (
        "at a time not recorded" if edit.before_call is None else f"before call {edit.before_call}"
    )
    by = f" by {edit.by}" if edit.by else ""
    ids = counted(len(edit.tool_call_ids), "result")
    return (
        f"{_SIGN[side]} {side} alone: {edit.kind.value} {when}{by}, {ids}, grade {edit.grade.value}"
    )


def _finding(one: FindingDifference) -> str:
    finding = one.a or one.b
    if finding is None:
        return ""
    sign = "-" if one.a else "+"
    severity = f"{FINDING_SIGNS[finding.severity]} {finding.severity.value}"
    grade = f"grade {finding.grade.value}"
    return f"{sign} {finding.rule} {severity}, {grade}: {finding.message} ({where(finding)})"
