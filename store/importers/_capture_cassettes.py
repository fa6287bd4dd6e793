"""Cassettes of VCR.py, pytest-recording, Ruby VCR, R vcr, pydantic-ai and LangChain.

Shapes: VCR.py ``interactions[{request{method,uri,headers,body}, response{status,
headers,body{string}}}]`` (an old stub of httpx: ``response{content,status_code}``);
Ruby VCR ``http_interactions`` with ``body{encoding, string | base64_string}``;
LangChain ``requests`` and ``responses`` as two lists; pydantic-ai ``parsed_body``,
whose keys are sorted and whose characters were rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._capture_http import (
    Interaction,
    Message,
    decoded,
    from_base64,
    headers_of,
)

__all__ = ["REWRITTEN", "interactions_of", "is_cassette"]

REWRITTEN: Final = (
    "the recorder wrote bodies anew (sorted keys, typographic marks as ASCII, NFKC), so that "
    "offsets of the provider may be off by what it changed"
)
_KEYS = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:[ \t]*#[^\n]*\r?\n|\s)*(?:---[^\n]*\n\s*)?"
    rb"[\"']?(?:interactions|http_interactions|requests|responses|recorded_with|version)[\"']?:"
)
_EVIDENCE = re.compile(rb"(?m)^[ \t]*(?:- |[\"']?)(?:request|body|method|uri|status|headers)")


def is_cassette(head: bytes) -> bool:
    """Return whether a file that begins with *head* is a cassette in YAML."""
    found = _KEYS.match(head)
    return bool(found) and bool(_EVIDENCE.search(head, found.end() if found else 0))


def interactions_of(value: object) -> Iterator[Interaction] | None:
    """Return the exchanges in the document of a cassette, or ``None`` if it is none."""
    if not isinstance(value, dict):
        return None
    for key in ("interactions", "http_interactions"):
        if isinstance(value.get(key), list):
            return _listed(value[key])
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


def _listed(items: list[object]) -> Iterator[Interaction]:
    for number, item in enumerate(items):
        if isinstance(item, dict) and isinstance(item.get("request"), dict):
            yield _interaction(item, number)
        else:
            yield Interaction(number)


def _interaction(item: Mapping[str, object], number: int) -> Interaction:
    request, response = _map(item.get("request")), _map(item.get("response"))
    status = response.get("status", response.get("status_code"))
    code = status.get("code") if isinstance(status, dict) else status
    parsed = "parsed_body" in request or "parsed_body" in response
    recorded = item.get("recorded_at")
    return Interaction(
        number=number,
        method=str(request.get("method") or ""),
        url=str(request.get("uri") or request.get("url") or ""),
        status=code if isinstance(code, int) and not isinstance(code, bool) else None,
        request=_message(request),
        response=_message(response),
        at=recorded if isinstance(recorded, str) else None,
        altered=REWRITTEN if parsed else "",
    )


def _message(side: Mapping[str, object]) -> Message:
    headers = headers_of(side.get("headers"))
    if "parsed_body" in side:
        value = side["parsed_body"]
        if isinstance(value, str):
            return Message(headers, value.encode("utf-8", "surrogateescape"))
        return Message(headers, value=value)
    body = side.get("body", side.get("content"))
    if isinstance(body, dict):
        if "base64_string" in body:
            return _decoded(headers, from_base64(body["base64_string"]))
        if not {"string", "encoding"} & body.keys():
            return Message(headers, value=body)
        body = body.get("string")
    return _decoded(headers, body)


def _decoded(headers: Mapping[str, str], body: object) -> Message:
    if isinstance(body, str):
        body = body.encode("utf-8", "surrogateescape")
    if isinstance(body, (list, dict)):
        return Message(headers, value=body)
    return decoded(headers, body if isinstance(body, bytes) else None)


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
