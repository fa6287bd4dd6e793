"""The page: evidence as text only, nothing fetched, nothing run."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from reviewer.reports import Meta, reports
from store.records.findings import Audit, Evidence, Severity, Verdict
from store.records.text import Span
from tests.made import (
    HOSTILE,
    lost,
    made_audit,
    made_citation,
    made_finding,
    made_run,
    unknown_audit,
)


def _page(*audits: Audit) -> str:
    meta = Meta("1", "body { margin: 0 }")
    return "".join(reports()["html"].write(audits, [lost(HOSTILE)], meta))


class _Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs
        if tag not in {"meta", "rect"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag != "rect":
            assert self.open.pop() == tag


def _hostile() -> Audit:
    run = replace(made_run(HOSTILE, HOSTILE), title=HOSTILE)
    cited = replace(
        made_citation(), reason=HOSTILE, evidence=Evidence(2, 2, 0, Span(0, 9), HOSTILE * 200)
    )
    found = made_finding(message=f'"><img src=x onerror=alert(1)>{HOSTILE}')
    return replace(made_audit(run), citations=(cited,), findings=(found,))


def test_evidence_is_never_markup() -> None:
    page = _page(_hostile())
    elements = _Elements(page)
    assert not elements.open
    assert not {"script", "img", "iframe", "object", "link", "form"} & set(elements.names)
    assert not [name for name, _ in elements.attributes if name.startswith("on")]
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    page.encode()


def test_nothing_is_fetched_from_elsewhere() -> None:
    page = _page(_hostile())
    links = [value for name, value in _Elements(page).attributes if name in {"href", "src"}]
    assert links
    assert all(value is not None and value.startswith("#") for value in links)
    assert "url(" not in page
    assert "default-src 'none'" in page


def test_the_policy_allows_exactly_the_style_of_the_page() -> None:
    page = _page(made_audit())
    assert "unsafe-inline" not in page
    assert " style=" not in page
    assert re.search(r"style-src 'sha256-[A-Za-z0-9+/=]{44}'", page)


def test_every_link_on_the_page_has_its_target() -> None:
    page = _page(made_audit(made_run("r-1")), made_audit(made_run("r-2")))
    attributes = _Elements(page).attributes
    ids = [value for name, value in attributes if name == "id"]
    targets = {value for name, value in attributes if name == "href"}
    assert len(ids) == len(set(ids))
    assert {f"#{each}" for each in ids} >= targets
    assert "#r1-c0" in targets
    assert "#r1-v0" in targets


def test_a_verdict_is_told_by_sign_and_word_and_class() -> None:
    cited = tuple(made_citation(place, verdict) for place, verdict in enumerate(Verdict))
    page = _page(replace(made_audit(), citations=cited))
    assert '<span class="verdict good">✓ read</span>' in page
    assert '<span class="verdict bad">✗ never_read</span>' in page
    assert '<span class="verdict open">? unverifiable</span>' in page


def test_a_long_excerpt_says_how_much_is_left_out() -> None:
    text = HOSTILE * 200
    assert f"… {len(text) - 1200} more characters" in _page(_hostile())


def test_strips_have_words_for_those_who_listen() -> None:
    page = _page(made_audit())
    assert "<title>55 % of 18 chars</title>" in page
    assert "<title>in 1 of 2 calls</title>" in page


def test_a_run_of_unknown_grade_never_looks_clean() -> None:
    page = _page(unknown_audit(), made_audit(made_run("r-2")))
    assert "grade unknown: the record cannot say what stood in the requests" in page
    assert "No rule was broken; 1 of 2 calls could not be decided (grade unknown)." in page
    assert "none; 1 of 2 calls could not be decided (grade unknown)" in page
    assert "No rule was broken.</p>" not in page


def test_many_findings_are_listed_by_severity_at_the_top() -> None:
    found = (made_finding(), *(made_finding(Severity.WARNING) for _ in range(10)))
    page = _page(replace(made_audit(), findings=found))
    assert page.index('class="jumps"') < page.index("Citations (")
    assert '<a href="#r1-f10">PLC001</a>' in page
    assert 'id="r1-f10"' in page
    assert page.index("error</span> (1)") < page.index("warning</span> (10)")
    assert "jumps" not in _page(made_audit())


def test_the_legend_stands_above_the_strips_and_numbers_beside_them() -> None:
    page = _page(made_audit())
    assert page.index("First strip") < page.index('class="strip"')
    assert "</svg><span>55 %, at answer 55 %</span>" in page
    assert "</svg><span>1 of 2</span>" in page


def test_only_ids_and_paths_may_be_broken_inside_a_word() -> None:
    style = (Path(__file__).parents[2] / "resources" / "reports" / "page.css").read_text("utf-8")
    (cells,) = re.findall(r"^td, th \{([^}]*)\}", style, re.MULTILINE)
    assert "overflow-wrap: break-word" in cells
    assert '<span class="id">t1</span>' in _page(made_audit())
    assert '<td class="word" data-name="stored bytes">' in _page(made_audit())


def test_a_run_without_citations_or_answer_says_so() -> None:
    page = _page(replace(made_audit(), citations=()))
    assert "marks in the text of an answer are not read as citations" in page
    assert "No answer is recorded; states are those of the last call." in page
