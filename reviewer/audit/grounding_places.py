"""In which calls' requests the things that answers claim stand, and as what.

Each text of the run is read once and only what some answer claims is kept, so
the cost is the length of the run's unique text.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from enum import Enum, auto
from functools import cached_property
from typing import NamedTuple

from reviewer.audit.grounding_dates import dates, keys_of, times
from reviewer.audit.grounding_find import Phrases
from reviewer.audit.grounding_numbers import Number, Wanted, numbers
from reviewer.audit.grounding_support import Key
from reviewer.audit.grounding_words import fold, ink_of, without_links
from reviewer.audit.residency import Stay
from reviewer.audit.standing import Standing
from reviewer.audit.views import views
from store.records.findings import Form, PlaceholderFacts, PlaceholderKind
from store.records.runs import Message, Part, PartKind

__all__ = ["Held", "Places", "Role"]


class Role(Enum):
    """As what a text stands in a request.

    ``TEXT``: what tools, documents, summaries and the program said.
    ``USER``: what the user said.  ``DONE``: what the model itself asked tools
    to do.  ``SAID``: what it wrote.  ``HEAD``: what a placeholder kept, or a preview.
    """

    TEXT = auto()
    USER = auto()
    DONE = auto()
    SAID = auto()
    HEAD = auto()


class Held(NamedTuple):
    """One message that holds a key in the requests of a stay."""

    stay: Stay
    message: int


class Places:
    """Where each of the wanted *keys* stands in a run."""

    def __init__(
        self,
        standing: Standing,
        taken: Iterable[PlaceholderFacts],
        keys: Iterable[Key],
        check: Callable[[], None],
    ) -> None:
        self._standing = standing
        self._check = check
        self._heads = frozenset(_heads(standing, taken))
        wanted = list(keys)
        self._phrases = Phrases(key for key in wanted if isinstance(key, str))
        self._numbers = Wanted(key for key in wanted if isinstance(key, Number))
        self._moments = {k for k in wanted if isinstance(k, tuple) and not isinstance(k, Number)}
        self._has_years = any(key[0] == "year" for key in self._moments) or any(
            isinstance(k, Number) and not k.place and _YEARS[0] <= k.digits < _YEARS[1]
            for k in wanted
        )
        self._held: dict[Key, dict[Role, list[Held]]] = defaultdict(lambda: defaultdict(list))
        self._longest: dict[tuple[Key, Role], list[Held]] = {}
        self._known: dict[str, set[Key]] = {}
        if wanted:
            self._read_messages()
            self._read_settings()

    # -- asking -----------------------------------------------------------------------

    def stands(self, key: Key, role: Role, call: int) -> Held | None:
        """Return a message that holds *key* in the request of *call*."""
        held = self._furthest(key, role, call)
        return held if held and held.stay.last >= call else None

    def before(self, key: Key, role: Role, call: int) -> Held | None:
        """Return where *key* stood last in a request before *call*."""
        return self._furthest(key, role, call - 1)

    def _furthest(self, key: Key, role: Role, call: int) -> Held | None:
        """Return, of what came up to *call*, the message that stayed longest."""
        if key not in self._held:
            return None
        found = self._held[key][role]
        if (key, role) not in self._longest:
            best: list[Held] = []
            for held in found:
                stays = not best or held.stay.last > best[-1].stay.last
                best.append(held if stays else best[-1])
            self._longest[key, role] = best
        at = bisect_right(found, call, key=lambda held: held.stay.first) - 1
        return self._longest[key, role][at] if at >= 0 else None

    @cached_property
    def obtained(self) -> dict[Key, str]:
        """For each key a tool call whose result, as obtained, holds it."""
        found: dict[Key, str] = {}
        for result in self._standing.run.tool_results:
            if result.text:
                for key in self.keys_in(result.text):
                    found.setdefault(key, result.tool_call_id)
        return found

    # -- reading ----------------------------------------------------------------------

    def keys_in(self, text: str, *, is_marked: bool = True) -> set[Key]:
        """Return the wanted keys that *text* holds, what JSON and line numbers hide included."""
        if text in self._known:
            return self._known[text]
        found: set[Key] = set()
        for view in views(text) if is_marked else ():
            if not view.is_raw:
                found.update(self._of_text(view.content.text, has_values=view.is_string))
        found.update(self._of_text(text))
        self._known[text] = found
        return found

    def _of_text(self, text: str, *, has_values: bool = True) -> Iterator[Key]:
        folded = fold(text)
        if self._phrases:
            yield from self._phrases.found_in(ink_of(folded))
            shown = without_links(folded)
            if shown != folded:
                yield from self._phrases.found_in(ink_of(shown))
        if has_values and self._numbers:
            for number in set(numbers(folded)):
                yield from self._numbers.supported_by(number)
        if has_values and (self._moments or self._has_years):
            yield from self._moments_in(folded)

    def _moments_in(self, folded: str) -> Iterator[Key]:
        for moment in [*dates(folded), *times(folded)]:
            yield from self._moments.intersection(keys_of(moment))
            for year, _, _ in moment.readings if moment.is_date else ():
                yield from self._numbers.supported_by(Number(year, 0))

    def _read_messages(self) -> None:
        run, residency = self._standing.run, self._standing.residency
        for index, message in enumerate(run.messages):
            self._check()
            stays = residency.stays(index)
            if not stays:
                continue
            for number, part in enumerate(message.parts):
                role = self._role(message, part)
                kept = self._kept(part) if (index, number) in self._heads else frozenset()
                for key in self._keys_of(part):
                    for stay in stays:
                        as_what = Role.HEAD if key in kept else role
                        self._held[key][as_what].append(Held(stay, index))
        for by_role in self._held.values():
            for held in by_role.values():
                held.sort()

    def _keys_of(self, part: Part) -> set[Key]:
        names = (self.keys_in(name, is_marked=False) for name in (part.name, part.source_id))
        return self.keys_in(part.text).union(*names)

    def _kept(self, part: Part) -> frozenset[Key]:
        """Return the keys of a placeholder that are of the result, not of its own words."""
        results = self._standing.deliveries.results.get(part.tool_call_id, ())
        found: set[Key] = set()
        for result in results:
            found |= self.keys_in(result.text or "")
        return frozenset(found)

    def _role(self, message: Message, part: Part) -> Role:
        if part.kind is PartKind.TOOL_CALL:
            return Role.DONE
        if part.kind not in (PartKind.TEXT, PartKind.REASONING):
            return Role.TEXT
        return {"assistant": Role.SAID, "ai": Role.SAID, "user": Role.USER, "human": Role.USER}.get(
            message.role, Role.TEXT
        )

    def _read_settings(self) -> None:
        """What was sent beside the messages, such as the descriptions of tools."""
        known: dict[int, set[Key]] = {}
        for call in self._standing.run.calls:
            if not call.settings:
                continue
            if id(call.settings) not in known:
                text = json.dumps(dict(call.settings), ensure_ascii=False, default=str)
                known[id(call.settings)] = self.keys_in(text)
            for key in known[id(call.settings)]:
                held = self._held[key][Role.TEXT]
                held.append(Held(Stay(call.index, call.index), -1))
        for by_role in self._held.values():
            by_role[Role.TEXT].sort()


_YEARS = (1000, 3000)
_REPLACED = {
    PlaceholderKind.CLEARED,
    PlaceholderKind.FOLDED,
    PlaceholderKind.PERSISTED,
    PlaceholderKind.COMPACTED,
}


def _heads(standing: Standing, taken: Iterable[PlaceholderFacts]) -> Iterator[tuple[int, int]]:
    """Yield the parts that are placeholders, or nothing but a list of what is on offer."""
    replaced = {fact.tool_call_id: fact for fact in taken if fact.kind in _REPLACED}
    results = standing.deliveries.results
    for id_, seen in standing.appearances.items():
        if id_ not in replaced:
            continue
        whole = {result.text for result in results.get(id_, ())}
        for appearance in seen:
            part = standing.run.messages[appearance.message].parts[appearance.part]
            first = replaced[id_].first_call
            if part.text not in whole and (first is None or appearance.first >= first):
                yield appearance.message, appearance.part
    bodies: dict[tuple[int, int], bool] = {}
    for message, deliveries in standing.deliveries.by_message.items():
        for delivery in deliveries:
            place = (message, delivery.part)
            bodies[place] = bodies.get(place, False) or delivery.form is not Form.PREVIEW
    yield from (place for place, has_body in bodies.items() if not has_body)
