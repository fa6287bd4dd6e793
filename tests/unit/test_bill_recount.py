"""The bill, carried from call to call, is what counting every request anew would give."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from reviewer.audit.engine import audit
from store.builder import RunBuilder
from store.records.bills import Bill
from store.records.grades import Layer
from store.records.runs import Message, Part, PartKind, Run, Splice

_MESSAGES = [
    Message("system", (Part(PartKind.TEXT, "be exact"),)),
    Message("system", (Part(PartKind.TEXT, "be éxact"),)),
    Message("user", (Part(PartKind.TEXT, "first"), Part(PartKind.TEXT, "second part"))),
    Message("user", (Part(PartKind.TEXT, "first"), Part(PartKind.TEXT, "other part 批次"))),
    Message("assistant", (Part(PartKind.TEXT, "reading"),)),
    Message("assistant", (Part(PartKind.TOOL_CALL, "{}", "r1", "read"),)),
    Message("tool", (Part(PartKind.TOOL_RESULT, "a result of some words", "r1"),)),
    Message("tool", (Part(PartKind.TOOL_RESULT, "[cleared]", "r1"),)),
    Message("user", ()),
]
_REQUESTS = st.lists(
    st.lists(st.integers(0, len(_MESSAGES) - 1), max_size=7, unique=True), min_size=1, max_size=6
)


def words(text: str) -> int:
    return len(text.split())


def run_of(requests: Sequence[Sequence[int]]) -> Run:
    builder = RunBuilder("made", "made", "made", Layer.WIRE)
    numbers = [builder.message(each.role, each.parts) for each in _MESSAGES]
    for request in requests:
        builder.call([numbers[place] for place in request])
    return builder.finish()


def tokens(request: Sequence[int]) -> int:
    return sum(words(part.text) for place in request for part in _MESSAGES[place].parts)


def utf8(request: Sequence[int]) -> int:
    return len(_stream(request))


def _stream(request: Sequence[int]) -> bytes:
    return b"".join(part.text.encode() for place in request for part in _MESSAGES[place].parts)


@given(_REQUESTS)
def test_tokens_and_totals_are_those_of_a_recount(requests: list[list[int]]) -> None:
    bill = audit(run_of(requests), words, "words").bill
    seen: set[int] = set()
    paid = 0
    for row, request in zip(bill.calls, requests, strict=True):
        paid += tokens(request)
        assert (row.resident, row.cumulative) == (tokens(request), paid)
        assert sum(row.by_kind.values()) == row.resident
        assert row.new == tokens([place for place in request if place not in seen])
        seen |= set(request)


@given(_REQUESTS)
def test_a_prefix_is_broken_where_a_comparison_of_both_requests_finds_it(
    requests: list[list[int]],
) -> None:
    bill = audit(run_of(requests), words, "words").bill
    for before, now, row in zip(requests, requests[1:], bill.calls[1:], strict=False):
        same = [old == new for old, new in zip(before, now, strict=False)]
        place = same.index(False) if False in same else len(same)
        again = [message for message in before[place:] if message in now]
        assert bool(row.broken) == (row.continues and bool(utf8(again)))
        if row.broken:
            assert row.broken.message == place
            assert row.broken.resent_bytes == utf8(again)
            assert row.broken.resent_tokens == tokens(again)
            assert row.broken.before_bytes == utf8(before)
            assert utf8(before[:place]) <= row.shared_prefix_bytes <= row.broken.byte
            # Two texts may begin alike and a character differ only in its later bytes.
            common = _common(_stream(before), _stream(now))
            assert row.broken.byte <= common


def _common(left: bytes, right: bytes) -> int:
    pairs = zip(left, right, strict=False)
    whole = min(len(left), len(right))
    return next((at for at, (one, other) in enumerate(pairs) if one != other), whole)


@given(_REQUESTS)
def test_splices_that_say_more_than_changed_give_the_same_bill(requests: list[list[int]]) -> None:
    run = run_of(requests)
    assert _whole(run) == audit(run, words, "words").bill


def _whole(run: Run) -> Bill:
    """Bill the run told with each request as one splice over all of the one before."""
    calls = []
    held = 0
    for call, request in zip(run.calls, run.requests(), strict=True):
        calls.append(replace(call, splices=(Splice(0, held, request),)))
        held = len(request)
    return audit(replace(run, calls=tuple(calls)), words, "words").bill
