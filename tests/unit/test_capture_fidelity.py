"""What a recorder changed is told, and undone only where every byte proves it."""

import gzip
import json
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import brotli
import pytest

from store.importers import _capture_coding
from store.importers._capture_coding import undone
from store.importers._capture_fidelity import as_sent, change_of_request, change_of_response
from store.importers._capture_http import Message, decoded
from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import Problem, ProblemKind, Run

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

URL = "https://api.anthropic.com/v1/messages"
TEXT = "Größe 12 € – “quoted” 你好"
REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": TEXT}]}
RESPONSE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "content": [{"type": "text", "text": TEXT}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 90},
}
BODY = json.dumps(RESPONSE, ensure_ascii=False).encode()


def deflated(data: bytes) -> bytes:
    tool = zlib.compressobj(wbits=-15)
    return tool.compress(data) + tool.flush()


CODINGS = {
    "gzip": gzip.compress(BODY),
    "zstd": zstd.compress(BODY),
    "br": brotli.compress(BODY),
    "deflate": zlib.compress(BODY),
    "deflate without its wrapper": deflated(BODY),
    "br, gzip": gzip.compress(brotli.compress(BODY)),
}


def run_of(tmp_path: Path, *pairs: dict[str, Any]) -> Run:
    path = tmp_path / "made.jsonl"
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), encoding="utf-8")
    (run,) = open_paths([str(path)])
    assert isinstance(run, Run), run
    return run


def pair(
    request: object, headers: dict[str, str], response: object = RESPONSE, **got: str
) -> dict[str, Any]:
    return {
        "request": {"method": "POST", "url": URL, "headers": headers, "body": request},
        "response": {"status": 200, "headers": got, "body": response},
    }


@pytest.mark.parametrize("name", CODINGS)
def test_a_body_is_read_in_every_coding_that_is_served(name: str) -> None:
    assert undone(name.partition(" without")[0], CODINGS[name]) == (BODY, "")


@pytest.mark.parametrize("name", CODINGS)
def test_a_body_that_a_recorder_decoded_stays_as_it_is_under_its_old_header(name: str) -> None:
    assert undone(name.partition(" without")[0], BODY) == (BODY, "")


@pytest.mark.parametrize("name", CODINGS)
def test_a_body_whose_coding_is_cut_off_keeps_what_stands_before_and_says_so(name: str) -> None:
    data = CODINGS[name]
    body, trouble = undone(name.partition(" without")[0], data[: len(data) - 12])
    assert BODY.startswith(body or b"")
    assert "cannot be decompressed" in trouble


@pytest.mark.parametrize(("name", "pack"), [("zstd", zstd.compress), ("br", brotli.compress)])
def test_what_grows_without_end_is_stopped(
    monkeypatch: pytest.MonkeyPatch, name: str, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(_capture_coding, "LIMIT", 100_000)
    assert "more than 100000 bytes" in undone(name, pack(b"a" * 1_000_000)).trouble
    assert undone(name, pack(b"a" * 90_000)).body == b"a" * 90_000


@pytest.mark.parametrize("codec", ["latin-1", "cp1252"])
def test_utf_8_that_was_taken_for_another_charset_is_undone_where_every_byte_proves_it(
    codec: str,
) -> None:
    text = 'data: {"a": "Größe – 12 €"}\n\n'
    mistaken = text.encode().decode(codec).encode()
    assert as_sent(mistaken)[0] == text.encode()
    assert as_sent(text.encode()) == (text.encode(), "")


def test_text_that_only_looks_mistaken_stays_as_it_is() -> None:
    for text in ("Ã alone", "naïve – 你好", "plain"):
        assert as_sent(text.encode()) == (text.encode(), "")


@pytest.mark.parametrize("codec", ["latin-1", "cp1252"])
def test_a_stream_in_a_mistaken_charset_is_told_and_gives_the_text_as_it_was(
    tmp_path: Path, codec: str
) -> None:
    text = "Größe – 12"
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**RESPONSE, "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "message_stop"},
    ]
    body = "".join(f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events)
    run = run_of(tmp_path, pair(REQUEST, {}, body.encode().decode(codec)))
    assert run.answers[0].text == text
    (problem,) = [p for p in run.problems if "capture altered" in p.what]
    assert problem.kind is ProblemKind.NOTED
    assert ("Latin-1" if codec == "latin-1" else "Windows-1252") in problem.what


def test_a_response_whose_type_names_its_charset_was_not_mistaken(tmp_path: Path) -> None:
    body = json.dumps({**RESPONSE, "content": [{"type": "text", "text": "GrÃ¶Ã\x9fe"}]})
    wrong = json.loads(body)
    text = json.dumps(wrong, ensure_ascii=False)
    run = run_of(tmp_path, pair(REQUEST, {}, text))
    assert run.answers[0].text == "Größe"
    named = {"Content-Type": "application/json; charset=utf-8"}
    run = run_of(tmp_path, pair(REQUEST, {}, text, **named))
    assert run.answers[0].text == "GrÃ¶Ã\x9fe"


def sent(value: object, length: int | str) -> Message:
    return decoded({"content-length": str(length)}, json.dumps(value).encode())


def test_a_request_of_the_length_that_was_sent_is_what_was_sent() -> None:
    compact = json.dumps(REQUEST, ensure_ascii=False, separators=(",", ":"))
    for length in (len(json.dumps(REQUEST)), len(compact.encode()), "**REDACTED**", "", 0):
        assert change_of_request(sent(REQUEST, length), rewritten=False) is None
    packed = decoded({"content-length": "7", "content-encoding": "zstd"}, b"{}")
    assert change_of_request(packed, rewritten=False) is None


def test_a_request_that_was_longer_when_it_was_sent_is_not_what_the_model_read(
    tmp_path: Path,
) -> None:
    run = run_of(tmp_path, pair(json.dumps(REQUEST), {"content-length": "67988"}))
    (call,) = run.calls
    assert call.grade is Grade.UNKNOWN
    assert "67988 bytes were sent" in call.grade_reason
    assert any("capture altered" in problem.what for problem in run.problems)


def test_a_request_that_was_shorter_when_it_was_sent_was_written_anew() -> None:
    change = change_of_request(sent(REQUEST, 20), rewritten=False)
    assert change is not None
    assert change.grade is Grade.RECORDED
    assert "wrote anew" in change.what


def test_rewriting_unicode_explains_a_length_up_to_three_bytes_for_one() -> None:
    held = len(json.dumps(REQUEST).encode())
    assert change_of_request(sent(REQUEST, held * 2), rewritten=True) is None
    assert change_of_request(sent(REQUEST, held * 9), rewritten=True) is not None


def test_a_response_that_lost_text_is_told() -> None:
    short = decoded({"content-length": "5000"}, b'{"id": "msg_1"}')
    assert "5000 bytes were received" in change_of_response(short)
    packed = decoded({"content-length": "5000"}, BODY * 50)
    assert change_of_response(packed) == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("Read <MASSIVE_TEXT> and answer", "<MASSIVE_TEXT>"),
        ("Read [REDACTED] and answer", "[REDACTED]"),
        ("Read **REDACTED** and answer", "**REDACTED**"),
    ],
)
def test_a_name_in_place_of_text_is_told_and_doubts_the_request_where_tokens_prove_it(
    tmp_path: Path, content: str, said: str
) -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": content}]}
    run = run_of(tmp_path, pair(request, {}))
    assert run.calls[0].grade is Grade.RECORDED
    assert any(said in p.what and "may stand for" in p.what for p in run.problems)
    many = {**RESPONSE, "usage": {"input_tokens": 90_000}}
    run = run_of(tmp_path, pair(request, {}, many))
    assert run.calls[0].grade is Grade.UNKNOWN
    assert said in run.calls[0].grade_reason


def test_text_that_a_log_cut_out_leaves_the_request_unknown(tmp_path: Path) -> None:
    cut = "head ... (litellm_truncated skipped 900 chars. Increase the limit) ... tail"
    request = {"model": "m", "messages": [{"role": "user", "content": cut}]}
    run = run_of(tmp_path, pair(request, {}))
    assert run.calls[0].grade is Grade.UNKNOWN
    assert "cut text out" in run.calls[0].grade_reason


def test_a_body_that_breaks_off_leaves_the_request_unknown(tmp_path: Path) -> None:
    run = run_of(tmp_path, pair(json.dumps(REQUEST)[:40], {}))
    assert run.calls[0].grade is Grade.UNKNOWN
    assert any(p.kind is ProblemKind.LOST for p in run.problems)


def test_a_capture_of_requests_that_lost_their_text_is_told_in_the_record(shared: Path) -> None:
    name = "google__pydantic-ai__test_google_model_web_search_tool_stream.yaml"
    found = list(open_paths([str(shared / "data/captures" / name)]))
    assert not [item for item in found if isinstance(item, Problem)]
    told = [p.what for run in found if isinstance(run, Run) for p in run.problems]
    assert sum("the recorder wrote bodies anew" in what for what in told) == 1
