"""Exports of products: the same run from each of them, and what each loses in silence."""

import hashlib
import json
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
    PRODUCTS,
    SECOND,
    TOLD,
    T,
    mlflow_spans,
    observation,
)
from tests.unit.spans import lost, one, read, said


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


def test_retrieved_documents_of_mlflow_are_chunks_of_the_document_they_name(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    spans = mlflow_spans()
    found = [
        {"page_content": BODY, "metadata": {"doc_uri": "limits.md", "chunk_id": "7"}, "id": "x"}
    ]
    attributes = {"mlflow.spanType": "RETRIEVER", "mlflow.spanOutputs": found}
    spans[2] = {
        **spans[2],
        "attributes": {key: json.dumps(value) for key, value in attributes.items()},
    }
    path.write_text(json.dumps({"spans": spans}))
    run = one(path, "mlflow")
    (version,) = run.versions
    assert version.key.source_id == "limits.md"
    assert [excerpt.text for excerpt in version.excerpts] == [BODY]


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
