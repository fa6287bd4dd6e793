"""From the state before a call to its request: what agents are known to change on the way.

deepagents keeps every message in the state; a recorded event says which of
them a summary stands for in requests, and a mark on a long message that
requests held a preview of it.  An agent of ``create_agent`` may wrap the model
call with anything, which leaves no trace in a checkpoint.
Format facts: ``deepagents.middleware.summarization`` and ``.filesystem``
0.4 to 0.7, ``langchain.agents`` 1.0 to 1.5, ``langgraph.prebuilt`` (``llm_input_messages``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from store.importers._lc_dialects import message_of
from store.importers._lc_thread import Said, Stage, words_of
from store.importers._lg_threads import Task, are_messages
from store.records.grades import Grade
from store.records.runs import Part, PartKind

__all__ = ["VIEW", "Wrapped", "summary_of", "viewed", "wraps"]

VIEW: Final = "llm_input_messages"
"""A channel that holds the messages a prebuilt agent sends instead of those of the state."""
_EVENT: Final = "_summarization_event"
_HOOK: Final = re.compile(r"branch:to:.+\.(?:before|after)_(?:model|agent)\Z")
_AGENTS: Final = ("langchain_create_agent", "deepagents")

Wrapped = str
"""Which kind of agent may have changed the view; empty where none is known."""


def wraps(metadata: Mapping[str, object], channels: Sequence[str], sends: object) -> Wrapped:
    """Return what kind of agent, which may wrap its model call, a checkpoint was saved by."""
    named = metadata.get("ls_integration")
    if named in _AGENTS:
        return "deepagents" if named == "deepagents" else "create_agent"
    if _EVENT in channels or "_summarization_session_id" in channels:
        return "deepagents"
    hooks = any(_HOOK.match(name) for name in channels)
    tools = isinstance(sends, list) and bool(sends)
    if hooks or "jump_to" in channels or ("branch:to:model" in channels and tools):
        return "create_agent"
    return ""


def viewed(
    messages: list[Said], values: Mapping[str, object], task: Task | None
) -> tuple[list[Said], list[Stage], tuple[Grade, str] | None]:
    """Return the request that was made of the *messages* of a state by recorded marks.

    With the form before it where it was changed, and how far that is proven.
    """
    event = next(iter(task.of(_EVENT)), None) if task else None
    event = values.get(_EVENT) if event is None else event
    made, why = list(messages), []
    if isinstance(event, dict):
        cutoff, summary = event.get("cutoff_index"), summary_of(event)
        if not isinstance(cutoff, int) or not 0 <= cutoff <= len(messages) or summary is None:
            what = "the state records a summary, but not which messages it stands for"
            return made, [], (Grade.UNKNOWN, what)
        made[:cutoff] = [summary]
        why.append("the state records the summary and how many messages it stands for")
    stubs = [at for at, said in enumerate(made) if _saved_at(said)]
    for at in stubs:
        made[at] = _stub(made[at])
    if stubs:
        why.append("long messages were sent as previews, of which the state does not keep the text")
    if not why:
        return made, [], None
    return made, [Stage("deepagents", tuple(messages))], (Grade.INFERRED, "; ".join(why))


def summary_of(event: Mapping[str, object]) -> Said | None:
    """Return the message that an event records as the summary."""
    plain = message_of(event.get("summary_message"))
    if plain is None:
        return None
    return Said(plain, _EVENT, (Part(PartKind.SUMMARY, words_of(plain)),))


def _saved_at(said: Said) -> str:
    path = said.plain.additional.get("lc_evicted_to")
    return path if isinstance(path, str) and said.plain.role == "user" else ""


def _stub(said: Said) -> Said:
    size = len(words_of(said.plain).encode("utf-8", "replace"))
    part = Part(PartKind.OPAQUE, name=_saved_at(said), opaque_bytes=size)
    return Said(said.plain, said.origin, (part,))


def messages_sent(values: Mapping[str, object]) -> list[object]:
    """Return the messages that a prebuilt agent sends instead of those of its state."""
    held = values.get(VIEW)
    return held if are_messages(held) and isinstance(held, list) else []
