"""What the words of a report mean: one table for ``reread explain``, the manual and the reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from store.records.bills import BillKind, Change
from store.records.differences import Fate, SourceChange
from store.records.findings import (
    Anchor,
    Form,
    Outcome,
    PlaceholderKind,
    Severity,
    State,
    Verdict,
)
from store.records.grades import Grade, Layer
from store.records.runs import ProblemKind
from store.records.sources import Integrity

__all__ = ["GRADES", "Word", "glossary"]


@dataclass(frozen=True, slots=True)
class Word:
    """One word, what kind of word it is, and what it says."""

    word: str
    kind: str
    meaning: str


_VERDICTS = {
    Verdict.UNRESOLVED: "The cited key matches no known source, version or block. Keys are "
    "compared whole: the beginning of a key is another key.",
    Verdict.OUT_OF_BOUNDS: "The cited span lies outside the version.",
    Verdict.WRONG_VERSION: "Either the stored bytes no longer have the cited hash, or nothing of "
    "the cited span of the cited version was given up to the answer and text of another version "
    "of the source stands in the answer's request. The reason says which.",
    Verdict.QUOTE_DIFFERS: "The quoted words are not the words at the cited span. The anchor says "
    "whether they stand elsewhere in the version (relocated) or nowhere (orphan).",
    Verdict.UNVERIFIABLE: "The record cannot prove it either way. Not proven is not refuted, and "
    "it is not verified either.",
    Verdict.READ: "The whole cited span, of the cited version, stood in the request of the call "
    "that wrote the answer. It does not say that the answer is right.",
    Verdict.PARTLY_READ: "Some of the cited span stood in that request; the missing spans are "
    "listed.",
    Verdict.FROM_MEMORY: "The cited text, or some of it, stood in an earlier request, and none of "
    "it in that of the answer.",
    Verdict.PREVIEW_ONLY: "Only a preview in a listing covers some of the cited span.",
    Verdict.PLACEHOLDER_ONLY: "The source was asked for, and no body text of the version ever "
    "stood in a request.",
    Verdict.LISTED_ONLY: "The source stood in a listing, and no body text of the version ever "
    "stood in a request.",
    Verdict.NEVER_READ: "Nothing of the cited span ever stood in a request.",
}

GRADES = {
    Grade.RECORDED: "The request of each call is stored.",
    Grade.DERIVED: "What stood in the requests is computed exactly from the record and from "
    "recorded edits, by a stated rule.",
    Grade.INFERRED: "What stood in the requests follows from a stated rule and not from a record: "
    "an edit happened elsewhere, or may have.",
    Grade.UNKNOWN: "The record cannot say what stood in the requests; what follows says what "
    "came, not what stayed.",
}
"""What each grade means for a run, in a sentence that reports repeat."""

_LAYERS = {
    Layer.WIRE: "Captured between the client and the model: the request as it was sent.",
    Layer.CLIENT: "Captured inside the client: the request as it was about to be sent.",
    Layer.STATE: "Taken from the state an agent keeps; its client may edit before it sends.",
    Layer.TRANSCRIPT: "Taken from a transcript, which often keeps results whole that were cleared "
    "while the request was built. A transcript is not a request.",
    Layer.TELEMETRY: "Taken from traces or spans; they may hold content, or only counts.",
}

_FORMS = {
    Form.FULL: "The text stands in the request byte for byte.",
    Form.NORMALIZED: "The text stands there, with only white space or escaping changed.",
    Form.PREVIEW: "A piece of the text stands in a listing. It never counts as read.",
    Form.TRUNCATED: "The text stands there in part; the rest was cut.",
    Form.PLACEHOLDER: "A placeholder stands there; what it kept of the text counts for itself.",
}

_ANCHORS = {
    Anchor.EXACT: "The quoted words stand at the cited span.",
    Anchor.RELOCATED: "They stand once elsewhere in the same version.",
    Anchor.NORMALISED: "They stand there under one named normalisation of white space, quotation "
    "marks, dashes and invisible characters.",
    Anchor.AMBIGUOUS: "They stand in more than one place, and no span says which is meant.",
    Anchor.ORPHAN: "They stand nowhere in the version. Similar text settles nothing.",
    Anchor.NONE: "Nothing is quoted; reports for people show a dash.",
}

_STATES = {
    State.FULL: "The whole version stands in the request of the last answer (of the last call "
    "where no answer is recorded).",
    State.PARTIAL: "Some of the version stands in that request.",
    State.PREVIEW: "Only a preview of the version stands in it.",
    State.PLACEHOLDER: "A read of the version was made, and a placeholder stands in its place.",
    State.LISTED: "Only a listing names the version.",
    State.ABSENT: "Nothing of the version stands in it.",
}

_OUTCOMES = {
    Outcome.FAILED: "The tool reported an error.",
    Outcome.REFUSED: "A budget refused the result.",
    Outcome.UNDELIVERED: "No request holds the result.",
    Outcome.DELIVERED: "All that was asked for stood in the first request that holds the result. "
    "It may have been taken away later.",
    Outcome.TRUNCATED: "Some of what was asked for stood in that request.",
    Outcome.PLACEHOLDER: "None of it stood in that request, whatever stood there instead.",
}

_PLACEHOLDERS = {
    PlaceholderKind.CLEARED: "The result was taken out and a short note left, or nothing.",
    PlaceholderKind.FOLDED: "A reference, by which it can be read again, stands for the result.",
    PlaceholderKind.PERSISTED: "The result was moved to a file, and the name of the file stands "
    "for it.",
    PlaceholderKind.TRUNCATED: "The result was cut; a part of it stands for the whole.",
    PlaceholderKind.COMPACTED: "A summary stands for the result and for what was around it.",
    PlaceholderKind.REFUSED: "A budget kept the result out, and a note says so.",
}

_SEVERITIES = {
    Severity.ERROR: "What is claimed does not hold, or evidence is not what it was.",
    Severity.WARNING: "A person should look: it does not hold in full, or cannot be proven.",
    Severity.NOTE: "Worth knowing, and nothing is wrong by itself.",
}

_PROBLEMS = {
    ProblemKind.LOST: "Something could not be read, so that the audit could not decide; the exit "
    "status is 3.",
    ProblemKind.CHANGED: "Something no longer has its recorded hash. It is marked and never "
    "searched.",
    ProblemKind.NOTED: "Nothing is lost, and a person should know.",
}

_INTEGRITIES = {
    Integrity.INTACT: "The stored bytes are there, and their SHA-256 was checked.",
    Integrity.CHANGED: "The stored bytes have another hash than was recorded; they are never "
    "searched.",
    Integrity.MISSING: "The stored bytes are named and are not there, or cannot be read.",
    Integrity.RECONSTRUCTED: "The text was put together from what the record shows (numbered "
    "lines, a copy made for display); its hash is not the hash of the file.",
}

_BILL_KINDS = {
    BillKind.SYSTEM: "Tokens of system text.",
    BillKind.INSTRUCTION: "Tokens of what was asked or told, in messages of the user's side.",
    BillKind.DOCUMENT: "Tokens of documents that were put into a request.",
    BillKind.TOOL_RESULT: "Tokens of what tools returned, also of what was cut when it came.",
    BillKind.PLACEHOLDER: "Tokens of what stands where a result stood, or was kept out.",
    BillKind.SUMMARY: "Tokens of summaries that a compaction wrote.",
    BillKind.ANSWER: "Tokens of what the model wrote in earlier calls.",
    BillKind.TOOL_CALL: "Tokens of the arguments of tool calls.",
    BillKind.REASONING: "Tokens of the model's reasoning, where it is sent again.",
    BillKind.OTHER: "Tokens of text beside what cannot be shown.",
}

_CHANGES = {
    Change.MODEL: "Another model was asked than in the call before; each has a cache of its own.",
    Change.TOOLS: "The definitions of tools, which stand before every message, are others.",
    Change.SYSTEM: "The system text is another one.",
    Change.RESULT: "Another text stands for the result of the same tool call.",
    Change.REPLACED: "A message was rewritten.",
    Change.INSERTED: "A message was put in before others.",
    Change.REMOVED: "A message was taken out before others.",
    Change.MOVED: "The same messages stand in another order.",
}


_FATES = {
    Fate.UNCHANGED: "B holds the cited text at the same place: both have one SHA-256, or the text "
    "was compared.",
    Fate.MOVED: "B holds the cited text at one other place, which its text, or the text around it, "
    "tells from all others.",
    Fate.CHANGED: "Other text stands in B at the place of the cited text.",
    Fate.GONE: "Nothing stands in B at the place of the cited text.",
    Fate.AMBIGUOUS: "The cited text stands in several places of B, and nothing tells which is "
    "meant.",
    Fate.UNKNOWN: "It could not be compared; the reason stands beside it. It is not the same.",
}

_SOURCE_CHANGES = {
    SourceChange.SAME: "Both sides hold the same versions of the source.",
    SourceChange.CHANGED: "Both sides hold the source, in other versions.",
    SourceChange.RENAMED: "One id went and one came with the same bytes, which no other source "
    "has.",
    SourceChange.COPIED: "An id came whose bytes another source has too: nothing tells a new name "
    "from a copy.",
    SourceChange.ADDED: "Only B holds the source.",
    SourceChange.REMOVED: "Only A holds the source.",
    SourceChange.UNKNOWN: "Its content could not be compared. It is not the same.",
}


def glossary() -> tuple[Word, ...]:
    """Return every word with its meaning, kind after kind."""
    return (
        *_words("verdict", ((verdict.word, text) for verdict, text in _VERDICTS.items())),
        *_words("grade", GRADES.items()),
        *_words("layer", _LAYERS.items()),
        *_words("form", _FORMS.items()),
        *_words("anchor", _ANCHORS.items()),
        *_words("state at the answer", _STATES.items()),
        *_words("outcome of a read", _OUTCOMES.items()),
        *_words("kind of placeholder", _PLACEHOLDERS.items()),
        *_words("severity", _SEVERITIES.items()),
        *_words("kind of problem", _PROBLEMS.items()),
        *_words("stored bytes", _INTEGRITIES.items()),
        *_words("kind of tokens", _BILL_KINDS.items()),
        *_words("change that broke a prefix", _CHANGES.items()),
        *_words("what became of a cited text", _FATES.items()),
        *_words("what became of a source", _SOURCE_CHANGES.items()),
    )


def _words(kind: str, meanings: Iterable[tuple[str, str]]) -> Iterable[Word]:
    return (Word(str(word), kind, text) for word, text in meanings)
