"""Which span of a tool belongs to which tool call of the model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from store.importers._fields import compact
from store.importers._span_exchange import exchange_of
from store.importers._span_steps import Kind, Step
from store.importers._span_values import data_of, json_of
from store.importers._wire import Exchange, mapping
from store.records.runs import Part, PartKind, ToolCall

__all__ = ["Tools"]


@dataclass(slots=True)
class Tools:
    """What requests and responses say of tools, known before the first span is placed.

    ``sent`` is the part in which a request first held the result of a tool
    call, ``calls`` what the model wrote, ``named`` the id of each tool span.
    """

    exchanges: dict[int, Exchange] = field(default_factory=dict)
    sent: dict[str, Part] = field(default_factory=dict)
    calls: dict[str, ToolCall] = field(default_factory=dict)
    named: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, steps: Iterable[Step]) -> Tools:
        """Read the calls of *steps* and pair the tools among them."""
        tools = cls()
        spans: list[Step] = []
        others: list[Step] = []
        for step in steps:
            if step.kind is Kind.GENERATION:
                tools._read(step)
            elif step.kind is Kind.TOOL:
                spans.append(step)
            elif step.kind is Kind.OTHER:
                others.append(step)
        tools._pair(spans, others)
        return tools

    def _read(self, step: Step) -> None:
        exchange = self.exchanges[id(step)] = exchange_of(step)
        for call in exchange.tool_calls:
            self.calls.setdefault(call.id, call)
        for turn in (*exchange.sent, *exchange.added):
            for part in turn.parts:
                if part.kind is PartKind.TOOL_RESULT and part.tool_call_id:
                    self.sent.setdefault(part.tool_call_id, part)

    def _pair(self, spans: list[Step], others: list[Step]) -> None:
        """Give each span its tool call: by id, by name and arguments, or where only one is left.

        A span of no certain kind is a tool's where name and arguments are those of a call.
        """
        free = dict(self.calls)
        waiting: list[Step] = []
        for step in spans:
            if step.call_id in free:
                self.named[id(step)] = free.pop(step.call_id).id
            elif step.call_id not in self.calls:
                waiting.append(step)
        left: dict[str, list[Step]] = {}
        for step in (*waiting, *others):
            wanted = _comparable(step.request)
            same = [call for call in free.values() if call.name in (step.label, step.name)]
            found = next((c for c in same if _comparable(c.arguments) == wanted), None)
            if found is not None:
                self.named[id(step)] = free.pop(found.id).id
            elif same and step.kind is Kind.TOOL and not step.call_id:
                left.setdefault(same[0].name, []).append(step)
        for name, steps in left.items():
            calls = [call for call in free.values() if call.name == name]
            if len(calls) == len(steps) == 1:
                self.named[id(steps[0])] = calls[0].id


def _comparable(arguments: object) -> str:
    """Return arguments so that two spellings of the same JSON are equal."""
    found = data_of(arguments)
    value = arguments if found is None else found
    held = mapping(value)
    if held.keys() in ({"input"}, {"kwargs"}):
        value = json_of(next(iter(held.values())))
    if value in (None, "", [], {}):
        return "{}"
    return compact(dict(sorted(value.items())) if isinstance(value, dict) else value)
