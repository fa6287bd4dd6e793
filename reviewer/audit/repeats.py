"""Text of one version that came more than once, and what the copies cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from reviewer.audit.intervals import length, union
from reviewer.audit.seeds import ENOUGH
from reviewer.audit.sizes import Sizes
from reviewer.audit.standing import Standing
from store.records.bills import Repeat
from store.records.findings import Delivery, Form, PlaceholderFacts
from store.records.grades import Grade
from store.records.sources import VersionKey
from store.records.text import Span, Unit

__all__ = ["repeats"]


@dataclass(slots=True)
class _Copy:
    """What one part holds of a version.

    ``first`` is the call in which it first stood, ``asked`` the call that
    asked for it, whose request tells what stood already.  ``again`` is what an
    earlier copy had brought, ``standing`` what of that stood when it was asked.
    """

    first: int
    asked: int
    message: int
    part: int
    tool_call_id: str
    spans: tuple[Span, ...]
    tokens: float
    requests: int
    again: list[Span] = field(default_factory=list)
    standing: list[Span] = field(default_factory=list)


class _Edge(NamedTuple):
    place: int
    opens: bool
    copy: int


def repeats(
    standing: Standing, sizes: Sizes, placeholders: Iterable[PlaceholderFacts]
) -> tuple[Repeat, ...]:
    """Return every version of which some text came more than once, the costliest first.

    No copies are previews, what a placeholder kept of its result, and text
    that was only recognised by its words: a search that quotes a file does
    not read it again.
    """
    asked = {call.id: call.by_call for call in standing.run.tool_calls if call.by_call}
    kept = {place for fact in placeholders for place in fact.stand_ins if fact.last_full_call}
    found: list[Repeat] = []
    for key, deliveries in standing.deliveries.by_version.items():
        bodies = (d for d in deliveries if d.form is not Form.PREVIEW and d.address != "text")
        own = [d for d in bodies if (d.message, d.part) not in kept]
        copies = sorted(_copies(standing, sizes, own, asked), key=_order)
        if len(copies) > 1:
            found += _repeat(standing, key, copies, counted=sizes.counted)
    return tuple(sorted(found, key=lambda one: (-(one.paid_tokens or 0), one.calls, one.version)))


def _order(copy: _Copy) -> tuple[int, int, int]:
    return copy.first, copy.message, copy.part


def _copies(
    standing: Standing, sizes: Sizes, deliveries: Iterable[Delivery], asked: dict[str, int]
) -> Iterator[_Copy]:
    by_part: dict[tuple[int, int], list[Delivery]] = {}
    for one in deliveries:
        by_part.setdefault((one.message, one.part), []).append(one)
    for (message, number), pieces in by_part.items():
        stays = standing.residency.stays(message)
        if not stays:
            continue
        part = standing.run.messages[message].parts[number]
        share = length(piece.message_span for piece in pieces) / max(len(part.text), 1)
        first = stays[0].first
        yield _Copy(
            first=first,
            asked=asked.get(part.tool_call_id, first - 1),
            message=message,
            part=number,
            tool_call_id=part.tool_call_id,
            spans=union(piece.span for piece in pieces),
            tokens=share * sizes.parts[message][number].tokens,
            requests=sum(stay.last - stay.first + 1 for stay in stays),
        )


def _repeat(
    standing: Standing, key: VersionKey, copies: Sequence[_Copy], *, counted: bool
) -> Iterator[Repeat]:
    depths = list(_swept(standing, copies))
    if not depths:
        return
    times = max(depth for _, depth in depths)
    spans = union(span for span, _ in depths)
    unit = standing.deliveries.texts[key].unit
    if unit is Unit.CHAR and all(span.length < ENOUGH for span in spans):
        return
    concerned = [copy for copy in copies if any(span.meet(s) for s in copy.spans for span in spans)]
    later = [copy for copy in concerned if copy.again]
    total = paid = 0.0
    for copy in later:
        share = copy.tokens * length(copy.again) / max(length(copy.spans), 1)
        total += share
        paid += share * copy.requests
    yield Repeat(
        version=key,
        unit=unit,
        spans=spans,
        spans_most=union(span for span, depth in depths if depth == times),
        times=times,
        calls=tuple(copy.first for copy in concerned),
        tool_call_ids=tuple(copy.tool_call_id for copy in concerned),
        standing=sum(length(copy.standing) == length(copy.spans) for copy in later),
        grade=Grade.weakest(*(standing.grade(copy.first) for copy in concerned)),
        tokens=round(total) if counted else None,
        paid_tokens=round(paid) if counted else None,
    )


def _swept(standing: Standing, copies: Sequence[_Copy]) -> Iterator[tuple[Span, int]]:
    """Yield each stretch that several copies hold with their number, and note it in the later ones.

    Costs what is held more than once, not the product of all copies.
    """
    edges = sorted(
        _Edge(place, opens, number)
        for number, copy in enumerate(copies)
        for span in copy.spans
        for place, opens in ((span.start, True), (span.end, False))
    )
    holding: set[int] = set()
    since = 0
    for edge in edges:
        if len(holding) > 1 and edge.place > since:
            span = Span(since, edge.place)
            _note(standing, copies, sorted(holding), span)
            yield span, len(holding)
        since = edge.place
        if edge.opens:
            holding.add(edge.copy)
        else:
            holding.discard(edge.copy)


def _note(standing: Standing, copies: Sequence[_Copy], holding: Sequence[int], span: Span) -> None:
    for place, number in enumerate(holding[1:], 1):
        copy = copies[number]
        copy.again.append(span)
        earlier = (copies[other] for other in holding[:place])
        if any(standing.residency.holds(copy.asked, one.message) for one in earlier):
            copy.standing.append(span)
