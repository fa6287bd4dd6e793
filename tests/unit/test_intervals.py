"""The interval algebra agrees with sets of integers."""

from collections.abc import Iterable
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.audit.intervals import covers, intersect, length, subtract, union
from store.records.text import Span

SPANS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 8)).map(lambda s: Span(s[0], s[0] + s[1])),
    max_size=8,
)
FEW = settings(max_examples=80)


def held(spans: Iterable[Span]) -> set[int]:
    """Return every position that *spans* hold."""
    return {place for span in spans for place in range(span.start, span.end)}


def is_joined(spans: tuple[Span, ...]) -> bool:
    """Tell whether spans are ascending, apart and not empty."""
    apart = all(a.end < b.start for a, b in pairwise(spans))
    return apart and all(span.length for span in spans)


@FEW
@given(SPANS, SPANS)
def test_results_hold_what_the_sets_hold_in_the_fewest_spans(
    one: list[Span], other: list[Span]
) -> None:
    for found, expected in (
        (union(one), held(one)),
        (subtract(one, other), held(one) - held(other)),
        (intersect(one, other), held(one) & held(other)),
    ):
        assert held(found) == expected
        assert is_joined(found)


@FEW
@given(SPANS, SPANS)
def test_covering_and_length_are_those_of_sets(one: list[Span], other: list[Span]) -> None:
    assert covers(one, other) == (held(other) <= held(one))
    assert length(one) == len(held(one))


@FEW
@given(SPANS)
def test_the_order_in_which_spans_come_does_not_matter(spans: list[Span]) -> None:
    assert union(spans) == union(reversed(spans))
    assert union(union(spans)) == union(spans)
