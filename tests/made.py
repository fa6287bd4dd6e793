"""Hand-made records for tests of what shows an audit: each kind of fact once, and hostile text."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from reviewer.cli import run
from reviewer.cli._output import Output
from reviewer.reports import Meta, Report, reports
from reviewer.services.baselines import Baseline, BaselineWriter
from reviewer.services.deciding import ShownLog, decision_log
from reviewer.services.own_logs import OwnLogs
from reviewer.services.team import share, shared_runs, unshare
from store.builder import RunBuilder
from store.records.bills import Bill, BillKind, CallBill
from store.records.citations import SourceCitation
from store.records.findings import (
    Anchor,
    Audit,
    CallFacts,
    CitationFacts,
    Coverage,
    Delivery,
    Evidence,
    Finding,
    Form,
    Outcome,
    PlaceholderFacts,
    PlaceholderKind,
    ReadFacts,
    Severity,
    SourceFacts,
    State,
    Tokens,
    Verdict,
    VersionFacts,
    Where,
)
from store.records.grades import Grade, Layer
from store.records.runs import Part, PartKind, Problem, ProblemKind, Run, ToolCall, Usage
from store.records.sources import Selection, SourceKind, Version, VersionKey
from store.records.summaries import RunSummary
from store.records.text import Span, Unit
from store.reviews import Log

HASH = "1454125600c3497f5c0b8cdd951336b32b932b25872453d88aa7b5dec46ef694"
BODY = "单批上限为200条。超时设为30秒。"
HOSTILE = "<script>alert(1)</script>\x1b[2J\x00\u202e\ud83d end"
KEY = VersionKey("d03", HASH)


def made_run(run_id: str = "r-1", path: str = "runs/r-1") -> Run:
    """Return a run of two calls: the second holds a tool result and hostile text."""
    builder = RunBuilder(run_id, path, "reread.run", Layer.CLIENT, title=f"Limits {run_id}")
    asked = builder.message("user", [Part(PartKind.TEXT, HOSTILE)], "events.jsonl:2")
    called = builder.message(
        "assistant", [Part(PartKind.TOOL_CALL, "{}", "t1", "read")], "events.jsonl:2"
    )
    result = builder.message("tool", [Part(PartKind.TOOL_RESULT, BODY, "t1")], "events.jsonl:5")
    builder.tool_calls.append(ToolCall("t1", "read", "{}", 1))
    builder.call([asked], response=[called], model="m", origin="events.jsonl:2")
    builder.call([asked, called, result], model="m", usage=Usage(input_tokens=900))
    return builder.finish()


def made_citation(index: int = 0, verdict: Verdict = Verdict.READ) -> CitationFacts:
    """Return a citation of the body's first sentence."""
    cited = SourceCitation(Span(0, 3), "d03", HASH, Span(0, 10), quote="单批上限为200条。")
    read = verdict is Verdict.READ
    return CitationFacts(
        index=index,
        citation=cited,
        side="source",
        source_id="d03",
        version_id=HASH,
        span=Span(0, 10),
        unit=Unit.CHAR,
        anchor=Anchor.EXACT,
        verdict=verdict,
        grade=Grade.RECORDED,
        reason="all of it stands in message 2 of call 2" if read else f"it is {verdict.word}",
        call_at_answer=2,
        delivered_in=(2,) if read else (),
        missing=() if read else (Span(3, 10),),
        evidence=Evidence(2, 2, 0, Span(0, 10), BODY[:10]) if read else None,
    )


def made_finding(severity: Severity = Severity.ERROR, message: str = "it was cleared") -> Finding:
    """Return a finding at a citation."""
    where = Where(call=2, message=2, source_id="d03", citation=0, tool_call_id="t1")
    return Finding("PLC001", severity, Grade.DERIVED, message, where, "f" * 32)


def made_placeholder(kind: PlaceholderKind = PlaceholderKind.CLEARED) -> PlaceholderFacts:
    """Return a placeholder whose time is not recorded."""
    return PlaceholderFacts(
        tool_call_id="t1",
        kind=kind,
        first_call=None,
        last_full_call=2,
        original_chars=19,
        kept=(Span(0, 4),),
        recoverable=True,
        reread_at_call=None,
        grade=Grade.DERIVED,
    )


def made_bill(run: Run) -> Bill:
    """Return a bill of 20 tokens more for each call, of a tool's result from the second on."""
    rows = tuple(
        CallBill(
            call=call.index,
            grade=call.grade,
            resident=20 * call.index,
            cumulative=10 * call.index * (call.index + 1),
            by_kind={BillKind.INSTRUCTION: 20, BillKind.TOOL_RESULT: 20 * (call.index - 1)},
            cumulative_by_kind={
                BillKind.INSTRUCTION: 20 * call.index,
                BillKind.TOOL_RESULT: 10 * call.index * (call.index - 1),
            },
            new=20,
            new_reading=0 if call.index == 1 else 20,
            usage=call.usage,
            unaccounted=None if call.usage.input_tokens is None else 860,
            holds=None if call.usage.input_tokens is None else True,
            opaque_parts=0,
            opaque_bytes=0,
            shared_prefix_bytes=10,
            continues=call.index > 1,
        )
        for call in run.calls
    )
    return Bill("o200k_base", rows)


def made_audit(run: Run | None = None) -> Audit:
    """Return an audit that holds each kind of fact."""
    run = run or made_run()
    version = Version(KEY, SourceKind.TEXT, sha256=HASH, chars=len(BODY), text=BODY)
    facts = VersionFacts(
        version=version,
        unit=Unit.CHAR,
        listed=True,
        previewed=(Span(0, 4),),
        delivered=(Span(0, 10),),
        gaps=(Span(10, len(BODY)),),
        delivered_at_answer=(Span(0, 10),),
        state_at_answer=State.PARTIAL,
    )
    read = ReadFacts(
        tool_call_id="t1",
        tool="read",
        call=2,
        selection=Selection("d03", HASH, ranges=(Span(0, len(BODY)),)),
        outcome=Outcome.TRUNCATED,
        grade=Grade.RECORDED,
        declared={"loaded": float("nan"), "reason": HOSTILE},
        recomputed=Coverage(requested=1, loaded=0, missing=(Span(10, len(BODY)),)),
        agrees=False,
    )
    calls = tuple(
        CallFacts(call.index, call.id, call.origin, call.model, call.grade, "it is stored",
                  3, 40, 60, Tokens(20 * call.index, "o200k_base", call.usage.input_tokens), 10)
        for call in run.calls
    )  # fmt: skip
    return Audit(
        run=run,
        calls=calls,
        sources=(SourceFacts("d03", "text", "Limits", (facts,)),),
        reads=(read,),
        placeholders=(made_placeholder(),),
        citations=(made_citation(),),
        findings=(made_finding(),),
        deliveries=(Delivery(2, 0, Span(0, 10), KEY, Span(0, 10), Form.FULL, "selection"),),
        bill=made_bill(run),
    )


def quiet_audit(run: Run | None = None) -> Audit:
    """Return an audit without findings."""
    return replace(made_audit(run), findings=())


def unknown_audit() -> Audit:
    """Return an audit without findings of a run of which one call could not be decided."""
    audit = quiet_audit()
    first, *others = audit.calls
    unknown = replace(first, grade=Grade.UNKNOWN, grade_reason="nothing was kept")
    return replace(audit, calls=(unknown, *others))


@dataclass
class FakeProgram:
    """Services that give hand-made audits."""

    found: Sequence[Audit | Problem] = field(default_factory=lambda: [quiet_audit()])
    error: BaseException | None = None
    obstacle: str = "there is no screen"
    opened: list[tuple[Sequence[str], str | None, bool]] = field(default_factory=list)

    def audit(
        self,
        paths: Sequence[str],
        store: str | None = None,
        *,
        only: str | None = None,
        tokens: bool = True,
        config: str | None = None,
    ) -> Iterator[Audit | Problem]:
        """Yield what was given, then raise what was given."""
        del paths, store, tokens, config
        for item in self.found:
            if isinstance(item, Problem) or only in {None, item.run.run_id}:
                yield item
        if self.error is not None:
            raise self.error

    def importers(self) -> Sequence[object]:
        """Return nothing."""
        return ()

    def rules(self) -> Sequence[object]:
        """Return nothing."""
        return ()

    def reports(self) -> Mapping[str, Report]:
        """Return the real reports."""
        return reports()

    def meta(self, output: Output, *, everything: bool = False) -> Meta:
        """Return a meta without a style sheet."""
        return Meta("0", "", output.columns, output.colour, everything)

    def decision_log(self, run: Run) -> Log:
        """Return the real log in the user's folder of the test."""
        return decision_log(run)

    def share(self, run: Run) -> str:
        """Save a run in the database that the test names."""
        return share(run)

    def shared_runs(self) -> Sequence[RunSummary]:
        """Return what is in it."""
        return shared_runs()

    def unshare(self, name: str) -> RunSummary:
        """Take a run out of it."""
        return unshare(name)

    def shown_log(self, name: str) -> ShownLog:
        """Read a real log."""
        return ShownLog.read(name)

    def own_logs(self) -> OwnLogs:
        """Read the real logs of the user's folder of the test."""
        return OwnLogs()

    def baseline(self, name: str) -> Baseline:
        """Read a real baseline."""
        return Baseline.read(name)

    def baseline_writer(self) -> BaselineWriter:
        """Return a real writer."""
        return BaselineWriter()

    def write_sample(self, folder: Path | None) -> Sequence[Path]:
        """Fail as a full disk does."""
        raise OSError(28, "No space left on device", str(folder))

    def window_obstacle(self) -> str:
        """Return what was given."""
        return self.obstacle

    def open_window(
        self, paths: Sequence[str], store: str | None = None, *, restore: bool = True
    ) -> int:
        """Keep what is to be opened."""
        self.opened.append((paths, store, restore))
        return 0


@dataclass
class Ended:
    """What a command left behind."""

    status: int
    out: str
    err: str


def command(
    *arguments: str, program: object = None, environment: Mapping[str, str] | None = None
) -> Ended:
    """Run a command in this process and return what it printed."""
    out, err = io.BytesIO(), io.BytesIO()
    services = program or FakeProgram()
    output = Output(out, err)
    status = run(list(arguments), services, output, environment or {})  # type: ignore[arg-type]
    return Ended(status, out.getvalue().decode(), err.getvalue().decode())


def lost(where: str = "b.jsonl") -> Problem:
    """Return a problem by which something could not be read."""
    return Problem(where, "cannot be opened; check its rights", ProblemKind.LOST)
