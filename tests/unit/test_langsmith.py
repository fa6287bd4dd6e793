"""LangSmith runs: out of every container, each call with its own request, nothing more claimed."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from backports import zstd

from store.importers._base import Probe, UnreadableError
from store.importers._probing import file_probe
from store.importers.langsmith import IMPORTER
from store.records.grades import Grade, Layer
from store.records.runs import EditKind, ProblemKind, Run

TRACE = "00000000-0000-7000-8000-000000000001"


def order(*numbers: int) -> str:
    return ".".join(f"20310101T0000{number:02d}000000Z{name(number)}" for number in numbers)


def name(number: int) -> str:
    return f"00000000-0000-7000-8000-{number:012d}"


def run(kind: str, *path: int, **more: object) -> dict[str, object]:
    """Return a run whose place is *path*: the numbers of the runs around it and its own."""
    return {
        "id": name(path[-1]),
        "name": kind,
        "run_type": kind,
        "trace_id": name(path[0]),
        "dotted_order": order(*path),
        "parent_run_id": name(path[-2]) if len(path) > 1 else None,
        "start_time": f"2031-01-01T00:00:{path[-1]:02d}+00:00",
        **more,
    }


def lc(kind: str, content: object, **more: object) -> dict[str, object]:
    fields = {"content": content, **more}
    path = ["langchain", "schema", "messages", kind]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": fields}


def llm(
    *path: int, messages: Sequence[object], answer: object, **more: object
) -> dict[str, object]:
    generations = [[{"text": "", "type": "ChatGeneration", "message": answer}]]
    extra = {"metadata": {"thread_id": "t"}, "invocation_params": {"model": "m-1"}}
    given: dict[str, object] = {
        "inputs": {"messages": [list(messages)]},
        "outputs": {"generations": generations, "llm_output": {}},
        "extra": extra,
    }
    return run("llm", *path, **(given | more))


def conversation() -> list[dict[str, object]]:
    calls = [{"name": "look", "args": {"a": 1}, "id": "c1", "type": "tool_call"}]
    first = lc("AIMessage", "", tool_calls=calls, id="lc_run--x-0")
    result = {"content": "饺子 28", "type": "tool", "tool_call_id": "c1", "name": "look", "id": "r"}
    second = lc("AIMessage", "It is 28.", usage_metadata={"input_tokens": 9, "output_tokens": 3})
    asked = [lc("SystemMessage", "Be brief."), lc("HumanMessage", "How much?")]
    shown = lc("ToolMessage", "饺子 28", tool_call_id="c1")
    return [
        run("chain", 1, inputs={}, outputs={}),
        llm(1, 2, messages=asked, answer=first),
        run("tool", 1, 3, inputs={"a": 1}, outputs={"output": result}),
        llm(1, 4, messages=[*asked, first, shown], answer=second),
    ]


def probe_of(path: Path) -> Probe:
    return file_probe(path, path.name)


def read(folder: Path, data: object) -> list[Run]:
    path = folder / "runs"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    probe = probe_of(path)
    assert IMPORTER.recognise(probe)
    return [each for each in IMPORTER.read(probe) if isinstance(each, Run)]


def requests(found: Run) -> list[list[str]]:
    texts = ["".join(part.text for part in message.parts) for message in found.messages]
    return [[texts[index] for index in request] for request in found.requests()]


def multipart(runs: list[dict[str, object]], border: str = "border") -> bytes:
    body = b""
    for each in runs:
        inner = {key: each[key] for key in ("inputs", "outputs", "extra") if key in each}
        whole = {key: value for key, value in each.items() if key not in inner}
        for suffix, value in (("", whole), *((f".{key}", value) for key, value in inner.items())):
            head = f'Content-Disposition: form-data; name="post.{each["id"]}{suffix}"'
            body += f"--{border}\r\n{head}\r\nContent-Type: application/json\r\n\r\n".encode()
            body += json.dumps(value, ensure_ascii=False).encode() + b"\r\n"
    return body + f"--{border}--\r\n".encode()


def containers() -> dict[str, object]:
    runs = conversation()
    lines = b"\n".join(json.dumps(each).encode() for each in runs)
    nested: dict[str, Any] = {**runs[0], "child_runs": runs[1:]}
    post = [{k: v for k, v in each.items() if k != "outputs"} for each in runs]
    patch = [
        {"outputs": each["outputs"], "trace_id": each["trace_id"]}
        | {"dotted_order": each["dotted_order"]}
        for each in runs
    ]
    parts = multipart(runs)
    kept = {
        "version": 1,
        "endpoint": "runs/multipart",
        "headers": {"Content-Type": "multipart/form-data; boundary=border"},
        "body_base64": base64.b64encode(parts).decode(),
    }
    packed = {
        **kept,
        "headers": {"content-encoding": "zstd"},
        "body_base64": base64.b64encode(zstd.compress(parts)).decode(),
    }
    batch = {
        **kept,
        "endpoint": "runs/batch",
        "body_base64": base64.b64encode(json.dumps({"post": runs, "patch": []}).encode()).decode(),
    }
    return {
        "list": runs,
        "reversed": runs[::-1],
        "lines": lines,
        "runs": {"runs": runs, "cursors": {}},
        "nested": nested,
        "batch": {"post": post, "patch": patch},
        "multipart": parts,
        "zstd": zstd.compress(parts),
        "failed": kept,
        "failed zstd": packed,
        "failed batch": batch,
    }


@pytest.mark.parametrize("kind", containers())
def test_every_container_gives_the_same_run(tmp_path: Path, kind: str) -> None:
    (found,) = read(tmp_path, containers()[kind])
    assert requests(found) == [
        ["Be brief.", "How much?"],
        ["Be brief.", "How much?", '{"a": 1}', "饺子 28"],
    ]
    assert [call.grade for call in found.calls] == [Grade.RECORDED] * 2
    assert (found.layer, found.run_id) == (Layer.CLIENT, "t")
    assert [call.model for call in found.calls] == ["m-1", "m-1"]
    assert found.calls[1].usage.input_tokens == 9
    assert [(call.id, call.by_call) for call in found.tool_calls] == [("c1", 1)]
    assert [result.text for result in found.tool_results] == ["饺子 28"]
    assert [(answer.call, answer.text) for answer in found.answers] == [(2, "It is 28.")]
    assert found.problems == ()


def test_what_each_middleware_changed_is_told_for_each_call(tmp_path: Path) -> None:
    calls = [{"name": "look", "args": {}, "id": "c1", "type": "tool_call"}]
    human, asks = lc("HumanMessage", "Hi"), lc("AIMessage", "", tool_calls=calls)
    whole = lc("ToolMessage", "long text " * 40, tool_call_id="c1")
    cut = lc("ToolMessage", "long text " * 4, tool_call_id="c1")
    mark = {"context_editing": {"cleared": True}}
    gone = lc("ToolMessage", "[cleared]", tool_call_id="c1", response_metadata=mark)

    def wrap(who: str, number: int, messages: list[object]) -> dict[str, object]:
        path = (1, 2, 3)[:number]
        inputs = {"request": {"messages": messages, "system_message": None}}
        return run("chain", *path, inputs=inputs) | {"name": f"{who}.wrap_model_call"}

    runs = [
        run("chain", 1, inputs={}),
        wrap("Shorten", 2, [human, asks, whole]),
        wrap("Clear", 3, [human, asks, cut]),
        llm(1, 2, 3, 4, messages=[human, asks, gone], answer=lc("AIMessage", "ok")),
    ]
    (found,) = read(tmp_path, runs)
    assert [(e.by, e.kind, e.before_call, e.tool_call_ids, e.grade) for e in found.edits] == [
        ("Shorten", EditKind.TRUNCATE, 1, ("c1",), Grade.RECORDED),
        ("Clear", EditKind.CLEAR, 1, ("c1",), Grade.RECORDED),
    ]
    assert found.edits[0].reason == "between state and request: c1: 400 to 40 characters"


def test_a_summary_call_is_kept_and_is_no_call_of_the_agent(tmp_path: Path) -> None:
    metadata = {"metadata": {"thread_id": "t", "lc_source": "summarization"}}
    summary = llm(
        1, 9, messages=[lc("HumanMessage", "Sum up")], answer=lc("AIMessage", "S"), extra=metadata
    )
    (found,) = read(tmp_path, [*conversation(), summary])
    assert len(found.calls) == 2
    assert [event.name for event in found.other_events] == ["summarization"]
    assert [(p.kind, p.what[:13]) for p in found.problems] == [(ProblemKind.NOTED, "1 model calls")]


def test_an_agent_within_a_tool_is_a_run_of_its_own(tmp_path: Path) -> None:
    inner = llm(1, 3, 7, messages=[lc("HumanMessage", "Sub task")], answer=lc("AIMessage", "Found"))
    thread, sub = read(tmp_path, [*conversation(), inner])
    assert (thread.run_id, len(thread.calls)) == ("t", 2)
    assert (sub.parent_run, requests(sub)) == ("t", [["Sub task"]])


def test_a_sub_graph_is_known_by_its_namespace(tmp_path: Path) -> None:
    def placed(place: str) -> dict[str, object]:
        return {"metadata": {"thread_id": "t", "langgraph_checkpoint_ns": place}}

    runs = [
        llm(1, 2, messages=[lc("HumanMessage", "a")], answer=lc("AIMessage", "x"),
            extra=placed("model:1")),
        llm(1, 3, messages=[lc("HumanMessage", "b")], answer=lc("AIMessage", "y"),
            extra=placed("tools:2|model:3")),
    ]  # fmt: skip
    thread, sub = read(tmp_path, runs)
    assert (thread.run_id, sub.run_id, sub.parent_run) == ("t", "t/tools:2", "t")


def test_traces_of_one_thread_are_one_run_and_others_are_others(tmp_path: Path) -> None:
    runs = [
        llm(1, messages=[lc("HumanMessage", "a")], answer=lc("AIMessage", "x")),
        llm(5, messages=[lc("HumanMessage", "b")], answer=lc("AIMessage", "y")),
        llm(7, messages=[lc("HumanMessage", "c")], answer=lc("AIMessage", "z"), extra={}),
    ]
    lone, thread = read(tmp_path, runs)
    assert (thread.run_id, requests(thread)) == ("t", [["a"], ["b"]])
    assert (lone.run_id, requests(lone)) == (name(7), [["c"]])


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"inputs": {}}, "hidden"),
        ({"inputs": None, "inputs_s3_urls": {"ROOT": {}}}, "stored elsewhere (inputs_s3_urls)"),
        ({"inputs": {"messages": [[{"strange": 1}]]}}, "form that is not known"),
        ({"inputs": {"messages": [[lc("HumanMessage", "a"), {"x": 1}]]}}, "left out"),
    ],
)
def test_a_request_that_is_not_in_the_file_is_not_known(
    tmp_path: Path, more: dict[str, object], reason: str
) -> None:
    (found,) = read(tmp_path, [llm(1, 2, messages=[], answer=lc("AIMessage", "x"), **more)])
    assert found.calls[0].grade is Grade.UNKNOWN
    assert reason in found.calls[0].grade_reason


def test_messages_that_were_written_as_one_text_are_no_request(tmp_path: Path) -> None:
    inputs = {"prompts": ["System: Be brief.\nHuman: Hi"]}
    (found,) = read(tmp_path, [llm(1, 2, messages=[], answer=lc("AIMessage", "x"), inputs=inputs)])
    assert found.calls[0].grade is Grade.INFERRED
    inputs = {"prompts": ["Once upon a time"]}
    (found,) = read(tmp_path, [llm(1, 2, messages=[], answer=lc("AIMessage", "x"), inputs=inputs)])
    assert found.calls[0].grade is Grade.RECORDED


@pytest.mark.parametrize(
    ("inputs", "outputs", "texts", "answer"),
    [
        (
            {"model": "gpt", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0},
            {"choices": [{"message": {"role": "assistant", "content": "Yes"}}], "model": "gpt-1"},
            ["Hi"],
            "Yes",
        ),
        (
            {
                "system": "Be brief.",
                "messages": [
                    {"role": "user", "content": "Hi"},
                    {
                        "role": "assistant",
                        "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}],
                    },
                    {
                        "role": "user",
                        "content": [
                            {"type": "tool_result", "tool_use_id": "c1", "content": "28"},
                            {"type": "text", "text": "Go on"},
                        ],
                    },
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "Yes"}]},
            ["Be brief.", "Hi", "{}", "28", "Go on"],
            "Yes",
        ),
        (
            {
                "instructions": "Be brief.",
                "input": [
                    {"type": "message", "role": "user", "content": "Hi"},
                    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
                    {"type": "function_call_output", "call_id": "c1", "output": "28"},
                ],
            },
            {
                "output": [
                    {
                        "type": "message",
                        "role": "assistant",
                        "content": [{"type": "output_text", "text": "Yes"}],
                    }
                ]
            },
            ["Be brief.", "Hi", "{}", "28"],
            "Yes",
        ),
    ],
)
def test_a_traced_client_records_what_it_sent(
    tmp_path: Path,
    inputs: dict[str, object],
    outputs: dict[str, object],
    texts: list[str],
    answer: str,
) -> None:
    (found,) = read(tmp_path, [run("llm", 1, inputs=inputs, outputs=outputs)])
    assert requests(found) == [texts]
    assert found.calls[0].grade is Grade.RECORDED
    assert [each.text for each in found.answers] == [answer]
    if len(texts) > 1:
        assert [(each.tool_call_id, each.text) for each in found.tool_results] == [("c1", "28")]


def test_the_result_is_what_the_tool_returned_not_what_was_made_of_it(tmp_path: Path) -> None:
    runs = conversation()
    output = {"content": "x" * 90_000, "type": "tool", "tool_call_id": "c1", "id": "r"}
    runs[2]["outputs"] = {"output": output}
    (found,) = read(tmp_path, runs)
    assert [result.text for result in found.tool_results] == ["x" * 90_000]
    assert [edit.kind for edit in found.edits] == [EditKind.FOLD]


def test_documents_of_a_retriever_are_obtained(tmp_path: Path) -> None:
    document = {
        "page_content": "Clause 3: 10 days.",
        "metadata": {"source": "policy.md", "start_index": 40},
        "type": "Document",
    }
    retriever = run("retriever", 1, 3, 5, inputs={"query": "q"}, outputs={"documents": [document]})
    (found,) = read(tmp_path, [*conversation(), retriever])
    (version,) = found.versions
    assert version.key.source_id == "policy.md"
    assert [(excerpt.start, excerpt.text) for excerpt in version.excerpts] == [
        (40, "Clause 3: 10 days.")
    ]


def test_keys_in_settings_are_masked(tmp_path: Path) -> None:
    runs = conversation()
    params = {"model": "m-1", "api_key": "sk-abcdefghijklmnopqrstuvwxyz"}
    runs[1]["extra"] = {"metadata": {"thread_id": "t"}, "invocation_params": params}
    (found,) = read(tmp_path, runs)
    assert "sk-abc" not in repr(found.calls[0].settings)
    assert "masked" in found.problems[0].what


def events(*, handler: bool) -> list[dict[str, object]]:
    """Return what callbacks tell of a conversation, as events or as a handler's own lines."""
    made: list[dict[str, object]] = []
    for each in conversation()[1:]:
        kind = {"llm": "chat_model", "tool": "tool"}[str(each["run_type"])]
        given: Any = each["inputs"]
        got: Any = each["outputs"]
        output = got["generations"][0][0]["message"] if kind == "chat_model" else got["output"]
        about = {"run_id": each["id"], "name": each["name"]}
        if handler:
            start = {"event": f"on_{kind}_start", **about, **given}
            start["kwargs"] = {"parent_run_id": f"UUID('{name(1)}')"}
            end = {"event": f"on_{kind}_end", **about, "output": output, "response": None}
            made += [start, end]
            continue
        about |= {"metadata": {"thread_id": "t"}, "parent_ids": [name(1)]}
        made.append({"event": f"on_{kind}_start", **about, "data": {"input": given}})
        made.append({"event": f"on_{kind}_stream", **about, "data": {"chunk": {}}})
        made.append({"event": f"on_{kind}_end", **about, "data": {"output": output}})
    return made


@pytest.mark.parametrize("handler", [False, True])
def test_events_of_callbacks_are_read_as_runs(tmp_path: Path, *, handler: bool) -> None:
    (found,) = read(tmp_path, b"\n".join(json.dumps(e).encode() for e in events(handler=handler)))
    assert requests(found)[1] == ["Be brief.", "How much?", '{"a": 1}', "饺子 28"]
    assert {call.grade for call in found.calls} == {Grade.RECORDED}
    assert [result.text for result in found.tool_results] == ["饺子 28"]
    assert [answer.text for answer in found.answers] == ["It is 28."]


def test_what_a_handler_wrote_of_tools_is_of_the_thread_that_asked_for_it(tmp_path: Path) -> None:
    runs = [each for each in conversation() if each["run_type"] != "tool"]
    output = lc("ToolMessage", "饺子 28, whole", tool_call_id="c1", name="look")
    about: dict[str, object] = {"run_id": name(40), "name": "look"}
    document = {"page_content": "Clause 3.", "metadata": {"source": "policy.md"}}
    inner: dict[str, object] = {
        "run_id": name(41),
        "kwargs": {"parent_run_id": f"UUID('{name(40)}')"},
    }
    lines = [
        {"event": "on_tool_start", **about, "inputs": {}, "kwargs": {"tool_call_id": "'c1'"}},
        {"event": "on_retriever_end", **inner, "documents": [document]},
        {"event": "on_tool_end", **about, "output": output},
    ]
    (found,) = read(tmp_path, [*runs, *lines])
    assert [result.text for result in found.tool_results] == ["饺子 28, whole"]
    assert [version.key.source_id for version in found.versions] == ["policy.md"]
    lone = [{**line, "run_id": name(50)} for line in lines[:1]]
    (found,) = read(tmp_path, [*runs, *lone, {**lines[2], "output": lc("ToolMessage", "?",
        tool_call_id="c9"), "run_id": name(50)}])  # fmt: skip
    assert "belong to no model call" in found.problems[0].what


# -- damage ------------------------------------------------------------------------


def test_a_list_that_breaks_off_gives_the_runs_before_that_place(tmp_path: Path) -> None:
    data = json.dumps(conversation()).encode()
    (found,) = read(tmp_path, data[: data.rindex(b'"dotted_order"')])
    assert len(found.calls) == 1
    assert "3 runs before that place were read" in found.problems[0].what


def test_a_line_that_is_none_does_not_stop_the_others(tmp_path: Path) -> None:
    lines = [json.dumps(each).encode() for each in conversation()]
    (found,) = read(tmp_path, b"\n".join([lines[0], lines[1], b'{"cut', *lines[2:]]))
    assert len(found.calls) == 2
    assert [problem.where for problem in found.problems] == ["runs:3"]


def test_a_body_that_breaks_off_says_so(tmp_path: Path) -> None:
    data = multipart(conversation())
    (found,) = read(tmp_path, data[: len(data) // 2])
    assert any("ends before its last part" in problem.what for problem in found.problems)


@pytest.mark.parametrize(
    "body",
    [
        b"--border\r\n",
        zstd.compress(b"--b\r\n" + b'name="post.00000000-1111"' + b"x" * 100),
        b'{"version":1,"endpoint":"runs/multipart","headers":{},"body_base64":"%%%"}',
        b'{"version":1,"endpoint":"runs/multipart","headers":7,"body_base64":"AAAA"}',
        b'[{"run_type":"llm","id":"x","trace_id":"t","dotted_order":"o","inputs":' + b"[" * 90_000,
        b'{"post":[{"run_type":"chain","id":"x","trace_id":"t","dotted_order":"o"}]}',
        b"PAR1" + b"\0" * 100 + b"dotted_order run_type" + b"\xff\xff\xff\x7fPAR1",
    ],
)
def test_what_holds_no_call_ends_in_one_line(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "runs"
    path.write_bytes(body)
    with pytest.raises(UnreadableError, match="holds no run of a model"):
        list(IMPORTER.read(probe_of(path)))


def test_runs_nested_without_end_are_left(tmp_path: Path) -> None:
    nested: dict[str, Any] = conversation()[1]
    for number in range(10, 80):
        nested = {**run("chain", number), "child_runs": [nested]}
    path = tmp_path / "runs"
    path.write_bytes(json.dumps([conversation()[3], nested]).encode())
    (found,) = [each for each in IMPORTER.read(probe_of(path)) if isinstance(each, Run)]
    assert any("nested too deeply" in problem.what for problem in found.problems)


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [{"role": "user", "content": "x"}]},
        [{"run_type": "llm", "name": "x"}],
        {"post": "x"},
        {"endpoint": "https://x/runs", "body": "x"},
        [{"type": "human", "data": {"content": "x"}}],
    ],
)
def test_other_formats_are_left_to_others(tmp_path: Path, value: object) -> None:
    path = tmp_path / "other"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert not IMPORTER.recognise(probe_of(path))
