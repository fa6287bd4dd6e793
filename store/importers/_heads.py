"""The JSON value that the head of a file begins with, parsed once for all who ask.

Every importer is asked about every file, so that what each of them does with a
head is done dozens of times for every file of a folder.  A head is therefore
parsed here and nowhere else, by the parsers in C: where it ends in the middle
of a value, what stands before that is closed and parsed as it is then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from json.decoder import JSONDecodeError, JSONDecoder
from typing import Final, NamedTuple

import orjson

from store.records.json_text import MAX_DEPTH, parse, plain

__all__ = ["beginning", "first_line", "first_value", "forget"]

_BOM: Final = b"\xef\xbb\xbf"
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
_DECODER: Final = JSONDecoder(strict=False)
_BLANK: Final = " \t\r\n"
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_BRACKET: Final = re.compile(r"[\[\]{}]")
_CLOSES: Final = {"{": "}", "[": "]"}
_HOLDERS: Final = (dict, list)


class _Head(NamedTuple):
    """The value that a head begins with; ``is_line`` says that it is all of the first line."""

    value: object = None
    whole: bool = False
    is_line: bool = False


def beginning(head: bytes) -> tuple[object, bool]:
    """Return the JSON value that *head* begins with, and whether it is whole.

    ``None`` where it begins with neither an object nor a list, or where these
    are nested deeper than `MAX_DEPTH`.  Of what is not whole, all that stands
    before the place where it ends or stops being JSON is there, the beginning
    of a text as well.  The last answers are kept (see `forget`): nobody may
    change what is returned.
    """
    found = _parsed(head)
    return found.value, found.whole


def first_line(head: bytes) -> object:
    """Return the value of the first line that is not blank; ``None`` if it is not one by itself."""
    found = _parsed(head)
    return found.value if found.is_line else None


def first_value(head: bytes) -> object:
    """Return the value that *head* begins with, also of a file in UTF-16; ``None`` if none."""
    if head[:2] in _WIDE:
        head = head.decode("utf-16", "replace").encode("utf-8", "surrogatepass")
    return beginning(head)[0]


def forget() -> None:
    """Let go of the answers that are kept: all were asked about this head."""
    _parsed.cache_clear()


@lru_cache(maxsize=2)
def _parsed(head: bytes) -> _Head:
    data = head.removeprefix(_BOM).lstrip(b" \t\r\n")
    if data[:1] not in (b"{", b"["):
        return _Head()
    found = _first(data)
    return _Head() if found.value is None or _is_deep(found.value, data) else found


def _first(data: bytes) -> _Head:
    line, _, rest = data.partition(b"\n")
    with suppress(orjson.JSONDecodeError):
        return _Head(orjson.loads(line), whole=True, is_line=True)
    if rest.strip():
        with suppress(orjson.JSONDecodeError):
            return _Head(orjson.loads(data), whole=True)
    text = data.decode("utf-8", "surrogateescape")
    try:
        value, end = _DECODER.raw_decode(text)
    except JSONDecodeError as error:
        with suppress(ValueError, RecursionError):
            return _Head(_closed(text, error))
    except (ValueError, RecursionError):  # a number or a nesting that Python does not take
        pass
    else:
        behind = text[end:].partition("\n")[0].strip()
        return _Head(value, whole=True, is_line=not behind and "\n" not in text[:end])
    root = parse(text, tolerant=True)
    return _Head() if root is None else _Head(plain(root), root.complete)


def _closed(text: str, error: JSONDecodeError) -> object:
    """Return the value of *text* up to *error*.  Raises `ValueError` where it cannot be closed."""
    # Half an escape at the end of a text is an error behind the quote that begins the text.
    place = _quote_before(text, error.pos) if error.msg.startswith("Invalid") else error.pos
    kept = text[:place].rstrip(_BLANK)
    opened = _opened(kept)
    last = kept[-1:]
    wants_value = last in (":", "[") or (last == "," and opened[-1] == "[")
    if wants_value and text[place : place + 1] == '"':
        begun = parse(text, place, tolerant=True)
        kept = kept if begun is None else f'{text[: begun.end]}"'
    elif last == ":" or "':'" in error.msg:
        kept = kept[: _quote_before(kept, kept.rindex('"'))].rstrip(_BLANK)
    closed = kept.removesuffix(",") + "".join(_CLOSES[sign] for sign in reversed(opened))
    with suppress(orjson.JSONDecodeError):
        return orjson.loads(closed)
    return _DECODER.decode(closed)


def _opened(text: str) -> list[str]:
    """Return the brackets that are open at the end of *text*."""
    opened: list[str] = []
    for sign in _BRACKET.findall(_STRING.sub("", text)):
        if sign in _CLOSES:
            opened.append(sign)
        else:
            opened.pop()
    return opened


def _quote_before(text: str, end: int) -> int:
    """Return the place of the last quote before *end* that is not escaped."""
    while True:
        end = start = text.rindex('"', 0, end)
        while text[start - 1 : start] == "\\":
            start -= 1
        if (end - start) % 2 == 0:
            return end


def _is_deep(value: object, data: bytes) -> bool:
    """Return whether *value*, which *data* begins with, is nested deeper than `MAX_DEPTH`."""
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return False
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for item in level for inner in _members(item) if type(inner) in _HOLDERS]
        if not level:
            return False
    return True


def _members(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
