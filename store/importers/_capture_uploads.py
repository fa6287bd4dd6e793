"""Files that an exchange gave the service to keep, so that later requests can name them.

Bodies as in RFC 7578 (``multipart/form-data``), or the file alone where it is
sent by itself (Gemini's resumable upload).  The response names the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from store.importers._capture_http import Interaction, Message, parsed
from store.importers._wire import KeptFile

__all__ = ["kept_file"]

_PLACES: Final = re.compile(r"/files(?:/upload)?/?$|/upload/[^?]*files|/files\?")
_BOUNDARY: Final = re.compile(r"boundary=\"?([^\";,\s]{1,200})")
_NAME: Final = re.compile(rb"filename=\"((?:[^\"\\]|\\.)*)\"")
_MEDIA: Final = re.compile(rb"(?im)^content-type:[ \t]*([^\r\n;]+)")


def kept_file(interaction: Interaction) -> tuple[tuple[str, ...], KeptFile] | None:
    """Return the names of a file that the service keeps from now on, and the file."""
    if not _PLACES.search(interaction.url.lower()):
        return None
    response = parsed(interaction.response)
    told = response if isinstance(response, dict) else {}
    inner = told.get("file") if isinstance(told.get("file"), dict) else told
    names = tuple(
        value
        for key in ("id", "file_id", "name", "uri")
        if isinstance(value := _map(inner).get(key), str) and value
    )
    file = _file(interaction.request, _map(inner))
    return (names, file) if names and file is not None else None


def _file(message: Message, told: Mapping[str, object]) -> KeptFile | None:
    body = message.body
    if not body:
        return None
    named = told.get("filename", told.get("display_name", told.get("displayName")))
    name = named if isinstance(named, str) else ""
    media = told.get("mime_type", told.get("mimeType"))
    found = _BOUNDARY.search(message.headers.get("content-type", ""))
    boundary = found[1].encode() if found else body.partition(b"\r\n")[0].removeprefix(b"--")
    if not body.startswith(b"--" + boundary) or not boundary:
        return KeptFile(name, media, body) if isinstance(media, str) else None
    for part in body.split(b"--" + boundary)[1:]:
        head, _, data = part.partition(b"\r\n\r\n")
        file_name, kind = _NAME.search(head), _MEDIA.search(head)
        if file_name is None and (kind is None or b"json" in kind[1]):
            continue
        shown = file_name[1].decode("utf-8", "replace") if file_name else ""
        type_ = kind[1].decode("latin-1").strip() if kind else ""
        if type_ == "application/octet-stream":
            type_ = media if isinstance(media, str) else ""
        return KeptFile(name or shown, type_, data.removesuffix(b"\r\n"))
    return None


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
