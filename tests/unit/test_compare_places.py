"""What became of a cited text: never the same without proof."""

from dataclasses import replace
from hashlib import sha256

from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.audit.compare_places import Places
from store.records.differences import Fate, Fated, Proof, Side, Why
from store.records.sources import (
    Block,
    Excerpt,
    Integrity,
    SourceKind,
    Table,
    Version,
    VersionKey,
)
from store.records.text import Span, Unit

OLD = (
    "Maintenance begins on Sunday at two.\n"
    "The export service stops before everything else.\n"
    "Batches are limited to two hundred records.\n"
    "Whoever needs more asks the team on duty.\n"
)
LIMIT = "Batches are limited to two hundred records."


def version(text: str, source: str = "doc", **more: object) -> Version:
    """Return a version whose bytes were checked."""
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return replace(
        Version(
            VersionKey(source, digest), SourceKind.TEXT, sha256=digest, chars=len(text), text=text
        ),
        **more,  # type: ignore[arg-type]
    )


def fate(old: str, new: str, words: str, *, nth: int = 0) -> Fated:
    """Return what became of the *nth* place of *words*."""
    start = -1
    for _ in range(nth + 1):
        start = old.index(words, start + 1)
    return Places(version(old), version(new)).fate(Span(start, start + len(words)), Unit.CHAR)


def test_the_same_bytes_are_unchanged_by_their_hash() -> None:
    found = fate(OLD, OLD, LIMIT)
    assert (found.fate, found.proof, found.b) == (Fate.UNCHANGED, Proof.HASH, found.a)


def test_the_same_text_at_the_same_place_is_unchanged_by_its_text() -> None:
    found = fate(OLD, OLD + "More.\n", LIMIT)
    assert (found.fate, found.proof, found.b) == (Fate.UNCHANGED, Proof.TEXT, found.a)


def test_the_same_text_elsewhere_moved_there() -> None:
    new = "A new line in front.\n" + OLD
    found = fate(OLD, new, LIMIT)
    assert found.fate is Fate.MOVED
    assert found.b is not None
    assert new[found.b.start : found.b.end] == LIMIT


def test_another_number_is_a_change_and_is_offered_not_taken() -> None:
    new = OLD.replace("two hundred", "two hundred fifty")
    found = fate(OLD, new, LIMIT)
    assert found.fate is Fate.CHANGED
    assert not found.fate.is_same_text
    assert "two hundred fifty" in found.suggestions[0].text
    assert found.suggestions[0].share > 80


def test_a_text_that_was_taken_out_is_gone() -> None:
    assert fate(OLD, OLD.replace(LIMIT + "\n", ""), LIMIT).fate is Fate.GONE


def test_a_similar_text_elsewhere_is_a_suggestion() -> None:
    new = OLD.replace(LIMIT + "\n", "") + "\n\nBatches are limited to three hundred records.\n"
    found = fate(OLD, new, LIMIT)
    assert found.fate in (Fate.GONE, Fate.CHANGED)
    assert any("three hundred" in one.text for one in found.suggestions)


def test_a_text_that_stands_twice_is_ambiguous_where_nothing_around_it_tells() -> None:
    found = fate(LIMIT, f"one {LIMIT} two {LIMIT} three", LIMIT)
    assert found.fate is Fate.AMBIGUOUS
    assert len(found.places) == 2
    assert found.b is None


def test_the_text_around_it_tells_one_from_others_like_it() -> None:
    old = f"For guests: {LIMIT}\nFor members: {LIMIT}\n"
    new = f"Read this first.\n{old}"
    found = fate(old, new, LIMIT, nth=1)
    assert found.fate is Fate.MOVED
    assert found.b is not None
    assert new[: found.b.start].endswith("For members: ")
    assert found.context


def test_of_two_that_were_alike_the_one_that_is_left_need_not_be_the_cited_one() -> None:
    old = f"For guests: {LIMIT}\nFor members: {LIMIT}\n"
    assert fate(old, f"Now all: {LIMIT}\n", LIMIT, nth=0).fate is Fate.AMBIGUOUS
    members = fate(old, f"New.\nFor members: {LIMIT}\n", LIMIT, nth=1)
    assert members.fate is Fate.MOVED
    assert fate(old, f"New.\nFor members: {LIMIT}\n", LIMIT, nth=0).fate is not Fate.MOVED


def test_a_number_alone_is_never_found_again_by_itself() -> None:
    old, new = "The limit is 200 records.\n", "There are 200 days.\nThe limit is 300 records.\n"
    found = fate(old, new, "200")
    assert found.fate is Fate.CHANGED
    same_offset = fate("The limit is 200 records.\n", "All we had at 200 degrees.\n", "200")
    assert same_offset.fate is not Fate.UNCHANGED


def test_a_number_in_an_unchanged_line_is_unchanged() -> None:
    old = "The limit is 200 records.\nEnd.\n"
    assert fate(old, old + "More.\n", "200").fate is Fate.UNCHANGED


def test_missing_and_changed_bytes_could_not_be_compared() -> None:
    whole = version(OLD)
    gone = replace(whole, text=None, integrity=Integrity.MISSING)
    other = replace(whole, text=None, integrity=Integrity.CHANGED)
    span = Span(0, 11)
    for a, b, side, why in (
        (whole, gone, Side.B, Why.NOT_STORED),
        (gone, whole, Side.A, Why.NOT_STORED),
        (whole, other, Side.B, Why.BYTES_CHANGED),
    ):
        found = Places(a, b).fate(span, Unit.CHAR)
        assert found.fate is Fate.UNKNOWN
        assert found.doubt is not None
        assert (found.doubt.side, found.doubt.why) == (side, why)


def test_equal_recorded_hashes_do_not_make_missing_bytes_the_same() -> None:
    gone = replace(version(OLD), text=None, integrity=Integrity.MISSING)
    assert Places(gone, gone).content.same is None


def test_a_rebuilt_text_is_the_same_only_as_far_as_the_record_shows() -> None:
    rebuilt = replace(version(OLD), sha256="", integrity=Integrity.RECONSTRUCTED)
    found = Places(rebuilt, rebuilt).fate(Span(0, 11), Unit.CHAR)
    assert (found.fate, found.proof) == (Fate.UNCHANGED, Proof.REBUILT)
    mixed = Places(rebuilt, version(OLD))
    assert mixed.content.same is None
    assert mixed.fate(Span(0, 37), Unit.CHAR).proof is Proof.REBUILT


def test_what_is_in_no_known_part_is_not_gone() -> None:
    lines = OLD.rstrip("\n").split("\n")
    old = version(OLD)
    part = Version(
        VersionKey("doc", "partial:1"),
        SourceKind.FILE,
        text="\n".join(lines[:2]),
        integrity=Integrity.RECONSTRUCTED,
        unit=Unit.LINE,
        line_numbers=(1, 2),
    )
    known = Places(old, part).fate(Span(1, 2), Unit.LINE)
    assert known.fate is Fate.UNCHANGED
    unknown = Places(old, part).fate(Span(3, 4), Unit.LINE)
    assert unknown.fate is Fate.UNKNOWN
    assert unknown.doubt is not None
    assert unknown.doubt.why is Why.IN_PARTS


def test_lines_that_only_stand_side_by_side_in_a_record_are_no_text() -> None:
    old = version("first line of the text\nsecond line of the text\n")
    part = Version(
        VersionKey("doc", "partial:1"),
        SourceKind.FILE,
        text="first line of the text\nsecond line of the text",
        integrity=Integrity.RECONSTRUCTED,
        unit=Unit.LINE,
        line_numbers=(10, 50),
    )
    assert Places(old, part).fate(Span(1, 3), Unit.LINE).fate is Fate.UNKNOWN


def test_a_block_is_its_text_also_when_it_stands_elsewhere() -> None:
    start = OLD.index(LIMIT)
    span = Span(start, start + len(LIMIT))
    old = version(OLD, blocks=(Block("b1", span),))
    new = version("In front.\n" + OLD, blocks=(Block("b1", span.moved(10)),))
    found = Places(old, new).fate(None, Unit.BLOCK, "b1")
    assert found.fate in (Fate.UNCHANGED, Fate.MOVED)
    excerpt = Version(
        VersionKey("doc", "v"),
        SourceKind.TEXT,
        integrity=Integrity.RECONSTRUCTED,
        excerpts=(Excerpt(None, LIMIT, "b1"),),
    )
    assert Places(old, excerpt).fate(None, Unit.BLOCK, "b1").fate is Fate.UNCHANGED


def test_a_row_of_a_table_is_found_again_where_it_went() -> None:
    rows = [f'{{"id": "{name}", "amount": {number}}}\n' for number, name in enumerate("abcd")]
    table = Table(("id", "amount"), 4, "id")
    old = version("".join(rows), kind=SourceKind.TABLE, table=table)
    new = version("".join([rows[3], *rows[:3]]), kind=SourceKind.TABLE, table=table)
    found = Places(old, new).fate(Span(1, 2), Unit.ROW)
    assert (found.fate, found.b, found.b_unit) == (Fate.MOVED, Span(2, 3), Unit.ROW)


def test_a_place_outside_the_text_is_none() -> None:
    places = Places(version(OLD), version(OLD + "x"))
    for span in (Span(0, len(OLD) + 5), Span(5, 5)):
        found = places.fate(span, Unit.CHAR)
        assert found.fate is Fate.UNKNOWN
        assert found.doubt is not None
        assert found.doubt.why is Why.NO_PLACE


LINES = st.lists(
    st.sampled_from(
        [
            "the first of the lines\n",
            "单批上限为200条，超时设为三十秒。\n",
            "x\n",
            "another of the lines\n",
        ]
    ),
    max_size=8,
).map("".join)


@settings(max_examples=300)
@given(LINES, LINES, st.data())
def test_whatever_is_called_the_same_is_the_same_text(a: str, b: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(a)))
    end = data.draw(st.integers(start, len(a)))
    found = Places(version(a), version(b)).fate(Span(start, end), Unit.CHAR)
    if found.fate.is_same_text:
        assert found.b is not None
        assert a[start:end] == b[found.b.start : found.b.end]
        assert (found.fate is Fate.UNCHANGED) == (found.b == Span(start, end))
        assert found.proof is not None
    if found.fate is Fate.GONE:
        assert len(a[start:end].split()) < 1 or a[start:end] not in b or len(a[start:end]) < 20
