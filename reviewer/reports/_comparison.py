"""A comparison as plain values, key by key as ``reread.compare/1`` fixes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from reviewer.reports._facts import dumps, finding_record, placeholder_record, problem_record
from store.records.comparisons import (
    AnswerDifference,
    CallComparison,
    CallDifference,
    CitationDifference,
    Comparison,
    DecisionFate,
    EditDifference,
    ReadDifference,
    RequestPiece,
    RunComparison,
    SideFacts,
    StoreComparison,
    VersionComparison,
)
from store.records.differences import (
    Doubt,
    Fated,
    SourceChange,
    SourceDifference,
    TextComparison,
    TextPiece,
)
from store.records.runs import ContextEdit, Problem
from store.records.sources import VersionKey
from store.records.text import Span

__all__ = ["COMPARE_SCHEMA", "TextOf", "comparison_json"]

COMPARE_SCHEMA = "reread.compare/1"

TextOf = Callable[[SourceDifference], VersionComparison | None]
"""Gives the difference between the texts of a source, where both are known."""

_Record = dict[str, object]


def comparison_json(comparison: Comparison, text_of: TextOf) -> Iterator[str]:
    """Yield the comparison as JSON; the texts of changed sources are compared one after another."""
    head = {
        "schema": COMPARE_SCHEMA,
        "kind": comparison.kind.value,
        "different": comparison.different,
        "undecided": comparison.undecided,
        "a": _side(comparison.a, comparison.problems_a),
        "b": _side(comparison.b, comparison.problems_b),
        **_body(comparison),
    }
    yield dumps(head).removesuffix("\n}")
    found = comparison.found
    if isinstance(found, (StoreComparison, RunComparison)):
        yield ',\n "texts": ['
        between = "\n"
        for one in found.sources:
            changed = one.change is SourceChange.CHANGED and one.proof is None
            told = text_of(one) if changed else None
            if told is not None and not told.text.same:
                yield between
                yield dumps({"a": _key(one.a), "b": _key(one.b), "pieces": _pieces(told)})
                between = ",\n"
        yield "]"
    yield "\n}\n"


def _side(side: SideFacts, problems: Iterable[Problem]) -> _Record:
    return {
        "given": side.given,
        "path": side.path,
        "title": side.title,
        "run_id": side.run_id or None,
        "digest": side.digest or None,
        "format": side.format or None,
        "grade": side.grade or None,
        "version": _key(side.version),
        "sha256": side.sha256 or None,
        "chars": side.chars,
        "call": side.call,
        "calls": side.calls,
        "sources": side.sources,
        "versions": side.versions,
        "problems": [problem_record(problem) for problem in problems],
    }


def _body(comparison: Comparison) -> _Record:
    found = comparison.found
    if isinstance(found, VersionComparison):
        return {
            "pieces": _pieces(found),
            "citations": [_citation(each) for each in found.citations],
            "decisions": [_decision(each) for each in found.decisions],
        }
    if isinstance(found, CallComparison):
        return {
            "parts": [_part(piece) for piece in found.pieces],
            "doubts": [_doubt(doubt) for doubt in found.doubts],
        }
    if isinstance(found, StoreComparison):
        return {
            "sources": [_source(one) for one in found.sources],
            "citations": [_citation(each) for each in found.citations],
            "decisions": [_decision(each) for each in found.decisions],
        }
    return {} if found is None else _run(found)


def _run(found: RunComparison) -> _Record:
    return {
        "identical": found.identical,
        "sources": [_source(one) for one in found.sources],
        "reads": [_read(one) for one in found.reads],
        "citations": [_citation(each) for each in found.citations],
        "answers": [_answer(each) for each in found.answers],
        "calls": [_call(each) for each in found.calls],
        "placeholders": [
            {
                "a": None if each.a is None else placeholder_record(each.a),
                "b": None if each.b is None else placeholder_record(each.b),
            }
            for each in found.placeholders
        ],
        "edits": [_edits(each) for each in found.edits],
        "findings": [
            {
                "a": None if each.a is None else finding_record(each.a),
                "b": None if each.b is None else finding_record(each.b),
            }
            for each in found.findings
        ],
        "decisions": [_decision(each) for each in found.decisions],
        "doubts": [_doubt(doubt) for doubt in found.doubts],
    }


def _key(key: VersionKey | None) -> _Record | None:
    return None if key is None else {"source_id": key.source_id, "version_id": key.version_id}


def _span(span: Span | None) -> list[int] | None:
    return None if span is None else [span.start, span.end]


def _spans(spans: Iterable[Span]) -> list[list[int]]:
    return [[span.start, span.end] for span in spans]


def _doubt(doubt: Doubt | None) -> _Record | None:
    if doubt is None:
        return None
    return {"side": doubt.side.value, "why": doubt.why.value, "what": doubt.what}


def _pieces(found: VersionComparison) -> list[_Record]:
    text: TextComparison = found.text
    return [_piece(piece) for piece in text.pieces]


def _piece(piece: TextPiece) -> _Record:
    record: _Record = {
        "change": piece.change.value,
        "a": _span(piece.a),
        "b": _span(piece.b),
    }
    if piece.precision.value != "words":
        record["precision"] = piece.precision.value
    if piece.words:
        record["words"] = [_piece(word) for word in piece.words]
    return record


def _source(one: SourceDifference) -> _Record:
    return {
        "change": one.change.value,
        "a": _key(one.a),
        "b": _key(one.b),
        "only_a": list(one.only_a),
        "only_b": list(one.only_b),
        "twins": list(one.twins),
        "proof": one.proof.value if one.proof else None,
        "doubt": _doubt(one.doubt),
    }


def _read(one: ReadDifference) -> _Record:
    return {
        "a": _key(one.version_a),
        "b": _key(one.version_b),
        "same_version": one.same_version,
        "unit": one.unit.value,
        "b_unit": one.b_unit.value,
        "shared": _spans(one.shared),
        "only_a": _spans(one.only_a),
        "only_b": _spans(one.only_b),
        "blocks_a": list(one.blocks_a),
        "blocks_b": list(one.blocks_b),
        "doubt": _doubt(one.doubt),
    }


def _fated(fated: Fated | None) -> _Record | None:
    if fated is None:
        return None
    return {
        "fate": fated.fate.value,
        "version_a": _key(fated.version_a),
        "version_b": _key(fated.version_b),
        "a": _span(fated.a),
        "b": _span(fated.b),
        "unit": fated.unit.value,
        "b_unit": fated.b_unit.value,
        "proof": fated.proof.value if fated.proof else None,
        "context": fated.context,
        "places": _spans(fated.places),
        "doubt": _doubt(fated.doubt),
        "suggestions": [
            {"span": _span(one.span), "unit": one.unit.value, "share": one.share, "text": one.text}
            for one in fated.suggestions
        ],
    }


def _citation(one: CitationDifference) -> _Record:
    return {
        "a": one.a,
        "b": one.b,
        "source_id": one.source_id,
        "matched": one.matched.value if one.matched else None,
        "same_sentence": one.same_sentence,
        "verdict_a": one.verdict_a.word if one.verdict_a else None,
        "verdict_b": one.verdict_b.word if one.verdict_b else None,
        "text": _fated(one.fated),
    }


def _answer(one: AnswerDifference) -> _Record:
    return {
        "number": one.number,
        "change": one.change.value,
        "chars_a": one.chars_a,
        "chars_b": one.chars_b,
    }


def _call(one: CallDifference) -> _Record:
    return {
        "index": one.index,
        "request": one.request.value,
        "response": one.response.value,
        "settings": one.settings.value,
        "messages_a": one.messages_a,
        "messages_b": one.messages_b,
        "doubt": _doubt(one.doubt),
    }


def _edits(one: EditDifference) -> _Record:
    return {"a": _edit(one.a), "b": _edit(one.b)}


def _edit(edit: ContextEdit | None) -> _Record | None:
    if edit is None:
        return None
    return {
        "before_call": edit.before_call,
        "kind": edit.kind.value,
        "tool_call_ids": list(edit.tool_call_ids),
        "by": edit.by,
        "grade": edit.grade.value,
    }


def _part(piece: RequestPiece) -> _Record:
    return {
        "change": piece.change.value,
        "a": None if piece.a is None else list(piece.a),
        "b": None if piece.b is None else list(piece.b),
        "role": piece.role,
        "kind": piece.kind,
        "name": piece.name or None,
        "tool_call_id": piece.tool_call_id or None,
        "chars_a": piece.chars_a,
        "chars_b": piece.chars_b,
        "placeholder": piece.placeholder.value if piece.placeholder else None,
        "restored": piece.restored,
    }


def _decision(one: DecisionFate) -> _Record:
    return {
        "event": one.event,
        "target": str(one.target),
        "to": None if one.to is None else str(one.to),
        "obstacle": one.obstacle.value if one.obstacle else None,
        "text": _fated(one.fated),
    }
