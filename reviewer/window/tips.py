"""Tool tips that show text of unknown origin as it is."""

from __future__ import annotations

from html import escape

__all__ = ["plain_tip"]


def plain_tip(text: str) -> str:
    """Return *text* so that a tool tip shows it as it is: Qt guesses at markup otherwise."""
    return f"<p style='white-space:pre-wrap'>{escape(text)}</p>" if text else ""
