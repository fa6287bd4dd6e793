"""The audit's reasons in the reader's language.

An audit gives its reasons in English, as facts that every report writes the
same.  Here the known wordings are recognised and told in the window's
language; one that is not known stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from reviewer.window.i18n import language, tr

__all__ = ["reason_words"]


def reason_words(reason: str) -> str:
    """Return *reason*, translated where its wording is known."""
    if language() == "en":
        return reason
    for pattern, translated in _known(language()).items():
        found = pattern.fullmatch(reason)
        if found:
            # In one pass: evidence that looks like a name in braces is put in as it is.
            held = found.groupdict()
            return re.sub(r"\{(\w+)\}", lambda name: held[name[1]], translated)  # noqa: B023
    return reason


@cache
def _known(_language: str) -> Mapping[re.Pattern[str], str]:
    return {_pattern(english): translated for english, translated in _wordings()}


def _pattern(english: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", english)
    regex = (f"(?P<{part}>.*)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
    return re.compile("".join(regex), re.DOTALL)


def _wordings() -> Iterator[tuple[str, str]]:
    """Yield each wording of `reviewer.audit` with its translation, the longer ones first."""
    yield (
        (
            "last in the request of call {before}, and not in that of call {call}; "
            "version {other} stands there now, version {own} was read"
        ),
        tr(
            "last in the request of call {before}, and not in that of call {call}; "
            "version {other} stands there now, version {own} was read"
        ),
    )
    yield (
        "last in the request of call {before}, and not in that of call {call}",
        tr("last in the request of call {before}, and not in that of call {call}"),
    )
    yield (
        "all of it stands in the request of call {call}",
        tr("all of it stands in the request of call {call}"),
    )
    yield (
        "some of it stands in the request of call {call}",
        tr("some of it stands in the request of call {call}"),
    )
    yield (
        "some of it stands in the request of call {call}; rows came without {fields}",
        tr("some of it stands in the request of call {call}; rows came without {fields}"),
    )
    yield (
        "its known pieces stand in the request of call {call}, its length is unknown",
        tr("its known pieces stand in the request of call {call}, its length is unknown"),
    )
    yield (
        "version {other} stands in the request, never this span of {own}",
        tr("version {other} stands in the request, never this span of {own}"),
    )
    yield (
        "only a preview in a listing covers some of it",
        tr("only a preview in a listing covers some of it"),
    )
    yield (
        "only a preview in a listing covers all of it",
        tr("only a preview in a listing covers all of it"),
    )
    yield (
        "it was asked for ({id}), and no body text of it ever stood in a request",
        tr("it was asked for ({id}), and no body text of it ever stood in a request"),
    )
    yield (
        "it stood in a listing, and no body text of it was given",
        tr("it stood in a listing, and no body text of it was given"),
    )
    yield (
        "other parts of this version were given, never this one",
        tr("other parts of this version were given, never this one"),
    )
    yield (
        "no text of this version was ever given",
        tr("no text of this version was ever given"),
    )
    yield from _without_requests()


def _without_requests() -> Iterator[tuple[str, str]]:
    """Wordings of verdicts for which no request is searched."""
    yield (
        "the stored bytes no longer have the cited hash",
        tr("the stored bytes no longer have the cited hash"),
    )
    yield "no source is named {source}", tr("no source is named {source}")
    yield (
        "no version of {source} has block {block}",
        tr("no version of {source} has block {block}"),
    )
    yield "{source} has no version {version}", tr("{source} has no version {version}")
    yield (
        "the version has {size} {unit}, the citation ends at {end}",
        tr("the version has {size} {unit}, the citation ends at {end}"),
    )
    yield (
        "the quoted words stand elsewhere, at {span}",
        tr("the quoted words stand elsewhere, at {span}"),
    )
    yield (
        "the quoted words are not at the span, and stand in {count} places",
        tr("the quoted words are not at the span, and stand in {count} places"),
    )
    yield (
        "the quoted words stand nowhere in the version, not even under {rule}",
        tr("the quoted words stand nowhere in the version, not even under {rule}"),
    )
    yield (
        "the quotation stands in {count} places and no span is named",
        tr("the quotation stands in {count} places and no span is named"),
    )
    yield (
        "the text of the cited version is not in the evidence",
        tr("the text of the cited version is not in the evidence"),
    )
    yield "the table has no field {fields}", tr("the table has no field {fields}")
