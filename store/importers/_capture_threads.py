"""Which calls of a capture continue one another: each conversation is one run.

A call continues an earlier one when it names its response, when its messages
hold the tool calls or the words of that response, or when the earlier one got
no answer and its messages come again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from store.importers._wire import Exchange, Turn
from store.records.grades import Grade
from store.records.runs import PartKind

__all__ = ["Numbered", "Thread", "Threads"]

_TOLD = (
    "response",
    "added",
    "tool_calls",
    "tool_results",
    "written",
    "answer",
    "citations",
    "usage",
    "finish_reason",
    "error",
)
"""What an exchange tells of a response, and not of the request."""
_WORDS = (PartKind.TEXT, PartKind.SUMMARY)


@dataclass(frozen=True, slots=True)
class Numbered:
    """An exchange with its number in the file, and all messages of its conversation so far."""

    number: int
    exchange: Exchange
    conversation: tuple[Turn, ...]
    at: str | None = None

    @property
    def read(self) -> tuple[Turn, ...]:
        """What the model read of the conversation: what was dropped of the body is left out."""
        if self.exchange.read is None:
            return self.conversation
        before = len(self.conversation) - len(self.exchange.sent)
        return (*self.conversation[:before], *self.exchange.read)


@dataclass(slots=True)
class Thread:
    """One conversation; ``branch`` is the number of the call at which it left another one."""

    calls: list[Numbered] = field(default_factory=list)
    branch: int | None = None


@dataclass(slots=True)
class Threads:
    """All conversations of a file, in the order in which they begin."""

    threads: list[Thread] = field(default_factory=list)
    _named: dict[str, tuple[Thread, Numbered]] = field(default_factory=dict)
    """By the id of a response, or of a tool call that it made."""
    _worded: dict[tuple[str, str], tuple[Thread, Numbered]] = field(default_factory=dict)
    _kept: dict[str, list[Turn]] = field(default_factory=dict)
    _failed: list[tuple[Thread, Numbered]] = field(default_factory=list)

    def add(self, number: int, exchange: Exchange, at: str | None) -> Numbered:
        """Put the next exchange where it belongs; return it with its conversation."""
        before = self._before(exchange)
        thread = Thread() if before is None else before[0]
        if before is not None and thread.calls[-1] is not before[1]:
            thread = Thread(branch=before[1].number)
        if not thread.calls:
            self.threads.append(thread)
        conversation = self._conversation(exchange)
        made = Numbered(number, exchange, conversation, at)
        thread.calls.append(made)
        self._remember(thread, made)
        return made

    def retold(self, exchange: Exchange) -> int | None:
        """Take the answer of a response that is asked for again; return the number of its call.

        A response that the service makes in the background is told later, by
        an exchange without a request of its own.
        """
        known = self._named.get(exchange.id) if exchange.id else None
        if known is None or known[1].exchange.id != exchange.id:
            return None
        first = known[1].exchange
        if first.answer not in ("", exchange.answer):
            return None
        if not first.answer:
            for name in _TOLD:
                setattr(first, name, getattr(exchange, name))
            first.versions = [*first.versions, *exchange.versions]
            for reason in exchange.reasons:
                first.doubt(exchange.grade, reason)
        return known[1].number

    def keep(self, exchange: Exchange) -> None:
        """Remember what the service was asked to keep, behind what it keeps already."""
        if exchange.id:
            self._kept.setdefault(exchange.id, []).extend(exchange.kept)

    def _conversation(self, exchange: Exchange) -> tuple[Turn, ...]:
        """Return the messages of the body, behind those that the service keeps itself."""
        if not exchange.previous:
            return tuple(exchange.sent)
        known = self._named.get(exchange.previous)
        kept = self._kept.get(exchange.previous, [])
        if known is None and exchange.previous in self._kept:
            exchange.doubt(Grade.DERIVED, _chained(exchange.previous))
            turns = (*kept, *exchange.sent)
            if exchange.previous in exchange.names:
                kept.clear()  # from now on it is part of what was said in the conversation
            return turns
        if known is None:
            exchange.doubt(
                Grade.UNKNOWN,
                f"the request builds on {exchange.previous}, which the service keeps and the "
                "record does not hold",
            )
            return tuple(exchange.sent)
        earlier = known[1]
        exchange.doubt(
            Grade.weakest(Grade.DERIVED, earlier.exchange.grade),
            _chained(exchange.previous),
        )
        turns = (*earlier.conversation, *earlier.exchange.response, *kept, *exchange.sent)
        kept.clear()
        return turns

    def _before(self, exchange: Exchange) -> tuple[Thread, Numbered] | None:
        """Return the latest call that *exchange* continues."""
        if exchange.previous in self._named and exchange.previous:
            return self._named[exchange.previous]
        first = _words(exchange.sent[0]) if exchange.sent else ""
        for name in reversed(exchange.held):
            if name in self._named:
                return _latest(exchange, *self._named[name])
        for turn in reversed(exchange.sent):
            for part in turn.parts:
                is_call = part.kind is PartKind.TOOL_CALL and part.tool_call_id
                if is_call and part.tool_call_id in self._named:
                    return _latest(exchange, *self._named[part.tool_call_id])
            words = _words(turn)
            if turn.role in ("assistant", "model") and (first, words) in self._worded and words:
                return self._worded[first, words]
        for thread, failed in reversed(self._failed):
            turns = failed.exchange.sent
            if turns and exchange.sent[: len(turns)] == turns:
                return thread, failed
        return None

    def _remember(self, thread: Thread, made: Numbered) -> None:
        exchange = made.exchange
        for name in (exchange.id, *exchange.written, *exchange.names):
            if name:
                self._named[name] = (thread, made)
        first = _words(made.conversation[0]) if made.conversation else ""
        for turn in exchange.response:
            self._worded[first, _words(turn)] = (thread, made)
        if exchange.error or not (exchange.response or exchange.id):
            self._failed.append((thread, made))


def _chained(name: str) -> str:
    return f"the request builds on {name}: what that holds was taken from the record"


def _latest(exchange: Exchange, thread: Thread, made: Numbered) -> tuple[Thread, Numbered]:
    """Return the last call of *thread*, from *made* on, whose words *exchange* holds as well.

    A client may write the first message anew, so words count here without it.
    """
    held = {_words(turn) for turn in exchange.sent}
    for later in thread.calls[thread.calls.index(made) + 1 :]:
        words = "".join(map(_words, later.exchange.response))
        if words and words in held:
            made = later
    return thread, made


def _words(turn: Turn) -> str:
    return "".join(part.text for part in turn.parts if part.kind in _WORDS).strip()
