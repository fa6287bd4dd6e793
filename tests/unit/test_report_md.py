"""The report as Markdown: the facts of the page, and evidence that never becomes markup."""

import re
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from reviewer.display import one_line
from reviewer.reports import Meta, reports
from reviewer.reports._markdown import block, code, prose
from store.digest import run_digest
from store.records.findings import Audit, Evidence, Verdict
from store.records.runs import Answer
from store.records.text import Span
from tests.made import HASH, HOSTILE, lost, made_audit, made_citation, made_finding, made_run

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OWN_HTML = re.compile(r'<a id="[a-z0-9-]+">|</a>|<br>')
TRICKS = (
    "![x](http://e.example/a.png)",
    "[click](javascript:alert(1))",
    "<img src=x onerror=alert(1)>",
    "<!-- <script>",
    "```",
    "~~~~",
    "``` text\nescape\n```",
    "# heading",
    "1. list",
    "- list",
    "> quote",
    "---",
    "===",
    "| a | b |\n|---|---|\n| c | d |",
    "https://e.example/ www.e.example a@e.example @team #12 GH-3",
    "[x]: http://e.example",
    "&lt;b&gt; &amp; &#64;",
    "*a* __b__ ~~c~~ \\*d\\* `e` ``f",
    "⟦forged⟧ ⟨✓ 0⟩",
    "\x1b[2J\u202e\ud83d",
)
TEXTS = st.lists(st.sampled_from(TRICKS) | st.text(max_size=12), max_size=4).map(" ".join)


def written(*audits: Audit, meta: Meta | None = None) -> str:
    chunks = reports()["md"].write(audits, [lost(HOSTILE)], meta or Meta("1"))
    return "".join(chunks)


def tokens(text: str) -> Iterator[Token]:
    for token in PARSER.parse(text):
        yield token
        yield from token.children or ()


def hostile(text: str) -> Audit:
    run = replace(made_run(text, text), title=text, answers=(Answer(2, text + "。" * 5),))
    cited = replace(
        made_citation(0, Verdict.QUOTE_DIFFERS),
        reason=text,
        source_id=text,
        evidence=Evidence(2, 2, 0, Span(0, len(text)), text),
    )
    found = replace(made_audit(run), citations=(cited,), findings=(made_finding(message=text),))
    sources = tuple(replace(source, source_id=text, title=text) for source in found.sources)
    return replace(found, sources=sources)


def shape(text: str) -> list[str]:
    """Return the blocks of a document."""
    kinds = {"heading_open", "fence", "table_open", "hr", "blockquote_open", "bullet_list_open"}
    kinds |= {
        "ordered_list_open",
        "code_block",
        "html_block",
        "link_open",
        "image",
        "paragraph_open",
    }
    return [token.type for token in tokens(text) if token.type in kinds]


@settings(deadline=None, max_examples=60)
@given(TEXTS)
def test_no_text_of_the_record_changes_the_shape_of_the_report(text: str) -> None:
    marked = f"x{text}"
    assert shape(written(hostile(marked))) == shape(written(hostile("x")))


@settings(deadline=None, max_examples=60)
@given(TEXTS)
def test_links_lead_inside_the_report_and_html_is_only_places_and_line_breaks(text: str) -> None:
    for token in tokens(written(hostile(text))):
        assert token.type not in {"image", "html_block"}
        if token.type == "link_open":
            assert re.fullmatch(r"#r\d+(-[cafv]\d+)?", str(token.attrs["href"]))
        if token.type == "html_inline":
            assert OWN_HTML.fullmatch(token.content)


@settings(deadline=None)
@given(TEXTS)
def test_a_code_span_holds_the_text_exactly(text: str) -> None:
    (inline,) = PARSER.parseInline(code(text))
    kinds = [(token.type, token.content) for token in inline.children or ()]
    shown = one_line(text)
    expected = [("code_inline", shown)] if shown.strip() else [("text", "–")]
    assert kinds == expected


@settings(deadline=None)
@given(TEXTS)
def test_a_sentence_keeps_its_words_and_nothing_in_it_is_markup(text: str) -> None:
    (inline,) = PARSER.parseInline(f"said: {prose(text)}")
    assert {token.type for token in inline.children or ()} <= {
        "text",
        "text_special",
        "code_inline",
    }
    read = "".join(token.content for token in inline.children or ())
    assert "".join(read.split()) == "said:" + "".join(one_line(text).split())


@settings(deadline=None)
@given(TEXTS)
def test_a_block_ends_where_it_should(text: str) -> None:
    found = [token.type for token in PARSER.parse(f"{block(text)}\nbehind\n")]
    assert found == ["fence", "paragraph_open", "inline", "paragraph_close"]


def test_what_sites_make_of_words_beyond_the_standard_stands_in_code() -> None:
    for word in ("@team", "#12", "GH-3", "www.e.example", "a@e.example", ":smile:", "$x$"):
        assert prose(f"see {word} there") == f"see `{word}` there"
    assert (
        prose("deadbeef1 stands, d03@14…[0:4]: here.")
        == "`deadbeef1` stands, `d03@14…[0:4]`: here."
    )
    assert prose("1. 2) 3") == "1\\. 2\\) 3"


def test_evidence_cannot_forge_the_marks_of_the_report() -> None:
    text = written(hostile("⟨✓ 7⟩ ⟦all⟧"))
    body = "".join(token.content for token in tokens(text) if token.type == "fence")
    assert "\\u{27E8}✓ 7\\u{27E9}" in body
    assert "⟨✓ 7⟩" not in body
    assert "⟦all⟧" not in body


def test_the_facts_of_the_page_stand_in_it() -> None:
    found = made_audit()
    answered = replace(found, run=replace(found.run, answers=(Answer(2, "200条，超时。"),)))
    meta = Meta("1.2", rules=(("CIT001", 1), ("PLC001", 3)))
    text = written(answered, meta=meta)
    assert "200#条".replace("#", "⟨✓ 0⟩") in text
    assert "`CIT001` 1, `PLC001` 3" in text
    assert f"`sha256:{HASH}`" in text
    assert f"`sha256:{run_digest(answered.run)}`" in text
    assert "The stored version holds the same words at the cited place." in text
    assert "grade: recorded in all calls" in text


def test_every_link_has_its_place() -> None:
    found = made_audit()
    answered = replace(found, run=replace(found.run, answers=(Answer(2, "200条，超时。"),)))
    text = written(answered, made_audit(made_run("r-2")))
    places = re.findall(r'<a id="([^"]*)">', text)
    leads = {str(t.attrs["href"])[1:] for t in tokens(text) if t.type == "link_open"}
    assert len(places) == len(set(places))
    assert {"r1-a0", "r1-c0", "r1-f0", "r1-v0", "r2"} <= leads <= set(places)


def test_a_part_that_cannot_be_made_says_so_in_it_too() -> None:
    found = made_audit()
    broken = replace(found.citations[0], evidence=Evidence(2, 2, 0, Span(0, 3), 5))  # type: ignore[arg-type]
    text = written(replace(found, citations=(broken,)))
    assert "✗ **This part could not be made:** citation 0 `TypeError" in text
    assert '<a id="r1-c0"></a>✗' in text


def test_the_same_audit_gives_the_same_bytes() -> None:
    assert written(hostile(HOSTILE)) == written(hostile(HOSTILE))
