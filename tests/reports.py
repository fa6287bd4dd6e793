"""What tests of the reports share: hostile audits, and the sample as each report writes it."""

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from reviewer.reports import Meta, reports
from reviewer.services.exporting import report_meta
from reviewer.services.sample import write_sample
from store.builder import RunBuilder
from store.records.citations import SourceCitation
from store.records.findings import Audit, Evidence, Finding, Severity, Where
from store.records.grades import Grade, Layer
from store.records.reviews import (
    Decision,
    DecisionKind,
    Reviews,
    Target,
    current,
)
from store.records.runs import Answer, Part, PartKind, Problem, Run
from store.records.sources import Version
from store.records.text import Span
from tests.made import HOSTILE, made_audit, made_citation, made_finding, made_run

SCHEMAS = Path(__file__).parent / "schemas"

WORST = f"{HOSTILE}\ufffe\uffff\r\n\t]](javascript:alert(1)) [a](b) ]]> <!-- & =cmd|' /C calc'!A0"
"""Everything that one of the formats gives a meaning to."""


def text_of(name: str, *audits: Audit, problems: tuple[Problem, ...] = (), **meta: object) -> str:
    """Return what the report *name* writes."""
    return "".join(reports()[name].write(iter(audits), problems, Meta("1.2", **meta)))  # type: ignore[arg-type]


def hostile_audit(text: str = WORST) -> Audit:
    """Return an audit that holds *text* wherever a record may hold text."""
    run = replace(made_run(text or "r", text or "p"), title=text)
    cited = replace(
        made_citation(),
        source_id=text,
        reason=text,
        citation=SourceCitation(Span(0, 3), text, text, Span(0, 10), quote=text, label=text),
        evidence=Evidence(2, 2, 0, Span(0, 9), text * 200),
    )
    where = Where(call=2, message=2, source_id=text, citation=0, tool_call_id=text)
    found = Finding("PLC001", Severity.ERROR, Grade.DERIVED, text, where, "f" * 32)
    return replace(made_audit(run), citations=(cited,), findings=(found,))


def audit_of_text(text: str, span: Span, **version: object) -> Audit:
    """Return an audit with one citation of *span* in a version that is *text*."""
    audit = made_audit()
    (source,) = audit.sources
    (facts,) = source.versions
    held: Version = replace(facts.version, text=text, chars=len(text), **version)  # type: ignore[arg-type]
    cited = replace(made_citation(), span=span, citation=SourceCitation(None, "d03", span=span))
    return replace(
        audit,
        citations=(cited,),
        findings=(replace(made_finding(), rule="CIT012"),),
        sources=(replace(source, versions=(replace(facts, version=held),)),),
    )


def decided(*decisions: tuple[DecisionKind, str, str], target: Target) -> Reviews:
    """Return a log in which reviewers decided on *target*: kind, reviewer and note."""
    at = datetime(2026, 3, 12, 9, tzinfo=UTC)
    made = [
        Decision(kind, target, reviewer, at, str(place), note, run_id="r-1")
        for place, (kind, reviewer, note) in enumerate(decisions)
    ]
    return Reviews("decisions.jsonl", True, len(made), "e" * 64, {"r-1": current(made)})  # noqa: FBT003


def answered_run(run_id: str = "r-1", path: str = "runs/r-1") -> Run:
    """Return a run with an answer."""
    builder = RunBuilder(run_id, path, "reread.run", Layer.CLIENT)
    asked = builder.message("user", [Part(PartKind.TEXT, "ask")], "events.jsonl:2")
    builder.call([asked], origin="events.jsonl:2")
    builder.answers.append(Answer(1, "answer", origin="events.jsonl:3"))
    return builder.finish()


def sample_report(name: str, folder: Path, **meta: object) -> str:
    """Return the report *name* on the sample, opened from within *folder*."""
    from reviewer.app import Program  # noqa: PLC0415 - it is slow to load

    before = Path.cwd()
    names = [place.name for place in write_sample(folder)]
    os.chdir(folder)
    try:
        found = list(Program(strict=True).audit(names, tokens=False))
        audits = [item for item in found if isinstance(item, Audit)]
        used = replace(report_meta(everything=False), **meta)  # type: ignore[arg-type]
        return "".join(reports()[name].write(audits, [], used))
    finally:
        os.chdir(before)
