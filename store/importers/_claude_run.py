"""One branch of a session as a run: calls in order, each with the request it was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from store.builder import RunBuilder
from store.importers._claude_content import (
    RUN_BY_API,
    attachment_parts,
    attachment_type,
    block_parts,
    result_text,
    saved_to,
)
from store.importers._claude_context import Context
from store.importers._claude_eras import Eras, cleared_by_api, era_of
from store.importers._claude_records import Record, as_map, as_text, dump
from store.importers._claude_tools import Tools
from store.importers._claude_tree import Branch
from store.records.grades import Grade
from store.records.runs import (
    Answer,
    OtherEvent,
    Part,
    PartKind,
    ProblemKind,
    Run,
    Usage,
)

__all__ = ["branch_run"]

_NO_CONTENT = "(no content)"


def branch_run(builder: RunBuilder, branch: Branch, eras: Eras) -> Run:
    """Return the run of *branch*; *builder* holds its identity and the file's problems."""
    return _Walk(builder, branch, eras).run()


class _Walk:
    """Goes along a branch once."""

    def __init__(self, builder: RunBuilder, branch: Branch, eras: Eras) -> None:
        self._builder = builder
        self._branch = branch
        self._eras = eras
        self._context = Context(builder, eras)
        self._tools = Tools(eras)
        self._met: set[str] = set()
        self._broken = False
        self._version = ""

    def run(self) -> Run:
        ends = _ends_of_turns(self._branch)
        for record in self._branch.records:
            self._broken = self._broken or record.uuid in self._branch.broken
            self._version = as_text(record.data.get("version")) or self._version
            if record.type == "assistant":
                self._assistant(record, ends)
            elif record.type == "user":
                self._user(record)
            elif record.type == "attachment":
                self._attachment(record)
            elif record.type == "system":
                self._system(record)
        return self._finish()

    def _finish(self) -> Run:
        builder = self._builder
        builder.tool_calls.extend(self._tools.calls)
        results, versions = self._tools.finish()
        builder.tool_results.extend(results)
        builder.versions.extend(versions)
        last = len(builder.calls)
        for edit in [one for one in builder.edits if one.before_call and one.before_call > last]:
            builder.edits.remove(edit)
            what = f"no call follows this edit ({edit.kind}), so no request shows it"
            builder.problem(edit.origin, what, ProblemKind.NOTED)
        return builder.finish()

    # -- what records do --------------------------------------------------------

    def _assistant(self, record: Record, ends: frozenset[str]) -> None:
        if record.group in self._met:
            return
        self._met.add(record.group)
        members = self._branch.members.get(record.group) or [record]
        if record.is_synthetic:
            self._synthetic(record, members)
            return
        # A first record that is the model's own leaves its request out of the record.
        self._broken = self._broken or not self._context.held.entries
        uses, thinking = cleared_by_api(members)
        self._context.clear_by_api(uses, members[-1].origin)
        splices = self._context.held.splices()
        blocks = _blocks(members)
        parts = [part for _, block in blocks for part in block_parts(block)]
        names = {one.uuid for one in members}
        index = self._context.say("assistant", parts, record.origin, names)
        last = members[-1].message
        stop = _stop_reason(members)
        grade, reason = self._grade(thinking)
        number = self._builder.call(
            splices=splices,
            response=(index,),
            id=record.group,
            origin=record.origin,
            model=as_text(last.get("model")),
            grade=grade,
            grade_reason=reason,
            usage=_usage(as_map(last.get("usage")), whole=bool(stop)),
            finish_reason=stop,
            settings=self._settings(record),
            at=as_text(record.data.get("timestamp")) or None,
        )
        for one, block in blocks:
            if block.get("type") == "tool_use":
                self._tools.ask(block, one, number)
        if record.group in ends and stop != "pause_turn":
            self._answer(number, parts, members[-1].origin)

    def _answer(self, number: int, parts: list[Part], origin: str) -> None:
        texts = [part.text for part in parts if part.kind is PartKind.TEXT]
        text = "\n".join(one for one in texts if one.strip() and one != _NO_CONTENT)
        asks = any(part.kind is PartKind.TOOL_CALL and part.status != RUN_BY_API for part in parts)
        if text and not asks:
            self._builder.answers.append(Answer(number, text, origin=origin))

    def _synthetic(self, record: Record, members: list[Record]) -> None:
        """Take words that the client wrote in the model's place.

        An API error stands for a call that failed; it is not sent again.
        Other words (that a prompt needed no reply) are sent with what follows.
        """
        parts = [part for _, block in _blocks(members) for part in block_parts(block)]
        if record.data.get("isApiErrorMessage") is not True:
            self._context.say("assistant", parts, record.origin, {one.uuid for one in members})
            return
        grade, reason = self._grade(0)
        self._builder.call(
            splices=self._context.held.splices(),
            id=record.group,
            origin=record.origin,
            grade=grade,
            grade_reason=f"a call that failed before it had an answer; {reason}",
            error="\n".join(part.text for part in parts) or "API error",
            settings=self._settings(record),
            at=as_text(record.data.get("timestamp")) or None,
        )

    def _user(self, record: Record) -> None:
        inline: list[str] = []
        for block in record.blocks:
            if block.get("type") == "tool_result":
                self._tools.answer(block, record)
                if saved_to(result_text(block) or ""):
                    inline.append(as_text(block.get("tool_use_id")))
        self._context.take_user(record)
        self._context.note_inline(record, inline)

    def _attachment(self, record: Record) -> None:
        source, version = self._tools.attach(record)
        parts = attachment_parts(record)
        if source and parts:
            document = replace(parts[0], kind=PartKind.DOCUMENT)
            parts[0] = replace(document, source_id=source, version_id=version)
        if parts:
            self._context.say("user", parts, record.origin, {record.uuid})
            self._context.restore_after(record.uuid, summary=False)
        elif not attachment_type(record).startswith("hook_"):
            self._other(record, f"attachment/{attachment_type(record)}")

    def _system(self, record: Record) -> None:
        if record.subtype == "microcompact_boundary":
            self._context.microcompact(record)
        elif record.subtype == "compact_boundary":
            self._context.compact(record)
        elif record.subtype not in {"stop_hook_summary", "turn_duration"}:
            self._other(record, f"system/{record.subtype}")

    def _other(self, record: Record, name: str) -> None:
        self._builder.other_events.append(OtherEvent(name, record.origin, dump(record.data)))

    # -- what calls carry ---------------------------------------------------------

    def _grade(self, thinking: int) -> tuple[Grade, str]:
        era = era_of(
            self._version,
            boundary=self._eras.has_boundary,
            side_file=self._context.holds_inferred,
            api=self._context.api_cleared,
            broken=self._broken,
            thinking=thinking,
        )
        return era.grade, era.reason

    def _settings(self, record: Record) -> Mapping[str, object]:
        request = as_text(record.data.get("requestId"))
        named = {"client_version": self._version, "request_id": request}
        return {key: value for key, value in named.items() if value}


def _blocks(members: list[Record]) -> list[tuple[Record, Mapping[str, object]]]:
    """Return the blocks of one model call: several records, each block once."""
    made: list[tuple[Record, Mapping[str, object]]] = []
    for record in members:
        known = [block for _, block in made]
        made.extend((record, block) for block in record.blocks if block not in known)
    return made


def _ends_of_turns(branch: Branch) -> frozenset[str]:
    """Return the model calls that no other model call follows at once."""
    ends: set[str] = set()
    before: Record | None = None
    for record in branch.records:
        if not record.is_conversation:
            continue
        follows = record.type == "assistant" and not record.is_synthetic
        if before is not None and before.type == "assistant" and not follows:
            ends.add(before.group)
        before = record
    if before is not None and before.type == "assistant":
        ends.add(before.group)
    return frozenset(ends)


def _stop_reason(members: Sequence[Record]) -> str:
    """Return why the response ended, as the last of its records that says so tells it."""
    told = (one.message.get("stop_reason") for one in reversed(members))
    return next((as_text(reason) for reason in told if reason), "")


def _usage(usage: Mapping[str, object], *, whole: bool) -> Usage:
    """Return the token counts of a call.

    The whole input is what was new, read from and written to the cache.  The
    output count of a record that was written before the answer had ended is a
    stub, so it counts as not reported.
    """
    fresh, read, write, output = (
        value if isinstance(value := usage.get(key), int) and not isinstance(value, bool) else None
        for key in (
            "input_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
            "output_tokens",
        )
    )
    known = [value for value in (fresh, read, write) if value is not None]
    return Usage(sum(known) if known else None, output if whole else None, read, write)
