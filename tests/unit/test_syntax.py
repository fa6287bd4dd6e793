"""Colours of syntax stand on the very characters that they speak of."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.lexers import get_lexer_by_name

from reviewer.window.presenters import syntax
from reviewer.window.presenters.syntax import ROLES, language_of, looks_like_json, pieces
from store.records.text import Span

HOSTILE = (
    *("\r\n", "\x00", "\u2028", "\u202e", "\ud83d", "😀", "汉字", '"', "\\", "{", "}", "[", ":"),
    *("/*", "<!--", "```sh\n", "\t", "\n", "def f(", "# ", "12", "true", "'''", "\u200b"),
)
LANGUAGES = sorted(set(syntax._BY_ENDING.values()))  # noqa: SLF001 - each of them is tried


def go_on() -> None:
    """Never stop."""


def whole(text: str, language: str) -> list[syntax.Piece]:
    """Return every piece of *text*."""
    span = Span(0, len(text))
    return list(pieces(text, span, span, language, go_on))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(HOSTILE) | st.text(max_size=5), max_size=40).map("".join),
    st.sampled_from(LANGUAGES),
    st.data(),
)
def test_pieces_ascend_stay_inside_and_say_the_same_of_each_character_as_the_lexer(
    text: str, language: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    stretch = Span(start, data.draw(st.integers(start, len(text))))
    found = pieces(text, Span(0, len(text)), stretch, language, go_on)
    assert all(one.start < one.end and one.role in ROLES for one in found)
    ends = [stretch.start, *(end for one in found for end in (one.start, one.end)), stretch.end]
    assert ends == sorted(ends), "no two overlap and none lies outside"
    roles = {at: one.role for one in found for at in range(one.start, one.end)}
    options = {"handlecodeblocks": False} if language == "markdown" else {}
    # The lexer is asked as an index would be: what stands at a code point of the whole text.
    tokens = get_lexer_by_name(language, **options).get_tokens_unprocessed(text[: stretch.end])
    for at, token, value in tokens:
        for place in range(at, at + len(value)):
            if stretch.start <= place < stretch.end and text[place] == value[place - at]:
                assert roles.get(place) == syntax._role(token)  # noqa: SLF001


@pytest.mark.parametrize("before", ["", "x\r\n", "😀\n", "\ud83d\n", "\u2028\n"])
def test_a_string_of_json_is_found_where_it_stands(before: str) -> None:
    text = before + '{"名": "值😀", "n": 12}'
    body = Span(len(before), len(text))
    found = {text[p.start : p.end]: p.role for p in pieces(text, body, body, "json", go_on)}
    assert found['"值😀"'] == "syntax.string"
    assert found["12"] == "syntax.number"


def test_only_a_bounded_stretch_before_what_is_in_sight_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "x = 1  # a line\n" * 200_000
    given: list[int] = []

    class Told:
        def get_tokens_unprocessed(self, chunk: str) -> list[object]:
            given.append(len(chunk))
            return []

    monkeypatch.setattr(syntax, "_lexer", lambda _language: Told())
    look = partial(pieces, text, Span(0, len(text)))
    look(Span(2_000_000, 2_004_000), "python", go_on)
    assert 4_000 <= given[0] <= 4_000 + syntax._CONTEXT + 16  # noqa: SLF001


def test_in_the_middle_of_a_line_that_began_too_far_back_nothing_is_coloured() -> None:
    text = '{"a": "' + "b, 1 " * 100_000 + '"}'
    middle = Span(300_000, 302_000)
    assert pieces(text, Span(0, len(text)), middle, "json", go_on) == ()


def test_work_that_nobody_waits_for_stops() -> None:
    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        pieces('{"a": 1}', Span(0, 8), Span(0, 8), "json", stop)


@pytest.mark.parametrize(
    ("name", "declared", "language"),
    [
        ("logs/a.JSON", "", "json"),
        ("src\\b.py", "", "python"),
        ("notes", "text/markdown; charset=utf-8", "markdown"),
        ("a.log", "text/plain", None),
        ("a.json/../../x", "", None),
        ("", "", None),
        ("x.no-such-plugin", "application/x-evil", None),
    ],
)
def test_a_language_is_chosen_by_name_and_type(
    name: str, declared: str, language: str | None
) -> None:
    assert language_of(name, declared) == language


def test_what_looks_like_json_begins_and_ends_so() -> None:
    assert looks_like_json('\n {"a": 1} \n')
    assert looks_like_json("[]")
    assert not looks_like_json("{a")
    assert not looks_like_json("plain")
    assert not looks_like_json("")


def test_a_block_of_markdown_cannot_name_a_lexer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def told(name: str, **options: object) -> object:
        asked.append(name)
        return get_lexer_by_name(name, **options)

    monkeypatch.setattr("pygments.lexers.get_lexer_by_name", told)
    whole("```python\nx = 1\n```\n", "markdown")
    assert asked == ["markdown"]
