"""The stays of messages are those that expanding every request would show."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.audit.residency import Residency, Stay
from store.builder import RunBuilder
from store.records.grades import Layer
from store.records.runs import Run

MESSAGES = 5
REQUESTS = st.lists(st.lists(st.integers(0, MESSAGES - 1), max_size=7), max_size=8)
FEW = settings(max_examples=100)


def made(requests: list[list[int]]) -> tuple[Run, Residency]:
    """Return a run with these requests and its residency."""
    builder = RunBuilder("run", "path", "format", Layer.CLIENT)
    for request in requests:
        builder.call(request)
    run = builder.finish()
    return run, Residency(run.calls, MESSAGES)


@FEW
@given(REQUESTS)
def test_a_message_is_held_exactly_in_the_requests_that_show_it(requests: list[list[int]]) -> None:
    _, residency = made(requests)
    for call, request in enumerate(requests, 1):
        for message in range(MESSAGES):
            assert residency.holds(call, message) == (message in request)


@FEW
@given(REQUESTS)
def test_stays_are_the_longest_unbroken_ones(requests: list[list[int]]) -> None:
    _, residency = made(requests)
    for message in range(MESSAGES):
        calls = [n for n, request in enumerate(requests, 1) if message in request]
        shown = [n for s in residency.stays(message) for n in range(s.first, s.last + 1)]
        assert shown == calls
        stays = residency.stays(message)
        assert all(a.last + 1 < b.first for a, b in pairwise(stays))
        assert residency.first(message) == (calls[0] if calls else None)


@FEW
@given(REQUESTS, st.sets(st.integers(0, MESSAGES - 1)), st.integers(0, 9))
def test_calls_of_several_messages_are_their_union(
    requests: list[list[int]], messages: set[int], until: int
) -> None:
    _, residency = made(requests)
    naive = [n for n, request in enumerate(requests, 1) if messages & set(request)]
    assert residency.calls(messages, until) == tuple(n for n in naive if n <= until)
    assert residency.last_before(messages, until) == max(
        (n for n in naive if n < until), default=None
    )


def test_a_message_that_only_moves_stays() -> None:
    _, residency = made([[0, 1, 2], [2, 0, 1], [1, 2, 0]])
    assert residency.stays(0) == (Stay(1, 3),)


def test_a_message_held_twice_goes_when_its_last_place_goes() -> None:
    _, residency = made([[0, 1, 0], [0, 1], [1]])
    assert residency.stays(0) == (Stay(1, 2),)
