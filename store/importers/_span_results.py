"""The result that a tool's span recorded, beside the one that the next request carried."""

from __future__ import annotations

from enum import Enum
from typing import Final

from store.importers._fields import compact
from store.importers._span_messages import Reader
from store.importers._span_values import Cut, data_of, json_of
from store.importers._wire import mapping
from store.records.runs import PartKind

__all__ = ["Comparison", "compared", "result_text"]

_WRAPPED: Final = ("output", "result", "content", "value", "return_value", "text", "messages")


_HOLDERS: Final = ("kwargs", "data", "update")
"""Where the messages of LangChain, and the commands of LangGraph, have their fields."""


class Comparison(Enum):
    """What became of a tool's result between the tool and the model."""

    SAME = "same"
    CUT = "cut"
    CHANGED = "changed"

    def told(self, returned: int, carried: int) -> str:
        """Say it, with the lengths in characters."""
        if self is Comparison.CUT:
            return (
                f"the tool returned {returned} characters and the request carries {carried} of "
                "them: it was cut between the tool and the model"
            )
        return (
            f"the tool returned {returned} characters and the request carries {carried} others: "
            "the result was changed between the tool and the model"
        )


def result_text(value: object, sent: str | None) -> str | None:
    """Return the text that a tool gave; ``None`` where its span has none.

    A span keeps a result with wrappings of its library's own (a message
    around it, a key, JSON of a text).  Where one of them undone gives what
    the request carried, *sent*, that is the text; else the outermost text.
    """
    if value is None:
        return None
    forms = _forms(value)
    if sent is not None:
        if sent in forms or any(_equal(form, sent) for form in forms):
            return sent
        holding = [form for form in forms if sent.strip() and _begins(form, sent)]
        if holding:
            return holding[-1]
    return forms[-1] if _is_message(value) else forms[0]


def compared(returned: str, carried: str) -> Comparison:
    """Compare the text a tool gave with the text a request carried."""
    if returned == carried or returned.split() == carried.split():
        return Comparison.SAME
    if returned.strip() and returned.strip() in carried:
        return Comparison.SAME  # whole, with words of the framework around it
    return Comparison.CUT if _begins(returned, carried) else Comparison.CHANGED


def _begins(whole: str, part: str) -> bool:
    """Return whether *part* is the head of *whole*, or a piece of it, words of a cut aside."""
    head = part[: max(1, len(part) * 2 // 3)]
    return len(part) < len(whole) and (part in whole or whole.startswith(head))


def _is_message(value: object) -> bool:
    found = mapping(json_of(value))
    return "lc" in found or "tool_call_id" in found or found.get("type") == "tool"


def _forms(value: object) -> list[str]:
    """Return the texts that a recorded result may be, its wrappings undone one by one."""
    found: list[str] = []
    for _ in range(6):
        text = value if isinstance(value, str) else compact(value)
        if text not in found:
            found.append(text)
        inner = json_of(value)
        if isinstance(inner, Cut) or inner is value or inner == value:
            inner = value
        if isinstance(inner, str):
            if inner == value:
                break
            value = inner
            continue
        words = _words(inner)
        if words and words not in found:
            found.append(words)
        within = _within(inner)
        if within is None:
            break
        value = within
    return found


def _within(value: object) -> object:
    """Return what a wrapping holds; ``None`` for what is none."""
    held = mapping(value)
    for key in _WRAPPED:
        if key in held:
            return held[key]
    holder = next((held[key] for key in _HOLDERS if mapping(held.get(key))), None)
    if holder is not None:
        return holder
    return value[0] if isinstance(value, list) and len(value) == 1 else None


def _words(value: object) -> str:
    """Return the words of what is a message or a list of blocks."""
    if not isinstance(value, (dict, list)):
        return ""
    parts = [part for turn in Reader().turns(value, "tool") for part in turn.parts]
    wanted = (PartKind.TEXT, PartKind.TOOL_RESULT)
    return "\n".join(part.text for part in parts if part.kind in wanted and part.text)


def _equal(form: str, sent: str) -> bool:
    """Return whether both spell the same data, as JSON or as Python writes it."""
    if form[:1] not in "{[(" or sent[:1] not in "{[(":
        return False
    mine, theirs = data_of(form), data_of(sent)
    return mine is not None and mine == theirs
