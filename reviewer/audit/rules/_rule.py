"""What a rule is, and how a finding gets its fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from reviewer.audit.settings import Change, Parameter, Table
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run

__all__ = ["Rule", "fingerprinted"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; a module of this package holds it as ``RULE``.

    ``summary`` says what is checked, ``why`` why it matters, ``silent`` when
    the rule does not apply.  ``passing`` and ``failing`` build one run each:
    they are the rule's tests and the examples of its page.  ``parameters`` and
    ``tables`` are what a user may set for it; the check asks for the values
    in force with ``view.settings.value(RULE.id, PARAMETER, source_id)``.
    ``example`` is what is set in both examples, for a rule that says nothing by default.
    ``version`` stands in every report and rises when the same record may give
    other findings than before, so that two reports can be told apart.
    """

    id: str
    name: str
    severity: Severity
    summary: str
    why: str
    silent: str
    check: Callable[[AuditView], Iterator[Finding]]
    passing: Callable[[], Run]
    failing: Callable[[], Run]
    parameters: tuple[Parameter[Any], ...] = ()
    tables: tuple[Table, ...] = ()
    version: int = 1
    example: tuple[Change, ...] = ()


def fingerprinted(finding: Finding, *identity: object) -> Finding:
    """Return *finding* with a fingerprint over its rule and *identity*.

    The identity names the thing, not its place in a list or on a disk, so
    that a re-audit and a moved folder give the same fingerprint.
    """
    text = "\x1f".join([finding.rule, *map(str, identity)])
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return replace(finding, fingerprint=digest[:32])


def finding(
    rule_id: str,
    severity: Severity,
    grade: Grade,
    message: str,
    where: Where,
    *identity: object,
) -> Finding:
    """Return a finding with its fingerprint."""
    return fingerprinted(Finding(rule_id, severity, grade, message, where), *identity)
