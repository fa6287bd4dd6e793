"""What searches asked for and what came, from their recorded arguments and results.

Nothing is taken from the name of a tool.  A search is a tool call whose
arguments hold a query, or name several sources, and whose result is JSON with
a list of things that have ids.  Everything else is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.audit.keys import ID_KEYS, VERSION_KEYS
from store.records.runs import Run, ToolCall, ToolResult

__all__ = ["Hit", "Search", "searches"]

QUERY_KEYS = ("query", "q", "question", "search_query", "keywords", "keyword")
LIMIT_KEYS = ("top_k", "topk", "topK", "k", "limit", "n_results", "num_results", "max_results")
SCOPE_KEYS = (
    "doc_ids",
    "document_ids",
    "source_ids",
    "docs",
    "documents",
    "sources",
    "scope",
    "doc_id",
    "document_id",
    "source_id",
)
MODE_KEYS = ("mode", "retrieval_mode", "search_mode", "search_type", "retriever", "strategy")
THRESHOLD_KEYS = ("min_score", "score_threshold", "threshold", "similarity_threshold")
SNAPSHOT_KEYS = ("snapshot", "snapshot_id", "index_version", "version", "revision")
NOTICE_KEYS = ("warning", "warnings", "notice", "note", "message", "reason", "fallback_reason")
LIST_KEYS = ("payload", "results", "documents", "blocks", "hits", "matches", "items", "chunks")
_SOURCE_KEYS = ("doc_id", "document_id", "source_id", "source")


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that a search returned; ``source_id`` is empty where it is not known."""

    id: str
    source_id: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Search:
    """One search.  ``None`` and the empty string stand for what was not said.

    ``scope`` are the sources it named, ``limit`` how many results it asked
    for, ``others`` its further arguments in canonical form.  ``said`` is what
    the result tells beside its list: ``mode`` and ``snapshot`` as named there,
    ``has_notice`` whether it explains itself in words, ``total`` how many
    there are in all.
    """

    call: ToolCall
    query: str
    scope: tuple[str, ...]
    limit: int | None
    mode: str
    others: str
    hits: tuple[Hit, ...]
    text: str
    said_mode: str = ""
    snapshot: str = ""
    has_notice: bool = False
    total: int | None = None

    @property
    def has_threshold(self) -> bool:
        """Whether it asked to leave out what fits badly."""
        return any(f'"{key}"' in self.others for key in THRESHOLD_KEYS)

    @property
    def is_cut(self) -> bool:
        """Whether as many results came as were asked for at most: there may be more."""
        return self.limit is not None and len(self.hits) >= self.limit > 0

    @property
    def sources(self) -> frozenset[str]:
        """The sources of what came, as far as they are known."""
        return frozenset(hit.source_id for hit in self.hits if hit.source_id)


def searches(run: Run) -> Iterator[Search]:
    """Yield the searches of a run in the order of their calls, with what came back."""
    owners = _owners(run)
    results: dict[str, ToolResult] = {}
    for result in run.tool_results:
        if result.text is not None and not result.failed:
            results.setdefault(result.tool_call_id, result)
    for call in run.tool_calls:
        arguments = _object(call.arguments)
        held = results.get(call.id)
        if arguments is not None and held is not None:
            found = _search(call, arguments, held.text or "", owners)
            if found is not None:
                yield found


def _owners(run: Run) -> Mapping[str, str]:
    """The source of each block and of each source itself; ids that several have are nobody's."""
    found: dict[str, str] = {}
    for version in run.versions:
        source = version.key.source_id
        excerpts = (excerpt.block_id for excerpt in version.excerpts if excerpt.block_id)
        for name in (source, *(block.block_id for block in version.blocks), *excerpts):
            known = found.setdefault(name, source)
            if known != source:
                found[name] = ""
    return found


def _search(
    call: ToolCall, arguments: Mapping[str, object], text: str, owners: Mapping[str, str]
) -> Search | None:
    query = _first_text(arguments, QUERY_KEYS)
    scope = _scope(arguments)
    if not query and len(scope) < 2:  # noqa: PLR2004 - one source alone is a read
        return None
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    listed = _list(record)
    if listed is None:
        return None
    hits = tuple(_hit(item, owners) for item in listed)
    if not all(hits):
        return None
    said = record if isinstance(record, dict) else {}
    used = {*QUERY_KEYS, *LIMIT_KEYS, *SCOPE_KEYS, *MODE_KEYS}
    others = {key: value for key, value in arguments.items() if key not in used}
    return Search(
        call=call,
        query=query,
        scope=scope,
        limit=_first_count(arguments, LIMIT_KEYS),
        mode=_first_text(arguments, MODE_KEYS),
        others=json.dumps(others, sort_keys=True, ensure_ascii=False),
        hits=tuple(hit for hit in hits if hit),
        text=text,
        said_mode=_first_text(said, MODE_KEYS),
        snapshot=_first_text(said, SNAPSHOT_KEYS),
        has_notice=any(said.get(key) for key in NOTICE_KEYS),
        total=_first_count(said, ("total", "total_count", "total_hits", "total_results")),
    )


def _object(text: str) -> Mapping[str, object] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _scope(arguments: Mapping[str, object]) -> tuple[str, ...]:
    for key in SCOPE_KEYS:
        named = arguments.get(key)
        if isinstance(named, str) and named:
            return (named,)
        if isinstance(named, list) and named and all(isinstance(one, str) for one in named):
            return tuple(dict.fromkeys(named))
    return ()


def _list(record: object) -> Sequence[Mapping[str, object]] | None:
    """Return the list of a result: the record itself, or what stands under a known key."""
    if isinstance(record, dict):
        for key in LIST_KEYS:
            if key in record:
                return _list(record[key])
        return None
    if not isinstance(record, list):
        return None
    return record if all(isinstance(item, dict) for item in record) else None


def _hit(item: Mapping[str, object], owners: Mapping[str, str]) -> Hit | None:
    metadata = item.get("metadata")
    places = [item, metadata] if isinstance(metadata, dict) else [item]
    names = [_first_text(place, ("block_id", "chunk_id", "id", *ID_KEYS)) for place in places]
    name = next(filter(None, names), "")
    if not name:
        return None
    said = next(filter(None, (_first_text(place, _SOURCE_KEYS) for place in places)), "")
    version = next(filter(None, (_first_text(place, VERSION_KEYS) for place in places)), "")
    return Hit(name, said or owners.get(name, ""), version)


def _first_text(held: Mapping[str, object], keys: Sequence[str]) -> str:
    for key in keys:
        value = held.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _first_count(held: Mapping[str, object], keys: Sequence[str]) -> int | None:
    for key in keys:
        value = held.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None
