"""Exports of products: the same run from each of them, and what each loses in silence."""

import hashlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from store.importers import importers
from store.importers._base import UnreadableError
from store.importers._probing import file_probe
from store.records.grades import Grade
from store.records.runs import Run
from tests.unit.span_products import (
    ASKED,
    BODY,
    CALL,
    PRODUCTS,
    SECOND,
    TOLD,
    T,
    mlflow_spans,
    observation,
    phoenix_spans,
)
from tests.unit.spans import importer_of, lost, one, read, said


@pytest.mark.parametrize(("name", "write"), PRODUCTS)
def test_each_product_gives_the_same_run(
    tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    path = tmp_path / "export.txt"
    write(path)
    run = one(path, name)
    assert run.run_id == "t1"
    assert [call.grade for call in run.calls] == [Grade.RECORDED, Grade.RECORDED]
    assert said(run, 2) == [
        ("user", "What is the limit?"),
        ("assistant", "look_up"),
        ("tool", BODY[:300]),
    ]
    assert [(call.id, call.by_call) for call in run.tool_calls] == [("c1", 1)]
    assert [(tool.tool_call_id, tool.text) for tool in run.tool_results] == [("c1", BODY)]
    assert "carries 300 of them: it was cut between the tool and the model" in lost(run)
    assert [answer.text for answer in run.answers] == ["It is 200."]
    assert run.calls[0].model == "m-1"
    assert run.calls[0].usage.input_tokens == 5


@pytest.mark.parametrize(("name", "write"), PRODUCTS)
def test_an_export_that_breaks_off_says_so_and_nothing_more_than_it_holds(
    tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    whole, path = tmp_path / "whole.txt", tmp_path / "half.txt"
    write(whole)
    data = whole.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    if importer_of(path) is None:
        assert data.startswith(b"PAR1")  # its columns are named at its end
        return
    told: list[str] = []
    try:
        runs: list[Run] = read(path, name)
    except UnreadableError as error:
        told.append(error.problem.what)
    else:
        told += [lost(run) for run in runs]
        assert all(len(run.calls) < 3 for run in runs)
    assert any(told)


@pytest.mark.parametrize("seed", range(8))
def test_recognition_answers_for_any_bytes(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "bytes"
    noise = b"".join(hashlib.sha256(bytes([seed, n])).digest() for n in range(200))
    starts = (b"", b"a,b\r", b'[{"trace_id":', b'"')
    path.write_bytes(starts[seed % 4] + noise)
    probe = file_probe(path, path.name)
    assert [each.name for each in importers() if each.recognise(probe)] == []


def test_the_database_of_a_phoenix_server_is_read_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "phoenix.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE traces (id INTEGER PRIMARY KEY, trace_id TEXT)")
        names = "trace_rowid, span_id, parent_id, name, span_kind, start_time, attributes"
        connection.execute(f"CREATE TABLE spans (id INTEGER PRIMARY KEY, {names})")
        connection.execute("INSERT INTO traces VALUES (7, 't1')")
        for each in phoenix_spans():
            context = each["context"]
            assert isinstance(context, dict)
            values = (7, context["span_id"], *(each[name] for name in names.split(", ")[2:6]))
            marks = ", ".join("?" * 7)
            connection.execute(
                f"INSERT INTO spans ({names}) VALUES ({marks})",  # noqa: S608 - names of ours
                (*values, json.dumps(each["attributes"])),
            )
    connection.close()
    before = path.read_bytes()
    run = one(path, "phoenix")
    assert (run.run_id, len(run.calls), len(run.tool_results)) == ("t1", 2, 1)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["phoenix.db"]


def test_a_data_frame_in_a_database_is_read(tmp_path: Path) -> None:
    path = tmp_path / "frame.db"
    columns = ("context.span_id", "context.trace_id", "span_kind", "attributes.llm.input_messages")
    with sqlite3.connect(path) as connection:
        named = ", ".join(f'"{column}"' for column in columns)
        connection.execute(f"CREATE TABLE frame ({named})")
        asked = json.dumps([{"message.role": "user", "message.content": "Hi"}])
        connection.execute("INSERT INTO frame VALUES (?, ?, ?, ?)", ("s1", "t1", "LLM", asked))
    connection.close()
    assert said(one(path, "phoenix")) == [("user", "Hi")]


# -- what they lose --------------------------------------------------------------------------


def test_langfuse_says_what_it_took_out_and_where_media_stand(tmp_path: Path) -> None:
    path = tmp_path / "o.json"
    media = "@@@langfuseMedia:type=image/png|id=a|source=base64_data_uri@@@"
    asked = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": media}}]}]
    path.write_text(
        json.dumps(
            [
                observation(1, "GENERATION", "<truncated due to size exceeding limit>", "x"),
                observation(2, "GENERATION", asked, "x", parentObservationId=None),
            ]
        )
    )
    run = one(path, "langfuse")
    assert [call.grade for call in run.calls] == [Grade.UNKNOWN, Grade.UNKNOWN]
    assert "a text was taken out as it was recorded" in lost(run)
    assert "content stands elsewhere: @@@langfuseMedia:type=image/png" in lost(run)


def test_a_view_that_trims_contents_to_one_length_is_found(tmp_path: Path) -> None:
    path = tmp_path / "o.json"
    path.write_text(
        json.dumps(
            {
                "data": [
                    observation(1, "GENERATION", json.dumps(SECOND)[:200], "a" * 200),
                    observation(2, "GENERATION", "b" * 200, "c", parentObservationId=None),
                ]
            }
        )
    )
    run = one(path, "langfuse")
    assert [call.grade for call in run.calls] == [Grade.UNKNOWN, Grade.UNKNOWN]


def test_spans_of_no_kind_are_tools_and_retrievers_by_what_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "o.json"
    found = [{"pageContent": BODY, "metadata": {"source": "limits.md"}}]
    path.write_text(
        json.dumps(
            [
                observation(1, "SPAN", {"q": "?"}, "200", name="graph"),
                observation(2, "SPAN", "limit", json.dumps(found), name="VectorStoreRetriever"),
                observation(3, "GENERATION", ASKED, CALL),
                observation(4, "SPAN", {"id": "d3"}, BODY, name="look_up"),
                observation(5, "GENERATION", SECOND, TOLD),
            ]
        )
    )
    run = one(path, "langfuse")
    assert [v.key.source_id for v in run.versions] == ["limits.md"]
    assert [(tool.tool_call_id, tool.text) for tool in run.tool_results] == [("c1", BODY)]


def test_two_traces_of_one_session_are_one_run(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    traces = [
        {
            "id": f"t{n}",
            "projectId": "p",
            "sessionId": "s",
            "observations": [{**observation(n, "GENERATION", ASKED, TOLD), "traceId": f"t{n}"}],
        }
        for n in (1, 2)
    ]
    path.write_text(json.dumps({"id": "s", "traces": traces}))
    run = one(path, "langfuse")
    assert (run.run_id, len(run.calls)) == ("s", 2)


def test_a_response_that_the_export_leaves_out_is_no_empty_request(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    data = {"type": "response", "response_id": "resp_1", "usage": {"input_tokens": 9}}
    path.write_text(
        json.dumps(
            {
                "data": [
                    {
                        "object": "trace.span",
                        "id": "s",
                        "trace_id": "t",
                        "started_at": T.format(1),
                        "span_data": data,
                    }
                ]
            }
        )
    )
    run = one(path, "openai-agents")
    assert run.grade is Grade.UNKNOWN
    assert "the span names a response of the Responses API" in lost(run)


def test_previews_of_mlflow_are_never_read(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps([{"info": {"trace_id": "tr-1", "request_preview": "What is"}}]))
    with pytest.raises(UnreadableError, match="previews are cut"):
        read(path, "mlflow")


def test_spans_that_the_info_of_a_trace_counts_and_its_data_lacks_are_missed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.json"
    metadata = {"mlflow.trace.sizeStats": json.dumps({"num_spans": 9})}
    info = {"trace_id": "t1", "trace_metadata": metadata}
    path.write_text(json.dumps({"info": info, "data": {"spans": mlflow_spans()}}))
    assert "holds 4 of the 9 spans that its info counts" in lost(one(path, "mlflow"))


def test_pieces_of_one_file_that_a_retriever_found_are_sources_of_their_own(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.json"
    spans = mlflow_spans()
    found = [
        {"page_content": f"{BODY}{n}", "metadata": {"doc_uri": "limits.md", "chunk_id": n}}
        for n in (7, 8)
    ]
    attributes = {"mlflow.spanType": "RETRIEVER", "mlflow.spanOutputs": found}
    spans[2] = {
        **spans[2],
        "attributes": {key: json.dumps(value) for key, value in attributes.items()},
    }
    path.write_text(json.dumps({"spans": spans}))
    run = one(path, "mlflow")
    assert [(v.key.source_id, v.text) for v in run.versions] == [
        ("limits.md", f"{BODY}7"),
        ("limits.md#2", f"{BODY}8"),
    ]
    assert [e.source_id for m in run.manifests for e in m.entries] == ["limits.md", "limits.md#2"]


def test_spans_under_any_names_are_read_and_a_replaced_input_is_no_request(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    replaced = {"input.value": "redacted input", "input.mime_type": "application/json"}
    other = {**phoenix_spans()[3], "attributes": replaced}
    other["context"] = {"trace_id": "t2", "span_id": "s1"}
    path.write_text(json.dumps({"first case": phoenix_spans(), "second case": [other]}))
    first, second = sorted(read(path, "phoenix"), key=lambda run: run.run_id)
    assert (first.grade, second.grade) == (Grade.RECORDED, Grade.UNKNOWN)
    assert "input.value says that it is JSON and is none" in lost(second)


def test_a_reference_of_weave_is_content_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "w.jsonl"
    path.write_text(
        json.dumps(
            {
                "id": "1",
                "trace_id": "t",
                "op_name": "weave:///e/p/op/openai.chat.completions.create:v",
                "started_at": T.format(1),
                "inputs": {"messages": "weave:///e/p/object/list:abc"},
                "output": TOLD,
            }
        )
    )
    run = one(path, "weave")
    assert run.grade is Grade.UNKNOWN
    assert "content stands elsewhere: weave:///e/p/object/list:abc" in lost(run)
