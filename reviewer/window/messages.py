"""Messages of audits and importers in the reader's language.

They are written in English, as facts that every report tells the same, with
values of the evidence inside.  Here a message is recognised by the template
of its wording, and the values are put into the translated template as they
are.  What is not recognised stays in English.  Nothing here imports Qt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reviewer.services.resources import resource

__all__ = ["Messages", "messages_in"]

_HOLE = re.compile(r"\{(\d+)\}")
_TOLD = re.compile(r"\{(\d+)(!t)?\}")
_JOINTS = {"; ": "；", " and ": "并"}
"""How messages and words are joined, and how they are in Chinese."""
_BEHIND = (", ", "; ", " ")
_MOST_TRIES = 150
"""Lists of templates that one message is held against, before it is taken as unknown."""
_LONGEST = 4_000
"""Characters; what is longer holds evidence, and is not taken apart."""


@dataclass(frozen=True, slots=True)
class _Template:
    """The wording around the values, and what it is in the other language."""

    literals: tuple[str, ...]
    told: str

    @property
    def weight(self) -> int:
        return sum(map(len, self.literals))

    def values(self, text: str) -> list[str] | None:
        """Return what stands in the holes, in one pass; ``None`` where the wording is another."""
        first, *between = self.literals
        if not between:
            return [] if text == first else None
        last = between.pop()
        at, end = len(first), len(text) - len(last)
        if end < at or not text.startswith(first) or not text.endswith(last):
            return None
        found = []
        for literal in between:
            to = text.find(literal, at, end)
            if to < 0:
                return None
            found.append(text[at:to])
            at = to + len(literal)
        return [*found, text[at:end]]


class Messages:
    """The templates of one language.

    A template begins with ``, ``, ``; `` or a space where it is written behind
    another message.  In a translation ``{0}`` is the value as it is, ``{0!t}``
    a value that is a message or word itself and is translated as one.
    """

    def __init__(self, entries: Mapping[str, str]) -> None:
        made = [_Template(tuple(_HOLE.split(text)[::2]), told) for text, told in entries.items()]
        made.sort(key=lambda each: -each.weight)
        self.behind = [each for each in made if each.literals[0].startswith(_BEHIND)]
        self.whole = [each for each in made if each not in self.behind]
        self.closed = [each for each in self.whole if each.literals[-1]]
        self.told = lru_cache(maxsize=4096)(self._told)

    def _told(self, text: str) -> str:
        """Return *text* in this language, or as it is where its wording is not known."""
        if len(text) > _LONGEST:
            return text
        # First so that every piece is known, then with pieces that stay as they are.
        for strict in (True, False):
            found = _Search(self, strict=strict).find(text)
            if found is not None:
                return found
        return text


class _Search:
    """One search for the wording of a message; it gives up where a text needs too many tries."""

    def __init__(self, messages: Messages, *, strict: bool) -> None:
        self._messages = messages
        self._strict = strict
        self._tries = _MOST_TRIES

    def find(self, text: str) -> str | None:
        """Return *text* in the other language, ``None`` where it is not known."""
        for way in (self._joined, self._closed, self._with_end, self._whole):
            found = way(text) if text else None
            if found is not None:
                return found
        return None

    def _closed(self, text: str) -> str | None:
        return self._one_of(self._messages.closed, text)

    def _whole(self, text: str) -> str | None:
        return self._one_of(self._messages.whole, text)

    def _one_of(self, templates: Sequence[_Template], text: str) -> str | None:
        self._tries -= 1
        for template in templates if self._tries > 0 else ():
            values = template.values(text)
            told = None if values is None else self._filled(template, values)
            if told is not None:
                return told
        return None

    def _with_end(self, text: str) -> str | None:
        places = [(text.rfind(each.literals[0]), each) for each in self._messages.behind]
        for at, template in sorted(places, key=lambda each: -each[0]):
            values = template.values(text[at:]) if at >= 0 else None
            end = None if values is None else self._filled(template, values)
            head = "" if end is None or at == 0 else self.find(text[:at])
            if end is not None and head is not None:
                return head + end
        return None

    def _joined(self, text: str) -> str | None:
        for joint, told in _JOINTS.items():
            at = text.find(joint)
            while at > 0 and self._tries > 0:
                head = self._whole(text[:at])
                rest = None if head is None else self.find(text[at + len(joint) :])
                if head is not None and rest is not None:
                    return head + told + rest
                at = text.find(joint, at + 1)
        return None

    def _filled(self, template: _Template, values: Sequence[str]) -> str | None:
        """Put *values* in; ``None`` where one is to be translated, and its wording not known."""
        wanted = {int(hole[1]) for hole in _TOLD.finditer(template.told) if hole[2]}
        told = list(values)
        for at in wanted:
            found = self.find(values[at]) if values[at] else ""
            if found is None and self._strict and not values[at].isdigit():
                return None
            told[at] = values[at] if found is None else found
        # In one pass: evidence that looks like a hole is put in as it is.
        return _TOLD.sub(lambda hole: told[int(hole[1])], template.told)


@lru_cache(maxsize=4)
def messages_in(code: str) -> Messages:
    """Return the messages of the language *code*."""
    with resource(f"translations/{code}.patterns.json").open(encoding="utf-8") as stream:
        entries: dict[str, str] = json.load(stream)
    return Messages(entries)
