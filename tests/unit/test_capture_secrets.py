"""Credentials in a capture are masked as it is read, and nothing else moves."""

import base64
import json
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.audit.engine import audit
from reviewer.reports._facts import run_record
from store.importers._capture_http import headers_of
from store.importers._capture_secrets import MASK, Masker, shown_url
from store.opening import open_paths
from store.records.runs import Run

LETTERS = string.ascii_letters + string.digits


def key(prefix: str, size: int) -> st.SearchStrategy[str]:
    return st.text(LETTERS, min_size=size, max_size=size + 20).map(lambda rest: prefix + rest)


KEYS = st.one_of(
    key("sk-ant-api03-", 40),
    key("sk-proj-", 40),
    key("AIza", 35),
    key("ghp_", 36),
    key("xoxb-", 24),
    key("pplx-", 40),
    key("xai-", 40),
    key("hf_", 34),
    st.text(string.ascii_uppercase + string.digits, min_size=16, max_size=16).map("AKIA".__add__),
    st.tuples(key("eyJ", 20), key("eyJ", 20), key("", 20)).map(".".join),
)
AROUND = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(AROUND, KEYS, AROUND)
def test_a_key_of_a_known_shape_is_masked_wherever_it_stands(
    before: str, secret: str, after: str
) -> None:
    text = f"{before} {secret} {after}"
    found = Masker().value({"a": [text, {text: 1}]})
    assert secret not in json.dumps(found, ensure_ascii=False)


@given(st.text(LETTERS, min_size=16, max_size=60))
def test_what_follows_bearer_is_masked(secret: str) -> None:
    assert secret not in Masker().text(f"Authorization: Bearer {secret}")


@given(
    st.sampled_from(["api_key", "apiKey", "x-api-key", "Authorization", "password", "cookie"]),
    st.text(LETTERS, min_size=8, max_size=60),
)
def test_a_value_is_masked_by_its_name(name: str, secret: str) -> None:
    assert Masker().value({name: secret}) == {name: MASK * len(secret)}
    inside = json.dumps({"a": json.dumps({name: secret})})
    assert f'"{secret}' not in Masker().text(inside)
    assert secret not in Masker().text(json.dumps({name: secret}))


@given(st.text(max_size=200))
def test_masking_keeps_the_length_in_every_unit(text: str) -> None:
    found = Masker().text(text)
    assert len(found) == len(text)
    assert len(found.encode("utf-8", "surrogatepass")) >= len(found)


@given(AROUND, KEYS, AROUND)
def test_a_masked_text_is_as_long_in_bytes_and_in_utf_16(
    before: str, secret: str, after: str
) -> None:
    text = f"{before} {secret} {after}"
    found = Masker().text(text)
    assert len(found.encode()) == len(text.encode())
    assert len(found.encode("utf-16-le")) == len(text.encode("utf-16-le"))


@given(AROUND, KEYS)
def test_masking_twice_changes_nothing_more(before: str, secret: str) -> None:
    once = Masker().text(f"{before} {secret}")
    again = Masker()
    assert again.text(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "the token of the parser is a name",
        "Use an API key from your settings.",
        "https://example.org/a/b?page=2#top",
        "sk-learn and sk-image are libraries",
        '"password": "<PASSWORD>"',
        "the secret key is under the mat",
        "api_key = os.environ.get(name)",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert Masker().text(text) == text


def test_no_header_is_kept_that_could_hold_a_credential() -> None:
    headers = {"Authorization": ["Bearer abc"], "Cookie": "a=b", "Content-Type": ["text/plain"]}
    assert headers_of(headers) == {"content-type": "text/plain"}


def test_an_address_is_shown_without_its_user_query_and_fragment() -> None:
    address = "https://user:secret@example.org:8443/v1/messages?key=AIzaSecret#part"
    assert shown_url(address) == "example.org/v1/messages"


def test_no_credential_of_a_capture_reaches_a_run_or_an_audit(tmp_path: Path) -> None:
    secrets = ["sk-ant-api03-" + "k3y" * 12, "AIza" + "Zy9" * 12, "hunter2-hunter2", "c00kie" * 4]
    exchange = {
        "request": {
            "method": "POST",
            "url": f"https://api.anthropic.com/v1/messages?key={secrets[1]}",
            "headers": {"x-api-key": secrets[0], "cookie": f"session={secrets[3]}"},
            "body": {
                "model": "m",
                "api_key": secrets[2],
                "mcp_servers": [{"authorization_token": secrets[3]}],
                "metadata": {"user_id": "user_1"},
                "messages": [
                    {"role": "user", "content": f"my key is {secrets[0]}, keep it"},
                    {"role": "user", "content": f'{{"password": "{secrets[2]}"}}'},
                ],
            },
        },
        "response": {
            "status": 200,
            "headers": {"set-cookie": secrets[3]},
            "body": {
                "type": "message",
                "role": "assistant",
                "id": "msg_1",
                "content": [{"type": "text", "text": f"Your key is {secrets[0]}."}],
            },
        },
    }
    path = tmp_path / "one.json"
    path.write_text(json.dumps(exchange), encoding="utf-8")
    (run,) = open_paths([str(path)])
    assert isinstance(run, Run)
    shown = repr(run) + repr(run.messages) + repr([call.settings for call in run.calls])
    shown += repr(run.answers[0].text)
    record = json.dumps(run_record(audit(run, len, "characters")), default=str)
    for secret in secrets:
        assert secret not in shown
        assert secret not in record
    assert any("credential" in problem.what for problem in run.problems)


@given(KEYS, st.integers(1, 12), st.integers(0, 30))
def test_a_key_that_a_stream_cut_in_pieces_is_masked_when_it_is_whole(
    tmp_path_factory: pytest.TempPathFactory, secret: str, size: int, start: int
) -> None:
    text = f"{'x' * start} {secret} is your key."
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    events: list[dict[str, object]] = [
        {"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces
    ]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    path = tmp_path_factory.mktemp("cut") / "one.json"
    asked = {"model": "m", "messages": [{"role": "user", "content": "Q?"}]}
    made = {
        "request": {"method": "POST", "url": "https://e.org/v1/chat/completions", "body": asked},
        "response": {"status": 200, "headers": {}, "body": body},
    }
    path.write_text(json.dumps(made), encoding="utf-8")
    (run,) = open_paths([str(path)])
    assert isinstance(run, Run)
    (answer,) = run.answers
    assert answer.text == text.replace(secret, MASK * len(secret))
    assert all(secret[4:12] not in part.text for message in run.messages for part in message.parts)


def test_a_key_in_a_packed_document_is_masked(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "k3y" * 12
    packed = base64.b64encode(f"The key is {secret}.".encode()).decode()
    document = {"name": "a", "format": "txt", "source": {"bytes": packed}}
    request = {"messages": [{"role": "user", "content": [{"document": document}]}]}
    response = {
        "output": {"message": {"role": "assistant", "content": [{"text": "Yes."}]}},
        "stopReason": "end_turn",
        "usage": {},
    }
    url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse"
    made = {
        "request": {"method": "POST", "url": url, "body": request},
        "response": {"body": response},
    }
    path = tmp_path / "one.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    (run,) = open_paths([str(path)])
    assert isinstance(run, Run)
    assert secret not in repr(run.messages)
    assert all(secret not in (version.text or "") for version in run.versions)
    assert run.messages[0].parts[0].text.startswith("The key is ***")
