"""Verdicts, grades and states in the words and signs of the window, in the reader's language."""

from __future__ import annotations

from reviewer.reports._words import FINDING_SIGNS, VERDICT_SIGNS, good
from reviewer.window.i18n import tr
from store.records.findings import Severity, Verdict
from store.records.grades import Grade
from store.records.kinds import PlaceholderKind
from store.records.runs import PartKind
from store.records.sources import Integrity
from store.records.text import Span, Unit

__all__ = [
    "grade_meaning",
    "grade_word",
    "integrity_words",
    "part_kind_word",
    "placeholder_word",
    "recorded_word",
    "severity_words",
    "span_words",
    "tone",
    "verdict_meaning",
    "verdict_sign",
    "verdict_word",
]


def tone(verdict: Verdict) -> str:
    """Return ``good``, ``open`` or ``bad``: the colour of a verdict, never its only sign."""
    return good(verdict)


def verdict_sign(verdict: Verdict) -> str:
    """Return the sign of a verdict."""
    return VERDICT_SIGNS.get(verdict, "✗")


def verdict_word(verdict: Verdict) -> str:
    """Return the name of a verdict."""
    return {
        Verdict.UNRESOLVED: tr("unresolved"),
        Verdict.OUT_OF_BOUNDS: tr("out of bounds"),
        Verdict.WRONG_HASH: tr("wrong version (hash)"),
        Verdict.QUOTE_DIFFERS: tr("quote differs"),
        Verdict.UNVERIFIABLE: tr("unverifiable"),
        Verdict.READ: tr("read"),
        Verdict.PARTLY_READ: tr("partly read"),
        Verdict.FROM_MEMORY: tr("from memory"),
        Verdict.WRONG_VERSION: tr("wrong version"),
        Verdict.PREVIEW_ONLY: tr("preview only"),
        Verdict.PLACEHOLDER_ONLY: tr("placeholder only"),
        Verdict.LISTED_ONLY: tr("listed only"),
        Verdict.NEVER_READ: tr("never read"),
    }[verdict]


def verdict_meaning(verdict: Verdict) -> str:
    """Return in one sentence what a verdict says."""
    return {
        Verdict.UNRESOLVED: tr("The citation names something that is not in the evidence."),
        Verdict.OUT_OF_BOUNDS: tr("The cited place lies outside the version."),
        Verdict.WRONG_HASH: tr("The stored bytes no longer have the cited hash."),
        Verdict.QUOTE_DIFFERS: tr("The quoted words are not what stands at the cited place."),
        Verdict.UNVERIFIABLE: tr("The record cannot prove it either way."),
        Verdict.READ: tr("All of the cited text stood in the model's input when it answered."),
        Verdict.PARTLY_READ: tr("Some of the cited text stood in the model's input, not all."),
        Verdict.FROM_MEMORY: tr("The text was given earlier and was gone when the model answered."),
        Verdict.WRONG_VERSION: tr("The model was given another version of the source."),
        Verdict.PREVIEW_ONLY: tr("The model was given no more than a preview of it."),
        Verdict.PLACEHOLDER_ONLY: tr("It was asked for, and none of its text was ever given."),
        Verdict.LISTED_ONLY: tr("The model saw its name in a listing and nothing of its text."),
        Verdict.NEVER_READ: tr("The cited text was never given to the model."),
    }[verdict]


def grade_word(grade: Grade) -> str:
    """Return the name of a grade."""
    return {
        Grade.RECORDED: tr("recorded"),
        Grade.DERIVED: tr("derived"),
        Grade.INFERRED: tr("inferred"),
        Grade.UNKNOWN: tr("unknown"),
    }[grade]


def grade_meaning(grade: Grade) -> str:
    """Return in one line what a grade means."""
    return {
        Grade.RECORDED: tr("The record holds the request itself."),
        Grade.DERIVED: tr("The request follows from the record by a fixed rule."),
        Grade.INFERRED: tr("The request is the likely one; the record does not prove it."),
        Grade.UNKNOWN: tr("The record does not say what the model was given."),
    }[grade]


def integrity_words(integrity: Integrity) -> tuple[str, str, str]:
    """Return the sign, the tone and the words of what is known of a version's stored bytes."""
    return {
        Integrity.INTACT: ("✓", "good", tr("The stored bytes have their recorded SHA-256.")),
        Integrity.CHANGED: (
            "✗",
            "bad",
            tr("The stored bytes no longer have their recorded SHA-256; they are not searched."),
        ),
        Integrity.MISSING: ("✗", "bad", tr("The stored bytes are missing or cannot be read.")),
        Integrity.RECONSTRUCTED: (
            "?",
            "open",
            tr("The text was rebuilt from what the record shows; the file's hash is not known."),
        ),
    }[integrity]


def recorded_word(word: str) -> str:
    """Return a word of the record as it stands there, with what it means where that is known."""
    meaning = {
        "system": tr("system"),
        "developer": tr("developer"),
        "user": tr("user"),
        "human": tr("human"),
        "assistant": tr("assistant"),
        "ai": tr("ai"),
        "model": tr("model"),
        "tool": tr("tool"),
        "function": tr("function"),
        "ok": tr("ok"),
        "success": tr("success"),
        "error": tr("error"),
        "refused": tr("refused"),
        "truncated": tr("truncated"),
    }.get(word, word)
    return word if meaning == word else tr("{word} ({meaning})", word=word, meaning=meaning)


def part_kind_word(kind: PartKind) -> str:
    """Return what a part of a message is."""
    return {
        PartKind.TEXT: tr("text"),
        PartKind.TOOL_CALL: tr("tool_call"),
        PartKind.TOOL_RESULT: tr("tool_result"),
        PartKind.DOCUMENT: tr("document"),
        PartKind.IMAGE: tr("image"),
        PartKind.REASONING: tr("reasoning"),
        PartKind.SUMMARY: tr("summary"),
        PartKind.OPAQUE: tr("opaque"),
    }[kind]


def placeholder_word(kind: PlaceholderKind) -> str:
    """Return what became of the text that a placeholder stands for."""
    return {
        PlaceholderKind.CLEARED: tr("cleared"),
        PlaceholderKind.FOLDED: tr("folded"),
        PlaceholderKind.PERSISTED: tr("persisted"),
        PlaceholderKind.TRUNCATED: tr("truncated"),
        PlaceholderKind.COMPACTED: tr("compacted"),
        PlaceholderKind.REFUSED: tr("refused"),
    }[kind]


def severity_words(severity: Severity) -> tuple[str, str, str]:
    """Return the sign, the tone and the word of a severity."""
    return {
        Severity.ERROR: (FINDING_SIGNS[Severity.ERROR], "bad", tr("error")),
        Severity.WARNING: (FINDING_SIGNS[Severity.WARNING], "open", tr("warning")),
        Severity.NOTE: (FINDING_SIGNS[Severity.NOTE], "muted", tr("note")),
    }[severity]


def span_words(span: Span, unit: Unit) -> str:
    """Return a span with what it counts; half-open, as everywhere."""
    if unit is Unit.LINE:
        return tr("lines {first} to {last}", first=span.start, last=max(span.start, span.end - 1))
    if unit is Unit.ROW:
        return tr("rows [{start}, {end})", start=span.start, end=span.end)
    if unit is Unit.PAGE:
        return tr("pages [{start}, {end})", start=span.start, end=span.end)
    return tr("characters [{start}, {end})", start=span.start, end=span.end)
