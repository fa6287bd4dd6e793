"""Which results a client took away, by era, and how far the record proves it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from store.importers._claude_content import RECONSTRUCTED, result_text, saved_to
from store.importers._claude_folder import SideFiles
from store.importers._claude_lines import clean_path
from store.importers._claude_records import Record, Transcript, as_list, as_map, as_text
from store.records.grades import Grade
from store.records.runs import Part, PartKind

__all__ = ["Eras", "cleared_by_api", "era_of"]

_SILENT_UNTIL = (2, 0, 59)
_LOWER_BOUND = (
    "system prompt and tool definitions are not in the record, "
    "so the request shown is a lower bound"
)
_SILENT = (
    "clients up to version 2.0.59 cleared old results and left no trace of it, "
    "so the record cannot say what this request still held"
)
_NO_VERSION = "the record names no client version, so it cannot say whether results were cleared"
_BROKEN = (
    "what came before this call is missing from the file, so the record cannot say what it held"
)
_BOUNDARY = "messages before the call by parent links, with the edits of the boundary records"
_NO_BOUNDARY = (
    "messages before the call by parent links; the session has no boundary record, "
    "and its folder of saved results may be missing"
)
_SIDE_FILE = (
    "results that have a file of their own and no boundary record are taken to be replaced "
    "in every request; when they were is not recorded"
)
_API = (
    "the API reports only how many results it cleared; "
    "which ones follows from its rule, the oldest first"
)


@dataclass(frozen=True, slots=True)
class Era:
    """What a call's version and marks make of its grade."""

    grade: Grade
    reason: str


def era_of(  # noqa: PLR0913 - every fact that decides a grade, once
    version: str,
    *,
    boundary: bool,
    side_file: bool = False,
    api: bool = False,
    broken: bool = False,
    thinking: int = 0,
) -> Era:
    """Return grade and reason of one call."""
    numbers = tuple(int(part) for part in re.findall(r"\d{1,9}", version)[:3])
    if broken:
        made = Era(Grade.UNKNOWN, _BROKEN)
    elif numbers and numbers <= _SILENT_UNTIL:
        made = Era(Grade.UNKNOWN, _SILENT)
    elif not numbers and not boundary:
        made = Era(Grade.UNKNOWN, _NO_VERSION)
    elif api:
        made = Era(Grade.INFERRED, _API)
    elif side_file:
        made = Era(Grade.INFERRED, _SIDE_FILE)
    elif boundary:
        made = Era(Grade.DERIVED, _BOUNDARY)
    else:
        made = Era(Grade.INFERRED, _NO_BOUNDARY)
    cleared = f"; the API reports thinking of {thinking} turns cleared" if thinking else ""
    return Era(made.grade, f"{made.reason}{cleared}; {_LOWER_BOUND}")


def cleared_by_api(members: Iterable[Record]) -> tuple[int | None, int]:
    """Return how many tool uses and thinking turns the API reports as cleared for a call.

    The first is ``None`` where it reports nothing at all.
    """
    uses: int | None = None
    thinking = 0
    for record in members:
        management = record.message.get("context_management")
        if not isinstance(management, dict):
            continue
        uses, thinking = 0, 0
        for edit in (as_map(entry) for entry in as_list(management.get("applied_edits"))):
            uses += _count(edit, "cleared_tool_uses")
            thinking += _count(edit, "cleared_thinking_turns")
    return uses, thinking


def _count(edit: Mapping[str, object], key: str) -> int:
    value = edit.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


@dataclass(slots=True)
class Eras:
    """What a session's records and folder say together about its saved results."""

    has_boundary: bool
    boundary_ids: frozenset[str]
    side: SideFiles
    folder: str = ""
    _paths: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(transcript: Transcript, side: SideFiles) -> Eras:
        """Look through all branches: a side file has one name in all of them."""
        made = Eras(transcript.has_boundary, transcript.boundary_ids, side)
        for record in transcript.tree.values():
            for path in _paths_in(record):
                name = side.name_in(path)
                if name:
                    made._paths.setdefault(name, path)
                    made.folder = made.folder or path.rpartition("/")[0]
        return made

    def is_inferred(self, call_id: str, text: str) -> bool:
        """Return whether a result has a side file and nothing says why.

        A boundary would, and so would the result itself where it names its file.
        """
        if not self.side.of_call(call_id) or call_id in self.boundary_ids:
            return False
        return not saved_to(text) and f"tool-results/{call_id}" not in text.replace("\\", "/")

    def side_file(self, call_id: str, text: str) -> str:
        """Return the path of the file a result was saved to, as the session calls it."""
        if inline := saved_to(text):
            return clean_path(inline, "")
        name = self.side.of_call(call_id)
        if not name and call_id not in self.boundary_ids:
            return ""
        name = name or f"{call_id}.txt"
        known = self._paths.get(name, "")
        if not known and (self.folder or name in self.side.files):
            known = f"{self.folder or '…/tool-results'}/{name}"
        return known

    def placeholder(self, call_id: str) -> Part:
        """Return what stands in a request in place of a result that was saved and taken away."""
        path = self.side_file(call_id, "") or f"…/tool-results/{call_id}.txt"
        text = (
            f"<persisted-output>Tool result saved to: {path}\n\nUse Read to view</persisted-output>"
        )
        return Part(PartKind.TOOL_RESULT, text, call_id, status=RECONSTRUCTED)


def _paths_in(record: Record) -> Iterator[str]:
    cwd = as_text(record.data.get("cwd"))
    for block in record.blocks if record.is_conversation else ():
        if block.get("type") == "tool_use":
            path = as_text(as_map(block.get("input")).get("file_path"))
        else:
            path = saved_to(result_text(block) or "") if block.get("type") == "tool_result" else ""
        if path:
            yield clean_path(path, cwd)
