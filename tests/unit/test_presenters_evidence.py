"""The evidence of a citation: claim, model's input and stored version, each proven or said not."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.audit.answers import TextRun
from reviewer.audit.engine import audit
from reviewer.audit.rules import rules
from reviewer.audit.rules._example import NOTICE, Story, cite
from reviewer.audit.strips import Piece, strip
from reviewer.excerpts import LINES, Excerpt
from reviewer.services.auditing import audit_paths
from reviewer.services.sample import write_sample
from reviewer.window import i18n
from reviewer.window.i18n import tr_message
from reviewer.window.place import Place
from reviewer.window.presenters.answer import Chip, answer_pages
from reviewer.window.presenters.claims import claims_at, claims_of
from reviewer.window.presenters.evidence import card, citation_card
from reviewer.window.presenters.finding_card import finding_card
from reviewer.window.presenters.strip import strip_words
from store.opening import open_paths
from store.records.citations import Offsets
from store.records.findings import Audit, Form, Verdict
from store.records.grades import Grade
from store.records.runs import Run
from store.records.sources import VersionKey
from store.records.text import Span

SCENARIOS = (
    "context-bill",
    "coverage-facts",
    "evidence-tools",
    "folded-reference",
    "retrieval-admission",
    "turn-end-clearing",
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> list[Audit]:
    places = write_sample(tmp_path_factory.mktemp("sample"))
    found = audit_paths([str(place) for place in places], tokens=False, strict=True)
    return [one for one in found if isinstance(one, Audit)]


def check_input_step(found: Audit, index: int) -> None:
    """What the step shows is what the audit found, or says why there is nothing."""
    facts = found.citations[index]
    step = citation_card(found, index).steps[1]
    if facts.evidence is not None:
        assert step.excerpt is not None
        assert step.excerpt.cut(10**9).words == facts.evidence.text
        assert (step.line.tone == "good") == (facts.verdict is Verdict.READ)
        return
    assert step.line.tone != "good"
    not_looked = "Not looked for" in step.line.words
    assert not_looked == (
        facts.verdict
        in {
            Verdict.UNRESOLVED,
            Verdict.OUT_OF_BOUNDS,
            Verdict.WRONG_HASH,
            Verdict.QUOTE_DIFFERS,
            Verdict.UNVERIFIABLE,
        }
    )


def test_every_citation_of_the_sample_has_its_three_steps(sample: list[Audit]) -> None:
    for found in sample:
        for index in range(len(found.citations)):
            made = citation_card(found, index)
            assert [step.id for step in made.steps] == ["claim", "input", "stored"]
            check_input_step(found, index)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_citation_of_a_scenario_has_its_three_steps(shared: Path, name: str) -> None:
    for run in open_paths([str(shared / "data" / "scenarios" / name)]):
        assert isinstance(run, Run)
        found = audit(run)
        for index in range(len(found.citations)):
            check_input_step(found, index)


def cited(*, clear: bool = False, grade: Grade = Grade.RECORDED, changed: bool = False) -> Audit:
    story = Story(grade=grade)
    story.document("notice", changed=changed)
    if not changed:
        story.read("notice")
    if clear:
        story.think()
        story.clear()
    return audit(story.answer(cite("notice", (48, 101))))


def test_a_text_that_was_cleared_is_shown_where_it_last_stood() -> None:
    made = citation_card(cited(clear=True), 0)
    step = made.steps[1]
    assert step.line.words == (
        "It last stood in the request of call 2; the answer was written in call 3."
    )
    assert step.buttons[0].place.call == 2
    assert step.buttons[0].place.tab == "model"


def test_the_stored_version_shows_the_cited_words_and_its_check() -> None:
    step = citation_card(cited(), 0).steps[2]
    assert step.line.sign == "✓"
    assert step.excerpt is not None
    assert step.excerpt.cut().words == NOTICE[48:101]
    assert step.buttons[0].place.span == Span(48, 101)
    assert step.buttons[0].place.tab == "source"


def test_changed_bytes_are_crossed_and_never_shown() -> None:
    step = citation_card(cited(changed=True), 0).steps[2]
    assert step.line.sign == "✗"
    assert "no longer have their recorded SHA-256" in step.line.words
    assert step.excerpt is None


def test_a_request_that_is_only_inferred_says_so_beside_the_text() -> None:
    made = citation_card(cited(grade=Grade.INFERRED), 0)
    assert any("inferred" in note for note in made.steps[1].notes)
    assert made.grade.startswith("Grade inferred")


def test_the_claim_is_the_sentence_before_its_mark() -> None:
    story = Story()
    story.document("notice")
    story.read("notice")
    text = "First things first. Batches are limited [1]. More."
    marked = cite("notice", (0, 10), answer_span=Span(40, 43))
    step = citation_card(audit(story.answer(marked, text=text)), 0).steps[0]
    assert step.excerpt is not None
    assert step.excerpt.cut().words == "Batches are limited [1]"


def test_a_finding_without_a_citation_has_its_rule_and_ways_to_its_place() -> None:
    found = audit(next(rule for rule in rules() if rule.id == "COV006").failing())
    index = next(n for n, one in enumerate(found.findings) if one.rule == "COV006")
    made = finding_card(found, index)
    assert made.title == "COV006 DeclaredCoverageDiffers"
    assert any(note.startswith("Why it matters: ") for note in made.notes)
    assert [button.place.tab for button in made.buttons] == ["model", "source", "residency"]
    assert card(found, Place(finding=index)) == made


def test_what_a_finding_says_of_an_answer_is_shown_at_its_place_in_it() -> None:
    found = audit(next(rule for rule in rules() if rule.id == "GRD001").failing())
    index = next(n for n, one in enumerate(found.findings) if one.rule == "GRD001")
    shown = finding_card(found, index)
    (step,) = shown.steps
    assert step.excerpt is not None
    assert step.excerpt.cut(200).words == "250"
    (claim,) = claims_of(found, index)
    assert found.run.answers[claim.answer].text[claim.span.start : claim.span.end] == "250"
    assert step.buttons[0].place == Place(call=claim.call, finding=index, tab="answer")
    assert claims_at(found, Place(finding=index, citation=0)) == ()


@pytest.mark.parametrize(
    ("offsets", "told"),
    [
        (
            Offsets(4, 20, "codepoint", ("codepoint", "utf16"), 0),
            "Recorded place: 4 to 20, in code points. It leads to its words as documented.",
        ),
        (
            Offsets(4, 20, "codepoint", ("utf16",), -2),
            (
                "Recorded place: 4 to 20, in code points. It leads to its words only when it is "
                "counted in UTF-16 units. Its words stand 2 code points before it."
            ),
        ),
        (
            Offsets(4, 19, "utf8byte", (), 7, inclusive=True),
            (
                "Recorded place: 4 up to and with 19, in UTF-8 bytes. Its words stand 7 UTF-8 "
                "bytes behind it."
            ),
        ),
        (
            Offsets(0, 1, "block"),
            (
                "Recorded place: 0 to 1, in blocks. There are no words that could be held against "
                "it, or they are not found."
            ),
        ),
    ],
)
def test_the_place_that_a_provider_counted_is_told_in_words(offsets: Offsets, told: str) -> None:
    story = Story()
    story.document("notice")
    story.read("notice")
    run = story.answer(cite("notice", (4, 20), answer_span=Span(0, 7), offsets=offsets))
    assert told in citation_card(audit(run), 0).notes


def test_what_a_recorder_changed_is_told_of_a_request_that_is_on_record() -> None:
    story = Story()
    story.document("notice")
    story.read("notice")
    run = story.answer(cite("notice", (4, 20)))
    reason = "the recorder wrote bodies anew"
    calls = tuple(replace(call, grade_reason=reason) for call in run.calls)
    notes = citation_card(audit(replace(run, calls=calls)), 0).notes
    assert "About this request: The recorder wrote bodies anew." in notes


def test_a_finding_about_a_citation_leads_to_that_citation() -> None:
    found = cited(clear=True)
    index = next(n for n, one in enumerate(found.findings) if one.where.citation == 0)
    assert card(found, Place(finding=index)) == citation_card(found, 0)
    assert card(found, Place()) is None


# -- answers ------------------------------------------------------------------------------


def test_the_text_runs_of_an_answer_are_its_text_and_each_citation_has_one_chip(
    sample: list[Audit],
) -> None:
    for found in sample:
        for page in answer_pages(found):
            runs = [piece for piece in page.pieces if isinstance(piece, TextRun)]
            assert "".join(page.text[run.span.start : run.span.end] for run in runs) == page.text
            chips = [piece.citation for piece in page.pieces if isinstance(piece, Chip)]
            assert sorted([*chips, *(c.citation for c in page.below)]) == list(
                range(page.citations)
            )


def test_overlapping_citations_keep_the_text_whole_and_end_with_their_own_chips() -> None:
    story = Story()
    story.document("notice")
    story.read("notice")
    places = [(0, 12), (8, 20), (8, 20), (20, 20)]
    marks = [cite("notice", (0, 5), answer_span=Span(*place)) for place in places]
    (page,) = answer_pages(audit(story.answer(*marks, text="Batches are limited [1].")))
    order = [p.citation if isinstance(p, Chip) else p.citations for p in page.pieces]
    assert order == [(0,), (0, 1, 2), 0, (1, 2), 1, 2, 3, ()]


def test_a_place_outside_the_answer_stands_below_it_and_says_why() -> None:
    story = Story()
    story.document("notice")
    story.read("notice")
    lost = cite("notice", (0, 5), answer_span=Span(900, 910))
    none = cite("notice", (0, 5), answer_span=None)
    (page,) = answer_pages(audit(story.answer(lost, none)))
    assert [chip.note for chip in page.below] == [
        "its place lies outside the answer's text",
        "marks no words of the answer",
    ]


# -- excerpts and strips --------------------------------------------------------------------


def test_a_long_excerpt_counts_what_it_leaves_out() -> None:
    cut = Excerpt("x" * 1000, Span(100, 900)).cut(600)
    assert (len(cut.words), cut.left_out, cut.after) == (600, 200, "")
    assert len(cut.before) + cut.head == 100


def test_an_excerpt_shows_few_lines_around_and_says_that_the_text_goes_on() -> None:
    text = "".join(f"line {n}\n" for n in range(20))
    start = text.index("line 10")
    cut = Excerpt(text, Span(start, start + 7)).cut()
    assert cut.before == "line 8\nline 9\n"
    assert cut.before.count("\n") == LINES
    assert cut.after.startswith("\nline 11")
    assert cut.head
    assert cut.tail


def test_a_strip_tells_delivered_from_gap_and_places_what_is_cited(sample: list[Audit]) -> None:
    story = Story()
    key = VersionKey("notice", story.document("notice"))
    story.read("notice", span=(0, 48))
    made = strip(audit(story.answer(cite("notice", (48, 101)))), key)
    assert made is not None
    assert made.pieces == (
        Piece("delivered", Span(0, 48)),
        Piece("gap", Span(48, len(NOTICE))),
    )
    assert made.cited == ((Span(48, 101), 0),)
    assert strip_words(made).endswith("one gap, one place cited")
    for found in sample:
        for facts in (v for source in found.sources for v in source.versions):
            lane = strip(found, facts.version.key)
            hatched = [p for p in lane.pieces if p.kind == "preview"] if lane else []
            assert bool(hatched) <= any(d.form is Form.PREVIEW for d in found.deliveries)


def test_every_reason_of_the_sample_is_told_in_the_language_of_the_window(
    sample: list[Audit],
) -> None:
    reasons = {facts.reason for found in sample for facts in found.citations}
    assert {tr_message(reason) for reason in reasons} == reasons
    i18n.set_language("zh_CN")
    try:
        for reason in reasons:
            told = tr_message(reason)
            assert told != reason
            assert set(re.findall(r"[0-9]+", told)) == set(re.findall(r"[0-9]+", reason))
    finally:
        i18n.set_language("en")


def test_evidence_inside_a_reason_is_no_pattern() -> None:
    i18n.set_language("zh_CN")
    try:
        assert tr_message("no source is named {source} \\1") == "没有名为 {source} \\1 的来源"
        assert tr_message("something new") == "something new"
    finally:
        i18n.set_language("en")
