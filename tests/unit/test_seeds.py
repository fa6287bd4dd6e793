"""Common pieces are those that a search of every substring finds, and never others."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.audit.seeds import CROWD, ENOUGH, Piece, SeedIndex
from reviewer.audit.skeleton import common_head

WORDS = ["abcdefgh", "12345678", "XYZ", "q", "abcdefghijklmnopqrstuvwx", "饺子饺", "👩\u200d"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=9).map("".join) | st.text("ab", max_size=60)
FEW = settings(max_examples=60)


def every_piece(texts: list[str], query: str) -> set[Piece]:
    """Return every maximal common piece, by comparing each place with each."""
    found: set[Piece] = set()
    for number, text in enumerate(texts):
        for at, start in product(range(len(query)), range(len(text))):
            begins = not at or not start or query[at - 1] != text[start - 1]
            length = common_head(query, at, text, start) if begins else 0
            if length >= ENOUGH:
                found.add(Piece(at, number, start, length))
    return found


def outermost(pieces: set[Piece]) -> set[Piece]:
    """Return the pieces that lie in no longer one."""
    return {
        piece
        for piece in pieces
        if not any(
            other.at <= piece.at
            and piece.at + piece.length <= other.at + other.length
            and other.length > piece.length
            for other in pieces
        )
    }


@FEW
@given(st.lists(TEXTS, max_size=3), TEXTS)
def test_every_piece_outside_longer_ones_is_found_and_no_false_one(
    texts: list[str], query: str
) -> None:
    naive = every_piece(texts, query)
    found = set(SeedIndex(texts).pieces(query))
    assert found <= naive
    assert outermost(naive) <= found


@FEW
@given(st.lists(TEXTS, max_size=3), TEXTS)
def test_a_piece_that_stands_alone_stands_in_one_place_of_all_texts(
    texts: list[str], query: str
) -> None:
    for piece in SeedIndex(texts).alone(query):
        words = query[piece.at : piece.at + piece.length]
        places = [(n, at) for n, text in enumerate(texts) for at in starts(text, words)]
        assert places == [(piece.text, piece.start)]


def starts(text: str, words: str) -> list[int]:
    """Return every place of *words*, overlapping ones too."""
    return [at for at in range(len(text)) if text.startswith(words, at)]


def test_pieces_of_fewer_characters_are_not_looked_for() -> None:
    words = "abcdefghijklmnop"
    index = SeedIndex(["--" + words + "--"])
    assert [p.length for p in index.alone("++" + words + "++")] == [ENOUGH]
    assert index.alone("++" + words[:-1] + "++") == ()


def test_a_twin_behind_crowded_windows_is_still_a_twin() -> None:
    """The two places fall on different strides, and all windows of the second are crowded."""
    words = "ABCDEFGHIJKLMNOP"
    window = words[5:14]
    crowd = "".join(f"{window}{number:07d}" for number in range(CROWD + 10))
    texts = ["x" * 8 + words + "y" * 8, "z" * 3 + words + "w" * 8, crowd]
    assert SeedIndex(texts).alone("++" + words + "++") == ()
    assert len(SeedIndex([texts[0], crowd]).alone("++" + words + "++")) == 1


def test_a_piece_that_a_chance_character_makes_longer_is_the_longer_ones_text() -> None:
    """What is shared with a longer piece fits that place as well."""
    shared = "Payment terms are thirty days net".replace(" ", "")
    texts = ["1:" + shared + ".End", "2?" + shared + "ofdiscount.", "unrelated"]
    alone = SeedIndex(texts).alone("n:" + shared + "ofdiscount")
    assert [piece.text for piece in alone] == [1]


def test_two_pieces_side_by_side_both_count() -> None:
    one, other = "thefirstsentenceofall", "someothersentencehere"
    alone = SeedIndex([one, other]).alone(one + other)
    assert [(p.text, p.length) for p in alone] == [(0, len(one)), (1, len(other))]


def test_an_empty_index_and_an_empty_query_have_no_pieces() -> None:
    assert SeedIndex([]).alone("a" * 40) == ()
    assert SeedIndex(["a" * 40]).alone("") == ()


@pytest.mark.parametrize("strange", ["\U0001f600", "\uffff", "\ud83d"])
def test_pieces_are_found_beside_characters_of_any_width(strange: str) -> None:
    words = f"sixteen and more {strange} of ink, and a few behind"
    index = SeedIndex([f"{strange}{words}{strange}", "another text of its own"])
    found = max(index.pieces(f"x{words}y"), key=lambda piece: piece.length)
    assert (found.at, found.text, found.start, found.length) == (1, 0, 1, len(words))
