"""JSON is read strictly first and tolerantly second, piece by piece, and told in own sentences."""

import json
from collections.abc import Iterator

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import jsonin
from store.jsonin import JsonError, load, loads
from store.stopping import StoppedError, stopped_by

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a piece be so small that every value is taken apart."""
    monkeypatch.setattr(jsonin, "_PIECE", 3)


@pytest.mark.usefixtures("small_pieces")
@given(VALUES, st.booleans())
def test_what_is_read_in_pieces_is_what_is_read_at_once(value: object, indented: bool) -> None:  # noqa: FBT001 - drawn
    text = json.dumps(value, ensure_ascii=False, indent=2 if indented else None)
    data = text.encode(errors="surrogatepass")
    try:
        strict = orjson.loads(data)
    except orjson.JSONDecodeError:
        assert load(data).tolerant
    else:
        assert load(data) == (strict, "")


@pytest.mark.parametrize(
    ("data", "tolerant"),
    [
        (b'{"a": ["\\ud83d"]}', "half of a character that is written as two"),
        (b'[1, 2, NaN, {"a": -Infinity}]', "a number that JSON does not have, such as NaN"),
        (b'["\xff", 1]', "bytes that are no UTF-8"),
        (b'\xef\xbb\xbf{"a": 1}', ""),
        (b'{"a": 1, "a": 2}', ""),
    ],
)
@pytest.mark.parametrize("piece", [1 << 20, 2])
def test_what_a_strict_parser_refuses_is_read_and_said(
    data: bytes, tolerant: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonin, "_PIECE", piece)
    assert load(data).tolerant == tolerant
    text = data.decode(errors="surrogateescape").removeprefix("\ufeff")
    assert repr(loads(data)) == repr(json.loads(text))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"[1 2]", "a comma is missing, line 1, column 4"),
        (b'{\n"a" 1}', "a colon is missing, line 2, column 5"),
        (b"{a: 1}", "a name in double quotes is missing, line 1, column 2"),
        (b"[1,\n", "a value is missing, line 2, column 1"),
        (b'["abc', "a string begins and does not end, line 1, column 2"),
        (b'["\x01"]', "a string holds a control character, line 1, column 3"),
        (b'["\\x"]', "a backslash stands before what it cannot stand before, line 1, column 3"),
        (b"[1] 2", "more follows behind the value, line 1, column 5"),
        (b"[" * 200_000, "nested too deeply to be read"),
        (
            b"1" * 5000,
            "a number of 5,000 digits is too long to be read, line 1, column 1",
        ),
        (
            b'{"' + b"7" * 5000 + b'\\"": [0.' + b"1" * 5000 + b",\n -" + b"9" * 4301 + b"]}",
            "a number of 4,301 digits is too long to be read, line 2, column 2",
        ),
    ],
)
@pytest.mark.parametrize("piece", [1 << 20, 2])
def test_what_is_no_json_is_told_in_sentences_of_the_program(
    data: bytes, told: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonin, "_PIECE", piece)
    with pytest.raises(JsonError) as caught:
        loads(data)
    assert str(caught.value) == told


def counted(stop_after: int) -> Iterator[bool]:
    yield from [False] * stop_after
    while True:
        yield True


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize(
    "data", [b'{"log": {"entries": [1, 22, {"a": 3}]}}', b'{"a": [{"b": NaN}, {}]}']
)
def test_a_large_document_is_left_in_the_middle(data: bytes) -> None:
    asked = 0
    for at in range(100):
        answers = counted(at)
        try:
            with stopped_by(lambda answers=answers: next(answers)):  # type: ignore[misc]
                loads(data)
        except StoppedError:
            asked = at
        else:
            break
    assert asked >= 2, "it is asked several times before the end"


@pytest.mark.usefixtures("small_pieces")
def test_a_list_in_a_list_in_a_list_is_not_looked_through_again_and_again() -> None:
    looked = 0

    def count() -> bool:
        nonlocal looked
        looked += 1
        return False

    with stopped_by(count):
        assert loads(b"[" * 500 + b'"some text"' + b"]" * 500) is not None
    assert looked < 20
