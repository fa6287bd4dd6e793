"""Messages as frameworks spell them inside of spans: each of them is the same conversation."""

import json

import pytest

from store.importers._span_exchange import exchange_of
from store.importers._span_steps import Kind, Step
from store.importers._wire import Exchange
from store.records.grades import Grade
from store.records.runs import PartKind

ARGUMENTS = '{"id":"d3"}'
ID = "c1"


def exchange(request: object, response: object = None, **more: object) -> Exchange:
    """Return the call of a generation that holds *request* and *response*."""
    step = Step(Kind.GENERATION, "s", "t", "o", request=request, response=response)
    for name, value in more.items():
        setattr(step, name, value)
    return exchange_of(step)


def words(made: Exchange) -> list[tuple[str, str]]:
    """Return role and words of each part; a tool call by its name and arguments."""
    return [
        (turn.role, f"{part.name}({part.text})" if part.kind is PartKind.TOOL_CALL else part.text)
        for turn in (*made.instructions, *made.sent)
        for part in turn.parts
    ]


def opened(text: str) -> dict[str, object]:
    """Return the arguments of a call as an object."""
    found: dict[str, object] = json.loads(text)
    return found


SPELLINGS: dict[str, object] = {
    "OpenAI": [
        {"role": "system", "content": "Be careful."},
        {"role": "user", "content": [{"type": "text", "text": "What?"}]},
        {
            "role": "assistant",
            "tool_calls": [
                {"id": ID, "type": "function", "function": {"name": "f", "arguments": ARGUMENTS}}
            ],
        },
        {"role": "tool", "tool_call_id": ID, "content": "Found."},
    ],
    "OpenAI Responses": [
        {"role": "system", "content": "Be careful."},
        {"role": "user", "content": [{"type": "input_text", "text": "What?"}]},
        {"type": "function_call", "call_id": ID, "name": "f", "arguments": ARGUMENTS},
        {"type": "function_call_output", "call_id": ID, "output": "Found."},
    ],
    "Anthropic": {
        "system": [{"type": "text", "text": "Be careful."}],
        "messages": [
            {"role": "user", "content": "What?"},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": ID, "name": "f", "input": {"id": "d3"}}],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": ID,
                        "content": [{"type": "text", "text": "Found."}],
                    }
                ],
            },
        ],
    },
    "Bedrock": {
        "system": [{"text": "Be careful."}],
        "messages": [
            {"role": "user", "content": [{"text": "What?"}]},
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": ID, "name": "f", "input": {"id": "d3"}}}],
            },
            {
                "role": "user",
                "content": [{"toolResult": {"toolUseId": ID, "content": [{"text": "Found."}]}}],
            },
        ],
    },
    "Gemini": json.dumps(
        {
            "config": {"system_instruction": "Be careful."},
            "contents": [
                {"role": "user", "parts": [{"text": "What?"}]},
                {
                    "role": "model",
                    "parts": [{"function_call": {"id": ID, "name": "f", "args": {"id": "d3"}}}],
                },
                {
                    "role": "user",
                    "parts": [{"function_response": {"id": ID, "name": "f", "response": "Found."}}],
                },
            ],
        }
    ),
    "GenAI conventions": [
        {"role": "system", "parts": [{"type": "text", "content": "Be careful."}]},
        {"role": "user", "parts": [{"type": "text", "content": "What?"}]},
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": ID, "name": "f", "arguments": {"id": "d3"}}],
        },
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": ID, "response": "Found."}]},
    ],
    "OpenInference": [
        {"message": {"role": "system", "content": "Be careful."}},
        {
            "message": {
                "role": "user",
                "contents": [{"message_content": {"type": "text", "text": "What?"}}],
            }
        },
        {
            "message": {
                "role": "assistant",
                "tool_calls": [
                    {"tool_call": {"id": ID, "function": {"name": "f", "arguments": ARGUMENTS}}}
                ],
            }
        },
        {"message": {"role": "tool", "tool_call_id": ID, "content": "Found."}},
    ],
    "AI SDK": json.dumps(
        [
            {"role": "system", "content": "Be careful."},
            {"role": "user", "content": [{"type": "text", "text": "What?"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool-call", "toolCallId": ID, "toolName": "f", "args": ARGUMENTS}
                ],
            },
            {
                "role": "tool",
                "content": [
                    {"type": "tool-result", "toolCallId": ID, "toolName": "f", "result": "Found."}
                ],
            },
        ]
    ),
    "LangChain": [
        [
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain_core", "messages", name],
                "kwargs": fields,
            }
            for name, fields in (
                ("SystemMessage", {"content": "Be careful."}),
                ("HumanMessage", {"content": "What?"}),
                (
                    "AIMessage",
                    {"content": "", "tool_calls": [{"id": ID, "name": "f", "args": {"id": "d3"}}]},
                ),
                ("ToolMessage", {"content": "Found.", "tool_call_id": ID}),
            )
        ]
    ],
    "LangChain.js in Langfuse": [
        {"role": "system", "content": "Be careful."},
        {"role": "user", "content": "What?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": ID, "function": {"name": "f", "arguments": ARGUMENTS}}],
        },
        {"role": "f", "content": "Found.", "additional_kwargs": {}},
    ],
    "AutoGen": [
        {"content": "Be careful.", "type": "SystemMessage"},
        {"content": "What?", "source": "user", "type": "UserMessage"},
        {
            "content": [{"id": ID, "name": "f", "arguments": ARGUMENTS}],
            "type": "AssistantMessage",
        },
        {
            "content": [{"content": "Found.", "name": "f", "call_id": ID, "is_error": False}],
            "type": "FunctionExecutionResultMessage",
        },
    ],
    "Koog": [
        {"role": "system", "content": "Be careful."},
        {"role": "user", "content": "What?"},
        {
            "role": "tool",
            "content": json.dumps(
                [{"id": ID, "type": "function", "function": {"name": "f", "arguments": ARGUMENTS}}]
            ),
        },
        {"role": "tool", "content": "Found."},
    ],
    "Pydantic AI": [
        {
            "kind": "request",
            "parts": [
                {"part_kind": "system-prompt", "content": "Be careful."},
                {"part_kind": "user-prompt", "content": "What?"},
            ],
        },
        {
            "kind": "response",
            "parts": [
                {"part_kind": "tool-call", "tool_call_id": ID, "tool_name": "f", "args": ARGUMENTS}
            ],
        },
        {
            "kind": "request",
            "parts": [
                {
                    "part_kind": "tool-return",
                    "tool_call_id": ID,
                    "tool_name": "f",
                    "content": "Found.",
                }
            ],
        },
    ],
    "smolagents": [
        {"role": "MessageRole.SYSTEM", "content": [{"type": "text", "text": "Be careful."}]},
        {"role": "MessageRole.USER", "content": [{"type": "text", "text": "What?"}]},
        {
            "role": "MessageRole.ASSISTANT",
            "tool_calls": [{"id": ID, "function": {"name": "f", "arguments": ARGUMENTS}}],
        },
        {"role": "tool", "tool_call_id": ID, "content": "Found."},
    ],
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_spelling_is_the_same_conversation(name: str) -> None:
    made = exchange(SPELLINGS[name])
    assert words(made) == [
        ("system", "Be careful."),
        ("user", "What?"),
        ("assistant", f"f({ARGUMENTS})"),
        ("tool", "Found."),
    ]
    assert [(call.id, call.name, opened(call.arguments)) for call in made.tool_calls] == [
        (ID, "f", {"id": "d3"})
    ]
    assert [(result.tool_call_id, result.text) for result in made.tool_results] == [(ID, "Found.")]
    assert (made.grade, made.answer) == (Grade.RECORDED, "")


@pytest.mark.parametrize(
    "response",
    [
        "It is 200.",
        {"role": "assistant", "content": "It is 200."},
        [{"role": "assistant", "parts": [{"type": "text", "content": "It is 200."}]}],
        {"choices": [{"message": {"role": "assistant", "content": "It is 200."}}]},
        {"content": {"role": "model", "parts": [{"text": "It is 200."}]}, "finish_reason": "STOP"},
        {"generations": [[{"text": "It is 200.", "generation_info": {}}]]},
        [{"index": 0, "message": {"content": "It is 200."}, "event.name": "gen_ai.choice"}],
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": "It is 200."}],
        },
        {"output": {"message": {"role": "assistant", "content": [{"text": "It is 200."}]}}},
    ],
)
def test_an_answer_is_found_in_whatever_it_is_wrapped(response: object) -> None:
    made = exchange([{"role": "user", "content": "What?"}], response)
    assert made.answer == "It is 200."
    assert [turn.role for turn in made.response] in (["assistant"], ["model"])


def test_data_in_place_of_messages_is_no_request_that_was_recorded() -> None:
    made = exchange({"args": ["What?"]}, "200")
    assert made.grade is Grade.INFERRED
    assert "arguments of a call and no messages" in made.reasons[0]


def test_words_that_begin_like_json_stay_as_they_are() -> None:
    for text in ("{not json", "[1] is the source", '{"a": 1} and more', '"quoted" words', "[]"):
        assert words(exchange([{"role": "user", "content": text}])) == [("user", text)]


def test_two_calls_of_one_tool_without_ids_are_two() -> None:
    call = {"functionCall": {"name": "f", "args": {}}}
    made = exchange(
        [
            {"role": "model", "parts": [call, call]},
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "f", "response": {"n": 1}}},
                    {"functionResponse": {"name": "f", "response": {"n": 2}}},
                ],
            },
        ]
    )
    assert [(result.tool_call_id, result.text) for result in made.tool_results] == [
        ("f", '{"n":1}'),
        ("f#2", '{"n":2}'),
    ]


def test_credentials_among_the_parameters_of_a_call_are_masked() -> None:
    key = "sk-abcdefghijklmnopqrstuvwxyz0123456789"
    made = exchange(
        [{"role": "user", "content": "What?"}],
        settings={"temperature": 0.5, "client": {"api_key": key, "base_url": "https://a.b"}},
    )
    client = made.settings["client"]
    assert isinstance(client, dict)
    assert key not in str(made.settings)
    assert (made.settings["temperature"], client["base_url"]) == (0.5, "https://a.b")


def test_pictures_and_unknown_parts_are_kept_with_their_size() -> None:
    made = exchange(
        [
            {
                "role": "user",
                "parts": [
                    {"type": "blob", "mime_type": "image/png", "content": "AAAA"},
                    {"type": "telepathy", "content_of": 1},
                ],
            }
        ]
    )
    (turn,) = made.sent
    assert [(part.kind, part.name) for part in turn.parts] == [
        (PartKind.IMAGE, "blob"),
        (PartKind.OPAQUE, "telepathy"),
    ]
    assert all(part.opaque_bytes for part in turn.parts)
