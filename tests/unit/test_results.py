"""Exact reread: exactly the selected text, or a refusal with its reason."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import ChangedObjectError, MissingObjectError
from store.objects import ObjectFolder
from store.records.runs import Grant
from store.records.sources import (
    Block,
    Integrity,
    Selection,
    SourceKind,
    Table,
    Version,
    VersionKey,
)
from store.records.text import Span, Unit
from store.references import ReferenceSyntaxError, format_reference
from store.results import Reason, RefusedError, Results

TEXT = "第一行 🧿\r\nsecond\u2028line\n\nfourth\x00"


def made(source: str, text: str, version: str = "", kind: SourceKind = SourceKind.TEXT) -> Version:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Version(
        VersionKey(source, version or digest), kind, sha256=digest, chars=len(text), text=text
    )


def scenario(shared: Path, name: str) -> Results:
    """Give the store of a run folder, read as far as these tests need it."""
    folder = shared / "data" / "scenarios" / name
    objects = ObjectFolder(folder / "store" / "objects", within=folder)
    versions = []
    for line in (folder / "store" / "versions.jsonl").read_bytes().split(b"\n"):
        record = json.loads(line or b"{}")
        if "version_id" in record:
            table = record.get("table")
            versions.append(
                Version(
                    VersionKey(record["source_id"], record["version_id"]),
                    SourceKind(record["kind"]),
                    sha256=record["sha256"],
                    chars=record["chars"],
                    media_type=record["media_type"],
                    blocks=tuple(
                        Block(one["block_id"], Span(one["start"], one["end"]))
                        for one in record.get("blocks", ())
                    ),
                    table=table and Table(tuple(table["fields"]), table["rows"], table.get("key")),
                )
            )
    return Results(versions, load_bytes=lambda version: objects.read(version.sha256))


def refusal(results: Results, reference: str | Selection) -> Reason:
    with pytest.raises(RefusedError) as caught:
        results.reread(reference)
    assert str(caught.value).startswith(f"{caught.value.reason}: ")
    return caught.value.reason


# -- recorded stores ---------------------------------------------------------------


def test_the_cited_span_of_a_recorded_store_comes_back_exactly(shared: Path) -> None:
    got = scenario(shared, "evidence-tools").reread("d03@1454125600…[4321:4339]")
    stored = shared / "data/scenarios/evidence-tools/store/objects/14" / got.version.sha256
    assert got.text == stored.read_bytes().decode()[4321:4339]
    assert len(got.text) == 18
    assert got.exact
    assert not got.note
    assert got.reference == f"d03@{got.version.sha256}[4321:4339]"


def test_a_span_one_behind_the_end_is_refused(shared: Path) -> None:
    results = scenario(shared, "evidence-tools")
    assert refusal(results, "d03@1454125600…[4321:4340]") is Reason.OUTSIDE_VERSION


def test_a_block_of_a_recorded_store_is_found_by_its_whole_id(shared: Path) -> None:
    results = scenario(shared, "retrieval-admission")
    got = results.reread("doc#A[block doc#A#s1#sec#0#b1]")
    assert got.spans == (Span(256, 511),)
    assert len(got.text) == 255
    assert refusal(results, "doc#A[block doc#A#s1#sec#0#b]") is Reason.NO_BLOCK


def test_rows_of_a_recorded_table_come_with_only_the_chosen_fields(shared: Path) -> None:
    got = scenario(shared, "coverage-facts").reread("src-a[rows 1:3 fields amount,id]")
    assert got.text == '{"id": "src-a-001", "amount": 1001}\n{"id": "src-a-002", "amount": 1002}\n'


# -- which version ----------------------------------------------------------------


def test_a_version_that_is_not_there_is_never_replaced_by_a_newer_one() -> None:
    results = Results([made("d", "new", "v2")])
    assert refusal(results, "d@v1[0:3]") is Reason.NO_VERSION
    assert refusal(results, "e[0:3]") is Reason.NO_SOURCE
    assert refusal(results, "d@v[0:3]") is Reason.NO_VERSION
    assert refusal(results, "D[0:3]") is Reason.NO_SOURCE


def test_without_a_version_the_newest_is_taken_and_named() -> None:
    got = Results([made("d", "old", "v1"), made("d", "new", "v2")]).reread("d")
    assert (got.text, got.version.key.version_id) == ("new", "v2")
    assert "newest of 2: v2" in got.note


def test_without_a_version_a_block_means_the_newest_that_holds_it() -> None:
    block = Block("b1", Span(0, 3))
    old = replace(made("d", "old", "v1"), blocks=(block,))
    got = Results([old, made("d", "new", "v2")]).reread("d[block b1]")
    assert got.text == "old"
    assert "v1" in got.note


def test_the_newest_is_refused_and_not_skipped_when_it_changed() -> None:
    changed = replace(made("d", "new", "v2"), text=None, integrity=Integrity.CHANGED)
    assert refusal(Results([made("d", "old", "v1"), changed]), "d") is Reason.EVIDENCE_CHANGED


def test_a_shortened_hash_counts_only_while_it_is_unique() -> None:
    one, two = "abcd" + "0" * 60, "abcd" + "1" * 60
    results = Results(
        [
            replace(made("d", text), key=VersionKey("d", name))
            for text, name in zip("xy", (one, two), strict=True)
        ]
    )
    assert refusal(results, "d@abcd…") is Reason.AMBIGUOUS_HASH
    assert results.reread("d@abcd0…").text == "x"
    assert results.reread("d@abcd1").text == "y"
    assert refusal(results, "d@abce…") is Reason.NO_VERSION


def test_a_label_is_no_hash_to_shorten() -> None:
    assert refusal(Results([made("d", "x", "2026-10-27")]), "d@2026") is Reason.NO_VERSION


def test_a_full_hash_names_a_version_that_has_a_label() -> None:
    version = made("d", "x", "v1")
    assert Results([version]).reread(f"d@{version.sha256}").version.key.version_id == "v1"


def test_an_id_that_was_taken_apart_is_refused_with_the_way_to_write_it() -> None:
    results = Results([made("user@host", "x", "v")])
    with pytest.raises(RefusedError, match=r"put @ after it") as caught:
        results.reread("user@host[0:1]")
    assert caught.value.reason is Reason.NO_SOURCE
    assert results.reread("user@host@[0:1]").text == "x"


def test_what_is_outside_the_grant_is_refused_whether_it_exists_or_not() -> None:
    results = Results([made("d1", "x"), made("D1", "y"), made("e1", "z")], Grant(scope=("d*",)))
    assert results.reread("d1").text == "x"
    assert refusal(results, "D1") is Reason.OUTSIDE_GRANT
    assert refusal(results, "e1") is Reason.OUTSIDE_GRANT
    assert refusal(results, "nowhere") is Reason.OUTSIDE_GRANT


# -- the hash ----------------------------------------------------------------------


def test_bytes_that_changed_are_refused_although_the_text_was_read_before() -> None:
    results = Results([made("d", "text")], load_bytes=lambda _: b"TEXT")
    assert refusal(results, "d[0:1]") is Reason.EVIDENCE_CHANGED


def raising(error: Exception) -> Callable[[Version], bytes]:
    def load(_: Version) -> bytes:
        raise error

    return load


def test_bytes_that_are_gone_are_refused_although_the_text_was_read_before() -> None:
    gone = raising(MissingObjectError("gone", "objects/ab", "Restore it."))
    assert refusal(Results([made("d", "text")], load_bytes=gone), "d") is Reason.NOT_STORED
    changed = raising(ChangedObjectError("changed", "objects/ab", "Restore it."))
    assert refusal(Results([made("d", "x")], load_bytes=changed), "d") is Reason.EVIDENCE_CHANGED


def test_text_that_does_not_have_the_hash_and_no_bytes_is_refused() -> None:
    version = replace(made("d", "text"), text="near")
    assert refusal(Results([version]), "d") is Reason.NOT_STORED


def test_a_version_recorded_twice_with_different_hashes_is_refused() -> None:
    results = Results([made("d", "one", "v"), made("d", "two", "v")])
    assert refusal(results, "d@v") is Reason.EVIDENCE_CHANGED


def test_bytes_are_decoded_by_their_own_charset() -> None:
    data = "批处理".encode("gb18030")
    version = Version(
        VersionKey("d", "v"),
        SourceKind.TEXT,
        media_type="text/plain; charset=gb18030",
        sha256=hashlib.sha256(data).hexdigest(),
    )
    assert Results([version], load_bytes=lambda _: data).reread("d[1:3]").text == "处理"
    plain = replace(version, media_type="text/plain")
    assert refusal(Results([plain], load_bytes=lambda _: data), "d") is Reason.NOT_STORED


def test_reconstructed_text_says_that_it_is() -> None:
    version = replace(made("d", "text"), integrity=Integrity.RECONSTRUCTED)
    got = Results([version]).reread("d[0:2]")
    assert (got.text, got.exact) == ("te", False)
    assert "reconstructed" in got.note


# -- the units ---------------------------------------------------------------------


@given(st.data())
def test_a_span_is_the_slice_of_the_text(data: st.DataObject) -> None:
    text = data.draw(st.text(max_size=40))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    selection = Selection("批", ranges=(Span(start, end),))
    got = Results([made("批", text)]).reread(format_reference(selection))
    assert got.text == text[start:end]


def test_several_spans_come_in_the_order_asked() -> None:
    got = Results([made("d", "abcdef")]).reread("d[4:6,0:2]")
    assert [piece.text for piece in got.pieces] == ["ef", "ab"]
    assert got.text == "efab"


def test_lines_end_at_the_line_feed_only() -> None:
    results = Results([made("d", TEXT)])
    assert results.reread("d[lines 2-3]").text == "second\u2028line\n\n"
    assert results.reread("d[lines 1-4]").text == TEXT
    assert refusal(results, "d[lines 4-5]") is Reason.NO_LINE


TABLE = (
    '{"id": "a", "amount": 1.10, "note": "x,\\u0041"}\n'
    '{"amount":1e5,"id":"b", "big": 123456789012345678901234567890}\n'
    '{ "id" : "c" }\n'
)


def table(text: str = TABLE, rows: int = 3) -> Results:
    version = made("t", text, kind=SourceKind.TABLE)
    return Results([replace(version, table=Table(("id", "amount"), rows, "id"))])


def test_rows_come_exactly_as_they_are_stored() -> None:
    assert table().reread("t[rows 1:3]").text == TABLE.partition("\n")[2]
    assert table().reread("t[rows 1:1]").text == ""
    assert refusal(table(), "t[rows 2:4]") is Reason.NO_ROW
    assert refusal(table(rows=2), "t[rows 2:3]") is Reason.NO_ROW
    assert refusal(Results([made("d", TABLE)]), "d[rows 0:1]") is Reason.NO_ROW


def test_fields_keep_their_order_and_their_values_as_written() -> None:
    got = table().reread("t[rows 0:2 fields amount,id]")
    assert got.text == '{"id": "a", "amount": 1.10}\n{"amount":1e5, "id":"b"}\n'
    assert table().reread("t[rows 0:1 fields note]").text == '{"note": "x,\\u0041"}\n'
    assert "123456789012345678901234567890" in table().reread("t[rows 1:2 fields big]").text


def test_a_field_that_a_row_lacks_is_refused() -> None:
    with pytest.raises(RefusedError, match="row 2: it has no field 'amount'") as caught:
        table().reread("t[rows 0:3 fields id,amount]")
    assert caught.value.reason is Reason.NO_FIELD


@pytest.mark.parametrize(
    "line", ["[1]", "{", '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1} x', "[" * 100_000]
)
def test_a_row_that_is_no_object_is_refused_where_fields_are_chosen(line: str) -> None:
    assert refusal(table(line + "\n" + TABLE), "t[rows 0:1 fields b]") is Reason.NO_FIELD


def test_a_block_id_that_stands_at_two_places_is_refused() -> None:
    blocks = (Block("b", Span(0, 1)), Block("b", Span(1, 2)), Block("c", Span(2, 9)))
    results = Results([replace(made("d", "xyz"), blocks=blocks)])
    assert refusal(results, "d[block b]") is Reason.AMBIGUOUS_BLOCK
    assert refusal(results, "d[block c]") is Reason.OUTSIDE_VERSION


def test_pages_are_the_blocks_that_stand_on_them() -> None:
    blocks = tuple(Block(f"b{n}", Span(n, n + 1), page=n // 2 + 1) for n in range(4))
    results = Results([replace(made("d", "abcdef"), blocks=blocks)])
    assert results.reread("d[pages 2]").text == "cd"
    assert results.reread("d[pages 1-2]").spans == (Span(0, 4),)
    assert refusal(results, "d[pages 2-3]") is Reason.NO_PAGE
    assert refusal(results, "d[pages 2-999999999999999999]") is Reason.NO_PAGE


def test_what_stands_between_the_blocks_of_a_page_belongs_to_it_but_no_other_page() -> None:
    def results(middle: int) -> Results:
        spans = (Span(0, 2), Span(3, 4), Span(5, 7))
        pages = (1, middle, 1)
        blocks = tuple(
            Block(f"b{n}", span, page=page)
            for n, (span, page) in enumerate(zip(spans, pages, strict=True))
        )
        return Results([replace(made("d", "ab-c-de"), blocks=blocks)])

    assert results(1).reread("d[pages 1]").text == "ab-c-de"
    assert results(2).reread("d[pages 1]").text == "abde"


def test_an_empty_line_of_a_table_counts_and_is_no_row() -> None:
    results = table('{"id": 1}\n\n{"id": 2}\n')
    assert results.reread("t[rows 2:3]").text == '{"id": 2}\n'
    assert refusal(results, "t[rows 1:2]") is Reason.NO_ROW


def test_of_a_version_known_in_part_only_known_lines_come_back() -> None:
    version = Version(
        VersionKey("f.py", "partial:ab"),
        SourceKind.FILE,
        text="three\nfour\nnine\n",
        unit=Unit.LINE,
        line_numbers=(3, 4, 9),
    )
    results = Results([version])
    got = results.reread("f.py[lines 3-4]")
    assert (got.text, got.exact) == ("three\nfour\n", False)
    assert results.reread("f.py").spans == (Span(3, 5), Span(9, 10))
    assert refusal(results, "f.py[lines 4-9]") is Reason.NO_LINE
    assert refusal(results, "f.py[0:5]") is Reason.NOT_STORED


def test_a_text_that_is_no_reference_is_no_refusal_about_evidence() -> None:
    with pytest.raises(ReferenceSyntaxError):
        Results([]).reread("d[0:x]")
