"""What Codex keeps of a tool's output when it takes it into the history it sends.

The rollout holds the output before that.  The rule is the client's (openai/codex,
``codex-rs/core/src/context_manager/history.rs`` and ``utils/output-truncation``):
the recorded limit and a fifth more, counted in bytes or in tokens of four bytes;
half of it from the start and half from the end, at the borders of characters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Policy", "cut_items", "cut_text", "policy_of", "stored_as_sent", "unrecorded"]

_BYTES_PER_TOKEN = 4
_ALLOWANCE = 1.2
_CUT_IN_MEMORY = (0, 52)
"""From this version on the history is cut in memory, and what is stored is longer."""
_SMALLEST = 12_000
"""No limit that the client ever had cuts an output of so many bytes."""
_SURE = 10_000
"""Every limit that the client ever had keeps so many bytes, half at either end."""
_VERSION = re.compile(r"\A(\d{1,4})\.(\d{1,4})\.")


@dataclass(frozen=True, slots=True)
class Policy:
    """A limit as the client recorded it: ``tokens`` or ``bytes``, before its allowance."""

    mode: str
    limit: int

    @property
    def words(self) -> str:
        """The limit in words."""
        return f"{self.limit:,} {self.mode}"


def policy_of(value: object) -> Policy | None:
    """Return the recorded policy, or ``None`` where there is none that can be applied."""
    if not isinstance(value, Mapping):
        return None
    mode, limit = value.get("mode"), value.get("limit")
    if mode not in {"tokens", "bytes"} or not isinstance(limit, int) or isinstance(limit, bool):
        return None
    return Policy(str(mode), limit) if 0 < limit < 1 << 40 else None


def stored_as_sent(version: str) -> bool:
    """Return whether a client of *version* stored outputs as it sent them.

    The oldest rollouts name no version; their client cut before it stored.
    """
    found = _VERSION.match(version)
    return found is None or (int(found[1]), int(found[2])) < _CUT_IN_MEMORY


def cut_text(text: str, policy: Policy) -> str:
    """Return what is left of *text*; the same text where nothing is cut."""
    return _cut(text, math.ceil(policy.limit * _ALLOWANCE), tokens=policy.mode == "tokens")


def unrecorded(text: str) -> str:
    """Return what every limit the client had keeps of *text*, where none is recorded."""
    size = len(text.encode("utf-8", "surrogatepass"))
    return _cut(text, _SURE, tokens=False) if size > _SMALLEST else text


def cut_items(texts: Sequence[str], policy: Policy) -> list[str]:
    """Return what is left of an output that is a list of texts: one limit for all of them."""
    tokens = policy.mode == "tokens"
    left = math.ceil(policy.limit * _ALLOWANCE)
    kept: list[str] = []
    omitted = 0
    for text in texts:
        size = len(text.encode("utf-8", "surrogatepass"))
        cost = -(-size // _BYTES_PER_TOKEN) if tokens else size
        if left == 0:
            omitted += 1
        elif cost <= left:
            kept.append(text)
            left -= cost
        else:
            kept.append(_cut(text, left, tokens=tokens))
            left = 0
    if omitted:
        kept.append(f"[omitted {omitted} text items ...]")
    return kept


def _cut(text: str, budget: int, *, tokens: bool) -> str:
    data = text.encode("utf-8", "surrogatepass")
    limit = budget * _BYTES_PER_TOKEN if tokens else budget
    if len(data) <= limit:
        return text
    head = data[: _border(data, limit // 2, step=-1)]
    start = max(len(head), _border(data, len(data) - (limit - limit // 2), step=1))
    left, right = (piece.decode("utf-8", "surrogatepass") for piece in (head, data[start:]))
    removed = (
        -(-(len(data) - limit) // _BYTES_PER_TOKEN)
        if tokens
        else len(text) - len(left) - len(right)
    )
    return f"{left}…{removed} {'tokens' if tokens else 'chars'} truncated…{right}"


def _border(data: bytes, place: int, *, step: int) -> int:
    """Return the next border of a character from *place* on, in the direction of *step*."""
    while 0 < place < len(data) and data[place] & 0xC0 == 0x80:  # noqa: PLR2004 - a byte inside one
        place += step
    return place
