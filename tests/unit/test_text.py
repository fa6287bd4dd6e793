"""Offsets in every unit name the same characters, whatever the characters are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.records.text import InsideCharacterError, OutsideTextError, Span, TextIndex

HARD = [
    "饺子",
    "👩\u200d💻",
    "e\u0301",
    "\r\n",
    "\u2028",
    "\x00",
    "\ud83d",
    "\ude00",
    "\n",
    "a",
    "ß",
]
TEXTS = st.lists(st.sampled_from(HARD) | st.characters(exclude_categories=[]), max_size=30).map(
    "".join
)
LONG = st.tuples(TEXTS, st.integers(0, 300)).map(lambda made: (made[0] * made[1])[:700])
FEW = settings(max_examples=60)


def units(text: str, encoding: str, size: int) -> list[int]:
    """Return the offset of each code point and of the end, counted one by one."""
    lengths = [len(char.encode(encoding, "surrogatepass")) // size for char in text]
    return [sum(lengths[:place]) for place in range(len(text) + 1)]


@FEW
@given(TEXTS)
def test_utf16_offsets_are_those_of_a_naive_encoder_both_ways(text: str) -> None:
    index, naive = TextIndex(text), units(text, "utf-16-le", 2)
    assert [index.to_utf16(place) for place in range(len(text) + 1)] == naive
    assert [index.from_utf16(offset) for offset in naive] == list(range(len(text) + 1))


@FEW
@given(TEXTS)
def test_utf8_offsets_are_those_of_a_naive_encoder_both_ways(text: str) -> None:
    index, naive = TextIndex(text), units(text, "utf-8", 1)
    assert [index.to_utf8(place) for place in range(len(text) + 1)] == naive
    assert [index.from_utf8(offset) for offset in naive] == list(range(len(text) + 1))


@FEW
@given(TEXTS)
def test_every_offset_inside_a_character_is_an_error_and_never_rounded(text: str) -> None:
    index = TextIndex(text)
    for convert, naive in (
        (index.from_utf16, units(text, "utf-16-le", 2)),
        (index.from_utf8, units(text, "utf-8", 1)),
    ):
        for offset in set(range(naive[-1])) - set(naive):
            with pytest.raises(InsideCharacterError):
                convert(offset)


@settings(max_examples=20)
@given(LONG, st.data())
def test_long_texts_convert_across_checkpoints(text: str, data: st.DataObject) -> None:
    index = TextIndex(text)
    place = data.draw(st.integers(0, len(text)))
    offset = len(text[:place].encode("utf-8", "surrogatepass"))
    assert index.to_utf8(place) == offset
    assert index.from_utf8(offset) == place
    wide = len(text[:place].encode("utf-16-le", "surrogatepass")) // 2
    assert (index.to_utf16(place), index.from_utf16(wide)) == (wide, place)


@FEW
@given(TEXTS)
def test_offsets_outside_the_text_are_errors_in_every_unit(text: str) -> None:
    index = TextIndex(text)
    size = len(text)
    for outside in (-1, size + 1):
        for convert in (index.to_utf16, index.to_utf8, index.line_of):
            with pytest.raises(OutsideTextError):
                convert(outside)
    for back, end in (
        (index.from_utf16, units(text, "utf-16-le", 2)[-1]),
        (index.from_utf8, units(text, "utf-8", 1)[-1]),
    ):
        for outside in (-1, end + 1):
            with pytest.raises(OutsideTextError):
                back(outside)


@FEW
@given(TEXTS)
def test_lines_end_at_newlines_only_and_together_are_the_text(text: str) -> None:
    index = TextIndex(text)
    lines = [index.line_span(number) for number in range(1, index.line_count + 1)]
    pieces = [text[line.start : line.end] for line in lines]
    assert "".join(pieces) == text
    assert all("\n" not in piece[:-1] for piece in pieces)
    assert all(piece.endswith("\n") for piece in pieces[:-1])
    for number, line in enumerate(lines, 1):
        assert {index.line_of(place) for place in range(line.start, line.end)} <= {number}


def test_a_line_separator_and_a_carriage_return_end_no_line() -> None:
    index = TextIndex("a\u2028b\rc\r\nd")
    assert index.line_count == 2
    assert index.line_span(1) == Span(0, 7)
    assert index.line_span(2) == Span(7, 8)


def test_a_final_newline_begins_no_line() -> None:
    assert TextIndex("a\n").line_count == 1
    assert TextIndex("").line_count == 1
    with pytest.raises(OutsideTextError):
        TextIndex("a\n").line_span(2)


def test_the_last_line_may_be_named_by_an_empty_span_behind_it() -> None:
    assert TextIndex("a\nb").line_span(3, 3) == Span(3, 3)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (-2, -1)])
def test_a_negative_or_reversed_span_is_none(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="not a span"):
        Span(start, end)


SPANS = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda s: Span(min(s), max(s)))


@FEW
@given(SPANS, SPANS)
def test_spans_meet_overlap_and_cover_as_sets_of_positions_do(one: Span, other: Span) -> None:
    ours, theirs = set(range(one.start, one.end)), set(range(other.start, other.end))
    met = one.meet(other)
    assert (set(range(met.start, met.end)) if met else set()) == ours & theirs
    assert one.overlaps(other) == bool(ours & theirs)
    if theirs:
        assert one.covers(other) == (theirs <= ours)
