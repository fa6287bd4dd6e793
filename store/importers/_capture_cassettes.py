"""Cassettes of VCR.py, pytest-recording, Ruby VCR, R vcr, cassetter, pydantic-ai and LangChain.

Shapes: VCR.py ``interactions[{request{method,uri,headers,body}, response{status,
headers,body{string}}}]`` (an old stub of httpx: ``response{content,status_code}``);
Ruby VCR ``http_interactions`` with ``body{encoding, string | base64_string}``;
LangChain ``requests`` and ``responses`` as two lists; pydantic-ai ``parsed_body``,
whose keys are sorted and whose characters were rewritten, and for calls over
gRPC ``request_sample`` or ``request_stream`` with the messages as JSON;
cassetter ``body{type: json | text | binary | none, content}``, bytes in
hexadecimal, as YAML, or TOML with ``body_type`` and ``body_content``, and
``grpc_interactions`` with ``json_debug``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._capture_http import (
    SOCKET,
    Interaction,
    Message,
    decoded,
    from_base64,
    headers_of,
)

__all__ = ["REWRITTEN", "interactions_of", "is_cassette", "is_toml", "read_toml"]

REWRITTEN: Final = (
    "the recorder wrote bodies anew (sorted keys, typographic marks as ASCII, NFKC), so that "
    "offsets of the provider may be off by what it changed"
)
_KEYS = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:[ \t]*#[^\n]*\r?\n|\s)*(?:---[^\n]*\n\s*)?"
    rb"[\"']?(?:(?:(?:http|grpc|ws)_)?interactions|requests|responses|recorded_with|version)[\"']?:"
)
_TOML = re.compile(rb"(?:\s|#[^\n]*\n)*version = [0-9]+\s+\[\[interactions\]\]")
_PROTOBUF: Final = "its messages are kept in protobuf alone, which is not read"
_PATHS: Final = {
    "sample": "/xai_api.Chat/GetCompletion",
    "stream": "/xai_api.Chat/GetCompletionChunk",
}
_TYPES: Final = ("json", "text", "binary", "none")
_LISTS: Final = ("interactions", "http_interactions", "grpc_interactions", "ws_interactions")
_EVIDENCE = re.compile(rb"(?m)^[ \t]*(?:- |[\"']?)(?:request|body|method|uri|status|headers)")


def is_cassette(head: bytes) -> bool:
    """Return whether a file that begins with *head* is a cassette in YAML."""
    found = _KEYS.match(head)
    return bool(found) and bool(_EVIDENCE.search(head, found.end() if found else 0))


def interactions_of(value: object) -> Iterator[Interaction] | None:
    """Return the exchanges in the document of a cassette, or ``None`` if it is none."""
    if not isinstance(value, dict):
        return None
    lists = [value[key] for key in _LISTS if isinstance(value.get(key), list)]
    if lists:
        return _listed([item for listed in lists for item in listed])
    requests, responses = value.get("requests"), value.get("responses")
    if isinstance(requests, list):
        pairs: list[object] = [
            {"request": request, "response": response}
            for request, response in zip(
                requests,
                [*(responses if isinstance(responses, list) else ()), *[None] * len(requests)],
                strict=False,
            )
        ]
        return _listed(pairs)
    return None


def is_toml(head: bytes) -> bool:
    """Return whether a file that begins with *head* is a cassette in TOML."""
    return bool(_TOML.match(head))


def read_toml(data: bytes) -> object:
    """Return the document of a cassette in TOML.  Raises `ValueError`, also where it breaks off."""
    return tomllib.loads(data.decode())


def _listed(items: list[object]) -> Iterator[Interaction]:
    for number, item in enumerate(items):
        found: Mapping[str, object] = item if isinstance(item, dict) else {}
        kind = next((key for key in _PATHS if f"request_{key}" in found), "")
        if kind:
            yield _remote(found, kind, number)
        elif isinstance(found.get("request"), dict):
            yield _debugged(found, number) if _is_remote(found) else _interaction(found, number)
        else:
            trouble = SOCKET if isinstance(found.get("frames"), list) else ""
            yield Interaction(number, request=Message(trouble=trouble))


# -- calls over gRPC --------------------------------------------------------------------


def _is_remote(item: Mapping[str, object]) -> bool:
    return "metadata" in _map(item.get("request")) and "status_code" in _map(item.get("response"))


def _remote(item: Mapping[str, object], kind: str, number: int) -> Interaction:
    """Return a call whose messages the recorder wrote as JSON beside the bytes."""
    asked, got = _map(item.get(f"request_{kind}")), _map(item.get(f"response_{kind}"))
    chunks = got.get("chunks_json")
    answer: object = got.get("json")
    if isinstance(chunks, list):
        answer = [_map(chunk).get("chunk", chunk) for chunk in chunks]
    return Interaction(
        number,
        method="POST",
        url=_PATHS[kind],
        request=_message_of(asked.get("json")),
        response=_message_of(answer),
    )


def _debugged(item: Mapping[str, object], number: int) -> Interaction:
    request, shown = _map(item.get("request")), _map(item.get("json_debug"))
    return Interaction(
        number,
        method="POST",
        url=str(request.get("method") or ""),
        request=_message_of(shown.get("request")),
        response=_message_of(shown.get("response")),
        at=_at(item),
    )


def _message_of(value: object) -> Message:
    known = isinstance(value, (dict, list)) and bool(value)
    return Message(value=value) if known else Message(trouble=_PROTOBUF)


# -- exchanges over HTTP ----------------------------------------------------------------


def _at(item: Mapping[str, object]) -> str | None:
    recorded = item.get("recorded_at")
    return recorded if isinstance(recorded, str) else None


def _interaction(item: Mapping[str, object], number: int) -> Interaction:
    request, response = _map(item.get("request")), _map(item.get("response"))
    status = response.get("status", response.get("status_code"))
    code = status.get("code") if isinstance(status, dict) else status
    parsed = "parsed_body" in request or "parsed_body" in response
    return Interaction(
        number=number,
        method=str(request.get("method") or ""),
        url=str(request.get("uri") or request.get("url") or ""),
        status=code if isinstance(code, int) and not isinstance(code, bool) else None,
        request=_message(request),
        response=_message(response),
        at=_at(item),
        altered=REWRITTEN if parsed else "",
    )


def _message(side: Mapping[str, object]) -> Message:
    headers = headers_of(side.get("headers"))
    if "parsed_body" in side:
        value = side["parsed_body"]
        if isinstance(value, str):
            return Message(headers, value.encode("utf-8", "surrogateescape"))
        return Message(headers, value=value)
    if "body_type" in side:
        return _structured(headers, side["body_type"], side.get("body_content"))
    body = side.get("body", side.get("content"))
    return _named(headers, body) if isinstance(body, dict) else _decoded(headers, body)


def _named(headers: Mapping[str, str], body: Mapping[str, object]) -> Message:
    """Return a body whose recorder says how it is written; any other object is the body itself."""
    if "base64_string" in body:
        return _decoded(headers, from_base64(body["base64_string"]))
    if body.get("type") in _TYPES and body.keys() <= {"type", "content"}:
        return _structured(headers, body["type"], body.get("content"))
    if not {"string", "encoding"} & body.keys():
        return Message(headers, value=body)
    return _decoded(headers, body.get("string"))


def _structured(headers: Mapping[str, str], kind: object, content: object) -> Message:
    if kind == "binary" and isinstance(content, str):
        try:
            return _decoded(headers, bytes.fromhex(content))
        except ValueError:
            return Message(headers, trouble="the bytes of the body are no hexadecimal")
    if kind == "json" and not isinstance(content, str):
        return Message(headers, value=content)
    return _decoded(headers, content)


def _decoded(headers: Mapping[str, str], body: object) -> Message:
    if isinstance(body, str):
        body = body.encode("utf-8", "surrogateescape")
    if isinstance(body, (list, dict)):
        return Message(headers, value=body)
    return decoded(headers, body if isinstance(body, bytes) else None)


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
