"""A link comes back as it was written, whatever stands in it, and nothing else passes for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.window.links import Link, LinkError, Quote, format_link, is_link, parse_link
from store.records.sources import VersionKey
from store.records.text import Span, Unit

DIGEST = "ab" * 32
HOSTILE = st.text(max_size=30) | st.text(
    st.sampled_from("\ud83d\ude00\udfff\0\n\r \t&=?#/%+;:\"'<>甲\u202e😀"), max_size=30
)
SPANS = st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)).map(
    lambda pair: Span(min(pair), max(pair))
)
STEPS = st.lists(st.integers(0, 10**9), max_size=3)


@st.composite
def links(draw: st.DrawFn) -> Link:
    steps = draw(STEPS)
    source = draw(st.none() | st.builds(VersionKey, HOSTILE, HOSTILE))
    span = draw(st.none() | SPANS) if source else None
    return Link(
        digest=draw(st.text("0123456789abcdef", min_size=64, max_size=64)),
        run=draw(HOSTILE),
        call=steps[0] if steps else None,
        message=steps[1] if len(steps) > 1 else None,
        part=steps[2] if len(steps) > 2 else None,
        at=draw(st.none() | SPANS),
        source=source,
        span=span,
        unit=draw(st.sampled_from(Unit)) if span else Unit.CHAR,
        quote=draw(st.none() | st.text(max_size=700).map(Quote.of) | HOSTILE.map(Quote.of)),
        citation=draw(st.none() | st.integers(0, 999)),
        tab=draw(HOSTILE),
    )


@given(links())
def test_a_link_comes_back_as_it_was_written(link: Link) -> None:
    text = format_link(link)
    assert parse_link(text) == link
    assert parse_link(f"  {text}\n") == link


@given(links())
def test_a_link_is_one_line_of_plain_characters(link: Link) -> None:
    text = format_link(link)
    assert text.isascii()
    assert text.isprintable()
    assert " " not in text
    assert is_link(text)


@given(HOSTILE, HOSTILE)
def test_a_quote_fits_the_same_text_and_no_other(text: str, other: str) -> None:
    long = text * 40
    assert Quote.of(text).fits(text)
    assert Quote.of(long).fits(long)
    assert Quote.of(text).fits(other) == (text == other)
    assert not Quote.of(long + "x" * 400).fits(long + "x" * 399 + "y")


@given(st.text(max_size=80) | HOSTILE.map(lambda text: f"reread:{DIGEST}{text}"))
def test_whatever_is_pasted_is_a_link_or_is_refused_with_a_reason(text: str) -> None:
    try:
        link = parse_link(text)
    except LinkError:
        return
    assert parse_link(format_link(link)) == link


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("https://example.org", "no reread: address"),
        ("reread:abc", "digest"),
        (f"reread:{DIGEST}/call", "path"),
        (f"reread:{DIGEST}/message/3", "path"),
        (f"reread:{DIGEST}/call/-1", "no number"),
        (f"reread:{DIGEST}/call/١", "no number"),
        (f"reread:{DIGEST}?source=a&span=9-3", "ends before"),
        (f"reread:{DIGEST}?span=3-9", "no source"),
        (f"reread:{DIGEST}?source=a&source=b", "twice"),
        (f"reread:{DIGEST}?file=%2Fetc", "no part of a link"),
        (f"reread:{DIGEST}?run=%FF", "UTF-8"),
        (f"reread:{DIGEST}?source=a&span=1-2&unit=word", "no unit"),
        (f"reread:{DIGEST}?quote=a&sha256=zz", "no hash"),
    ],
)
def test_what_is_wrong_with_a_link_is_said(text: str, why: str) -> None:
    with pytest.raises(LinkError, match=why):
        parse_link(text)
