"""Pieces that meet in a text prove it only where nothing else stands between them in the view."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.audit.intervals import union
from reviewer.audit.matching import Target, find
from store.records.citations import SourceCitation
from store.records.findings import Verdict
from store.records.text import Span
from tests.unit.audit_runs import Talk, chars

LINES = [
    f"Clause {n}: the tenant of flat {n * 7} shall pay {n * 13} coins by day {n}." for n in range(9)
]
LEASE = "\n".join(LINES)


def shown_of(view: str) -> tuple[Span, ...]:
    """Return what of the lease is found in *view*."""
    return union(match.target for match in find(Target(LEASE), Target(view)))


def whole(view: str) -> bool:
    """Whether all ink of the lease is found."""
    return "".join("".join(LEASE[s.start : s.end].split()) for s in shown_of(view)) == "".join(
        LEASE.split()
    )


@pytest.mark.parametrize(
    ("words", "other"),
    [
        ("shall pay 39", "shall not pay 39"),
        ("pay 39 coins", "pay 939 coins"),
        ("pay 39 coins", "pay 39 39 coins"),
        ("39 coins", "39 co-ins"),
        ("39 coins", "39 co\u200bins"),
        ("flat 21 shall", "flat 21\nshall never, and\nshall"),
    ],
)
def test_words_put_into_the_middle_of_a_line_leave_a_gap(words: str, other: str) -> None:
    assert words in LEASE
    assert not whole(LEASE.replace(words, other))


@pytest.mark.parametrize(
    "view",
    [
        LEASE.replace("\nClause 4", "\n--- page 2 of 3 ---\nClause 4"),
        "\n".join(f"{n:>4} | {line}" for n, line in enumerate(LINES)),
        "\n".join([*LINES[4:], *LINES[:4]]),
        f"{LEASE[:300]}\n\n{LEASE[200:]}",
    ],
    ids=["a header", "an unknown gutter", "lines in another order", "an overlap"],
)
def test_what_a_tool_puts_between_lines_leaves_none(view: str) -> None:
    assert whole(view)


@given(st.integers(20, len(LEASE) - 20), st.sampled_from(["X", "XY", " not ", "7"]))
def test_no_insertion_outside_a_line_break_passes_for_the_whole(at: int, words: str) -> None:
    view = LEASE[:at] + words + LEASE[at:]
    at_break = "\n" in LEASE[at - 1 : at + 1]
    assert at_break or not whole(view)


def test_a_sentence_that_was_turned_round_is_not_read() -> None:
    talk = Talk()
    talk.source("lease", LEASE)
    talk.result(LEASE.replace("shall pay 39", "shall not pay 39"), chars("lease"))
    start = LEASE.index("Clause 3")
    talk.answer(SourceCitation(Span(0, 1), "lease", span=Span(start, start + len(LINES[3]))))
    (found,) = talk.judged().citations
    assert found.verdict is Verdict.PARTLY_READ
    assert found.missing
