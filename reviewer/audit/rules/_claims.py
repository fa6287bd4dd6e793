"""Sentences of an answer that speak of the whole of something.

The words are those that people and models use for having read all of a text,
or for what does not stand anywhere in it, in English and Chinese.  A sentence
that limits itself ("only the first part", "I did not read") claims nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Claim", "claims"]

_SENTENCE = re.compile(r"[^.!?。！？；\n]+(?:[.!?](?!\s|$)[^.!?。！？；\n]*)*[.!?。！？；]?")
"""A stop within a name, such as that of ``notes.md``, ends no sentence."""

_THINGS = (
    r"(?:file|document|report|contract|agreement|log|text|table|data ?set|page|article|paper|"
    r"manual|guide|spec(?:ification)?|transcript|spreadsheet|policy|notice|record)s?"
)
_READ = (
    r"(?:read(?:ing)?|(?:review|examin|analy[sz]|check|inspect|study|scan+)(?:ed|ing)|studied|"
    r"(?:gone|went|looked|going|looking) through)"
)
_ALL = (
    r"(?:the (?:whole|entire|complete|full)|all (?:of )?(?:the |these |those |your )?|every|"
    r"in full|in (?:its|their) entirety|cover to cover|completely|entirely|thoroughly|"
    r"from (?:start|beginning) to (?:end|finish))"
)
_WHOLE = re.compile(
    rf"\b{_READ}\b[^\n]{{0,80}}?\b{_ALL}\b"
    rf"|\b(?:thoroughly|completely|fully|carefully) {_READ}\b"
    rf"|\b(?:complete|full|thorough|exhaustive|comprehensive) "
    rf"(?:review|reading|read|analysis|examination|summary|understanding|picture|view) "
    rf"(?:of|against)\b"
    rf"|\bhas been (?:completely|fully|entirely) {_READ}\b",
    re.IGNORECASE,
)
_WHOLE_THING = re.compile(rf"\bthe (?:whole|entire|complete|full) {_THINGS}\b", re.IGNORECASE)
_MADE_OR_SHOWN = re.compile(
    r"\b(?:writ|wrote|creat|generat|sav|provid|produc|updat|replac|delet|mov|renam|format)\w*|"
    r"\bhere(?:'s| is| are)\b|\b(?:available|attached|below|above|located|linked|shown|found at)\b",
    re.IGNORECASE,
)
"""A whole that the answer speaks of, and not of having read it."""
_ABSENT = re.compile(
    rf"\bnowhere in (?:the|this|that|your)\b"
    rf"|\b(?:the|this|that|your) (?:[\w-]+ )?{_THINGS} (?:does not|doesn't|do not|don't|never) "
    rf"(?:mention|contain|include|state|say|specify|define|address|describe|cover|refer)",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"\b(?:not|n't|never|only|partial(?:ly)?|part of|some of|remaining|rest of|without|unable|"
    r"could|would|should|will|can|cannot|to|if|before|please|first \d+|see|available)\b"
    r"[^\n]{0,60}?(?:read|review|examin|analy|check|inspect|study|scan|through|whole|entire|"
    r"complete|full|thorough)|n't (?:read|review|see)|\bpartial|\bonly\b",
    re.IGNORECASE,
)
_WHOLE_ZH = re.compile(
    r"通读|从头到尾|全文|通篇|逐(?:条|行|页|字|段)|(?:整|全)(?:份|篇|本|部|张|个)(?:\w{0,4})?"
    r"(?:文件|文档|合同|报告|日志|表格?|记录|材料)|(?:完整|全部|全面|仔细)(?:地)?"
    r"(?:阅读|读完|读过|看完|查看|审阅|审查|核对|分析|浏览)|(?:都|全)(?:已经?)?(?:读|看)(?:完|过)|"
    r"所有(?:\w{0,4})?(?:文件|文档|合同|报告|日志|条款|记录|材料)"
)
_ABSENT_ZH = re.compile(
    r"(?:全文|通篇|整份\w{0,4}|整篇\w{0,4}|(?:文件|文档|合同|报告|日志|表)(?:里|中|内)?)"
    r"(?:都|均|并)?(?:没有|未|无)(?:提到|提及|出现|写明|说明|规定|包含|涉及|任何)"
)
_LIMITED_ZH = re.compile(
    r"(?:没有|未能|并未|没能|无法|尚未|没)(?:\w{0,6})?(?:读|看|查|审|阅)|只(?:读|看|查)|仅(?:读|看|查)|"
    r"部分|其余|剩余|需要|请|应当|可以|如果"
)
_MANY = re.compile(
    r"\b(?:all|every|each|both|these|those|documents|files|specs|specifications|reports|sources)\b"
    r"|所有|全部|各(?:份|个)|这些|每(?:份|个)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that speaks of a whole; ``many`` says that it may speak of several things."""

    text: str
    many: bool


def claims(answer: str) -> Iterator[Claim]:
    """Yield the sentences of *answer* that claim to speak of the whole of something."""
    for found in _SENTENCE.finditer(answer):
        sentence = found[0].strip()
        if _claims(sentence):
            yield Claim(sentence, _MANY.search(sentence) is not None)


def _claims(sentence: str) -> bool:
    if sentence.endswith(("?", "？")):
        return False
    if _ABSENT.search(sentence) or _ABSENT_ZH.search(sentence):
        return True
    thing = _WHOLE_THING.search(sentence) and not _MADE_OR_SHOWN.search(sentence)
    whole = (_WHOLE.search(sentence) or thing) and not _LIMITED.search(sentence)
    return bool(whole or (_WHOLE_ZH.search(sentence) and not _LIMITED_ZH.search(sentence)))
