"""Two texts: which lines, and which words of them, are the same."""

import random
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.audit import compare_sequence
from reviewer.audit.compare_sequence import ComparisonStopped, blocks
from reviewer.audit.compare_text import compare_text
from reviewer.audit.compare_words import first_cut, last_cut, lines_of, words_of
from store.records.differences import Change, Precision, TextComparison, TextPiece
from store.records.text import Span

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
WORDS = [
    "alpha ",
    "beta",
    " ",
    "\n",
    "\r\n",
    "\n\n",
    "单批",
    "上限",
    "，",
    FAMILY,
    "👍🏽",
    "e\u0301",
    "0.5",
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=30).map("".join)


def checked(a: str, b: str) -> TextComparison:
    """Compare and check that both texts can be put together again from the pieces."""
    found = compare_text(a, b)
    partitions(found.pieces, a, b, Span(0, len(a)), Span(0, len(b)))
    for piece in found.pieces:
        if piece.words:
            partitions(piece.words, a, b, piece.a, piece.b)
    return found


def partitions(pieces: tuple[TextPiece, ...], a: str, b: str, whole_a: Span, whole_b: Span) -> None:
    """Check that *pieces* are two whole stretches, same and other in turn."""
    before = None
    at, at_b = whole_a.start, whole_b.start
    for piece in pieces:
        assert (piece.a.start, piece.b.start) == (at, at_b)
        at, at_b = piece.a.end, piece.b.end
        assert piece.a.length or piece.b.length
        left, right = a[piece.a.start : piece.a.end], b[piece.b.start : piece.b.end]
        assert (piece.change is Change.SAME) <= (left == right)
        assert (piece.change is Change.REMOVED) == (not right)
        assert (piece.change is Change.ADDED) == (not left)
        assert before is None or (before is Change.SAME) is not (piece.change is Change.SAME)
        before = piece.change
    assert (at, at_b) == (whole_a.end, whole_b.end)


def changed_words(a: str, b: str) -> list[tuple[str, str]]:
    """Return what differs, word by word."""
    return [
        (a[word.a.start : word.a.end], b[word.b.start : word.b.end])
        for piece in checked(a, b).pieces
        for word in piece.words
        if word.change is not Change.SAME
    ]


@settings(max_examples=300)
@given(TEXTS, TEXTS)
def test_pieces_put_both_texts_together_again(a: str, b: str) -> None:
    assert checked(a, b).same is (a == b)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_cut_into_its_own_lines_and_words(a: str, b: str) -> None:
    assert "".join(words_of(a)) == a
    assert "".join(lines_of(a)) == a
    checked(a, b)


@settings(max_examples=200)
@given(st.lists(st.integers(0, 3), max_size=40), st.lists(st.integers(0, 3), max_size=40))
def test_blocks_that_are_called_the_same_are_equal(a: list[int], b: list[int]) -> None:
    for block in blocks(a, b):
        equal = a[block.a : block.a_end] == b[block.b : block.b_end]
        assert equal or not block.same
        assert not block.bounded


@settings(max_examples=200)
@given(TEXTS, st.data())
def test_a_text_from_which_lines_were_taken_lost_those_and_no_others(
    a: str, data: st.DataObject
) -> None:
    lines = lines_of(a)
    kept = [line for line in lines if data.draw(st.booleans())]
    found = compare_text(a, "".join(kept), words=False)
    removed = sum(piece.a.length for piece in found.pieces if piece.change is Change.REMOVED)
    changed = [piece for piece in found.pieces if piece.change in (Change.ADDED, Change.CHANGED)]
    assert len(a) - len("".join(kept)) <= removed + sum(piece.a.length for piece in changed)


def test_what_differs_in_a_chinese_line_is_told_by_character() -> None:
    assert changed_words("单批上限为200条。\n", "单批上限为250条。\n") == [("200", "250")]
    assert changed_words("超时设为三十秒。\n", "超时设为六十秒。\n") == [("三", "六")]


def test_an_emoji_is_one_word_however_many_code_points_it_has() -> None:
    assert words_of(f"a{FAMILY}b👍🏽🇨🇳🇯🇵") == ["a", FAMILY, "b", "👍🏽", "🇨🇳", "🇯🇵"]
    other = FAMILY.replace("\U0001f467", "\U0001f466")
    assert changed_words(f"the {FAMILY} here\n", f"the {other} here\n") == [(FAMILY, other)]


def test_vowel_signs_and_accents_stay_with_their_letter() -> None:
    assert words_of("हिन्दी cafe\u0301") == ["हिन्दी", " ", "cafe\u0301"]


def test_a_line_end_of_another_kind_is_a_difference() -> None:
    assert changed_words("one line of it\r\n", "one line of it\n") == [("\r\n", "\n")]
    assert changed_words("the last line", "the last line\n") == [("", "\n")]


def test_only_a_line_feed_ends_a_line() -> None:
    assert lines_of("a\rb\u2028c\x0bd\ne") == ["a\rb\u2028c\x0bd\n", "e"]


def test_a_space_between_two_changed_words_is_no_island() -> None:
    a, b = "we limit two hundred records now\n", "we limit three thousand records now\n"
    assert changed_words(a, b) == [("two hundred", "three thousand")]


def test_lines_without_common_words_count_as_replaced() -> None:
    a, b = "alpha beta gamma delta\n", "one two three four five\n"
    (piece,) = checked(a, b).pieces
    assert (piece.change, piece.precision) == (Change.CHANGED, Precision.UNLIKE)


def test_a_paragraph_put_in_front_leaves_the_rest_the_same() -> None:
    text = "".join(f"line {number} of the text\n" for number in range(50))
    first, second = checked(text, "new\nlines\n" + text).pieces
    assert (first.change, second.change) == (Change.ADDED, Change.SAME)
    assert second.a.length == len(text)


def test_texts_that_repeat_themselves_are_compared_in_bounded_work() -> None:
    rows = ["x\n"] * 20_000
    changed = [*rows[:9_000], "y\n", *rows[9_000:], "z\n"]
    found = checked("".join(rows), "".join(changed))
    assert [piece.change for piece in found.pieces if piece.change is not Change.SAME] == [
        Change.ADDED,
        Change.ADDED,
    ]


def test_a_search_that_is_given_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare_sequence, "_LEAST_WORK", 50)
    monkeypatch.setattr(compare_sequence, "_WORK", 0)
    chance = random.Random(4)  # noqa: S311 - the same every time
    a, b = ("".join(f"{chance.randrange(2)}\n" for _ in range(2_000)) for _ in range(2))
    found = checked(a, b)
    assert found.bounded
    assert all(piece.change is not Change.SAME for piece in found.bounded)
    assert all(not piece.words for piece in found.bounded)


@pytest.mark.parametrize("line_end", ["\n", " "])
def test_five_megabytes_cost_about_ten_times_half_a_megabyte(line_end: str) -> None:
    def work(lines: int) -> int:
        chance = random.Random(7)  # noqa: S311 - the same every time
        words = [f"w{number}" for number in range(3000)]
        rows = [" ".join(chance.choices(words, k=11)) for _ in range(lines)]
        changed = list(rows)
        for place in range(0, lines, 400):
            changed[place] = changed[place].replace("w1", "z", 1) + " more"
        asked = 0

        def stopped() -> bool:
            nonlocal asked
            asked += 1
            return False

        a, b = line_end.join(rows), line_end.join(changed)
        found = compare_text(a, b, stopped=stopped)
        assert not found.bounded
        assert not found.same
        return asked

    small, large = work(8_000), work(80_000)
    assert large <= 14 * max(small, 1)


def _random_words(size: int, seed: int) -> str:
    chance = random.Random(seed)  # noqa: S311 - the same every time
    return " ".join(f"w{chance.randrange(3000)}" for _ in range(size))


def test_a_long_line_is_compared_by_words_wherever_it_is_alike() -> None:
    text = _random_words(60_000, 1)
    edited = text
    for place in reversed(range(1_000, len(text) - 100, 20_000)):
        at = text.index(" ", place)
        edited = edited[:at] + " new" + edited[at:]
    found = checked(text, edited)
    assert not found.bounded
    (piece,) = found.pieces
    inserted = [word for word in piece.words if word.change is not Change.SAME]
    assert {word.change for word in inserted} == {Change.ADDED}
    assert {edited[word.b.start : word.b.end].strip() for word in inserted} == {"new"}


def test_a_long_stretch_that_was_rewritten_says_that_its_words_were_not_compared() -> None:
    head, tail = _random_words(20_000, 1), _random_words(20_000, 2)
    old, new = _random_words(20_000, 3), _random_words(20_000, 4)
    (piece,) = checked(f"{head} {old} {tail}", f"{head} {new} {tail}").pieces
    assert piece.precision is Precision.COARSE
    same, other, rest = piece.words
    assert (same.a.length >= len(head), rest.a.length >= len(tail)) == (True, True)
    assert (other.change, other.precision) == (Change.CHANGED, Precision.BOUNDED)
    assert checked(old, new).pieces[0].precision is Precision.BOUNDED


def test_a_long_stretch_that_was_added_is_no_open_question() -> None:
    head, tail = _random_words(20_000, 1), _random_words(20_000, 2)
    found = checked(f"{head} {tail}", f"{head} {_random_words(20_000, 3)} {tail}")
    assert not found.bounded
    assert [word.change for word in found.pieces[0].words].count(Change.ADDED) == 1


@given(st.text('aé中文。 ,:"[]{}01\n\u0301\u200d👍🏽', max_size=60))
def test_a_sure_word_end_is_a_word_end_whatever_stands_around_it(text: str) -> None:
    ends = {0, *accumulate(map(len, words_of(text)))}
    for start in range(len(text)):
        assert first_cut(text, start, len(text)) in ends
        assert last_cut(text, 0, start) in ends


@given(st.lists(st.integers(0, 3), max_size=9), st.lists(st.integers(0, 3), max_size=9))
def test_short_texts_are_compared_with_the_fewest_changes(a: list[int], b: list[int]) -> None:
    same = sum(block.a_end - block.a for block in blocks(a, b) if block.same)
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            better = max(longest[i][j + 1], longest[i + 1][j])
            longest[i + 1][j + 1] = longest[i][j] + 1 if x == y else better
    assert same == longest[len(a)][len(b)]


@pytest.mark.parametrize("line_end", ["\n", " "])
def test_megabytes_that_have_next_to_nothing_in_common_are_not_searched_for_long(
    line_end: str,
) -> None:
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return False

    a, b = (_random_words(400_000, seed).replace(" w10", line_end + "w10") for seed in (1, 2))
    assert len(a) > 2_000_000
    given_up = compare_text(a, b, stopped=stopped).bounded
    assert sum(piece.a.length for piece in given_up) > 0.9 * len(a)
    assert asked < 500


def test_a_comparison_stops_when_it_is_told_to() -> None:
    a = "".join(f"{number}\n" for number in range(30_000))
    b = "".join(f"{number}\n" for number in range(29_999, -1, -1))
    with pytest.raises(ComparisonStopped):
        compare_text(a, b, stopped=lambda: True)


def test_half_a_character_is_compared_as_it_is() -> None:
    assert changed_words("a lone \ud83d half\n", "a lone \ude00 half\n") == [("\ud83d", "\ude00")]
