"""YAML as recorders write it: read as data, whatever its tags say.

Nothing is ever constructed: an unknown tag (``!!python/object/new:…``) names
data and no code.  An alias may stand for a value once more, but the whole
may not become larger than what was written by more than a little, and nothing
nests deeper than a recorder nests; what breaks these limits is refused.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any, Final, NamedTuple

__all__ = ["Yaml", "YamlError", "read_yaml"]

_DEPTH: Final = 200
_ALIASES: Final = 1_000_000
"""Values that aliases may add; bodies that are recorded twice are what they are used for."""
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,18})")
_FLOAT = re.compile(r"[-+]?(?:[0-9]{1,30}\.[0-9]{0,30}|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,3})?")
_WORDS: Final = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_BINARY: Final = ("tag:yaml.org,2002:binary", "!binary", "!!binary")
_STRING: Final = "tag:yaml.org,2002:str"
_PYTHON: Final = "tag:yaml.org,2002:python/"


class YamlError(ValueError):
    """The text is no YAML that can be read; the message says where and why."""


class Yaml(NamedTuple):
    """A document; ``broken`` says where it breaks off, and ``value`` is what is whole before."""

    value: object
    broken: str = ""


def read_yaml(data: bytes) -> Yaml:
    """Return the first document in *data*; binary values are bytes.

    Raises `YamlError` where nothing whole stands before the place at which it
    breaks off.
    """
    import yaml  # noqa: PLC0415 - only whoever opens a cassette waits for it

    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    text = data.decode("utf-8", "surrogateescape").encode("utf-8", "replace")
    reader = _Reader(yaml)
    try:
        return Yaml(reader.document(yaml.parse(text, loader)))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else "?"
        broken = f"{getattr(error, 'problem', None) or error} in line {line}"
    except (UnicodeError, RecursionError, ValueError) as error:
        broken = str(error)
    whole = reader.whole()
    if whole is None:
        raise YamlError(broken)
    return Yaml(whole, broken)


class _Reader:
    """Builds values from the events of a parser, with a stack of its own."""

    def __init__(self, yaml: Any) -> None:  # noqa: ANN401 - PyYAML has no types
        self._yaml = yaml
        self._stack: list[_Open] = []
        self._anchors: dict[str, object] = {}
        self._added = 0

    def document(self, events: Any) -> object:  # noqa: ANN401
        """Return the first document."""
        yaml, stack = self._yaml, self._stack
        for event in events:
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                if len(stack) >= _DEPTH:
                    raise YamlError(f"nested deeper than {_DEPTH} levels")
                stack.append(_Open({} if isinstance(event, yaml.MappingStartEvent) else [], event))
            elif isinstance(event, (yaml.ScalarEvent, yaml.AliasEvent, yaml.CollectionEndEvent)):
                value = self._value(event)
                if not stack:
                    return value
                stack[-1].add(value)
        raise YamlError("an empty document")

    def _value(self, event: Any) -> object:  # noqa: ANN401
        if isinstance(event, self._yaml.AliasEvent):
            return self._alias(event.anchor)
        if isinstance(event, self._yaml.ScalarEvent):
            value, anchor = _scalar(event), event.anchor
        else:
            done = self._stack.pop()
            value, anchor = _plain(done), done.anchor
        if anchor:
            self._anchors[anchor] = value
        return value

    def whole(self) -> object:
        """Return what is complete of a mapping of lists that breaks off."""
        if len(self._stack) < 2:  # noqa: PLR2004 - a mapping and the list in it
            return None
        self._stack[0].add(self._stack[1].value)
        return self._stack[0].value

    def _alias(self, name: str) -> object:
        if name not in self._anchors:
            raise YamlError(f"the alias *{name} stands for nothing that is complete")
        value = self._anchors[name]
        self._added += _size(value, _ALIASES - self._added)
        if self._added >= _ALIASES:
            raise YamlError("its aliases make it larger than can be read")
        return value


class _Open:
    """A mapping or sequence that is not finished."""

    __slots__ = ("anchor", "has_key", "key", "tag", "value")

    def __init__(self, value: dict[str, object] | list[object], event: Any) -> None:  # noqa: ANN401
        self.value = value
        self.anchor: str | None = event.anchor
        self.tag: str = event.tag or ""
        self.key = ""
        self.has_key = False

    def add(self, value: object) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
        elif self.has_key:
            self.value[self.key] = value
            self.has_key = False
        else:
            self.key = value if isinstance(value, str) else str(value)
            self.has_key = True


def _scalar(event: Any) -> object:  # noqa: ANN401
    text: str = event.value
    tag: str = event.tag or ""
    if tag in _BINARY:
        try:
            return base64.b64decode(text)
        except (binascii.Error, ValueError):
            raise YamlError(f"no base64 in line {event.start_mark.line + 1}") from None
    if tag == _STRING or tag.startswith(_PYTHON) or event.style:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _plain(done: _Open) -> object:
    """Return what an object of a program holds: the bytes that a stream was made of, say.

    ``!!python/object/new:_io.BytesIO`` has its bytes as the first member of a
    list, as ``state`` or as ``args``; any other object is its data.
    """
    if not done.tag.startswith(_PYTHON):
        return done.value
    value: object = done.value
    for key in ("state", "args"):
        if isinstance(value, dict) and key in value:
            value = value[key]
    while isinstance(value, list) and value and isinstance(value[0], (str, bytes, list)):
        value = value[0]
    return value


def _size(value: object, limit: int) -> int:
    """Return how many values *value* holds, counting no further than *limit*."""
    count, waiting = 0, [value]
    while waiting and count <= limit:
        item = waiting.pop()
        count += 1 if not isinstance(item, (str, bytes)) else 1 + len(item) // 1000
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return count
