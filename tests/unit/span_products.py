"""The same run as each product exports it, made for tests."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arro3.core import Array, DataType, Table
from arro3.io import write_parquet

BODY = "The limit of one batch is 200 items. " * 20
ASKED: list[dict[str, object]] = [{"role": "user", "content": "What is the limit?"}]
CALL: dict[str, object] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "look_up", "arguments": '{"id":"d3"}'},
        }
    ],
}
CARRIED: dict[str, object] = {"role": "tool", "tool_call_id": "c1", "content": BODY[:300]}
TOLD: dict[str, object] = {"role": "assistant", "content": "It is 200."}
SECOND: list[dict[str, object]] = [*ASKED, CALL, CARRIED]
T = "2026-01-02T03:04:0{}.000Z"


# -- the run as each product writes it -------------------------------------------------------


def observation(
    number: int, kind: str, asked: object, told: object, **more: object
) -> dict[str, object]:
    """Return an observation of Langfuse."""
    return {
        "id": f"o{number}",
        "traceId": "t1",
        "type": kind,
        "name": more.pop("name", "n"),
        "startTime": T.format(number),
        "parentObservationId": "o1" if number > 1 else None,
        "input": asked,
        "output": told,
        "model": "m-1",
        "usageDetails": {"input": 5},
        **more,
    }


def observations() -> list[dict[str, object]]:
    """Return a run as observations, not in their order."""
    return [
        observation(4, "GENERATION", SECOND, TOLD),
        observation(1, "AGENT", ASKED, TOLD, name="helper"),
        observation(2, "GENERATION", {"messages": ASKED}, CALL),
        observation(3, "TOOL", {"id": "d3"}, BODY, name="look_up"),
    ]


def langfuse(path: Path) -> None:
    """Write a trace as Langfuse's interface gives it: without contents, then with them."""
    bare = [{**each, "input": None, "output": None} for each in observations()]
    trace = {"id": "t1", "projectId": "p", "name": "helper", "sessionId": "s", "observations": bare}
    path.write_text(json.dumps({"trace": trace, "observations": observations()}))


def langfuse_list(path: Path) -> None:
    """Write observations as the API lists them, texts as JSON."""
    made = [{**each, "input": json.dumps(each["input"])} for each in observations()]
    path.write_text(json.dumps({"data": made, "meta": {"page": 1}}))


def langfuse_csv(path: Path) -> None:
    """Write observations as a table."""
    table(
        path,
        [
            {k: json.dumps(v) if isinstance(v, (dict, list)) else v for k, v in each.items()}
            for each in observations()
        ],
    )


def langfuse_batch(path: Path) -> None:
    """Write the events that an SDK sends: a generation is created, then updated with its end."""
    events = []
    for each in observations():
        body = {k: v for k, v in each.items() if k != "output"}
        kind = "generation" if each["type"] == "GENERATION" else "observation"
        events.append({"id": "e", "type": f"{kind}-create", "timestamp": T, "body": body})
        update = {"id": each["id"], "traceId": "t1", "type": each["type"], "output": each["output"]}
        events.append({"id": "e", "type": f"{kind}-update", "timestamp": T, "body": update})
    path.write_text(
        json.dumps({"batch": [{"id": "x", "type": "trace-create", "body": {"id": "t1"}}, *events]})
    )


def openai_agents(path: Path) -> None:
    """Write what the exporter of OpenAI's agents sends."""

    def made(number: int, data: object) -> dict[str, object]:
        return {
            "object": "trace.span",
            "id": f"span_{number}",
            "trace_id": "t1",
            "parent_id": None,
            "started_at": T.format(number),
            "ended_at": T.format(number),
            "span_data": data,
            "error": None,
        }

    call = {"type": "generation", "model": "m-1"}
    path.write_text(
        json.dumps(
            {
                "data": [
                    {"object": "trace", "id": "t1", "workflow_name": "helper", "group_id": None},
                    made(4, {**call, "input": SECOND, "output": [TOLD]}),
                    made(1, {"type": "agent", "name": "helper"}),
                    made(
                        2, {**call, "input": ASKED, "output": [CALL], "usage": {"input_tokens": 5}}
                    ),
                    made(
                        3,
                        {
                            "type": "function",
                            "name": "look_up",
                            "input": '{"id": "d3"}',
                            "output": BODY,
                        },
                    ),
                ]
            }
        )
    )


def mlflow_spans() -> list[dict[str, object]]:
    """Return a run as spans of MLflow: values of attributes are JSON."""

    def made(
        number: int, kind: str, asked: object, told: object, name: str = "n"
    ) -> dict[str, object]:
        attributes = {
            "mlflow.spanType": kind,
            "mlflow.spanInputs": asked,
            "mlflow.spanOutputs": told,
        }
        return {
            "trace_id": "AAx5hhMTY7r3J7Y9Rw7NdQ==",
            "span_id": f"AAAAAAAAA{number}A=",
            "name": name,
            "parent_span_id": "" if number == 1 else "AAAAAAAAA1A=",
            "start_time_unix_nano": number * 10**18,
            "end_time_unix_nano": number * 10**18,
            "status": {"code": "STATUS_CODE_OK", "message": ""},
            "attributes": {key: json.dumps(value) for key, value in attributes.items()},
        }

    return [
        made(1, "AGENT", {"q": "?"}, "200", "helper"),
        made(
            2,
            "CHAT_MODEL",
            {"messages": ASKED, "model": "m-1"},
            {"choices": [{"message": CALL}], "usage": {"prompt_tokens": 5}},
        ),
        made(3, "TOOL", {"id": "d3"}, BODY, "look_up"),
        made(4, "CHAT_MODEL", {"messages": SECOND}, {"choices": [{"message": TOLD}]}),
    ]


def mlflow(path: Path) -> None:
    """Write a trace of MLflow 3."""
    info = {"trace_id": "t1", "request_preview": "…", "trace_metadata": {}}
    path.write_text(json.dumps({"info": info, "data": {"spans": mlflow_spans()}}))


def mlflow_old(path: Path) -> None:
    """Write a trace of MLflow 2, and one that lies on the disk alone."""
    spans = [
        {
            **each,
            "context": {"trace_id": "0xaa", "span_id": each["span_id"]},
            "parent_id": each["parent_span_id"],
        }
        for each in mlflow_spans()
    ]
    path.write_text(
        json.dumps(
            [{"info": {"request_id": "t1", "request_metadata": {}}, "data": {"spans": spans}}]
        )
    )


def phoenix_spans() -> list[dict[str, object]]:
    """Return a run as spans of Phoenix, one with nested attributes and the others flat."""

    def made(number: int, kind: str, attributes: object, name: str = "n") -> dict[str, object]:
        return {
            "name": name,
            "context": {"trace_id": "t1", "span_id": f"s{number}"},
            "span_kind": kind,
            "parent_id": "s1" if number > 1 else None,
            "start_time": T.format(number),
            "status_code": "OK",
            "attributes": attributes,
            "events": [],
        }

    call = {
        "message": {
            "role": "assistant",
            "tool_calls": [
                {
                    "tool_call": {
                        "id": "c1",
                        "function": {"name": "look_up", "arguments": '{"id":"d3"}'},
                    }
                }
            ],
        }
    }
    start = "llm.input_messages"
    return [
        made(1, "AGENT", {"input": {"value": "?"}}, "helper"),
        made(
            2,
            "LLM",
            {
                "llm": {
                    "model_name": "m-1",
                    "input_messages": [{"message": ASKED[0]}],
                    "output_messages": [call],
                    "token_count": {"prompt": 5},
                }
            },
        ),
        made(
            3, "TOOL", {"tool.name": "look_up", "input.value": '{"id":"d3"}', "output.value": BODY}
        ),
        made(
            4,
            "LLM",
            {
                f"{start}.0.message.role": "user",
                f"{start}.0.message.content": "What is the limit?",
                f"{start}.1.message.role": "assistant",
                f"{start}.1.message.tool_calls.0.tool_call.id": "c1",
                f"{start}.1.message.tool_calls.0.tool_call.function.name": "look_up",
                f"{start}.1.message.tool_calls.0.tool_call.function.arguments": '{"id":"d3"}',
                f"{start}.2.message.role": "tool",
                f"{start}.2.message.tool_call_id": "c1",
                f"{start}.2.message.content": BODY[:300],
                "llm.output_messages.0.message.role": "assistant",
                "llm.output_messages.0.message.content": "It is 200.",
            },
        ),
    ]


def phoenix(path: Path) -> None:
    """Write spans as Phoenix's interface gives them."""
    path.write_text(json.dumps({"data": phoenix_spans(), "next_cursor": None}))


def phoenix_csv(path: Path) -> None:
    """Write a data frame of spans as CSV, whose lists are as Python spells them."""
    asked = [{"message.role": m["role"], "message.content": m.get("content")} for m in ASKED]
    second = [
        *asked,
        {
            "message.role": "assistant",
            "message.tool_calls": [
                {
                    "tool_call.id": "c1",
                    "tool_call.function.name": "look_up",
                    "tool_call.function.arguments": '{"id":"d3"}',
                }
            ],
        },
        {"message.role": "tool", "message.tool_call_id": "c1", "message.content": BODY[:300]},
    ]
    names = ("context.span_id", "context.trace_id", "parent_id", "span_kind", "start_time", "name")

    def made(number: int, kind: str, **more: object) -> dict[str, object]:
        values = (f"s{number}", "t1", "s1" if number > 1 else "", kind, T.format(number), "n")
        return {
            **dict(zip(names, values, strict=True)),
            **{f"attributes.{k.replace('__', '.')}": v for k, v in more.items()},
        }

    call = [second[1]]
    table(
        path,
        [
            made(1, "AGENT"),
            made(
                2,
                "LLM",
                llm__input_messages=repr(asked),
                llm__output_messages=repr(call),
                llm__token_count__prompt=5,
                llm__model_name="m-1",
            ),
            made(3, "TOOL", tool__name="look_up", input__value='{"id":"d3"}', output__value=BODY),
            made(
                4,
                "LLM",
                llm__input_messages=repr(second),
                llm__output_messages=repr(
                    [{"message.role": "assistant", "message.content": "It is 200."}]
                ),
            ),
        ],
    )


def phoenix_parquet(path: Path) -> None:
    """Write the same data frame as Parquet."""
    phoenix_csv(path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns: dict[str, Any] = {
        name: Array([row[name] or None for row in rows], type=DataType.utf8()) for name in rows[0]
    }
    write_parquet(Table.from_pydict(columns), str(path))


def weave(path: Path) -> None:
    """Write calls of Weave as lines."""

    def made(number: int, op: str, asked: object, told: object, **more: object) -> str:
        return json.dumps(
            {
                "id": f"w{number}",
                "trace_id": "t1",
                "parent_id": "w1" if number > 1 else None,
                "op_name": f"weave:///e/p/op/{op}:abc",
                "started_at": T.format(number),
                "inputs": asked,
                "output": told,
                "summary": more,
                "attributes": {},
            }
        )

    chat = "openai.chat.completions.create"
    path.write_text(
        "\n".join(
            [
                made(1, "helper", {"q": "?"}, "200"),
                made(
                    2,
                    chat,
                    {"messages": ASKED, "model": "m-1"},
                    {"choices": [{"message": CALL}]},
                    usage={"m-1": {"prompt_tokens": 5}},
                ),
                made(3, "look_up", {"id": "d3"}, BODY),
                made(
                    4, chat, {"messages": SECOND, "model": "m-1"}, {"choices": [{"message": TOLD}]}
                ),
            ]
        )
    )


def braintrust(path: Path) -> None:
    """Write rows of Braintrust as lines, one of them twice."""

    def made(number: int, kind: str, asked: object, told: object, name: str = "n") -> str:
        return json.dumps(
            {
                "id": f"r{number}",
                "span_id": f"b{number}",
                "root_span_id": "t1",
                "span_parents": ["b1"] if number > 1 else [],
                "created": T.format(number),
                "input": asked,
                "output": told,
                "metadata": {"model": "m-1"},
                "metrics": {"start": 1_700_000_000 + number, "prompt_tokens": 5},
                "span_attributes": {"name": name, "type": kind},
            }
        )

    path.write_text(
        "\n".join(
            [
                made(1, "task", "?", "200", "helper"),
                made(2, "llm", ASKED, None),
                made(
                    2, "llm", ASKED, [{"index": 0, "message": CALL, "finish_reason": "tool_calls"}]
                ),
                made(3, "tool", {"id": "d3"}, BODY, "look_up"),
                made(4, "llm", SECOND, [{"index": 0, "message": TOLD}]),
            ]
        )
    )


def logfire_rows() -> list[dict[str, object]]:
    """Return a run as records of Logfire."""

    def made(number: int, name: str, attributes: object) -> dict[str, object]:
        return {
            "trace_id": "t1",
            "span_id": f"l{number}",
            "parent_span_id": "l1" if number > 1 else None,
            "kind": "span",
            "span_name": name,
            "message": name,
            "start_timestamp": T.format(number),
            "otel_scope_name": "pydantic-ai",
            "attributes": attributes,
        }

    def events(messages: Sequence[dict[str, object]], told: dict[str, object]) -> dict[str, object]:
        made = [{**m, "event.name": f"gen_ai.{m['role']}.message"} for m in messages]
        choice = {"event.name": "gen_ai.choice", "index": 0, "message": told}
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m-1",
            "gen_ai.usage.input_tokens": 5,
            "events": json.dumps([*made, choice]),
        }

    tool = {
        "gen_ai.tool.name": "look_up",
        "gen_ai.tool.call.id": "c1",
        "tool_arguments": '{"id":"d3"}',
        "tool_response": BODY,
    }
    return [
        made(1, "agent run", {"agent_name": "helper", "all_messages_events": json.dumps(ASKED)}),
        made(2, "chat m-1", events(ASKED, CALL)),
        made(3, "running tool", tool),
        made(4, "chat m-1", events(SECOND, TOLD)),
    ]


def logfire(path: Path) -> None:
    """Write records by rows, a span that is not finished among them."""
    pending = {**logfire_rows()[1], "kind": "pending_span", "span_id": "l9"}
    path.write_text(json.dumps([*logfire_rows(), pending]))


def logfire_columns(path: Path) -> None:
    """Write records by columns, as the query interface answers."""
    rows = logfire_rows()
    columns = [
        {"name": name, "datatype": "x", "values": [row[name] for row in rows]} for name in rows[0]
    ]
    path.write_text(json.dumps({"columns": columns}))


def table(path: Path, rows: Sequence[dict[str, object]]) -> None:
    """Write *rows* as CSV."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)


PRODUCTS = [
    ("langfuse", langfuse),
    ("langfuse", langfuse_list),
    ("langfuse", langfuse_csv),
    ("langfuse", langfuse_batch),
    ("openai-agents", openai_agents),
    ("mlflow", mlflow),
    ("mlflow", mlflow_old),
    ("phoenix", phoenix),
    ("phoenix", phoenix_csv),
    ("phoenix", phoenix_parquet),
    ("weave", weave),
    ("braintrust", braintrust),
    ("logfire", logfire),
    ("logfire", logfire_columns),
]
