"""What a comparison says, in the language of the window: signs, words and colours by name."""

from __future__ import annotations

from reviewer.display import one_line
from reviewer.reports._words import reference, spans
from reviewer.window.i18n import tr, tr_message, trn
from store.records.comparisons import Comparison, Matched, Obstacle, RunComparison
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

__all__ = [
    "change_words",
    "doubt_words",
    "fate_sign",
    "fate_tone",
    "fate_word",
    "fate_words",
    "matched_words",
    "obstacle_words",
    "outcome_words",
    "place_words",
    "precision_words",
    "source_words",
]


def outcome_words(comparison: Comparison) -> tuple[str, str, str]:
    """Return the sign, the colour by name and the words for a whole comparison."""
    if comparison.different and comparison.undecided:
        return "≠", "bad", tr("Different; some could not be compared, so there may be more")
    if comparison.different:
        return "≠", "bad", tr("Different")
    if comparison.undecided:
        words = tr("Undecided: no difference was found, and some could not be compared")
        return "?", "open", words
    found = comparison.found
    if isinstance(found, RunComparison) and not found.identical:
        return "=", "good", tr("The same in everything listed here; the records differ elsewhere")
    return "=", "good", tr("The same")


def change_words(change: Change) -> tuple[str, str, str]:
    """Return sign, colour and word of a change between A and B."""
    return {
        Change.SAME: ("=", "muted", tr("same")),
        Change.REMOVED: ("−", "bad", tr("removed")),
        Change.ADDED: ("+", "good", tr("added")),
        Change.CHANGED: ("~", "open", tr("changed")),
        Change.MOVED: ("→", "open", tr("moved")),
    }[change]


def source_words(change: SourceChange) -> tuple[str, str, str]:
    """Return sign, colour and words for what became of a source."""
    return {
        SourceChange.SAME: ("=", "muted", tr("same")),
        SourceChange.CHANGED: ("~", "open", tr("changed")),
        SourceChange.RENAMED: ("→", "open", tr("renamed")),
        SourceChange.COPIED: ("+", "good", tr("added, same content under another name")),
        SourceChange.ADDED: ("+", "good", tr("added")),
        SourceChange.REMOVED: ("−", "bad", tr("removed")),
        SourceChange.UNKNOWN: ("?", "open", tr("could not be compared")),
    }[change]


def fate_sign(fate: Fate) -> str:
    """Return the sign of what became of a cited text."""
    return {
        Fate.UNCHANGED: "=",
        Fate.MOVED: "→",
        Fate.CHANGED: "~",
        Fate.GONE: "−",
        Fate.AMBIGUOUS: "∗",
        Fate.UNKNOWN: "?",
    }[fate]


def fate_tone(fate: Fate) -> str:
    """Return the colour of what became of a cited text; its sign says the same."""
    good = {Fate.UNCHANGED: "good", Fate.MOVED: "good", Fate.GONE: "bad", Fate.CHANGED: "bad"}
    return good.get(fate, "open")


def fate_word(fate: Fate) -> str:
    """Return in a word what became of a cited text."""
    return {
        Fate.UNCHANGED: tr("unchanged"),
        Fate.MOVED: tr("moved"),
        Fate.CHANGED: tr("changed"),
        Fate.GONE: tr("gone"),
        Fate.AMBIGUOUS: tr("ambiguous"),
        Fate.UNKNOWN: tr("could not be compared"),
    }[fate]


def fate_words(fated: Fated) -> str:
    """Return what became of a cited text, and what that rests on."""
    there = place_words(fated, of_b=True)
    words = fate_word(fated.fate)
    if fated.fate is Fate.MOVED:
        words = tr("moved to {place}", place=there)
    elif fated.fate is Fate.CHANGED and fated.b is not None:
        words = tr("changed; at its place stands {place}", place=there)
    elif fated.fate is Fate.AMBIGUOUS and fated.places:
        words = tr("the same text stands in several places: {places}", places=spans(fated.places))
    notes = [_proof(fated.proof)] if fated.proof else []
    if fated.context:
        notes.append(
            trn(
                "told by one character around it",
                "told by up to {n} characters around it",
                fated.context,
            )
        )
    if fated.doubt is not None:
        notes.append(doubt_words(fated.doubt))
    return one_line(tr("; ").join((words, *notes)))


def place_words(fated: Fated, *, of_b: bool = False) -> str:
    """Return the place in A, or in B, as a reference; "" where there is none."""
    key = fated.version_b if of_b else fated.version_a
    span, unit = (fated.b, fated.b_unit) if of_b else (fated.a, fated.unit)
    return "" if key is None else reference(key.source_id, key.version_id, span, unit, None)


def _proof(proof: Proof) -> str:
    return {
        Proof.HASH: tr("same SHA-256"),
        Proof.TEXT: tr("same text"),
        Proof.REBUILT: tr("same text, as far as the record shows it"),
    }[proof]


def matched_words(matched: Matched) -> str:
    """Return by what a citation of B is taken for one of A."""
    return {
        Matched.KEY: tr("the same citation"),
        Matched.PLACE: tr("the same text for the same sentence"),
        Matched.SENTENCE: tr("another place of the same source, for the same sentence"),
    }[matched]


def obstacle_words(obstacle: Obstacle) -> str:
    """Return why a decision is not carried over."""
    return {
        Obstacle.TEXT: tr("the text is not the same"),
        Obstacle.NOTHING: tr("B holds nothing like it"),
        Obstacle.SENTENCE: tr("B cites the text for another sentence"),
        Obstacle.VERDICT: tr("B cites the text, and the verdict is another"),
        Obstacle.NO_TEXT: tr("it speaks of no text that could be compared"),
        Obstacle.NOT_IN_A: tr("what it was made on is not in this audit of A"),
    }[obstacle]


def precision_words(precision: Precision) -> str:
    """Return how closely changed lines were compared, "" where word by word."""
    return {
        Precision.WORDS: "",
        Precision.UNLIKE: tr("too few words are the same: lines replaced as a whole"),
        Precision.BOUNDED: tr(
            "too long to search to the end: shown as replaced as a whole, lines or words in it "
            "may be the same"
        ),
        Precision.COARSE: tr(
            "compared word by word except for long stretches: these are shown as replaced, words "
            "in them may be the same"
        ),
    }[precision]


def doubt_words(doubt: Doubt) -> str:
    """Return why something could not be compared, and on which side."""
    why = {
        Why.NOT_STORED: tr("the text is not stored"),
        Why.BYTES_CHANGED: tr("the stored bytes no longer have their recorded hash"),
        Why.IN_PARTS: tr("only parts of the text are known"),
        Why.REBUILT: tr(
            "the text was rebuilt from what the record shows, the exact bytes were never seen"
        ),
        Why.GRADE_UNKNOWN: tr("the record cannot say what the model was given"),
        Why.NO_PLACE: tr("no place in a known text is named"),
        Why.NO_SOURCE: tr("there is no such source"),
        Why.UNREADABLE: tr("something could not be read"),
        Why.TWO_STATES: tr("one version is recorded twice, with different hashes"),
    }[doubt.why]
    words = {
        Side.A: tr("in A {why}", why=why),
        Side.B: tr("in B {why}", why=why),
        Side.BOTH: tr("in both {why}", why=why),
    }[doubt.side]
    return f"{words} ({one_line(tr_message(doubt.what))})" if doubt.what else words
