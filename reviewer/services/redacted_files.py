"""Takes redacted texts out of copied files, and says of each file what became of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from reviewer.services.redacting import LIMIT, Redactor
from store.bundle import files_below, fixity
from store.errors import StoreError
from store.records.findings import Audit
from store.records.sources import Version

__all__ = [
    "LIMITS",
    "Withheld",
    "redact_files",
    "redacted_sources",
    "texts_of",
    "versions_of",
    "withheld_record",
]

_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_PAIR = re.compile(r'"([^"\\\n]{1,64})"\s*:\s*("(?:[^"\\\n]|\\.)*")')
_LARGEST = 1024 * 1024 * 1024

LIMITS = (
    f"What shares {LIMIT} letters or digits in a row with a redacted text was masked (a Chinese, "
    "Japanese or Korean character counts three), whatever stands between them. Names, sizes, "
    "hashes and spans stay, and so may shorter pieces, other words for the same, translations, and "
    "copies that were compressed, encrypted or written as base64 inside a text. Who has a text can "
    "tell from its hash that it is the one, and so can who guesses it."
)


@dataclass(frozen=True, slots=True)
class Withheld:
    """One file that is not in the bundle as it was: ``action`` is ``left out`` or ``masked``."""

    path: str
    action: str
    sha256: str
    size: int
    reason: str


def redacted_sources(audits: Collection[Audit], patterns: Collection[str]) -> frozenset[str]:
    """Return the ids of the sources that one of *patterns* matches (shell patterns, case kept)."""
    return frozenset(
        source.source_id
        for audit in audits
        for source in audit.sources
        if any(fnmatchcase(source.source_id, pattern) for pattern in patterns)
    )


def versions_of(audits: Collection[Audit], sources: Collection[str]) -> Iterator[Version]:
    """Yield the versions of *sources*."""
    for audit in audits:
        for source in audit.sources:
            if source.source_id in sources:
                yield from (facts.version for facts in source.versions)


def texts_of(audits: Collection[Audit], sources: Collection[str], folder: Path) -> Iterator[str]:
    """Yield every text that the record knows to be one of *sources*, or a piece of one."""
    digests = {version.sha256 for version in versions_of(audits, sources) if version.sha256}
    for version in versions_of(audits, sources):
        yield from (version.text,) if version.text is not None else ()
        yield from (excerpt.text for excerpt in version.excerpts)
    for audit in audits:
        for result in audit.run.tool_results:
            read = {selection.source_id for selection in result.selections}
            if result.text and read and read <= set(sources):
                yield result.text
        for manifest in audit.run.manifests:
            yield from (e.preview_text for e in manifest.entries if e.source_id in sources)
        for facts in audit.citations:
            if facts.source_id in sources:
                quote = getattr(facts.citation, "quote", None)
                yield from (quote,) if quote else ()
                yield from (facts.evidence.text,) if facts.evidence else ()
    # Bytes that no longer have their hash are no version; they may still be a redacted text.
    for name in files_below(folder):
        if Path(name).name in digests:
            text = _text(folder / name)
            yield from (text,) if text is not None else ()


def redact_files(
    folder: Path,
    redactor: Redactor,
    digests: Collection[str],
    check: Callable[[], None] = lambda: None,
) -> list[Withheld]:
    """Take what *redactor* knows out of every file below *folder*, in place.

    Files with one of *digests*, by content or by name, are removed, and so is
    every file that cannot be looked into.
    """
    found = []
    for name in list(files_below(folder)):
        check()
        path = folder / name
        held = fixity(path, folder, ["sha256"])
        digest = held.digests["sha256"]
        action, reason, text = _judge(path, digest, redactor, digests)
        if not action:
            continue
        if text is None:
            path.unlink()
        else:
            path.write_bytes(text.encode())
        found.append(Withheld(name, action, digest, held.size, reason))
    return found


def _judge(
    path: Path, digest: str, redactor: Redactor, digests: Collection[str]
) -> tuple[str, str, str | None]:
    """Return what is done with a file, why, and the text that takes its place."""
    if digest in digests or path.name in digests:
        return "left out", "it is a redacted version", None
    text = _text(path)
    if text is None:
        return "left out", "it is no text of a size that can be looked into", None
    masked = _masked(text, redactor)
    if masked is None:
        return "left out", "it holds a redacted text in pieces that cannot be masked", None
    if masked == text:
        return "", "", None
    if _DIGEST.match(path.name):
        # An object is named by its hash: with other bytes it would be another one.
        return "left out", "it holds a redacted text", None
    return "masked", "it holds a redacted text", masked


def _text(path: Path) -> str | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    except OSError as error:
        raise StoreError(
            f"cannot be read ({error.strerror or error})", str(path), "Check that you may read it."
        ) from error


def _masked(text: str, redactor: Redactor) -> str | None:
    """Return *text* masked and still the JSON it was; ``None`` where that cannot be."""
    if _is_json(text):
        masked = _in_strings(text, redactor)
        if redactor.holds(masked):
            return None
    else:
        masked = "\n".join(_lines(text.split("\n"), redactor))
        if redactor.holds(masked):
            masked = redactor.mask(masked)
    return None if _in_pieces(masked, redactor) else masked


def _is_json(text: str) -> bool:
    if not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return False
    try:
        json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return False
    return True


def _lines(lines: list[str], redactor: Redactor) -> Iterator[str]:
    """Yield each line masked: JSON in its strings, other lines together with their neighbours."""
    plain: list[str] = []
    for line in lines:
        if not _is_json(line):
            plain.append(line)
            continue
        if plain:
            yield redactor.mask("\n".join(plain))
            plain = []
        masked = _in_strings(line, redactor)
        if redactor.holds(masked):
            # The text is spread over keys and numbers: nothing less than the line hides it.
            masked = json.dumps({"event": "redacted", "characters": len(line)})
        yield masked
    if plain:
        yield redactor.mask("\n".join(plain))


def _in_strings(text: str, redactor: Redactor) -> str:
    def mask(found: re.Match[str]) -> str:
        try:
            value = json.loads(found[0], strict=False)
        except ValueError:
            return found[0]
        hidden = redactor.mask(value)
        return found[0] if hidden == value else json.dumps(hidden, ensure_ascii=False)

    return _STRING.sub(mask, text)


def _in_pieces(text: str, redactor: Redactor) -> bool:
    """Tell whether the strings under one key, joined, are a redacted text: what was streamed."""
    values: dict[str, list[str]] = {}
    for found in _PAIR.finditer(text):
        try:
            values.setdefault(found[1], []).append(str(json.loads(found[2], strict=False)))
        except ValueError:
            continue
    return any(len(held) > 1 and redactor.holds("".join(held)) for held in values.values())


def withheld_record(
    patterns: Collection[str],
    audits: Collection[Audit],
    sources: Collection[str],
    files: Collection[Withheld],
    unsearchable: int,
) -> dict[str, object]:
    """Return what was redacted, for who gets the bundle."""
    versions = {version.key: version for version in versions_of(audits, sources)}
    return {
        "schema": "reread.redactions/1",
        "patterns": sorted(patterns),
        "limits": LIMITS,
        "unsearchable_texts": unsearchable,
        "versions": [
            {
                "source_id": key.source_id,
                "version_id": key.version_id,
                "sha256": version.sha256 or None,
                "bytes": version.byte_length,
                "text": _known(version),
            }
            for key, version in sorted(versions.items())
        ],
        "files": [
            {
                "path": each.path,
                "action": each.action,
                "sha256": each.sha256,
                "bytes": each.size,
                "reason": each.reason,
            }
            for each in sorted(files, key=lambda each: each.path)
        ],
    }


def _known(version: Version) -> str:
    """Return how much of a version was known, and so looked for elsewhere."""
    if version.text is not None:
        return "known, and looked for everywhere"
    if version.excerpts:
        return "known in pieces; only these were looked for elsewhere"
    return "not known: nothing could be looked for elsewhere"
