"""Containers of captures: each is read, and a damaged copy of each says what is wrong."""

import base64
import gzip
import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.importers import _capture_coding
from store.importers._capture_files import Capture
from store.importers._capture_flows import flows_in
from store.importers._capture_http import Interaction, decoded, events_in
from store.importers._capture_stream import StreamError, stream_events
from store.importers._capture_yaml import YamlError, read_yaml
from store.importers._providers import is_response
from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import Problem, Run

REQUEST = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Héllo"}]}
RESPONSE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Góod day"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 9, "output_tokens": 3},
}
URL = "https://api.anthropic.com/v1/messages"
SENT, GOT = (json.dumps(value, ensure_ascii=False).encode() for value in (REQUEST, RESPONSE))


def sse(response: Mapping[str, object]) -> bytes:
    """Write a response as the events that stream it."""
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": {**response, "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": piece},
            }
            for piece in ("Góod", " day")
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
        {"type": "message_stop"},
    ]
    return b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
        for event in events
    )


def tnet(value: object) -> bytes:
    if isinstance(value, dict):
        body = b"".join(tnet(part) for pair in value.items() for part in pair)
        return f"{len(body)}:".encode() + body + b"}"
    if isinstance(value, list):
        body = b"".join(map(tnet, value))
        return f"{len(body)}:".encode() + body + b"]"
    if isinstance(value, int):
        return f"{len(str(value))}:{value}#".encode()
    data, mark = (value, b",") if isinstance(value, bytes) else (str(value).encode(), b";")
    return f"{len(data)}:".encode() + data + mark


def flow() -> bytes:
    return tnet(
        {
            "response": {"status_code": 200, "content": gzip.compress(GOT), "headers": []},
            "request": {
                "method": b"POST",
                "scheme": b"https",
                "host": "api.anthropic.com",
                "port": 443,
                "path": b"/v1/messages",
                "content": SENT,
                "headers": [[b"x-api-key", b"secret"]],
            },
        }
    )


def old_flow() -> bytes:
    """Write a flow as versions before 1.0 did: other names, bytes for keys, another order."""
    headers = [[b"Content-Type", b"application/json"]]
    request = {
        b"scheme": b"https",
        b"host": b"api.anthropic.com",
        b"port": 443,
        b"path": b"/v1/messages",
        b"method": b"POST",
        b"headers": headers,
        b"content": SENT,
    }
    response = {b"code": 200, b"msg": b"OK", b"headers": headers, b"body": GOT}
    return tnet(
        {
            b"intercepted": 0,
            b"version": [0, 14],
            b"request": request,
            b"response": response,
            b"type": b"http",
        }
    )


def vcr(body: str, answer: str) -> bytes:
    return (
        f"interactions:\n- request:\n    body: {body}\n    headers: {{}}\n    method: POST\n"
        f"    uri: {URL}\n  response:\n    body:\n      string: {answer}\n"
        "    headers: {}\n    status: {code: 200, message: OK}\nversion: 1\n"
    ).encode()


def quoted(data: bytes) -> str:
    return "'" + data.decode().replace("'", "''") + "'"


def binary(data: bytes) -> str:
    return "!!binary " + base64.b64encode(data).decode()


def ruby(tag: str) -> bytes:
    packed = base64.b64encode(gzip.compress(GOT)).decode()
    answer = f"string: !{tag}binary {packed}" if tag != "64" else f"base64_string: {packed}"
    return (
        f"---\nhttp_interactions:\n- request:\n    method: post\n    uri: {URL}\n    body:\n"
        f"      encoding: UTF-8\n      string: {quoted(SENT)}\n    headers: {{}}\n"
        f"  response:\n    status:\n      code: 200\n    headers: {{}}\n    body:\n"
        f"      encoding: ASCII-8BIT\n      {answer}\n"
        "  recorded_at: Mon, 01 Jan 2026 00:00:00 GMT\nrecorded_with: VCR 6.3.1\n"
    ).encode()


def langchain() -> bytes:
    text = (
        f"requests:\n- body: {binary(SENT)}\n  headers: {{}}\n  method: POST\n"
        f"  uri: '**REDACTED**'\nresponses:\n- body:\n    string: {binary(gzip.compress(GOT))}\n"
        "  headers: {}\n  status: {code: 200, message: OK}\n"
    )
    return gzip.compress(text.encode())


def har(text: str = "", **content: object) -> bytes:
    text = text or base64.b64encode(GOT).decode()
    entry = {
        "startedDateTime": "2026-01-01T00:00:00Z",
        "request": {
            "method": "POST",
            "url": URL,
            "headers": [{"name": "x-api-key", "value": "secret"}],
            "postData": {"mimeType": "application/json", "text": SENT.decode()},
        },
        "response": {
            "status": 200,
            "headers": [],
            "content": {"text": text, **(content or {"encoding": "base64"})},
        },
    }
    return b"\xef\xbb\xbf" + json.dumps({"log": {"version": "1.2", "entries": [entry]}}).encode()


def pair(**response: object) -> dict[str, object]:
    return {
        "request": {"method": "POST", "url": URL, "headers": {}, "body": REQUEST},
        "response": {"status_code": 200, "headers": {}, **response},
    }


def notebook() -> bytes:
    output = {"output_type": "stream", "text": [json.dumps(RESPONSE, indent=1)]}
    cell = {"cell_type": "code", "source": [], "outputs": [output]}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}).encode()


STREAM = sse(RESPONSE)
OLD_PYTHON = (
    "!!python/object/new:_io.BytesIO\n        state: !!python/tuple\n        - "
    f"{binary(GOT)}\n        - 0\n        - null"
)
HTTPX = (
    f"interactions:\n- request:\n    body: {quoted(SENT)}\n    headers: {{}}\n    method: POST\n"
    f"    uri: {URL}\n  response:\n    content: {quoted(GOT)}\n    headers: {{}}\n"
    "    http_version: HTTP/1.1\n    status_code: 200\nversion: 1\n"
).encode()
PARSED = (
    "interactions:\n- request:\n    headers: {}\n    method: POST\n    parsed_body:\n"
    "      max_tokens: 9\n      messages:\n      - content: Héllo\n        role: user\n"
    f"      model: m\n    uri: {URL}\n  response:\n    headers: {{}}\n    parsed_body: "
    + json.dumps(RESPONSE, ensure_ascii=False)
    + "\n    status: {code: 200, message: OK}\nversion: 1\n"
).encode()
REQ_LLM = {
    "provider": "anthropic",
    "request": {
        "method": "POST",
        "url": URL,
        "headers": {},
        "body": {"b64": base64.b64encode(SENT).decode(), "canonical_json": {}},
    },
    "response": {"status": 200, "headers": {}, "body": None},
    "chunks": [{"b64": base64.b64encode(piece).decode()} for piece in (STREAM[:100], STREAM[100:])],
}
CLAUDE_TAP = {
    "timestamp": "t",
    "request_id": "r",
    "turn": 1,
    "request": {"method": "POST", "path": "/v1/messages", "headers": {}, "body": REQUEST},
    "response": {"status": 200, "headers": {}, "body": RESPONSE},
    "upstream_base_url": "https://api.anthropic.com",
}
HELICONE = {
    "request_id": "1",
    "target_url": URL,
    "request_body": REQUEST,
    "response_body": RESPONSE,
    "response_status": 200,
}

CONTAINERS = {
    "vcr-text.yaml": vcr(quoted(SENT), quoted(GOT)),
    "vcr-binary.yaml": vcr(binary(SENT), binary(gzip.compress(GOT))),
    "vcr-stream.yaml": vcr(quoted(SENT), binary(STREAM)),
    "vcr-python.yaml": vcr(quoted(SENT), OLD_PYTHON),
    "vcr-unicode.yaml": vcr("!!python/unicode " + quoted(SENT), quoted(GOT)),
    "vcr-httpx.yaml": HTTPX,
    "vcr-parsed.yaml": PARSED,
    "vcr.json": json.dumps(
        {
            "version": 1,
            "interactions": [
                {
                    "request": {"method": "POST", "uri": URL, "headers": {}, "body": SENT.decode()},
                    "response": {
                        "status": {"code": 200, "message": "OK"},
                        "headers": {},
                        "body": {"string": GOT.decode()},
                    },
                }
            ],
        }
    ).encode(),
    "ruby-one.yml": ruby(""),
    "ruby-two.yml": ruby("!"),
    "ruby-base64.yml": ruby("64"),
    "langchain.yaml.gz": langchain(),
    "one.har": har(),
    "pieces.har": har(
        json.dumps([base64.b64encode(part).decode() for part in (GOT[:9], GOT[9:])]),
        encoding="base64",
    ),
    "hex.har": har(json.dumps([gzip.compress(GOT).hex()]), _isBinary=True),
    "flows.mitm": flow(),
    "old.mitm": old_flow(),
    "trace.jsonl": json.dumps({**pair(body_raw=STREAM.decode()), "logged_at": "t"}).encode(),
    "tap.jsonl": json.dumps(CLAUDE_TAP).encode() + b"\n",
    "pair.json": json.dumps(pair(body=RESPONSE)).encode(),
    "bare.json": json.dumps({"request": REQUEST, "response": RESPONSE}).encode(),
    "list.json": json.dumps([pair(body=RESPONSE)]).encode(),
    "req_llm.json": json.dumps(REQ_LLM).encode(),
    "helicone.jsonl": json.dumps(HELICONE).encode() + b"\n",
}
ALONE = {
    "response.json": GOT,
    "stream.sse": STREAM,
    "notebook.ipynb": notebook(),
}


def opened(tmp_path: Path, name: str, data: bytes) -> list[Run | Problem]:
    path = tmp_path / name
    path.write_bytes(data)
    return list(open_paths([str(path)]))


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_container_gives_the_request_and_the_answer(tmp_path: Path, name: str) -> None:
    (run,) = opened(tmp_path, name, CONTAINERS[name])
    assert isinstance(run, Run)
    assert [part.text for message in run.messages for part in message.parts] == [
        "Héllo",
        "Góod day",
    ]
    (call,) = run.calls
    assert call.origin == f"{name}#0"
    assert (call.grade, call.finish_reason) == (Grade.RECORDED, "end_turn")
    assert run.answers[0].text == "Góod day"


@pytest.mark.parametrize("name", ALONE)
def test_a_response_alone_gives_the_answer_and_proves_no_request(tmp_path: Path, name: str) -> None:
    (run,) = opened(tmp_path, name, ALONE[name])
    assert isinstance(run, Run)
    assert run.answers[0].text == "Góod day"
    assert run.calls[0].grade is Grade.UNKNOWN


@pytest.mark.parametrize("name", [*CONTAINERS, *ALONE])
def test_a_damaged_copy_of_a_container_is_a_problem_and_no_crash(tmp_path: Path, name: str) -> None:
    data = {**CONTAINERS, **ALONE}[name]
    for number, size in enumerate((len(data) // 3, len(data) // 2, len(data) * 2 // 3)):
        found = opened(tmp_path, f"{number}-{name}", data[:size])
        problems = [item for item in found if isinstance(item, Problem)]
        problems += [p for run in found if isinstance(run, Run) for p in run.problems]
        doubted = any(run.grade is Grade.UNKNOWN for run in found if isinstance(run, Run))
        assert problems or doubted
        assert not any("internal error" in problem.what for problem in problems)


@settings(max_examples=30)
@given(st.sampled_from([*CONTAINERS, *ALONE]), st.data())
def test_changed_bytes_never_end_the_program(name: str, data: st.DataObject) -> None:
    body = bytearray({**CONTAINERS, **ALONE}[name])
    for _ in range(data.draw(st.integers(1, 8))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    found = list(Capture(bytes(body), is_response).interactions())
    origins = [each.number for each in found]
    assert origins == sorted(set(origins))


def test_what_stands_before_the_damage_is_read(tmp_path: Path) -> None:
    whole = CONTAINERS["vcr-text.yaml"]
    entry = whole.partition(b"\n")[2].rpartition(b"version")[0]
    data = b"interactions:\n" + entry + entry[: len(entry) // 2]
    found = opened(tmp_path, "cut.yaml", data)
    (run,) = [item for item in found if isinstance(item, Run)]
    assert [call.origin for call in run.calls] == ["cut.yaml#0"]
    assert any("breaks off" in problem.what for problem in run.problems)
    flows = opened(tmp_path, "cut.mitm", flow() + flow()[:-40])
    (run,) = [item for item in flows if isinstance(item, Run)]
    assert any("cut off" in problem.what for problem in run.problems)


def test_no_code_that_a_cassette_names_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "run"
    for tag in ("object/apply:os.system", "object/new:os.system", "name:os.system", "module:os"):
        text = f"interactions:\n- !!python/{tag} ['touch {mark}']\n"
        read_yaml(text.encode())
    assert not mark.exists()


def test_a_bomb_of_aliases_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    found = read_yaml(("interactions: []\n" + "\n".join(lines)).encode() + b"\n")
    assert "aliases" in found.broken


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(YamlError, match=r"nest"):
        read_yaml(b"[" * 100_000)


def test_values_are_plain_and_an_alias_stands_for_what_it_names() -> None:
    text = b"a: &x [1, 2.5, true, ~, '1', text]\nb: *x\nc: !ruby/object:Thing {k: v}\n"
    same = [1, 2.5, True, None, "1", "text"]
    assert read_yaml(text).value == {"a": same, "b": same, "c": {"k": "v"}}


def test_a_body_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_capture_coding, "LIMIT", 1000)
    assert "more than 1000 bytes" in decoded({}, gzip.compress(b"\0" * 1001)).trouble
    assert decoded({}, gzip.compress(b"\0" * 1000)).body == b"\0" * 1000


def test_server_sent_events_are_read_in_every_dialect() -> None:
    body = b": comment\r\nevent: a\r\ndata: {\r\ndata: }\r\n\r\ndata:x\n\n\n\ndata: [DONE]"
    assert list(events_in(body)) == [("a", "{\n}"), ("", "x"), ("", "[DONE]")]


def test_text_that_a_recorder_took_for_latin_1_is_told_and_undone(tmp_path: Path) -> None:
    wrong = STREAM.decode("latin-1")
    entry = pair(body=wrong)
    (run,) = opened(tmp_path, "wrong.json", json.dumps(entry).encode())
    assert isinstance(run, Run)
    assert run.answers[0].text == "Góod day"
    assert any("Latin-1" in problem.what for problem in run.problems)


def test_a_body_that_a_recorder_emptied_is_not_what_was_read(tmp_path: Path) -> None:
    request = {**REQUEST, "messages": [{"role": "user", "content": "<MASSIVE_TEXT>"}]}
    response = {**RESPONSE, "usage": {"input_tokens": 900_000, "output_tokens": 3}}
    (run,) = opened(
        tmp_path, "s.json", json.dumps({"request": request, "response": response}).encode()
    )
    assert isinstance(run, Run)
    assert run.grade is Grade.UNKNOWN
    assert "<MASSIVE_TEXT>" in run.calls[0].grade_reason


def event(kind: str, payload: bytes) -> bytes:
    name = b":event-type"
    header = bytes([len(name)]) + name + b"\x07" + struct.pack(">H", len(kind)) + kind.encode()
    head = struct.pack(">II", 16 + len(header) + len(payload), len(header))
    head += struct.pack(">I", zlib.crc32(head))
    body = head + header + payload
    return body + struct.pack(">I", zlib.crc32(body))


def test_events_of_a_binary_stream_come_with_their_names() -> None:
    body = event("a", b"{}") + event("b", b'{"x":1}')
    assert list(stream_events(body)) == [("a", b"{}"), ("b", b'{"x":1}')]


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_binary_stream_that_is_cut_off_says_where(cut: int) -> None:
    body = event("a", b"{}") + event("b", b'{"x":1}')
    events = stream_events(body[:-cut])
    assert next(events) == ("a", b"{}")
    with pytest.raises(StreamError, match="at byte"):
        next(events)


def test_a_changed_byte_in_a_binary_stream_is_found() -> None:
    body = bytearray(event("a", b'{"x":1}'))
    body[-6] ^= 1
    with pytest.raises(StreamError, match="checksum"):
        list(stream_events(bytes(body)))


def test_native_events_inside_a_binary_stream_are_those_of_the_model(tmp_path: Path) -> None:
    pieces = [line[6:] for line in STREAM.split(b"\n") if line.startswith(b"data: ")]
    body = b"".join(
        event("chunk", json.dumps({"bytes": base64.b64encode(piece).decode()}).encode())
        for piece in pieces
    )
    request = {**REQUEST, "anthropic_version": "bedrock-2023-05-31"}
    text = vcr(quoted(json.dumps(request).encode()), binary(body)).replace(
        URL.encode(), b"https://bedrock-runtime.example/model/m/invoke-with-response-stream"
    )
    (run,) = opened(tmp_path, "invoke.yaml", text)
    assert isinstance(run, Run)
    assert run.answers[0].text == "Góod day"


def test_flows_are_numbered_and_their_codings_undone() -> None:
    found: list[Interaction] = list(flows_in(flow() + flow()))
    assert [each.number for each in found] == [0, 1]
    assert found[0].response.body == GOT
    assert found[0].url == URL


def test_what_was_said_over_a_socket_is_told_and_not_passed_over(tmp_path: Path) -> None:
    frames = [{"direction": "send", "frame_type": "text", "body": {"type": "text"}}]
    head = "version: 1\nws_interactions:\n- uri: wss://e.org/v1/realtime\n  headers: {}\n"
    cassette = f"{head}  frames: {json.dumps(frames)}\n".encode()
    entry = {"request": {"method": "GET", "url": "wss://e.org"}, "response": {"status": 101}}
    told = {**entry, "_webSocketMessages": [{"type": "send", "data": "{}"}]}
    log = json.dumps({"log": {"version": "1.2", "entries": [told]}}).encode()
    request = {"method": b"GET", "host": "e.org", "path": b"/", "headers": [], "content": b""}
    talk = {"messages": [[1, 1, b"{}", 0]]}
    response = {"status_code": 101, "headers": [], "content": b""}
    dump = tnet({"websocket": talk, "response": response, "request": request})
    for name, data in (("ws.yaml", cassette), ("ws.har", log), ("ws.mitm", dump)):
        (problem,) = opened(tmp_path, name, data)
        assert isinstance(problem, Problem)
        assert "WebSocket" in problem.what


def test_a_request_without_an_answer_is_a_call_that_says_so(tmp_path: Path) -> None:
    data = json.dumps({"request": pair()["request"], "response": None}).encode()
    (run,) = opened(tmp_path, "open.json", data)
    assert isinstance(run, Run)
    assert not run.answers
    assert any("no response" in problem.what for problem in run.problems)
