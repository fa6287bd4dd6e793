"""The display filter: what it means, what it says when it is wrong, and that nothing breaks it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.filter.arrays import Arrays, Query
from reviewer.filter.columns import Column, Columns, Kind, Op, by_name
from reviewer.filter.completion import propose
from reviewer.filter.lexer import MAX_CHARS, Fault, FilterError
from reviewer.filter.parser import MAX_DEPTH, parse
from reviewer.filter.tree import (
    EVERYTHING,
    Compare,
    Contains,
    Not,
    OneOf,
    Tree,
    all_of,
    any_of,
    columns_of,
    written,
)
from store.records.text import Span

COLUMNS = by_name(
    [
        Column("verdict", Kind.CHOICE, ("read", "from_memory", "never_read")),
        Column("severity", Kind.ORDER, ("note", "warning", "error")),
        Column("call", Kind.NUMBER),
        Column("source", Kind.TEXT, ("logs/gateway.log", "runbooks/my notes.md"), searched=True),
        Column("text", Kind.TEXT, searched=True),
    ]
)


@dataclass
class Table:
    """Four rows; the last has nothing but a text."""

    columns: Columns = field(default_factory=lambda: COLUMNS)
    held: dict[str, Sequence[str | int | None]] = field(
        default_factory=lambda: {
            "verdict": ["read", "from_memory", "never_read", None],
            "severity": ["note", "error", "warning", None],
            "call": [3, 8, 5, None],
            "source": ["logs/gateway.log", "LOGS/Gateway.log", "合同", None],
            "text": ["Timeouts rose", "单批上限为200条", "and (not) in", "x\u202ey"],
        }
    )

    def __len__(self) -> int:
        return 4

    def values(self, column: str) -> Sequence[str | int | None]:
        """Give one column."""
        return self.held[column]


def shown(text: str) -> list[int]:
    return [int(row) for row in Arrays(Table()).rows(Query(parse(text, COLUMNS)))]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", [0, 1, 2, 3]),
        ("   ", [0, 1, 2, 3]),
        ("verdict == from_memory", [1]),
        ("verdict == from_memory and call > 3", [1]),
        ("verdict != read", [1, 2, 3]),
        ('source ~ "gateway"', [0, 1]),
        ("source == logs/gateway.log", [0]),
        ("source !~ gateway", [2, 3]),
        ("verdict in (read, never_read)", [0, 2]),
        ("verdict not in (read, never_read)", [1, 3]),
        ("call in (3, 5)", [0, 2]),
        ("severity >= warning", [1, 2]),
        ("severity < warning", [0]),
        ("call <= 5", [0, 2]),
        ("not call <= 5", [1, 3]),
        ("call==8", [1]),
        ("TIMEOUTS", [0]),
        ("上限", [1]),
        ("gateway timeouts", [0]),
        ("timeouts or 合同", [0, 2]),
        ("verdict == read or verdict == never_read and call == 5", [0, 2]),
        ("(verdict == read or verdict == never_read) and call == 5", [2]),
        ('"and (not) in"', [2]),
        (r'"x\u{202E}y"', [3]),
        ("NOT gateway", [2, 3]),
    ],
)
def test_a_filter_shows_the_rows_it_says(text: str, rows: list[int]) -> None:
    assert shown(text) == rows


@pytest.mark.parametrize(
    ("text", "fault", "span"),
    [
        ("verdict == frm", Fault.CHOICE, (11, 14)),
        ("verdict ==", Fault.VALUE, (10, 10)),
        ("verdict", Fault.OPERATOR, (7, 7)),
        ("call 3", Fault.OPERATOR, (5, 6)),
        ("call == three", Fault.NUMBER, (8, 13)),
        ("call == ٣", Fault.NUMBER, (8, 9)),
        ("call ~ 3", Fault.NOT_FOR_COLUMN, (5, 6)),
        ("source > a", Fault.NOT_FOR_COLUMN, (7, 8)),
        ("vordict == read", Fault.NO_COLUMN, (0, 7)),
        ("verdict in read", Fault.LIST_OPEN, (11, 15)),
        ("verdict in (read", Fault.LIST_GOES_ON, (16, 16)),
        ("(gateway", Fault.CLOSE, (8, 8)),
        ("gateway)", Fault.END, (7, 8)),
        ("gateway and", Fault.CONDITION, (11, 11)),
        ("or gateway", Fault.CONDITION, (0, 2)),
        ('"open', Fault.QUOTE_OPEN, (0, 5)),
        (r'"a\q"', Fault.BAD_ESCAPE, (2, 4)),
        (r'"\u{110000}"', Fault.BAD_ESCAPE, (1, 3)),
        ("a = b", Fault.STRAY, (2, 3)),
        ("🦔 call", Fault.OPERATOR, (6, 6)),
    ],
)
def test_an_error_stands_at_its_character(text: str, fault: Fault, span: tuple[int, int]) -> None:
    with pytest.raises(FilterError) as caught:
        parse(text, COLUMNS)
    assert caught.value.fault is fault
    assert (caught.value.span.start, caught.value.span.end) == span


def test_an_error_says_what_was_expected() -> None:
    with pytest.raises(FilterError) as caught:
        parse("severity == bad", COLUMNS)
    assert caught.value.values == {"column": "severity", "expected": "note, warning, error"}


def test_what_is_nested_too_deep_or_too_long_is_refused_and_breaks_nothing() -> None:
    for text in ("(" * (MAX_DEPTH + 1), "not " * (MAX_DEPTH + 1) + "a"):
        with pytest.raises(FilterError) as caught:
            parse(text, COLUMNS)
        assert caught.value.fault is Fault.TOO_DEEP
    with pytest.raises(FilterError) as caught:
        parse("a" * (MAX_CHARS + 1), COLUMNS)
    assert caught.value.fault is Fault.TOO_LONG


def test_a_pattern_or_a_program_in_a_filter_is_a_text_like_any_other() -> None:
    for text in ('"(a+)+$"', '".*"', "\"__import__('os').system('x')\"", '"%"', '"_"'):
        assert shown(text) == []


def texts() -> st.SearchStrategy[str]:
    return st.text(st.characters(codec=None, exclude_categories=()), max_size=12)


def trees() -> st.SearchStrategy[Tree]:
    text = st.builds(Contains, texts())
    compare = st.one_of(
        st.builds(Compare, st.just("source"), st.sampled_from(Kind.TEXT.ops), texts()),
        st.builds(
            Compare, st.just("call"), st.sampled_from(Kind.NUMBER.ops), st.integers(0, 10**17)
        ),
        st.builds(Compare, st.just("verdict"), st.just(Op.EQUAL), st.just("read")),
    )
    one_of = st.builds(OneOf, st.just("source"), st.lists(texts(), min_size=1).map(tuple))
    return st.recursive(
        st.one_of(text, compare, one_of),
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.lists(inner, min_size=1, max_size=4).map(lambda found: all_of(*found)),
            st.lists(inner, min_size=1, max_size=4).map(lambda found: any_of(*found)),
        ),
        max_leaves=12,
    )


@given(trees())
def test_what_is_written_is_read_back_as_the_same_filter(tree: Tree) -> None:
    assert parse(written(tree, COLUMNS), COLUMNS) == tree


@given(trees())
def test_what_is_written_can_be_seen_and_stands_on_one_line(tree: Tree) -> None:
    assert written(tree, COLUMNS).isprintable()


@given(st.text(max_size=60) | st.text('ac()"\\ =<>!~,norti', max_size=60))
def test_any_text_is_a_filter_or_an_error_inside_it(text: str) -> None:
    wrong = Span(0, 0)
    try:
        parse(text, COLUMNS)
    except FilterError as error:
        wrong = error.span
    assert 0 <= wrong.start <= wrong.end <= len(text)


@given(trees())
def test_a_filter_and_its_opposite_share_no_row_and_leave_none_out(tree: Tree) -> None:
    arrays = Arrays(Table())
    assert (arrays.mask(tree) ^ arrays.mask(Not(tree))).all()


@given(st.text('vc("== ~in,rad)and', max_size=40), st.integers(-1, 50))
def test_a_proposal_replaces_what_the_position_touches(text: str, position: int) -> None:
    found = propose(text, position, COLUMNS)
    assert 0 <= found.span.start <= found.span.end <= len(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ("verdict", "severity", "call", "source", "text", "not")),
        ("ver", ("verdict", "severity")),
        ("call ", ("==", "!=", "<", "<=", ">", ">=", "in")),
        ("call <", ("<=",)),
        ("source ", ("==", "!=", "~", "!~", "in")),
        ("verdict == ", ("read", "from_memory", "never_read")),
        ("verdict == re", ("read", "never_read")),
        ("verdict in (", ("read", "from_memory", "never_read")),
        ("verdict in (read, fr", ("from_memory",)),
        ("verdict in (read", ("never_read",)),
        ("verdict in (read ", (",", ")")),
        ("source == ", ("logs/gateway.log", '"runbooks/my notes.md"')),
        ("verdict == read ", ("and", "or", "verdict", "severity", "call", "source", "text")),
        ('"open', ()),
    ],
)
def test_what_is_proposed_fits_there(text: str, words: tuple[str, ...]) -> None:
    assert propose(text, len(text), COLUMNS).words == words


def test_proposals_that_are_left_out_are_counted() -> None:
    columns = by_name([Column("source", Kind.TEXT, tuple(f"s{n}" for n in range(500)))])
    found = propose("source == s", 11, columns)
    assert len(found.words) + found.left_out == 500


def test_rows_without_a_value_come_last_in_both_directions() -> None:
    arrays = Arrays(Table())
    assert arrays.rows(Query(sort="call")).tolist() == [0, 2, 1, 3]
    assert arrays.rows(Query(sort="call", descending=True)).tolist() == [1, 2, 0, 3]
    assert arrays.rows(Query(sort="severity", descending=True)).tolist() == [1, 2, 0, 3]


def test_grouped_rows_lie_together_and_keep_their_order_inside() -> None:
    table = Table(held={**Table().held, "source": ["b", "a", "b", None]})
    arrays = Arrays(table)
    rows = arrays.rows(Query(group="source", sort="call", descending=True))
    assert rows.tolist() == [1, 2, 0, 3]
    assert arrays.groups("source", rows).tolist() == [0, 1, 3]


def test_the_columns_of_a_filter_are_those_it_names() -> None:
    assert columns_of(parse("not (call > 3 or source ~ a) b", COLUMNS)) == {"call", "source"}
    assert columns_of(EVERYTHING) == frozenset()


class Large:
    """A million rows of which each value is different or one of few."""

    columns = COLUMNS

    def __len__(self) -> int:
        return 1_000_000

    def values(self, column: str) -> Sequence[str | int | None]:
        """Make one column."""
        if column == "call":
            return range(1_000_000)
        if column == "text":
            return [f"finding {n}" for n in range(1_000_000)]
        few = COLUMNS[column].values
        return [few[n % len(few)] for n in range(1_000_000)]


def test_a_million_rows_are_filtered_and_sorted_within_a_second() -> None:
    arrays = Arrays(Large())
    query = Query(parse("severity >= warning and call > 10 and source ~ gateway", COLUMNS), "call")
    arrays.rows(query)
    begun = time.perf_counter()
    rows = arrays.rows(query)
    assert time.perf_counter() - begun < 1
    assert len(rows) == 333_329
    assert arrays.mask(parse("999999", COLUMNS)).sum() == 1
