"""Citations in the text of answers: what a mark leads to, and what it does not."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from reviewer.audit.engine import audit
from reviewer.audit.patterns import BUILT_IN, Names, Pattern, Patterns
from reviewer.audit.rules._example import Story
from reviewer.audit.settings import Settings
from store.records.citations import AnswerCitation
from store.records.findings import Audit, Verdict
from store.records.grades import Grade, Layer
from store.records.runs import (
    Answer,
    Call,
    Message,
    Part,
    PartKind,
    Run,
    Splice,
    ToolCall,
    ToolResult,
)
from store.records.sources import (
    Block,
    Integrity,
    Selection,
    SourceKind,
    Version,
    VersionKey,
)
from store.records.text import Span, Unit

LIMITS = "The pool holds forty connections at most, and no more."
RETRIES = "Retries stop after three attempts in a row."
CONTEXT = f"Answer from these.\n\n[1] Pool\n{LIMITS}\n[2] Retry\n{RETRIES}\n\nWhat holds?"


def run_of(answer: str, *prompts: str, versions: Sequence[Version] = ()) -> Run:
    """Return a run of one call whose request holds *prompts*."""
    messages = tuple(Message("user", (Part(PartKind.TEXT, text),)) for text in prompts)
    call = Call(1, (Splice(0, 0, tuple(range(len(messages)))),), grade=Grade.RECORDED)
    return Run(
        "r", "r", "made", Layer.WIRE, Grade.RECORDED,
        messages=messages, calls=(call,), answers=(Answer(1, answer),), versions=tuple(versions),
    )  # fmt: skip


def document(source_id: str, text: str, *blocks: tuple[str, int, int]) -> Version:
    """Return a stored version."""
    return Version(
        VersionKey(source_id, "v1"),
        SourceKind.TEXT,
        text=text,
        chars=len(text),
        blocks=tuple(Block(name, Span(start, end)) for name, start, end in blocks),
    )


def told(found: Audit) -> list[tuple[str, str, str, str]]:
    """Return pattern, marked words, source with block, and verdict of each citation."""
    text = found.run.answers[0].text
    return [
        (
            facts.pattern,
            text[facts.citation.answer_span.start : facts.citation.answer_span.end]
            if facts.citation.answer_span
            else "",
            facts.source_id + (f" {facts.citation.block_id}" if facts.citation.block_id else ""),
            facts.verdict.word,
        )
        for facts in found.citations
    ]


def strays(found: Audit) -> list[str]:
    """Return what the audit says of marks that lead nowhere."""
    return [each.message for each in found.findings if each.rule == "CIT016"]


# -- numbers ----------------------------------------------------------------------------


def test_a_number_leads_to_the_entry_of_the_context_that_has_it() -> None:
    found = audit(run_of("It holds forty [1]. Then it stops [2].", CONTEXT))
    assert told(found) == [
        ("number", "[1]", "context:0 1", "read"),
        ("number", "[2]", "context:0 2", "read"),
    ]
    assert [facts.side for facts in found.citations] == ["answer", "answer"]
    assert LIMITS in (found.citations[0].evidence.text if found.citations[0].evidence else "")
    assert RETRIES not in (found.citations[0].evidence.text if found.citations[0].evidence else "")


def test_several_numbers_in_one_mark_are_several_citations() -> None:
    found = audit(run_of("Both hold [1, 2], and [1-2] too.", CONTEXT))
    assert [source for _, _, source, _ in told(found)] == 2 * ["context:0 1", "context:0 2"]


@pytest.mark.parametrize(
    ("listed", "verdict"),
    [
        ("[1] https://else.example/whales", "unverifiable"),
        ("[1] Whales of the northern sea", "unverifiable"),
        ("[1] Pool", "read"),
        ("[1] The pool holds forty connections", "read"),
    ],
)
def test_a_number_means_what_the_list_of_the_answer_says(listed: str, verdict: str) -> None:
    found = audit(run_of(f"It holds forty [1].\n\nSources:\n{listed}\n", CONTEXT))
    assert told(found)[0] == ("number", "[1]", "context:0 1", verdict)


def test_a_line_that_was_broken_before_a_mark_begins_no_list() -> None:
    found = audit(run_of("Whales hold many connections\n[1] in the northern sea.", CONTEXT))
    assert told(found) == [("number", "[1]", "context:0 1", "read")]


def test_a_number_that_no_context_has_is_told_of_and_is_no_citation() -> None:
    found = audit(run_of("It holds forty [7].", CONTEXT))
    assert told(found) == []
    assert strays(found) == [
        "marks in the answer of call 1 look like citations and lead to nothing that is known: [7]"
    ]


@pytest.mark.parametrize(
    "text", ["`rows[1]` is empty", "```\nrows [1]\n```\n", "see [1](https://nobody.example)"]
)
def test_numbers_in_code_and_links_are_no_marks(text: str) -> None:
    found = audit(run_of(text, CONTEXT))
    assert (told(found), strays(found)) == ([], [])


@pytest.mark.parametrize(
    "context",
    [
        f"Document 1: {LIMITS}\n\nDocument 2: {RETRIES}",
        f'<doc index="1">{LIMITS}</doc>\n<doc index="2">{RETRIES}</doc>',
        f"【1】{LIMITS}\n【2】{RETRIES}",
        f"资料 1：{LIMITS}\n资料 2：{RETRIES}",
        f"[0] nothing\n[1] {LIMITS}\n[2] {RETRIES}",
    ],
)
def test_contexts_are_numbered_in_many_ways(context: str) -> None:
    found = audit(run_of("Forty [1], three 【2】.", context))
    assert [(source, verdict) for _, _, source, verdict in told(found)] == [
        ("context:0 1", "read"),
        ("context:0 2", "read"),
    ]


def test_one_number_of_two_contexts_proves_nothing() -> None:
    found = audit(run_of("Forty [1].", CONTEXT, CONTEXT.replace("forty", "fifty")))
    ((_, _, _, verdict),) = told(found)
    assert verdict == "unverifiable"
    assert found.citations[0].reason == "2 entries of the request have number 1"


def test_numbers_that_do_not_rise_by_one_are_no_context() -> None:
    found = audit(run_of("Forty [3].", f"[3] {LIMITS}\n[9] {RETRIES}"))
    assert told(found) == []
    assert len(strays(found)) == 1


def test_a_known_document_under_a_number_is_what_the_number_names() -> None:
    version = document("pool.md", LIMITS)
    found = audit(run_of("Forty [1].", CONTEXT, versions=[version]))
    assert told(found) == [("number", "[1]", "pool.md", "read")]


def test_chunks_are_cited_as_ranges_with_both_ends() -> None:
    chunks = f"<C0>{LIMITS} <C1>{RETRIES} <C2>That is all of it.\nWhat holds?"
    found = audit(run_of("<statement>So.<cite>[0-1][2-2]</cite></statement>", chunks))
    spans = [chunks[f.span.start : f.span.end] for f in found.citations if f.span]
    assert spans == [f"<C0>{LIMITS} <C1>{RETRIES} ", "<C2>That is all of it."]
    assert {facts.verdict for facts in found.citations} == {Verdict.READ}
    beyond = audit(run_of("So.<cite>[2-3]</cite>", chunks))
    assert [facts.verdict for facts in beyond.citations] == [Verdict.OUT_OF_BOUNDS]
    assert audit(run_of("So.<cite></cite>", chunks)).citations == ()


def test_a_marker_of_file_search_leads_to_the_result_with_its_number() -> None:
    results = f"【4:0†pool.md】 {LIMITS}\n【4:1†retry.md】 {RETRIES}"
    found = audit(run_of("Three【4:1†source】. Else【4:7†source】.", results))
    assert told(found) == [("corner-brackets", "【4:1†source】", "context:0 4:1", "read")]
    assert RETRIES in (found.citations[0].evidence.text if found.citations[0].evidence else "")
    assert "【4:7†source】" in strays(found)[0]


# -- keys --------------------------------------------------------------------------------


def test_links_addresses_and_footnotes_lead_to_known_sources_only() -> None:
    page = document("https://a.example/x_(y)", LIMITS)
    answer = (
        "Per [it](https://a.example/x_(y)), (https://a.example/x_(y)). Note[^1], and [^2].\n"
        "Not https://a.example/x nor https://a.example/x_(y)/z nor [that](https://b.example).\n\n"
        "[^1]: https://a.example/x_(y)\n[^2]: my own words"
    )
    found = audit(run_of(answer, LIMITS, versions=[page]))
    assert [(pattern, words) for pattern, words, _, _ in told(found)] == [
        ("link", "[it](https://a.example/x_(y))"),
        ("address", "https://a.example/x_(y)"),
        ("footnote", "[^1]"),
    ]
    assert {facts.verdict for facts in found.citations} == {Verdict.READ}
    assert strays(found)[0].endswith("known: [^2]")


def test_a_reference_list_in_the_answer_says_what_its_numbers_mean() -> None:
    page = document("https://a.example/pool", LIMITS)
    answer = "Forty [1], and again [1].\n\nReferences\n[1] https://a.example/pool\n"
    found = audit(run_of(answer, LIMITS, versions=[page]))
    assert [(words, source) for _, words, source, _ in told(found)] == 2 * [
        ("[1]", "https://a.example/pool")
    ]


def test_the_longest_known_key_wins_and_a_part_of_a_key_is_none() -> None:
    text = f"{LIMITS} {RETRIES}"
    version = document("d03", text, ("d03#2", 0, 54), ("d03#2#b7", 55, 98))
    found = audit(run_of("See d03#2#b7, [d03#2], d03#2#b77 and 【d03】.", text, versions=[version]))
    assert [(words, source) for _, words, source, _ in told(found)] == [
        ("d03#2#b7", "d03 d03#2#b7"),
        ("[d03#2]", "d03 d03#2"),
        ("【d03】", "d03"),
    ]


def test_a_reference_points_at_its_span() -> None:
    version = document("d03", LIMITS)
    found = audit(run_of("It is d03@v1[0:8].", LIMITS, versions=[version]))
    ((pattern, words, source, verdict),) = told(found)
    assert (pattern, words, source, verdict) == ("reference", "d03@v1[0:8]", "d03", "read")
    assert found.citations[0].span == Span(0, 8)


def test_what_the_record_itself_cites_is_not_counted_twice() -> None:
    run = run_of("Forty [1].", CONTEXT)
    recorded = AnswerCitation(Span(0, 5), "nobody")
    held = audit(replace(run, answers=(Answer(1, "Forty [1].", (recorded,)),)))
    assert [facts.pattern for facts in held.citations] == [""]
    assert strays(held) == []


# -- lines of files ------------------------------------------------------------------------


PATH = "/repo/src/pool.py"
SHOWN = "".join(f"{number:6}\tline {number} of the pool\n" for number in range(10, 21))


def reading(answer: str, *others: tuple[str, str, str]) -> Run:
    """Return a run that read lines 10 to 20 of a file; *others* are tool, arguments, result."""
    lines = {number: f"line {number} of the pool" for number in range(10, 21)}
    version = Version(
        VersionKey(PATH, "partial:1"),
        SourceKind.FILE,
        text="\n".join(lines.values()),
        integrity=Integrity.RECONSTRUCTED,
        unit=Unit.LINE,
        line_numbers=tuple(lines),
    )
    came = Selection(PATH, "partial:1", Unit.LINE, (Span(10, 21),))
    calls = [ToolCall("t0", "Read", f'{{"file_path": "{PATH}"}}', 1)]
    results = [ToolResult("t0", SHOWN, selections=(came,), is_file_read=True)]
    versions = [version]
    for number, (tool, arguments, given) in enumerate(others, 1):
        id_ = f"t{number}"
        calls.append(ToolCall(id_, tool, arguments, 1))
        key = VersionKey(f"tool:{tool}:{id_}", "v1")
        versions.append(Version(key, SourceKind.TOOL_RESULT, text=given, chars=len(given)))
        whole = Selection(key.source_id, "v1", Unit.CHAR, (Span(0, len(given)),))
        results.append(ToolResult(id_, given, selections=(whole,)))
    messages = [Message("user", (Part(PartKind.TEXT, "Look."),))]
    for call, result in zip(calls, results, strict=True):
        asked = Part(PartKind.TOOL_CALL, call.arguments, call.id, call.name)
        messages.append(Message("assistant", (asked,)))
        shown = Part(PartKind.TOOL_RESULT, result.text or "", call.id)
        messages.append(Message("tool", (shown,)))
    held = tuple(range(len(messages)))
    return Run(
        "r", "r", "made", Layer.WIRE, Grade.RECORDED,
        messages=tuple(messages),
        calls=(
            Call(1, (Splice(0, 0, (0,)),), grade=Grade.RECORDED),
            Call(2, (Splice(1, 1, held[1:]),), grade=Grade.RECORDED),
        ),
        tool_calls=tuple(calls), tool_results=tuple(results),
        answers=(Answer(2, answer),), versions=tuple(versions),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("src/pool.py:12", (12, 13)),
        ("`src/pool.py:12-20`", (12, 21)),
        ("/repo/src/pool.py:12:5", (12, 13)),
        ("[pool](src/pool.py#L12-L14)", (12, 15)),
        ("[src/pool.py:12](/repo/src/pool.py:12)", (12, 13)),
        ("`pool.py` (lines 12-14)", (12, 15)),
        ("pool.py, line 12", (12, 13)),
        ("见src/pool.py:12", (12, 13)),
        ("pool.py 第12-14行", (12, 15)),
    ],
)
def test_lines_that_were_read_are_read_however_they_are_written(
    written: str, lines: tuple[int, int]
) -> None:
    (facts,) = audit(reading(f"It is in {written}.")).citations
    assert (facts.source_id, facts.span, facts.unit) == (PATH, Span(*lines), Unit.LINE)
    assert facts.verdict is Verdict.READ


def test_lines_that_were_never_given_are_never_read() -> None:
    found = audit(reading("See src/pool.py:30 and src/pool.py:18-25 and pool.py (lines 12, 40)."))
    assert [facts.verdict for facts in found.citations] == [
        Verdict.NEVER_READ,
        Verdict.PARTLY_READ,
        Verdict.READ,
        Verdict.NEVER_READ,
    ]


def test_a_file_that_nothing_in_the_record_names_is_unresolved() -> None:
    found = audit(reading("See src/other/thing.py:30."))
    assert [facts.verdict for facts in found.citations] == [Verdict.UNRESOLVED]


@pytest.mark.parametrize(
    "text", ["at 12:30", "http://localhost:8080/x", "v1.2:3", "example.com:443", "a ratio of 3:1"]
)
def test_other_words_with_a_colon_and_a_number_cite_nothing(text: str) -> None:
    assert audit(reading(text)).citations == ()


def test_a_name_that_may_be_two_files_proves_nothing() -> None:
    listing = ("Bash", "{}", "/repo/lib/pool.py\n/repo/src/pool.py\n")
    (facts,) = audit(reading("See pool.py:12.", listing)).citations
    assert facts.verdict is Verdict.UNVERIFIABLE
    assert facts.reason == f"pool.py may be any of {PATH}, /repo/lib/pool.py"
    (whole,) = audit(reading("See src/pool.py:12.", listing)).citations
    assert whole.verdict is Verdict.READ


def test_a_search_that_shows_path_and_line_shows_the_line() -> None:
    search = ("Grep", "{}", "src/pool.py:30:limit = 40\nsrc/other.py:7:limit = 41\n")
    found = audit(reading("See src/pool.py:30 and src/other.py:7, not src/other.py:8.", search))
    assert [(facts.source_id, facts.verdict) for facts in found.citations] == [
        ("tool:Grep:t1", Verdict.READ),
        ("tool:Grep:t1", Verdict.READ),
        ("src/other.py", Verdict.UNVERIFIABLE),
    ]
    first, second = found.citations[:2]
    assert first.evidence is not None
    assert first.evidence.text == "src/pool.py:30:limit = 40"
    assert second.evidence is not None
    assert second.evidence.text == "src/other.py:7:limit = 41"


def test_lines_of_an_earlier_state_of_the_file_prove_nothing_of_the_later_one() -> None:
    run = reading("See src/pool.py:18 and src/pool.py:10.")
    later = Version(
        VersionKey(PATH, "partial:2"),
        SourceKind.FILE,
        text="line 10 was changed in the meantime",
        integrity=Integrity.RECONSTRUCTED,
        unit=Unit.LINE,
        line_numbers=(10,),
    )
    came = Selection(PATH, "partial:2", Unit.LINE, (Span(10, 11),))
    text = "    10\tline 10 was changed in the meantime\n"
    again = ToolResult("t9", text, selections=(came,), is_file_read=True)
    message = Message("tool", (Part(PartKind.TOOL_RESULT, text, "t9"),))
    held = len(run.messages)
    first, second = run.calls
    grown = replace(second, splices=(*second.splices, Splice(held, held, (held,))))
    found = audit(
        replace(
            run,
            messages=(*run.messages, message),
            calls=(first, grown),
            tool_calls=(*run.tool_calls, ToolCall("t9", "Read", "{}", 1)),
            tool_results=(*run.tool_results, again),
            versions=(*run.versions, later),
        )
    )
    earlier, newest = found.citations
    assert (newest.verdict, newest.version_id) == (Verdict.READ, "partial:2")
    assert earlier.verdict is Verdict.UNVERIFIABLE
    assert earlier.reason == "these lines stand in the request in an earlier state of the file only"


@pytest.mark.parametrize(
    "result",
    [
        "/repo/lib/far.py:\n  Line 3: x = 1\n\n  Line 5: y = 2\n\n/repo/b.py:\n  Line 9: z",
        "lib/far.py\n3:x = 1\n4-\n5:y = 2\n--\n\nb.py\n9:z\n",
    ],
)
def test_a_search_may_print_its_lines_below_the_path(result: str) -> None:
    answer = "See lib/far.py:3, lib/far.py:5 and lib/far.py:9."
    found = audit(reading(answer, ("grep", "{}", result)))
    assert [facts.verdict for facts in found.citations[:2]] == [Verdict.READ, Verdict.READ]
    shown = [facts.evidence.text.strip() for facts in found.citations if facts.evidence]
    assert [words.split(":")[-1].strip() for words in shown] == ["x = 1", "y = 2"]
    assert found.citations[2].verdict is Verdict.UNVERIFIABLE


def test_one_number_in_two_files_of_one_name_proves_nothing() -> None:
    search = ("grep", "{}", "a/far.py:3:x = 1\nb/far.py:3:y = 2\n")
    (facts,) = audit(reading("See far.py:3.", search)).citations
    assert facts.verdict is Verdict.UNVERIFIABLE


def test_a_file_that_only_the_report_of_another_agent_names_is_unverifiable() -> None:
    report = ("Task", "{}", "The limit stands in src/deep/limit.py, near its end.")
    (facts,) = audit(reading("See src/deep/limit.py:3.", report)).citations
    assert facts.verdict is Verdict.UNVERIFIABLE
    assert facts.reason.endswith("is recorded; message 4 of the request names it")


def test_a_file_that_the_agent_only_wrote_is_unverifiable() -> None:
    written = ("Write", '{"file_path": "/repo/new.py", "content": "x"}', "done")
    (facts,) = audit(reading("See /repo/new.py:1.", written)).citations
    assert facts.verdict is Verdict.UNVERIFIABLE
    assert facts.reason == "no read of /repo/new.py is recorded; tool call t1 names it"


# -- patterns of a user ------------------------------------------------------------------------


def test_a_users_pattern_leads_to_known_keys_and_tells_of_others() -> None:
    version = document("kb/17.md", LIMITS)
    own = Pattern("ticket", Names.KEY, r"KB-(?P<key>[0-9]+)", "kb/{key}.md", tells=True)
    settings = Settings(patterns=Patterns((own, *BUILT_IN)))
    run = run_of("Forty KB-17, fifty KB-18.", LIMITS, versions=[version])
    found = audit(run, settings=settings)
    assert told(found) == [("ticket", "KB-17", "kb/17.md", "read")]
    assert strays(found)[0].endswith("known: KB-18")
    assert audit(run).citations == ()


def test_without_patterns_no_text_is_looked_at() -> None:
    found = audit(run_of("Forty [1] [7].", CONTEXT), settings=Settings(patterns=Patterns(())))
    assert (found.citations, strays(found)) == ((), [])


def test_the_record_stays_what_it_is() -> None:
    run = run_of("Forty [1].", CONTEXT)
    assert audit(run).run == run
    plain = audit(run_of("Forty.", CONTEXT))
    assert not any(source.source_id.startswith("context:") for source in plain.sources)


def test_an_answer_over_evidence_that_cites_in_its_text_cites() -> None:
    story = Story()
    story.document("notice")
    story.read("notice")
    found = audit(story.answer(text="Batches are limited, as [notice] says."))
    assert [facts.source_id for facts in found.citations] == ["notice"]


@pytest.mark.parametrize(
    "answer",
    ["【a" * 100_000, "a/b" * 100_000, "[a](" * 30_000, "<cite>[" * 30_000, "`a" * 100_000],
)
def test_an_answer_of_nothing_but_marks_is_looked_at_once(answer: str) -> None:
    assert audit(run_of(answer, CONTEXT), using=()).citations == ()


def test_lines_behind_the_end_of_one_of_two_files_are_no_error() -> None:
    run = reading("See pool.py:120.", ("Bash", "{}", "/repo/lib/pool.py\n/repo/src/pool.py\n"))
    _, *others = run.versions
    whole = document(PATH, SHOWN)
    came = replace(
        run.tool_results[0], selections=(Selection(PATH, "v1", Unit.CHAR, (Span(0, len(SHOWN)),)),)
    )
    run = replace(run, versions=(whole, *others), tool_results=(came, *run.tool_results[1:]))
    (facts,) = audit(run).citations
    assert facts.verdict is Verdict.UNVERIFIABLE
    assert facts.reason == f"pool.py may be any of {PATH}, /repo/lib/pool.py"
