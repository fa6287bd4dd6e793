"""Escaping, nesting and line numbers are undone, and every view leads back to the raw text."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.audit.views import View, views
from store.records.text import Span

HARD = st.text(st.sampled_from('ab"\\\n\t/饺👩\u200d\u2028\x00\x7f\ud83d'), min_size=1, max_size=20)
FEW = settings(max_examples=60)


def contents(text: str) -> list[str]:
    """Return the text of every view."""
    return [view.content.text for view in views(text)]


def view_of(text: str, content: str) -> View:
    """Return the innermost view with this content."""
    return next(view for view in views(text) if view.content.text == content)


def test_plain_text_has_one_view_that_is_itself() -> None:
    (view,) = views("Just words.")
    assert view.is_raw
    assert view.origin(Span(2, 5)) == Span(2, 5)


@FEW
@given(HARD, st.booleans(), st.data())
def test_a_json_string_leads_back_to_its_escapes(
    body: str,
    ascii_only: bool,  # noqa: FBT001 - drawn
    data: st.DataObject,
) -> None:
    text = json.dumps({"doc_id": "a", "content": body}, ensure_ascii=ascii_only)
    view = view_of(text, body)
    start = data.draw(st.integers(0, len(body) - 1))
    end = data.draw(st.integers(start + 1, len(body)))
    place = view.origin(Span(start, end))
    raw = text[place.start : place.end]
    assert json.loads(f'"{raw}"', strict=False) == body[start:end]


@FEW
@given(HARD, st.integers(1, 3))
def test_json_in_json_is_undone_and_leads_back_through_every_layer(body: str, depth: int) -> None:
    text = json.dumps({"text": body})
    for _ in range(depth):
        text = json.dumps({"output": text})
    view = view_of(text, body)
    place = view.origin(view.content.whole)
    raw = text[place.start : place.end]
    for _ in range(depth + 1):
        raw = json.loads(f'"{raw}"', strict=False)
    assert raw == body


def test_the_innermost_view_comes_first_and_the_raw_text_last() -> None:
    text = json.dumps({"a": json.dumps({"b": "words"})})
    assert contents(text)[0] == "words"
    assert contents(text)[-1] == text


def test_ids_around_a_string_are_named_for_it_and_for_no_other() -> None:
    text = json.dumps({"results": [{"doc_id": "a", "text": "one"}, {"doc_id": "b", "text": "two"}]})
    assert view_of(text, "one").names.ids == {"a"}
    assert view_of(text, "two").names.ids == {"b"}


def test_ids_that_are_numbers_and_ids_in_metadata_are_names_too() -> None:
    text = json.dumps(
        [{"id": 7, "text": "one"}, {"page_content": "two", "metadata": {"source": "b"}}]
    )
    assert view_of(text, "one").names.ids == {"7"}
    assert view_of(text, "two").names.ids == {"b"}


def test_names_and_versions_reach_into_nested_json() -> None:
    inner = json.dumps({"content": "words"})
    text = json.dumps({"doc_id": "a", "sha256": "ff", "payload": inner})
    assert view_of(text, "words").names == (frozenset({"a"}), frozenset({"ff"}), None)


def test_what_stands_under_a_preview_is_marked() -> None:
    text = json.dumps({"doc_id": "a", "preview": {"text": "shown"}, "text": "body"})
    assert view_of(text, "shown").is_preview
    assert not view_of(text, "body").is_preview


def test_only_body_keys_and_lists_are_where_bodies_stand() -> None:
    text = json.dumps({"status": "ok", "text": "yes", "content": ["listed"]})
    assert not view_of(text, "ok").is_body
    assert view_of(text, "yes").is_body
    assert view_of(text, "listed").is_body


GUTTERS = {
    "arrow": "{:>6}\u2192{}",
    "tab": "{:>6}\t{}",
    "two spaces": "{:>3}  {}",
}


def test_every_gutter_is_undone_and_leads_back_to_its_lines() -> None:
    lines = ["first", "", "  indented", "last\u2028one\r"]
    for shape in GUTTERS.values():
        text = "\n".join(shape.format(n, line) for n, line in enumerate(lines, 9))
        view = view_of(text, "\n".join(lines))
        for number, line in enumerate(lines):
            start = sum(len(before) + 1 for before in lines[:number])
            place = view.origin(Span(start, start + len(line)))
            assert text[place.start : place.end] == line


def test_a_folded_line_is_one_line_again() -> None:
    assert contents("  1\tlong \n1.1\tline\n  2\tend")[0] == "long line\nend"


def test_the_line_end_behind_the_last_number_belongs_to_its_line() -> None:
    view = view_of("1\ta\n2\tb\n", "a\nb\n")
    assert view.origin(Span(3, 4)) == Span(7, 8)


def test_numbers_that_do_not_rise_by_one_begin_another_run() -> None:
    assert contents("1\ta\n2\tb\n9\tc")[:2] == ["a\nb\n", "c"]


def test_numbered_lines_inside_json_are_undone_as_well() -> None:
    text = json.dumps({"content": "1\ta\u2192\n2\tb"})
    assert "a\u2192\nb" in contents(text)


def test_json_that_is_cut_off_gives_what_is_there() -> None:
    text = '{"doc_id": "a", "content": "The beginning of \\u00e9 sen'
    assert view_of(text, "The beginning of é sen").names.ids == {"a"}


@FEW
@given(st.text(st.sampled_from('{}[]":,\\ 12\n\tdoc_id→'), max_size=60))
def test_no_text_breaks_the_views_and_all_origins_lie_inside_it(text: str) -> None:
    for view in views(text):
        place = view.origin(view.content.whole)
        assert 0 <= place.start <= place.end <= len(text)
