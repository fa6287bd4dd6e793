"""A skeleton is the text without white space and knows where each character came from."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.audit.skeleton import Skeleton, common_head, common_tail
from store.records.text import Span

TEXTS = st.text(
    st.sampled_from(" \t\n\r\u00a0\u2028\u3000\x1c\x85ab\u200b饺👩\u200d\x00\ud83d"), max_size=40
)
REPEATING = st.text("ab", max_size=300)
FEW = settings(max_examples=80)


@FEW
@given(TEXTS)
def test_it_holds_every_character_that_is_no_white_space(text: str) -> None:
    assert Skeleton(text).text == "".join(char for char in text if not char.isspace())


@FEW
@given(TEXTS, st.data())
def test_a_span_leads_back_from_ink_to_ink(text: str, data: st.DataObject) -> None:
    skeleton = Skeleton(text)
    size = len(skeleton.text)
    if not size:
        return
    start = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(start + 1, size))
    place = skeleton.back(Span(start, end))
    shown = text[place.start : place.end]
    assert "".join(shown.split()) == skeleton.text[start:end]
    assert not shown[0].isspace()
    assert not shown[-1].isspace()


def naive_head(left: str, right: str) -> int:
    """Return how many characters agree, one by one."""
    count = 0
    while count < min(len(left), len(right)) and left[count] == right[count]:
        count += 1
    return count


@FEW
@given(REPEATING, REPEATING, st.integers(0, 9), st.integers(0, 9), st.text("c", max_size=1))
def test_common_heads_and_tails_are_those_counted_one_by_one(
    one: str, two: str, i: int, j: int, mark: str
) -> None:
    left, right = one + two, one + mark + two
    i, j = min(i, len(left)), min(j, len(right))
    assert common_head(left, i, right, j) == naive_head(left[i:], right[j:])
    ends = len(left) - i, len(right) - j
    naive = naive_head(left[: ends[0]][::-1], right[: ends[1]][::-1])
    assert common_tail(left, ends[0], right, ends[1]) == naive
