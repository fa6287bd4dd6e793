"""The report for a terminal."""

from dataclasses import replace

from reviewer.display import width
from reviewer.reports import Meta, reports
from reviewer.reports import _words as words
from reviewer.reports._ending import index_name
from store.records.findings import (
    Audit,
    CitationFacts,
    Outcome,
    PlaceholderFacts,
    Severity,
    Verdict,
)
from store.records.runs import Answer, Run
from store.records.sources import Selection
from store.records.text import Span
from tests.made import (
    lost,
    made_audit,
    made_citation,
    made_finding,
    made_placeholder,
    made_run,
    quiet_audit,
    unknown_audit,
)


def _text(audit: Audit, **meta: bool) -> str:
    return "".join(reports()["text"].write([audit], [], Meta("1", **meta)))  # type: ignore[arg-type]


class _Reread:
    """A placeholder that says whether all of its text was read again."""

    def __init__(self, facts: PlaceholderFacts, whole: bool) -> None:  # noqa: FBT001 - a fact
        self._facts = facts
        self.reread_whole = whole

    def __getattr__(self, name: str) -> object:
        return getattr(self._facts, name)


def _answered(text: str) -> Run:
    return replace(made_run(), answers=(Answer(2, text),))


def _marked(index: int, span: Span) -> CitationFacts:
    facts = made_citation(index)
    return replace(facts, citation=replace(facts.citation, answer_span=span))


def _claims(text: str, starts: list[int]) -> list[str | None]:
    """Return the claims of an answer whose marks of three characters stand at *starts*."""
    cited = tuple(_marked(place, Span(at, at + 3)) for place, at in enumerate(starts))
    return words.claims(replace(made_audit(_answered(text)), citations=cited))


def test_each_verdict_stands_with_its_place_grade_and_reason() -> None:
    cited = tuple(made_citation(place, verdict) for place, verdict in enumerate(Verdict))
    text = _text(replace(made_audit(), citations=cited))
    for facts in cited:
        assert facts.verdict.word in text
        assert facts.reason in text
    assert "✓ read" in text
    assert "✗ never_read" in text
    assert "d03@1454125600c3…[0:10]" in text
    assert "missing [3:10]" in text


def test_findings_say_their_severity_in_words_and_signs() -> None:
    found = tuple(made_finding(severity) for severity in Severity)
    text = _text(replace(made_audit(), findings=found))
    for shown in ("✗ error PLC001", "▲ warning PLC001", "• note PLC001"):
        assert shown in text


def test_no_line_is_wider_than_the_terminal() -> None:
    text = _text(replace(made_audit(), findings=(made_finding(message="长" * 300),)))
    assert max(width(line) for line in text.split("\n")) <= 100


def test_a_shortened_list_says_by_how_much_and_how_to_see_it_all() -> None:
    audit = replace(made_audit(), findings=tuple(made_finding() for _ in range(50)))
    assert "… 30 more of 50; --all or --format json shows them" in _text(audit)
    assert "more of" not in _text(audit, everything=True)
    assert _text(audit, everything=True).count("PLC001") == 50


def test_citations_are_never_shortened() -> None:
    cited = tuple(made_citation(index) for index in range(300))
    assert _text(replace(made_audit(), citations=cited)).count("✓ read") == 300


def test_colour_is_only_added_where_it_is_wanted() -> None:
    assert "\x1b" not in _text(made_audit())
    assert "\x1b[32m✓ read\x1b[0m" in _text(made_audit(), colour=True)


def test_a_placeholder_of_unknown_time_says_so() -> None:
    facts = replace(made_placeholder(), last_full_call=None)
    text = _text(replace(made_audit(), placeholders=(facts,)))
    assert "not recorded  not recorded" in text
    assert "never" not in text


def test_a_placeholder_of_known_time_that_never_was_full_says_never() -> None:
    facts = replace(made_placeholder(), first_call=2, last_full_call=None)
    assert "2           never" in _text(replace(made_audit(), placeholders=(facts,)))


def test_text_read_again_in_part_is_not_called_read_again() -> None:
    facts = replace(made_placeholder(), first_call=2, reread_at_call=2)
    whole, part = [
        words.placeholder_words(_Reread(facts, told))[3]  # type: ignore[arg-type]
        for told in (True, False)
    ]
    assert whole.endswith("read again in call 2")
    assert part.endswith("read again in part in call 2")


def test_a_read_that_did_not_deliver_is_listed_with_its_grade_and_source() -> None:
    text = _text(replace(made_audit(), placeholders=()))
    told = "Reads (1, grade recorded): 0 delivered when they first came; 1 not delivered"
    assert told in text
    assert "2     truncated  recorded  read  t1         d03" in text


def test_reads_that_were_taken_away_later_are_counted() -> None:
    read = replace(made_audit().reads[0], outcome=Outcome.DELIVERED)
    other = replace(read, tool_call_id="t2")
    gone = replace(made_placeholder(), first_call=2)
    audit = replace(made_audit(), reads=(read, other), placeholders=(gone,))
    assert words.read_words(audit) == (
        "2 delivered when they first came, 1 of them taken away later"
    )


def test_a_read_taken_away_at_an_unknown_time_is_not_called_undelivered() -> None:
    read = replace(made_audit().reads[0], outcome=Outcome.PLACEHOLDER)
    told = words.read_words(replace(made_audit(), reads=(read,)))
    assert told == "0 delivered when they first came; 1 taken away, when is not recorded"


def test_a_run_of_unknown_grade_never_looks_clean() -> None:
    text = _text(unknown_audit())
    assert "grade unknown: the record cannot say what stood in the requests" in text
    assert "This holds for 1 of 2 calls; 1 recorded. Reason: nothing was kept." in " ".join(
        text.split()
    )
    assert "No findings; 1 of 2 calls could not be decided (grade unknown)." in text
    assert text.count("could not be decided") == 3
    assert "No findings.\n" not in text


def test_a_run_that_could_be_decided_says_nothing_of_the_kind() -> None:
    text = _text(quiet_audit())
    assert "No findings.\n" in text
    assert "could not be decided" not in text


def test_ids_and_paths_are_never_cut_and_never_broken() -> None:
    path = "/Users/someone/My Documents/" + "deep/" * 30 + "合同 第一版.md"
    where = replace(made_finding().where, source_id=path, tool_call_id="toolu_" + "x" * 90)
    found = replace(made_finding(message=f"the text of {path} was cleared"), where=where)
    read = replace(made_audit().reads[0], selection=Selection(path), tool_call_id="toolu_01")
    gone = replace(made_placeholder(), source_id=path)
    cited = replace(made_citation(), source_id=path, reason=f"last of {path}")
    audit = replace(
        made_audit(), findings=(found,), reads=(read,), placeholders=(gone,), citations=(cited,)
    )
    lines = _text(audit).split("\n")
    assert len([line for line in lines if path in line]) == 5
    assert [line for line in lines if f"tool call {where.tool_call_id} · source {path}" in line]


def test_a_claim_ends_where_the_citation_before_ended() -> None:
    text = "甲方供货[1]，乙方付款[2]；丙方担保 [3][4]。Done.[5]"
    assert _claims(text, [4, 12, 21, 24, 33]) == [
        "甲方供货[1]",
        "，乙方付款[2]",
        "丙方担保 [3]",
        "丙方担保 [3][4]",
        "Done.[5]",
    ]


def test_a_claim_keeps_its_words_as_they_are() -> None:
    assert _claims("First. So  it \t is  [1]", [20]) == ["So  it \t is  [1]"]


def test_spans_of_the_answer_side_by_side_are_claims_of_their_own() -> None:
    run = _answered("One two.Three four.")
    spans = [Span(0, 8), Span(8, 19)]
    cited = tuple(_marked(place, span) for place, span in enumerate(spans))
    assert words.claims(replace(made_audit(run), citations=cited)) == ["One two.", "Three four."]


def test_a_run_without_citations_says_what_to_look_at() -> None:
    text = " ".join(_text(replace(made_audit(), citations=())).split())
    assert "This record holds no citations, and nothing in the text of an answer leads to" in text
    assert "To look at instead: findings, placeholders, reads." in text


def test_a_run_without_an_answer_says_so() -> None:
    assert "No answer is recorded; states are those of the last call." in _text(made_audit())
    assert "No answer is recorded" not in _text(made_audit(_answered("Yes.")))


def _failed() -> Run:
    run = _answered("Yes.")
    *before, last = run.calls
    return replace(run, calls=(*before, replace(last, error="Prompt is too long")))


def test_a_last_call_that_failed_is_told_with_the_answer_that_rules_speak_of() -> None:
    run = _failed()
    said = " ".join(_text(made_audit(run)).split())
    assert f"The last call, {run.calls[-1].index}, ended in an error: Prompt is too long." in said
    assert "The last answer, of which rules speak, is that of call 2." in said
    assert "ended in an error" not in _text(made_audit(_answered("Yes.")))


def test_problems_inside_a_run_are_counted_in_the_last_line() -> None:
    run = replace(made_run(), problems=(lost(), lost()))
    chunks = reports()["text"].write([made_audit(run)], [lost()], Meta("1"))
    assert ", 3 problems in opening (3 lost).\n" in "".join(chunks)


def test_a_run_named_as_its_file_is_listed_with_its_folder() -> None:
    assert index_name(replace(made_run(), path="a/b/state.json", title="state.json")) == (
        "b/state.json"
    )
    assert index_name(replace(made_run(), path="a/b/state.json", title="A talk")) == "A talk"


def test_the_last_lines_count_what_was_met_and_list_what_could_not_be_read() -> None:
    chunks = reports()["text"].write([made_audit()], [lost()], Meta("1"))
    *_, last, unread, what, hint = "".join(chunks).rstrip("\n").split("\n")
    assert hint == "reread explain WORD explains any word above."
    assert last == "Audited 1 run: 1 citation (1 read), 1 finding, 1 problem in opening (1 lost)."
    assert unread == "Not read (1):"
    assert what == "  ! b.jsonl: cannot be opened; check its rights"


def test_the_worst_findings_come_first_so_that_a_cut_list_keeps_them() -> None:
    notes = [made_finding(severity=Severity.NOTE, message=f"note {n}") for n in range(30)]
    worst = made_finding(severity=Severity.ERROR, message="the worst")
    text = _text(replace(made_audit(), findings=(*notes, worst)))
    assert text.index("the worst") < text.index("note 0")
    assert "note 25" not in text
