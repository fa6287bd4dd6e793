"""What gateways log, bundles, cassettes of other recorders, and responses that stand alone."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import Problem, ProblemKind, Run

Json = Mapping[str, object]
ASKED: Json = {"model": "m", "messages": [{"role": "user", "content": "Héllo"}]}
CHAT: Json = {
    "id": "c1",
    "object": "chat.completion",
    "model": "m",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Góod"}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 9},
}
URL = "https://api.openai.com/v1/chat/completions"
LITELLM: Json = {
    "id": "1",
    "call_type": "acompletion",
    "status": "success",
    "custom_llm_provider": "openai",
    "model": "m",
    "messages": ASKED["messages"],
    "model_parameters": {"temperature": 0},
    "hidden_params": {},
    "startTime": "2026-01-01T00:00:00Z",
    "response": CHAT,
}
SPEND: Json = {
    "request_id": "1",
    "call_type": "acompletion",
    "spend": 0.1,
    "messages": "{}",
    "response": json.dumps(CHAT),
    "proxy_server_request": json.dumps(ASKED),
}
PORTKEY: Json = {
    "providerOptions": {"provider": "openai", "requestURL": URL, "rubeusURL": "chatComplete"},
    "transformedRequest": {"body": ASKED, "headers": {"authorization": "Bearer sk-none"}},
    "requestParams": {},
    "finalUntransformedRequest": {"body": {"messages": [{"role": "user", "content": "Other"}]}},
    "originalResponse": {"body": CHAT},
    "response": {},
}
PORTKEY_LOG: Json = {
    "request": {"url": URL, "method": "POST", "headers": {}, "body": ASKED},
    "response": {"body": CHAT, "status": 200, "headers": {}, "response_time": 3},
    "metadata": {"trace_id": "t", "span_id": "s"},
}
HELICONE: Json = {
    "request_id": "1",
    "helicone_user": None,
    "request_path": URL,
    "request_body": json.dumps(ASKED),
    "response_body": json.dumps(CHAT),
    "response_status": 200,
}
LONG = "x" * 600


def opened(tmp_path: Path, name: str, data: object) -> list[Run | Problem]:
    path = tmp_path / name
    text = data if isinstance(data, str) else json.dumps(data)
    path.write_text(text, encoding="utf-8")
    return list(open_paths([str(path)]))


def texts(run: Run) -> list[str]:
    return [part.text for message in run.messages for part in message.parts]


@pytest.mark.parametrize(
    ("value", "grade"),
    [
        (LITELLM, Grade.INFERRED),
        ({"standard_logging_object": LITELLM}, Grade.INFERRED),
        (SPEND, Grade.INFERRED),
        (PORTKEY, Grade.RECORDED),
        (PORTKEY_LOG, Grade.RECORDED),
        (HELICONE, Grade.RECORDED),
        ({**HELICONE, "ai_gateway_body_mapping": {"a": 1}}, Grade.INFERRED),
    ],
)
@pytest.mark.parametrize("wrap", ["alone", "list", "data", "lines"])
def test_what_a_gateway_logs_is_the_exchange_as_far_as_it_proves_it(
    tmp_path: Path, value: Json, grade: Grade, wrap: str
) -> None:
    data: object = {"alone": value, "list": [value], "data": {"data": [value], "total": 1}}.get(
        wrap, json.dumps(value) + "\n"
    )
    (run,) = opened(tmp_path, "log.json", data)
    assert isinstance(run, Run)
    assert texts(run) == ["Héllo", "Góod"]
    assert run.calls[0].grade is grade
    assert run.answers[0].text == "Góod"


def test_a_log_without_a_response_is_a_call_that_says_so(tmp_path: Path) -> None:
    failed = {**LITELLM, "response": None, "status": "failure", "error_str": "no such model"}
    (run,) = opened(tmp_path, "log.json", failed)
    assert isinstance(run, Run)
    assert (run.calls[0].error, run.answers) == ("no such model", ())
    (run,) = opened(tmp_path, "open.json", {**LITELLM, "response": {}})
    assert isinstance(run, Run)
    assert any("no response" in problem.what for problem in run.problems)


def test_a_log_of_another_interface_is_read_as_that_interface(tmp_path: Path) -> None:
    said = {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "output": [
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Góod", "annotations": []}],
            }
        ],
    }
    logged = {**LITELLM, "call_type": "aresponses", "messages": "Héllo", "response": said}
    (run,) = opened(tmp_path, "log.json", logged)
    assert isinstance(run, Run)
    assert texts(run) == ["Héllo", "Góod"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"request_id": "1", "request_path": "/v1", "signed_body_url": "https://e"}, "bodies"),
        ({"RequestBody": {"type": "encrypted", "data": "QQ=="}, "Model": "m"}, "encrypted"),
        ({"provider": "openai", "tokens_in": 1, "tokens_out": 2, "cached": False}, "bodies"),
    ],
)
def test_a_log_whose_bodies_are_elsewhere_is_told_and_no_run(
    tmp_path: Path, value: Json, said: str
) -> None:
    (problem,) = opened(tmp_path, "log.jsonl", json.dumps(value) + "\n")
    assert isinstance(problem, Problem)
    assert said in problem.what


def test_parts_that_a_bundle_keeps_once_are_put_in_place(tmp_path: Path) -> None:
    message = {"role": "user", "content": LONG}
    reference = {"__claude_tap_blob_ref__": {"version": 1, "kind": "json", "hash": "sha256:1"}}
    record = {
        "turn": 1,
        "request": {
            "method": "POST",
            "path": "/v1/chat/completions",
            "headers": {},
            "body": {"model": "m", "messages": [reference]},
        },
        "response": {"status": 200, "headers": {}, "body": CHAT},
        "upstream_base_url": "https://api.openai.com",
    }
    refs = [{"path": "/request/body/messages/0", "hash": "sha256:1", "bytes": 700}]
    bundle = {
        "__claude_tap_compact_trace__": {"version": 1},
        "records": [
            {"__claude_tap_compact_record__": {"version": 1, "refs": refs}, "record": record}
        ],
        "blobs": {"sha256:1": {"kind": "json", "payload": message}},
    }
    (run,) = opened(tmp_path, "trace.ctap.json", bundle)
    assert isinstance(run, Run)
    assert texts(run) == [LONG, "Góod"]
    (run,) = opened(tmp_path, "less.ctap.json", {**bundle, "blobs": {}})
    assert isinstance(run, Run)
    assert LONG not in texts(run)


def cassetter(kind: str, body: str) -> str:
    sent = json.dumps(ASKED, ensure_ascii=False)
    return (
        f"version: 1\ninteractions:\n- request:\n    method: POST\n    uri: {URL}\n"
        f"    headers: {{}}\n    body:\n      type: json\n      content: {sent}\n"
        f"  response:\n    status: 200\n    headers: {{}}\n    body:\n      type: {kind}\n"
        f"      content: {body}\n  recorded_at: 2026-01-01T00:00:00Z\n"
    )


STREAM = 'data: {"choices": [{"delta": {"content": "Góod"}, "finish_reason": "stop"}]}\n\n'


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("json", json.dumps(CHAT, ensure_ascii=False)),
        ("text", json.dumps(STREAM, ensure_ascii=False)),
        ("binary", json.dumps(CHAT, ensure_ascii=False).encode().hex()),
    ],
)
def test_a_cassette_whose_bodies_say_what_they_are_is_read(
    tmp_path: Path, kind: str, body: str
) -> None:
    (run,) = opened(tmp_path, "made.yaml", cassetter(kind, body))
    assert isinstance(run, Run)
    assert texts(run) == ["Héllo", "Góod"]
    assert run.calls[0].grade is Grade.RECORDED


def toml() -> str:
    sent, got = (json.dumps(each, ensure_ascii=False) for each in (ASKED, CHAT))
    return (
        f'version = 1\n\n[[interactions]]\n\n[interactions.request]\nmethod = "POST"\n'
        f'uri = "{URL}"\nbody_type = "json"\nbody_content = \'{sent}\'\n\n'
        f"[interactions.response]\nstatus = 200\nbody_type = \"json\"\nbody_content = '{got}'\n"
    )


def test_a_cassette_in_toml_is_read_and_a_damaged_one_says_so(tmp_path: Path) -> None:
    (run,) = opened(tmp_path, "made.toml", toml())
    assert isinstance(run, Run)
    assert texts(run) == ["Héllo", "Góod"]
    (problem,) = opened(tmp_path, "cut.toml", toml()[:-40])
    assert isinstance(problem, Problem)
    assert "is no TOML that can be read" in problem.what


def grpc(answer: object) -> str:
    asked = {"messages": [{"content": [{"text": "Héllo"}], "role": "ROLE_USER"}], "model": "grok"}
    return (
        "version: 1\ninteractions:\n- request_sample:\n"
        f"    json: {json.dumps(asked, ensure_ascii=False)}\n    raw: !!binary AAAA\n"
        f"  response_sample:\n    json: {json.dumps(answer, ensure_ascii=False)}\n"
        "    raw: !!binary AAAA\n"
    )


def test_calls_over_grpc_are_read_from_the_json_beside_their_bytes(tmp_path: Path) -> None:
    said = {"role": "ROLE_ASSISTANT", "content": "Góod"}
    outputs = [{"finish_reason": "REASON_STOP", "message": said}]
    (run,) = opened(tmp_path, "made.xai.yaml", grpc({"id": "1", "outputs": outputs}))
    assert isinstance(run, Run)
    assert texts(run) == ["Héllo", "Góod"]
    (run,) = opened(tmp_path, "raw.xai.yaml", grpc({}))
    assert isinstance(run, Run)
    assert any("protobuf alone" in problem.what for problem in run.problems)


@pytest.mark.parametrize(
    "text",
    [
        *(json.dumps(each) for each in (LITELLM, PORTKEY, PORTKEY_LOG, HELICONE, SPEND)),
        json.dumps({"data": [LITELLM, HELICONE]}),
        cassetter("json", json.dumps(CHAT)),
        toml(),
        grpc({"id": "1", "outputs": [{"message": {"content": "Góod"}}]}),
    ],
)
def test_a_damaged_copy_of_any_of_them_is_a_problem_and_no_crash(tmp_path: Path, text: str) -> None:
    for part in (3, 2):
        found = opened(tmp_path, f"{part}.json", text[: len(text) * (part - 1) // part])
        problems = [item for item in found if isinstance(item, Problem)]
        problems += [p for run in found if isinstance(run, Run) for p in run.problems]
        assert problems
        assert not any("internal error" in problem.what for problem in problems)


def test_responses_one_a_line_are_one_call_each_and_their_events_one_call(tmp_path: Path) -> None:
    other = {**CHAT, "id": "c2"}
    lines = "".join(json.dumps(each) + "\n" for each in (CHAT, other))
    found = opened(tmp_path, "lines.jsonl", lines)
    assert [run.calls[0].id for run in found if isinstance(run, Run)] == ["c1", "c2"]
    found = opened(tmp_path, "list.json", [CHAT, other])
    assert [run.calls[0].id for run in found if isinstance(run, Run)] == ["c1", "c2"]
    chunk = {"id": "c1", "object": "chat.completion.chunk"}
    pieces = [
        {**chunk, "choices": [{"delta": {"content": "Gó"}}]},
        {**chunk, "choices": [{"delta": {"content": "od"}, "finish_reason": "stop"}]},
        {**chunk, "id": "c2", "choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}]},
    ]
    found = opened(tmp_path, "chunks.txt", "".join(json.dumps(each) + "\n" for each in pieces))
    assert [run.answers[0].text for run in found if isinstance(run, Run)] == ["Góod", "x"]


def test_a_response_that_is_asked_for_again_is_one_call(tmp_path: Path) -> None:
    output = [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Góod", "annotations": []}],
        }
    ]
    base = {"id": "resp_1", "object": "response"}
    url = "https://api.openai.com/v1/responses"
    lines = [
        {
            "request": {
                "method": "POST",
                "url": url,
                "body": {"model": "m", "input": "Héllo", "background": True},
            },
            "response": {"status": 200, "body": {**base, "status": "queued", "output": []}},
        },
        {
            "request": {"method": "GET", "url": f"{url}/resp_1", "body": None},
            "response": {"status": 200, "body": {**base, "status": "completed", "output": output}},
        },
    ]
    (run,) = opened(tmp_path, "made.jsonl", "".join(json.dumps(each) + "\n" for each in lines))
    assert isinstance(run, Run)
    assert [(call.origin, call.finish_reason) for call in run.calls] == [
        ("made.jsonl#0", "completed")
    ]
    assert run.answers[0].text == "Góod"


@pytest.mark.parametrize(
    "shown", [json.dumps(CHAT), f"Answer:\n{json.dumps(CHAT, indent=1)}\nend", repr(dict(CHAT))]
)
def test_a_notebook_that_prints_a_response_holds_it(tmp_path: Path, shown: str) -> None:
    output = {"output_type": "stream", "text": [shown]}
    cells = [{"cell_type": "code", "source": [], "outputs": [output]}]
    (run,) = opened(tmp_path, "n.ipynb", {"cells": cells, "metadata": {}, "nbformat": 4})
    assert isinstance(run, Run)
    assert run.answers[0].text == "Góod"
    assert run.calls[0].grade is Grade.UNKNOWN


@pytest.mark.parametrize(
    "value",
    [
        {"request": {**ASKED, "messages": [{"content": "Héllo " + "x" * 90_000, "role": "user"}]}},
        {"request": {"url": URL, "method": "POST", "headers": {"a": "x" * 90_000}, "body": ASKED}},
        {**PORTKEY, "transformedRequest": {"headers": {"a": "x" * 90_000}, "body": ASKED}},
    ],
)
def test_a_request_longer_than_what_recognition_sees_is_known_by_its_beginning(
    tmp_path: Path, value: Json
) -> None:
    (run,) = opened(tmp_path, "long.json", {**value, "response": {"status": 200, "body": CHAT}})
    assert isinstance(run, Run)
    assert texts(run)[0].startswith("Héllo")


def test_half_of_a_pair_keeps_its_request(tmp_path: Path) -> None:
    text = json.dumps({"request": {"url": URL, "body": ASKED}, "response": {"body": CHAT}})
    (run,) = opened(tmp_path, "half.json", text[: len(text) - 60])
    assert isinstance(run, Run)
    assert texts(run) == ["Héllo"]
    assert any(problem.kind is ProblemKind.LOST for problem in run.problems)
