"""``reread decisions``: the reviewers' log of one run, and whether its chain holds."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from reviewer.cli._auditing import Account
from reviewer.cli._command import Command, Context
from reviewer.cli._exit import Exit
from reviewer.cli._runs import add_run_option, asked, chosen
from reviewer.display import Column, indented, one_line, table
from reviewer.reports import (
    DECISION_WORDS,
    carried_words,
    decision_record,
    dumps,
    opinion_lines,
    problem_record,
    reference,
    state_record,
    time_words,
)
from store.errors import StoreError
from store.records.findings import Audit
from store.records.reviews import (
    Decision,
    DecisionKind,
    Target,
    TargetState,
    citation_target,
    current,
    finding_target,
    standing,
)
from store.records.runs import ProblemKind
from store.reviews import Reading

__all__ = ["COMMAND"]

_SCHEMA = "reread.decisions/1"


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="RUN", help="a run folder, a trace file, or -")
    add_run_option(parser)
    parser.add_argument("--store", metavar="DIR", help="a store with evidence that lies elsewhere")
    parser.add_argument(
        "--verify",
        action="store_true",
        help="check that each record follows the one before it, unchanged; the exit status is 1 "
        "where one does not, and 3 where there is no log",
    )
    parser.add_argument(
        "--format", choices=("json", "text"), default="text", help="how the log is written"
    )


def _run(args: Namespace, context: Context) -> int:
    output = context.output
    account = Account(output, only_lost=True)
    found = context.services.audit([args.path], args.store, only=args.run_id, tokens=False)
    audits = list(account.audits(asked(found, [args.path], args.run_id)))
    if not audits:
        return account.status([args.path])
    audit = chosen(audits, args.run_id)
    try:
        log = context.services.decision_log(audit.run)
        reading = log.read()
    except StoreError as error:
        output.note(str(error))
        return Exit.UNDECIDED
    for problem in reading.problems:
        output.note(f"{problem.where}: {problem.what}")
    if args.format == "json":
        output.result([dumps(_record(audit, log.where, reading)), "\n"])
    else:
        output.lines(_lines(audit, log.where, reading, output.columns))
    if args.verify and reading.missing:
        output.note(f"{log.where}: there is no log, so nothing was verified")
        return Exit.UNDECIDED
    if account.lost or any(each.kind is ProblemKind.LOST for each in reading.problems):
        return Exit.UNDECIDED
    if args.verify and not reading.holds:
        return Exit.FINDINGS
    return Exit.OK


def _lines(audit: Audit, path: str, reading: Reading, columns: int) -> Iterator[str]:
    run = audit.run
    yield f"Decisions on {one_line(run.title or run.run_id)} · id {one_line(run.run_id)}"
    yield f"  log {one_line(path)}"
    if reading.missing:
        yield "  No decision was made yet: there is no log."
        return
    yield f"  {_chain(reading)}"
    about = _names(audit)
    if reading.decisions:
        yield ""
        yield from _table(reading, about, columns)
    states = [state for state in current(reading.decisions).values() if state.disagreement]
    for state in states:
        yield ""
        yield f"  {one_line(_about(state.target, about))}"
        for line in opinion_lines(state):
            yield from indented(one_line(line), "      ", columns)


def _chain(reading: Reading) -> str:
    records = f"{reading.records} record{'' if reading.records == 1 else 's'}"
    if not reading.holds:
        broken = sum(each.kind is ProblemKind.CHANGED for each in reading.problems)
        return f"{records}; the chain is BROKEN in {broken} place{'' if broken == 1 else 's'}"
    return f"{records}; the chain holds; last hash {reading.end}"


def _table(reading: Reading, about: dict[Target, str], columns: int) -> Iterator[str]:
    stands = {each.hash for each in standing(reading.decisions)}
    shown = [
        Column("time (UTC)", 20),
        Column("decision", 24),
        Column("reviewer", 24),
        Column("about", 0, whole=True),
    ]
    rows = [
        [
            time_words(each),
            _word(each, stands),
            one_line(each.reviewer),
            one_line(_about(each.target, about)),
        ]
        for each in reading.decisions
    ]
    notes = [one_line(f"{each.note}{carried_words(each)}".strip()) for each in reading.decisions]
    for line in table(shown, rows, columns, notes):
        if line.strip():
            yield line


def _word(decision: Decision, stands: set[str]) -> str:
    word = DECISION_WORDS[decision.kind]
    gone = decision.kind is not DecisionKind.UNDO and decision.hash not in stands
    return f"{word} (taken back)" if gone else word


def _about(target: Target, about: dict[Target, str]) -> str:
    return about.get(target) or f"{target} (not in this audit)"


def _names(audit: Audit) -> dict[Target, str]:
    """Return for everything that can be decided on how it is called in this audit."""
    names: dict[Target, str] = {}
    for facts in audit.citations:
        block = facts.citation.block_id
        place = reference(facts.source_id, facts.version_id, facts.span, facts.unit, block)
        name = f"citation {facts.index} ({facts.verdict.word}) {place}"
        names.setdefault(citation_target(facts), name)
    for finding in audit.findings:
        target = finding_target(finding)
        if target is not None:
            source = finding.where.source_id or ""
            names.setdefault(target, f"finding {finding.rule} {source}".rstrip())
    return names


def _record(audit: Audit, path: str, reading: Reading) -> dict[str, object]:
    about = _names(audit)
    states = current(reading.decisions)
    return {
        "schema": _SCHEMA,
        "run_id": audit.run.run_id,
        "log": path,
        "exists": not reading.missing,
        "chain": {
            "holds": None if reading.missing else reading.holds,
            "records": reading.records,
            "last_hash": reading.end if reading.records else None,
        },
        "problems": [problem_record(each) for each in reading.problems],
        "decisions": [decision_record(each) for each in reading.decisions],
        "standing": [_state(state, about) for state in states.values()],
    }


def _state(state: TargetState, about: dict[Target, str]) -> dict[str, object]:
    return {
        "target": str(state.target),
        "about": about.get(state.target),
        **(state_record(state) or {}),
    }


COMMAND = Command("decisions", "print the reviewers' log of a run", _configure, _run)
