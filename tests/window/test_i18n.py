"""Every text of the window is there in every language, and changes while the window runs."""

import json
import re
import string

import pytest

from reviewer.services.resources import resource
from reviewer.window import i18n
from reviewer.window.i18n import tr, trn
from tests.window.texts import computed, texts

CATALOGUE: dict[str, str] = json.loads(
    resource("translations/zh_CN.json").read_text(encoding="utf-8")
)
SAME_IN_CHINESE = {"OK"}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_text_has_a_chinese_entry() -> None:
    missing = {text: place for text, place in texts().items() if not CATALOGUE.get(text)}
    assert missing == {}


def test_no_entry_is_left_over() -> None:
    assert set(CATALOGUE) - set(texts()) == set()


def test_every_text_is_a_literal_so_that_none_is_overlooked() -> None:
    assert computed() == []


def test_an_entry_has_the_same_values_as_its_text() -> None:
    wrong = {
        text: chinese
        for text, chinese in CATALOGUE.items()
        if "{" in text and fields(text) != fields(chinese)
    }
    assert wrong == {}


def test_chinese_entries_are_chinese() -> None:
    without = [
        text
        for text, chinese in CATALOGUE.items()
        if re.search("[A-Za-z]{3}", re.sub(r"\{\w+\}", "", text))
        and not re.search("[\u4e00-\u9fff]", chinese)
    ]
    assert set(without) - SAME_IN_CHINESE == set()


def test_a_text_without_an_entry_is_shown_in_english() -> None:
    i18n.set_language("zh_CN")
    assert tr("No such text was ever translated") == "No such text was ever translated"


def test_values_are_put_in_and_evidence_is_never_a_pattern() -> None:
    assert tr("Copied: {text}", text="{run} {0}") == "Copied: {run} {0}"
    assert tr("{path} stays as it is") == "{path} stays as it is"


def test_numbers_choose_the_form_where_a_language_has_two() -> None:
    assert trn("{n} note", "{n} notes", 1) == "1 note"
    assert trn("{n} note", "{n} notes", 1200) == "1,200 notes"
    i18n.set_language("zh_CN")
    assert "1" in trn("{n} note", "{n} notes", 1)
    assert "note" not in trn("{n} note", "{n} notes", 1)


def test_those_who_listen_are_told_of_a_change_and_only_of_a_change() -> None:
    told: list[str] = []

    def hears() -> None:
        told.append(i18n.language())

    i18n.changed.append(hears)
    try:
        i18n.set_language("zh_CN")
        i18n.set_language("zh_CN")
        i18n.set_language("en")
    finally:
        i18n.changed.remove(hears)
    assert told == ["zh_CN", "en"]


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="no language 'xx'"):
        i18n.set_language("xx")
    assert i18n.language() == "en"
