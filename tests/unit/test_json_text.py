"""JSON with positions: decoded text and raw places always name the same characters."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.records.json_text import MAX_DEPTH, Node, StringMap, parse, parse_all, strings
from store.records.text import InsideCharacterError, OutsideTextError, Span

# The halves of pairs come alone as well: a JavaScript program cuts a string between them.
TEXTS = st.text(st.characters(exclude_categories=[]), max_size=12) | st.sampled_from(
    ["饺子\r\n¥28", "👩\u200d💻", "\ud83d", "\ude00\ud83d", 'a"b\\n', "\x00\u2028", "\\ud83d"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
SPELLINGS = st.sampled_from(
    [
        {"ensure_ascii": True},
        {"ensure_ascii": False},
        {"ensure_ascii": True, "indent": 2},
        {"ensure_ascii": False, "separators": (",", ":")},
    ]
)


def rebuilt(node: Node) -> object:
    """Return the plain value of a node; of equal keys the last."""
    if node.kind == "object":
        return {child.key: rebuilt(child) for child in node.children}
    if node.kind == "array":
        return [rebuilt(child) for child in node.children]
    return json.loads(str(node.value)) if node.kind == "number" else node.value


def same(one: object, other: object) -> bool:
    """Compare so that a number that is none equals itself."""
    return json.dumps(one) == json.dumps(other)


@given(VALUES, SPELLINGS)
def test_every_spelling_of_a_value_gives_what_the_standard_parser_gives(
    value: object, spelling: dict[str, bool]
) -> None:
    text = json.dumps(value, **spelling)  # type: ignore[arg-type]
    node = parse(text)
    assert node is not None
    assert same(rebuilt(node), json.loads(text))
    assert same(json.loads(text[node.start : node.end]), json.loads(text))


@given(VALUES, SPELLINGS)
def test_raw_spans_of_strings_lead_back_to_the_decoded_characters(
    value: object, spelling: dict[str, bool]
) -> None:
    text = json.dumps(value, **spelling)  # type: ignore[arg-type]
    for node in strings(text):
        decoded = node.text
        assert decoded is not None
        places = StringMap(text, node)
        assert places.raw_span(Span(0, len(decoded))) == node.body_span
        for start in range(len(decoded)):
            one = Span(start, start + 1)
            raw = places.raw_span(one)
            assert json.loads(f'"{text[raw.start : raw.end]}"') == decoded[start]
            assert places.decoded_span(raw) == one


@given(VALUES, SPELLINGS, st.integers(0, 400))
def test_a_text_cut_anywhere_gives_only_what_the_whole_holds(
    value: object, spelling: dict[str, bool], cut: int
) -> None:
    text = json.dumps(value, **spelling)  # type: ignore[arg-type]
    known = {(node.start, node.text) for node in strings(text)}
    for node in strings(text[:cut]):
        assert node.text is not None
        assert any(
            node.start == start and (whole or "").startswith(node.text) for start, whole in known
        )
        assert not node.complete or (node.start, node.text) in known


@given(st.text(st.sampled_from('[]{}",:\\u0d8e1 tn-.'), max_size=40))
def test_no_text_raises(text: str) -> None:
    for node in parse_all(text):
        assert 0 <= node.start <= node.end <= len(text)
    try:
        json.loads(text, strict=False)
    except ValueError:
        assert parse(text) is None
    else:
        assert parse(text) is not None


def test_equal_keys_stay_in_order_and_the_last_one_counts() -> None:
    node = parse('{"a": 1, "b": 2, "a": 3}')
    assert node is not None
    assert [(child.key, child.value) for child in node.children] == [
        ("a", "1"),
        ("b", "2"),
        ("a", "3"),
    ]
    last = node.get("a")
    assert last is not None
    assert last.value == "3"


def test_numbers_keep_their_recorded_text() -> None:
    node = parse("[1.50, 1E400, -0, 10000000000000000000001]")
    assert node is not None
    assert [child.value for child in node.children] == [
        "1.50",
        "1E400",
        "-0",
        "10000000000000000000001",
    ]


def test_a_cut_off_record_says_what_is_not_complete() -> None:
    text = '{"doc_id": "d03", "text": "line one\\nline tw'
    assert parse(text) is None
    node = parse(text, tolerant=True)
    assert node is not None
    assert not node.complete
    body = node.get("text")
    assert body is not None
    assert (body.text, body.complete) == ("line one\nline tw", False)
    assert text[body.body_span.start : body.body_span.end] == "line one\\nline tw"


@pytest.mark.parametrize("cut", [r'"a\ud83d\ude0', r'"a\ud83d\u', r'"a\ud83d' + "\\", r'"a\ud83d'])
def test_half_a_character_at_a_cut_is_no_character(cut: str) -> None:
    node = parse(cut, tolerant=True)
    assert node is not None
    assert node.text == "a"


def test_a_place_inside_an_escape_or_outside_the_string_is_an_error() -> None:
    text = r'"x\u00e9y"'
    node = parse(text)
    assert node is not None
    places = StringMap(text, node)
    with pytest.raises(InsideCharacterError):
        places.decoded(4)
    with pytest.raises(OutsideTextError):
        places.decoded(0)
    with pytest.raises(OutsideTextError):
        places.raw(4)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_nesting_is_taken_to_its_limit_and_refused_beyond(opening: str) -> None:
    taken = parse(opening * MAX_DEPTH, tolerant=True)
    assert taken is not None
    assert not taken.complete
    assert parse(opening * 10_000, tolerant=True) is None


def test_json_lines_are_values_one_behind_the_other() -> None:
    assert [node.kind for node in parse_all('{"a": 1}\n{"b": 2}\n\nend')] == ["object", "object"]
    assert list(parse_all("no JSON at all")) == []


def test_the_recorded_result_of_a_tool_shows_where_its_text_stands(shared: Path) -> None:
    events = (shared / "data/scenarios/evidence-tools/events.jsonl").read_bytes().split(b"\n")
    content = next(
        event["content"]
        for event in map(json.loads, filter(None, events))
        if event["event"] == "tool_result" and event["tool_call_id"] == "call-003"
    )
    node = parse(content)
    assert node is not None
    body = node.get("text")
    assert body is not None
    assert body.text == "单批上限为200条，超时设为30秒。"
    raw = StringMap(content, body).raw_span(Span(0, 5))
    assert content[raw.start : raw.end] == "单批上限为"
