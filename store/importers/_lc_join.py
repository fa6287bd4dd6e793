"""One thread out of what several records tell of it: its states, its traces, a log of its calls.

A trace or a log holds the request, a checkpoint the state before it and what
was cleared since; the answer of a call is in all of them.  Calls are matched
by its names (LangChain names a message after the run that made it, a tool call
has an id of its own) and, where it has none, by its words in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from store.importers._lc_dialects import Plain
from store.importers._lc_evidence import is_cleared
from store.importers._lc_log import Summaries, summaries_in, written_alone
from store.importers._lc_thread import ModelCall, Said, Stage, ThreadRecord, words_of
from store.records.grades import Grade
from store.records.runs import OtherEvent, Problem, ProblemKind

__all__ = ["homed", "joined", "told_by"]


def joined(
    states: Sequence[ThreadRecord], traces: Sequence[ThreadRecord], logs: Sequence[ThreadRecord]
) -> list[ThreadRecord]:
    """Return one record for each thread: *states* with the requests of *traces* and *logs*."""
    joiner = _Joiner()
    for record in states:
        joiner.add(record)
    for record in traces:
        if record.calls:
            joiner.put(record)
    for record in logs:
        joiner.put(record, is_log=True)
    return homed([*joiner.found, *(record for record in traces if not record.calls)])


def homed(records: Sequence[ThreadRecord]) -> list[ThreadRecord]:
    """Return the records without those that only hold what tools returned.

    These are given to the thread whose calls asked for it; where there is none,
    the first thread says that they were left.
    """
    orphans = [each for each in records if _is_orphan(each)]
    found = [each for each in records if not _is_orphan(each)]
    askers: dict[str, ThreadRecord] = {}
    for each in found if orphans else ():
        for name in _asked(each):
            askers.setdefault(name, each)
    left = 0
    for record in orphans:
        home = next((askers[name] for name in record.results if name in askers), None)
        if home is None:
            left += 1
            continue
        home.results = {**home.results, **record.results}
        home.artifacts += record.artifacts
        home.sources += [each for each in record.sources if each not in home.sources]
    if left and found:
        what = f"{left} traces of tools belong to no model call that is recorded; they were left"
        found[0].problems.append(Problem(found[0].title, what, ProblemKind.NOTED))
    return found


def _is_orphan(record: ThreadRecord) -> bool:
    obtained = bool(record.results or record.artifacts)
    return not record.calls and not record.problems and obtained


def _asked(thread: ThreadRecord) -> Iterator[str]:
    """Yield the ids of the tool calls that a thread tells of."""
    met: set[int] = set()
    for call in thread.calls:
        yield from call.names
        for said in call.request:
            if id(said) not in met:
                met.add(id(said))
                yield from (each.id for each in said.plain.calls)


@dataclass(slots=True)
class _Joiner:
    """The threads found so far, by the names and the words of their calls."""

    found: list[ThreadRecord] = field(default_factory=list)
    _places: dict[object, dict[int, None]] = field(default_factory=dict)
    _summaries: list[Summaries] = field(default_factory=list)

    def add(self, record: ThreadRecord) -> None:
        """Add a thread that no other record tells of."""
        self.found.append(record)
        self._know(record, len(self.found) - 1)

    def _know(self, record: ThreadRecord, place: int) -> None:
        for call in record.calls:
            for key in _signs(call):
                self._places.setdefault(key, {})[place] = None

    def put(self, record: ThreadRecord, *, is_log: bool = False) -> None:
        """Join *record* to the thread that shares most calls with it, or add it."""
        near = {p: None for call in record.calls for s in _signs(call) for p in self._near(s)}
        best, matches = -1, _Matches({}, 0)
        for place in near:
            made = _matched(self.found[place], record)
            if made.proves(record) and made.weight > matches.weight:
                best, matches = place, made
        if best >= 0:
            _join(self.found[best], record, matches)
            self._know(record, best)
        elif not (is_log and self._is_summary(record)):
            self.add(record)

    def _near(self, sign: object) -> dict[int, None]:
        return self._places.get(sign, {})

    def _is_summary(self, record: ThreadRecord) -> bool:
        """Return whether a log's only call wrote a summary that a thread goes on from."""
        text = written_alone(record)
        for place in range(len(self._summaries), len(self.found)):
            self._summaries.append(summaries_in(self.found[place]))
        held = (place for place, texts in enumerate(self._summaries) if text and text in texts)
        home = next((self.found[place] for place in held), None)
        if home is None:
            return False
        home.sources += [each for each in record.sources if each not in home.sources]
        if all(event.name != "summarization" for event in home.other):
            home.other.append(OtherEvent("summarization", record.calls[0].origin, text))
        return True


def _signs(call: ModelCall) -> Iterator[object]:
    """Yield what may tell a call when another record tells of it: its names, its words."""
    yield from filter(None, call.names)
    written = _written(call)
    if any(written):
        yield written


@dataclass(slots=True)
class _Matches:
    """By the place of a call in the second record, its place in the first; so many by name."""

    pairs: dict[int, int]
    named: int

    @property
    def weight(self) -> tuple[int, int]:
        """How much speaks for it."""
        return self.named, len(self.pairs)

    def proves(self, record: ThreadRecord) -> bool:
        """Return whether they are one thread: equal words alone must be those of every call."""
        return self.named > 0 or len(self.pairs) == len(record.calls) > 1


def _matched(first: ThreadRecord, second: ThreadRecord) -> _Matches:
    """Match the calls of two records: by name, else by the words of the answer in order."""
    named: dict[str, int] = {}
    for at, call in enumerate(first.calls):
        for name in filter(None, call.names):
            named.setdefault(name, at)
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for at, call in enumerate(second.calls):
        place = next((named[name] for name in call.names if name in named), None)
        if place is not None and place not in taken:
            pairs[at] = place
            taken.add(place)
    named_pairs = len(pairs)
    after = -1
    for at, call in enumerate(second.calls):
        after = max(after, pairs.get(at, -1))
        if at in pairs or not call.response:
            continue
        key = _written(call)
        for place in range(after + 1, len(first.calls)):
            if place not in taken and key == _written(first.calls[place]) and any(key):
                pairs[at] = after = place
                taken.add(place)
                break
    return _Matches(pairs, named_pairs)


def _written(call: ModelCall) -> tuple[str, tuple[str, ...]]:
    plains: Iterable[Plain] = (said.plain for said in call.response)
    texts, names = [], []
    for plain in plains:
        texts.append(words_of(plain).strip())
        names += [call.id for call in plain.calls]
    return "\n".join(texts), tuple(names)


def _join(base: ThreadRecord, record: ThreadRecord, matches: _Matches) -> None:
    """Put the requests of *record* into *base*, whose own become what they were made of."""
    calls = list(base.calls)
    differing = []
    for at, place in matches.pairs.items():
        mine, theirs = calls[place], record.calls[at]
        if mine.grade is Grade.RECORDED:
            if theirs.grade is Grade.RECORDED and not _same(mine, theirs):
                differing.append(theirs.origin)
            continue
        calls[place] = _merged(mine, theirs)
    base.calls = list(_with_others(calls, record.calls, matches.pairs))
    _restore(base, record)
    base.results = {**base.results, **record.results}
    base.files += record.files
    base.sources += [each for each in record.sources if each not in base.sources]
    base.artifacts += record.artifacts
    base.other += record.other if not base.other else ()
    known = {each.what for each in base.problems}
    base.problems += [each for each in record.problems if each.what not in known]
    if differing:
        what = (
            f"{len(differing)} requests stand otherwise in another record of the thread, which "
            "was not used"
        )
        base.problems.append(Problem(differing[0], what, ProblemKind.NOTED))


def _restore(base: ThreadRecord, record: ThreadRecord) -> None:
    """Take for what a tool returned what a request held of it, where the states lost it since."""
    shown: dict[str, Said] = {}
    for call in record.calls:
        for said in call.request:
            if said.plain.role == "tool":
                shown.setdefault(said.plain.tool_call_id, said)
    for name, said in shown.items():
        held = base.results.get(name)
        lost = held is None or is_cleared(held.plain) or name in base.late
        if lost and not is_cleared(said.plain):
            base.results[name] = said


def _same(mine: ModelCall, theirs: ModelCall) -> bool:
    def words(call: ModelCall) -> list[str]:
        return [words_of(said.plain) for said in call.request if said.plain.role != "system"]

    return words(mine) == words(theirs)


def _merged(state: ModelCall, request: ModelCall) -> ModelCall:
    """Return the call with its recorded request; the state that it was made of comes before."""
    if request.grade.rank > state.grade.rank:
        return replace(state, error=state.error or request.error)
    before = state.stages[0].messages if state.stages else tuple(state.request)
    stages = [Stage("", before), *request.stages] if before else list(request.stages)
    return replace(
        request,
        response=request.response or state.response,
        names=(*request.names, *state.names),
        id=state.id or request.id,
        stages=stages,
        at=request.at or state.at,
    )


def _with_others(
    calls: list[ModelCall], theirs: list[ModelCall], pairs: dict[int, int]
) -> Iterator[ModelCall]:
    """Yield the calls with those that only the other record has, before the next that both have."""
    before: dict[int, list[ModelCall]] = {}
    last: list[ModelCall] = []
    for at, call in enumerate(theirs):
        if at in pairs:
            before.setdefault(pairs[at], []).extend(last)
            last = []
        else:
            last.append(call)
    for place, call in enumerate(calls):
        yield from before.get(place, ())
        yield call
    yield from last


def told_by(messages: Sequence[Plain], records: Sequence[ThreadRecord]) -> bool:
    """Return whether every answer among *messages* is one of a call of one of *records*."""
    answers = [plain for plain in messages if plain.role == "assistant"]
    for record in records:
        known = {key for call in record.calls for said in call.response for key in _marks(said)}
        known |= {key for call in record.calls for said in call.request for key in _marks(said)}
        if answers and all(any(key in known for key in _marks_of(each)) for each in answers):
            return True
    return False


def _marks(said: Said) -> list[str]:
    return _marks_of(said.plain) if said.plain.role == "assistant" else []


def _marks_of(plain: Plain) -> list[str]:
    text = words_of(plain).strip()
    return [*filter(None, (plain.id, text)), *(call.id for call in plain.calls)]
