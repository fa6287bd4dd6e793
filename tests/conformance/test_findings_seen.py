"""Every finding on the recorded samples, each of which a person looked at.

``findings_seen.tsv`` has a row for each finding of the families it covers and
one for each run in which these families find nothing.  A rule that finds more
or less than a person has seen and judged shows here.
"""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from reviewer.audit.rules import rules
from reviewer.services.auditing import audit_paths
from store.records.findings import Audit, Finding
from store.records.runs import Run

TABLE = Path(__file__).with_name("findings_seen.tsv")
NOTHING = "-"
VERDICTS = {"right", "arguable", "silent"}
"""``silent``: nothing is found, and rightly.  What a person would dismiss at once has no row."""


class Row(NamedTuple):
    """One finding as a person saw it; ``where`` is its place as `place` writes it."""

    sample: str
    run: str
    rule: str
    where: str
    verdict: str
    why: str


def lines() -> list[str]:
    return TABLE.read_text("utf-8").splitlines()


def families() -> tuple[str, ...]:
    """Return the families of which the table has every finding: those on its first line."""
    return tuple(lines()[0].removeprefix("# families:").split())


def rows() -> list[Row]:
    held = [line for line in lines() if line and not line.startswith("#")]
    read = csv.reader(held[1:], delimiter="\t", quoting=csv.QUOTE_NONE)
    return [Row(*(*row, *[""] * (6 - len(row)))) for row in read]


SAMPLES = sorted({row.sample for row in rows()})


def name(run: Run) -> str:
    return f"{run.run_id}@{run.branch}" if run.branch else run.run_id


def place(finding: Finding) -> str:
    """Return the place of a finding in few words: call, citation, tool call or source."""
    where = finding.where
    parts = [f"call {where.call}"] if where.call is not None else []
    parts += [f"citation {where.citation}"] if where.citation is not None else []
    if where.tool_call_id:
        parts.append(where.tool_call_id)
    elif where.source_id:
        parts.append(where.source_id.rpartition("/")[2])
    return " ".join(parts) or NOTHING


@cache
def audits(path: Path) -> tuple[Audit, ...]:
    found = audit_paths([str(path)])
    return tuple(item for item in found if isinstance(item, Audit))


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_has_exactly_the_findings_that_a_person_has_seen(
    shared: Path, sample: str
) -> None:
    covered = families()
    found: Counter[tuple[str, str, str]] = Counter()
    for audit in audits(shared / "data" / sample):
        here = [f for f in audit.findings if f.rule.startswith(covered)]
        found.update((name(audit.run), f.rule, place(f)) for f in here)
        found[name(audit.run), NOTHING, NOTHING] += not here
    seen = Counter((r.run, r.rule, r.where) for r in rows() if r.sample == sample)
    assert sorted((+found).elements()) == sorted(seen.elements())


def test_every_row_has_a_verdict_and_every_finding_a_reason() -> None:
    assert {row.verdict for row in rows()} <= VERDICTS
    assert [row for row in rows() if row.rule != NOTHING and not row.why] == []
    assert [row for row in rows() if (row.rule == NOTHING) != (row.verdict == "silent")] == []


def test_more_than_thirty_runs_were_looked_at() -> None:
    assert len({(row.sample, row.run) for row in rows()}) > 30


def test_the_families_are_those_of_rules() -> None:
    assert set(families()) <= {rule.id[:3] for rule in rules()}
