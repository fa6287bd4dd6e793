"""What the rules about shared prefixes share: breaks gathered by what made them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reviewer.audit.rules._example import NOTICE
from reviewer.audit.settings import Parameter
from reviewer.audit.view import AuditView
from store.records.bills import Change, PrefixBreak
from store.records.grades import Grade, Layer
from store.records.runs import Call, Message, Part, PartKind, Run, Splice

__all__ = ["LEAST_BYTES", "LONG", "Broken", "gathered", "listed", "told"]

LEAST_BYTES = Parameter(
    "least_bytes",
    4096,
    meaning=(
        "bytes that were sent before and sent again behind the changes, over the run; less is no "
        "finding"
    ),
    minimum=0,
)

LONG = NOTICE * 40
"""A text for examples, long enough to matter."""


class Broken(NamedTuple):
    """One call that broke the prefix."""

    call: int
    broken: PrefixBreak


def gathered(
    view: AuditView, rule_id: str, changes: Iterable[Change]
) -> tuple[Sequence[Broken], int]:
    """Return the breaks that *changes* made, and the bytes that were sent again behind them.

    None where the bytes are too few, see `LEAST_BYTES`.
    """
    wanted = frozenset(changes)
    found = [
        Broken(call.call, call.broken)
        for call in view.bill.calls
        if call.broken and call.broken.change in wanted and _is_proven(call.broken.grade)
    ]
    again = sum(one.broken.resent_bytes for one in found)
    return (found if again >= view.settings.value(rule_id, LEAST_BYTES) else [], again)


def _is_proven(grade: Grade) -> bool:
    return grade in {Grade.RECORDED, Grade.DERIVED}


_SHOWN = 6


def listed(found: Sequence[Broken]) -> str:
    """Return the numbers of the calls; of many the first, and how many more."""
    numbers = ", ".join(str(one.call) for one in found[:_SHOWN])
    more = len(found) - _SHOWN
    return f"{numbers}, … (+{more})" if more > 0 else numbers


def told(*requests: Sequence[tuple[str, str]], tools: Sequence[Sequence[str]] = ()) -> Run:
    """Return a run for an example: its requests as (role, text), and the tools of each."""
    messages: list[Message] = []
    calls: list[Call] = []
    held: tuple[int, ...] = ()
    for index, request in enumerate(requests, 1):
        made = tuple(_number(messages, role, text) for role, text in request)
        same = [old == new for old, new in zip(held, made, strict=False)]
        head = same.index(False) if False in same else len(same)
        offered = {"tools": [{"name": name} for name in tools[index - 1]]} if tools else {}
        splice = Splice(head, len(held), made[head:])
        calls.append(Call(index, (splice,), settings=offered))
        held = made
    return Run(
        run_id="example",
        path="example",
        format="reread.run/1",
        layer=Layer.WIRE,
        grade=Grade.RECORDED,
        messages=tuple(messages),
        calls=tuple(calls),
    )


def _number(messages: list[Message], role: str, text: str) -> int:
    """Return the place of a message among *messages*; equal ones are one."""
    is_result = role == "tool"
    kind = PartKind.TOOL_RESULT if is_result else PartKind.TEXT
    made = Message(role, (Part(kind, text, tool_call_id="read-1" if is_result else ""),))
    if made not in messages:
        messages.append(made)
    return messages.index(made)
