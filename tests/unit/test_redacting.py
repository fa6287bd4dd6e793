"""Redaction: what shares a run of letters with a redacted text does not stay."""

import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.services.redacting import MASK, Redactor, masked_record
from tests.made import made_audit

TOLD = "The margin of the northern branch is 4.75 % until 30 June.\nNobody outside may know it.\n"
CHINESE = "月租金超过五万元，须财务和法务会签。\n补偿金过高，须单独说明理由。\n"


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor([TOLD, CHINESE], {"The margin of the northern branch.md"})


@pytest.mark.parametrize(
    "form",
    [
        lambda text: text,
        str.upper,
        json.dumps,
        lambda text: json.dumps(json.dumps(text)),
        lambda text: json.dumps(json.dumps(json.dumps({"content": text}))),
        html.escape,
        lambda text: html.escape(text).encode("ascii", "xmlcharrefreplace").decode(),
        quote,
        lambda text: "\n".join(f"{n:6}\t{line}" for n, line in enumerate(text.split("\n"), 1)),
        " ".join,
        lambda text: text.replace(" ", "\u00a0\n> "),
        lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    ],
)
@pytest.mark.parametrize("text", [TOLD, CHINESE])
def test_every_form_of_a_text_is_found_and_nothing_of_it_stays(
    redactor: Redactor, form: object, text: str
) -> None:
    written = f"before it came {form(text)} and after"  # type: ignore[operator]
    hidden = redactor.mask(written)
    assert redactor.holds(written)
    assert not redactor.holds(hidden)
    assert len(hidden) == len(written)
    assert hidden.count("\n") == written.count("\n")
    for word in ("margin", "northern", "MARGIN", "月租金", "会签"):
        assert word not in hidden


def test_what_is_said_around_a_quotation_stays(redactor: Redactor) -> None:
    around = "A long answer about many other things, as answers are. " * 3
    hidden = redactor.mask(f"{around}The margin of the northern branch is high. {around}")
    assert hidden.startswith(around)
    assert hidden.endswith(around)
    assert "northern" not in hidden
    assert MASK in hidden


def test_other_texts_and_short_pieces_stay(redactor: Redactor) -> None:
    for text in ("the margin", "nothing of the kind is said here at all", "五万元以上", ""):
        assert redactor.mask(text) == text
        assert not redactor.holds(text)


def test_a_name_stays_where_it_stands_alone(redactor: Redactor) -> None:
    name = "The margin of the northern branch.md"
    assert redactor.mask(name) == name
    assert not redactor.holds(name)
    assert MASK in redactor.mask(f"see {name}")


def test_a_text_shorter_than_the_limit_is_found_as_a_whole() -> None:
    redactor = Redactor(["hunter2", "no"])
    assert redactor.mask("the word is Hunter-2.") == f"the word is {MASK * 8}."
    assert redactor.unsearchable == 1


@given(st.text(max_size=200), st.integers(0, 100), st.integers(0, 100))
def test_masking_any_text_keeps_its_length_and_hides_what_it_must(
    text: str, start: int, length: int
) -> None:
    redactor = Redactor([text])
    piece = f"-- {text[start : start + length]} --"
    hidden = redactor.mask(piece)
    assert len(hidden) == len(piece)
    assert not redactor.holds(hidden)


def test_a_whole_audit_is_masked_and_its_places_stay() -> None:
    audit = made_audit()
    (facts,) = audit.sources[0].versions
    redactor = Redactor([facts.version.text or ""])
    hidden = masked_record(audit, redactor)
    assert type(hidden) is type(audit)
    assert "单批上限" not in str(hidden)
    assert "单批上限" not in repr(hidden.sources[0].versions[0].version.text)
    assert hidden.citations[0].span == audit.citations[0].span
    found = hidden.citations[0].evidence
    assert found is not None
    assert found.text == MASK * 10
