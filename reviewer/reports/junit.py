"""The audit as JUnit XML, for the test reports of CI servers.

The dialect is that of Jenkins' xUnit plugin (``xunit2`` of pytest), which the
others read too.  A suite is a run.  A case is a citation, a rule that found
nothing, or a finding: so a viewer that shows one failure of a case shows all.
What could not be decided is skipped, what could not be read an error; neither
is ever a case that passed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from xml.sax.saxutils import escape, quoteattr

from reviewer.audit.rules import rules
from reviewer.reports import _words as words
from reviewer.reports._base import Meta, Report
from reviewer.reports._baseline import absent_lines, baseline_mark
from reviewer.reports._decided import chain_words, of_citation, of_finding, opinion_lines, settled
from reviewer.reports._facts import digest_of
from reviewer.reports._made import made_words, rule_versions, rules_digest
from reviewer.reports._parts import Records
from reviewer.reports._safe import safe, shortened
from reviewer.reports._settings import setting_lines
from reviewer.reports._version_places import VersionPlaces, full_reference
from store.records.findings import Audit, BaselineState, CitationFacts, Finding, Severity, Verdict
from store.records.runs import Problem, ProblemKind

__all__ = ["REPORT"]

_EXCERPT = 4_000
_MESSAGE = 500


@dataclass(frozen=True, slots=True)
class _Case:
    """One test case.  ``state`` is ``passed``, ``failure``, ``error`` or ``skipped``."""

    name: str
    group: str
    state: str
    kind: str = ""
    message: str = ""
    details: str = ""


def _write(audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="reread">\n'
    for audit in audits:
        yield from _suite(audit, meta)
    if problems:
        cases = [_problem(each, "opening") for each in problems if each.kind is ProblemKind.LOST]
        told = [_told(each) for each in problems if each.kind is not ProblemKind.LOST]
        yield from _element("opening", "opening", _made(meta), cases, told)
    yield "</testsuites>\n"


def _suite(audit: Audit, meta: Meta) -> Iterator[str]:
    run = audit.run
    about = {
        "run_id": run.run_id,
        "path": run.path,
        "format": run.format,
        "layer": run.layer.value,
        "grade": words.grade_words(audit),
        "digest": digest_of(run) or "none",
        **_made(meta),
    }
    for number, line in enumerate(setting_lines(audit), 1):
        about[f"setting {number}"] = line
    lost = [each for each in run.problems if each.kind is ProblemKind.LOST]
    told = [_told(each) for each in run.problems if each.kind is not ProblemKind.LOST]
    told += absent_lines(audit)
    records = Records(run.path)
    spoken = [*_citations(audit, meta, records), *_findings(audit, meta, records)]
    cases = [
        *(_problem(each, run.run_id) for each in (*lost, *records.problems)),
        *spoken,
        *_silent(audit, lost),
    ]
    yield from _element(run.title or run.run_id, run.run_id, about, cases, told)


def _made(meta: Meta) -> dict[str, str]:
    """Return what the report was made with: the tool, its rules, the baseline, the log."""
    made = {"made by": made_words(meta)}
    if meta.rules:
        made["rules and their versions"] = rule_versions(meta)
        made["SHA-256 of rules and versions"] = rules_digest(meta)
    if meta.baseline_name:
        made["baseline"] = meta.baseline_name
    if meta.reviews is not None:
        made["decisions"] = chain_words(meta.reviews)
    return made


def _element(
    name: str, id_: str, about: dict[str, str], cases: Sequence[_Case], told: Sequence[str]
) -> Iterator[str]:
    counts = Counter(case.state for case in cases)
    yield (
        f'<testsuite name={_quoted(name)} id={_quoted(id_)} tests="{len(cases)}" '
        f'failures="{counts["failure"]}" errors="{counts["error"]}" skipped="{counts["skipped"]}" '
        'time="0">\n'
    )
    if about:
        yield "<properties>\n"
        for key, value in about.items():
            yield f'<property name="{key}" value={_quoted(value)}/>\n'
        yield "</properties>\n"
    for case in cases:
        yield _case(case)
    if told:
        yield f"<system-out>{_escaped(chr(10).join(told))}</system-out>\n"
    yield "</testsuite>\n"


def _case(case: _Case) -> str:
    head = f'<testcase classname={_quoted(case.group)} name={_quoted(case.name)} time="0"'
    if case.state == "passed":
        if not case.details:
            return f"{head}/>\n"
        return f"{head}>\n<system-out>{_escaped(case.details)}</system-out>\n</testcase>\n"
    message = _quoted(shortened(case.message, _MESSAGE))
    if case.state == "skipped":
        told = f"<system-out>{_escaped(case.details)}</system-out>\n" if case.details else ""
        return f"{head}>\n<skipped message={message}/>\n{told}</testcase>\n"
    body = _escaped(case.details or case.message)
    return (
        f"{head}>\n<{case.state} type={_quoted(case.kind)} message={message}>{body}"
        f"</{case.state}>\n</testcase>\n"
    )


def _quoted(text: str) -> str:
    # Line feeds and tabs are written as references, or a parser would make them spaces.
    return quoteattr(safe(text), {"\n": "&#10;", "\t": "&#9;"})


def _escaped(text: str) -> str:
    return escape(safe(text))


# -- cases -----------------------------------------------------------------------


def _told(problem: Problem) -> str:
    return f"{problem.where}: {problem.what} ({problem.kind.value})"


def _problem(problem: Problem, run_id: str) -> _Case:
    return _Case(problem.where, _group(run_id, "could not look"), "error", "lost", _told(problem))


def _group(run_id: str, what: str) -> str:
    # Viewers make folders of dots and slashes in these names.
    return f"{run_id.replace('.', '_').replace('/', '_')}.{what}"


def _citations(audit: Audit, meta: Meta, records: Records) -> Iterator[_Case]:
    """Yield a case for each citation."""
    found = {
        finding.where.citation: finding
        for finding in audit.findings
        if finding.rule.startswith("CIT") and finding.where.citation is not None
    }
    claims = next(records.made("the words that are cited", partial(words.claims, audit)), None)
    versions = VersionPlaces(audit)
    for place, facts in enumerate(audit.citations):
        finding, claim = found.get(facts.index), claims[place] if claims else None
        told = partial(_citation_lines, facts, claim, finding, versions)
        made = partial(_citation, audit, facts, finding, told, meta)
        yield from records.made(f"citation {facts.index}", made)


def _citation(
    audit: Audit,
    facts: CitationFacts,
    finding: Finding | None,
    told: Callable[[], Iterator[str]],
    meta: Meta,
) -> _Case:
    group = _group(audit.run.run_id, "citations")
    name = f"{facts.index}: {words.label(facts)}"
    lines = list(told())
    lines += opinion_lines(of_citation(meta, audit, facts))
    if finding is not None:
        lines += opinion_lines(of_finding(meta, audit, finding))
    details = "\n".join(lines)
    if facts.verdict is Verdict.READ:
        return _Case(name, group, "passed", details=details)
    message = f"{facts.verdict.word}: {facts.reason}"
    why = _why_skipped(audit, meta, finding)
    if facts.verdict is Verdict.UNVERIFIABLE or why:
        message = f"{message} {why}".rstrip()
        return _Case(name, group, "skipped", message=message, details=details)
    return _Case(name, group, "failure", facts.verdict.word, message, details)


def _citation_lines(
    facts: CitationFacts, claim: str | None, finding: Finding | None, versions: VersionPlaces
) -> Iterator[str]:
    """Yield the evidence of a citation."""
    rule = f", {finding.rule} ({_severity(finding)})" if finding else ""
    yield f"verdict {facts.verdict.word}, grade {facts.grade.value}{rule}"
    known = versions.facts(facts.source_id, facts.version_id)
    hash_ = known.version.sha256 if known else ""
    yield f"cited {full_reference(facts)}, {f'sha256:{hash_}' if hash_ else 'no hash is known'}"
    yield f"anchor {words.anchor(facts)}"
    yield f"reason: {facts.reason}"
    if claim:
        yield f"claim: {claim}"
    quote = words.quotation(facts)
    if quote is not None:
        yield f"quoted: {shortened(quote, _EXCERPT)}"
    calls = words.call_ranges(facts.delivered_in) or "none"
    yield f"answered in call {facts.call_at_answer}, delivered in calls: {calls}"
    if facts.missing:
        yield f"missing: {words.spans(facts.missing)}"
    if facts.evidence is not None:
        yield f"given in call {facts.evidence.call}, message {facts.evidence.message}:"
        yield shortened(facts.evidence.text, _EXCERPT)


def _severity(finding: Finding) -> str:
    """Return how severe a finding is, and whether it is new where that is known."""
    return ", ".join(filter(None, (finding.severity.value, baseline_mark(finding))))


def _findings(audit: Audit, meta: Meta, records: Records) -> Iterator[_Case]:
    """Yield a case for each finding that is no verdict on a citation."""
    names = {rule.id: rule.name for rule in rules()}
    for finding in audit.findings:
        if finding.rule.startswith("CIT") and finding.where.citation is not None:
            continue
        made = partial(_finding, audit, finding, names.get(finding.rule, ""), meta)
        yield from records.made(f"a finding of {finding.rule}", made)


def _finding(audit: Audit, finding: Finding, rule: str, meta: Meta) -> _Case:
    name = f"{finding.rule} {rule}: {words.where(finding)}"
    group = _group(audit.run.run_id, finding.rule)
    lines = [
        f"{_severity(finding)}, grade {finding.grade.value}",
        finding.message,
        f"at {words.where(finding)}",
        *opinion_lines(of_finding(meta, audit, finding)),
    ]
    details = "\n".join(lines)
    if why := _why_skipped(audit, meta, finding):
        message = f"{finding.message} {why}"
        return _Case(name, group, "skipped", message=message, details=details)
    return _Case(name, group, "failure", finding.severity.value, finding.message, details)


def _why_skipped(audit: Audit, meta: Meta, finding: Finding | None) -> str:
    """Return why what was found does not fail, and nothing where it does.

    Every reviewer accepted it, it was known before, or it is a note: none to
    fail for, and none that passed either.  A verdict whose rule is switched
    off is no finding.
    """
    if finding is None:
        return "(no rule that is switched on speaks of it)"
    state = of_finding(meta, audit, finding)
    if settled(state):
        return f"({'; '.join(opinion_lines(state))})"
    if finding.baseline is BaselineState.UNCHANGED:
        return "(known before: it stands in the baseline)"
    return "(a note)" if finding.severity is Severity.NOTE else ""


def _silent(audit: Audit, lost: Sequence[Problem]) -> Iterator[_Case]:
    """Yield a case for each rule that found nothing; it passed where all could be looked at."""
    spoke = {finding.rule for finding in audit.findings}
    left = words.undecided(audit.calls)
    if lost:
        left = f"something could not be read{f'; {left}' if left else ''}"
    for rule in rules():
        if rule.id in spoke:
            continue
        name, group = f"{rule.id} {rule.name}", _group(audit.run.run_id, rule.id)
        hidden = sum(each.off for each in audit.settings if f".{rule.id}." in each.key)
        if hidden:
            message = f"{words.counted(hidden, 'finding')} left out by the settings"
            yield _Case(name, group, "skipped", message=message)
        elif left:
            yield _Case(name, group, "skipped", message=f"found nothing, but {left}")
        else:
            yield _Case(name, group, "passed")


REPORT = Report("junit", "JUnit XML, for the test reports of CI servers", ".xml", _write)
