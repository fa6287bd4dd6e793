"""Cited lines inside what a tool numbered."""

from reviewer.audit.shown_lines import shown_lines
from store.records.text import Span

SHOWN = "<file>     1→甲\n     2→b\n     3→\n     4→d\n</file>"
PLACE = Span(13, SHOWN.index("\n</file>"))


def test_numbered_lines_are_found_with_their_numbers() -> None:
    found = shown_lines("b\n\nd\n", 1, SHOWN, PLACE)
    assert found is not None
    assert SHOWN[found.start : found.end] == "     2→b\n     3→\n     4→d"


def test_lines_that_stand_elsewhere_are_not_taken() -> None:
    assert shown_lines("b\n\nd", 0, SHOWN, PLACE) is None
    assert shown_lines("b\n\nd\ne", 1, SHOWN, PLACE) is None
    assert shown_lines("b\n\nx", 1, SHOWN, PLACE) is None
