"""One file of telemetry on its way from spans to runs, whichever product wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from store.builder import RunBuilder
from store.importers import _files
from store.importers._base import Probe, UnreadableError
from store.importers._span_dialects import step_of
from store.importers._span_limits import limits_of
from store.importers._span_marks import mark_step
from store.importers._span_references import resolve
from store.importers._span_run import run_of
from store.importers._span_sources import holds_documents
from store.importers._span_steps import Kind, Noted, Step, Traced
from store.importers._span_tree import Thread, threads
from store.records.grades import Layer
from store.records.runs import Problem, ProblemKind, Run
from store.stopping import go_on

__all__ = ["Reading"]


class Reading:
    """Collects what a file holds; then `runs` puts it together."""

    def __init__(self, probe: Probe, form: str) -> None:
        self.problems: list[Problem] = []
        self._probe = probe
        self._form = form
        self._spans: list[Traced] = []
        self._steps: list[Step] = []

    def add_span(self, span: Traced) -> None:
        """Take a span of OpenTelemetry, or a log record as one."""
        go_on()
        self._spans.append(span)

    def add_step(self, step: Step) -> None:
        """Take what a product says of a span in words of its own."""
        go_on()
        self._steps.append(step)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was taken yet."""
        return not (self._spans or self._steps)

    def runs(self) -> Iterator[Run]:
        """Yield the runs.  Raises `UnreadableError` where no model was called."""
        limits = limits_of(self._spans)
        steps = list(self._steps)
        for span in _with_logs(self._spans):
            step = step_of(span)
            limits.mark(span, step)
            steps.append(step)
        for step in steps:
            if step.references:
                resolve(step, self._probe.path.parent)
            if step.kind is Kind.OTHER and holds_documents(step.response):
                step.kind = Kind.RETRIEVAL
            mark_step(step)
        found, without = threads(steps)
        if not found:
            raise UnreadableError(_files.shown(self._probe.label), self._nothing(len(steps)))
        if without:
            what = f"traces without a model call, left out: {without}"
            self.problems.append(Problem(self._probe.path.name, what, ProblemKind.NOTED))
        for thread in found:
            yield self._run(thread)
            self.problems = []

    def _run(self, thread: Thread) -> Run:
        name = self._probe.path.name
        builder = RunBuilder(
            thread.run_id,
            self._probe.label,
            self._form,
            Layer.TELEMETRY,
            title=f"{name}#{thread.title or thread.run_id}",
            parent_run=thread.parent,
            problems=list(self.problems),
        )
        return run_of(thread, builder)

    def _nothing(self, spans: int) -> str:
        said = "; ".join(problem.what for problem in self.problems)
        what = f"holds {spans} spans, none of them a model call, so nothing can be audited"
        return f"{what}: {said}" if said else what


def _with_logs(spans: list[Traced]) -> Iterator[Traced]:
    """Yield the spans with the log records that name them; records of no span are one each.

    A record without ids stands alone, and may hold a whole call.
    """
    named: dict[tuple[str, str], Traced] = {}
    for span in spans:
        if span.name or not _is_log(span):
            named.setdefault((span.trace_id, span.span_id), span)
    more: dict[tuple[str, str], list[Noted]] = {}
    alone: list[Traced] = []
    for span in spans:
        key = (span.trace_id, span.span_id)
        if not _is_log(span):
            continue
        if key in named or span.span_id:
            more.setdefault(key, []).extend(span.events)
            if key not in named:
                named[key] = replace(span, events=[])
        else:
            alone.append(span)
    logs = {id(span) for span in spans if _is_log(span)}
    for key, span in named.items():
        extra = sorted(more.get(key, ()), key=lambda event: event.at)
        yield replace(span, events=[*span.events, *extra]) if extra else span
    for span in spans:
        key = (span.trace_id, span.span_id)
        if id(span) not in logs and named.get(key) is not span:
            yield span
    yield from alone


def _is_log(span: Traced) -> bool:
    """Return whether it is a log record in the form of a span."""
    return not span.name and not span.attributes and not span.end and len(span.events) == 1
