"""The shortcut for repeated requests gives exactly what parsing every byte gives."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.builder import RunBuilder
from store.importers import _files
from store.importers._prefix import Request, RequestReader
from store.importers._run_events import EventReader
from store.importers._run_store import Objects
from store.records.grades import Layer
from store.records.runs import Run

Value = dict[str, object]


class _NeverParted(RequestReader):
    """Leaves every line to the plain way."""

    def read(self, line: bytes) -> Request | None:
        del line
        return None


def _read(log: bytes, requests: RequestReader) -> Run:
    builder = RunBuilder("r", "p", "f", Layer.CLIENT)
    reader = EventReader(builder, Objects(Path("/nowhere"), "store"), requests=requests)
    reader.start("events.jsonl", "events.jsonl")
    for line in _files.lines(io.BytesIO(log)):
        reader.line(line)
    reader.finish("r")
    return builder.finish()


def _facts(run: Run) -> list[object]:
    """Give all a run says, its requests in full: the same changes can be cut in several ways."""
    names = [name for name in Run.__slots__ if name not in {"calls", "messages"}]
    facts: list[object] = [getattr(run, name) for name in names]
    facts += [(message, message.origin) for message in run.messages]
    facts += list(run.requests())
    calls = [
        [getattr(call, name) for name in type(call).__slots__ if name != "splices"]
        for call in run.calls
    ]
    return facts + calls


def _spell(value: object, spelling: str) -> bytes:
    separators = (", ", ": ") if spelling == "python" else (",", ":")
    text = json.dumps(value, ensure_ascii=spelling != "compact", separators=separators)
    return text.encode()


_texts = st.sampled_from(
    [
        "",
        "a",
        "go",
        '"messages": [',
        "上限 200 条",
        "😀",
        "a\\u0041",
        '\\"',
        "x" * 300,
        "\x00",
        "{}",
    ]
)
_values = st.one_of(
    _texts, st.none(), st.integers(-5, 2**66), st.dictionaries(_texts, _texts, max_size=2)
)
_parts = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "content": _texts}),
    st.fixed_dictionaries(
        {"type": st.just("tool_call"), "id": _texts, "name": _texts, "arguments": _values}
    ),
    st.fixed_dictionaries(
        {"type": st.just("tool_call_response"), "id": _texts, "response": _values}
    ),
    st.fixed_dictionaries({"type": st.just("video"), "messages": st.lists(_texts, max_size=2)}),
)
_messages: st.SearchStrategy[Value] = st.one_of(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "tool"]), "parts": st.lists(_parts, max_size=2)}
    ),
    st.fixed_dictionaries({"same_as": st.tuples(st.integers(0, 6), st.integers(0, 6)).map(list)}),
    st.sampled_from([{}, {"role": 3}, {"messages": []}]),
)
_edits = st.sampled_from(["append", "replace", "remove", "insert", "truncate", "new", "same"])


@st.composite
def _logs(draw: st.DrawFn) -> bytes:
    spelling = draw(st.sampled_from(["compact", "ascii", "python"]))
    held: list[Value] = []
    lines: list[bytes] = []
    for index in range(1, draw(st.integers(1, 7)) + 1):
        for _ in range(draw(st.integers(0, 3))):
            held = _edited(held, draw(_edits), draw(_messages), draw(st.integers(0, 9)))
        response = {"messages": draw(st.lists(_messages, max_size=2))}
        request: Value = {"model": "m", "messages": held, "settings": {"messages": []}}
        event: Value = {"event": "model_call", "index": index, "request": request}
        event["response"] = response
        if draw(st.booleans()):
            event = dict(reversed(event.items()))
            event["request"] = dict(reversed(request.items()))
        line = _spell(event, spelling)
        lines.append(draw(st.sampled_from(_TWISTS))(line, spelling))
    return b"\n".join(lines) + b"\n"


def _edited(held: list[Value], edit: str, message: Value, place: int) -> list[Value]:
    at = place % (len(held) + 1)
    edited = {
        "append": [*held, message],
        "replace": [*held[:at], message, *held[at + 1 :]],
        "remove": [*held[:at], *held[at + 1 :]],
        "insert": [*held[:at], message, *held[at:]],
        "truncate": held[:at],
        "new": [message],
        "same": held,
    }
    return edited[edit]


def _as_it_is(line: bytes, _spelling: str) -> bytes:
    return line


def _with_two_requests(line: bytes, spelling: str) -> bytes:
    more = _spell(
        {"request": {"model": "n", "messages": [{"role": "user", "parts": []}]}}, spelling
    )
    return line[:-1] + b"," + more[1:]


def _with_two_lists(line: bytes, spelling: str) -> bytes:
    more = _spell({"messages": [{"role": "user", "parts": []}]}, spelling)[1:-1]
    return line.replace(b'"request"', b'"request"', 1).replace(b'"model"', more + b',"model"', 1)


def _with_a_lone_surrogate(line: bytes, _spelling: str) -> bytes:
    return line[:-1] + b',"note":"\\ud83d"}'


def _as_another_event(line: bytes, _spelling: str) -> bytes:
    return line.replace(b"model_call", b"vendor_call", 1)


def _cut(line: bytes, _spelling: str) -> bytes:
    return line[: len(line) // 2]


def _with_spaces(line: bytes, _spelling: str) -> bytes:
    return line.replace(b'"messages":', b'"messages" :\t ', 1).replace(b"},{", b"}\t, {")


Twist = Callable[[bytes, str], bytes]
_TWISTS: list[Twist] = [
    *([_as_it_is] * 6),
    _with_two_requests,
    _with_two_lists,
    _with_a_lone_surrogate,
    _as_another_event,
    _cut,
    _with_spaces,
]


@given(log=_logs())
def test_the_shortcut_changes_nothing_in_what_is_read(log: bytes) -> None:
    quick = _facts(_read(log, RequestReader()))
    assert quick == _facts(_read(log, RequestReader(shortcut=False)))
    assert quick == _facts(_read(log, _NeverParted()))


@given(log=_logs())
def test_changes_are_ascending_and_stay_inside_the_request_before(log: bytes) -> None:
    length = 0
    for call in _read(log, RequestReader()).calls:
        end = 0
        for splice in call.splices:
            assert end <= splice.start <= splice.stop <= length
            end = splice.stop
        length += sum(len(each.messages) - (each.stop - each.start) for each in call.splices)


def _call(index: int, texts: list[str], spelling: str) -> bytes:
    messages = [{"role": "user", "parts": [{"type": "text", "content": text}]} for text in texts]
    event = {"event": "model_call", "index": index, "request": {"messages": messages}}
    return _spell(event, spelling) + b"\n"


@pytest.mark.parametrize("spelling", ["compact", "ascii", "python"])
def test_a_message_replaced_in_the_middle_is_all_that_is_parsed(spelling: str) -> None:
    texts = [f"消息 {number} " + "x" * 1000 for number in range(50)]
    changed = [*texts[:20], "[cleared]", *texts[21:], "new"]
    log = _call(1, texts, spelling) + _call(2, changed, spelling)
    requests = RequestReader()
    run = _read(log, requests)
    assert [(each.start, each.stop) for each in run.calls[1].splices] == [(20, 21), (50, 50)]
    assert requests.skipped > 0.9 * len(_call(1, texts, spelling))


def test_text_that_looks_like_the_mark_is_not_taken_for_one() -> None:
    mark = "\0 the same bytes as before \0"
    texts = ["a", "b", "c"]
    log = _call(1, texts, "ascii") + _call(2, [*texts, mark], "ascii")
    run = _read(log + _call(3, [mark, *texts], "ascii"), RequestReader())
    shown = [[run.messages[at].parts[0].text for at in request] for request in run.requests()]
    assert shown == [texts, [*texts, mark], [mark, *texts]]


def test_a_message_that_only_quotes_an_earlier_one_is_not_that_one() -> None:
    inner: Value = {"role": "user", "parts": []}
    first: Value = {"event": "model_call", "request": {"messages": [{"role": "a"}, inner]}}
    outer: Value = {"role": "b", "parts": [], "extra": inner}
    second: Value = {"event": "model_call", "request": {"messages": [outer]}}
    log = _spell(first, "compact") + b"\n" + _spell(second, "compact") + b"\n"
    run = _read(log, RequestReader())
    assert [run.messages[at].role for at in run.request(2)] == ["b"]
