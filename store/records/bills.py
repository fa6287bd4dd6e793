"""What the requests of a run cost in tokens, and what that was paid for.

Estimates count the text of each part under a named encoding and nothing else:
no tool definitions, no overhead of the wire.  ``None`` stands for what was
not counted or not reported, never zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from store.records.grades import Grade
from store.records.kinds import PlaceholderKind
from store.records.runs import Usage
from store.records.sources import VersionKey
from store.records.text import Span, Unit

__all__ = ["Bill", "BillKind", "CallBill", "Change", "PrefixBreak", "Repeat", "Saving"]


class BillKind(StrEnum):
    """What tokens were paid for.

    ``INSTRUCTION`` is what was asked, ``ANSWER`` what the model wrote in
    earlier calls.  ``PLACEHOLDER`` is what stands where a result stood or was
    kept out; a result that was cut when it came is still a ``TOOL_RESULT``.
    ``OTHER`` is text beside what cannot be shown (encrypted, images).
    """

    SYSTEM = "system"
    INSTRUCTION = "instruction"
    DOCUMENT = "document"
    TOOL_RESULT = "tool_result"
    PLACEHOLDER = "placeholder"
    SUMMARY = "summary"
    ANSWER = "answer"
    TOOL_CALL = "tool_call"
    REASONING = "reasoning"
    OTHER = "other"


class Change(StrEnum):
    """What became different between two requests, named after what changed.

    ``MODEL`` and ``TOOLS`` stand before every message.  ``RESULT``: another
    text stands for the result of the same tool call.  ``REPLACED`` is any
    other message that was rewritten; ``INSERTED``, ``REMOVED`` and ``MOVED``
    leave the words as they are.
    """

    MODEL = "model"
    TOOLS = "tools"
    SYSTEM = "system"
    RESULT = "result"
    REPLACED = "replaced"
    INSERTED = "inserted"
    REMOVED = "removed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class PrefixBreak:
    """Text sent before, and sent again behind the first place that had changed.

    ``changes`` are all that changed, in the order of the request: the first
    one broke the prefix.  ``byte`` is the first changed byte of the request's
    text in UTF-8, of ``before_bytes`` that the call before had sent.
    ``message`` and ``part`` are the place in this request, from 0; ``was`` and
    ``now`` the text around the change, shortened to what shows it.
    ``results`` are the tool calls whose results changed, and ``kinds`` how.
    ``resent_tokens`` and ``resent_bytes`` measure what was sent again.
    """

    changes: tuple[Change, ...]
    byte: int
    before_bytes: int
    message: int
    part: int
    role: str
    was: str = field(repr=False)
    now: str = field(repr=False)
    results: tuple[str, ...]
    kinds: tuple[PlaceholderKind, ...]
    resent_tokens: int | None
    resent_bytes: int
    grade: Grade

    @property
    def change(self) -> Change:
        """What broke the prefix."""
        return self.changes[0]


@dataclass(frozen=True, slots=True)
class CallBill:
    """One call: tokens resident in its request, and paid for up to here.

    ``by_kind`` adds up to ``resident``, ``cumulative_by_kind`` to
    ``cumulative``; kinds that never occurred are absent.  ``new`` are tokens
    of messages that no request before held, ``new_reading`` those of them that
    are results and documents.  ``unaccounted`` is what was
    reported beyond the estimate: tool definitions, overhead, what the record
    does not hold, and the difference of tokenizers.  ``holds`` is whether the
    reported tokens can hold the visible text, ``None`` where that cannot be
    asked.  ``opaque_parts`` is content that is no text and is not counted.
    ``continues`` says that the conversation of the call before goes on.
    ``cache_lost`` is what the call before had left in the provider's cache, as
    both report it, and this one did not read from there.
    """

    call: int
    grade: Grade
    resident: int | None
    cumulative: int | None
    by_kind: Mapping[BillKind, int]
    cumulative_by_kind: Mapping[BillKind, int]
    new: int | None
    new_reading: int | None
    usage: Usage
    unaccounted: int | None
    holds: bool | None
    opaque_parts: int
    opaque_bytes: int
    shared_prefix_bytes: int
    continues: bool
    broken: PrefixBreak | None = None
    cache_lost: int | None = None


@dataclass(frozen=True, slots=True)
class Saving:
    """What one result did not cost, since something shorter or nothing stood for it.

    ``calls`` counts the requests without it, ``tokens`` what they would have
    held more.  ``kept_out`` is set where it never stood whole in any request:
    refused, cut or moved to a file as it came.
    """

    tool_call_id: str
    tool: str
    source_id: str
    kind: PlaceholderKind
    grade: Grade
    first_call: int
    calls: int
    original_tokens: int
    stand_in_tokens: int
    tokens: int
    kept_out: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """Text of one version that came more than once.

    ``spans`` (in ``unit``) are what came more than once, ``times`` how often
    the most repeated of it came, ``spans_most`` that.  ``calls`` are the calls
    in whose requests a copy first stood, ``tool_call_ids`` the results that
    brought one, in that order.  ``standing`` counts copies that were asked for
    while all of it stood in the request already.  ``tokens`` is what the
    copies after the first hold, ``paid_tokens`` what they cost over all the
    requests that held them, both shares of the parts by length.
    """

    version: VersionKey
    unit: Unit
    spans: tuple[Span, ...]
    spans_most: tuple[Span, ...]
    times: int
    calls: tuple[int, ...]
    tool_call_ids: tuple[str, ...]
    standing: int
    grade: Grade
    tokens: int | None
    paid_tokens: int | None


@dataclass(frozen=True, slots=True)
class Bill:
    """What a run cost.

    ``encoding`` names the tokenizer of the estimates, empty where nothing was
    counted.  ``unmeasured`` counts results whose saving cannot be told.
    """

    encoding: str = ""
    calls: tuple[CallBill, ...] = ()
    savings: tuple[Saving, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    unmeasured: int = 0

    @property
    def cumulative(self) -> int:
        """The tokens of all requests together; 0 where nothing was counted."""
        return (self.calls[-1].cumulative or 0) if self.calls else 0

    @property
    def new(self) -> int:
        """Those of them that were sent for the first time."""
        return sum(call.new or 0 for call in self.calls)

    @property
    def unproven(self) -> tuple[CallBill, ...]:
        """The calls of which the record cannot say what the request held."""
        return tuple(call for call in self.calls if call.grade is Grade.UNKNOWN)

    @property
    def reported(self) -> tuple[CallBill, ...]:
        """The calls that report input tokens; a reported 0 is none, since no request is empty."""
        return tuple(call for call in self.calls if call.usage.input_tokens)

    @property
    def broken(self) -> tuple[CallBill, ...]:
        """The calls whose request broke the prefix shared with the one before."""
        return tuple(call for call in self.calls if call.broken)

    def saved(self, *, kept_out: bool) -> tuple[Saving, ...]:
        """Return the results that were taken away later, or those *kept_out* from the start."""
        return tuple(one for one in self.savings if one.kept_out is kept_out)
