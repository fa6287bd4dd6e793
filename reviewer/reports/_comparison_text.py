"""A comparison as text for people: the two sides, what differs, and where to look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from reviewer.display import indented, one_line
from reviewer.reports._comparison import TextOf
from reviewer.reports._comparison_lines import counts, text_lines
from reviewer.reports._comparison_runs import run_lines
from reviewer.reports._comparison_words import (
    CHANGE_SIGNS,
    FATE_SIGNS,
    KINDS,
    OBSTACLES,
    SOURCE_SIGNS,
    SOURCE_WORDS,
    doubt_words,
    fate_words,
    place,
    version_words,
)
from reviewer.reports._words import counted
from store.records.comparisons import (
    CallComparison,
    CitationDifference,
    Comparison,
    DecisionFate,
    Kind,
    RequestPiece,
    RunComparison,
    SideFacts,
    StoreComparison,
    VersionComparison,
)
from store.records.differences import Change, Fate, SourceChange, SourceDifference

__all__ = ["comparison_text"]

_SHOWN = 20
_TEXTS = 5


def comparison_text(
    comparison: Comparison, text_of: TextOf, columns: int = 100, *, everything: bool = False
) -> Iterator[str]:
    """Yield the comparison as lines; with *everything* no list is shortened."""
    yield f"Comparison of {KINDS[comparison.kind]}"
    for name, side in (("A", comparison.a), ("B", comparison.b)):
        yield from _side(name, side, columns)
    yield ""
    yield from indented(_outcome(comparison), "", columns)
    found = comparison.found
    if isinstance(found, VersionComparison):
        yield from _texts(found, columns, everything=everything)
    elif isinstance(found, CallComparison):
        yield from _calls(found, columns, everything=everything)
    elif isinstance(found, StoreComparison):
        yield from _sources(found.sources, text_of, columns, everything=everything)
        yield from _fates(found.citations, columns, everything=everything)
        yield from _decisions(found.decisions, columns)
    elif isinstance(found, RunComparison):
        yield from _run(found, text_of, columns, everything=everything)


def _side(name: str, side: SideFacts, columns: int) -> Iterator[str]:
    yield f"  {name}  {one_line(side.given)}"
    facts = []
    if side.run_id:
        call = f" · call {side.call} of {side.calls}" if side.call else f" · {side.calls} calls"
        title = f"{side.title} · " if side.title else ""
        facts.append(f"{title}run {side.run_id}{call} · {side.format} · grade {side.grade}")
        facts.append(f"digest {side.digest}" if side.digest else "")
    elif side.chars is not None:
        key = side.version
        facts.append(f"{key.source_id}@{key.version_id}" if key else "")
        facts.append(f"{side.chars} characters")
        facts.append(f"sha256 {side.sha256}" if side.sha256 else "no hash was checked")
    if not side.run_id and side.versions:
        what = f"{counted(side.sources, 'source')}, {counted(side.versions, 'version')}"
        facts.append(f"{what} · {side.format}")
    for fact in filter(None, facts):
        yield from indented(one_line(fact), "     ", columns)


def _outcome(comparison: Comparison) -> str:
    if comparison.different:
        text = "DIFFERENT"
        if comparison.undecided:
            text += "; some of it could not be compared, so there may be more differences"
        return f"{text}."
    if comparison.found is None:
        return "UNDECIDED: one of the two could not be read, so that nothing was compared."
    if comparison.undecided:
        return "UNDECIDED: no difference was found, and some of it could not be compared."
    found = comparison.found
    if isinstance(found, RunComparison) and found.identical:
        return "SAME: the two records hold the same; they have one digest."
    if comparison.kind is Kind.RUNS:
        return (
            "SAME in requests, responses, answers, sources, reads, citations, verdicts, edits and "
            "findings; the records are not the same in all they hold."
        )
    return "SAME."


# -- texts -----------------------------------------------------------------------


def _texts(found: VersionComparison, columns: int, *, everything: bool) -> Iterator[str]:
    if not found.text.same:
        yield f"  {counts(found)}"
        yield ""
        yield from text_lines(found, "  ", everything=everything)
    yield from _fates(found.citations, columns, everything=everything)
    yield from _decisions(found.decisions, columns)


# -- stores ----------------------------------------------------------------------


def _sources(
    sources: Sequence[SourceDifference], text_of: TextOf, columns: int, *, everything: bool
) -> Iterator[str]:
    counted_ = Counter(one.change for one in sources)
    if not sources:
        return
    told = [
        f"{counted_[change]} {SOURCE_WORDS[change]}" for change in SourceChange if counted_[change]
    ]
    yield ""
    yield from indented(f"Sources: {'; '.join(told)}", "", columns)
    differ = [one for one in sources if one.change is not SourceChange.SAME]
    limit = len(differ) if everything else _SHOWN
    for one in differ[:limit]:
        yield from indented(one_line(_source(one)), "  ", columns)
    yield from _left(len(differ) - limit, len(differ), "  ")
    changed = [one for one in differ if one.change is SourceChange.CHANGED and one.proof is None]
    limit = len(changed) if everything else _TEXTS
    for one in changed[:limit]:
        yield from _source_text(one, text_of, everything=everything)
    if len(changed) > limit:
        yield ""
        yield f"  … the texts of {len(changed) - limit} more sources; --all shows them"


def _source(one: SourceDifference) -> str:
    sign, word = SOURCE_SIGNS[one.change], SOURCE_WORDS[one.change]
    a = version_words(one.a.source_id, one.a.version_id) if one.a else ""
    b = version_words(one.b.source_id, one.b.version_id) if one.b else ""
    if one.change is SourceChange.RENAMED:
        text = f"{sign} {word}: {a} is now {b}"
    elif one.a and one.b:
        text = f"{sign} {word}: {a}" + (f" → {b}" if a != b else "")
    else:
        text = f"{sign} {word}: {a or b}"
    if one.twins:
        text += f"; the same bytes: {', '.join(one.twins)}"
    if one.change is SourceChange.CHANGED and one.proof is not None:
        text += "; the newest version is the same"
    if one.a and one.b:
        for name, only in (("A", one.only_a), ("B", one.only_b)):
            text += f"; {counted(len(only), 'version')} in {name} alone" if only else ""
    return f"{text}; {doubt_words(one.doubt)}" if one.doubt else text


def _source_text(one: SourceDifference, text_of: TextOf, *, everything: bool) -> Iterator[str]:
    found = text_of(one)
    yield ""
    if found is None:
        yield f"  {one_line(one.source_id)}: the texts are not both known as a whole"
        return
    if found.text.same:
        yield f"  {one_line(one.source_id)}: the known texts are the same"
        return
    yield f"  {one_line(one.source_id)}: {counts(found)}"
    yield from text_lines(found, "    ", everything=everything)


def _left(left: int, total: int, indent: str) -> Iterator[str]:
    if left > 0:
        yield f"{indent}… {left} more of {total}; --all shows them"


# -- citations and decisions ---------------------------------------------------------


def _fates(
    citations: Sequence[CitationDifference], columns: int, *, everything: bool
) -> Iterator[str]:
    held = [one for one in citations if one.fated is not None]
    if not held:
        return
    count = Counter(one.fated.fate for one in held if one.fated)
    told = ", ".join(f"{count[fate]} {fate.value}" for fate in Fate if count[fate])
    yield ""
    yield f"Citations of A: {told}"
    differ = [one for one in held if one.fated and one.fated.fate is not Fate.UNCHANGED]
    limit = len(differ) if everything else _SHOWN
    for one in differ[:limit]:
        yield from _fate(one, columns, everything=everything)
    yield from _left(len(differ) - limit, len(differ), "  ")


def _fate(one: CitationDifference, columns: int, *, everything: bool) -> Iterator[str]:
    if one.fated is None:
        return
    where = place(one.fated) or one.source_id
    text = f"{FATE_SIGNS[one.fated.fate]} #{one.a} {where}: {fate_words(one.fated)}"
    yield from indented(one_line(text), "  ", columns)
    for offered in one.fated.suggestions:
        words = one_line(offered.text)
        if not everything and len(words) > _LONG:
            words = f"{words[:_LONG]}… (+{len(words) - _LONG} characters)"
        span = f"[{offered.span.start}:{offered.span.end}]"
        yield from indented(
            f"similar, {offered.share} % of the words: {span} {words}", "      ", columns
        )


_LONG = 160


def _decisions(decisions: Sequence[DecisionFate], columns: int) -> Iterator[str]:
    if not decisions:
        return
    free = sum(one.to is not None for one in decisions)
    yield ""
    yield f"Decisions on A: {free} of {len(decisions)} can be carried over to B (--carry)"
    for one in decisions:
        if one.obstacle is not None:
            text = f"- {one.target}: not carried over: {OBSTACLES[one.obstacle]}"
            if one.fated is not None and not one.fated.fate.is_same_text:
                text += f" ({fate_words(one.fated)})"
            yield from indented(one_line(text), "  ", columns)


# -- runs ------------------------------------------------------------------------


def _run(found: RunComparison, text_of: TextOf, columns: int, *, everything: bool) -> Iterator[str]:
    if not found.identical:
        limit = 0 if everything else _SHOWN
        yield from run_lines(found, columns, limit)
        yield from _sources(found.sources, text_of, columns, everything=everything)
        yield from _fates(found.citations, columns, everything=everything)
    yield from _decisions(found.decisions, columns)


# -- calls -----------------------------------------------------------------------


def _calls(found: CallComparison, columns: int, *, everything: bool) -> Iterator[str]:
    count = Counter(piece.change for piece in found.pieces)
    told = ", ".join(f"{count[change]} {change.value}" for change in Change if count[change])
    yield f"  parts of messages: {told or 'none'}"
    for doubt in found.doubts:
        yield from indented(f"? {doubt_words(doubt)}", "  ", columns)
    differ = [piece for piece in found.pieces if piece.change is not Change.SAME]
    limit = len(differ) if everything else 3 * _SHOWN
    for piece in differ[:limit]:
        yield from indented(one_line(_piece(piece)), "  ", columns)
    yield from _left(len(differ) - limit, len(differ), "  ")


def _piece(piece: RequestPiece) -> str:
    places = []
    if piece.a is not None:
        places.append(f"A message {piece.a[0]} part {piece.a[1]}")
    if piece.b is not None:
        places.append(f"B message {piece.b[0]} part {piece.b[1]}")
    name = f" {piece.name}" if piece.name else ""
    call = f" {piece.tool_call_id}" if piece.tool_call_id else ""
    text = f"{CHANGE_SIGNS[piece.change]} {piece.change.value}: {' → '.join(places)}"
    text += f" · {piece.role} · {piece.kind}{name}{call}"
    sizes = {
        Change.REMOVED: f"{piece.chars_a} characters",
        Change.ADDED: f"{piece.chars_b} characters",
        Change.CHANGED: f"{piece.chars_a} → {piece.chars_b} characters",
        Change.MOVED: f"{piece.chars_b} characters, as they were",
    }
    text += f" · {sizes.get(piece.change, '')}"
    if piece.placeholder is not None and piece.restored:
        text += f" · came back in place of its placeholder ({piece.placeholder.value})"
    elif piece.placeholder is not None:
        text += f" · replaced by a placeholder or taken away ({piece.placeholder.value})"
    return text
