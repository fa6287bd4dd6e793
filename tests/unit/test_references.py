"""How a selection is written, and that it is read back the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.records.sources import Selection
from store.records.text import Span, Unit
from store.references import Reference, ReferenceSyntaxError, format_reference, parse

HASH = "1454125600c3497f5c0b8cdd951336b32b932b25872453d88aa7b5dec46ef694"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("d03", Reference(Selection("d03"))),
        ("d03[0:5]", Reference(Selection("d03", ranges=(Span(0, 5),)))),
        (
            "d03@1454125600…[4321:4339]",
            Reference(Selection("d03", "1454125600", ranges=(Span(4321, 4339),)), shortened=True),
        ),
        (
            "d03@1454125600...[4321:4339]",
            Reference(Selection("d03", "1454125600", ranges=(Span(4321, 4339),)), shortened=True),
        ),
        (f"d03@{HASH}", Reference(Selection("d03", HASH))),
        ("t[rows 0:50]", Reference(Selection("t", unit=Unit.ROW, ranges=(Span(0, 50),)))),
        (
            "t[rows 0:50 fields id,amount]",
            Reference(
                Selection("t", unit=Unit.ROW, ranges=(Span(0, 50),), fields=("id", "amount"))
            ),
        ),
        ("t[rows fields id]", Reference(Selection("t", unit=Unit.ROW, fields=("id",)))),
        ("f.py[lines 3-9]", Reference(Selection("f.py", unit=Unit.LINE, ranges=(Span(3, 10),)))),
        ("f.py[line 3]", Reference(Selection("f.py", unit=Unit.LINE, ranges=(Span(3, 4),)))),
        ("p[pages 2-3]", Reference(Selection("p", unit=Unit.PAGE, ranges=(Span(2, 4),)))),
        (
            "doc#A[block doc#A#s1#sec#0#b0]",
            Reference(Selection("doc#A", unit=Unit.BLOCK, blocks=("doc#A#s1#sec#0#b0",))),
        ),
        ("d[block a[0]]", Reference(Selection("d", unit=Unit.BLOCK, blocks=("a[0]",)))),
        ("a@b@c[1:2]", Reference(Selection("a@b", "c", ranges=(Span(1, 2),)))),
        ("x[1:2]@v[3:4]", Reference(Selection("x[1:2]", "v", ranges=(Span(3, 4),)))),
        ("notes[0:5][]", Reference(Selection("notes[0:5]"))),
        ("d[0:5, 9:12]", Reference(Selection("d", ranges=(Span(0, 5), Span(9, 12))))),
    ],
)
def test_a_reference_is_read_from_the_right(text: str, expected: Reference) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("d03[0:x]", 6),
        ("d03[5:2]", 4),
        ("d03[lines 0-3]", 10),
        ("d03[lines 9-3]", 10),
        ("d03[lines 3:9]", 11),
        ("d03[words 3:9]", 4),
        ("d03[block ]", 10),
        ("d03[-1:3]", 4),
        ("d03[٣:٤]", 4),
        ("d03[1_0:20]", 5),
        ("d03@14[0:5", 6),
        ("@v[0:5]", 0),
        ("", 0),
        ("d03@…[0:5]", 4),
        ("d[rows 0:5 fields a,]", 20),
    ],
)
def test_an_error_names_the_character(text: str, position: int) -> None:
    with pytest.raises(ReferenceSyntaxError) as caught:
        parse(text)
    assert caught.value.position == position
    assert f"character {position + 1} " in str(caught.value)


def test_an_id_that_looks_like_a_selection_is_written_so_that_it_is_read_back_whole() -> None:
    assert format_reference(Selection("doc#A@x[1:2]")) == "doc#A@x[1:2]@"
    assert format_reference(Selection("notes[0:5]")) == "notes[0:5]@"
    assert format_reference(Selection("a@b", ranges=(Span(0, 5),))) == "a@b@[0:5]"


HOSTILE = st.one_of(
    st.sampled_from(
        [
            "doc#A@x[1:2]",
            "批处理 3",
            "🧿👩‍👩‍👧",
            " a b ",
            "a…",
            "a...",
            '"q"',
            "x[block y",
            "y]",
            "[",
            "]",
            "@",
            "[]",
            "block ",
            "\ud83d",
            "a\nb",
            "\x00",
            "…",
        ]
    ),
    st.text(alphabet='ab@[]:"0, …\\.#批🧿', min_size=1, max_size=12),
    st.text(min_size=1, max_size=12),
)
SPANS = st.tuples(st.integers(1, 10**6), st.integers(0, 10**6)).map(
    lambda pair: Span(pair[0], pair[0] + pair[1])
)
RANGES = st.lists(SPANS, max_size=3).map(tuple)
SELECTIONS = st.one_of(
    st.builds(
        Selection,
        HOSTILE,
        st.one_of(st.just(""), HOSTILE),
        st.sampled_from([Unit.CHAR, Unit.LINE, Unit.PAGE]),
        RANGES,
    ),
    st.builds(
        Selection,
        HOSTILE,
        HOSTILE,
        st.just(Unit.ROW),
        RANGES,
        fields=st.one_of(st.none(), st.lists(HOSTILE, max_size=3).map(tuple)),
    ),
    st.builds(
        Selection,
        HOSTILE,
        st.one_of(st.just(""), HOSTILE),
        st.just(Unit.BLOCK),
        blocks=st.lists(HOSTILE, max_size=3).map(tuple),
    ),
)


@given(SELECTIONS)
def test_every_selection_is_written_and_read_back_the_same(selection: Selection) -> None:
    assert parse(format_reference(selection)) == Reference(selection)


@given(HOSTILE, st.text("0123456789abcdef", min_size=4, max_size=63))
def test_a_shortened_hash_is_written_with_its_ellipsis(source: str, start: str) -> None:
    reference = Reference(Selection(source, start, ranges=(Span(0, 3),)), shortened=True)
    assert str(reference) == f"{source}@{start}…[0:3]"
    assert parse(str(reference)) == reference


@given(st.text(alphabet='ab@[]:"0, …\\.-rowslinefdkg ', max_size=40))
def test_any_text_is_a_reference_or_a_named_error(text: str) -> None:
    try:
        parsed = parse(text)
    except ReferenceSyntaxError as error:
        assert 0 <= error.position <= len(text)  # noqa: PT017 - either outcome is right
    else:
        assert parse(format_reference(parsed)) == parsed


def test_a_hostile_text_costs_time_in_proportion_to_its_length() -> None:
    with pytest.raises(ReferenceSyntaxError):
        parse("[" * 1_000_000 + "x]")
