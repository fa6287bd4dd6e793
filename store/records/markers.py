"""Words that stand where a tool's result stood, or at the place where it was cut.

A marker alone never proves that anything was cleared: a document may quote
it, and a person may ask about it.  It counts only as the whole payload of a
result, or at its head or end as the table says, and only beside a record of
the edit or a stored result of the same tool call that reads otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["MARKERS", "Marker", "marker_of"]

_WINDOW: Final = 4096
"""How much of either end of a payload is looked at: no marker's fixed words are longer."""


@dataclass(frozen=True, slots=True)
class Marker:
    """One known wording.

    ``kind`` is what it stands for.  ``place`` is whose payload it may be: a
    tool's result, a message of the user's side, or one in the assistant's
    name that no model wrote.  ``at`` says whether it is the whole payload,
    its head or its end; ``pattern`` is anchored accordingly.
    """

    id: str
    kind: Literal["cleared", "persisted", "truncated", "refused", "compacted", "failed"]
    place: Literal["tool", "user", "assistant"]
    at: Literal["whole", "head", "end"]
    pattern: re.Pattern[str]


def _whole(regex: str) -> re.Pattern[str]:
    return re.compile(rf"\s*+(?:{regex})\s*+\Z")


def _head(regex: str) -> re.Pattern[str]:
    return re.compile(rf"\s*+(?:{regex})")


def _end(regex: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{regex})\s*\Z")


_SIZE = r"[0-9.]{1,12} ?[KMG]?B"

MARKERS: Final[tuple[Marker, ...]] = (
    # Claude Code
    Marker(
        "cc.cleared", "cleared", "tool", "whole", _whole(r"\[Old tool result content cleared\]")
    ),
    Marker(
        "cc.persisted",
        "persisted",
        "tool",
        "head",
        _head(rf"<persisted-output>\s*Output too large \({_SIZE}\)\. Full output saved to: \S"),
    ),
    Marker(
        "cc.persisted_later",
        "cleared",
        "tool",
        "whole",
        _whole(
            r"<persisted-output>\s*Tool result saved to: [^\n]+\s+Use Read to view\s*"
            r"</persisted-output>"
        ),
    ),
    Marker("cc.unchanged", "cleared", "tool", "head", _head(r"File unchanged since last read")),
    Marker(
        "cc.refused",
        "refused",
        "tool",
        "head",
        _head(
            rf"File content \((?:[0-9,]{{1,12}} tokens|{_SIZE})\)"
            r" exceeds maximum allowed (?:tokens|size)"
        ),
    ),
    Marker(
        "cc.error", "failed", "tool", "whole", _whole(r"<tool_use_error>[^<]*</tool_use_error>")
    ),
    Marker(
        "cc.partial", "truncated", "tool", "end", _end(r"\[Truncated: PARTIAL view[^\]\n]{0,400}\]")
    ),
    Marker(
        "cc.results_cut",
        "truncated",
        "tool",
        "end",
        _end(r"\(Results are truncated\. Consider using a more specific path or pattern\.\)"),
    ),
    Marker(
        "cc.summary",
        "compacted",
        "user",
        "head",
        _head(
            r"This session is being continued from a previous conversation that ran out of context"
        ),
    ),
    # LangChain
    Marker("lc.cleared", "cleared", "tool", "whole", _whole(r"\[cleared\]")),
    Marker(
        "lc.summary",
        "compacted",
        "user",
        "head",
        _head(r"Here is a summary of the conversation to date:\n\n"),
    ),
    Marker(
        "lc.tool_limit",
        "refused",
        "tool",
        "whole",
        _whole(
            r"Tool call limit exceeded\. "
            r"(?:Do not call '[^']+' again|Do not make additional tool calls)\."
        ),
    ),
    Marker(
        "lc.tool_limit_end",
        "refused",
        "assistant",
        "whole",
        _whole(r"(?:'[^'\n]+' tool|Tool) call limit reached: (?:thread|run) limit exceeded[^\n]*"),
    ),
    Marker(
        "lc.model_limit",
        "refused",
        "assistant",
        "whole",
        _whole(r"Model call limits? exceeded: [^\n]*"),
    ),
    Marker(
        "lc.model_retry",
        "failed",
        "assistant",
        "head",
        _head(r"Model call failed after [0-9]+ attempts? with \w+: "),
    ),
    Marker(
        "lc.tool_retry",
        "failed",
        "tool",
        "head",
        _head(r"Tool '[^'\n]+' failed after [0-9]+ attempts? with \w+: "),
    ),
    Marker(
        "lg.no_tool",
        "failed",
        "tool",
        "head",
        _head(r"Error: [^\n]{1,200} is not a valid tool, try one of \["),
    ),
    Marker(
        "lc.rejected",
        "refused",
        "tool",
        "head",
        _head(r"User rejected the tool call for `[^`\n]+` with "),
    ),
    Marker(
        "lc.shell_cut",
        "truncated",
        "tool",
        "end",
        _end(r"\.\.\. Output truncated at [0-9]+ (?:lines|bytes) \(observed [0-9]+\)\."),
    ),
    # deepagents
    Marker(
        "da.evicted",
        "persisted",
        "tool",
        "head",
        _head(
            r"Tool result too large, the result of this tool call [^\n]*? was saved in the"
            r" filesystem at this path: [^\n]+"
        ),
    ),
    Marker(
        "da.evicted_message",
        "persisted",
        "user",
        "head",
        _head(r"Message content too large and was saved to the filesystem at: [^\n]+"),
    ),
    Marker(
        "da.summary",
        "compacted",
        "user",
        "head",
        _head(r"You are in the middle of a conversation that has been summarized\.\n"),
    ),
    Marker(
        "da.dangling",
        "failed",
        "tool",
        "whole",
        _whole(
            r"Tool call [^\n]{1,200} with id \S+ (?:did not complete - no result was recorded"
            r"|could not be executed - arguments were malformed or truncated)\.[^\n]*"
        ),
    ),
    Marker(
        "da.results_cut",
        "truncated",
        "tool",
        "end",
        _end(r"\.\.\. \[results truncated, try being more specific with your parameters\]['\"\]]*"),
    ),
    Marker(
        "da.output_cut",
        "truncated",
        "tool",
        "end",
        _end(
            r"\[Output was truncated due to (?:context window )?size limits"
            r"[^\]]{0,600}\]"
        ),
    ),
    # Other agents that share the idea
    Marker(
        "swe.old",
        "cleared",
        "tool",
        "whole",
        _whole(r"Old environment output: \([0-9]+ lines omitted\)(?: \([0-9]+ images omitted\))?"),
    ),
    Marker("inspect.removed", "cleared", "tool", "whole", _whole(r"\(Tool result removed\)")),
    Marker("oh.masked", "cleared", "tool", "whole", _whole(r"<MASKED>")),
    Marker(
        "haystack.cleared",
        "cleared",
        "tool",
        "whole",
        _whole(r"\[Tool result removed to free up context\.[^\]]{0,400}\]"),
    ),
    Marker("gemini.masked", "persisted", "tool", "head", _head(r"<tool_output_masked>\n")),
    Marker(
        "cline.removed",
        "cleared",
        "tool",
        "whole",
        _whole(
            r"\[\[NOTE\] This file read has been removed to save space in the context window\."
            r"[^\]]{0,400}\]"
        ),
    ),
)
"""Every wording that is known, most specific first within a product."""


def marker_of(payload: str) -> Marker | None:
    """Return the marker that *payload*, one part's own text, is or begins or ends with.

    Words inside of it never count.  See the module: a marker is no proof.
    """
    start, end = payload[:_WINDOW], payload[-_WINDOW:]
    for marker in MARKERS:
        if marker.at == "end":
            found = marker.pattern.search(end)
        elif marker.at == "head" or len(payload) <= _WINDOW:
            found = marker.pattern.match(start)
        else:
            found = None
        if found is not None:
            return marker
    return None
