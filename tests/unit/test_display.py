"""Text of unknown origin on a screen."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.display import Column, fit, one_line, table, visible, width, wrap

ANYTHING = st.text(st.characters(exclude_categories=()), max_size=60)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("a\x00b", "a␀b"),
        ("a\x7fb", "a␡b"),
        ("a\x9b2Jb", "a\\u{9B}2Jb"),
        ("paid \u202e000,1", "paid \\u{202E}000,1"),
        ("half \ud83d", "half \\u{D83D}"),
        ("a\u2028b", "a\\u{2028}b"),
        ("a\r\nb\tc", "a␍\nb\tc"),
        ("hidden \U000e0041", "hidden \\u{E0041}"),
        ("家族 👨\u200d👩\u200d👧", "家族 👨\u200d👩\u200d👧"),
    ],
)
def test_what_a_terminal_would_obey_is_made_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(ANYTHING)
def test_visible_text_holds_nothing_a_terminal_obeys(text: str) -> None:
    left = set(visible(text)) - {"\n", "\t"}
    assert not [char for char in left if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}]
    assert not left & set(
        "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )
    assert visible(visible(text)) == visible(text)


@given(ANYTHING)
def test_one_line_is_one_line(text: str) -> None:
    assert "\n" not in one_line(text)


@given(ANYTHING, st.integers(20, 60))
def test_a_fitted_text_fits_and_counts_what_it_leaves_out(text: str, columns: int) -> None:
    shown = fit(text * 5, columns)
    assert width(shown) <= columns


def test_a_fitted_text_says_how_much_is_left_out() -> None:
    shown = fit("x" * 500, 30)
    left_out = int(shown.strip("x").strip("…"))
    assert shown.count("x") + left_out == 500


def test_wide_characters_take_two_columns() -> None:
    assert width("第一条 a") == 8
    assert wrap("第一条第二条", 6) == ["第一条", "第二条"]


@given(st.text("ab 第條 ", max_size=80), st.integers(8, 30))
def test_wrapping_loses_nothing_but_the_spaces_at_breaks(text: str, columns: int) -> None:
    lines = wrap(text, columns)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    # Only a single word, which is never broken, may be wider.
    assert all(width(line) <= columns or " " not in line for line in lines)
    assert {word for line in lines for word in re.findall("[ab]+", line)} <= set(
        re.findall("[ab]+", text)
    )


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("docs/specs/module-alpha.md", ()),
        ("docs/合同/租赁合同的第一版本.md", ()),
        ("租赁合同@b122a7745dd9…[97:110]", ()),
        ("My Documents/a b c.md", ("My Documents/a b c.md",)),
        ("租赁合同的第一版本", ("租赁合同的第一版本",)),
    ],
)
def test_a_path_is_never_broken(name: str, whole: tuple[str, ...]) -> None:
    lines = wrap(f"the text of {name} was cleared，所以不能引用{name}。", 12, whole)
    assert "\n".join(lines).count(name) == 2
    assert len(lines) > 3


def test_closing_punctuation_never_begins_a_line() -> None:
    assert wrap("第一条。第二条，第三", 6) == ["第一", "条。第", "二条，", "第三"]


def test_a_cell_that_is_an_id_stays_on_one_line() -> None:
    name = "a long name " * 10 + "end"
    lines = list(table([Column("#", 3), Column("source", 0, whole=True)], [["1", name]], 40))
    assert lines[-1].endswith(name)


def test_a_table_keeps_every_cell_and_its_width() -> None:
    rows = [["1", "合同" * 30, "ok"], ["2", "short", "also"]]
    lines = list(table([Column("#", 3), Column("text"), Column("state", 6)], rows, 50))
    assert all(width(line) <= 50 for line in lines)
    assert "".join(lines).count("合") == 30
