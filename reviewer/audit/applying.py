"""Asks the rules under the settings in force, and accounts for what the settings did.

What a run asks for itself is evidence: it may add findings and raise them, and
neither hide nor lower one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from reviewer.audit.rules import Rule
from reviewer.audit.settings import SEVERITY, Change, Settings
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Setting, Severity

__all__ = ["apply"]

_RANKS = {Severity.NOTE: 1, Severity.WARNING: 2, Severity.ERROR: 3}


def apply(
    view: Callable[[Settings], AuditView], using: Iterable[Rule], settings: Settings
) -> tuple[tuple[Finding, ...], tuple[Setting, ...]]:
    """Return the findings of *using* under *settings*, and what each setting did.

    *view* gives the run as rules see it under settings.
    """
    found: list[Finding] = []
    told: Counter[tuple[Change, str]] = Counter()
    trusted = settings.trusted
    for rule in using:
        raw = tuple(rule.check(view(trusted)))
        kept = tuple(_judged(raw, trusted, told))
        if trusted != settings:
            wider = tuple(rule.check(view(settings)))
            kept = _stricter(kept, tuple(_judged(wider, settings, Counter())))
            _held_back(raw, wider, rule, settings, told)
        found += kept
    return tuple(found), tuple(_facts(change, told) for change in settings.changes)


def _judged(
    raw: Sequence[Finding], settings: Settings, told: Counter[tuple[Change, str]]
) -> Iterator[Finding]:
    for finding in raw:
        source_id = finding.where.source_id
        change = settings.last(finding.rule, SEVERITY, source_id)
        severity = settings.severity(finding.rule, finding.severity, source_id)
        if change is not None and severity is not finding.severity:
            told[change, "off" if severity is None else "moved"] += 1
        if severity is not None:
            yield replace(finding, severity=severity)


def _stricter(kept: Sequence[Finding], wider: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return *kept* with what *wider* adds, each at the worse severity of the two."""
    worse: dict[str, Severity] = {}
    for finding in wider:
        known = worse.get(finding.fingerprint, Severity.NOTE)
        worse[finding.fingerprint] = max(known, finding.severity, key=_RANKS.__getitem__)
    names = {finding.fingerprint for finding in kept}
    raised = [
        replace(f, severity=max(f.severity, worse[f.fingerprint], key=_RANKS.__getitem__))
        if f.fingerprint in worse
        else f
        for f in kept
    ]
    return (*raised, *(f for f in wider if f.fingerprint not in names))


def _held_back(
    raw: Sequence[Finding],
    wider: Sequence[Finding],
    rule: Rule,
    settings: Settings,
    told: Counter[tuple[Change, str]],
) -> None:
    """Count the findings that a run's own settings asked to hide or to lower."""
    for finding in raw:
        change = settings.last(rule.id, SEVERITY, finding.where.source_id)
        if change is not None and change.is_evidence:
            asked = settings.severity(rule.id, finding.severity, finding.where.source_id)
            if asked is None or _RANKS[asked] < _RANKS[finding.severity]:
                told[change, "refused"] += 1
    lost = len({f.fingerprint for f in raw} - {f.fingerprint for f in wider})
    for change in settings.changes if lost else ():
        tables = {table.name for table in rule.tables}
        if change.is_evidence and change.name != SEVERITY and change.owner in {rule.id, *tables}:
            told[change, "refused"] += lost


def _facts(change: Change, told: Counter[tuple[Change, str]]) -> Setting:
    return Setting(
        key=change.key,
        value=change.value,
        origin=change.origin,
        line=change.line,
        reason=change.reason,
        is_evidence=change.is_evidence,
        off=told[change, "off"],
        moved=told[change, "moved"],
        refused=told[change, "refused"],
    )
