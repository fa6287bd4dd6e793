"""A model event of Inspect as a call: the wire request held against the recorded input.

Both are recorded.  The wire request is what the service was sent; the input is
what the agent gave Inspect to send.  The first is taken where a provider's
format is understood, and every text of the second must stand in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from store.importers._agent_messages import turn_of
from store.importers._capture_http import Interaction, Message
from store.importers._inspect_sample import event_texts
from store.importers._providers import provider_of
from store.importers._wire import Exchange, Turn, Wire, count, mapping, members, string
from store.records.grades import Grade
from store.records.runs import Part, PartKind, Usage

__all__ = ["Asked", "Memory", "asked_of", "response_of", "usage_of"]

_WIRE: Final = "the wire request, which holds every text of the recorded input"
_INPUT: Final = "the recorded input, every text of which stands in the wire request"
_ALONE: Final = "the recorded input; the log holds no wire request"
_READ: Final = (PartKind.TEXT, PartKind.TOOL_RESULT, PartKind.DOCUMENT, PartKind.SUMMARY)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a call was given: ``exchange`` is the wire's, where the wire request was taken.

    ``lost`` are texts of the recorded input that the wire request does not hold.
    """

    turns: Sequence[Turn]
    reason: str
    grade: Grade = Grade.RECORDED
    exchange: Exchange | None = None
    lost: tuple[str, ...] = field(default=(), repr=False)


@dataclass(slots=True)
class Memory:
    """What was made of messages and texts already: the requests of one run hold them again."""

    turns: dict[int, tuple[Mapping[str, object], Turn]] = field(default_factory=dict)
    bare: dict[str, str] = field(default_factory=dict)

    def turn(self, message: Mapping[str, object], *, again: bool) -> Turn:
        """Return the turn that a message is; *again* where the same object may come again."""
        known = self.turns.get(id(message))
        if known is not None:
            return known[1]
        turn = turn_of(_with_error(message))
        if again:
            self.turns[id(message)] = message, turn
        return turn

    def without_space(self, text: str) -> str:
        """Return *text* without white space."""
        known = self.bare.get(text)
        if known is None:
            known = self.bare[text] = "".join(text.split())
        return known


def asked_of(
    given: Sequence[Mapping[str, object]],
    request: Mapping[str, object],
    response: object,
    memory: Memory,
    *,
    pooled: bool = False,
) -> Asked:
    """Return the request of a call from its recorded input and its wire request.

    *pooled* says that the messages of the input are the same objects in each call.
    """
    turns = [memory.turn(message, again=pooled) for message in given]
    if not request:
        return Asked(turns, _ALONE)
    exchange = _exchange(request, response)
    wanted = [part.text for turn in turns for part in turn.parts if part.kind in _READ]
    if exchange is not None and exchange.sent:
        sent = [*exchange.instructions, *exchange.sent]
        parts = [part for turn in sent for part in turn.parts]
        lost = _not_in(wanted, [part.text for part in parts], memory)
        if _same_results(turns, sent) and not lost:
            return _of_wire(exchange, _WIRE)
        lost = _not_in(lost, list(event_texts(request)), memory)
        if lost and _same_results(turns, sent):
            what = f"the wire request, which does not hold {len(lost)} texts of the recorded input"
            return _of_wire(exchange, what, tuple(lost))
    lost = _not_in(wanted, list(event_texts(request)), memory)
    if lost:
        what = f"the recorded input; {len(lost)} texts of it were not found in the wire request"
        return Asked(turns, what, Grade.UNKNOWN, lost=tuple(lost))
    return Asked(turns, _INPUT)


def _with_error(message: Mapping[str, object]) -> Mapping[str, object]:
    """Return a result with what went wrong as its content: that is what is sent of it."""
    error = string(mapping(message.get("error")).get("message"))
    return {**message, "content": error} if error and not message.get("content") else message


def _of_wire(exchange: Exchange, reason: str, lost: tuple[str, ...] = ()) -> Asked:
    turns = [*exchange.instructions, *(exchange.read or exchange.sent), *exchange.added]
    reasons = "; ".join([reason, *exchange.reasons])
    return Asked(turns, reasons, exchange.grade, exchange, lost)


def _exchange(request: Mapping[str, object], response: object) -> Exchange | None:
    """Return the exchange as its provider reads it, or ``None`` where no format fits."""
    held = response if isinstance(response, dict) else None
    for address in ("", _address(request)):
        sides = (Message(value=request), Message(value=held))
        wire = Wire(Interaction(0, "POST", address, 200, *sides), request, held)
        provider = provider_of(wire)
        if provider is not None:
            exchange = provider.read(wire)
            return exchange if exchange.is_call else None
    return None


def _address(request: Mapping[str, object]) -> str:
    """Return the address that a body of this form is sent to, where nothing else tells."""
    if "contents" in request:
        return ":generatecontent"
    if "input" in request:
        return "/responses"
    if "system" in request or ("max_tokens" in request and "anthropic_version" in request):
        return "/v1/messages"
    return "/chat/completions" if "messages" in request else ""


def _same_results(turns: Sequence[Turn], sent: Sequence[Turn]) -> bool:
    """Return whether both hold results of the same tool calls: some services know no ids."""
    return _results_in(turns) == _results_in(sent)


def _results_in(turns: Sequence[Turn]) -> set[str]:
    return {
        part.tool_call_id
        for turn in turns
        for part in turn.parts
        if part.kind is PartKind.TOOL_RESULT
    }


def _not_in(texts: Sequence[str], held: Sequence[str], memory: Memory) -> list[str]:
    """Return those *texts* that none of *held* is or holds, white space aside."""
    bare = memory.without_space
    known = {bare(text) for text in held}
    missing = [text for text in texts if bare(text) and bare(text) not in known]
    if not missing:
        return []
    joined = "\0".join(known)
    return [text for text in missing if bare(text) not in joined]


def response_of(output: Mapping[str, object]) -> tuple[list[Part], str]:
    """Return the parts of a model's output, and why it stopped."""
    choice = next(members(output.get("choices")), {})
    message = mapping(choice.get("message"))
    parts = list(turn_of({**message, "role": "assistant"}).parts) if message else []
    return parts, string(choice.get("stop_reason"))


def usage_of(output: Mapping[str, object]) -> Usage:
    """Return the tokens of a model's output; the whole input, cached parts included."""
    usage = mapping(output.get("usage"))
    read, write = (count(usage.get(f"input_tokens_cache_{each}")) for each in ("read", "write"))
    fresh = count(usage.get("input_tokens"))
    total = None if fresh is None else fresh + (read or 0) + (write or 0)
    whole, out = count(usage.get("total_tokens")), count(usage.get("output_tokens"))
    if fresh is not None and whole is not None and out is not None and whole == fresh + out:
        total = fresh  # the count of this service holds the cached ones already
    return Usage(total, out, read, write)
