"""What a report was made with: the version of the tool and of each rule."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from reviewer.reports._base import Meta
from reviewer.reports._baseline import baseline_words
from reviewer.reports._words import HASH_CHARS, counted

__all__ = ["made_sentences", "made_words", "rule_versions", "rules_digest", "tool_record"]


def rules_digest(meta: Meta) -> str:
    """Return the SHA-256 of the ids and versions of the rules, one ``ID VERSION`` a line."""
    lines = "".join(f"{rule} {version}\n" for rule, version in meta.rules)
    return sha256(lines.encode()).hexdigest()


def tool_record(meta: Meta) -> dict[str, object]:
    """Return the record of what the report was made with."""
    record: dict[str, object] = {"name": "reread", "version": meta.version}
    if meta.rules:
        record["rules"] = dict(meta.rules)
        record["rules_sha256"] = rules_digest(meta)
    return record


def made_words(meta: Meta) -> str:
    """Return in a phrase what the report was made with."""
    words = f"Reread {meta.version}"
    if meta.rules:
        held = counted(len(meta.rules), "rule")
        words += f", {held} (ids and versions {rules_digest(meta)[:HASH_CHARS]}…)"
    return words


def made_sentences(meta: Meta) -> Iterator[str]:
    """Yield what the report was made with: every rule with its version, and the baseline."""
    yield f"Reread {meta.version}."
    if meta.rules:
        held = counted(len(meta.rules), "rule")
        yield f"{held} with their versions: {rule_versions(meta)}."
        yield f"SHA-256 of these ids and versions, one pair a line: {rules_digest(meta)}."
    if known := baseline_words(meta):
        yield known


def rule_versions(meta: Meta) -> str:
    """Return each rule with its version, one behind another."""
    return ", ".join(f"{rule} {version}" for rule, version in meta.rules)
