"""Stand-ins: what nobody would see is seen, and no position moves."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.display import visible
from reviewer.window.views.text_stand_ins import name_of, shown, stand_in_places

HARD = st.text(
    st.one_of(
        st.characters(codec=None),
        st.sampled_from(
            "\x00\t\n\r\x1b\x85\u200b\u200d\u202e\u2028\ufdd0\ufeff\ud83d\ufe0f漢😀👩\U000e0067"
        ),
    )
)


@given(HARD)
def test_a_stand_in_is_as_long_as_what_it_stands_for(text: str) -> None:
    drawn = shown(text)
    assert len(drawn) == len(text)
    places = set(stand_in_places(text))
    assert {at for at in range(len(text)) if drawn[at] != text[at]} == places


@given(HARD)
def test_what_is_drawn_needs_no_further_stand_in(text: str) -> None:
    assert stand_in_places(shown(text)) == ()


def test_everything_that_a_terminal_hides_has_a_stand_in_too() -> None:
    chars = (chr(code) for code in range(sys.maxunicode + 1))
    assert [hex(ord(c)) for c in chars if visible(c) != c and not stand_in_places(c)] == []


def test_every_control_separator_and_half_character_has_a_stand_in() -> None:
    hidden = [
        char
        for char in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} and char not in "\t\n"
    ]
    assert len(hidden) > 2000
    assert [hex(ord(char)) for char in hidden if not stand_in_places(char)] == []


@pytest.mark.parametrize(
    "text",
    [
        "plain text, with a tab\tand a line\n",
        "汉字、かな、한국어。",
        "👩‍👩‍👧‍👦 👍🏽 ❤️ 1️⃣ 🇨🇳",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "葛\U000e0100",
        "می‌خواهم",
        "क्‍ष",
        "עברית العربية",
    ],
)
def test_what_writing_needs_is_left_alone(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("join\u200der", 4),
        ("a\ufe0fb", 1),
        ("😀\ufe0f\ufe0f", 2),
        ("x\U000e0041", 1),
        ("soft\xadhyphen", 4),
        ("\u3164", 0),
        ("\ufffe", 0),
        ("\ufffc", 0),
    ],
)
def test_the_same_signs_are_seen_where_they_hide_something(text: str, at: int) -> None:
    assert stand_in_places(text) == (at,)


def test_a_character_that_stands_in_for_others_can_stand_for_itself() -> None:
    assert shown("\r") == shown("M")
    assert stand_in_places("M\r") == (1,)


def test_characters_are_named_also_where_unicode_has_no_name() -> None:
    assert name_of("\u202e") == "U+202E RIGHT-TO-LEFT OVERRIDE"
    assert name_of("\r") == "U+000D CARRIAGE RETURN"
    assert name_of("\ud83d") == "U+D83D LONE SURROGATE"
    assert name_of("\ufdd0") == "U+FDD0 NONCHARACTER"
