"""What the window says of decisions."""

import json

import pytest

from reviewer.services.resources import resource
from reviewer.window import i18n
from reviewer.window.presenters.decisions import (
    decision_rows,
    decision_sign,
    decision_tone,
    decision_word,
)
from store.records.reviews import Decision, current
from tests.made import HOSTILE
from tests.unit.decisions import A, made


@pytest.mark.parametrize(
    ("decisions", "sign", "word", "tone"),
    [
        ([], "·", "undecided", "muted"),
        ([made("note", note="x")], "✎", "undecided, with a note", "muted"),
        ([made("accept")], "☑", "accepted", "good"),
        ([made("reject")], "☒", "rejected", "bad"),
        ([made("flag"), made("note", note="x")], "⚑", "flagged", "open"),
        ([made("accept"), made("accept", reviewer="Bo")], "☑", "accepted", "good"),
        ([made("accept"), made("reject", reviewer="Bo")], "≠", "reviewers disagree", "open"),
    ],
)
def test_what_stands_has_a_sign_a_word_and_a_colour(
    decisions: list[Decision], sign: str, word: str, tone: str
) -> None:
    state = current(decisions).get(A)
    found = (decision_sign(state), decision_word(state), decision_tone(state))
    assert found == (sign, word, tone)


def test_every_reviewer_has_a_row_and_one_knows_ones_own() -> None:
    state = current(
        [made("accept", note="ok"), made("note", note="第 3 页"), made("flag", reviewer="Bo")]
    )[A]
    rows = decision_rows(state, "Ann")
    assert [(row.word, row.reviewer, row.note, row.mine) for row in rows] == [
        ("accepted", "Ann", "ok", True),
        ("noted", "Ann", "第 3 页", True),
        ("flagged", "Bo", "", False),
    ]
    assert decision_rows(None) == ()


def test_the_name_of_a_reviewer_is_safe_to_show() -> None:
    (row,) = decision_rows(current([made(reviewer=HOSTILE)])[A])
    assert "\x1b" not in row.reviewer
    assert "\u202e" not in row.reviewer


def test_the_words_are_there_in_chinese() -> None:
    entries = json.loads(resource("translations/zh_CN.json").read_text("utf-8"))
    state = current([made("accept"), made("reject", reviewer="Bo")])[A]
    i18n.set_language("zh_CN")
    try:
        words = [decision_word(None), decision_word(state)]
        words += [row.word for row in decision_rows(state)]
    finally:
        i18n.set_language("en")
    assert set(words) <= set(entries.values())
