"""A run holds each message once, each call its change, and gives back what was given."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from store.builder import RunBuilder, difference
from store.records.grades import Grade, Layer
from store.records.runs import Part, PartKind, Run, Splice

REQUESTS = st.lists(st.integers(0, 5), max_size=12)
FEW = settings(max_examples=100)


def applied(before: list[int], splices: tuple[Splice, ...]) -> list[int]:
    """Return *before* after *splices*, applied from the end as their positions are the old ones."""
    held = list(before)
    for splice in reversed(splices):
        held[splice.start : splice.stop] = splice.messages
    return held


def builder() -> RunBuilder:
    """Return an empty builder."""
    return RunBuilder("run", "path", "format", Layer.CLIENT)


def run_of(requests: list[list[int]]) -> Run:
    """Return a run with these requests over six messages."""
    made = builder()
    for number in range(6):
        made.message("user", [Part(PartKind.TEXT, str(number))])
    for request in requests:
        made.call(request)
    return made.finish()


@FEW
@given(REQUESTS, REQUESTS)
def test_splices_turn_the_request_before_into_the_next(before: list[int], after: list[int]) -> None:
    assert applied(before, difference(before, after)) == after


@FEW
@given(REQUESTS, REQUESTS)
def test_splices_ascend_do_not_overlap_and_change_something(
    before: list[int], after: list[int]
) -> None:
    splices = difference(before, after)
    assert all(0 <= s.start <= s.stop <= len(before) for s in splices)
    assert all(a.stop <= b.start for a, b in pairwise(splices))
    assert all(tuple(before[s.start : s.stop]) != s.messages for s in splices)


@FEW
@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.data())
def test_one_replaced_message_costs_one_splice(before: list[int], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(before) - 1))
    after = [*before[:place], 9, *before[place + 1 :]]
    assert difference(before, after) == (Splice(place, place + 1, (9,)),)


@FEW
@given(REQUESTS, REQUESTS)
def test_appended_messages_cost_one_splice_of_their_own(before: list[int], more: list[int]) -> None:
    splices = difference(before, [*before, *more])
    assert splices == ((Splice(len(before), len(before), tuple(more)),) if more else ())


@FEW
@given(st.lists(REQUESTS, max_size=6))
def test_a_run_gives_back_every_request_that_was_given(requests: list[list[int]]) -> None:
    run = run_of(requests)
    assert [list(request) for request in run.requests()] == requests
    assert [list(run.request(call.index)) for call in run.calls] == requests


@FEW
@given(st.lists(REQUESTS, max_size=6))
def test_splices_given_by_the_importer_make_the_same_run(requests: list[list[int]]) -> None:
    whole = run_of(requests)
    made = builder()
    made.messages.extend(whole.messages)
    for call in whole.calls:
        made.call(splices=call.splices)
    assert made.finish().calls == whole.calls


def test_equal_messages_are_one_and_their_first_origin_stays() -> None:
    made = builder()
    first = made.message("user", [Part(PartKind.TEXT, "a")], origin="file:1")
    assert made.message("user", [Part(PartKind.TEXT, "a")], origin="file:9") == first
    assert made.message("tool", [Part(PartKind.TEXT, "a")]) != first
    assert made.finish().messages[first].origin == "file:1"


def test_a_run_is_as_good_as_its_weakest_call_and_unknown_without_calls() -> None:
    made = builder()
    assert made.finish().grade is Grade.UNKNOWN
    made.call([], grade=Grade.RECORDED)
    made.call([], grade=Grade.INFERRED)
    made.call([], grade=Grade.DERIVED)
    assert made.finish().grade is Grade.INFERRED
