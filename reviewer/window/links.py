"""Addresses of places: ``reread:`` links that name a run by what it holds, not by where it lies.

    reread:DIGEST/call/14/message/3/part/0?run=r-1&at=120-180&source=d03&version=ab12
        &span=1200-1345&unit=char&quote=the%20words&tab=source

Positions and words: so that a link can be followed, and checked.  Nothing here
imports Qt or touches the disk.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote as percent
from urllib.parse import unquote

from store.records.sources import VersionKey
from store.records.text import Span, Unit

__all__ = ["SCHEME", "Link", "LinkError", "Quote", "format_link", "is_link", "parse_link"]

SCHEME = "reread:"
_QUOTED = 300
"""Code points of a quote that are written out; of a longer text also its hash is."""
_LONGEST = 100_000
_DIGEST = re.compile("[0-9a-f]{64}")
_NUMBER = re.compile("0|[1-9][0-9]{0,17}")
_STEPS = ("call", "message", "part")
_KEYS = frozenset(
    {"run", "at", "source", "version", "span", "unit", "quote", "sha256", "citation", "tab"}
)


class LinkError(ValueError):
    """A text is no link that can be followed; says why."""


@dataclass(frozen=True, slots=True)
class Quote:
    """The text at the place of a link: its beginning, and its hash where that is not all of it."""

    start: str
    sha256: str = ""

    @classmethod
    def of(cls, text: str) -> Quote:
        """Return the quote of *text*."""
        return cls(text) if len(text) <= _QUOTED else cls(text[:_QUOTED], _hash(text))

    def fits(self, text: str) -> bool:
        """Tell whether *text* is, to its last character, what was quoted."""
        return _hash(text) == self.sha256 if self.sha256 else text == self.start


@dataclass(frozen=True, slots=True)
class Link:
    """A place in a run.

    ``digest`` is that of the run (`store.digest.run_digest`), ``run`` its id.
    ``call`` counts from 1, ``message`` in its request, ``part`` and
    ``citation`` from 0.  ``at`` counts code points of the part; ``span``
    counts in ``unit`` of version ``source``.  ``quote`` is the text at ``span``
    where there is one, else at ``at``.
    """

    digest: str
    run: str = ""
    call: int | None = None
    message: int | None = None
    part: int | None = None
    at: Span | None = None
    source: VersionKey | None = None
    span: Span | None = None
    unit: Unit = Unit.CHAR
    quote: Quote | None = None
    citation: int | None = None
    tab: str = ""


def is_link(text: str) -> bool:
    """Tell whether *text* is meant as a link."""
    return text.strip().startswith(SCHEME)


def format_link(link: Link) -> str:
    """Return *link* as one line of ASCII without spaces."""
    path = link.digest
    for name in _STEPS:
        value: int | None = getattr(link, name)
        if value is None:
            break
        path += f"/{name}/{value}"
    query = "&".join(f"{name}={_encoded(value)}" for name, value in _query(link))
    return f"{SCHEME}{path}{'?' if query else ''}{query}"


def _query(link: Link) -> Iterator[tuple[str, str]]:
    if link.run:
        yield "run", link.run
    if link.at is not None:
        yield "at", _span_text(link.at)
    if link.source is not None:
        yield "source", link.source.source_id
        yield "version", link.source.version_id
    if link.span is not None:
        yield "span", _span_text(link.span)
        yield "unit", link.unit.value
    if link.quote is not None:
        yield "quote", link.quote.start
        if link.quote.sha256:
            yield "sha256", link.quote.sha256
    if link.citation is not None:
        yield "citation", str(link.citation)
    if link.tab:
        yield "tab", link.tab


def parse_link(text: str) -> Link:
    """Return the place that *text* names.  Raises `LinkError` where it names none."""
    text = text.strip()
    if not text.startswith(SCHEME) or len(text) > _LONGEST:
        raise LinkError("this is no reread: address")
    path, _, query = text.removeprefix(SCHEME).partition("?")
    digest, *steps = path.split("/")
    if not _DIGEST.fullmatch(digest):
        raise LinkError("it does not begin with the digest of a run (64 hexadecimal digits)")
    numbers = _numbers(steps)
    words = _words(query)
    source = None
    if "source" in words or "version" in words:
        source = VersionKey(words.get("source", ""), words.get("version", ""))
    if ("span" in words) > (source is not None):
        raise LinkError("it names a span and no source")
    return Link(
        digest=digest,
        run=words.get("run", ""),
        call=numbers.get("call"),
        message=numbers.get("message"),
        part=numbers.get("part"),
        at=_span("at", words),
        source=source,
        span=_span("span", words),
        unit=_unit(words.get("unit", Unit.CHAR.value)),
        quote=_quote(words),
        citation=_number("citation", words["citation"]) if "citation" in words else None,
        tab=words.get("tab", ""),
    )


def _numbers(steps: list[str]) -> Mapping[str, int]:
    """Read ``call/1/message/2/part/0``, of which an end may be missing."""
    names, values = steps[::2], steps[1::2]
    if len(names) != len(values) or tuple(names) != _STEPS[: len(names)]:
        raise LinkError("its path is not call/N/message/N/part/N or the beginning of that")
    return {name: _number(name, value) for name, value in zip(names, values, strict=True)}


def _words(query: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for pair in query.split("&") if query else ():
        name, sign, value = pair.partition("=")
        if not sign or name not in _KEYS:
            raise LinkError(f"{name[:40]!r} is no part of a link")
        if name in found:
            raise LinkError(f"{name} is there twice")
        try:
            found[name] = unquote(value, "utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise LinkError(f"{name} is not encoded as UTF-8") from None
    return found


def _quote(words: Mapping[str, str]) -> Quote | None:
    digest = words.get("sha256", "")
    if digest and not _DIGEST.fullmatch(digest):
        raise LinkError("its sha256 is no hash")
    if "quote" not in words:
        return None
    return Quote(words["quote"], digest)


def _unit(word: str) -> Unit:
    try:
        return Unit(word)
    except ValueError:
        raise LinkError(f"{word[:40]!r} is no unit") from None


def _span(name: str, words: Mapping[str, str]) -> Span | None:
    if name not in words:
        return None
    start, _, end = words[name].partition("-")
    try:
        return Span(_number(name, start), _number(name, end))
    except LinkError:
        raise
    except ValueError:
        raise LinkError(f"{name} ends before it starts") from None


def _number(name: str, word: str) -> int:
    if not _NUMBER.fullmatch(word):
        raise LinkError(f"{word[:40]!r} is no number for {name}")
    return int(word)


def _span_text(span: Span) -> str:
    return f"{span.start}-{span.end}"


def _encoded(text: str) -> str:
    return percent(text, safe="", errors="surrogatepass")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
