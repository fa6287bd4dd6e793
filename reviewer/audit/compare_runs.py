"""Two runs over one question: what differs in what they were given, did and said."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from reviewer.audit.compare_citations import Fates, compare_citations
from reviewer.audit.compare_reads import compare_reads
from reviewer.audit.compare_sequence import ComparisonStopped
from reviewer.audit.compare_stores import compare_stores, counterparts, versions_by_source
from reviewer.audit.residency import Residency
from reviewer.audit.texts import PLAIN_RESULT
from store.records.comparisons import (
    AnswerDifference,
    CallDifference,
    EditDifference,
    FindingDifference,
    PlaceholderDifference,
    RunComparison,
)
from store.records.differences import Change, Doubt, Side, Why
from store.records.findings import Audit, Finding, PlaceholderFacts
from store.records.grades import Grade
from store.records.runs import Call, ContextEdit, Run
from store.records.sources import VersionKey

__all__ = ["compare_runs"]


def compare_runs(
    a: Audit,
    b: Audit,
    *,
    identical: bool,
    unread: Collection[Side] = (),
    stopped: Callable[[], bool] = lambda: False,
) -> RunComparison:
    """Compare two audited runs; *identical* says that their records hold the same.

    *unread* are sides of which something could not be read.  Raises
    `ComparisonStopped` soon after *stopped* says so.
    """
    left, right = versions_by_source(a.run.versions), versions_by_source(b.run.versions)
    sources = compare_stores(left, right, stopped, unread=unread)
    fates = Fates(a, right, sources, complete=False, stopped=stopped)
    return RunComparison(
        identical=identical,
        sources=sources,
        reads=tuple(
            compare_reads(
                a.sources, b.sources, counterparts(sources), (_unproven(a), _unproven(b)), stopped
            )
        ),
        citations=tuple(compare_citations(a, b, fates)),
        answers=tuple(_answers(a.run, b.run)),
        calls=tuple(_calls(a.run, b.run, stopped)),
        placeholders=tuple(_placeholders(a.placeholders, b.placeholders)),
        edits=tuple(_edits(a.run.edits, b.run.edits)),
        findings=tuple(_findings(a.findings, b.findings)),
        doubts=tuple(_doubts(a, b, unread)),
    )


def _unproven(audit: Audit) -> frozenset[VersionKey]:
    """Return the versions of which some stands only in requests that the record does not prove."""
    calls = audit.run.calls
    if all(call.grade is not Grade.UNKNOWN for call in calls):
        return frozenset()
    proven = [call.index for call in calls if call.grade is not Grade.UNKNOWN]
    residency = Residency(calls, len(audit.run.messages))

    def is_proven(message: int) -> bool:
        return any(
            bisect_left(proven, stay.first) < bisect_right(proven, stay.last)
            for stay in residency.stays(message)
        )

    messages = {piece.message for piece in audit.deliveries}
    unknown = {message for message in messages if not is_proven(message)}
    return frozenset(piece.version for piece in audit.deliveries if piece.message in unknown)


def _doubts(a: Audit, b: Audit, unread: Collection[Side]) -> Iterator[Doubt]:
    for side, audit in ((Side.A, a), (Side.B, b)):
        if side in unread:
            yield Doubt(side, Why.UNREADABLE, audit.run.run_id)
        unknown = [call for call in audit.run.calls if call.grade is Grade.UNKNOWN]
        if unknown:
            yield Doubt(side, Why.GRADE_UNKNOWN, unknown[0].grade_reason)


def _answers(a: Run, b: Run) -> Iterator[AnswerDifference]:
    for number, (ours, theirs) in enumerate(zip_longest(a.answers, b.answers)):
        if ours is None or theirs is None:
            change = Change.ADDED if ours is None else Change.REMOVED
        else:
            change = Change.SAME if ours.text == theirs.text else Change.CHANGED
        yield AnswerDifference(
            number,
            change,
            None if ours is None else len(ours.text),
            None if theirs is None else len(theirs.text),
        )


# -- calls -----------------------------------------------------------------------------


def _calls(a: Run, b: Run, stopped: Callable[[], bool]) -> Iterator[CallDifference]:
    """Yield the calls of one number side by side; a message is named by what it holds."""
    names: dict[Hashable, int] = {}
    ours = [names.setdefault(content, len(names)) for content in _contents(a)]
    theirs = [names.setdefault(content, len(names)) for content in _contents(b)]
    requests_a, requests_b = _requests(a, ours), _requests(b, theirs)
    for index, (one, other) in enumerate(zip_longest(a.calls, b.calls), 1):
        if stopped():
            raise ComparisonStopped
        held_a, held_b = next(requests_a, ()), next(requests_b, ())
        if one is None or other is None:
            change = Change.ADDED if one is None else Change.REMOVED
            yield CallDifference(index, change, change, len(held_a), len(held_b), change)
            continue
        yield _call(
            CallDifference(index, Change.SAME, Change.SAME),
            (one, held_a, [ours[n] for n in one.response]),
            (other, held_b, [theirs[n] for n in other.response]),
        )


def _contents(run: Run) -> Iterator[Hashable]:
    """Yield what each message holds; ids of tool calls, made anew in each run, by their order."""
    order: dict[str, int] = {"": 0}
    for message in run.messages:
        yield (
            message.role,
            *(
                (order.setdefault(part.tool_call_id, len(order)), replace(part, tool_call_id=""))
                for part in message.parts
            ),
        )


_Held = tuple[Call, Sequence[int], Sequence[int]]


def _call(blank: CallDifference, a: _Held, b: _Held) -> CallDifference:
    (call_a, held_a, said_a), (call_b, held_b, said_b) = a, b
    more_a = more_b = 0
    if held_a != held_b:
        count_a, count_b = Counter(held_a), Counter(held_b)
        more_a, more_b = (count_a - count_b).total(), (count_b - count_a).total()
    set_alike = (call_a.model, _settings(call_a)) == (call_b.model, _settings(call_b))
    return replace(
        blank,
        request=_change(held_a == held_b),
        response=_change(said_a == said_b and call_a.error == call_b.error),
        messages_a=more_a,
        messages_b=more_b,
        settings=_change(set_alike),
        doubt=_call_doubt(call_a, call_b),
    )


def _settings(call: Call) -> dict[str, object]:
    """Return the settings without the ids, which name a call and set nothing."""
    return {
        name: value
        for name, value in call.settings.items()
        if name != "id" and not name.endswith("_id")
    }


def _change(same: object) -> Change:
    return Change.SAME if same else Change.CHANGED


def _call_doubt(a: Call, b: Call) -> Doubt | None:
    sides = [side for side, call in ((Side.A, a), (Side.B, b)) if call.grade is Grade.UNKNOWN]
    if not sides:
        return None
    reason = (a if a.grade is Grade.UNKNOWN else b).grade_reason
    return Doubt(Side.BOTH if len(sides) > 1 else sides[0], Why.GRADE_UNKNOWN, reason)


def _requests(run: Run, names: Sequence[int]) -> Iterator[list[int]]:
    """Yield the request of each call; the list is one and the same, and changes."""
    held: list[int] = []
    for call in run.calls:
        for splice in reversed(call.splices):
            held[splice.start : splice.stop] = [names[number] for number in splice.messages]
        yield held


# -- what was taken away ---------------------------------------------------------------


def _placeholders(
    a: Iterable[PlaceholderFacts], b: Iterable[PlaceholderFacts]
) -> Iterator[PlaceholderDifference]:
    """Yield what differs: first by the id of the tool call, then by tool and source, in order."""
    by_id, rest_a, rest_b = _paired(a, b, lambda facts: facts.tool_call_id)
    by_name, left_a, left_b = _paired(rest_a, rest_b, lambda facts: (facts.tool, _source(facts)))
    for ours, theirs in by_id:
        if ours != theirs:
            yield PlaceholderDifference(ours, theirs)
    for ours, theirs in by_name:
        if _without_ids(ours) != _without_ids(theirs):
            yield PlaceholderDifference(ours, theirs)
    yield from (PlaceholderDifference(ours, None) for ours in left_a)
    yield from (PlaceholderDifference(None, theirs) for theirs in left_b)


def _without_ids(facts: PlaceholderFacts) -> PlaceholderFacts:
    """Return *facts* without ids, which are made anew in each run and are no difference."""
    return replace(facts, tool_call_id="", source_id=_source(facts))


def _source(facts: PlaceholderFacts) -> str:
    return "" if facts.source_id.startswith(PLAIN_RESULT) else facts.source_id


_Pairs = tuple[
    list[tuple[PlaceholderFacts, PlaceholderFacts]],
    list[PlaceholderFacts],
    list[PlaceholderFacts],
]


def _paired(
    a: Iterable[PlaceholderFacts],
    b: Iterable[PlaceholderFacts],
    name: Callable[[PlaceholderFacts], Hashable],
) -> _Pairs:
    waiting: dict[Hashable, list[PlaceholderFacts]] = defaultdict(list)
    others = list(b)
    for facts in others:
        waiting[name(facts)].append(facts)
    pairs: list[tuple[PlaceholderFacts, PlaceholderFacts]] = []
    left: list[PlaceholderFacts] = []
    for facts in a:
        same = waiting.get(name(facts))
        if same:
            pairs.append((facts, same.pop(0)))
        else:
            left.append(facts)
    free = {id(facts) for held in waiting.values() for facts in held}
    return pairs, left, [facts for facts in others if id(facts) in free]


def _edits(a: Iterable[ContextEdit], b: Iterable[ContextEdit]) -> Iterator[EditDifference]:
    ours = Counter(replace(edit, origin="", reason="") for edit in a)
    theirs = Counter(replace(edit, origin="", reason="") for edit in b)
    yield from (EditDifference(edit, None) for edit in (ours - theirs).elements())
    yield from (EditDifference(None, edit) for edit in (theirs - ours).elements())


def _findings(a: Sequence[Finding], b: Sequence[Finding]) -> Iterator[FindingDifference]:
    ours, theirs = Counter(map(_fingerprint, a)), Counter(map(_fingerprint, b))
    yield from (FindingDifference(finding, None) for finding in _beyond(a, theirs))
    yield from (FindingDifference(None, finding) for finding in _beyond(b, ours))


def _fingerprint(finding: Finding) -> Hashable:
    return finding.fingerprint or (finding.rule, finding.message, finding.where)


def _beyond(findings: Iterable[Finding], others: Counter[Hashable]) -> Iterator[Finding]:
    """Yield the findings that the other side does not have, or not as often."""
    left = Counter(others)
    for finding in findings:
        name = _fingerprint(finding)
        if left[name]:
            left[name] -= 1
        else:
            yield finding
