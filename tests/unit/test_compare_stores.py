"""Two stores: what was added, removed, changed and renamed, by hash."""

from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.audit.compare_sequence import ComparisonStopped
from reviewer.audit.compare_stores import compare_stores, counterparts, versions_by_source
from store.records.differences import Proof, Side, SourceChange, SourceDifference, Why
from store.records.sources import Integrity, SourceKind, Version, VersionKey


def held(source: str, text: str, **more: object) -> Version:
    """Return a version whose bytes were checked."""
    digest = sha256(text.encode()).hexdigest()
    key = VersionKey(source, digest)
    made = Version(key, SourceKind.TEXT, sha256=digest, chars=len(text), text=text)
    return replace(made, **more)  # type: ignore[arg-type]


def compared(a: list[Version], b: list[Version], *unread: Side) -> dict[str, SourceDifference]:
    """Compare two stores and return the differences by the id of the source."""
    found = compare_stores(versions_by_source(a), versions_by_source(b), unread=unread)
    return {one.source_id: one for one in found}


def changes(a: list[Version], b: list[Version]) -> dict[str, SourceChange]:
    return {name: one.change for name, one in compared(a, b).items()}


def test_each_source_is_the_same_changed_added_or_removed() -> None:
    a = [held("same", "x"), held("other", "old"), held("gone", "g")]
    b = [held("same", "x"), held("other", "new"), held("came", "c")]
    assert changes(a, b) == {
        "came": SourceChange.ADDED,
        "gone": SourceChange.REMOVED,
        "other": SourceChange.CHANGED,
        "same": SourceChange.SAME,
    }


def test_one_that_went_and_one_that_came_with_the_same_bytes_are_one_renamed() -> None:
    found = compared([held("old", "text")], [held("new", "text")])
    assert list(found) == ["new"]
    one = found["new"]
    assert (one.change, one.proof) == (SourceChange.RENAMED, Proof.HASH)
    assert one.a is not None
    assert one.a.source_id == "old"
    assert counterparts([one]) == {"old": "new"}


def test_a_second_name_of_bytes_that_are_still_there_is_a_copy() -> None:
    found = compared([held("doc", "text")], [held("doc", "text"), held("copy", "text")])
    assert found["copy"].change is SourceChange.COPIED
    assert found["copy"].twins == ("doc",)
    assert found["doc"].change is SourceChange.SAME


@pytest.mark.parametrize(
    ("before", "after"), [(["a", "b"], ["c"]), (["a"], ["c", "d"]), (["a", "b"], ["c", "d"])]
)
def test_where_several_have_the_bytes_nothing_is_called_renamed(
    before: list[str], after: list[str]
) -> None:
    found = compared([held(name, "text") for name in before], [held(n, "text") for n in after])
    told = {one.change for one in found.values()}
    assert told == {SourceChange.REMOVED, SourceChange.COPIED}
    assert all(one.twins for one in found.values())


def test_empty_files_are_no_renaming() -> None:
    assert changes([held("a", "")], [held("b", "")]) == {
        "a": SourceChange.REMOVED,
        "b": SourceChange.ADDED,
    }


def test_bytes_that_are_missing_or_changed_could_not_be_compared() -> None:
    whole = held("doc", "text")
    for integrity, why in (
        (Integrity.MISSING, Why.NOT_STORED),
        (Integrity.CHANGED, Why.BYTES_CHANGED),
    ):
        broken = replace(whole, text=None, integrity=integrity)
        one = compared([whole], [broken])["doc"]
        assert one.change is SourceChange.UNKNOWN
        assert one.doubt is not None
        assert (one.doubt.why, one.doubt.side) == (why, Side.B)
        both = compared([broken], [broken])["doc"]
        assert both.change is SourceChange.UNKNOWN
        assert both.doubt is not None
        assert both.doubt.side is Side.BOTH


def test_missing_bytes_with_another_recorded_hash_are_another_version() -> None:
    gone = replace(held("doc", "other"), text=None, integrity=Integrity.MISSING)
    assert changes([held("doc", "text")], [gone]) == {"doc": SourceChange.CHANGED}


def test_a_version_more_is_a_change_also_where_the_newest_is_the_same() -> None:
    first, second = held("doc", "one"), held("doc", "two")
    one = compared([second], [first, second])["doc"]
    assert (one.change, one.proof, len(one.only_b)) == (SourceChange.CHANGED, Proof.HASH, 1)
    assert changes([first, second], [first, second]) == {"doc": SourceChange.SAME}


def test_the_same_hash_under_another_version_id_is_the_same_content() -> None:
    a, b = held("doc", "one"), replace(held("doc", "one"), key=VersionKey("doc", "v1"))
    assert changes([a], [b]) == {"doc": SourceChange.SAME}


def test_a_version_that_is_recorded_twice_with_two_hashes_is_not_decided() -> None:
    first = replace(held("doc", "one"), key=VersionKey("doc", "v"))
    second = replace(held("doc", "two"), key=VersionKey("doc", "v"))
    one = compared([first, second], [first, second])["doc"]
    assert one.change is SourceChange.UNKNOWN
    assert one.doubt is not None
    assert one.doubt.why is Why.TWO_STATES


def test_nothing_is_called_absent_from_a_side_that_could_not_be_read() -> None:
    a, b = [held("a", "x"), held("both", "z")], [held("b", "y"), held("both", "z")]
    found = compared(a, b, Side.A)
    assert found["b"].change is SourceChange.UNKNOWN
    assert found["a"].change is SourceChange.REMOVED
    assert found["both"].change is SourceChange.SAME
    renamed = compared([held("a", "x")], [held("b", "x")], Side.B)["b"]
    assert renamed.change is SourceChange.UNKNOWN
    assert renamed.doubt is not None
    assert renamed.doubt.why is Why.UNREADABLE


def test_a_comparison_of_stores_stops_when_it_is_told_to() -> None:
    with pytest.raises(ComparisonStopped):
        compare_stores(versions_by_source([held("a", "x")]), {}, lambda: True)


NAMES = st.sampled_from("abcdef")
STORES = st.dictionaries(NAMES, st.sampled_from(["", "one", "two", "three"]), max_size=6)


@given(STORES, STORES)
def test_every_source_of_both_stands_in_the_comparison_once(
    a: dict[str, str], b: dict[str, str]
) -> None:
    found = compare_stores(
        versions_by_source(held(*each) for each in a.items()),
        versions_by_source(held(*each) for each in b.items()),
    )
    assert sorted(one.a.source_id for one in found if one.a) == sorted(a)
    assert sorted(one.b.source_id for one in found if one.b) == sorted(b)
    for one in found:
        if one.change in (SourceChange.SAME, SourceChange.RENAMED):
            assert one.a
            assert one.b
            assert a[one.a.source_id] == b[one.b.source_id]
        if one.change is SourceChange.CHANGED:
            assert a[one.source_id] != b[one.source_id]
