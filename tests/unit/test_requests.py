"""The request of any call is the one that the run gives, found without walking all before it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.window.presenters.requests import Requests, forget_requests, requests_of
from store.builder import RunBuilder
from store.records.grades import Layer
from store.records.runs import Part, PartKind, Run


def made(requests: list[list[int]]) -> Run:
    """Return a run whose calls have these requests."""
    builder = RunBuilder("r", "r", "reread.run", Layer.CLIENT)
    numbers = [builder.message("user", [Part(PartKind.TEXT, str(n))], "") for n in range(6)]
    for request in requests:
        builder.call([numbers[n] for n in request])
    return builder.finish()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), max_size=6), min_size=1, max_size=12), st.data())
def test_each_request_is_that_of_the_run(requests: list[list[int]], data: st.DataObject) -> None:
    run = made(requests * 20)
    index = Requests(run.calls)
    for call in data.draw(st.lists(st.integers(1, len(run.calls)), min_size=1, max_size=8)):
        assert index.request(call) == run.request(call)
    assert index.request(0) == ()
    assert index.request(len(run.calls) + 1) == ()


def test_a_call_walks_from_the_nearest_request_that_is_kept() -> None:
    run = made([[n % 6] for n in range(5000)])
    index = Requests(run.calls)
    index.request(5000)
    walked = index.walked
    index.request(4999)
    assert index.walked - walked < 100


def test_a_run_is_expanded_once_for_all_who_ask() -> None:
    run = made([[1], [1, 2]])
    kept = requests_of(run)
    assert requests_of(run) is kept
    forget_requests()
    assert requests_of(run) is not kept
