"""Results that a budget kept out, and whether the answer says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum, auto
from typing import NamedTuple

from reviewer.audit.intervals import length, subtract
from reviewer.audit.rules._example import Story
from reviewer.audit.view import AuditView
from store.records.findings import Outcome, ReadFacts, State
from store.records.grades import Grade
from store.records.runs import Admission, Answer, Run
from store.records.sources import Selection
from store.records.text import Unit

__all__ = ["Refusal", "Said", "described", "refusals", "refused"]


class Said(Enum):
    """Whether the answers after a refusal tell of it."""

    NO_ANSWER = auto()
    OTHER_LANGUAGE = auto()
    MAYBE = auto()
    NOT = auto()


class Given(Enum):
    """How much of what was refused the model was given all the same."""

    NOTHING = auto()
    SOME = auto()
    ALL = auto()


class Refusal(NamedTuple):
    """A result that was not admitted and of which not all was given otherwise.

    ``sources`` are what it would have held.  ``in_part`` says that some of
    that was given by another read.  ``word`` is the word of an answer that
    may tell of it.
    """

    admission: Admission
    call: int | None
    grade: Grade
    sources: tuple[str, ...]
    in_part: bool
    said: Said
    word: str


def refusals(view: AuditView) -> Iterator[Refusal]:
    """Yield every refusal that was not made good in full."""
    calls = {call.id: call.by_call for call in view.run.tool_calls}
    for admission in view.run.admissions:
        if admission.admitted:
            continue
        id_ = admission.tool_call_id
        asked = calls.get(id_)
        call = view.requests.arrival(id_) or (asked + 1 if asked is not None else None)
        known = call is not None and call <= len(view.run.calls)
        reads = [read for read in view.reads if read.tool_call_id == id_]
        given = [_given(view, read, call) for read in reads]
        if given and all(each is Given.ALL for each in given):
            continue
        said, word = _said(view, call)
        yield Refusal(
            admission,
            call if known else None,
            view.run.calls[call - 1].grade if call and known else view.run.grade,
            tuple(dict.fromkeys(read.selection.source_id for read in reads)),
            any(each is not Given.NOTHING for each in given),
            said,
            word,
        )


def _given(view: AuditView, refused: ReadFacts, call: int | None) -> Given:
    """Return how much of what was refused stood in the request of the answer, or came later."""
    chosen = refused.selection
    later = [
        read
        for read in view.reads
        if read.selection.source_id == chosen.source_id
        and read.tool_call_id != refused.tool_call_id
        and read.outcome in {Outcome.DELIVERED, Outcome.TRUNCATED}
        and read.call is not None
        and (call is None or read.call >= call)
    ]
    if any(read.selection == chosen and read.outcome is Outcome.DELIVERED for read in later):
        return Given.ALL
    if chosen.unit is not Unit.CHAR or not chosen.ranges:
        stands = _stands_whole(view, chosen)
        return Given.ALL if stands else Given.SOME if later else Given.NOTHING
    held = [*view.requests.delivered(chosen.key, view.requests.closing_call)]
    same = (r.selection for r in later if r.selection.key == chosen.key)
    held += (span for each in same if each.unit is Unit.CHAR for span in each.ranges)
    missing = subtract(chosen.ranges, held)
    if not missing or _stands_whole(view, chosen):
        return Given.ALL
    return Given.SOME if length(missing) < length(chosen.ranges) else Given.NOTHING


def _stands_whole(view: AuditView, chosen: Selection) -> bool:
    """Whether the version that was asked for stood whole in the request of the answer."""
    return any(
        facts.state_at_answer is State.FULL
        and chosen.version_id in {"", facts.version.key.version_id}
        for source in view.sources
        if source.source_id == chosen.source_id
        for facts in source.versions
    )


# -- what the answer says ------------------------------------------------------------------

_ENGLISH = re.compile(
    r"\b(budgets?|limits?|limited|too (?:long|large|big|many)|exceed\w*|refus\w+|reject\w+|denied|"
    r"truncat\w+|cut (?:off|short)|unable|unread|unavailable|inaccessible|omit\w*|skipp?\w+|"
    r"left out|incomplete|partial\w*|fail\w*|without (?:reading|seeing|access)|"
    r"(?:could|can|did|does|do|was|were|is|has|have|had|would)(?: not|n['\u2019]t)|cannot|not)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    "预算|上限|限制|受限|超出|超过|超限|过长|过大|太长|太大|太多|拒绝|未能|无法|不能|没能|没有|"
    "未读|未获|未加载|没读|不可用|截断|省略|跳过|略过|不完整|部分|失败|放不下"
)
_ENGLISH_SIGNS = re.compile(r"\b(?:the|is|are|of|and|to|in|a|for|with|that)\b", re.IGNORECASE)
_HAN = re.compile("[\u4e00-\u9fff]")
_OTHER_SCRIPTS = re.compile("[\u3040-\u30ff\uac00-\ud7af\u0400-\u04ff\u0600-\u06ff\u0590-\u05ff]")
_ENOUGH_SIGNS = 3


def _said(view: AuditView, call: int | None) -> tuple[Said, str]:
    """Return what the answers from *call* on say.

    Any word that may tell of a refusal counts as telling: only a clear
    silence is held against an answer, and only in a language whose words are
    known here.
    """
    answers = [answer for answer in view.run.answers if call is None or answer.call >= call]
    if not answers:
        return Said.NO_ANSWER, ""
    for answer in answers:
        word = _ENGLISH.search(answer.text) or _CHINESE.search(answer.text)
        if word:
            return Said.MAYBE, word[0]
    readable = all(_is_readable(answer) for answer in answers)
    return (Said.NOT if readable else Said.OTHER_LANGUAGE), ""


def _is_readable(answer: Answer) -> bool:
    """Whether an answer is in English or Chinese, as far as its letters and small words tell."""
    if _OTHER_SCRIPTS.search(answer.text):
        return False
    signs = len(_ENGLISH_SIGNS.findall(answer.text))
    return bool(_HAN.search(answer.text)) or signs >= _ENOUGH_SIGNS


# -- words and examples --------------------------------------------------------------------


def described(refusal: Refusal) -> str:
    """Return what was refused, and by which limit, without a verdict."""
    admission = refusal.admission
    what = ", ".join(refusal.sources) or f"tool call {admission.tool_call_id}"
    size = f"{admission.result_tokens} tokens" if admission.result_tokens is not None else ""
    limit = f"the limit is {admission.limit}" if admission.limit is not None else ""
    why = "; ".join(part for part in (size, limit, admission.reason) if part)
    return f"{what} ({why})" if why else what


def refused(text: str, *, made_good: bool = False) -> Run:
    """Return a run for an example: a read that was refused, and an answer that says *text*."""
    story = Story()
    story.document("notice")
    story.read("notice", shown="refused")
    if made_good:
        story.read("notice", id="read-2")
    run = story.answer(text=text)
    refusal = Admission("read-1", admitted=False, result_tokens=900, limit=500, reason="budget")
    return replace(run, admissions=(refusal,))
