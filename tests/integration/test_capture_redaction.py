"""Credentials planted everywhere in captures of every kind come out nowhere.

What is searched are the bytes of every report, of what commands print and log,
of a bundle, of the database, and of whatever else lies in the user's folders.
"""

import base64
import gzip
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reviewer.app import Program
from store.importers._pdf_pages import pages_of
from store.opening import open_paths
from store.records.runs import Problem, Run
from store.repository import Repository
from store.sqlite import sqlite_url
from tests.made import command
from tests.unit.captures import CLAUDE, GEMINI, OPENAI, events

SECRETS = {
    "anthropic": "sk-ant-api03-" + "Zq7" * 14,
    "openai": "sk-proj-" + "Qx9" * 14,
    "google": "AIza" + "Zy8" * 12,
    "amazon": "AKIA" + "QWERTYUIOP123456",
    "github": "ghp_" + "Gh5" * 12,
    "token": "eyJ" + "hBc1" * 6 + ".eyJ" + "dEf2" * 6 + "." + "gHi3" * 6,
    "bearer": "b3ar3r" * 6,
    "named": "n4m3d-s3cr3t-v4lu3",
    "cookie": "c00ki3" * 5,
    "user": "us3rpassw0rd",
    "pem": "MIIEpAIBAAKCAQEA7f4f" * 3,
}
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{SECRETS['pem']}\n-----END RSA PRIVATE KEY-----"
HEADERS = {
    "x-api-key": SECRETS["anthropic"],
    "Authorization": f"Bearer {SECRETS['bearer']}",
    "Cookie": f"session={SECRETS['cookie']}",
    "x-goog-api-key": SECRETS["google"],
    "X-Amz-Security-Token": SECRETS["token"],
    "content-type": "application/json",
}
ADDRESS = f"?key={SECRETS['google']}&api_key={SECRETS['named']}#{SECRETS['github']}"
SAID = (
    f"keys: {SECRETS['anthropic']}, {SECRETS['openai']} {SECRETS['amazon']} {SECRETS['github']} "
    f"{SECRETS['token']} Authorization: Bearer {SECRETS['bearer']} "
    f"{json.dumps({'password': SECRETS['named']})} postgres://me:{SECRETS['user']}@db/x {PEM}"
)


def asked(**more: object) -> dict[str, Any]:
    """Write a request of Anthropic's with credentials in its text, tools and settings."""
    packed = base64.b64encode(SAID.encode()).decode()
    document = {"type": "base64", "media_type": "text/plain", "data": packed}
    plain = {"type": "text", "media_type": "text/plain", "data": SAID}
    call = {"type": "tool_use", "id": "t1", "name": "look", "input": {"api_key": SECRETS["named"]}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": SAID}
    content = [
        {"type": "document", "title": SAID, "context": SAID, "source": plain},
        {"type": "document", "source": document},
        {"type": "text", "text": SAID},
    ]
    return {
        "model": "m",
        "system": SAID,
        "metadata": {"user_id": SAID},
        "mcp_servers": [{"url": "https://e.org", "authorization_token": SECRETS["named"]}],
        "messages": [
            {"role": "user", "content": content},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ],
        **more,
    }


def said() -> dict[str, Any]:
    place = {
        "type": "char_location",
        "cited_text": SAID,
        "document_index": 0,
        "document_title": SAID,
        "start_char_index": 0,
        "end_char_index": len(SAID),
    }
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": f"Yes: {SAID}", "citations": [place]}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 900},
    }


def streamed() -> str:
    """Write the answer as a stream that cuts every credential in pieces."""
    text = f"Yes: {SAID}"
    pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
    whole = {**said(), "content": []}
    return events(
        {"type": "message_start", "message": whole},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": piece},
            }
            for piece in pieces
        ),
        {"type": "message_stop"},
        name="type",
    )


def pair(url: str, request: object, response: object) -> dict[str, Any]:
    return {
        "request": {"method": "POST", "url": url, "headers": HEADERS, "body": request},
        "response": {"status": 200, "headers": {"set-cookie": SECRETS["cookie"]}, "body": response},
    }


def yaml_of(request: str, response: str, body: str = "body") -> str:
    headers = json.dumps({name: [value] for name, value in HEADERS.items()})
    answer = f"\n      string: {response}" if body == "body" else f" {response}"
    return (
        f"interactions:\n- request:\n    {body}: {request}\n    headers: {headers}\n"
        f"    method: POST\n    uri: {json.dumps(CLAUDE + ADDRESS)}\n"
        f"  response:\n    {body}:{answer}\n"
        f"    headers: {headers}\n    status: {{code: 200, message: OK}}\nversion: 1\n"
    )


def captures() -> dict[str, bytes]:
    sent, got = json.dumps(asked()), json.dumps(said())
    url = CLAUDE + ADDRESS
    listed = [{"name": name, "value": value} for name, value in HEADERS.items()]
    entry = {
        "request": {
            "method": "POST",
            "url": url,
            "headers": listed,
            "cookies": [{"name": "session", "value": SECRETS["cookie"]}],
            "postData": {"mimeType": "application/json", "text": sent},
        },
        "response": {
            "status": 200,
            "headers": listed,
            "content": {"text": base64.b64encode(got.encode()).decode(), "encoding": "base64"},
        },
    }
    packed_once = base64.b64encode(got.encode()).decode()
    ruby = (
        "---\nhttp_interactions:\n- request:\n    method: post\n"
        f"    uri: {json.dumps(url)}\n    body:\n      encoding: UTF-8\n      string: "
        f"{json.dumps(sent)}\n    headers: {json.dumps(HEADERS)}\n  response:\n    status:\n"
        f"      code: 200\n    headers: {json.dumps(HEADERS)}\n    body:\n"
        f"      encoding: ASCII-8BIT\n      string: !binary {packed_once}\n"
        "recorded_with: VCR 6.3.1\n"
    )
    packed = base64.b64encode(gzip.compress(got.encode())).decode()
    chain = (
        f"requests:\n- body: {json.dumps(sent)}\n  headers: {json.dumps(HEADERS)}\n"
        f"  method: POST\n  uri: {json.dumps(url)}\nresponses:\n- body:\n    string: "
        f"!!binary {packed}\n  headers: {json.dumps(HEADERS)}\n  status: {{code: 200}}\n"
    )
    chat = {
        "id": "c1",
        "object": "chat.completion",
        "choices": [{"message": {"role": "assistant", "content": SAID}, "finish_reason": "stop"}],
    }
    question = [{"role": "user", "content": SAID}]
    litellm = {
        "call_type": "completion",
        "hidden_params": {"api_key": SECRETS["openai"]},
        "metadata": {"user_api_key": SECRETS["openai"]},
        "model": "m",
        "messages": question,
        "response": chat,
        "error_str": SAID,
    }
    failed = {"error": {"message": f"Incorrect API key provided: {SECRETS['openai']}. {SAID}"}}
    page = {"web": {"uri": f"https://e.org/{ADDRESS}", "title": SAID}}
    gemini = {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": SAID}]},
                "groundingMetadata": {
                    "groundingChunks": [page],
                    "groundingSupports": [
                        {
                            "segment": {"endIndex": 4, "text": SAID[:4]},
                            "groundingChunkIndices": [0],
                        }
                    ],
                },
            }
        ],
        "modelVersion": "g",
    }
    contents = {"contents": [{"role": "user", "parts": [{"text": SAID}]}]}
    strange = f"https://me:{SECRETS['user']}@e.org/v1/{SECRETS['openai']}/talk{ADDRESS}"
    lines = [
        pair(url, asked(), said()),
        pair(f"{OPENAI}/chat/completions", {"model": "m", "messages": question}, failed),
        pair(GEMINI + ADDRESS, contents, gemini),
        pair(strange, {"model": "m", "messages": question}, {"said": SAID}),
    ]
    notebook = {
        "cells": [
            {
                "cell_type": "code",
                "source": [f"key = '{SECRETS['openai']}'"],
                "outputs": [{"output_type": "stream", "text": [got]}],
            }
        ],
        "metadata": {},
    }
    return {
        "pairs.jsonl": "".join(json.dumps(each) + "\n" for each in lines).encode(),
        "streamed.json": json.dumps(pair(url, asked(), streamed())).encode(),
        "one.har": json.dumps({"log": {"version": "1.2", "entries": [entry]}}).encode(),
        "vcr.yaml": yaml_of(json.dumps(sent), json.dumps(got)).encode(),
        "parsed.yaml": yaml_of(sent, got, "parsed_body").encode(),
        "ruby.yml": ruby.encode(),
        "chain.yaml.gz": gzip.compress(chain.encode()),
        "litellm.json": json.dumps(litellm).encode(),
        "response.json": got.encode(),
        "stream.sse": streamed().encode(),
        "note.ipynb": json.dumps(notebook).encode(),
        "broken.json": json.dumps(pair(url, asked(), said())).encode()[:-90],
        "cut.yaml": yaml_of(json.dumps(sent), json.dumps(got)).encode()[:-200],
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("captures")
    for name, data in captures().items():
        (made / name).write_bytes(data)
    return made


@pytest.fixture(scope="module")
def few(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some of them, of every provider and damaged: what is kept of all is in the database."""
    made = tmp_path_factory.mktemp("few")
    for name in ("pairs.jsonl", "streamed.json", "litellm.json", "broken.json"):
        (made / name).write_bytes((folder / name).read_bytes())
    return made


def leaks(data: bytes) -> list[str]:
    """Return the names of the credentials that stand in *data*, whole or for the most part."""
    text = data.decode("utf-8", "replace")
    joined = text.replace("\n", "").replace(" ", "")
    return [
        name
        for name, secret in SECRETS.items()
        if any(secret[at : at + 12] in joined for at in range(4, max(len(secret) - 12, 5), 4))
    ]


def files_in(place: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(place.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            yield path.name, data
            if data.startswith(b"%PDF"):
                yield f"{path.name} as text", "".join(pages_of(data)).encode()
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    for name in archive.namelist():
                        yield name, archive.read(name)


def test_the_captures_of_this_test_are_read_and_hold_what_is_searched_for(folder: Path) -> None:
    found = list(open_paths([str(folder)]))
    problems = [item for item in found if isinstance(item, Problem)]
    assert not [problem for problem in problems if "cut.yaml" not in problem.where], problems
    read = {Path(run.path).name for run in found if isinstance(run, Run)}
    assert read >= {path.name for path in folder.iterdir()} - {"cut.yaml"}
    everything = b"".join(data for _, data in files_in(folder))
    assert set(leaks(everything)) == set(SECRETS)


@pytest.mark.parametrize("ending", ["txt", "json", "html", "md", "csv", "sarif", "xml", "pdf"])
def test_no_report_holds_a_credential(few: Path, tmp_path: Path, ending: str) -> None:
    place = tmp_path / f"audit.{ending}"
    named = ["--format", "junit"] if ending == "xml" else []
    named = ["--format", "text", "--all"] if ending == "txt" else named
    arguments = ["audit", str(few), "--output", str(place), *named, "--fail-on", "never"]
    ended = command(*arguments, program=Program())
    assert ended.status in (0, 3), ended.err
    assert leaks(ended.out.encode() + ended.err.encode()) == []
    assert place.stat().st_size > 0
    for name, data in files_in(tmp_path):
        assert leaks(data) == [], name


def test_a_bundle_hands_on_no_credential_and_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    for path in sorted(folder.glob("*.*l")):
        if path.name == "cut.yaml":
            continue
        place = tmp_path / f"bundle-{path.name}"
        ended = command("bundle", str(path), str(place), program=Program())
        assert ended.status == 2, path.name
        assert "may be credentials" in ended.err
        assert "reread import" in ended.err
        assert leaks(ended.err.encode()) == []
    assert not list(tmp_path.iterdir())


def test_a_capture_without_credentials_is_bundled_as_it_is(tmp_path: Path) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Q?"}]}
    headers = {"x-api-key": "<KEY>"}
    made = {
        "request": {"method": "POST", "url": CLAUDE, "headers": headers, "body": body},
        "response": {"status": 200, "headers": {}, "body": {**said(), "content": []}},
    }
    path = tmp_path / "clean.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    ended = command("bundle", str(path), str(tmp_path / "bundle"), program=Program())
    assert ended.status == 0, ended.err
    assert (tmp_path / "bundle/data/run/clean.json").read_bytes() == path.read_bytes()


def test_nothing_that_a_command_prints_or_keeps_holds_a_credential(
    few: Path, tmp_path: Path
) -> None:
    printed = b""
    for path in sorted(few.iterdir()):
        for arguments in (
            ("view", str(path), "--call", "1"),
            ("sources", str(path)),
            ("bill", str(path)),
            ("import", str(path), "--into", str(tmp_path / f"run-{path.name}")),
        ):
            ended = command(*arguments, program=Program())
            assert ended.status != 4, ended.err
            printed += ended.out.encode() + ended.err.encode()
    assert len(printed) > 10_000
    assert any(tmp_path.rglob("events.jsonl"))
    assert leaks(printed) == []
    for place in (tmp_path, Path(os.environ["REREAD_DATA_DIR"])):
        for name, data in files_in(place):
            assert leaks(data) == [], name


def test_the_database_holds_no_credential(folder: Path, tmp_path: Path) -> None:
    with Repository(sqlite_url(tmp_path / "kept.db")) as repository:
        for run in open_paths([str(folder)]):
            if isinstance(run, Run):
                repository.save(run)
    assert (tmp_path / "kept.db").stat().st_size > 10_000
    for name, data in files_in(tmp_path):
        assert leaks(data) == [], name
