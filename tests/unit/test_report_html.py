"""The page: evidence as text only, nothing fetched, nothing run."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from reviewer.reports import Meta, reports
from reviewer.reports._parts import Spool
from store.digest import run_digest
from store.records.findings import Audit, Evidence, Severity, Verdict
from store.records.runs import Answer
from store.records.text import Span
from tests.made import (
    BODY,
    HASH,
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


VOID = {"meta", "rect", "line"}


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
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
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


def test_pictures_have_words_for_those_who_listen() -> None:
    page = _page(made_audit())
    assert "55 % of 18 chars delivered, 55 % at the answer, 1 gap, 1 cited place</title>" in page
    assert "<title>d03: partial in call 2</title>" in page
    assert "<title>grade: recorded in all calls</title>" in page


def test_a_run_of_unknown_grade_never_looks_clean() -> None:
    page = _page(unknown_audit(), made_audit(made_run("r-2")))
    assert "grade unknown: the record cannot say what stood in the requests" in page
    assert "No rule was broken; 1 of 2 calls could not be decided (grade unknown)." in page
    assert "none; 1 of 2 calls could not be decided (grade unknown)" in page
    assert "No rule was broken.</p>" not in page


def test_many_findings_are_listed_by_severity_at_the_top() -> None:
    found = (made_finding(), *(made_finding(Severity.WARNING) for _ in range(10)))
    page = _page(replace(made_audit(), findings=found))
    assert page.index('class="jumps"') < page.index("<h3>Citations (")
    assert '<a href="#r1-f0">PLC001</a>' in page
    assert '<a href="#r1-f1">PLC001 × 10</a>' in page
    assert 'id="r1-f10"' in page
    assert page.index("error</span> (1)") < page.index("warning</span> (10)")
    assert "jumps" not in _page(made_audit())


def test_every_look_of_a_picture_stands_in_a_legend_before_it() -> None:
    page = _page(made_audit())
    assert page.index("P partial: a part of it stands there") < page.index("d03: partial in call 2")
    assert page.index("delivered: delivered in some call") < page.index("55 % of 18 chars")


def test_answer_citation_finding_and_source_lead_to_each_other() -> None:
    page = _page(_answered())
    chip = re.search(r'<a class="chip good" id="r1-a0" href="#r1-c0"[^>]*>✓ 0</a>', page)
    assert chip
    article = page[page.index('id="r1-c0"') : page.index("</article>")]
    assert {"#r1-a0", "#r1-v0", "#r1-f0"} == set(re.findall('href="(#[^"]*)"', article))
    finding = page[page.index('id="r1-f0"') :].partition("</tr>")[0]
    assert {"#r1-c0", "#r1-v0", "#r1-PLC001"} == set(re.findall('href="(#[^"]*)"', finding))
    source = page[page.index('id="r1-v0"') :].partition("</tr>")[0]
    assert re.findall('href="(#[^"]*)"', source) == ["#r1-c0"]


def test_the_answer_is_whole_and_its_chips_stand_where_the_words_end() -> None:
    page = _page(_answered())
    text = page[page.index('class="text"') :].partition("</div>")[0]
    words = re.sub("<a .*?</a>", "#", text.partition(">")[2])
    assert re.sub("<.*?>", "", words) == "200#条，&lt;b&gt;not bold&lt;/b&gt;。"


def _answered() -> Audit:
    found = made_audit()
    answer = Answer(2, "200条，<b>not bold</b>。")
    return replace(found, run=replace(found.run, answers=(answer,)))


def test_a_part_that_cannot_be_made_says_so_and_the_rest_stands() -> None:
    found = _answered()
    broken = replace(found.citations[0], index=1, evidence=Evidence(2, 2, 0, Span(0, 3), 5))  # type: ignore[arg-type]
    page = _page(replace(found, citations=(*found.citations, broken)))
    assert 'class="missing" id="r1-c1">✗ This part could not be made: citation 1 (TypeError' in page
    assert page.index("could not be made") < page.index("<h2>")
    assert 'id="r1-c0"' in page
    assert page.endswith("</html>\n")


def test_what_was_read_is_told_apart_from_what_is_stored() -> None:
    page = _page(made_audit())
    assert '<figure class="request"><figcaption>In the model&#x27;s input: call 2' in page
    assert "The stored version holds the same words at the cited place." in page
    cited = made_citation(0, Verdict.NEVER_READ)
    page = _page(replace(made_audit(), citations=(cited,)))
    assert '<figure class="request">' not in page
    assert '<figure class="stored"><figcaption>In the stored version: stored bytes intact, ' in page
    assert f"sha256:{HASH}" in page


def test_tool_rules_digest_and_the_log_of_decisions_are_told() -> None:
    meta = Meta("1.2", rules=(("CIT001", 1), ("PLC001", 3)))
    page = "".join(reports()["html"].write([made_audit()], [], meta))
    assert "Reread 1.2." in page
    assert "2 rules with their versions: CIT001 1, PLC001 3." in page
    assert f"sha256:{run_digest(made_run())}" in page
    assert "No log of decisions is shown here." in page


def test_work_is_told_while_the_list_of_runs_is_not_known_yet() -> None:
    taken: list[int] = []

    def audits() -> Iterator[Audit]:
        for number in range(3):
            taken.append(number)
            yield made_audit(made_run(f"r-{number}"))

    pieces = reports()["html"].write(audits(), [], Meta("1"))
    assert next(pieces) == ""
    assert taken == [0]
    assert "".join(pieces).count('<section class="run"') == 3


def test_a_spool_gives_back_what_it_took_however_much() -> None:
    spool = Spool()
    written = [f"{'线' * (number % 97)}\n" * 40 for number in range(2000)]
    for piece in written:
        spool.write(piece)
    assert "".join(spool.taken()) == "".join(written)


def test_only_ids_and_paths_may_be_broken_inside_a_word() -> None:
    style = (Path(__file__).parents[2] / "resources" / "reports" / "page.css").read_text("utf-8")
    (cells,) = re.findall(r"^td, th \{([^}]*)\}", style, re.MULTILINE)
    assert "overflow-wrap: break-word" in cells
    # A hash, which is longer than a phone is wide, is broken wherever it stands.
    (body,) = re.findall(r"^body \{([^}]*)\}", style, re.MULTILINE)
    assert "overflow-wrap: break-word" in body
    assert '<span class="id">t1</span>' in _page(made_audit())
    assert '<td class="word" data-name="outcome">' in _page(made_audit())


def test_a_run_without_citations_or_answer_says_so() -> None:
    page = _page(replace(made_audit(), citations=()))
    assert "nothing in the text of an answer leads to a known source" in page
    assert "No answer is recorded; states are those of the last call." in page


def test_no_part_of_the_sample_is_missing_in_its_pages() -> None:
    samples = Path(__file__).parents[2] / "docs" / "reference" / "samples"
    pages = [
        path.read_text("utf-8") for path in samples.iterdir() if path.suffix in {".html", ".md"}
    ]
    assert len(pages) == 4
    assert not [page for page in pages if "could not be made" in page]


def test_the_list_of_runs_says_of_which_something_could_not_be_read() -> None:
    found = made_audit()
    short = replace(found, run=replace(found.run, problems=(lost("a"), lost("b"))))
    page = _page(short, made_audit(made_run("r-2")))
    index = page[page.index("<h3>Runs</h3>") :].partition("</table>")[0]
    assert index.count('data-name="problems">2 lost</td>') == 1
    assert index.count('data-name="problems">–</td>') == 1


def test_what_stood_only_in_an_earlier_input_is_not_shown_as_the_answers() -> None:
    cited = replace(made_citation(0, Verdict.FROM_MEMORY), call_at_answer=3)
    cited = replace(cited, evidence=Evidence(2, 2, 0, Span(0, 10), BODY[:10]))
    page = _page(replace(made_audit(), citations=(cited,)))
    assert '<figure class="earlier"><figcaption>In the input of an earlier call, not in' in page
    assert '<figure class="request">' not in page


def test_a_piece_of_what_stands_in_a_request_says_how_many_there_are() -> None:
    found = made_audit()
    first = found.deliveries[0]
    second = replace(first, message_span=Span(5, 10), span=Span(5, 10))
    page = _page(replace(found, deliveries=(replace(first, span=Span(0, 5)), second)))
    assert "characters 0 to 10; one of 2 pieces of it in this request" in page
    assert "pieces of it in this request" not in _page(found)


def test_words_are_the_same_only_where_all_of_them_were_compared() -> None:
    text = "x" * 5000
    found = made_audit()
    facts = found.sources[0].versions[0]
    version = replace(facts.version, text=text + "y", chars=len(text) + 1)
    source = replace(found.sources[0], versions=(replace(facts, version=version),))
    cited = replace(
        found.citations[0],
        span=Span(0, len(text) + 1),
        evidence=Evidence(2, 2, 0, Span(0, len(text)), text),
    )
    page = _page(replace(found, sources=(source,), citations=(cited,)))
    assert "holds the same words" not in page
    assert '<figure class="stored">' in page
