"""What of a request stands elsewhere than in its span: kept by the service, or masked."""

import json
from pathlib import Path

import pytest

from store.importers.langfuse import IMPORTER
from store.records.grades import Grade
from store.records.runs import Run
from tests.unit.agent_files import runs_in, texts, write_json
from tests.unit.span_products import ASKED, BODY, observation

Json = dict[str, object]
READ: list[Json] = [{"type": "function_call_output", "call_id": "c1", "output": BODY}]
MORE: list[Json] = [{"role": "user", "content": "and?"}]


def response(name: str, words: str, before: str = "", **more: object) -> Json:
    content = [{"type": "output_text", "text": words, "annotations": []}]
    message = {"type": "message", "id": "m", "role": "assistant", "content": content}
    made: Json = {"id": name, "object": "response", "model": "m-1", "output": [message], **more}
    return {**made, "previous_response_id": before or None}


def run_of(folder: Path, *calls: tuple[object, object]) -> Run:
    made = [
        {**observation(at, "GENERATION", *call), "usageDetails": {"input": 900}}
        for at, call in enumerate(calls, 2)
    ]
    held = [observation(1, "AGENT", MORE, "yes"), *made]
    trace = {"id": "t1", "projectId": "p", "name": "n", "observations": held}
    (run,) = runs_in(write_json(folder / "t.json", trace), IMPORTER)
    return run


def test_a_response_that_is_built_on_is_before_the_messages_of_the_call(tmp_path: Path) -> None:
    first = (READ, response("r1", "ok"))
    run = run_of(tmp_path, first, (MORE, response("r2", "200", "r1")))
    assert texts(run, 2) == [BODY, "ok", "and?"]
    assert [call.grade for call in run.calls] == [Grade.RECORDED, Grade.DERIVED]


@pytest.mark.parametrize(
    "last", [response("r2", "200", "r9"), response("r2", "200", conversation={"id": "v1"})]
)
def test_what_the_service_keeps_and_no_span_holds_is_unknown(tmp_path: Path, last: Json) -> None:
    run = run_of(tmp_path, (READ, response("r1", "ok")), (MORE, last))
    assert run.calls[1].grade is Grade.UNKNOWN


def test_a_request_in_other_words_names_what_it_is_built_on(tmp_path: Path) -> None:
    asked = {"input": MORE, "previous_response_id": "r9"}
    run = run_of(tmp_path, (json.dumps(asked), {"role": "assistant", "content": "200"}))
    assert run.calls[0].grade is Grade.UNKNOWN


@pytest.mark.parametrize(
    ("asked", "grade"),
    [
        ({"messages": ASKED, "client": {"api_key": "[REDACTED]"}}, Grade.RECORDED),
        ({"messages": [{"role": "user", "content": "[REDACTED]"}]}, Grade.UNKNOWN),
        (
            {"messages": [{"role": "user", "content": "[Scrubbed due to 'password']"}]},
            Grade.UNKNOWN,
        ),
    ],
)
def test_a_masked_key_of_a_client_hides_no_message_and_a_masked_message_does(
    tmp_path: Path, asked: Json, grade: Grade
) -> None:
    run = run_of(tmp_path, (asked, {"role": "assistant", "content": "200"}))
    assert run.calls[0].grade is grade
