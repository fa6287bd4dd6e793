"""The history that Codex sends, as its rollout tells it: item after item, with every change made.

Facts are those of openai/codex: ``codex-rs/core/src/context_manager`` (what is
cut, what a call without output gets, what a rollback drops) and ``compact.rs``
(what stands after a compaction).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from store.importers._agent_run import AgentRun
from store.importers._codex_cut import Policy, cut_items, cut_text, stored_as_sent, unrecorded
from store.importers._openai_items import Items, content_parts
from store.importers._wire import Turn, items, mapping, string
from store.records.grades import Grade
from store.records.runs import EditKind, Message, Part, PartKind

__all__ = ["SERVED", "History", "agents_words", "summary_in"]

_CONTEXT: Final = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|turn_aborted|skills?|user_shell_command"
    r"|subagent_notification|INSTRUCTIONS|permissions|model_switch|collaboration_mode"
    r"|personality_spec|recommended_plugins|apps_instructions)\b|# AGENTS\.md instructions)"
)
"""How the client begins a message in the user's name that no user wrote."""
_SUMMARY: Final = "Another language model started to solve this problem and produced a summary"
_KEPT_TOKENS: Final = 20_000
"""How many tokens of the user's own messages a compaction on the machine keeps."""
_BY: Final = "codex"
_INSTRUCTIONS: Final = "instructions as recorded; the client may leave out parts of them"
SERVED: Final = "run by the API"
"""Status of a tool call that the service ran within the call itself: it needs no output."""


class History:
    """Follows the history of one thread; ``run`` holds what the next request holds."""

    def __init__(self, run: AgentRun) -> None:
        self.run = run
        self.policy: Policy | None = None
        self.version = ""
        self.doubt = ""
        self._system: list[int] = []
        self._unrecorded: set[str] = set()
        self._calls: set[str] = set()
        self._waiting: dict[str, None] = {}
        self._stand_ins: dict[str, int] = {}

    # -- what is added --------------------------------------------------------------

    def instruct(self, text: str, origin: str) -> None:
        """Take the instructions that every request begins with; the first count."""
        if text and not self._system:
            part = Part(PartKind.TEXT, text, name=_INSTRUCTIONS)
            index = self.run.builder.message("system", [part], origin)
            self._system = [index]
            self.run.held.insert(0, index)

    def say(self, turn: Turn, origin: str) -> None:
        """Add a message of the user or the client."""
        self.run.say(turn.role, _as_summary(turn), origin)

    def asked(self, call_ids: Iterable[str]) -> None:
        """Note that the history holds these tool calls from here on, each without an output."""
        for call_id in call_ids:
            self._calls.add(call_id)
            self._waiting[call_id] = None

    def output(self, item: Mapping[str, object], origin: str) -> None:
        """Add the output of a tool call as the client takes it into its history."""
        call_id = string(item.get("call_id"))
        held = item.get("output", item.get("tools"))
        if isinstance(held, dict) and "content" in held and "type" not in held:
            held = held["content"]
        parts = content_parts([held] if isinstance(held, dict) else held)
        texts = [part.text for part in parts if part.kind is PartKind.TEXT]
        others = [part for part in parts if part.kind is not PartKind.TEXT]
        sent = self._cut(texts, listed=not isinstance(held, str))
        given, kept = "\n".join(sent), "\n".join(texts)
        if call_id not in self._calls:
            # An output whose call is gone is taken out before anything is sent.
            self.run.result(call_id, given, origin, kept=kept)
            return
        self._waiting.pop(call_id, None)
        late = self._stand_ins.pop(call_id, None)
        if late in self.run.held:
            self.run.held.remove(late)
        part = self.run.result(call_id, given, origin, kept=kept if kept != given else None)
        self.run.say("tool", [part, *others], origin)
        if kept != given:
            self._note_cut(call_id, origin)

    def _cut(self, texts: list[str], *, listed: bool) -> list[str]:
        if self.policy is not None:
            if listed:
                return cut_items(texts, self.policy)
            return [cut_text(text, self.policy) for text in texts]
        if stored_as_sent(self.version):
            return texts
        return [unrecorded(text) for text in texts]

    def _note_cut(self, call_id: str, origin: str) -> None:
        if self.policy is not None:
            reason = f"the client keeps {self.policy.words} and a fifth more of an output"
            grade = Grade.DERIVED
        else:
            reason = "the limit of outputs is not recorded; every limit the client had keeps this"
            grade = Grade.INFERRED
            self._unrecorded.add(call_id)
        self.run.note_edit(EditKind.TRUNCATE, [call_id], origin, by=_BY, reason=reason, grade=grade)

    # -- what is changed ------------------------------------------------------------

    def compact(self, payload: Mapping[str, object], origin: str) -> None:
        """Take a compaction: the new history that it records, or the one its rule gives."""
        replacement = payload.get("replacement_history")
        if isinstance(replacement, list):
            held = self._system + self._indexes(replacement, origin)
            reason, grade = "a compaction records the history that stands from here", Grade.DERIVED
            self.doubt = ""
        else:
            held = self._system + self._summarised(string(payload.get("message")), origin)
            reason = (
                "a compaction records its summary; what else it keeps follows from the client's "
                "rule: what stood before the first message of the user, and the user's last"
            )
            grade = Grade.INFERRED
            self.doubt = reason
        self.run.compact(held, origin, by=_BY, reason=reason, grade=grade)
        self._look_again()

    def _indexes(self, replacement: Sequence[object], origin: str) -> list[int]:
        reader = Items()
        made: list[int] = []
        for item in replacement:
            inner = mapping(item)
            for turn in reader.turns(inner) if inner else ():
                known = Turn(turn.role, _as_summary(turn))
                made += self.run.messages([known], origin)
        return made

    def _summarised(self, summary: str, origin: str) -> list[int]:
        builder = self.run.builder
        held = [index for index in self.run.held if index not in self._system]
        own = [index for index in held if _is_users(builder.messages[index])]
        before = held[: held.index(own[0])] if own else []
        left = _KEPT_TOKENS
        kept: list[int] = []
        for index in reversed(own):
            cost = _tokens(builder.messages[index])
            if cost > left:
                break  # of this one the client keeps a piece, which is not claimed
            left -= cost
            kept.insert(0, index)
        text = summary or "(no summary available)"
        last = builder.message("user", [Part(PartKind.SUMMARY, text)], origin)
        return [*before, *kept, last]

    def roll_back(self, turns: int, origin: str) -> None:
        """Drop the last *turns* turns of the user, and what the client said before each."""
        messages = self.run.builder.messages
        held = self.run.held
        starts = [place for place, index in enumerate(held) if _is_turn(messages[index])]
        if turns <= 0 or not starts:
            return
        cut = starts[-turns] if turns < len(starts) else starts[0]
        while cut > starts[0] and _is_context(messages[held[cut - 1]]):
            cut -= 1
        reason = f"the user took back {turns} {'turn' if turns == 1 else 'turns'}"
        self.run.compact(held[:cut], origin, by="user", reason=reason, kind=EditKind.CLEAR)
        self._look_again()

    def _look_again(self) -> None:
        """Find out anew which calls are held, and which of them have no output."""
        parts = self._parts()
        answered = {part.tool_call_id for part in parts if part.kind is PartKind.TOOL_RESULT}
        calls = [
            part.tool_call_id
            for part in parts
            if part.kind is PartKind.TOOL_CALL and part.status != SERVED
        ]
        self._calls = set(calls)
        self._waiting = {call_id: None for call_id in calls if call_id not in answered}
        self._unrecorded &= answered

    # -- before a request ------------------------------------------------------------

    def prepare(self, origin: str) -> None:
        """Make the history fit to be sent: a call without an output gets ``aborted``."""
        messages = self.run.builder.messages
        for place in range(len(self.run.held) - 1, -1, -1):
            if not self._waiting:
                return
            for part in reversed(messages[self.run.held[place]].parts):
                call_id = part.tool_call_id
                if part.kind is not PartKind.TOOL_CALL or call_id not in self._waiting:
                    continue
                del self._waiting[call_id]
                stand_in = Part(
                    PartKind.TOOL_RESULT, "aborted", call_id, part.name, "reconstructed"
                )
                index = self.run.builder.message("tool", [stand_in], origin)
                self._stand_ins[call_id] = index
                self.run.held.insert(place + 1, index)

    def grade(self) -> tuple[Grade, str]:
        """Return how far the record proves the request that is held now, and by which rule."""
        if self.doubt:
            return Grade.INFERRED, self.doubt
        if self._unrecorded:
            return (
                Grade.INFERRED,
                "the limit that cuts long outputs is not recorded; what every limit keeps is shown",
            )
        return (
            Grade.DERIVED,
            "the rollout holds every item of the history; long outputs are cut by the recorded "
            "limit"
            if self.policy is not None
            else "the rollout holds every item of the history as it was sent",
        )

    def _parts(self) -> list[Part]:
        messages = self.run.builder.messages
        return [part for index in self.run.held for part in messages[index].parts]


def _as_summary(turn: Turn) -> tuple[Part, ...]:
    return tuple(
        Part(PartKind.SUMMARY, part.text)
        if part.kind is PartKind.TEXT and part.text.startswith(_SUMMARY)
        else part
        for part in turn.parts
    )


def _text(message: Message) -> str:
    return "".join(part.text for part in message.parts)


def _is_context(message: Message) -> bool:
    if message.role == "developer":
        return True
    return message.role == "user" and bool(_CONTEXT.match(_text(message)))


def _is_turn(message: Message) -> bool:
    return message.role == "user" and not _is_context(message)


def _is_users(message: Message) -> bool:
    summary = any(part.kind is PartKind.SUMMARY for part in message.parts)
    return _is_turn(message) and not summary


def _tokens(message: Message) -> int:
    return -(-len(_text(message).encode("utf-8", "surrogatepass")) // 4)


def agents_words(item: Mapping[str, object]) -> Turn:
    """Return what another agent said to this one; of encrypted words only their size."""
    parts = [
        Part(
            PartKind.OPAQUE, name="encrypted", opaque_bytes=len(string(piece["encrypted_content"]))
        )
        if "encrypted_content" in (piece := mapping(each))
        else content_parts([each])[0]
        for each in items(item.get("content"))
    ]
    return Turn("user", tuple(parts))


def summary_in(message: str) -> str:
    """Return what the model wrote of a recorded summary: all but the sentence put before it."""
    first, _, rest = message.partition("\n")
    return rest if first.startswith(_SUMMARY) and rest.strip() else message
