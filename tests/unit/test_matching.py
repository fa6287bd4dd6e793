"""An expected text counts where it is found: whole, as its head, or in pieces of one place."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.audit.matching import Match, Target, find
from reviewer.audit.seeds import ENOUGH
from store.records.text import Span

LINES = [f"Line {number} says something of its own {number * 7919}.\n" for number in range(12)]
TEXT = "".join(LINES)
FEW = settings(max_examples=60)


def found(text: str, view: str, *taken: Span) -> tuple[Match, ...]:
    """Return where *text* or pieces of it stand in *view*."""
    return find(Target(text), Target(view), taken)


def ink(text: str) -> str:
    """Return *text* without its white space."""
    return "".join(text.split())


def test_a_text_inside_another_is_found_whole_and_exact() -> None:
    (match,) = found(TEXT, "Here it is:\n" + TEXT + "End")
    assert match == Match(Span(12, 12 + len(TEXT)), Span(0, len(TEXT)), exact=True)


def test_changed_white_space_is_found_and_is_not_exact() -> None:
    (match,) = found(TEXT, TEXT.replace(" ", "  "))
    assert match.target == Span(0, len(TEXT))
    assert not match.exact


def test_white_space_at_the_edge_counts_only_if_it_is_there() -> None:
    (match,) = found("  " + TEXT, "  " + TEXT.rstrip("\n"))
    assert match.target == Span(0, len(TEXT) + 1)
    (match,) = found("  " + TEXT, TEXT)
    assert match.target == Span(2, len(TEXT) + 2)


def test_a_head_and_a_tail_are_pieces_with_their_places() -> None:
    view = "".join(LINES[:3]) + "\n[… cut …]\n" + "".join(LINES[8:])
    spans = [match.target for match in found(TEXT, view)]
    assert TEXT[spans[0].start : spans[0].end].startswith("".join(LINES[:3]).rstrip())
    assert TEXT[spans[1].start : spans[1].end].strip() == "".join(LINES[8:]).strip()


def test_text_that_fits_two_places_of_the_target_is_no_piece() -> None:
    twice = "".join(LINES[:6]) + LINES[2] + "".join(LINES[6:])
    assert found(twice, "Found: " + LINES[2].strip()) == ()


def test_the_head_of_a_text_that_repeats_itself_counts_only_where_the_view_begins() -> None:
    ruler = "-" * 30 + "\n"
    text = ruler + "Chapter one\n" + ruler + "Chapter two\n" + ruler
    assert found(text, "[earlier text cut]\n" + ruler + "no chapter") == ()
    assert found(text, ruler + "no chapter")[0].target.start == 0


def test_short_text_counts_only_alone_on_its_lines() -> None:
    assert found("yes", "The answer:\nyes\n")[0].exact
    assert found("yes", "yes, it says") == ()
    assert found("yes", "it says yes") == ()


def test_text_without_ink_proves_nothing_by_itself() -> None:
    assert found("   ", "a   b") == ()
    assert found("", "") == ()


def test_a_place_that_is_taken_is_not_found_again() -> None:
    view = LINES[0] + LINES[0]
    (first,) = found(LINES[0], view)
    (second,) = found(LINES[0], view, first.view)
    assert not second.view.overlaps(first.view)
    assert found(LINES[0], view, first.view, second.view) == ()


@FEW
@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)), st.text("#~|", max_size=9))
def test_any_cut_of_a_text_is_placed_where_it_was_cut(one: int, two: int, around: str) -> None:
    start, end = min(one, two), max(one, two)
    for match in found(TEXT, around + TEXT[start:end] + around):
        assert start <= match.target.start <= match.target.end <= end
    if len(ink(TEXT[start:end])) >= 2 * ENOUGH:
        assert found(TEXT, around + TEXT[start:end] + around)


@FEW
@given(st.text("ab \n", max_size=60), st.text("ab \n", max_size=60))
def test_every_match_holds_the_same_ink_on_both_sides(text: str, view: str) -> None:
    for match in found(text, view):
        there = text[match.target.start : match.target.end]
        here = view[match.view.start : match.view.end]
        assert ink(there) == ink(here)
        assert match.exact == (there == here)
