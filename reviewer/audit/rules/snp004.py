"""SNP004: what a store declares of a version is not what its bytes hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.runs import Run
from store.records.sources import Integrity, Version, VersionKey


class _Listed(NamedTuple):
    """The blocks of one version that manifests name: all of them, and those declared for a run."""

    offered: set[str]
    declared: set[str]


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each stored version of which a declared count is wrong."""
    listed: dict[VersionKey, _Listed] = {}
    for manifest in view.run.manifests:
        for entry in manifest.entries:
            if entry.block_id is not None and entry.version_id:
                key = VersionKey(entry.source_id, entry.version_id)
                found = listed.setdefault(key, _Listed(set(), set()))
                found.offered.add(entry.block_id)
                if manifest.tool_call_id is None:  # what a tool lists may be a choice
                    found.declared.add(entry.block_id)
    for version in view.run.versions:
        key = version.key
        wrong = [*_sizes(version), *_blocks(version, listed.get(key, _Listed(set(), set())))]
        if wrong and version.integrity is Integrity.INTACT and version.text is not None:
            yield finding(
                RULE.id,
                RULE.severity,
                view.run.grade,
                f"what is declared of {key.source_id} is not what is stored: {'; '.join(wrong)}",
                Where(source_id=key.source_id),
                key.source_id,
                key.version_id,
            )


def _sizes(version: Version) -> Iterator[str]:
    text = version.text or ""
    if version.chars is not None and version.chars != len(text):
        yield f"characters: {version.chars} declared, {len(text)} stored"
    rows = sum(1 for line in text.split("\n") if line.strip())
    if version.table is not None and version.table.rows != rows:
        yield f"rows: {version.table.rows} declared, {rows} stored"


def _blocks(version: Version, listed: _Listed) -> Iterator[str]:
    names = {block.block_id for block in version.blocks}
    if not names:
        return
    beyond = sum(block.span.end > len(version.text or "") for block in version.blocks)
    if beyond:
        yield f"blocks that end beyond the text: {beyond} of {len(version.blocks)}"
    strangers = len(listed.offered - names)
    if strangers:
        yield f"blocks on offer that the version does not have: {strangers}"
    if listed.declared and len(listed.declared) != len(names):
        yield f"blocks: {len(listed.declared)} declared in a manifest, {len(names)} stored"


def _told(end: int) -> Run:
    story = Story()
    story.document("notice", blocks=[("n1", 0, 48), ("n2", 48, end)])
    story.read("notice")
    return story.answer()


RULE = Rule(
    id="SNP004",
    name="CountsDiffer",
    severity=Severity.WARNING,
    summary="Declared characters, rows or blocks of a version are not what is stored of it",
    why=(
        "Places are counted in a text of another size than the one at hand: citations by block, "
        "row or offset may point at other words, and something may be missing at the end."
    ),
    silent=(
        "When the bytes are missing, changed or rebuilt from a record, and for what is not "
        "declared. A tool may list some of the blocks; a manifest of the run itself lists all."
    ),
    check=check,
    passing=lambda: _told(len(NOTICE)),
    failing=lambda: _told(len(NOTICE) + 40),
)
