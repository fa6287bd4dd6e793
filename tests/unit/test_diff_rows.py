"""Two texts side by side: every code point of both in one row, equal lines beside each other."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.audit.compare_text import compare_text
from reviewer.window.presenters.diff_rows import DiffRows
from store.records.differences import Change
from store.records.text import Span

TEXTS = st.text(st.sampled_from("ab \n字，🦔\u202e\r\ud83d"), max_size=60)


def rows(a: str, b: str, columns: int = 40) -> DiffRows:
    return DiffRows(a, b, compare_text(a, b), columns)


def shown(found: DiffRows) -> list[tuple[str | None, str | None]]:
    each = [found.row(number) for number in range(len(found))]
    return [
        (
            None if row.a is None else found.text_a[row.a.start : row.a.end],
            None if row.b is None else found.text_b[row.b.start : row.b.end],
        )
        for row in each
    ]


@given(TEXTS, TEXTS, st.integers(1, 12))
def test_both_texts_stand_whole_and_in_order_in_the_rows(a: str, b: str, columns: int) -> None:
    found = shown(rows(a, b, columns))
    assert "".join(left or "" for left, _ in found) == a
    assert "".join(right or "" for _, right in found) == b
    assert all(left or right for left, right in found)
    wide = columns if (a + b).isascii() else max(1, columns)
    assert all(len(part or "") <= max(1, wide) for pair in found for part in pair)


@given(TEXTS, TEXTS)
def test_a_position_is_found_in_its_row(a: str, b: str) -> None:
    found = rows(a, b, 7)
    for of_b, text in ((False, a), (True, b)):
        for position in range(len(text)):
            number = found.row_at(position, of_b=of_b)
            assert number is not None
            row = found.row(number)
            span = row.b if of_b else row.a
            assert span is not None
            assert span.start <= position < span.end


def test_lines_that_share_words_stand_beside_each_other() -> None:
    a = "the limit is 200 records\nnew batches wait\nend\n"
    b = "first of all\nthe limit is 300 records\nnew batches are refused\nend\n"
    assert shown(rows(a, b)) == [
        (None, "first of all\n"),
        ("the limit is 200 records\n", "the limit is 300 records\n"),
        ("new batches wait\n", "new batches are refused\n"),
        ("end\n", "end\n"),
    ]


def test_lines_are_numbered_where_they_begin() -> None:
    found = rows("x" * 25 + "\ny\n", "x" * 25 + "\ny\n", 10)
    assert [found.row(at).line_a for at in range(len(found))] == [1, 0, 0, 2]


def test_a_long_line_goes_on_together_behind_what_was_put_in() -> None:
    words = " ".join(f"word{number}" for number in range(200))
    a, b = f"start {words} end", f"start {words[:600]} and something new {words[600:]} end"
    found = shown(rows(a, b, 50))
    assert found[-1][0] is not None
    assert found[-1][0] == found[-1][1]


def test_differences_are_walked_in_both_directions() -> None:
    a = "".join(f"line {number}\n" for number in range(30))
    b = a.replace("line 7\n", "row 7\n").replace("line 20\n", "")
    found = rows(a, b)
    assert found.changes == [7, 20]
    assert found.step(-1, 1) == 7
    assert found.step(7, 1) == 20
    assert found.step(20, 1) is None
    assert found.step(20, -1) == 7
    assert found.step(7, -1) is None
    assert found.row(20).change is Change.REMOVED
    assert list(found.rows_of(Span(0, 14), of_b=False)) == [0, 1]


def test_five_megabytes_are_laid_out_quickly_and_can_be_stopped() -> None:
    line = "0123456789 abcdefghij 0123456789 abcdefghij 0123456789 abcdefghij 0123456789\n"
    a = line * 66_000
    b = a[:2_000_000] + "something else\n" + a[2_000_000:]
    comparison = compare_text(a, b)
    begun = time.perf_counter()
    found = DiffRows(a, b, comparison, 100)
    assert time.perf_counter() - begun < 5
    assert len(found.changes) == 1

    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        DiffRows(a, b, comparison, 100, stop)
