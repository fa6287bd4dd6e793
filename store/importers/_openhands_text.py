"""What of an observation OpenHands puts into a request: the folder and the exit code, and a cut.

Facts from its sources (``openhands/events/observation/commands.py``, and
``to_llm_content`` of the terminal tool of its SDK).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.importers._agent_run import AgentRun
from store.importers._wire import string
from store.records.grades import Grade
from store.records.runs import EditKind

__all__ = ["LIMIT", "clipped", "command_text", "cut", "note_cut"]

LIMIT: Final = 30_000
"""Characters of an observation that are sent, where the settings do not say how many."""
_MARK: Final = "[... Observation truncated due to length ...]"
_CLIPPED: Final = "<response clipped>"
_NOTICE: Final = 1200
"""Characters that the notice in a cut may have: it names a file whose name is not recorded."""


def command_text(text: str, metadata: Mapping[str, object]) -> str:
    """Return the output of a command with what is said behind it."""
    if not metadata:
        return text
    text = f"{string(metadata.get('prefix'))}{text}{string(metadata.get('suffix'))}"
    if string(metadata.get("working_dir")):
        text += f"\n[Current working directory: {metadata['working_dir']}]"
    if string(metadata.get("py_interpreter_path")):
        text += f"\n[Python interpreter: {metadata['py_interpreter_path']}]"
    exit_code = metadata.get("exit_code")
    if isinstance(exit_code, int) and exit_code != -1:
        text += f"\n[Command finished with exit code {exit_code}]"
    return text


def cut(text: str, limit: int) -> str:
    """Return *text* as version 0 sends it: its middle is left out where it is too long."""
    if limit < 2 or len(text) <= limit:  # noqa: PLR2004 - a head and a tail
        return text
    half = limit // 2
    return f"{text[:half]}\n{_MARK}\n{text[-half:]}"


def clipped(text: str, limit: int) -> str:
    """Return what of *text* the SDK sends for certain.

    The notice in its place is as long as the name of a file that is not in the
    record, so that a little less than was sent is kept of either end.
    """
    if len(text) <= limit:
        return text
    half = (limit - _NOTICE) // 2
    return f"{text[:half]}\n{_CLIPPED}\n{text[-half:]}"


def note_cut(agent: AgentRun, call_id: str, origin: str) -> None:
    """Note that requests hold less of a result than the record does."""
    agent.note_edit(
        EditKind.TRUNCATE,
        [agent.name_of(call_id)],
        origin,
        by="OpenHands",
        reason="the client leaves out the middle of a long observation when it builds a request",
        grade=Grade.INFERRED,
    )
