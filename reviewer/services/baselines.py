"""Findings that were known before: only new ones fail.

A baseline is a file that ``--write-baseline`` wrote, or any earlier audit in
JSON.  A finding is known where the baseline has its fingerprint in the same
run; neither place, wording nor severity matter.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path

from store import jsonin
from store.importers import _files
from store.records.findings import Audit, BaselineState, Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import Problem, ProblemKind, Run

__all__ = ["SCHEMA", "Baseline", "BaselineError", "BaselineWriter", "forgotten", "gone"]

SCHEMA = "reread.baseline/1"
_SCHEMAS = (SCHEMA, "reread.audit/1")
_MOST_BYTES = 1 << 30

_Key = tuple[str, str]
_Known = dict[str, list[Finding]]


class BaselineError(Exception):
    """A file is no baseline; the text says which, why, and what to do.

    ``why`` is the text without the name of the file.
    """

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.why = why


def _key(run: Run) -> _Key:
    return run.run_id, run.branch or ""


@dataclass(slots=True)
class Baseline:
    """What an earlier audit found, run by run.  One serves one audit: it is used up."""

    name: str
    _known: dict[_Key, list[_Known]] = field(default_factory=dict)
    """By run; several where copies of one run were audited."""

    @classmethod
    def read(cls, name: str) -> Baseline:
        """Read the file *name*.  Raises `BaselineError`."""
        try:
            with _files.open_regular(Path(name)) as stream:
                data = stream.read(_MOST_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise BaselineError(name, f"cannot be read ({reason})") from None
        if len(data) > _MOST_BYTES:
            what = f"it has more than {_MOST_BYTES} bytes and was not read; {_HOW}"
            raise BaselineError(name, what)
        try:
            value = jsonin.loads(data)
        except jsonin.JsonError as error:
            raise BaselineError(name, f"no JSON ({error}); {_HOW}") from None
        if not isinstance(value, Mapping) or value.get("schema") not in _SCHEMAS:
            raise BaselineError(name, f"neither a baseline nor an audit in JSON; {_HOW}")
        made = cls(name)
        for run in _mappings(value.get("runs")):
            held: _Known = {}
            made._known.setdefault(_run_key(run), []).append(held)
            for each in _mappings(run.get("findings")):
                found = _finding(each)
                if found is None:
                    raise BaselineError(name, f"a finding without a fingerprint; {_HOW}")
                held.setdefault(found.fingerprint, []).append(found)
        return made

    def compared(self, found: Iterable[Audit | Problem]) -> Iterator[Audit | Problem]:
        """Yield *found* with the state of each finding, and at last what was not audited again."""
        for item in found:
            yield _judged(item, self._take(item)) if isinstance(item, Audit) else item
        left = [run_id for (run_id, _), runs in self._known.items() for held in runs if held]
        if left:
            what = (
                f"runs with findings in this baseline that were not audited here ({len(left)}): "
                f"{_files.shown(', '.join(left))}"
            )
            yield Problem(self.name, what, ProblemKind.NOTED)

    def judged(self, audit: Audit) -> Audit:
        """Return *audit* with the state of each finding; nothing is used up by it."""
        copies = self._known.get(_key(audit.run), [])
        known = copies[_most_like(audit, copies)] if copies else {}
        return _judged(audit, {name: list(held) for name, held in known.items()})

    def _take(self, audit: Audit) -> _Known:
        """Take out what was known of the run, of its copies the one most like it."""
        copies = self._known.get(_key(audit.run))
        if not copies:
            return {}
        return copies.pop(_most_like(audit, copies))


def gone(audit: Audit) -> Iterator[Problem]:
    """Yield what the baseline of *audit* tells of and the audit finds no more, as notes."""
    for each in audit.absent:
        what = f"this finding of the baseline is there no more: {each.message}; {each.rule}"
        yield Problem(audit.run.path, what, ProblemKind.NOTED)


def forgotten(audit: Audit) -> Audit:
    """Return *audit* as it is without a baseline."""
    findings = tuple(replace(each, baseline=None) for each in audit.findings)
    return replace(audit, findings=findings, absent=())


def _judged(audit: Audit, known: _Known) -> Audit:
    """Return *audit* with the state of each finding; what of *known* is found is taken out."""
    judged: list[Finding] = []
    for finding in audit.findings:
        same = known.get(finding.fingerprint)
        state = BaselineState.UNCHANGED if same else BaselineState.NEW
        if same:
            same.pop()
        judged.append(replace(finding, baseline=state))
    absent = (each for held in known.values() for each in held)
    return replace(audit, findings=tuple(judged), absent=tuple(absent))


def _most_like(audit: Audit, copies: Sequence[_Known]) -> int:
    found = {finding.fingerprint for finding in audit.findings}
    return max(range(len(copies)), key=lambda n: _likeness(copies[n], found))


def _likeness(known: _Known, found: AbstractSet[str]) -> int:
    """Return how many are the same, less those that only one of both has."""
    return len(found & known.keys()) - len(known.keys() ^ found)


_HOW = "reread audit PATH --write-baseline FILE writes one"


def _mappings(value: object) -> list[Mapping[str, object]]:
    held = value if isinstance(value, list) else []
    return [each for each in held if isinstance(each, Mapping)]


def _run_key(run: Mapping[str, object]) -> _Key:
    return str(run.get("run_id") or ""), str(run.get("branch") or "")


def _finding(value: Mapping[str, object]) -> Finding | None:
    """Return a finding of a baseline as far as it is told again, ``None`` without a fingerprint."""
    fingerprint = value.get("fingerprint")
    if not isinstance(fingerprint, str) or not fingerprint:
        return None
    try:
        severity = Severity(str(value.get("severity")))
    except ValueError:
        severity = Severity.NOTE
    where = value.get("where")
    source_id = where.get("source_id") if isinstance(where, Mapping) else None
    return Finding(
        rule=str(value.get("rule") or ""),
        severity=severity,
        grade=Grade.UNKNOWN,
        message=str(value.get("message") or ""),
        where=Where(source_id=source_id if isinstance(source_id, str) else None),
        fingerprint=fingerprint,
        baseline=BaselineState.ABSENT,
    )


class BaselineWriter:
    """Takes the findings of audits as they pass, for a new baseline."""

    def __init__(self) -> None:
        self._runs: list[tuple[_Key, tuple[Finding, ...]]] = []

    def taking(self, audits: Iterable[Audit]) -> Iterator[Audit]:
        """Yield *audits*, keeping what they found."""
        for audit in audits:
            self._runs.append((_key(audit.run), audit.findings))
            yield audit

    def chunks(self) -> Iterator[str]:
        """Yield the baseline: a line for each finding, so that versions of it can be compared."""
        yield f'{{"schema": "{SCHEMA}", "runs": ['
        between = "\n"
        for (run_id, branch), findings in self._runs:
            yield f'{between}{{"run_id": {_json(run_id)}, "branch": {_json(branch or None)}, '
            yield f'"findings": [{_lines(findings)}]}}'
            between = ",\n"
        yield "\n]}\n"

    @property
    def count(self) -> int:
        """How many findings were taken."""
        return sum(len(findings) for _, findings in self._runs)


def _lines(findings: Sequence[Finding]) -> str:
    ordered = sorted(findings, key=lambda each: (each.rule, each.fingerprint))
    held = [f" {_json(_record(each))}" for each in ordered]
    return "\n" + ",\n".join(held) + "\n" if held else ""


def _record(finding: Finding) -> dict[str, object]:
    return {
        "fingerprint": finding.fingerprint,
        "rule": finding.rule,
        "severity": finding.severity.value,
        "where": {"source_id": finding.where.source_id},
        "message": finding.message,
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)
