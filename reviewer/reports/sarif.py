"""The findings as SARIF 2.1.0, for code scanning and the viewers of editors.

Followed: OASIS SARIF 2.1.0 with errata 01.  Viewers differ from it in what
they take: GitHub shows each result as an alert, whatever its ``kind``, so that
citations that hold are written only where everything is asked for; a region
with ``byteOffset`` is shown as a hex dump by Microsoft's viewer, so that bytes
stand in the properties; a result without a file and a line is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reviewer.audit.rules import Rule, rules
from reviewer.reports._base import Meta, Report
from reviewer.reports._decided import review_record
from reviewer.reports._evidence_files import EvidenceFiles
from reviewer.reports._facts import digest_of, dumps
from reviewer.reports._made import tool_record
from reviewer.reports._parts import Records
from reviewer.reports._safe import changed_texts, safe
from reviewer.reports._sarif_results import CITATION_RULE, Artifacts, Results
from reviewer.reports._settings import setting_record
from store.records.findings import Audit
from store.records.runs import Problem, ProblemKind

__all__ = ["REPORT"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {ProblemKind.LOST: "error", ProblemKind.CHANGED: "warning", ProblemKind.NOTED: "note"}
_NOTICES = {
    ProblemKind.LOST: "Something could not be read, so that the audit could not decide.",
    ProblemKind.CHANGED: "Something no longer has its recorded hash; it is not trusted.",
    ProblemKind.NOTED: "Nothing is lost; a person should know.",
}


_HOLDS: dict[str, object] = {
    "id": CITATION_RULE,
    "name": "CitationHolds",
    "shortDescription": {"text": "A citation points at text that the model was given"},
    "fullDescription": {
        "text": "The whole cited span, of the cited version, stands in the request of the call "
        "that wrote the answer."
    },
    "help": {"text": "Nothing is to be done."},
    "defaultConfiguration": {"level": "none"},
}
"""What a citation that holds passes; each one that does not is a finding of another rule."""


def _write(audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta) -> Iterator[str]:
    """Yield one log with one run; results are written one by one, what they refer to at the end."""

    def _json(value: object) -> str:
        # Nothing that a parser or a database refuses, and nothing that may not be shown.
        return dumps(changed_texts(value, lambda text: safe(meta.mask(text))))

    yield f'{{"$schema": {_json(_SCHEMA)},\n"version": "2.1.0",\n"runs": [{{\n'
    yield '"columnKind": "utf16CodeUnits",\n"automationDetails": {"id": "reread/"},\n"results": ['
    artifacts = Artifacts()
    runs: list[dict[str, object]] = []
    met: list[Problem] = []
    between = "\n"
    for audit in audits:
        runs.append(_run(audit, artifacts.files))
        records = Records(audit.run.path)
        for result in Results(audit, meta, artifacts).all(records):
            yield between
            yield _json(result)
            between = ",\n"
        met += (*audit.run.problems, *records.problems)
    yield f'],\n"artifacts": {_json(artifacts.records())}'
    yield f',\n"tool": {_json({"driver": _driver(meta)})}'
    yield f',\n"invocations": {_json([_invocation([*met, *problems], artifacts.files)])}'
    # Behind everything that may name one more folder.
    yield f',\n"originalUriBaseIds": {_json(_bases(artifacts))}'
    yield f',\n"properties": {_json(_properties(runs, meta))}}}]}}\n'


def _bases(artifacts: Artifacts) -> dict[str, object]:
    return {
        name: {"description": {"text": told}}
        for name, told in sorted(artifacts.files.bases.items())
    }


def _driver(meta: Meta) -> dict[str, object]:
    return {
        "name": "Reread",
        "fullName": f"Reread {meta.version}",
        "version": meta.version,
        "shortDescription": {
            "text": "Shows which exact text a model was sent when it wrote a sentence, and whether "
            "its citation points at that text."
        },
        "rules": [*(_rule(rule) for rule in rules()), *([_HOLDS] if meta.everything else [])],
        "notifications": [
            {
                "id": kind.value,
                "name": f"Problem{kind.value.title()}",
                "shortDescription": {"text": told},
                "fullDescription": {"text": told},
                "help": {"text": told},
                "defaultConfiguration": {"level": _LEVELS[kind]},
            }
            for kind, told in _NOTICES.items()
        ],
        "properties": {"reread/made": tool_record(meta)},
    }


def _rule(rule: Rule) -> dict[str, object]:
    told = f"{rule.summary}\n\nWhy it matters: {rule.why}"
    if rule.silent:
        told += f"\n\nIt says nothing: {rule.silent}"
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": told, "markdown": told},
        "defaultConfiguration": {"level": rule.severity.value},
        "properties": {"tags": [rule.id.rstrip("0123456789")]},
    }


def _invocation(problems: Sequence[Problem], files: EvidenceFiles) -> dict[str, object]:
    """Return how the audit went: what could not be read is an execution that did not succeed."""
    return {
        "executionSuccessful": all(each.kind is not ProblemKind.LOST for each in problems),
        "toolExecutionNotifications": [_notification(each, files) for each in problems],
    }


def _notification(problem: Problem, files: EvidenceFiles) -> dict[str, object]:
    return {
        "descriptor": {"id": problem.kind.value, "index": list(_NOTICES).index(problem.kind)},
        "level": _LEVELS[problem.kind],
        "message": {"text": files.told(problem)},
    }


def _properties(runs: list[dict[str, object]], meta: Meta) -> dict[str, object]:
    found: dict[str, object] = {
        "reread/runs": runs,
        "reread/passing": "each citation that holds is a result of kind pass"
        if meta.everything
        else "citations that hold are counted in reread/runs and no results (--all writes them)",
    }
    if meta.reviews is not None:
        found["reread/decisions"] = review_record(meta.reviews)
    if meta.baseline_name:
        found["reread/baseline"] = meta.baseline_name
    return found


def _run(audit: Audit, files: EvidenceFiles) -> dict[str, object]:
    """Return what is said of a run beside its results."""
    run = audit.run
    verdicts: dict[str, int] = {}
    for facts in audit.citations:
        verdicts[facts.verdict.word] = verdicts.get(facts.verdict.word, 0) + 1
    grades: dict[str, int] = {}
    for call in audit.calls:
        grades[call.grade.value] = grades.get(call.grade.value, 0) + 1
    return {
        "run": run.run_id,
        "digest": digest_of(run),
        "title": run.title,
        "format": run.format,
        "layer": run.layer.value,
        "grade": run.grade.value,
        "callsByGrade": dict(sorted(grades.items())),
        "citationsByVerdict": dict(sorted(verdicts.items())),
        "findings": len(audit.findings),
        "findingsGone": len(audit.absent),
        "settings": [setting_record(files.setting(each)) for each in audit.settings],
        "parent": run.parent_run,
        "branch": run.branch,
    }


REPORT = Report("sarif", "SARIF 2.1.0, for code scanning and editors", ".sarif", _write)
