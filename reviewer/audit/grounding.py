"""Where each claim of an answer stands in the request of the call that wrote it.

A claim stands in the request where its number, date or words do: in what tools
and documents said, in what the user said, in what the model itself did, or in
its own earlier words, as far as those stood on something when it wrote them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from reviewer.audit.grounding_claims import claims as claims_of
from reviewer.audit.grounding_numbers import numbers
from reviewer.audit.grounding_places import Held, Places, Role
from reviewer.audit.grounding_reckoning import Reckoned, reckoned
from reviewer.audit.grounding_sums import worked_out
from reviewer.audit.grounding_support import Claim, Key
from reviewer.audit.grounding_words import fold
from reviewer.audit.intervals import union
from reviewer.audit.standing import Standing
from store.records.citations import AnswerCitation
from store.records.findings import ClaimFacts, ClaimKind, Grounding, PlaceholderFacts
from store.records.grades import Grade
from store.records.runs import Answer, Part, PartKind, ProblemKind
from store.records.text import Span

__all__ = ["grounded"]


def grounded(
    standing: Standing,
    taken: Iterable[PlaceholderFacts],
    check: Callable[[], None] = lambda: None,
) -> Iterator[ClaimFacts]:
    """Yield the facts of every claim of every answer, in order; *check* is called at each message.

    What it raises ends the work.
    """
    answers = [
        (number, answer, claims_of(answer.text, _marks(answer)))
        for number, answer in enumerate(standing.run.answers)
        if standing.call(answer.call)
    ]
    keys: set[Key] = set()
    for _, _, made in answers:
        for claim in made:
            keys.update(claim.words, *claim.support)
    looking = _Looking(standing, Places(standing, taken, keys, check))
    for number, answer, made in answers:
        yield from looking.at(number, answer, made)


def _marks(answer: Answer) -> Iterator[Span]:
    for citation in answer.citations:
        if citation.answer_span and not isinstance(citation, AnswerCitation):
            written = answer.text[citation.answer_span.start : citation.answer_span.end]
            if len(written) <= _MARK:
                yield citation.answer_span


_LAST = 16
"""Messages with results, the last to come, from which an answer may reckon."""
_QUESTION = 4000
"""Code points of a question whose numbers an answer may reckon with."""

_MARK = 12
"""A citation's own mark, such as ``[12]``; a longer span is the sentence it stands for."""


class _Rank(IntEnum):
    """How a key stands, the best first."""

    FOUND = 0
    HEAD = 1
    CLEARED = 2
    NOWHERE = 3


class _Found(NamedTuple):
    rank: _Rank
    held: Held | None = None
    reason: str = ""


class _Looking:
    """Answers what stands where; what the model said itself is followed to where it said it."""

    def __init__(self, standing: Standing, places: Places) -> None:
        self.standing = standing
        self.places = places
        self._said: dict[tuple[Key, int], _Found] = {}
        self._known: dict[int, Reckoned] = {}

    def at(self, number: int, answer: Answer, made: tuple[Claim, ...]) -> Iterator[ClaimFacts]:
        call = answer.call
        found = [self._of(claim, call) for claim in made]
        holds = [one.rank is _Rank.FOUND for one in found]
        for index in worked_out(
            answer.text, made, holds, self._asked(call), lambda: self._results_before(call)
        ):
            found[index] = _Found(_Rank.FOUND, None, "worked out from values that stand there")
        for claim, one in zip(made, found, strict=True):
            yield self._facts(number, call, claim, one)

    def _asked(self, call: int) -> tuple[float, ...]:
        """Return the values in what the user said last before *call*."""
        at = bisect_right(self._questions, call, key=lambda question: question[0]) - 1
        if at < 0:
            return ()
        parts = self.standing.run.messages[self._questions[at][1]].parts
        texts = (fold(part.text[:_QUESTION]) for part in parts if part.kind is PartKind.TEXT)
        read = (float(number.value) for text in texts for number in numbers(text))
        return tuple(dict.fromkeys(read))

    def _results_before(self, call: int) -> list[Reckoned]:
        """Return what follows from the results that came last and stand in *call*."""
        at = bisect_right(self._results, call, key=lambda result: result[0])
        held = self._results[max(0, at - _LAST) : at]
        messages = (i for _, i in reversed(held) if self.standing.residency.holds(call, i))
        return [self._reckoned(index) for index in messages]

    @cached_property
    def _results(self) -> list[tuple[int, int]]:
        """For each message with results or documents its first call, ascending."""
        residency, kinds = self.standing.residency, {PartKind.TOOL_RESULT, PartKind.DOCUMENT}
        firsts = (
            (residency.first(index), index)
            for index, message in enumerate(self.standing.run.messages)
            if any(part.kind in kinds for part in message.parts)
        )
        return sorted((first, index) for first, index in firsts if first is not None)

    def _reckoned(self, message: int) -> Reckoned:
        if message not in self._known:
            parts = self.standing.run.messages[message].parts
            self._known[message] = reckoned("\n".join(part.text for part in parts))
        return self._known[message]

    @cached_property
    def _questions(self) -> list[tuple[int, int]]:
        """For each message of the user its first call, ascending."""
        residency = self.standing.residency
        firsts = (
            (residency.first(index), index)
            for index, message in enumerate(self.standing.run.messages)
            if message.role in ("user", "human")
        )
        return sorted((first, index) for first, index in firsts if first is not None)

    def _facts(self, number: int, call: int, claim: Claim, found: _Found) -> ClaimFacts:
        grade = self.standing.grade(call)
        outcome, reason = self._outcome(found, call, grade)
        obtained = self._obtained(claim) if outcome is Grounding.NOWHERE else None
        if obtained and grade is Grade.INFERRED:
            # An answer that repeats a result is a sign against the rule that took it away.
            outcome = Grounding.UNVERIFIABLE
            reason = f"the result of {obtained} holds it, and that none was given it is inferred"
        cleared = outcome is Grounding.CLEARED and found.held is not None
        return ClaimFacts(
            answer=number,
            call=call,
            span=claim.span,
            kind=claim.kind,
            text=claim.text,
            grounding=outcome,
            grade=grade,
            reason=reason,
            last_call=min(found.held.stay.last, call - 1) if cleared and found.held else None,
            tool_call_id=self._result_of(found.held) if found.held else None,
            obtained=obtained,
            is_own=claim.is_own,
        )

    def _outcome(self, found: _Found, call: int, grade: Grade) -> tuple[Grounding, str]:
        if grade is Grade.UNKNOWN:
            return Grounding.UNVERIFIABLE, self.standing.call(call).grade_reason  # type: ignore[union-attr]
        if found.rank is _Rank.FOUND:
            return Grounding.FOUND, found.reason
        blind = self._lost if grade is not Grade.RECORDED else ""
        blind = blind or self._blind_at(call, ever=found.rank is _Rank.NOWHERE)
        if blind:
            return Grounding.UNVERIFIABLE, blind
        return {
            _Rank.HEAD: Grounding.PLACEHOLDER,
            _Rank.CLEARED: Grounding.CLEARED,
            _Rank.NOWHERE: Grounding.NOWHERE,
        }[found.rank], found.reason

    def _of(self, claim: Claim, call: int) -> _Found:
        """Return the best reading, each as weak as its weakest key."""
        best = _Found(_Rank.NOWHERE)
        for keys in claim.support:
            quoted = claim.kind is ClaimKind.QUOTATION
            weakest = max(
                (self._key(key, call, quoted=quoted) for key in keys), key=lambda one: one.rank
            )
            if weakest.rank < best.rank:
                best = weakest
            if best.rank is _Rank.FOUND:
                break
        if best.rank is _Rank.NOWHERE and claim.words:
            said = [self.places.stands(word, Role.SAID, call) for word in claim.words]
            if all(said):
                return _Found(_Rank.FOUND, said[0], "the model sums up its own words")
        return best

    def _key(self, key: Key, call: int, *, quoted: bool = False) -> _Found:
        places = self.places
        for role in (Role.TEXT, Role.DONE, Role.USER):
            held = places.stands(key, role, call)
            if held:
                return _Found(_Rank.FOUND, held)
        asked = places.before(key, Role.USER, call)
        if asked and self._tells_users_apart:
            return _Found(_Rank.FOUND, asked, "the user said it")
        said = self._said_at(key, call)
        if said and quoted:
            return _Found(_Rank.FOUND, said.held, "the model said it before")
        if said and said.rank is _Rank.FOUND:
            return said
        return self._lesser(key, call) or said or _Found(_Rank.NOWHERE)

    def _lesser(self, key: Key, call: int) -> _Found | None:
        """Where *key* stands, or stood, that is no full text of the request."""
        places = self.places
        head = places.stands(key, Role.HEAD, call)
        if head:
            return _Found(_Rank.HEAD, head)
        gone = [places.before(key, role, call) for role in (Role.TEXT, Role.USER, Role.HEAD)]
        last = max((held for held in gone if held), key=lambda held: held.stay.last, default=None)
        return _Found(_Rank.CLEARED, last) if last else None

    def _said_at(self, key: Key, call: int) -> _Found | None:
        """Follow the model's own words to the call that wrote them."""
        held = self.places.stands(key, Role.SAID, call) or self.places.before(key, Role.SAID, call)
        if held is None:
            return None
        wrote = self._wrote.get(held.message, held.stay.first - 1)
        if not 1 <= wrote < call:
            return _Found(_Rank.FOUND, held)  # it was there from the start: an example, a seed
        if (key, wrote) not in self._said:
            self._said[key, wrote] = _Found(_Rank.NOWHERE)
            self._said[key, wrote] = self._key(key, wrote)
        return self._said[key, wrote]

    @cached_property
    def _wrote(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for call in self.standing.run.calls:
            for message in call.response:
                found.setdefault(message, call.index)
        return found

    @cached_property
    def _tells_users_apart(self) -> bool:
        """Whether results of tools are recorded as such, so that a user's message is the user's."""
        return bool(self.standing.run.tool_results)

    def _result_of(self, held: Held) -> str | None:
        if held.message < 0:
            return None
        parts = self.standing.run.messages[held.message].parts
        return next((part.tool_call_id for part in parts if part.tool_call_id), None)

    def _obtained(self, claim: Claim) -> str | None:
        obtained = self.places.obtained
        for keys in claim.support:
            if keys and all(key in obtained for key in keys):
                return obtained[keys[0]]
        return None

    # -- what cannot be looked into -----------------------------------------------------------

    def _blind_at(self, call: int, *, ever: bool) -> str:
        """Return why it cannot be said what *call* (and, with *ever*, those before) was given."""
        if ever and self._unrecorded <= call:
            return "the record does not hold all results of tools"
        if ever and self._unknown < call:
            return f"what call {self._unknown} was given is not known"
        stays, what = self._blind
        at = bisect_right(stays, call, key=lambda span: span.start) - 1
        return what if at >= 0 and (ever or call < stays[at].end) else ""

    @cached_property
    def _lost(self) -> str:
        problems = self.standing.run.problems
        lost = next((p for p in problems if p.kind is ProblemKind.LOST), None)
        return f"a part of the record could not be read: {lost.where}" if lost else ""

    @cached_property
    def _unknown(self) -> int:
        """The first call of which it is not known what it was given."""
        calls = self.standing.run.calls
        return next((c.index for c in calls if c.grade is Grade.UNKNOWN), len(calls) + 1)

    @cached_property
    def _unrecorded(self) -> int:
        """The first call that may have been given a result whose text the record does not hold."""
        run = self.standing.run
        calls = {call.id: call.by_call for call in run.tool_calls}
        lost = [result.tool_call_id for result in run.tool_results if result.text is None]
        asked = (self.standing.arrival(id_) or (calls.get(id_) or 0) + 1 for id_ in lost)
        return min(asked, default=len(run.calls) + 1)

    @cached_property
    def _blind(self) -> tuple[tuple[Span, ...], str]:
        """The calls whose requests hold what cannot be looked into, and what that is."""
        found: list[Span] = []
        said = ""
        for index, message in enumerate(self.standing.run.messages):
            what = next((part for part in message.parts if _is_blind(message.role, part)), None)
            if what is not None:
                stays = self.standing.residency.stays(index)
                found += (Span(stay.first, stay.last + 1) for stay in stays)
                said = said or (
                    f"the request holds {what.kind.value} content that cannot be looked into"
                )
        return union(found), said


def _is_blind(role: str, part: Part) -> bool:
    """Whether a part gave the model something that is not in the record as text."""
    brought = part.kind in (PartKind.TOOL_RESULT, PartKind.SUMMARY)
    own = role in ("assistant", "ai") and not brought
    if part.kind is PartKind.REASONING or own:
        return False  # its own thoughts bring nothing new; what the service brought does
    return part.kind in (PartKind.IMAGE, PartKind.OPAQUE) or part.opaque_bytes > 0
