"""Results that a budget kept out, and whether the answer says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum, auto
from typing import NamedTuple

from reviewer.audit.rules._example import Story
from reviewer.audit.view import AuditView
from store.records.findings import Outcome
from store.records.grades import Grade
from store.records.runs import Admission, Answer, Run

__all__ = ["Refusal", "Said", "described", "refusals", "refused"]


class Said(Enum):
    """Whether the answers after a refusal tell of it."""

    NO_ANSWER = auto()
    OTHER_LANGUAGE = auto()
    MAYBE = auto()
    NOT = auto()


class Refusal(NamedTuple):
    """A result that was not admitted and of which not all came later.

    ``sources`` are what it would have held.  ``came_later`` says that some of
    that came afterwards.  ``word`` is the word of an answer that may tell of it.
    """

    admission: Admission
    call: int | None
    grade: Grade
    sources: tuple[str, ...]
    came_later: bool
    said: Said
    word: str


def refusals(view: AuditView) -> Iterator[Refusal]:
    """Yield every refusal that a later read did not make good in full."""
    calls = {call.id: call.by_call for call in view.run.tool_calls}
    for admission in view.run.admissions:
        if admission.admitted:
            continue
        id_ = admission.tool_call_id
        asked = calls.get(id_)
        call = view.requests.arrival(id_) or (asked + 1 if asked is not None else None)
        known = call is not None and call <= len(view.run.calls)
        sources = tuple(
            dict.fromkeys(r.selection.source_id for r in view.reads if r.tool_call_id == id_)
        )
        later = _later(view, id_, call, sources)
        if sources and all(later.get(source) for source in sources):
            continue
        said, word = _said(view, call)
        yield Refusal(
            admission,
            call if known else None,
            view.run.calls[call - 1].grade if call and known else view.run.grade,
            sources,
            bool(later),
            said,
            word,
        )


def _later(
    view: AuditView, id_: str, call: int | None, sources: tuple[str, ...]
) -> dict[str, bool]:
    """Return the sources of which text came in a later read, and whether all that was asked."""
    wanted = {r.selection.key: r.selection for r in view.reads if r.tool_call_id == id_}
    found: dict[str, bool] = {}
    for read in view.reads:
        source = read.selection.source_id
        after = read.call is not None and (call is None or read.call >= call)
        gave = read.outcome in {Outcome.DELIVERED, Outcome.TRUNCATED}
        if source in sources and read.tool_call_id != id_ and after and gave:
            same = wanted.get(read.selection.key) == read.selection
            found[source] = found.get(source, False) or (same and read.outcome is Outcome.DELIVERED)
    return found


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
