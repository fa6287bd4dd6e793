"""Finds an exact text in everything that audited runs hold, and tells what the model was given.

Each unique message is looked through once, however many requests hold it.
Offsets are code points of the recorded text.  Made to run in a worker thread:
it goes forward in small slices, and its caller may stop between any two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from reviewer.audit.intervals import covers, intersect, near, union
from reviewer.audit.texts import PLAIN_RESULT, VersionText
from store.records.findings import Audit, State, VersionFacts
from store.records.grades import Grade
from store.records.runs import Run
from store.records.sources import VersionKey
from store.records.text import Span, Unit

__all__ = [
    "Group",
    "Hit",
    "Kind",
    "Passage",
    "Reached",
    "Why",
    "calls_of_messages",
    "find_everywhere",
    "places_of",
]

_SLICE = 1 << 16
"""Code points looked through in one step: a few milliseconds."""
_BATCH = 1 << 18
"""Code points after which what was found is handed over."""
_BEFORE, _BEHIND = 24, 80
"""Code points of an excerpt on each side of a hit."""
_LISTED = 5_000
"""Hits of a group that are listed one by one; all are counted."""


class Kind(StrEnum):
    """What a passage is."""

    MESSAGE = "message"
    SOURCE = "source"
    RESULT = "result"
    ANSWER = "answer"


class Group(StrEnum):
    """How hits are counted: what the model was given is never added to what it was not."""

    GIVEN = "given"
    NOT_GIVEN = "not_given"
    ELSEWHERE = "elsewhere"


class Why(StrEnum):
    """Why a hit is counted where it is.

    ``REQUEST``: a message of a request.  ``UNPROVEN``: a message of requests
    that the record does not prove.  ``WRITTEN``: what the model wrote, in no
    later request.  ``DELIVERED``: stored text that the request of the answer
    holds.  ``CLEARED``: given before, and no longer in the request of the
    answer.  ``PREVIEW``: given as a preview only.  ``PARTLY``: some of it was
    given.  ``STORED``: stored text of which nothing was given.  ``OBTAINED``:
    what a tool returned and no request holds as it is.  ``ANSWER``: the answer.
    """

    REQUEST = "request"
    UNPROVEN = "unproven"
    WRITTEN = "written"
    DELIVERED = "delivered"
    CLEARED = "cleared"
    PREVIEW = "preview"
    PARTLY = "partly"
    STORED = "stored"
    OBTAINED = "obtained"
    ANSWER = "answer"

    @property
    def group(self) -> Group:
        """The group in which it is counted."""
        if self is Why.REQUEST:
            return Group.GIVEN
        if self in (Why.WRITTEN, Why.DELIVERED, Why.ANSWER):
            return Group.ELSEWHERE
        return Group.NOT_GIVEN


@dataclass(frozen=True, slots=True)
class Passage:
    """One text of one run.

    ``run`` is the place of its audit in what was searched.  ``number`` is a
    place in `Run.messages`, in `Run.tool_results` or in `Run.answers`.
    ``calls`` are ranges of calls, both ends included, whose requests hold it;
    for a result and an answer the call that asked or answered.
    """

    run: int
    kind: Kind
    text: str = field(repr=False)
    number: int = 0
    part: int = 0
    calls: tuple[tuple[int, int], ...] = ()
    version: VersionFacts | None = field(default=None, repr=False)
    why: Why = Why.REQUEST

    @property
    def source(self) -> VersionKey | None:
        """The version that it is the text of."""
        return self.version.version.key if self.version is not None else None


@dataclass(frozen=True, slots=True)
class Hit:
    """One place of the wanted text.

    ``span`` counts code points of the passage, ``place`` the unit of its
    version.  ``before``, ``found`` and ``behind`` are the recorded text there.
    """

    passage: Passage
    span: Span
    why: Why
    before: str = field(default="", repr=False)
    found: str = field(default="", repr=False)
    behind: str = field(default="", repr=False)
    place: Span | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """How far the search is: code points looked through of all, and what is new.

    ``hits`` are those to be listed; ``counts`` counts every hit so far.
    """

    done: int
    total: int
    hits: tuple[Hit, ...]
    counts: Mapping[Group, int]


def places_of(text: str, wanted: str, *, case: bool = False) -> Iterator[Span | None]:
    """Yield every place of *wanted* in *text* that overlaps none before it, in their order.

    Without *case* letters are compared one by one, so that a hit is as long as
    what was wanted.  ``None`` comes after each slice of the text.
    """
    if not wanted:
        return
    pattern = re.compile(re.escape(wanted), re.NOFLAG if case else re.IGNORECASE)
    free = 0
    for start in range(0, len(text), _SLICE):
        stop = min(start + _SLICE, len(text))
        for found in pattern.finditer(text, max(start, free), stop + len(wanted) - 1):
            if found.start() >= stop:
                break
            free = found.end()
            yield Span(found.start(), free)
        yield None


def calls_of_messages(run: Run) -> Mapping[int, tuple[tuple[int, int], ...]]:
    """Return for each message of a request the ranges of calls that hold it, ends included."""
    held: list[int] = []
    copies: dict[int, int] = {}
    since: dict[int, int] = {}
    found: dict[int, list[tuple[int, int]]] = {}
    for call in run.calls:
        before: dict[int, int] = {}
        for splice in reversed(call.splices):
            for message in held[splice.start : splice.stop]:
                before.setdefault(message, copies[message])
                copies[message] -= 1
            for message in splice.messages:
                before.setdefault(message, copies.get(message, 0))
                copies[message] = copies.get(message, 0) + 1
            held[splice.start : splice.stop] = splice.messages
        for message, count in before.items():
            if count and not copies[message]:
                found.setdefault(message, []).append((since.pop(message), call.index - 1))
            elif not count and copies[message]:
                since[message] = call.index
    last = run.calls[-1].index if run.calls else 0
    for message, first in since.items():
        found.setdefault(message, []).append((first, last))
    return {message: tuple(sorted(ranges)) for message, ranges in found.items()}


def find_everywhere(
    audits: Sequence[Audit],
    wanted: str,
    *,
    case: bool = False,
    check: Callable[[], None] = lambda: None,
) -> Iterator[Reached]:
    """Yield how far the search is, after each slice or more; the last has everything.

    An empty *wanted* stands nowhere.  *check* is called between slices and may
    raise to stop the search.
    """
    passages = [each for run, audit in enumerate(audits) for each in _passages(run, audit)]
    total = sum(len(each.text) for each in passages)
    counts = dict.fromkeys(Group, 0)
    hits: list[Hit] = []
    done = told = 0
    for passage in passages if wanted else ():
        judge = _Judge(passage)
        base = done
        for span in _slices(passage.text, wanted, case=case):
            if isinstance(span, int):
                check()
                done = base + span
                if done - told >= _BATCH or len(hits) >= _LISTED:
                    told = done
                    yield Reached(done, total, tuple(hits), dict(counts))
                    hits.clear()
                continue
            why = judge.why(span)
            counts[why.group] += 1
            if counts[why.group] <= _LISTED:
                hits.append(judge.hit(span, why))
    yield Reached(total, total, tuple(hits), dict(counts))


def _slices(text: str, wanted: str, *, case: bool) -> Iterator[Span | int]:
    """Yield places, and after each slice how many code points were looked through."""
    reached = 0
    for span in places_of(text, wanted, case=case):
        if span is None:
            reached = min(reached + _SLICE, len(text))
            yield reached
        else:
            yield span


# -- what there is to look through ------------------------------------------------


def _passages(run: int, audit: Audit) -> Iterator[Passage]:
    calls = calls_of_messages(audit.run)
    proven = {call.index for call in audit.run.calls if call.grade is not Grade.UNKNOWN}
    answered = {number for call in audit.run.calls for number in call.response}
    for number, message in enumerate(audit.run.messages):
        held = calls.get(number, ())
        if not held and number not in answered:
            continue  # it stands in no request and no answer of a call: nothing refers to it
        why = _why_message(held, proven)
        for part, each in enumerate(message.parts):
            if each.text:
                yield Passage(run, Kind.MESSAGE, each.text, number, part, held, None, why)
    yield from _stored(run, audit)
    yield from _results(run, audit.run)
    for number, answer in enumerate(audit.run.answers):
        at = ((answer.call, answer.call),)
        yield Passage(run, Kind.ANSWER, answer.text, number, calls=at, why=Why.ANSWER)


def _why_message(held: Sequence[tuple[int, int]], proven: set[int]) -> Why:
    if not held:
        return Why.WRITTEN
    known = any(call in proven for first, last in held for call in range(first, last + 1))
    return Why.REQUEST if known else Why.UNPROVEN


def _stored(run: int, audit: Audit) -> Iterator[Passage]:
    for source in audit.sources:
        for facts in source.versions:
            text = VersionText(facts.version).text
            if text:
                yield Passage(run, Kind.SOURCE, text, version=facts, why=Why.STORED)


def _results(run: int, record: Run) -> Iterator[Passage]:
    """Yield what tools returned and neither a request nor a version holds as it is."""
    names = {each.id: each for each in record.tool_calls}
    plain = {v.key.source_id: v.text for v in record.versions}
    sent: dict[str, list[str]] = {}
    for message in record.messages:
        for part in message.parts:
            if part.tool_call_id:
                sent.setdefault(part.tool_call_id, []).append(part.text)
    for number, result in enumerate(record.tool_results):
        call = names.get(result.tool_call_id)
        name = f"{PLAIN_RESULT}{call.name if call else ''}:{result.tool_call_id}"
        known = [*sent.get(result.tool_call_id, ()), plain.get(name)]
        if not result.text or result.text in known:
            continue
        at = call.by_call if call is not None else None
        calls = ((at, at),) if at is not None else ()
        yield Passage(run, Kind.RESULT, result.text, number, calls=calls, why=Why.OBTAINED)


def _why_blocks(facts: VersionFacts, names: Sequence[str]) -> Why:
    """Tell of named blocks; which of them the answer's request holds is known for all or none."""
    if not names or not all(name in facts.delivered_blocks for name in names):
        return Why.STORED
    return Why.DELIVERED if facts.state_at_answer is State.FULL else Why.CLEARED


class _Given:
    """What the model was given of one version, joined once and asked for many hits."""

    def __init__(self, facts: VersionFacts) -> None:
        self._at_answer = union(facts.delivered_at_answer)
        self._delivered = union(facts.delivered)
        self._previewed = union(facts.previewed)

    def why(self, wanted: Sequence[Span]) -> Why:
        """Return what holds of *wanted*, spans in the unit of the version."""
        if not wanted:
            return Why.STORED  # it has no place in the version of which anything is known
        if _holds(self._at_answer, wanted):
            return Why.DELIVERED
        if _holds(self._delivered, wanted):
            return Why.CLEARED
        if _holds(self._previewed, wanted):
            return Why.PREVIEW
        some = [*near(self._delivered, wanted), *near(self._previewed, wanted)]
        return Why.PARTLY if intersect(some, wanted) else Why.STORED


def _holds(joined: Sequence[Span], wanted: Sequence[Span]) -> bool:
    return covers(near(joined, wanted), wanted)


class _Judge:
    """Tells of the hits in one passage what the model was given of them."""

    def __init__(self, passage: Passage) -> None:
        self._passage = passage
        facts = passage.version
        self._text = VersionText(facts.version) if facts is not None else None
        self._given = _Given(facts) if facts is not None else None

    def why(self, span: Span) -> Why:
        """Return why a hit is counted where it is."""
        facts, text, given = self._passage.version, self._text, self._given
        if facts is None or text is None or given is None:
            return self._passage.why
        if text.unit is Unit.BLOCK:
            return _why_blocks(facts, [n for n, b in text.blocks.items() if b.overlaps(span)])
        return given.why(self._in_unit(span))

    def hit(self, span: Span, why: Why) -> Hit:
        """Return the hit with what stands around it."""
        text = self._passage.text
        place = None
        if self._text is not None:
            held = self._in_unit(span)
            place = Span(held[0].start, held[-1].end) if held else None
        return Hit(
            passage=self._passage,
            span=span,
            why=why,
            before=text[max(0, span.start - _BEFORE) : span.start],
            found=text[span.start : span.end],
            behind=text[span.end : span.end + _BEHIND],
            place=place,
        )

    def _in_unit(self, span: Span) -> tuple[Span, ...]:
        """Return a hit in the unit of the version; of lines those that hold any of it."""
        text = self._text
        assert text is not None  # noqa: S101 - asked of stored text only
        if text.unit is not Unit.LINE:
            return text.in_unit([span])
        numbers = text.version.line_numbers
        first = text.index.line_of(span.start) - 1
        last = text.index.line_of(span.end - 1) - 1
        return tuple(Span(n, n + 1) for n in numbers[first : last + 1])
