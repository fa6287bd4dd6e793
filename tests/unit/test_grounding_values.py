"""Numbers, dates and times are compared as what they say."""

import pytest

from reviewer.audit.grounding_dates import dates, keys_of, support_for, times
from reviewer.audit.grounding_find import Phrases
from reviewer.audit.grounding_numbers import Wanted, numbers
from reviewer.audit.grounding_quantities import quantities
from reviewer.audit.grounding_words import fold, ink


def supported(claim: str, text: str) -> bool:
    """Whether the one number of *claim* stands in *text*."""
    (quantity,) = quantities(fold(claim))
    wanted = Wanted(quantity.readings)
    return any(wanted.supported_by(number) for number in numbers(fold(text)))


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("1,234.50 in all", "total=1234.5"),
        ("12.3k tokens", "12345 tokens"),
        ("3.5 million", "3,512,000 people"),
        ("1.2亿元", "收入为 120000000 元"),
        ("三千五百条", "limit: 3500"),
        ("3500 rows", "三千五百条记录"),
        ("３５００条", "3500"),
        ("两百零五条", "205 records"),
        ("205 records", "two hundred and five records"),
        ("百分之三十", "30% of all"),
        ("30%", "a share of 0.3"),
        ("12%", "0.12"),
        ("1.234,56 EUR", "1234.56"),
        ("1\u202f234\u202f567 rows", "1,234,567"),
        ("12,34,567 rupees", "1234567"),
        ("-40 degrees", "down to -40 °C"),
        ("500 ms", "waits 0.5 s"),
        ("2 hours", "7200 s"),
        ("64 KB", "65536 bytes"),
        ("1.5e6 rows", "1,500,000"),
        ("100000000 of them", "Q-factors of 10^8"),
        ("about 1,200 rows", "1234 rows"),
        ("over 12k rows", "12,900 rows"),
        ("第40条", "第 40 条"),
        ("30秒", "timeout_seconds: 30"),
        ("45 ms", "| 45 | ms |"),
        ("in 2024", "2024-12-01T09:00"),
    ],
)
def test_a_number_stands_where_its_value_does(claim: str, text: str) -> None:
    assert supported(claim, text)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("1,234.56", "1,234.6"),  # the text is less precise than the claim
        ("1,234.50 in all", "1,234.6"),
        ("12.3k tokens", "12,400 tokens"),
        ("250 records", "200 records"),
        ("30 s", "30 ms"),
        ("64 KB", "64 MB"),
        ("+40 degrees", "down to -40 degrees"),
        ("12%", "the version 12.5.1"),
        ("三千五百条", "三千六百条"),
        ("345 rows", "a rate of 0.345"),
    ],
)
def test_a_number_stands_nowhere_near_another(claim: str, text: str) -> None:
    assert not supported(claim, text)


@pytest.mark.parametrize(
    "text", ["two reasons", "There are 3 files", "the 2nd", "version 3D", "十二个", "1. first"]
)
def test_small_counts_and_ordinals_are_no_claims(text: str) -> None:
    assert not list(quantities(fold(text)))


def dated(claim: str, text: str) -> bool:
    """Whether the one date or time of *claim* stands in *text*."""
    claim, text = fold(claim), fold(text)
    (moment,) = [*dates(claim), *times(claim)]
    held = {key for found in [*dates(text), *times(text)] for key in keys_of(found)}
    return any(held.issuperset(keys) for keys in support_for(moment))


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("27 Oct 2026", "2026-10-27T10:00:00+08:00"),
        ("October 27th, 2026", "2026/10/27"),
        ("2026年10月27日", "27.10.2026"),
        ("二〇二六年十月二十七日", "20261027"),
        ("10/11/2026", "10 November 2026"),
        ("10/11/2026", "October 11, 2026"),
        ("October 2026", "2026-10-27"),
        ("10月27日", "2026-10-27"),
        ("2026-10-27", "In 2026年 we met, on 27 October"),
        ("2:30 pm", "14:30"),
        ("14:30", "14:30:05"),
        ("下午3点30分", "15:30"),
        ("02:00 UTC", "10:00+08:00"),
        ("at 02:00 UTC", "02:00"),
    ],
)
def test_a_date_or_time_stands_however_it_is_written(claim: str, text: str) -> None:
    assert dated(claim, text)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("27 Oct 2026", "2026-10-28"),
        ("13/11/2026", "2026-01-13"),
        ("10:00 UTC", "10:00+08:00"),
        ("14:30:06", "14:30"),
        ("October 2026", "2025-10-27"),
    ],
)
def test_another_date_or_moment_is_another(claim: str, text: str) -> None:
    assert not dated(claim, text)


def test_an_amount_in_picomoles_is_no_afternoon() -> None:
    assert not list(times("less than 1 pM"))


def test_ink_leaves_letters_and_digits() -> None:
    assert ink("“Export, is\\n STOPPED…”") == "exportisnstopped"
    assert ink("ＡＢＣ１２ 沙箱、边界") == "abc12沙箱边界"


def test_folding_keeps_every_place() -> None:
    text = "１２３ “a” — ٣ 沙\U0001f600"
    assert len(fold(text)) == len(text)
    assert fold(text).startswith('123 "a" - 3 沙')


def test_phrases_are_found_whatever_their_length() -> None:
    text = "".join(chr(97 + (n * n + n // 7) % 26) for n in range(3000))
    inside = [text[at : at + size] for at in (0, 5, 900) for size in (3, 4, 7, 8, 31, 32, 33, 200)]
    outside = [phrase[:-1] + "#" for phrase in inside]
    found = set(Phrases([*inside, *outside, text[-9:]]).found_in(text))
    assert found == {*inside, text[-9:]}
    assert not set(Phrases(["abc"]).found_in(""))
