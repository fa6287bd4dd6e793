"""What the words of a comparison mean, in words.  No state is told by colour alone."""

from __future__ import annotations

from reviewer.reports._words import reference, short, spans
from store.records.comparisons import Kind, Matched, Obstacle
from store.records.differences import (
    Change,
    Doubt,
    Fate,
    Fated,
    Precision,
    Proof,
    Side,
    SourceChange,
    Why,
)
from store.records.text import Span, Unit

__all__ = [
    "CHANGE_SIGNS",
    "FATE_SIGNS",
    "KINDS",
    "MATCHES",
    "OBSTACLES",
    "PRECISIONS",
    "SOURCE_SIGNS",
    "SOURCE_WORDS",
    "doubt_words",
    "fate_words",
    "place",
]

KINDS = {
    Kind.TEXTS: "two texts",
    Kind.STORES: "two stores",
    Kind.RUNS: "two runs",
    Kind.CALLS: "two calls",
}

CHANGE_SIGNS = {
    Change.SAME: " ",
    Change.REMOVED: "-",
    Change.ADDED: "+",
    Change.CHANGED: "~",
    Change.MOVED: ">",
}

SOURCE_SIGNS = {
    SourceChange.SAME: "=",
    SourceChange.CHANGED: "~",
    SourceChange.RENAMED: ">",
    SourceChange.COPIED: "+",
    SourceChange.ADDED: "+",
    SourceChange.REMOVED: "-",
    SourceChange.UNKNOWN: "?",
}

SOURCE_WORDS = {
    SourceChange.SAME: "the same",
    SourceChange.CHANGED: "changed",
    SourceChange.RENAMED: "renamed",
    SourceChange.COPIED: "added, same content under another name",
    SourceChange.ADDED: "added",
    SourceChange.REMOVED: "removed",
    SourceChange.UNKNOWN: "could not be compared",
}

FATE_SIGNS = {
    Fate.UNCHANGED: "=",
    Fate.MOVED: ">",
    Fate.CHANGED: "~",
    Fate.GONE: "-",
    Fate.AMBIGUOUS: "*",
    Fate.UNKNOWN: "?",
}

PRECISIONS = {
    Precision.UNLIKE: "too few words are the same: lines replaced as a whole",
    Precision.BOUNDED: "too long to search to the end: shown as replaced as a whole, lines or "
    "words in it may be the same",
    Precision.COARSE: "compared word by word except for long stretches: these are shown as "
    "replaced, words in them may be the same",
}

MATCHES = {
    Matched.KEY: "the same citation",
    Matched.PLACE: "the same text for the same sentence",
    Matched.SENTENCE: "another place of the same source, for the same sentence",
}

OBSTACLES = {
    Obstacle.TEXT: "the text is not the same",
    Obstacle.NOTHING: "B holds nothing like it",
    Obstacle.SENTENCE: "B cites the text for another sentence",
    Obstacle.VERDICT: "B cites the text, and the verdict is another",
    Obstacle.NO_TEXT: "it speaks of no text that could be compared",
    Obstacle.NOT_IN_A: "what it was made on is not in this audit of A",
}

_WHY = {
    Why.NOT_STORED: "the text is not stored",
    Why.BYTES_CHANGED: "the stored bytes no longer have their recorded hash",
    Why.IN_PARTS: "only parts of the text are known",
    Why.REBUILT: "the text was rebuilt from what the record shows, the exact bytes were never seen",
    Why.GRADE_UNKNOWN: "the record cannot say what the model was given",
    Why.NO_PLACE: "no place in a known text is named",
    Why.NO_SOURCE: "there is no such source",
    Why.UNREADABLE: "something could not be read",
    Why.TWO_STATES: "one version is recorded twice, with different hashes",
}
_SIDES = {Side.A: "in A", Side.B: "in B", Side.BOTH: "in both"}

_FATES = {
    Fate.UNCHANGED: "unchanged",
    Fate.MOVED: "moved",
    Fate.CHANGED: "changed",
    Fate.GONE: "gone",
    Fate.AMBIGUOUS: "ambiguous: the same text stands in several places",
    Fate.UNKNOWN: "could not be compared",
}
_PROOFS = {
    Proof.HASH: "same SHA-256",
    Proof.TEXT: "same text",
    Proof.REBUILT: "same text, as far as the record shows it",
}


def doubt_words(doubt: Doubt) -> str:
    """Return why something could not be compared."""
    return f"{_SIDES[doubt.side]} {_WHY[doubt.why]}"


def place(fated: Fated, *, of_b: bool = False) -> str:
    """Return the place in A, or in B, as references are written."""
    key = fated.version_b if of_b else fated.version_a
    span, unit = (fated.b, fated.b_unit) if of_b else (fated.a, fated.unit)
    if key is None:
        return ""
    return reference(key.source_id, key.version_id, span, unit, None)


def fate_words(fated: Fated) -> str:
    """Return what became of a text, and what that rests on."""
    words = _FATES[fated.fate]
    if fated.fate is Fate.MOVED:
        words = f"moved to {place(fated, of_b=True)}"
    if fated.fate is Fate.CHANGED and fated.b is not None:
        words = f"changed; at its place stands {place(fated, of_b=True)}"
    if fated.fate is Fate.AMBIGUOUS and fated.places:
        words = f"{words}: {spans(fated.places)}"
    notes = [_PROOFS[fated.proof]] if fated.proof else []
    if fated.context:
        notes.append(f"told by up to {fated.context} characters around it")
    if fated.doubt is not None:
        notes.append(doubt_words(fated.doubt))
    return f"{words} ({'; '.join(notes)})" if notes else words


def version_words(source_id: str, version_id: str) -> str:
    """Return a version as references are written, its hash shortened."""
    return f"{source_id}@{short(version_id)}" if version_id else source_id


def span_words(found: tuple[Span, ...], unit: Unit) -> str:
    """Return spans with the name of their unit."""
    names = {Unit.CHAR: "characters", Unit.LINE: "lines", Unit.ROW: "rows", Unit.PAGE: "pages"}
    if unit is Unit.LINE:
        return "lines " + ", ".join(
            f"{span.start}-{span.end - 1}" if span.length > 1 else f"{span.start}" for span in found
        )
    return f"{names.get(unit, unit.value)} {spans(found)}"
