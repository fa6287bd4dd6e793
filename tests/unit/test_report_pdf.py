"""The paper: every word comes back out of it, in the fonts it holds, and nothing runs."""

import re
import unicodedata
from dataclasses import replace

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.audit.engine import audit
from reviewer.reports import Meta, reports
from reviewer.reports._fonts import BOLD, REGULAR, make
from reviewer.reports._lines import Ink, Letters, Measure, alphabet, broken
from reviewer.services.sample import write_sample
from store.opening import open_paths
from store.records.findings import Audit, Evidence, Severity
from store.records.runs import Run
from store.records.text import Span
from tests.made import HOSTILE, lost, made_audit, made_citation, made_finding, made_run


def _paper(*audits: Audit) -> bytes:
    return b"".join(
        chunk
        for chunk in reports()["pdf"].chunks(audits, [lost(HOSTILE)], Meta("1"))
        if isinstance(chunk, bytes)
    )


def _pages(data: bytes) -> list[str]:
    """Return the text of each page as a reader's program gives it, without white space."""
    texts = [page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(data)]
    return [re.sub(r"\s+|\ufffe", "", text) for text in texts]


def _words(data: bytes) -> str:
    return "".join(_pages(data))


def _solid(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> list[Audit]:
    folder = tmp_path_factory.mktemp("sample")
    paths = [str(path) for path in write_sample(folder)]
    return [audit(run) for run in open_paths(paths) if isinstance(run, Run)]


@pytest.fixture(scope="module")
def paper(sample: list[Audit]) -> bytes:
    return _paper(*sample)


def test_every_citation_and_finding_can_be_copied_from_the_paper(
    sample: list[Audit], paper: bytes
) -> None:
    found = _words(paper)
    for each in sample:
        for cited in each.citations:
            assert _solid(cited.reason) in found
        for finding in each.findings:
            assert _solid(finding.message) in found
        for source in each.sources:
            for version in source.versions:
                assert version.version.sha256 in found


def test_each_run_finding_list_and_source_list_has_a_bookmark(
    sample: list[Audit], paper: bytes
) -> None:
    titles = [mark.get_title() for mark in pypdfium2.PdfDocument(paper).get_toc()]
    for each in sample:
        assert each.run.title in titles
        assert f"Findings ({len(each.findings)})" in titles
        assert f"Citations ({len(each.citations)})" in titles


def test_every_font_is_embedded(paper: bytes) -> None:
    fonts = re.findall(rb"/BaseFont /(\S+)", paper)
    assert fonts
    assert {name.split(b"+")[-1] for name in fonts} == {b"Reread", b"RereadBold"}
    assert paper.count(b"/FontFile2") == len(re.findall(rb"/Type /FontDescriptor", paper))


def test_a_citation_leads_to_its_source_and_back(sample: list[Audit], paper: bytes) -> None:
    cited = sum(len(each.citations) for each in sample)
    assert paper.count(b"/Subtype /Link") > 2 * cited
    assert paper.count(b"/URI") == 0


def test_the_answer_leads_to_each_citation_and_each_citation_back(
    sample: list[Audit], paper: bytes
) -> None:
    found = _words(paper)
    for each in sample:
        for cited in each.citations:
            assert f"{cited.index}]" in found
    assert found.count("intheanswer") >= sum(len(each.citations) for each in sample)


def test_a_part_that_cannot_be_made_is_replaced_by_the_reason(
    sample: list[Audit], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OSError("no ink left")

    monkeypatch.setattr("reviewer.reports._paper_sources.residency_map", broken)
    found = _words(_paper(sample[0]))
    assert found.count("Thispartcouldnotbemade:") == 2
    assert "noinkleft" in found
    assert _solid(sample[0].findings[0].message) in found


def test_the_paper_says_what_it_was_made_with_and_what_was_not_decided(paper: bytes) -> None:
    found = _words(paper)
    assert "Nologofdecisionsisshownhere." in found
    assert "sha256:" in found
    assert "digestoftherecord" in found


def test_text_of_the_record_is_never_more_than_text() -> None:
    cited = replace(
        made_citation(), reason=HOSTILE, evidence=Evidence(2, 2, 0, Span(0, 9), HOSTILE * 200)
    )
    run = replace(made_run(HOSTILE, HOSTILE), title=HOSTILE)
    data = _paper(replace(made_audit(run), citations=(cited,), findings=(made_finding(),)))
    assert not re.search(rb"/(JS|JavaScript|Launch|URI|EmbeddedFile)\b", data)
    assert not set(_words(data)) & {"\x1b", "\u202e", "\x00"}


def test_scripts_of_the_world_and_emoji_come_back_as_they_were() -> None:
    text = "读到的原文：日本語かな 한국어 Ελληνικά Кириллица ไทย 😀👍 ½ é"
    finding = made_finding(message=text)
    data = _paper(replace(made_audit(made_run()), findings=(finding,)))
    found = unicodedata.normalize("NFC", _words(data))
    assert _solid(unicodedata.normalize("NFC", text)) in found


def test_a_character_that_no_font_has_is_written_as_its_number() -> None:
    finding = made_finding(message="before \U0001d11e after \x1b")
    found = _words(_paper(replace(made_audit(made_run()), findings=(finding,))))
    assert r"before\u{1D11E}after\u{1B}" in found


def test_the_paper_says_where_it_cannot_show_the_order_of_reading() -> None:
    plain = _words(_paper(replace(made_audit(made_run()), findings=(made_finding(),))))
    turned = made_finding(message="שלום")
    told = _words(_paper(replace(made_audit(made_run()), findings=(turned,))))
    assert "fromrighttoleft" in told
    assert "fromrighttoleft" not in plain


def test_a_word_longer_than_a_page_is_wide_is_all_there() -> None:
    name = "".join(f"{number:04d}" for number in range(3000))
    finding = made_finding(severity=Severity.NOTE, message=name)
    data = _paper(replace(made_audit(made_run()), findings=(finding,)))
    assert len(pypdfium2.PdfDocument(data)) > 2
    pages = [re.sub(r"Whatthemodelread·Made.*", "", page) for page in _pages(data)]
    assert name in "".join(pages)


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n\t"), max_size=120)
_FACE = make(alphabet(["abcdefghijklmnopqrstuvwxyz 读的原文，。（）[]"]), REGULAR)
_ADVANCES = {char: advance / 1000 for char, advance in _FACE.advances.items()}
_MEASURE = Measure(_ADVANCES, _ADVANCES)
_LETTERS = Letters(_ADVANCES.keys())


@given(st.lists(_TEXT, max_size=4), st.integers(20, 200))
def test_lines_hold_all_of_a_text_and_are_no_wider_than_they_may(
    texts: list[str], width: int
) -> None:
    inks = [Ink(text.translate(_LETTERS), look=str(number)) for number, text in enumerate(texts)]
    lines = broken(inks, width, 10, _MEASURE)
    assert "".join(ink.text for line in lines for ink in line) == "".join(i.text for i in inks)
    for line in lines:
        joined = "".join(ink.text for ink in line).rstrip(" ")
        assert _MEASURE.width(Ink(joined), 10) <= width + 1e-6


def test_a_font_is_the_same_bytes_whenever_it_is_made() -> None:
    assert make("读的原文 abc", BOLD) == make("文原的读 cba", BOLD)
