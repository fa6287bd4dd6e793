"""One rollout of Codex, line after line: which lines make a model call, and what it was given.

A call is what the model wrote without anything else between, up to the count
of its tokens.  Up to 2025 that count stood before what the model wrote, later
behind it; then a call ends with its count, and outputs come after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from store.builder import RunBuilder
from store.importers._agent_run import ORPHAN, AgentRun
from store.importers._codex_cut import policy_of
from store.importers._codex_history import SERVED, History, agents_words, summary_in
from store.importers._fields import compact
from store.importers._openai_items import Items
from store.importers._wire import count, mapping, string
from store.records.grades import Grade
from store.records.runs import OtherEvent, Part, PartKind, ProblemKind, Run, Usage

__all__ = ["Walk"]

_SILENT: Final = frozenset(
    {
        *("agent_message", "user_message", "agent_reasoning", "agent_reasoning_raw_content"),
        *("agent_reasoning_section_break", "task_started", "task_complete", "turn_started"),
        *("exec_command_begin", "exec_command_end", "patch_apply_begin"),
        *("patch_apply_end", "mcp_tool_call_begin", "mcp_tool_call_end", "web_search_begin"),
        *("web_search_end", "item_started", "item_completed", "context_compacted"),
        *("thread_settings_applied", "view_image_tool_call", "plan_update", "turn_diff"),
        *("image_generation_end", "dynamic_tool_call_request", "dynamic_tool_call_response"),
        *("raw_response_item", "session_configured"),
    }
)
"""Events for the screen: what they say stands in the items as well, or was never sent."""
_ABOUT: Final = frozenset(
    {"world_state", "inter_agent_communication_metadata", "token_usage_record"}
)
"""Lines about the session that are no item of its history; counts stand in events as well."""
_SUMMARISING: Final = (
    "a call that summarises is given the messages before it and an instruction that is not recorded"
)
_DROPPED: Final = frozenset({"ghost_snapshot", "compaction_trigger", "other"})
_SERVICE_CALLS: Final = frozenset({"web_search_call", "image_generation_call"})
_LOST: Final = "a line before it could not be read, and may have changed what was sent"


class Walk:
    """Takes the records of one rollout in order; `finish` returns the run."""

    def __init__(self, builder: RunBuilder) -> None:
        self.run = AgentRun(builder)
        self.history = History(self.run)
        self._lost = False
        self._reader = Items()
        self._model = self._effort = ""
        self._parts: list[Part] = []
        self._origin = self._at = ""
        self._usage: Usage | None = None
        self._total: object = None
        self._counts_first: bool | None = None
        self._awaits_count = False
        self._answering: tuple[int, str, str] | None = None
        self._last: tuple[int, str] | None = None
        self._unclaimed: Usage | None = None

    def take(self, value: Mapping[str, object], origin: str) -> None:
        """Take one record, of whichever era."""
        kind, payload = string(value.get("type")), value.get("payload")
        at = string(value.get("timestamp"))
        if not isinstance(payload, dict):
            if kind:
                self._item(value, origin, at)
            elif "record_type" not in value and "instructions" not in value:
                self._other(kind, value, origin)
            return
        if kind == "response_item":
            self._item(payload, origin, at)
        elif kind == "turn_context":
            self._turn(payload, origin)
        elif kind == "compacted":
            self._close()
            self._awaits_count = False
            self._summarised(string(payload.get("message")), origin, at)
            self.history.compact(payload, origin)
        elif kind == "event_msg":
            self._event(payload, value, origin)
        elif kind == "session_meta":
            self._session(payload, origin)
        elif kind not in _ABOUT:
            self._other(kind, value, origin)

    def doubt(self) -> None:
        """Note that a line here could not be read: what comes after it is not sure."""
        if not self._lost:
            self._close()
        self._lost = True

    def finish(self) -> Run:
        """Return the run."""
        self._close()
        self._keep_answer()
        return self.run.finish()

    def _other(self, kind: str, value: Mapping[str, object], origin: str) -> None:
        event = OtherEvent(kind or "record without a type", origin, compact(value))
        self.run.builder.other_events.append(event)

    # -- what stands around the items ---------------------------------------------------

    def _session(self, payload: Mapping[str, object], origin: str) -> None:
        self.run.cwd = string(payload.get("cwd")) or self.run.cwd
        self.history.version = string(payload.get("cli_version")) or self.history.version
        text = string(mapping(payload.get("base_instructions")).get("text"))
        self.history.instruct(text, origin)

    def _turn(self, payload: Mapping[str, object], origin: str) -> None:
        self.run.cwd = string(payload.get("cwd")) or self.run.cwd
        self._model = string(payload.get("model")) or self._model
        self._effort = string(payload.get("effort")) or self._effort
        self.history.policy = policy_of(payload.get("truncation_policy")) or self.history.policy
        self.history.instruct(string(payload.get("base_instructions")), origin)

    def _event(
        self, payload: Mapping[str, object], value: Mapping[str, object], origin: str
    ) -> None:
        kind = string(payload.get("type"))
        if kind == "token_count":
            self._count(mapping(payload.get("info")))
        elif kind == "thread_rolled_back":
            self._close()
            self._keep_answer()
            self.history.roll_back(count(payload.get("num_turns")) or 0, origin)
        elif kind == "thread_name_updated":
            self.run.builder.title = string(payload.get("thread_name")) or self.run.builder.title
        elif kind in {"turn_aborted", "task_complete", "turn_complete"}:
            self._said()
            self._awaits_count = kind == "turn_aborted" and self._awaits_count
        elif kind not in _SILENT:
            self._other(f"event/{kind}", value, origin)

    def _count(self, info: Mapping[str, object]) -> None:
        """Take the count of one call's tokens; what repeats the last total is no new call."""
        total = info.get("total_token_usage")
        last = mapping(info.get("last_token_usage"))
        if not last or total == self._total:
            return
        self._total = total
        usage = Usage(
            count(last.get("input_tokens")),
            count(last.get("output_tokens")),
            count(last.get("cached_input_tokens")),
            count(last.get("cache_write_input_tokens")),
        )
        if self._counts_first is None:
            self._counts_first = not self._parts and not self.run.builder.calls
        if self._counts_first:
            self._close()
            self._usage = usage
        elif self._parts:
            self._usage = usage
            self._close()
        elif self._awaits_count:
            calls = self.run.builder.calls
            calls[-1] = replace(calls[-1], usage=usage)
        else:
            self._unclaimed = usage
        self._awaits_count = False

    # -- items ------------------------------------------------------------------------------

    def _item(self, item: Mapping[str, object], origin: str, at: str) -> None:
        kind = string(item.get("type")) or "message"
        self._unclaimed = None
        if kind in _DROPPED or (kind == "message" and item.get("role") == "system"):
            return
        if kind.endswith("_output"):
            self._close()
            self.history.output(item, origin)
            self._answering = self._last = None
        elif kind == "agent_message":
            self._said()
            self.history.say(agents_words(item), origin)
        elif kind == "message" and item.get("role") != "assistant":
            self._said()
            for turn in self._reader.turns(item):
                self.history.say(turn, origin)
        else:
            self._written(item, kind, origin, at)

    def _said(self) -> None:
        self._close()
        self._keep_answer()
        self._last = None

    def _written(self, item: Mapping[str, object], kind: str, origin: str, at: str) -> None:
        """Take what the model wrote."""
        if not self._parts:
            self._origin, self._at = origin, at
        if kind == "context_compaction":
            size = len(string(item.get("encrypted_content")))
            self._parts.append(Part(PartKind.SUMMARY, name=kind, opaque_bytes=size))
            return
        for turn in self._reader.turns(item):
            if turn.role == "tool":
                self._parts += [part for part in turn.parts if part.text]
            elif kind in _SERVICE_CALLS:
                self._parts += [replace(part, status=SERVED) for part in turn.parts]
            else:
                self._parts += turn.parts

    # -- calls --------------------------------------------------------------------------------

    def _close(self) -> None:
        """End the call whose response was gathered, if there is one."""
        if not self._parts:
            return
        parts, self._parts = self._parts, []
        self.history.prepare(self._origin)
        grade, reason = self._grade()
        number = self.run.call(
            parts,
            self._origin,
            answers=False,
            model=self._model,
            grade=grade,
            grade_reason=reason,
            usage=self._usage or Usage(),
            settings=self._settings(),
            at=self._at or None,
        )
        asked = [part for part in parts if part.kind is PartKind.TOOL_CALL]
        own = [part for part in asked if part.status != SERVED]
        self.history.asked(part.tool_call_id for part in own)
        text = "\n".join(part.text for part in parts if part.kind is PartKind.TEXT)
        self._answering = (number, text, self._origin) if text.strip() and not own else None
        self._last = (number, text)
        self._awaits_count = self._usage is None
        self._usage = None

    def _keep_answer(self) -> None:
        """Take the last call's words as an answer: nothing but the user comes after them."""
        if self._answering is not None:
            self.run.answer(*self._answering)
        self._answering = None

    def _summarised(self, summary: str, origin: str, at: str) -> None:
        """Say which call wrote a summary: the last one, or one of which only the count is there."""
        calls = self.run.builder.calls
        usage, self._unclaimed = self._unclaimed, None
        text = (self._last[1] if self._last is not None else "").strip()
        if usage is not None and summary:
            written = summary_in(summary)
            self._keep_answer()
            self._parts, self._origin, self._at = [Part(PartKind.TEXT, written)], origin, at
            self._usage = usage
            self._close()
        elif not text or not calls or not summary.rstrip().endswith(text):
            return
        if calls[-1].grade is Grade.DERIVED:
            calls[-1] = replace(calls[-1], grade=Grade.INFERRED, grade_reason=_SUMMARISING)
        self._answering = self._last = None

    def _grade(self) -> tuple[Grade, str]:
        if self._lost:
            return Grade.UNKNOWN, _LOST
        if not self.run.held:
            return Grade.UNKNOWN, ORPHAN
        return self.history.grade()

    def _settings(self) -> Mapping[str, object]:
        named = {"client_version": self.history.version, "effort": self._effort}
        return {key: value for key, value in named.items() if value}

    def note(self, where: str, what: str) -> None:
        """Tell what a person should know; nothing is lost."""
        self.run.builder.problem(where, what, ProblemKind.NOTED)
