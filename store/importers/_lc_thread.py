"""A thread of LangChain's family as the calls that were made in it, whatever recorded them.

A checkpoint says what the state was before a call, a trace or a log what the
call was sent.  Both are told in these words, so that they can be joined, and
become a run in one place (`_lc_thread_run`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from store.importers._lc_dialects import Plain
from store.records.grades import Grade
from store.records.runs import OtherEvent, Part, Problem, Usage

__all__ = ["EDITED", "PARTLY", "ModelCall", "Said", "Stage", "ThreadRecord", "words_of"]

EDITED: Final = "the service edited this request itself; which messages it changed is not recorded"
PARTLY: Final = "some messages of the request are of a form that is not known; they were left out"
"""Why what a model was given is unknown."""


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """A message where it stood; one object for each place in which it was met.

    ``parts`` stand for it where a request held something else in its place.
    """

    plain: Plain
    origin: str
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """The messages of a call before somebody (``by``) made the request out of them."""

    by: str
    messages: tuple[Said, ...] = field(repr=False)


@dataclass(slots=True)
class ModelCall:
    """One model call.

    ``names`` are ids under which other records may know its answer: the ids
    of the message, of the traced run, of the tool calls that it makes.
    ``stages`` are earlier forms of the request, the state first; each was
    changed by its ``by``.
    """

    request: list[Said]
    response: list[Said]
    grade: Grade
    reason: str = ""
    origin: str = ""
    names: tuple[str, ...] = ()
    id: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    finish_reason: str = ""
    error: str = ""
    settings: dict[str, object] = field(default_factory=dict)
    at: str | None = None
    stages: list[Stage] = field(default_factory=list)


@dataclass(slots=True)
class ThreadRecord:
    """One thread, or one sub-graph or sub-agent of it (``namespace``), as one record tells it.

    ``results`` are what tools returned, as they returned it, the first of each
    tool call; ``files`` are path, content and place of files that the state
    held; ``artifacts`` what retrievers and tools returned beside their text.
    """

    thread: str
    namespace: str = ""
    branch: str | None = None
    title: str = ""
    sources: list[tuple[str, str]] = field(default_factory=list)
    """The files that tell of it, by name, each with its format."""
    calls: list[ModelCall] = field(default_factory=list)
    results: dict[str, Said] = field(default_factory=dict)
    late: set[str] = field(default_factory=set)
    """Results that are first met in a state saved after several steps: they may have changed."""
    files: list[tuple[str, object, str]] = field(default_factory=list)
    artifacts: list[tuple[object, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    other: list[OtherEvent] = field(default_factory=list)

    @property
    def run_id(self) -> str:
        """The name of its run."""
        name = f"{self.thread}/{self.namespace}" if self.namespace else self.thread
        return name if self.branch is None else f"{name}@{self.branch}"

    @property
    def parent(self) -> str | None:
        """The run in which it was started, ``None`` for the thread itself."""
        if not self.namespace:
            return None
        above = self.namespace.rpartition("|")[0]
        return f"{self.thread}/{above}" if above else self.thread


def words_of(plain: Plain) -> str:
    """Return the text of a message's content."""
    content = plain.content
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else ()
    texts = (block.get("text") if isinstance(block, dict) else block for block in blocks)
    return "\n".join(text for text in texts if isinstance(text, str))
