"""The page: evidence as text only, nothing fetched, nothing run."""

import re
from dataclasses import replace
from html.parser import HTMLParser

from reviewer.reports import Meta, reports
from store.records.findings import Audit, Evidence, Verdict
from store.records.text import Span
from tests.made import HOSTILE, lost, made_audit, made_citation, made_finding, made_run


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
