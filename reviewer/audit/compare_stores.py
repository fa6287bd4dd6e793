"""What became of each source between two stores: by id, and by hash where the id is another.

The newest version of a source speaks for it.  A new name is told from a copy
by what else has the same bytes: only where one id went, one came, and no
other source holds those bytes, is it a new name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from reviewer.audit.compare_content import Content, compare_content
from reviewer.audit.compare_sequence import ComparisonStopped
from store.records.differences import Doubt, Proof, Side, SourceChange, SourceDifference, Why
from store.records.sources import Integrity, Version

__all__ = ["compare_stores", "counterparts", "versions_by_source"]

_Sources = Mapping[str, Sequence[Version]]


def versions_by_source(versions: Iterable[Version]) -> dict[str, list[Version]]:
    """Return the versions of each source, the oldest first."""
    found: dict[str, list[Version]] = defaultdict(list)
    for version in versions:
        found[version.key.source_id].append(version)
    return found


def compare_stores(
    a: _Sources,
    b: _Sources,
    stopped: Callable[[], bool] = lambda: False,
    *,
    unread: Collection[Side] = (),
) -> tuple[SourceDifference, ...]:
    """Return what became of every source of both, by id; *a* and *b* are versions by source.

    Of a side in *unread* something could not be read: nothing is called absent
    from it.  Raises `ComparisonStopped` soon after *stopped* says so.
    """
    found: list[SourceDifference] = []
    for source in sorted(a.keys() | b.keys()):
        if stopped():
            raise ComparisonStopped
        found.append(_source(a.get(source, ()), b.get(source, ())))
    told = _named_anew(found, _by_hash(a), _by_hash(b))
    return tuple(sorted((_as_far_as_read(one, unread) for one in told), key=_order))


def counterparts(differences: Iterable[SourceDifference]) -> dict[str, str]:
    """Return for each source of A the id that it goes by in B."""
    return {
        one.a.source_id: one.b.source_id
        for one in differences
        if one.a is not None and one.b is not None
    }


_ABSENT = {
    SourceChange.ADDED: {Side.A},
    SourceChange.COPIED: {Side.A},
    SourceChange.REMOVED: {Side.B},
    SourceChange.RENAMED: {Side.A, Side.B},
}
"""On which sides a source is said to be absent."""


def _as_far_as_read(one: SourceDifference, unread: Collection[Side]) -> SourceDifference:
    sides = _ABSENT.get(one.change, set()) & set(unread)
    if not sides:
        return one
    side = Side.BOTH if len(sides) > 1 else next(iter(sides))
    doubt = Doubt(side, Why.UNREADABLE, one.source_id)
    return replace(one, change=SourceChange.UNKNOWN, proof=None, doubt=doubt)


def _order(one: SourceDifference) -> tuple[str, str]:
    return one.source_id, one.a.source_id if one.a else ""


def _source(a: Sequence[Version], b: Sequence[Version]) -> SourceDifference:
    if not b:
        return SourceDifference(SourceChange.REMOVED, a[-1].key, None, _ids(a))
    if not a:
        return SourceDifference(SourceChange.ADDED, None, b[-1].key, (), _ids(b))
    only_a, only_b = _alone(a, b), _alone(b, a)
    blank = SourceDifference(SourceChange.SAME, a[-1].key, b[-1].key, _ids(only_a), _ids(only_b))
    # Each version counts: that the newest is the same does not make its history the same.
    contents = [compare_content(a[-1], b[-1]), *_both(a[:-1], b)]
    newest = contents[0]
    if newest.same is False:
        return replace(blank, change=SourceChange.CHANGED)
    doubt = next((one.doubt for one in contents if one.same is None), None) or _twice(a, b)
    if doubt is not None:
        return replace(blank, change=SourceChange.UNKNOWN, doubt=doubt)
    if only_a or only_b or any(one.same is False for one in contents):
        return replace(blank, change=SourceChange.CHANGED, proof=newest.proof)
    return replace(blank, proof=_weakest(contents))


def _weakest(contents: Iterable[Content]) -> Proof:
    proofs = {one.proof for one in contents}
    return Proof.REBUILT if Proof.REBUILT in proofs else Proof.HASH


def _both(a: Iterable[Version], b: Sequence[Version]) -> Iterator[Content]:
    """Compare older versions that both sides record under one id."""
    held = {version.key.version_id: version for version in b}
    for version in a:
        other = held.get(version.key.version_id)
        if other is not None:
            yield compare_content(version, other)


def _twice(a: Sequence[Version], b: Sequence[Version]) -> Doubt | None:
    """Return a doubt where one side records a version twice with different hashes."""
    for side, versions in ((Side.A, a), (Side.B, b)):
        hashes: dict[str, str] = {}
        for version in versions:
            known = hashes.setdefault(version.key.version_id, version.sha256)
            if known != version.sha256:
                return Doubt(side, Why.TWO_STATES, version.key.source_id)
    return None


def _ids(versions: Iterable[Version]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(version.key.version_id for version in versions))


def _alone(ours: Sequence[Version], theirs: Sequence[Version]) -> list[Version]:
    names = {version.key.version_id for version in theirs}
    hashes = {version.sha256 for version in theirs if version.sha256}
    return [
        version
        for version in ours
        if version.key.version_id not in names and version.sha256 not in hashes
    ]


# -- other names -------------------------------------------------------------------------


def _by_hash(sources: _Sources) -> dict[str, list[str]]:
    """Return which sources have the bytes of each hash as their newest version.

    Only bytes that were checked count; that a file is empty says nothing of it.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for source, versions in sources.items():
        digest = _digest(versions[-1])
        if digest:
            found[digest].append(source)
    return found


def _digest(version: Version) -> str:
    return version.sha256 if version.integrity is Integrity.INTACT and version.text else ""


def _named_anew(
    found: Sequence[SourceDifference],
    in_a: Mapping[str, Sequence[str]],
    in_b: Mapping[str, Sequence[str]],
) -> Iterator[SourceDifference]:
    hash_a = {source: digest for digest, sources in in_a.items() for source in sources}
    hash_b = {source: digest for digest, sources in in_b.items() for source in sources}
    went = Counter(hash_a.get(one.source_id, "") for one in found if _is(one, SourceChange.REMOVED))
    came = Counter(hash_b.get(one.source_id, "") for one in found if _is(one, SourceChange.ADDED))
    removed = {
        hash_a.get(one.source_id, ""): one for one in found if _is(one, SourceChange.REMOVED)
    }
    for one in found:
        if _is(one, SourceChange.ADDED):
            digest = hash_b.get(one.source_id, "")
            before = removed.get(digest)
            alone = len(in_a.get(digest, ())) == len(in_b.get(digest, ())) == 1
            if digest and before is not None and alone and went[digest] == came[digest] == 1:
                yield _renamed(before, one)
            else:
                yield _copied(one, in_a.get(digest, ()), in_b.get(digest, ()))
        elif _is(one, SourceChange.REMOVED):
            digest = hash_a.get(one.source_id, "")
            alone = len(in_a.get(digest, ())) == len(in_b.get(digest, ())) == 1
            if not (digest and alone and went[digest] == came[digest] == 1):
                yield replace(one, twins=tuple(sorted(in_b.get(digest, ()))))
        else:
            yield one


def _is(one: SourceDifference, change: SourceChange) -> bool:
    return one.change is change


def _renamed(before: SourceDifference, one: SourceDifference) -> SourceDifference:
    return SourceDifference(
        SourceChange.RENAMED,
        before.a,
        one.b,
        tuple(name for name in before.only_a if name not in one.only_b),
        tuple(name for name in one.only_b if name not in before.only_a),
        proof=Proof.HASH,
    )


def _copied(one: SourceDifference, in_a: Sequence[str], in_b: Sequence[str]) -> SourceDifference:
    if not in_a:
        return one
    twins = tuple(sorted({*in_a, *in_b} - {one.source_id}))
    return replace(one, change=SourceChange.COPIED, twins=twins, proof=Proof.HASH)
