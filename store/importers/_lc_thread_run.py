"""A thread as a run: its requests, and what was changed in them between the state and the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from store.builder import RunBuilder
from store.importers._lc_dialects import Plain
from store.importers._lc_evidence import Evidence, Seen, is_cleared, result_text, saved_path
from store.importers._lc_thread import ModelCall, Said, Stage, ThreadRecord, words_of
from store.records.grades import Grade, Layer
from store.records.markers import marker_of
from store.records.runs import ContextEdit, EditKind, Part, PartKind, Run

__all__ = ["run_of"]


_Key = tuple[str, str, tuple[tuple[str, str], ...]]
"""Role, words, and the arguments of each tool call of a message."""


def run_of(record: ThreadRecord, path: str, name: str, layer: Layer) -> Run:
    """Return the run of *record*, which the importer *name* read from *path*."""
    builder = RunBuilder(
        record.run_id,
        path,
        name,
        layer,
        title=record.title or record.run_id,
        parent_run=record.parent,
        branch=record.branch,
    )
    builder.problems.extend(record.problems)
    builder.other_events.extend(record.other)
    return _Assembly(record, builder).run()


@dataclass(slots=True)
class _Assembly:
    record: ThreadRecord
    builder: RunBuilder
    evidence: Evidence = field(init=False)
    _indexes: dict[int, int] = field(default_factory=dict)
    _seen: dict[int, Seen] = field(default_factory=dict)
    _returned: set[str] = field(default_factory=set)
    _edited: set[tuple[str, str]] = field(default_factory=set)
    _compared: set[int] = field(default_factory=set)
    _summaries: set[str] = field(default_factory=set)
    _before: Sequence[Said] = ()

    def __post_init__(self) -> None:
        self.evidence = Evidence(self.builder)

    def run(self) -> Run:
        """Put everything together in the order of the calls."""
        for file, content, origin in self.record.files:
            self.evidence.add_file(file, content, origin)
        for call in self.record.calls:
            self._call(call)
        for said in self.record.results.values():
            self._return(said)
        for artifact, origin in self.record.artifacts:
            self.evidence.add_artifact(artifact, origin)
        self.evidence.finish()
        return self.builder.finish(None if self.builder.calls else Grade.INFERRED)

    def _index(self, said: Said) -> int:
        index = self._indexes.get(id(said))
        if index is None:
            plain = said.plain
            parts = said.parts or self._see(said).parts
            if words_of(plain) in self._summaries and plain.role == "user":
                parts = tuple(
                    replace(part, kind=PartKind.SUMMARY) if part.kind is PartKind.TEXT else part
                    for part in parts
                )
            index = self.builder.message(plain.role, parts, said.origin)
            self._indexes[id(said)] = index
        return index

    def _see(self, said: Said) -> Seen:
        if id(said) not in self._seen:
            self._seen[id(said)] = self.evidence.see(said.plain, said.origin)
        return self._seen[id(said)]

    def _call(self, call: ModelCall) -> None:
        number = len(self.builder.calls) + 1
        self._notice_summary(call)
        for said in call.request:
            if id(said) not in self._indexes:
                self._meet(said)
        request = [self._index(said) for said in call.request]
        response = [self._index(said) for said in call.response]
        self.builder.call(
            request,
            response=response,
            id=call.id,
            origin=call.origin,
            model=call.model,
            grade=call.grade,
            grade_reason=call.reason,
            usage=call.usage,
            finish_reason=call.finish_reason,
            error=call.error,
            settings=call.settings,
            at=call.at,
        )
        self._changes(call, number)
        for said in call.response:
            self.evidence.wrote(said.plain, self._see(said), number, said.origin)
        self._before = _state(call)

    def _meet(self, said: Said) -> None:
        """Take in a message that stands in a request for the first time."""
        if said.plain.role == "assistant":
            self.evidence.knew(self._see(said), said.origin)
        elif said.plain.role == "tool":
            self._return(self.record.results.setdefault(said.plain.tool_call_id, said), said)

    def _notice_summary(self, call: ModelCall) -> None:
        """Know a summary by its words, where messages left the state as it came.

        Before langchain 1.3 no mark says what it is, and words alone prove nothing.
        """
        state = _state(call)
        first = next((said for said in state if said.plain.role != "system"), None)
        if first is None or not self._before or first.plain.role != "user":
            return
        marker = marker_of(words_of(first.plain))
        if marker is None or marker.kind != "compacted":
            return
        held = {(said.plain.role, said.plain.id, words_of(said.plain)) for said in state}
        before = next(said for said in self._before)
        if (before.plain.role, before.plain.id, words_of(before.plain)) not in held:
            self._summaries.add(words_of(first.plain))

    # -- results ----------------------------------------------------------------

    def _return(self, said: Said, shown: Said | None = None) -> None:
        """Take in the result of a tool call, once; *shown* is what a request held of it."""
        plain = said.plain
        if plain.tool_call_id in self._returned:
            return
        self._returned.add(plain.tool_call_id)
        seen = self._see(said)
        text = result_text(seen.content)
        own = saved_path(text, plain.tool_call_id)
        saved = own or saved_path(words_of((shown or said).plain), plain.tool_call_id)
        kept: str | None = text
        if is_cleared(plain):
            kept = None
        elif own:
            kept = self.evidence.file_text(own)
        self.evidence.returned(plain, seen, said.origin, kept, saved)

    # -- what was changed -------------------------------------------------------

    def _changes(self, call: ModelCall, number: int) -> None:
        """Note what stands in this request otherwise than it was returned, and who changed it."""
        stages = [*call.stages, Stage("", tuple(call.request))]
        for before, after in pairwise(stages):
            self._between(before, after.messages, call, number)
        for said in call.request:
            if said.plain.role == "tool" and id(said) not in self._compared:
                self._compared.add(id(said))
                self._against_result(said, call, number)
        self._against_call_before(call, number)

    def _between(self, before: Stage, after: Sequence[Said], call: ModelCall, number: int) -> None:
        """Note what *before*'s ``by`` did to the messages of the call."""
        changed: dict[EditKind, dict[str, str]] = {}
        texts = {s.plain.tool_call_id: words_of(s.plain) for s in after if s.plain.role == "tool"}
        for said in before.messages:
            plain = said.plain
            if plain.role != "tool":
                continue
            held, now = words_of(plain), texts.get(plain.tool_call_id)
            if now is None:
                changed.setdefault(EditKind.COMPACT, {})[plain.tool_call_id] = "gone"
            elif now != held:
                kind = _kind(held, now, _of_call(after, plain.tool_call_id))
                what = f"{len(held)} to {len(now)} characters"
                changed.setdefault(kind, {})[plain.tool_call_id] = what
        for kind, results in changed.items():
            details = "; ".join(f"{name}: {what}" for name, what in results.items())
            self._edit(call, number, kind, before.by, tuple(results), details)
            self._edited.update((name, texts.get(name, "")) for name in results)
        words = "; ".join(_other_changes(before.messages, after))
        if words:
            kind = EditKind.COMPACT if _has_summary(after) else EditKind.CLEAR
            self._edit(call, number, kind, before.by, (), words)

    def _edit(  # noqa: PLR0913, PLR0917 - an edit has this many properties
        self,
        call: ModelCall,
        number: int,
        kind: EditKind,
        by: str,
        names: tuple[str, ...],
        details: str,
    ) -> None:
        reason = f"between state and request: {details}"
        edit = ContextEdit(number, kind, names, by, call.grade, reason, call.origin)
        self.builder.edits.append(edit)

    def _against_result(self, said: Said, call: ModelCall, number: int) -> None:
        """Note that a request holds something else than the tool returned, the first time."""
        plain = said.plain
        text = words_of(plain)
        slot = (plain.tool_call_id, text)
        original = self.record.results.get(plain.tool_call_id)
        saved = saved_path(text, plain.tool_call_id)
        by = is_cleared(plain)
        same = original is None or words_of(original.plain) == text
        if slot in self._edited or (same and not saved and not by):
            return
        self._edited.add(slot)
        if saved:
            kind, by = EditKind.PERSIST, "deepagents"
            reason = "its text names the file it was saved to"
        elif by:
            kind, reason = EditKind.CLEAR, "its message says that it was cleared"
        else:
            kind = _kind(words_of(original.plain) if original else "", text, said)
            reason = "the state holds another text than the tool returned"
        grade = Grade.weakest(call.grade, Grade.INFERRED) if saved and same else call.grade
        edit = ContextEdit(number, kind, (plain.tool_call_id,), by, grade, reason, call.origin)
        self.builder.edits.append(edit)

    def _against_call_before(self, call: ModelCall, number: int) -> None:
        """Note results that stood in the state before and for which nothing stands in this."""
        now = {said.plain.tool_call_id for said in _state(call) if said.plain.role == "tool"}
        gone = [
            said.plain.tool_call_id
            for said in self._before
            if said.plain.role == "tool" and said.plain.tool_call_id not in now
        ]
        if not gone:
            return
        reason = "the state no longer holds it"
        if _has_summary(_state(call)):
            reason = "a summary stands for the messages before it"
        edit = ContextEdit(
            number,
            EditKind.COMPACT,
            tuple(dict.fromkeys(gone)),
            "",
            call.grade,
            reason,
            call.origin,
        )
        self.builder.edits.append(edit)


def _state(call: ModelCall) -> Sequence[Said]:
    """Return what a call's request was made of, as far back as the record tells."""
    return call.stages[0].messages if call.stages else call.request


def _of_call(messages: Iterable[Said], tool_call_id: str) -> Said | None:
    return next((s for s in messages if s.plain.tool_call_id == tool_call_id), None)


def _kind(held: str, now: str, said: Said | None) -> EditKind:
    marker = marker_of(now)
    if (said is not None and is_cleared(said.plain)) or (marker and marker.kind == "cleared"):
        return EditKind.CLEAR
    if said is not None and saved_path(now, said.plain.tool_call_id):
        return EditKind.PERSIST
    head = now[: max(16, len(now) // 2)]
    return EditKind.TRUNCATE if head.strip() and held.startswith(head) else EditKind.FOLD


def _has_summary(messages: Iterable[Said]) -> bool:
    return any(_is_summary(said) for said in messages)


def _is_summary(said: Said) -> bool:
    parts: tuple[Part, ...] = said.parts
    marker = marker_of(words_of(said.plain)) if said.plain.role == "user" else None
    if marker is not None and marker.kind == "compacted":
        return True
    return said.plain.additional.get("lc_source") == "summarization" or any(
        part.kind is PartKind.SUMMARY for part in parts
    )


def _other_changes(before: Sequence[Said], after: Sequence[Said]) -> Iterator[str]:
    """Yield what was done to messages that are no results of tools."""
    system = any(said.plain.role == "system" for said in before)
    ignored = {"tool"} if system else {"tool", "system"}
    held = [_key(said) for said in before if said.plain.role not in ignored]
    now = [_key(said) for said in after if said.plain.role not in ignored]
    kept, known = set(now), set(held)
    gone, added = [k for k in held if k not in kept], [k for k in now if k not in known]
    arguments = dict(pair for key in added for pair in key[2])
    changed = [name for key in gone for name, each in key[2] if arguments.get(name, each) != each]
    if changed:
        yield f"arguments of {', '.join(changed)} changed"
    else:
        yield from _counted(gone, added)


def _counted(gone: list[_Key], added: list[_Key]) -> Iterator[str]:
    for role in dict.fromkeys(role for role, *_ in (*gone, *added)):
        less = sum(key[0] == role for key in gone)
        more = sum(key[0] == role for key in added)
        if less and more:
            yield f"{less} {role} messages became {more}"
        elif less:
            yield f"{less} {role} messages left out"
        else:
            yield f"{more} {role} messages added"


def _key(said: Said) -> _Key:
    plain: Plain = said.plain
    calls = tuple((call.id, call.arguments) for call in plain.calls)
    return plain.role, words_of(plain), calls
