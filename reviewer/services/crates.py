"""Describes a bundle: RO-Crate 1.1 with the profile Process Run Crate 0.5.

What each file is, and who did what with what: the run of the agent, and the
audit of it.  Both contexts are named and never fetched; ``sha256`` is no word
of RO-Crate 1.1 and is declared beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from urllib.parse import quote

from store.bundle import Fixity
from store.records.findings import Audit

__all__ = ["CRATE", "Described", "crate", "file_address"]

CRATE = "ro-crate-metadata.json"

_SPEC = "https://w3id.org/ro/crate/1.1"
_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_SHA256 = "https://w3id.org/ro/terms/workflow-run#sha256"
_DONE = {"@id": "http://schema.org/CompletedActionStatus"}
_TYPES = {
    ".css": "text/css",
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".jsonld": "application/ld+json",
    ".md": "text/markdown",
    ".sarif": "application/sarif+json",
    ".toml": "application/toml",
    ".txt": "text/plain",
}
_NO_LICENCE = (
    "The evidence belongs to those who hold the rights in it. This bundle gives no licence."
)
_MADE = {
    "report.html": "The audit as a page",
    "report.sarif": "The findings of the audit, and the citations that hold",
    "annotations.jsonld": "The citations and findings as W3C Web Annotations",
    "redactions.json": "What was redacted, with the digests of what it was",
}

_Entity = dict[str, object]


_SAID: tuple[_Entity, ...] = (
    {
        "@id": _PROFILE,
        "@type": ["CreativeWork", "Profile"],
        "name": "Process Run Crate",
        "version": "0.5",
    },
    {
        "@id": "#rights",
        "@type": "CreativeWork",
        "name": "No licence",
        "description": _NO_LICENCE,
    },
)


@dataclass(frozen=True, slots=True)
class Described:
    """What a description speaks of.

    ``files`` are the payload by relative name, ``media_types`` those of
    versions by their SHA-256, ``logs`` the logs of decisions with their
    reviewers, ``by`` who bundled.
    """

    audits: Sequence[Audit]
    files: Mapping[str, Fixity]
    version: str
    at: datetime
    by: str = ""
    media_types: Mapping[str, str] = field(default_factory=dict)
    logs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    note: str = ""


def file_address(name: str) -> str:
    """Return the relative address of the file *name* of a payload, percent-encoded."""
    return quote(name, safe="/-._~!$&'()*+,;=@")


def crate(about: Described) -> _Entity:
    """Return the description as the JSON-LD that RO-Crate demands."""
    files = [_file(name, about) for name in sorted(about.files)]
    evidence = [each for each in about.files if each.startswith(("run/", "store/"))]
    tool = _tool(about)
    people = _people(about)
    actions = [_audit_action(about, evidence, tool), *_runs(about, evidence)]
    graph: list[_Entity] = [
        _metadata(),
        _root(about, actions),
        *_SAID,
        *files,
        *actions,
        tool,
        *_models(about),
        *people,
    ]
    return {"@context": [f"{_SPEC}/context", {"sha256": _SHA256}], "@graph": graph}


def _metadata() -> _Entity:
    return {
        "@id": CRATE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": _SPEC},
        "about": {"@id": "./"},
    }


def _root(about: Described, actions: Sequence[_Entity]) -> _Entity:
    runs = ", ".join(audit.run.title or audit.run.run_id for audit in about.audits)
    told = (
        "The record of what an agent's model was given, its sources as they were, the audit of "
        "its citations and what reviewers decided."
    )
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Evidence of {runs}",
        "description": f"{told} {about.note}".rstrip(),
        "datePublished": about.at.date().isoformat(),
        "license": {"@id": "#rights"},
        "conformsTo": {"@id": _PROFILE},
        "hasPart": [{"@id": file_address(name)} for name in sorted(about.files)],
        "mentions": [{"@id": action["@id"]} for action in actions],
    }


def _file(name: str, about: Described) -> _Entity:
    path, found = PurePosixPath(name), about.files[name]
    digest = found.digests["sha256"]
    made: _Entity = {
        "@id": file_address(name),
        "@type": "File",
        "name": _MADE.get(name, path.name),
        "encodingFormat": about.media_types.get(digest)
        or _TYPES.get(path.suffix, "application/octet-stream"),
        "contentSize": str(found.size),
        "sha256": digest,
    }
    if name in about.logs:
        made["name"] = "What reviewers decided"
        made["author"] = [{"@id": _person(each)} for each in about.logs[name]]
    return made


def _tool(about: Described) -> _Entity:
    return {
        "@id": "#reread",
        "@type": "SoftwareApplication",
        "name": "Reread",
        "version": about.version,
        "softwareVersion": about.version,
    }


def _audit_action(about: Described, evidence: Sequence[str], tool: _Entity) -> _Entity:
    at = about.at.isoformat(timespec="seconds").replace("+00:00", "Z")
    made = [name for name in about.files if name in _MADE]
    action: _Entity = {
        "@id": "#audit",
        "@type": "CreateAction",
        "name": "Audit of the citations",
        "description": "Each citation was compared with what the record proves the model was given",
        "instrument": {"@id": tool["@id"]},
        "object": [{"@id": file_address(name)} for name in evidence],
        "result": [{"@id": file_address(name)} for name in made],
        "startTime": at,
        "endTime": at,
        "actionStatus": _DONE,
    }
    if about.by:
        action["agent"] = {"@id": _person(about.by)}
    return action


def _runs(about: Described, evidence: Sequence[str]) -> list[_Entity]:
    """Return an action for each run: its models are its instruments, the record its result."""
    actions = []
    for place, audit in enumerate(about.audits, 1):
        run = audit.run
        models = sorted({call.model for call in run.calls if call.model})
        times = sorted(time for call in run.calls if (time := _time(call.at)))
        action: _Entity = {
            "@id": f"#run-{place}",
            "@type": "CreateAction",
            "name": f"Run {run.title or run.run_id}",
            "instrument": [{"@id": _model(each)} for each in models or ["unknown"]],
            "result": [{"@id": file_address(name)} for name in evidence if _of(run.path, name)],
            "actionStatus": _DONE,
        }
        if times:
            action["startTime"], action["endTime"] = times[0], times[-1]
        actions.append(action)
    return actions


def _of(path: str, name: str) -> bool:
    return name == path or name.startswith(f"{path}/")


def _time(text: str | None) -> str | None:
    """Return a recorded time that is one with its zone, ``None`` for any other words."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found.isoformat() if found.tzinfo else None


def _models(about: Described) -> list[_Entity]:
    names = {call.model for audit in about.audits for call in audit.run.calls if call.model}
    if any(not any(call.model for call in audit.run.calls) for audit in about.audits):
        names.add("unknown")
    return [
        {
            "@id": _model(name),
            "@type": "SoftwareApplication",
            "name": f"Model {name}",
            "description": "The model that answered, as the record names it",
        }
        for name in sorted(names)
    ]


def _model(name: str) -> str:
    return f"#model-{quote(name, safe='')}"


def _people(about: Described) -> list[_Entity]:
    names = {each for held in about.logs.values() for each in held} | ({about.by} - {""})
    return [{"@id": _person(name), "@type": "Person", "name": name} for name in sorted(names)]


def _person(name: str) -> str:
    return f"#person-{quote(name, safe='')}"
