"""What the evidence region shows: a card with its steps, lines and ways on."""

from __future__ import annotations

from dataclasses import dataclass

from reviewer.audit.rules import Rule, rules
from reviewer.display import one_line
from reviewer.excerpts import Excerpt
from reviewer.window.i18n import tr, tr_message
from reviewer.window.place import Place
from reviewer.window.presenters.words import grade_meaning, grade_word
from store.records.findings import Finding
from store.records.grades import Grade
from store.records.sources import VersionKey

__all__ = ["Button", "Card", "Line", "Step", "grade_line", "rule_name", "rule_title", "sentence"]


@dataclass(frozen=True, slots=True)
class Line:
    """A statement with its sign and tone (``good``, ``open``, ``bad``, ``muted``)."""

    sign: str
    tone: str
    words: str


@dataclass(frozen=True, slots=True)
class Button:
    """A way to a place."""

    words: str
    place: Place


@dataclass(frozen=True, slots=True)
class Step:
    """One link of the chain: what holds, where, the words themselves, and the way there."""

    id: str
    title: str
    line: Line
    where: str = ""
    excerpt: Excerpt | None = None
    notes: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """Everything about one citation or finding.  ``source`` is the version it speaks of."""

    title: str
    verdict: Line
    meaning: str
    reason: str
    grade: str
    notes: tuple[str, ...]
    steps: tuple[Step, ...]
    buttons: tuple[Button, ...] = ()
    source: VersionKey | None = None


def grade_line(grade: Grade) -> str:
    """Return a grade with what it means."""
    return tr("Grade {grade}: {meaning}", grade=grade_word(grade), meaning=grade_meaning(grade))


def sentence(words: str) -> str:
    """Return *words* on one line, with a capital and an end."""
    words = one_line(words)
    first = words.split(" ", 1)[0]
    if first.isascii() and first.isalpha() and first.islower():  # a path or id stays as it is
        words = first.capitalize() + words[len(first) :]
    if words.endswith((".", "。")):
        return words
    ends_in_chinese = bool(words) and words[-1] >= "\u2e80"
    return words + ("。" if ends_in_chinese else ".")


def rule_title(finding: Finding) -> str:
    """Return the rule of a finding: its id and its name."""
    rule = next((rule for rule in rules() if rule.id == finding.rule), None)
    return f"{finding.rule} {rule_name(rule)}" if rule else finding.rule


def rule_name(rule: Rule) -> str:
    """Return the name of a rule, in words of the reader's language where it has some."""
    return tr_message(rule.name)
