"""Exact reread of a version of which only pieces are known."""

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.records.sources import Block, Excerpt, Integrity, SourceKind, Version, VersionKey
from store.records.text import Span
from store.results import Reason, RefusedError, Results

TEXT = "第一行 🧿\r\nsecond\u2028line\n\nfourth\x00"


def known(*excerpts: Excerpt, chars: int | None = None, version: str = "v") -> Version:
    return Version(
        VersionKey("d", version),
        SourceKind.TEXT,
        chars=chars,
        integrity=Integrity.RECONSTRUCTED,
        excerpts=excerpts,
    )


def refusal(version: Version, reference: str) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        Results([version]).reread(reference)
    return caught.value


@given(st.data())
def test_a_span_comes_back_exactly_when_pieces_cover_it_and_else_not_at_all(
    data: st.DataObject,
) -> None:
    text = data.draw(st.text(max_size=12))
    place = st.integers(0, len(text))
    cuts = data.draw(st.lists(st.tuples(place, place).map(sorted), max_size=5))
    version = known(*(Excerpt(start, text[start:end]) for start, end in cuts))
    start, end = sorted(data.draw(st.tuples(place, place)))
    covered = all(any(s <= at < e for s, e in cuts) for at in range(start, end))
    if start == end:
        covered = any(s <= start <= e for s, e in cuts)
    results = Results([version])
    if covered:
        got = results.reread(f"d[{start}:{end}]")
        assert (got.text, got.spans) == (text[start:end], (Span(start, end),))
    else:
        with pytest.raises(RefusedError) as caught:
            results.reread(f"d[{start}:{end}]")
        assert caught.value.reason is Reason.NOT_STORED


def test_a_text_from_pieces_is_marked_as_reconstructed() -> None:
    version = known(Excerpt(10, "abcdef"), Excerpt(16, "ghi"), Excerpt(40, "xyz"))
    got = Results([version]).reread("d[14:18,41:43]")
    assert [piece.text for piece in got.pieces] == ["efgh", "yz"]
    assert not got.exact
    assert "reconstructed" in got.note


def test_a_span_outside_the_pieces_is_refused_and_told_what_is_known() -> None:
    loose = (Excerpt(None, "one", "b1"), Excerpt(None, "two"))
    version = known(Excerpt(10, "abcdef"), Excerpt(16, "ghi"), Excerpt(40, "x"), *loose, chars=50)
    refused = refusal(version, "d[15:20]")
    assert refused.reason is Reason.NOT_STORED
    assert refused.what == (
        "d@v: only pieces of it are known: 3 at [10:19], [40:41] of 50 characters, "
        "2 without a place (blocks 'b1')"
    )
    assert refusal(version, "d[45:51]").reason is Reason.OUTSIDE_VERSION


@pytest.mark.parametrize(
    "place", ["", "[lines 1]", "[rows 0:1]", "[pages 1]", "[block b9]", "[0:3]"]
)
def test_what_pieces_cannot_answer_is_refused(place: str) -> None:
    version = known(Excerpt(3, "a\nb\n"), Excerpt(None, "loose"), chars=9)
    assert refusal(version, f"d@v{place}").reason is Reason.NOT_STORED


def test_an_excerpt_without_a_place_is_found_by_its_name_only() -> None:
    version = known(Excerpt(None, TEXT, "doc#s1"), Excerpt(None, "other"))
    got = Results([version]).reread("d[block doc#s1]")
    assert (got.text, got.exact, got.spans) == (TEXT, False, (None,))
    assert refusal(version, "d[0:3]").reason is Reason.NOT_STORED


def test_a_named_excerpt_with_a_place_comes_back_with_it() -> None:
    version = known(Excerpt(7, "seven", "b"), Excerpt(None, "seven", "b"))
    assert Results([version]).reread("d[block b]").spans == (Span(7, 12),)
    recorded = replace(known(Excerpt(7, "seven")), blocks=(Block("c", Span(8, 11)),))
    assert Results([recorded]).reread("d[block c]").text == "eve"
    longer = replace(recorded, blocks=(Block("c", Span(8, 13)),))
    assert refusal(longer, "d[block c]").reason is Reason.NOT_STORED


@pytest.mark.parametrize(
    "other", [Excerpt(None, "six", "b"), Excerpt(20, "seven", "b"), Excerpt(20, "six", "b")]
)
def test_a_name_of_two_pieces_is_ambiguous(other: Excerpt) -> None:
    version = known(Excerpt(7, "seven", "b"), other)
    assert refusal(version, "d[block b]").reason is Reason.AMBIGUOUS_BLOCK


def test_where_pieces_contradict_nothing_is_given_back() -> None:
    version = known(Excerpt(0, "the limit is 200"), Excerpt(10, "is 300 today"))
    refused = refusal(version, "d[4:16]")
    assert refused.reason is Reason.NOT_STORED
    assert "contradict each other in [10:16]" in refused.what
    results = Results([version])
    assert results.reread("d[0:12]").text == "the limit is"
    assert results.reread("d[16:22]").text == " today"


def test_pieces_that_join_to_all_of_the_version_answer_in_every_unit() -> None:
    results = Results([known(Excerpt(0, TEXT[:9]), Excerpt(5, TEXT[5:]), chars=len(TEXT))])
    assert results.reread("d").text == TEXT
    got = results.reread("d[lines 2]")
    assert (got.text, got.exact) == ("second\u2028line\n", False)
    unknown = known(Excerpt(0, TEXT))
    assert refusal(unknown, "d").reason is Reason.NOT_STORED


def test_pieces_from_two_records_of_one_version_are_put_together() -> None:
    results = Results([known(Excerpt(0, "abc"), chars=6), known(Excerpt(3, "def"))])
    assert results.reread("d@v").text == "abcdef"
    results = Results([known(Excerpt(0, "abc"), chars=3), known(Excerpt(3, "def"), chars=6)])
    assert results.reread("d@v[2:4]").text == "cd"


def test_without_a_version_a_block_means_the_newest_that_has_a_piece_of_that_name() -> None:
    old = known(Excerpt(None, "old", "b"), version="v1")
    got = Results([old, known(Excerpt(None, "new"), version="v2")]).reread("d[block b]")
    assert got.text == "old"
    assert "v1" in got.note


def test_the_whole_text_and_bytes_of_the_recorded_hash_go_before_pieces() -> None:
    data = b"abcdef"
    digest = hashlib.sha256(data).hexdigest()
    pieces = replace(known(Excerpt(0, "abc")), sha256=digest)
    whole = replace(pieces, text="abcdef", excerpts=(), integrity=Integrity.INTACT)
    for versions in ([pieces, whole], [whole, pieces]):
        assert Results(versions).reread("d@v[2:5]").exact
    got = Results([pieces], load_bytes=lambda _: data).reread("d@v[2:5]")
    assert (got.text, got.exact, got.note) == ("cde", True, "")
    changed = Results([pieces], load_bytes=lambda _: b"ABCDEF")
    with pytest.raises(RefusedError, match="evidence changed"):
        changed.reread("d@v[0:2]")


def test_pieces_of_a_version_whose_bytes_changed_are_refused() -> None:
    version = replace(known(Excerpt(0, "abc")), integrity=Integrity.CHANGED)
    assert refusal(version, "d[0:2]").reason is Reason.EVIDENCE_CHANGED
