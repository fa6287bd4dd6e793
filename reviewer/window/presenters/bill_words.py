"""The words of a bill: what tokens were paid for, and what broke a shared prefix."""

from __future__ import annotations

from collections.abc import Mapping

from reviewer.window.i18n import tr
from reviewer.window.presenters.words import placeholder_word
from store.records.bills import BillKind, Change, PrefixBreak

__all__ = ["LETTERS", "change_words", "kind_word"]

LETTERS: Mapping[BillKind, str] = {
    BillKind.SYSTEM: "S",
    BillKind.INSTRUCTION: "I",
    BillKind.DOCUMENT: "D",
    BillKind.TOOL_RESULT: "T",
    BillKind.PLACEHOLDER: "P",
    BillKind.SUMMARY: "U",
    BillKind.ANSWER: "A",
    BillKind.TOOL_CALL: "C",
    BillKind.REASONING: "R",
    BillKind.OTHER: "O",
}
"""What stands in the picture for each kind, in every language; no two share one."""


def kind_word(kind: BillKind) -> str:
    """Return what tokens of a kind were paid for."""
    return {
        BillKind.SYSTEM: tr("system text"),
        BillKind.INSTRUCTION: tr("instructions"),
        BillKind.DOCUMENT: tr("documents"),
        BillKind.TOOL_RESULT: tr("tool results"),
        BillKind.PLACEHOLDER: tr("placeholders"),
        BillKind.SUMMARY: tr("summaries"),
        BillKind.ANSWER: tr("earlier answers"),
        BillKind.TOOL_CALL: tr("tool calls"),
        BillKind.REASONING: tr("thinking"),
        BillKind.OTHER: tr("other text"),
    }[kind]


def change_words(broken: PrefixBreak) -> str:
    """Return which change broke the prefix, and how many more changes there were."""
    words = {
        Change.MODEL: tr("another model"),
        Change.TOOLS: tr("other tools"),
        Change.SYSTEM: tr("the system text changed"),
        Change.RESULT: tr("another text stands for a result"),
        Change.REPLACED: tr("a message was rewritten"),
        Change.INSERTED: tr("a message was put in"),
        Change.REMOVED: tr("a message was taken out"),
        Change.MOVED: tr("a message was moved"),
    }[broken.change]
    if broken.kinds:
        kinds = tr(", ").join(placeholder_word(kind) for kind in broken.kinds)
        words = tr("{what} ({kinds})", what=words, kinds=kinds)
    more = len(broken.changes) - 1
    return tr("{what}, and {n} more", what=words, n=more) if more else words
