"""What became of the results of each tool, and what a policy wants to become of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from reviewer.audit.settings import Parameter, Settings, Table
from store.records.findings import PlaceholderFacts, PlaceholderKind, Retention, Wanted
from store.records.grades import Grade
from store.records.runs import Run

__all__ = ["RETENTION", "is_taken", "retained", "wanted"]

NEVER: Parameter[tuple[str, ...]] = Parameter(
    "never",
    (),
    meaning="shell patterns on names of tools whose results must stay: the input of the task",
)
FIRST: Parameter[tuple[str, ...]] = Parameter(
    "first",
    (),
    meaning="shell patterns on names of tools whose results can be fetched again: these go first",
)
LATE: Parameter[tuple[str, ...]] = Parameter(
    "late",
    (),
    meaning="shell patterns on names of tools whose results go last or never: what was written",
)
RETENTION = Table(
    "retention",
    meaning="which results of tools a client may take out of the requests, and in which order; "
    "the first of never, late and first that matches holds",
    parameters=(NEVER, FIRST, LATE),
)

_TAKEN = {
    PlaceholderKind.CLEARED,
    PlaceholderKind.FOLDED,
    PlaceholderKind.PERSISTED,
    PlaceholderKind.COMPACTED,
}


def wanted(tool: str, settings: Settings) -> Wanted:
    """Return what the policy in force wants of the results of *tool*; case is kept."""
    for parameter, found in ((NEVER, Wanted.NEVER), (LATE, Wanted.LATE), (FIRST, Wanted.FIRST)):
        patterns = settings.value(RETENTION.name, parameter)
        if any(fnmatchcase(tool, pattern) for pattern in patterns):
            return found
    return Wanted.UNSAID


def is_taken(fact: PlaceholderFacts) -> bool:
    """Return whether a client took a result away that had come, as far as the record proves it."""
    return fact.kind in _TAKEN and fact.grade is not Grade.UNKNOWN


def retained(
    run: Run,
    placeholders: Iterable[PlaceholderFacts],
    arrival: Callable[[str], int | None],
    settings: Settings,
) -> Iterator[Retention]:
    """Yield for each tool of a run, in the order of first use, what became of its results."""
    facts: dict[str, list[PlaceholderFacts]] = {}
    for fact in placeholders:
        facts.setdefault(fact.tool_call_id, []).append(fact)
    sizes = {result.tool_call_id: len(result.text or "") for result in run.tool_results}
    by_tool: dict[str, dict[str, None]] = {}
    for call in run.tool_calls:
        by_tool.setdefault(call.name, {})[call.id] = None
    for tool, ids in by_tool.items():
        came = [id_ for id_ in ids if arrival(id_) is not None]
        yield _of_tool(tool, came, facts, sizes, wanted(tool, settings))


def _of_tool(
    tool: str,
    came: Sequence[str],
    facts: Mapping[str, Sequence[PlaceholderFacts]],
    sizes: Mapping[str, int],
    want: Wanted,
) -> Retention:
    unproven = [id_ for id_ in came if any(f.grade is Grade.UNKNOWN for f in facts.get(id_, ()))]
    taken = [f for id_ in came for f in facts.get(id_, ()) if is_taken(f)]
    away = {fact.tool_call_id for fact in taken}
    return Retention(
        tool=tool,
        wanted=want,
        results=len(came),
        chars=sum(sizes.get(id_, 0) for id_ in came),
        taken=len(away),
        chars_taken=sum(sizes.get(id_, 0) for id_ in away),
        first_taken=min((f.first_call for f in taken if f.first_call is not None), default=None),
        read_again=len({f.tool_call_id for f in taken if f.reread_at_call is not None}),
        cut=len([id_ for id_ in came if id_ not in away and facts.get(id_)]) - len(unproven),
        unproven=len(unproven),
    )
