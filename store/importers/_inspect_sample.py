"""A sample of an Inspect log with what its events refer to put in place.

Texts of 100 characters and more stand once, as attachments, and events name
them (``attachment://`` and a hash, or in chunked samples a number; in the
first logs ``tc://``, with events and texts in ``transcript``).  Messages
of model events, and those of wire requests, may stand in pools, of which an
event names half-open ranges.  Facts from the source of inspect_ai
(``log/_condense.py``, ``log/_pool.py``, ``log/_recorders/chunked``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._wire import items, mapping, members, string
from store.stopping import go_on

__all__ = ["Sample", "event_texts"]

_PREFIXES: Final = ("attachment://", "tc://")
_CALL_KEYS: Final = ("messages", "contents")
_MOST: Final = 200_000
"""Messages of one request: ranges that name more are no real ones."""


@dataclass(slots=True)
class Sample:
    """One sample as it was logged.

    ``missing`` is what events name and the sample has not; ``fresh`` what of
    it was met since somebody last cleared that.
    """

    value: Mapping[str, object]
    missing: dict[str, None] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    _attachments: dict[str, str] = field(default_factory=dict)
    _messages: list[object] = field(default_factory=list)
    _calls: list[object] = field(default_factory=list)
    _resolved: dict[int, Mapping[str, object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        first = mapping(self.value.get("transcript"))
        if first and not items(self.value.get("events")):
            self.value = {
                **self.value,
                "events": items(first.get("events")),
                "attachments": first.get("content"),
            }
        held = self.value.get("attachments")
        pairs = held.items() if isinstance(held, dict) else enumerate(items(held))
        self._attachments = {str(key): text for key, text in pairs if isinstance(text, str)}
        pools = mapping(self.value.get("events_data"))
        self._messages = items(pools.get("messages")) or items(self.value.get("message_pool"))
        self._calls = items(pools.get("calls")) or items(self.value.get("call_pool"))

    def events(self) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Yield each event with its place, those inside of a tool's or subtask's event as well.

        An event that holds others comes before them.
        """
        waiting = [
            (f"events/{at}", event)
            for at, event in reversed([*enumerate(items(self.value.get("events")))])
        ]
        while waiting:
            go_on()
            place, event = waiting.pop()
            if not isinstance(event, dict):
                continue
            yield place, event
            inner = items(event.get("events"))
            waiting += [(f"{place}/events/{at}", one) for at, one in reversed([*enumerate(inner)])]

    def messages(self) -> list[Mapping[str, object]]:
        """Return the messages of the sample's end."""
        if "message_refs" in self.value:
            return self._from_pool(self._messages, self.value["message_refs"])
        return [mapping(self.whole(each)) for each in members(self.value.get("messages"))]

    def input_of(self, event: Mapping[str, object]) -> list[Mapping[str, object]]:
        """Return the messages that a model event was given."""
        if event.get("input_refs") is not None and not items(event.get("input")):
            return self._from_pool(self._messages, event["input_refs"])
        return [mapping(self.whole(each)) for each in members(event.get("input"))]

    def request_of(self, event: Mapping[str, object]) -> Mapping[str, object]:
        """Return the body of a model event's wire request; an empty one where none is logged."""
        call = mapping(event.get("call"))
        request = dict(mapping(self.whole(call.get("request"))))
        if call.get("call_refs") is not None:
            key = string(call.get("call_key")) or _CALL_KEYS[0]
            request[key] = self._from_pool(self._calls, call["call_refs"])
        return request

    def _from_pool(self, pool: list[object], refs: object) -> list[Mapping[str, object]]:
        made: list[Mapping[str, object]] = []
        for pair in items(refs):
            match pair:
                case [int() as start, int() as end] if 0 <= start <= end <= len(pool):
                    made += [self._pooled(each) for each in pool[start:end]]
                case _:
                    self._miss(f"messages {pair}")
            if len(made) > _MOST:
                self._miss(f"more than {_MOST} messages")
                break
        return made

    def _pooled(self, message: object) -> Mapping[str, object]:
        """Return a message of a pool, the same object each time: many requests hold it."""
        known = self._resolved.get(id(message))
        if known is None:
            before = len(self.missing)
            known = mapping(self.whole(message))
            if len(self.missing) == before:
                self._resolved[id(message)] = known
        return known

    def _miss(self, name: str) -> None:
        self.missing[name] = None
        self.fresh.add(name)

    def whole(self, value: object) -> object:
        """Return *value* with attachments in place of what names them."""
        holder: list[object] = [value]
        waiting: list[tuple[dict[str, object] | list[object], str | int]] = [(holder, 0)]
        while waiting:
            inside, key = waiting.pop()
            item = inside[key]  # type: ignore[index]
            if isinstance(item, str) and item.startswith(_PREFIXES):
                inside[key] = self._attached(item)  # type: ignore[index]
            elif isinstance(item, dict):
                copied = inside[key] = dict(item)  # type: ignore[index]
                waiting.extend((copied, name) for name in copied)
            elif isinstance(item, list):
                listed = inside[key] = list(item)  # type: ignore[index]
                waiting.extend((listed, at) for at in range(len(listed)))
        return holder[0]

    def _attached(self, name: str) -> str:
        key = name.partition("://")[2]
        found = self._attachments.get(key)
        if found is None and _is_name(key):
            self._miss(name)
        return name if found is None else found


def _is_name(key: str) -> bool:
    """Return whether it is what a log writes behind the prefix, and no words of somebody."""
    return key.isdigit() or (len(key) == 32 and set(key) <= set("0123456789abcdef"))  # noqa: PLR2004


def event_texts(value: object) -> Iterator[str]:
    """Yield every text in a JSON value."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
