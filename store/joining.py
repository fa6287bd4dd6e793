"""Records of one run in several formats, put together: each call once, by the better record.

Two runs of different formats are records of one run where they share an id
that no two runs share (of a tool call, or of a model's response), or where
their models said the same in the same order and nothing in them says
otherwise.  A name alone joins nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from store.builder import RunBuilder
from store.records.grades import Grade
from store.records.runs import (
    Answer,
    Call,
    ContextEdit,
    PartKind,
    Problem,
    ProblemKind,
    Run,
    ToolCall,
    ToolResult,
    Usage,
)
from store.records.sources import Version, VersionKey

__all__ = ["join"]

_OWN_ID: Final = re.compile(
    r"(?=.*\d)[A-Za-z][A-Za-z0-9]*[_-][A-Za-z0-9_-]{8,}\Z|[0-9a-f-]{32,36}\Z"
)
"""An id that a service made; numbers and places in a file are no such ids."""
_LONG: Final = 80
"""Two models that say so many characters alike, said them in one run."""
_SHORT: Final = 16
_SEVERAL: Final = 2


@dataclass(frozen=True, slots=True)
class _Signs:
    """What a run is known by: ids, and what each of its calls said."""

    ids: frozenset[str]
    said: tuple[str, ...]
    keys: tuple[frozenset[str], ...]

    def same_run(self, other: _Signs) -> bool:
        """Return whether both are records of one run."""
        if self.ids & other.ids:
            return True
        if self.ids and other.ids:
            return False
        common = [text for text in dict.fromkeys(self.said) if text in set(other.said)]
        if any(len(text) >= _LONG for text in common):
            return True
        return len([text for text in common if len(text) >= _SHORT]) >= _SEVERAL


def join(runs: Sequence[Run]) -> list[Run]:
    """Return *runs* in their order, records of one run as one, at the place of the first."""
    signs = {id(run): _signs(run) for run in runs}
    left = list(runs)
    made: list[Run] = []
    while left:
        group = [left.pop(0)]
        for run in list(left):
            others = [one for one in group if one.format != run.format]
            if len(others) == len(group) and any(
                signs[id(run)].same_run(signs[id(one)]) for one in others
            ):
                group.append(run)
                left.remove(run)
        made.append(_merged(group) if len(group) > 1 else group[0])
    return made


def _signs(run: Run) -> _Signs:
    said = tuple(_said(run, call) for call in run.calls)
    keys = tuple(_keys(run, call) for call in run.calls)
    ids = {name for name in frozenset().union(*keys) if _OWN_ID.match(name)}
    ids |= {one.tool_call_id for one in run.tool_results if _OWN_ID.match(one.tool_call_id)}
    return _Signs(frozenset(ids), said, keys)


def _said(run: Run, call: Call) -> str:
    """Return the text of a call's response, with white space as one space."""
    parts = (part for index in call.response for part in run.messages[index].parts)
    return " ".join("".join(p.text for p in parts if p.kind is PartKind.TEXT).split())


def _keys(run: Run, call: Call) -> frozenset[str]:
    """Return the ids of a call: its own, and those of the tool calls that it made."""
    parts = (part for index in call.response for part in run.messages[index].parts)
    asked = {part.tool_call_id for part in parts if part.kind is PartKind.TOOL_CALL}
    return frozenset(filter(None, asked | {call.id}))


# -- calls side by side ---------------------------------------------------------------------


def _aligned(first: Run, second: Run) -> list[tuple[Call | None, Call | None]]:
    """Return the calls of both in one order; those that are one call are a pair."""
    ours, theirs = _signs(first), _signs(second)
    places: dict[str, list[int]] = {}
    for at, (names, text) in enumerate(zip(ours.keys, ours.said, strict=True)):
        for name in (*names, f"said {text}") if text else names:
            places.setdefault(name, []).append(at)
    pairs: list[tuple[Call | None, Call | None]] = []
    done = 0
    for at, (names, text) in enumerate(zip(theirs.keys, theirs.said, strict=True)):
        signs = [*sorted(names), *([f"said {text}"] if text else [])]
        found = next(
            (place for sign in signs for place in places.get(sign, ()) if place >= done), None
        )
        if found is None:
            pairs.append((None, second.calls[at]))
            continue
        pairs += [(call, None) for call in first.calls[done:found]]
        pairs.append((first.calls[found], second.calls[at]))
        done = found + 1
    return [*pairs, *((call, None) for call in first.calls[done:])]


def _proves_more(one: Call, other: Call) -> bool:
    """Return whether the record of *one* proves its request better: by a record, not by a rule."""
    return one.grade.rank < other.grade.rank and one.grade in {Grade.RECORDED, Grade.DERIVED}


# -- one run of several records ----------------------------------------------------------------


def _merged(group: Sequence[Run]) -> Run:
    """Return the run of several records: the one with the most calls, completed by the others."""
    base, *others = sorted(group, key=lambda run: -len(run.calls))
    for other in others:
        base = _Merge(base, other).run()
    return base


@dataclass(slots=True)
class _Merge:
    """Puts two records together."""

    base: Run
    other: Run
    taken: int = 0
    both: int = 0
    _builder: RunBuilder = field(init=False)
    _numbers: dict[tuple[int, int], int] = field(default_factory=dict)

    def run(self) -> Run:
        base, other = self.base, self.other
        self._builder = RunBuilder(
            base.run_id,
            base.path,
            base.format,
            base.layer,
            title=base.title or (other.title if other.title != other.run_id else ""),
            parent_run=base.parent_run or other.parent_run,
            branch=base.branch,
            grant=base.grant or other.grant,
            budget=base.budget or other.budget,
        )
        self._calls()
        builder = self._builder
        builder.tool_calls.extend(self._tool_calls())
        builder.tool_results.extend(self._tool_results())
        builder.edits.extend(self._edits())
        builder.answers.extend(self._answers())
        builder.versions.extend(self._versions())
        builder.manifests.extend((*base.manifests, *other.manifests))
        builder.admissions.extend((*base.admissions, *other.admissions))
        builder.refresh_failures.extend((*base.refresh_failures, *other.refresh_failures))
        builder.other_events.extend((*base.other_events, *other.other_events))
        builder.problems.extend((*base.problems, *other.problems, self._note()))
        return builder.finish()

    def _note(self) -> Problem:
        what = (
            f"is one run with {self.other.path} ({self.other.format}): {self.both} of "
            f"{len(self._builder.calls)} calls stand in both and count once; of {self.taken} the "
            "request is taken from there, where the record proves more"
        )
        return Problem(self.base.path, what, ProblemKind.NOTED)

    def _calls(self) -> None:
        ours, theirs = _Side(self.base, self._builder), _Side(self.other, self._builder)
        for mine, yours in _aligned(self.base, self.other):
            mine_held = ours.request(mine)
            yours_held = theirs.request(yours)
            better = yours is not None and (mine is None or _proves_more(yours, mine))
            side, call, held = (theirs, yours, yours_held) if better else (ours, mine, mine_held)
            if call is None:
                continue
            second = mine if better else yours
            self.both += second is not None
            self.taken += bool(better and second is not None)
            number = self._add(side, call, second, held)
            for rank, one in ((0, mine), (1, yours)):
                if one is not None:
                    self._numbers[rank, one.index] = number

    def _add(self, side: _Side, call: Call, second: Call | None, held: Sequence[int]) -> int:
        """Add a call by the better of two records; what that one lacks the other gives."""
        usage = call.usage if call.usage != Usage() or second is None else second.usage
        response = tuple(side.message(index) for index in call.response)
        grade, reason = call.grade, call.grade_reason
        if second is not None and call.grade.rank > Grade.DERIVED.rank < second.grade.rank:
            # A record that cannot tell may know of something that the other's rule does not.
            weaker = max(call, second, key=lambda one: one.grade.rank)
            grade, reason = weaker.grade, weaker.grade_reason
        if second is not None and side.run is self.other:
            reason = (
                f"{reason}; taken from {self.other.path}"
                if reason
                else (f"taken from {self.other.path}")
            )
        return self._builder.call(
            held,
            response=response,
            id=call.id or (second.id if second else ""),
            origin=call.origin,
            model=call.model or (second.model if second else ""),
            grade=grade,
            grade_reason=reason,
            usage=usage,
            finish_reason=call.finish_reason or (second.finish_reason if second else ""),
            error=call.error or (second.error if second else ""),
            settings={**(second.settings if second else {}), **call.settings},
            at=call.at or (second.at if second else None),
        )

    # -- what stands around the calls -------------------------------------------------------

    def _sides(self) -> Iterator[tuple[int, Run]]:
        yield from ((0, self.base), (1, self.other))

    def _tool_calls(self) -> Iterator[ToolCall]:
        met: set[str] = set()
        for rank, run in self._sides():
            for call in run.tool_calls:
                if rank and call.id in met:
                    continue
                met.add(call.id)
                by = self._numbers.get((rank, call.by_call or 0))
                yield replace(call, by_call=by)

    def _tool_results(self) -> Iterator[ToolResult]:
        """Yield each result once: the one with a text, and of those the one that names its file."""
        theirs: dict[str, ToolResult] = {}
        for result in self.other.tool_results:
            theirs.setdefault(result.tool_call_id, result)
        met = {result.tool_call_id for result in self.base.tool_results}
        for result in self.base.tool_results:
            second = theirs.get(result.tool_call_id)
            lacks = second is not None and result.text is None and second.text is not None
            yield second if lacks and second is not None else result
        yield from (one for one in theirs.values() if one.tool_call_id not in met)

    def _edits(self) -> Iterator[ContextEdit]:
        met: set[tuple[object, ...]] = set()
        for rank, run in self._sides():
            for edit in run.edits:
                before = self._numbers.get((rank, edit.before_call or 0))
                what = (edit.kind, frozenset(edit.tool_call_ids), before)
                if edit.before_call is not None and before is None:
                    continue
                if what not in met:
                    met.add(what)
                    yield replace(edit, before_call=before)

    def _answers(self) -> Iterator[Answer]:
        """Yield each answer once: the one whose citations are recorded."""
        kept: dict[int, Answer] = {}
        more: list[Answer] = []
        for rank, run in self._sides():
            for answer in run.answers:
                made = replace(answer, call=self._numbers.get((rank, answer.call), answer.call))
                known = kept.get(made.call)
                if known is None or (rank and made.citations and not known.citations):
                    kept[made.call] = made
                elif not rank:
                    more.append(made)
        return iter(sorted([*kept.values(), *more], key=lambda answer: answer.call))

    def _versions(self) -> Iterable[Version]:
        made: dict[VersionKey, Version] = {}
        for version in (*self.base.versions, *self.other.versions):
            known = made.get(version.key)
            if known is None or (known.text is None and version.text is not None):
                made[version.key] = version
        return made.values()


class _Side:
    """One of the records, whose messages become those of the run that is made."""

    def __init__(self, run: Run, builder: RunBuilder) -> None:
        self.run = run
        self._builder = builder
        self._made: dict[int, int] = {}
        self._requests = run.requests()

    def message(self, index: int) -> int:
        """Return the index of a message in the run that is made."""
        if index not in self._made:
            message = self.run.messages[index]
            self._made[index] = self._builder.message(message.role, message.parts, message.origin)
        return self._made[index]

    def request(self, call: Call | None) -> list[int]:
        """Return the request of the next call; calls come in their order."""
        if call is None:
            return []
        return [self.message(index) for index in next(self._requests)]
