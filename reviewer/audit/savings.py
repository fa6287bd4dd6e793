"""What results did not cost, since something shorter or nothing stood for them."""

from __future__ import annotations

from collections.abc import Sequence

from reviewer.audit.sizes import Sizes
from reviewer.audit.standing import Appearance, Standing
from store.records.bills import Saving
from store.records.findings import PlaceholderFacts
from store.records.grades import Grade
from store.records.runs import ToolResult

__all__ = ["savings"]


def savings(
    standing: Standing, sizes: Sizes, placeholders: Sequence[PlaceholderFacts]
) -> tuple[tuple[Saving, ...], int]:
    """Return what each replaced result saved, and how many cannot be told.

    It cannot be told where the time is not recorded, where the original is
    not, or where the record cannot say what the requests held.
    """
    if not sizes.counted:
        return (), len(placeholders)
    originals = {(r.tool_call_id, _length(r)): r for r in standing.run.tool_results}
    found: list[Saving] = []
    for fact in placeholders:
        result = originals.get((fact.tool_call_id, fact.original_chars))
        if result is None or result.text is None or fact.first_call is None:
            continue
        if fact.grade is not Grade.UNKNOWN:
            found.append(_saving(standing, sizes, fact, result))
    return tuple(found), len(placeholders) - len(found)


def _length(result: ToolResult) -> int | None:
    return None if result.text is None else len(result.text)


def _saving(standing: Standing, sizes: Sizes, fact: PlaceholderFacts, result: ToolResult) -> Saving:
    original = sizes.tokens(result.text or "")
    places = set(fact.stand_ins)
    seen = standing.appearances_of(result)
    stood = [a for a in seen if (a.message, a.part) in places]
    calls = sum(a.last - a.first + 1 for a in stood)
    paid = sum(_tokens(sizes, a) * (a.last - a.first + 1) for a in stood)
    away = _removed_calls(standing, seen, fact)
    return Saving(
        tool_call_id=fact.tool_call_id,
        tool=fact.tool,
        source_id=fact.source_id,
        kind=fact.kind,
        grade=fact.grade,
        first_call=fact.first_call or 0,
        calls=calls + away,
        original_tokens=original,
        stand_in_tokens=max((_tokens(sizes, a) for a in stood), default=0),
        tokens=original * (calls + away) - paid,
        kept_out=fact.last_full_call is None,
    )


def _tokens(sizes: Sizes, appearance: Appearance) -> int:
    return sizes.parts[appearance.message][appearance.part].tokens


def _removed_calls(standing: Standing, seen: Sequence[Appearance], fact: PlaceholderFacts) -> int:
    """Return how many requests, up to the last answer, had nothing in its place any more."""
    since = max((a.last for a in seen), default=(fact.first_call or 1) - 1)
    return max(0, standing.closing_call - since)
