"""Files of OpenTelemetry: every form they come in, limits that leave no mark, and hostile ones."""

import base64
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from store.importers import importers
from store.importers._base import UnreadableError
from store.importers._probing import file_probe
from store.records.grades import Grade
from tests.unit.spans import (
    TRACE,
    importer_of,
    lost,
    one,
    otlp,
    proto_span,
    read,
    request,
    said,
    span,
)

CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": json.dumps(
        [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]
    ),
}


def snake(path: Path) -> None:
    """Write ids as base64 and names with underscores, as Python's protobuf may."""
    text = json.dumps(request([span(1, CHAT)]))
    text = text.replace("resourceSpans", "resource_spans").replace("scopeSpans", "scope_spans")
    text = text.replace("stringValue", "string_value").replace("spanId", "span_id")
    path.write_text(
        text.replace("traceId", "trace_id").replace(
            TRACE, base64.b64encode(bytes.fromhex(TRACE)).decode()
        )
    )


def indented(path: Path) -> None:
    """Write two requests, indented, one behind the other."""
    path.write_text("\n".join(json.dumps(request([span(n, CHAT)]), indent=4) for n in (1, 2)))


def console(path: Path) -> None:
    """Write a span as Python's SDK prints it."""
    printed: dict[str, object] = {
        "name": "chat m-1",
        "context": {"trace_id": f"0x{TRACE}", "span_id": "0x0000000000000001", "trace_state": "[]"},
        "kind": "SpanKind.CLIENT",
        "parent_id": None,
        "start_time": "2026-01-02T03:04:05.000001Z",
        "attributes": CHAT,
        "events": [],
    }
    path.write_text(
        json.dumps(printed, indent=4) + "\n" + json.dumps({**printed, "name": "x"}, indent=4)
    )


def protobuf(path: Path) -> None:
    """Write one export request as protobuf bytes."""
    path.write_bytes(proto_span(CHAT))


def frames(path: Path) -> None:
    """Write two requests as the collector's file exporter does: four bytes of length each."""
    made = proto_span(CHAT)
    path.write_bytes((len(made).to_bytes(4, "big") + made) * 2)


def packed(path: Path) -> None:
    """Write two requests as the collector does with compression: JSON, and protobuf."""
    made = [_zstd(json.dumps(request([span(1, CHAT)])).encode()), _zstd(proto_span(CHAT))]
    path.write_bytes(b"".join(len(each).to_bytes(4, "big") + each for each in made))


def _zstd(data: bytes) -> bytes:
    """Return *data* as a Zstandard frame of one block that is not compressed."""
    block = (len(data) << 3 | 1).to_bytes(3, "little")
    return b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little") + block + data


def answered(path: Path) -> None:
    """Write what a back end answers: batches of spans."""
    spans = request([span(1, CHAT)])["resourceSpans"]
    path.write_text(json.dumps({"batches": spans}))


def wrapped(path: Path) -> None:
    """Write a request inside of an answer."""
    path.write_text(json.dumps({"result": request([span(1, CHAT)])}))


def utf16(path: Path) -> None:
    """Write a request in another encoding."""
    path.write_bytes(json.dumps(request([span(1, CHAT)])).encode("utf-16"))


@pytest.mark.parametrize(
    "write", [snake, indented, console, protobuf, frames, packed, utf16, answered, wrapped]
)
def test_a_request_is_read_in_whatever_form_it_was_written(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    write(tmp_path / "spans.json")
    (run,) = read(tmp_path / "spans.json")
    assert run.run_id == TRACE
    assert said(run) == [("user", "Hi")]


def test_spans_are_joined_whatever_line_they_stand_on(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    spans = [
        span(2, CHAT, parent=1),
        span(1, {"gen_ai.operation.name": "invoke_agent"}, name="agent"),
    ]
    path.write_text("".join(json.dumps(request([each])) + "\n" for each in spans))
    assert one(path).title == "t.jsonl#agent"


def test_protobuf_tells_how_many_attributes_were_dropped(tmp_path: Path) -> None:
    path = tmp_path / "t.pb"
    path.write_bytes(proto_span(CHAT, dropped=7))
    assert "7 attributes of the span were dropped by a limit" in lost(one(path))


def test_spans_and_log_records_in_files_of_their_own_are_joined(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    made = span(1, {"gen_ai.operation.name": "chat"})
    record = {
        "traceId": made["traceId"],
        "spanId": made["spanId"],
        "eventName": "gen_ai.user.message",
        "attributes": [{"key": "content", "value": {"stringValue": "Hi"}}],
    }
    otlp(folder / "traces.jsonl", made)
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    (folder / "logs.jsonl").write_text(json.dumps(logs))
    assert said(one(folder)) == [("user", "Hi")]


def test_the_files_of_a_rotation_are_one_and_others_are_not(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    agent = span(1, {"gen_ai.operation.name": "invoke_agent"}, name="agent")
    otlp(folder / "traces-2026-01-02T03-04-05.006.jsonl", agent)
    otlp(folder / "traces.jsonl", span(2, CHAT, parent=1))
    assert one(folder).title == "out#agent"
    (folder / "traces.jsonl").rename(folder / "else.jsonl")
    other = importer_of(folder)
    assert other is not None
    assert other.last_resort


# -- limits --------------------------------------------------------------------------------


def test_a_value_that_was_cut_within_its_json_keeps_what_stands_before(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": f"message {n} " + "x" * 80} for n in range(9)]
    cut = json.dumps(messages)[:300]
    run = one(otlp(tmp_path / "t.json", span(1, {**CHAT, "gen_ai.input.messages": cut})))
    assert run.grade is Grade.UNKNOWN
    assert "gen_ai.input.messages was cut at 300 characters" in lost(run)
    assert said(run)[0][1].startswith("message 0 ")
    assert len(said(run)) == 3


def test_texts_of_the_same_round_greatest_length_were_cut_there(tmp_path: Path) -> None:
    start = "llm.input_messages"
    held: dict[str, object] = {"openinference.span.kind": "LLM"}
    for number, letter in enumerate("ab"):
        held[f"{start}.{number}.message.role"] = "user"
        held[f"{start}.{number}.message.content"] = letter * 1000
    run = one(otlp(tmp_path / "t.json", span(1, held)))
    assert run.grade is Grade.UNKNOWN
    assert "has exactly 1000 characters, as other values of this file have" in lost(run)
    held[f"{start}.2.message.role"] = "user"
    held[f"{start}.2.message.content"] = "longer " * 200
    assert one(otlp(tmp_path / "t.json", span(1, held))).grade is Grade.RECORDED


def test_attributes_that_were_dropped_without_a_gap_may_be_the_end_of_the_request(
    tmp_path: Path,
) -> None:
    held = {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Hi"}
    run = one(otlp(tmp_path / "t.json", span(1, held, droppedAttributesCount=4)))
    assert run.grade is Grade.UNKNOWN
    assert "the end of the request may be missing: 4 attributes" in lost(run)


def test_a_span_of_exactly_the_limit_may_lack_some_where_its_form_cannot_say(
    tmp_path: Path,
) -> None:
    start = "llm.input_messages"
    held = {f"{start}.{n}.message.{key}": "user" for n in range(64) for key in ("role", "content")}
    printed = {
        "name": "LLM",
        "context": {"trace_id": f"0x{TRACE}", "span_id": "0x01"},
        "kind": "SpanKind.INTERNAL",
        "attributes": held,
    }
    path = tmp_path / "t.json"
    path.write_text(json.dumps(printed))
    assert "the span has exactly 128 attributes" in lost(one(path))
    assert one(otlp(path, span(1, held))).grade is Grade.RECORDED


# -- damaged and hostile -------------------------------------------------------------------


def test_a_file_that_breaks_off_gives_the_spans_that_stand_whole(tmp_path: Path) -> None:
    path = otlp(tmp_path / "t.json", *(span(n, CHAT) for n in range(1, 9)))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])
    run = one(path)
    assert 1 < len(run.calls) < 8
    assert "is not JSON" in lost(run)


def test_a_request_that_unpacks_for_ever_is_told(tmp_path: Path) -> None:
    size = 128 << 10
    block = (size << 3 | 2).to_bytes(3, "little") + b"A"
    last = (size << 3 | 3).to_bytes(3, "little") + b"A"
    # A frame of blocks that each repeat one byte, with a window of 8 MB and no length.
    bomb = b"\x28\xb5\x2f\xfd\x00\x68" + block * 1500 + last
    path = tmp_path / "t.zst.bin"
    path.write_bytes(len(bomb).to_bytes(4, "big") + bomb)
    with pytest.raises(UnreadableError, match="grows to more than"):
        read(path)


def test_a_line_that_is_damaged_does_not_hide_the_others(tmp_path: Path) -> None:
    path = otlp(tmp_path / "t.jsonl", span(1, CHAT))
    path.write_text(f"{path.read_text()}\n{{broken\n")
    assert "this line is not JSON" in lost(one(path))


def test_protobuf_that_breaks_off_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.pb"
    made = proto_span(CHAT)
    path.write_bytes(len(made).to_bytes(4, "big") + made + len(made).to_bytes(4, "big") + made[:50])
    assert "this export request cannot be read" in lost(one(path))


@pytest.mark.parametrize(
    "body",
    [
        b'{"resourceSpans":' + b"[" * 100_000,
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"aa","droppedAttributesCount":'
        + b"9" * 400_000
        + b"}]}]}]}",
        b'{"resourceSpans": 5, "resourceLogs": []}',
        b'{"resourceSpans": [5, [], {"scopeSpans": [{"spans": [[], 7, {"attributes": "x"}]}]}]}',
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"\xff\xfe","name":"\xed\xa0\x80"}]}]}]}',
    ],
)
def test_a_hostile_file_ends_in_a_clear_line(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(body)
    begun = time.process_time()
    for importer in importers():
        if importer.recognise(file_probe(path, path.name)) and importer.name == "otlp":
            with pytest.raises(UnreadableError, match=r"JSON|no|none"):
                read(path)
    assert time.process_time() - begun < 5


def test_a_name_of_an_attribute_that_never_ends_costs_nothing(tmp_path: Path) -> None:
    begun = time.process_time()
    held = {f"llm.input_messages.9{'.9' * 90_000}.role": "x", "llm.input_messages.99999999.x": "y"}
    run = one(otlp(tmp_path / "t.json", span(1, held)))
    assert run.grade is Grade.UNKNOWN
    assert time.process_time() - begun < 2


def test_protobuf_that_nests_for_ever_is_refused(tmp_path: Path) -> None:
    value = b""
    for _ in range(3000):
        value = b"\x2a" + _length(b"\x0a" + _length(value))
    path = tmp_path / "t.pb"
    attribute = b"\x0a\x01k\x12" + _length(value)
    made = b"\x0a\x10" + b"\x01" * 16 + b"\x4a" + _length(attribute)
    path.write_bytes(b"\x0a" + _length(b"\x12" + _length(b"\x12" + _length(made))))
    with pytest.raises(UnreadableError, match="nested too deeply"):
        read(path)


def _length(data: bytes) -> bytes:
    size, found = len(data), b""
    while size > 0x7F:
        found += bytes([size & 0x7F | 0x80])
        size >>= 7
    return found + bytes([size]) + data
