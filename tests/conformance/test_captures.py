"""Recorded traffic against what is known of every citation in it.

The truth names for each citation of a file and exchange the ways of counting
under which the place holds the words, and whether it can be verified at all.
"""

import csv
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewer.app import Program
from reviewer.audit.engine import audit
from store.builder import RunBuilder
from store.importers._capture_files import Capture
from store.importers._capture_run import run_of
from store.importers._capture_secrets import Masker
from store.importers._capture_threads import Threads
from store.importers._providers import is_response, provider_of, wire_of
from store.opening import open_paths
from store.records.citations import SourceCitation
from store.records.findings import Audit, CitationFacts, Verdict
from store.records.grades import Grade, Layer
from store.records.runs import EditKind, PartKind, Problem, ProblemKind, Run
from tests.made import command

NO_CALL = ("format__mitmproxy__dumpfile-19.mitm", "mistral__cookbook__mistral-reference-rag.ipynb")
"""A page of the web, and a notebook whose cells show no response."""

RESPONSE_ONLY = "anthropic__prism__generate-text-with-custom-content-document-citations-1.json"
"""The truth of this one was found with a document that is not in the file."""

UNITS = {
    "block (0-based, end exclusive)": ("block",),
    "none (encrypted_index)": (),
    "char, 0-based, end INCLUSIVE": ("codepoint", "utf16", "utf8byte"),
    "char index into output text (insertion point)": ("point",),
    "1-based index into citations[] / search_results[]": ("marker",),
}


@cache
def opened(path: Path) -> tuple[Run | Problem, ...]:
    return tuple(open_paths([str(path)]))


def runs(path: Path) -> list[Run]:
    return [item for item in opened(path) if isinstance(item, Run)]


@cache
def audits(path: Path) -> tuple[Audit, ...]:
    return tuple(audit(run, lambda text: len(text) // 4, "characters") for run in runs(path))


def cited(path: Path) -> Mapping[int, Sequence[CitationFacts]]:
    """Return the citations of each exchange of a file, in the order of the response."""
    found: dict[int, list[CitationFacts]] = defaultdict(list)
    for each in audits(path):
        origins = {call.index: call.origin for call in each.run.calls}
        for facts in each.citations:
            found[int(origins[facts.call_at_answer].rpartition("#")[2])].append(facts)
    return found


def truth(shared: Path) -> list[dict[str, str]]:
    with (shared / "data/truth/citations.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def in_captures(shared: Path, name: str) -> Path:
    return shared / "data/captures" / name


def expected_units(row: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ways of counting under which the truth found the words of a citation."""
    named = row["unit(s) that fit"]
    return () if named.startswith("none") else UNITS.get(named) or tuple(named.split("/"))


def agrees(row: Mapping[str, str], facts: CitationFacts) -> bool:
    """Tell whether unit, anchor and verdict of a citation are those that the truth leaves."""
    offsets = facts.citation.offsets
    fits = offsets.fits if offsets else ()
    verified = row["match"] == "yes"
    if row["file"] == RESPONSE_ONLY:
        # Its place is counted as the truth says, and there is nothing to hold it against.
        known = offsets is not None and (offsets.documented,) == expected_units(row)
        return known and not fits and facts.verdict is Verdict.UNVERIFIABLE
    if set(fits) != set(expected_units(row)):
        return False
    if not verified:
        return facts.verdict is Verdict.UNVERIFIABLE and not fits
    in_source = isinstance(facts.citation, SourceCitation)
    return facts.anchor.value == "exact" and (facts.verdict is Verdict.READ or not in_source)


def test_every_citation_has_the_unit_the_anchor_and_the_verdict_that_are_known(
    shared: Path,
) -> None:
    rows, wrong = [], []
    for row in truth(shared):
        name, number, place = row["file"], int(row["interaction"]), int(row["citation no."])
        facts = cited(in_captures(shared, name))[number][place]
        offsets = facts.citation.offsets
        fits = ",".join(offsets.fits) if offsets else ""
        line = f"{name[:58]:58} {number}.{place:<3} {facts.verdict.word:14} {facts.anchor.value:8}"
        line += f" {fits:26} | {row['match']:12} {row['unit(s) that fit']}"
        rows.append(line)
        if not agrees(row, facts):
            wrong.append(line)
    head = f"{'file':58} {'place':5} {'verdict':14} {'anchor':8} {'units that fit':26} | truth"
    print(head, *rows, sep="\n")  # noqa: T201 - the table is what a person asks this test for
    assert not wrong, "\n".join(wrong)


def test_every_capture_is_a_run_or_says_why_it_is_none(shared: Path) -> None:
    for path in sorted((shared / "data/captures").iterdir()):
        found = runs(path)
        problems = [item for item in opened(path) if isinstance(item, Problem)]
        if path.name in NO_CALL:
            assert not found
            assert "holds no model call" in problems[0].what
        else:
            assert found, path.name
            assert all(run.layer.value == "wire" for run in found)
            assert not problems


def test_an_audit_of_a_folder_ends_with_what_could_not_be_read(
    shared: Path, tmp_path: Path
) -> None:
    names = [*NO_CALL, RESPONSE_ONLY, "anthropic__lc-anthropic__test_citations.yaml.gz"]
    for name in names:
        (tmp_path / name).write_bytes(in_captures(shared, name).read_bytes())
    ended = command("audit", str(tmp_path), "--fail-on", "never", program=Program())
    assert ended.status == 3
    *_, told = ended.out.partition("\nAudited ")
    assert told.startswith("3 runs: 6 citations (4 read, 2 unverifiable)")
    listed = told[told.index("Not read (2):") :]
    assert all(name in listed for name in NO_CALL)
    assert RESPONSE_ONLY not in listed


def test_a_streamed_answer_has_the_citations_of_one_that_was_not_streamed(shared: Path) -> None:
    found = cited(in_captures(shared, "anthropic__lc-anthropic__test_citations.yaml.gz"))
    plain, streamed = (
        [(f.source_id, f.span, f.block_id, f.verdict, f.anchor, f.citation.label) for f in facts]
        for facts in (
            [_Shown(f) for f in found[0]],
            [_Shown(f) for f in found[1]],
        )
    )
    assert plain == streamed
    assert len(plain) == 2


class _Shown:
    """The facts of a citation that do not depend on where it was made."""

    def __init__(self, facts: CitationFacts) -> None:
        self.source_id, self.span, self.verdict = facts.source_id, facts.span, facts.verdict
        self.block_id, self.anchor = facts.citation.block_id, facts.anchor
        self.citation = facts.citation


def test_each_conversation_of_a_capture_is_one_run(shared: Path) -> None:
    def calls(name: str) -> list[list[int]]:
        found = runs(in_captures(shared, name))
        return sorted([int(c.origin.rpartition("#")[2]) for c in run.calls] for run in found)

    assert calls("anthropic__lc-anthropic__test_citations.yaml.gz") == [[0], [1, 2]]
    assert calls("anthropic__lc-anthropic__test_compaction.yaml.gz") == [[0, 1, 2]]
    assert calls("anthropic__mirascope__handles-tool-execution-errors-and-retries.har") == [
        [0, 1, 2]
    ]
    session = calls("anthropic__claude-trace-dev__test-traffic.jsonl")
    assert sum(map(len, session)) == 64
    assert [5, 7, 9, 12, 14, 16, 18, 22, 24, 26, 28, 30, 32, 34] in session
    assert [57, 60, 63] in session


def test_results_that_the_service_cleared_are_not_in_the_request(shared: Path) -> None:
    (run,) = runs(in_captures(shared, "anthropic__clear_tool_uses_applied.json"))
    (edit,) = run.edits
    assert (edit.kind, edit.tool_call_ids) == (EditKind.CLEAR, ("toolu_cm1",))
    assert run.calls[0].grade is Grade.INFERRED
    assert "cleared 1 tool results" in run.calls[0].grade_reason
    assert len(run.tool_results[0].text or "") == 4800
    held = [part for index in run.request(1) for part in run.messages[index].parts]
    (result,) = [part for part in held if part.kind is PartKind.TOOL_RESULT]
    assert not result.text


@pytest.mark.parametrize("number", [0, 1])
def test_a_clearing_that_was_asked_for_and_not_applied_changes_nothing(
    shared: Path, number: int
) -> None:
    found = runs(in_captures(shared, "anthropic__lc-anthropic__test_context_management.yaml.gz"))
    assert "context_management" in found[number].calls[0].settings
    assert not found[number].edits


def test_what_stands_before_a_compaction_is_sent_again_and_not_read(shared: Path) -> None:
    (run,) = runs(in_captures(shared, "anthropic__lc-anthropic__test_compaction.yaml.gz"))
    paused, last = run.calls[1], run.calls[2]
    assert (paused.finish_reason, paused.grade) == ("compaction", Grade.RECORDED)
    assert last.grade is Grade.DERIVED
    sizes = [
        sum(len(part.text) for index in request for part in run.messages[index].parts)
        for request in run.requests()
    ]
    assert sizes[1] > 200_000
    assert sizes[2] < 1_000


def test_what_was_written_after_a_compaction_within_a_call_was_written_with_the_summary(
    shared: Path,
) -> None:
    name = "anthropic__pydantic-ai__test_anthropic_compaction_end_to_end.yaml"
    (run,) = runs(in_captures(shared, name))
    assert [call.grade for call in run.calls] == [Grade.INFERRED, Grade.DERIVED]
    first = [run.messages[index] for index in run.request(1)]
    assert [part.kind for part in first[-1].parts] == [PartKind.SUMMARY]
    assert any("capture altered" in problem.what for problem in run.problems)


def test_a_page_that_the_service_fetched_is_a_source_and_was_read_by_a_stated_rule(
    shared: Path,
) -> None:
    found = cited(in_captures(shared, "anthropic__lc-anthropic__test_web_fetch.yaml.gz"))
    facts = found[1][1]
    assert facts.source_id == "https://docs.langchain.com"
    assert facts.citation.offsets is not None
    # Bytes would lead elsewhere: two characters before it are no ASCII.
    assert facts.citation.offsets.fits == ("codepoint", "utf16")
    assert (facts.verdict, facts.grade) == (Verdict.READ, Grade.DERIVED)


def test_a_response_alone_cannot_say_what_was_read(shared: Path) -> None:
    (run,) = runs(in_captures(shared, RESPONSE_ONLY))
    assert run.grade is Grade.UNKNOWN
    (found,) = cited(in_captures(shared, RESPONSE_ONLY)).values()
    assert {facts.verdict for facts in found} == {Verdict.UNVERIFIABLE}
    assert {facts.reason for facts in found} == {"the request is not in the capture"}


def test_events_that_were_kept_one_a_line_are_one_response(shared: Path) -> None:
    (run,) = runs(in_captures(shared, "anthropic__ai__anthropic-clear-tool-uses.1.chunks.txt"))
    (call,) = run.calls
    assert (call.id, call.finish_reason) == ("msg_01YJG5jvxYUWfhVa6MSqT6qk", "end_turn")
    assert run.answers[0].text.endswith("San Francisco is the better choice right now.")
    assert not [p for p in run.problems if p.kind is ProblemKind.LOST]


def test_a_result_that_is_an_error_stays_one(shared: Path) -> None:
    name = "anthropic__mirascope__handles-tool-execution-errors-and-retries.har"
    (run,) = runs(in_captures(shared, name))
    assert [result.status for result in run.tool_results] == ["error", ""]


def test_a_chain_of_responses_is_read_from_the_capture(shared: Path) -> None:
    name = (
        "openai__pydantic-ai__test_openai_responses_compact_with_auto_previous_response_id_"
        "chain.yaml"
    )
    (run,) = runs(in_captures(shared, name))
    assert len(run.calls) == 8
    texts = [
        [part.text for index in request for part in run.messages[index].parts if part.text]
        for request in run.requests()
    ]
    assert texts[1] == ["What is 2+2?", "2 + 2 = **4**", "And 3+3?"]
    assert run.calls[1].grade is Grade.DERIVED
    assert texts[3] == ["And 4+4?"]
    assert run.calls[3].grade is Grade.INFERRED
    assert "encrypted" in run.calls[3].grade_reason


def test_a_conversation_that_the_service_keeps_stays_one_run_and_a_second_way_is_a_branch(
    shared: Path,
) -> None:
    name = "openai__lc-openai__test_web_search.yaml.gz"
    found = runs(in_captures(shared, name))
    calls = {run.run_id: [c.origin.rpartition("#")[2] for c in run.calls] for run in found}
    assert sorted(calls.values()) == [["0", "2"], ["1"], ["3"], ["4"]]
    branches = {run.run_id: run.branch for run in found if run.branch}
    assert branches == {f"{name}#3": f"{name}#0"}


def test_items_before_a_compaction_item_are_sent_again_and_not_read(shared: Path) -> None:
    (run,) = runs(in_captures(shared, "openai__lc-openai__test_compaction_streaming.yaml.gz"))
    sizes = [
        sum(len(part.text) for index in request for part in run.messages[index].parts)
        for request in run.requests()
    ]
    assert sizes[1] > 100_000
    assert sizes[2] < 1_000


def test_tokens_that_cannot_hold_the_text_show_what_a_response_no_longer_says(
    shared: Path, tmp_path: Path
) -> None:
    name = "anthropic__clear_tool_uses_applied.json"
    pair = json.loads(in_captures(shared, name).read_text(encoding="utf-8"))
    del pair["response"]["body"]["context_management"]
    (tmp_path / name).write_text(json.dumps(pair), encoding="utf-8")
    (run,) = runs(tmp_path / name)
    assert run.calls[0].grade is Grade.RECORDED
    (call,) = audits(tmp_path / name)[0].run.calls
    assert call.grade is Grade.UNKNOWN
    assert "cannot hold the text" in call.grade_reason


def test_a_compaction_is_told_by_its_block_and_by_the_usage_of_its_round(
    shared: Path, tmp_path: Path
) -> None:
    name = "anthropic__pydantic-ai__test_anthropic_compaction_end_to_end.yaml"
    first = runs(in_captures(shared, name))[0].calls[0]
    assert first.grade is Grade.INFERRED
    assert "compacted this request within the call" in first.grade_reason
    capture = Capture(in_captures(shared, name).read_bytes(), is_response)
    exchange = next(capture.interactions())
    answer: Any = exchange.response.value
    assert [each["type"] for each in answer["usage"]["iterations"]] == ["compaction", "message"]
    answer = {**answer, "content": answer["content"][1:]}
    pair = {"request": exchange.request.value, "response": answer}
    (tmp_path / "less.json").write_text(json.dumps(pair), encoding="utf-8")
    (run,) = runs(tmp_path / "less.json")
    assert run.calls[0].grade is Grade.UNKNOWN
    assert "usage of this call counts a compaction" in run.calls[0].grade_reason


def test_thinking_that_a_response_says_was_dropped_is_not_in_the_request(
    shared: Path, tmp_path: Path
) -> None:
    """The exchange is recorded; the thinking, and what the response says of it, are not."""
    name = "anthropic__clear_tool_uses_applied.json"
    pair = json.loads(in_captures(shared, name).read_text(encoding="utf-8"))
    messages = pair["request"]["body"]["messages"]
    at = next(n for n, message in enumerate(messages) if message["role"] == "assistant")
    thought = {"type": "thinking", "thinking": "A thought of an earlier turn.", "signature": "s"}
    messages[at]["content"].insert(0, thought)
    told = {"type": "thinking_dropped", "path": f"messages.{at}.content.0", "reason": "r"}
    pair["response"]["body"] |= {"context_management": {}, "input_transformations": [told]}
    (tmp_path / name).write_text(json.dumps(pair), encoding="utf-8")
    (run,) = runs(tmp_path / name)
    request = [part for index in run.request(1) for part in run.messages[index].parts]
    assert run.calls[0].grade is Grade.DERIVED
    assert PartKind.REASONING not in {part.kind for part in request}
    assert PartKind.TOOL_CALL in {part.kind for part in request}


def test_what_a_search_of_the_service_gave_is_neither_read_nor_denied(shared: Path) -> None:
    found = cited(in_captures(shared, "openai__lc-openai__test_file_search.yaml.gz"))
    assert [len(found[number]) for number in (0, 1)] == [6, 2]
    assert {facts.verdict for facts in found[0]} == {Verdict.UNVERIFIABLE}
    for each in audits(in_captures(shared, "openai__lc-openai__test_file_search.yaml.gz")):
        assert not [finding for finding in each.findings if finding.rule.startswith("GRD")]


def test_cached_content_is_what_an_earlier_exchange_asked_to_keep(shared: Path) -> None:
    name = (
        "google__ruby_llm__cachedcontent_explicit_caching_round-trip_gemini_gemini-2_5-flash_"
        "creates_uses_extends_and_deletes_a_cache.yml"
    )
    (run,) = runs(in_captures(shared, name))
    (call,) = run.calls
    assert call.origin == f"{name}#1"
    assert call.grade is Grade.DERIVED
    text = "".join(part.text for index in run.request(1) for part in run.messages[index].parts)
    assert len(text) > 62_400
    assert text.endswith("what does the cached handbook describe?")


def test_the_first_source_of_each_place_stands_in_the_order_of_the_places(shared: Path) -> None:
    found = cited(
        in_captures(shared, "google__pydantic-ai__test_google_model_web_search_tool_stream.yaml")
    )
    spans = [facts.citation.answer_span for facts in found[1]]
    assert spans[:7] == sorted(set(filter(None, spans)))
    assert spans[7:] == [spans[2], spans[2], spans[3], spans[3], spans[4], spans[4], spans[6]]


def test_a_notebook_without_a_response_says_so(shared: Path) -> None:
    (problem,) = opened(in_captures(shared, "mistral__cookbook__mistral-reference-rag.ipynb"))
    assert isinstance(problem, Problem)
    assert "no cell of this notebook shows a response" in problem.what


def test_half_of_any_capture_is_a_problem_or_in_doubt_and_never_a_crash(
    shared: Path, tmp_path: Path
) -> None:
    for path in sorted((shared / "data/captures").iterdir()):
        data = path.read_bytes()
        half = tmp_path / path.name
        half.write_bytes(data[: len(data) // 2])
        found = list(open_paths([str(half)]))
        problems = [item for item in found if isinstance(item, Problem)]
        problems += [p for run in found if isinstance(run, Run) for p in run.problems]
        assert problems, path.name
        assert not any("internal error" in problem.what for problem in problems), path.name
        whole = sum(len(run.calls) for run in runs(path))
        assert sum(len(run.calls) for run in found if isinstance(run, Run)) <= whole


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_value_of_another_type_anywhere_loses_no_call_and_makes_nothing_read(
    shared: Path, data: st.DataObject
) -> None:
    """Each exchange that is taken is one call, and what is called read is in a request."""
    strange = st.sampled_from([None, True, -1, 10**30, 1.5, "", "x", [], {}, [None], {"type": 1}])
    name = data.draw(st.sampled_from(sorted({row["file"] for row in truth(shared)})))
    capture = Capture(in_captures(shared, name).read_bytes(), is_response)
    threads = Threads()
    taken = []
    for exchange in capture.interactions():
        wire = wire_of(exchange, Masker())
        tree: list[object] = deepcopy(
            [wire.request, wire.response, [event for _, event in wire.events]]
        )
        places = list(_places(tree))
        for _ in range(data.draw(st.integers(0, 3))):
            holder, key = places[data.draw(st.integers(0, len(places) - 1))]
            holder[key] = data.draw(strange)
        request, response, events = tree
        named = zip(wire.events, events if isinstance(events, list) else [], strict=False)
        changed = replace(
            wire,
            request=request if isinstance(request, dict) else {},
            response=response,
            events=tuple((event_name, event) for (event_name, _), event in named),
        )
        provider = provider_of(changed)
        if provider is not None:
            threads.add(exchange.number, provider.read(changed), None)
            taken.append(f"{name}#{exchange.number}")
    calls = []
    for thread in threads.threads:
        run = run_of(thread, name, RunBuilder(name, name, "capture", Layer.WIRE))
        calls += [call.origin for call in run.calls]
        for facts in audit(run).citations:
            _check_read(run, facts)
    assert sorted(calls) == sorted(taken)


def _check_read(run: Run, facts: CitationFacts) -> None:
    """What is called read stands to the letter in the request of the call that answered."""
    if facts.verdict is not Verdict.READ:
        return
    found = facts.evidence
    assert found is not None
    assert found.call == facts.call_at_answer
    assert found.text
    part = run.messages[run.request(found.call)[found.message]].parts[found.part]
    assert part.text[found.message_span.start : found.message_span.end] == found.text


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 - JSON of any shape
    """Yield every place of a value in *tree*: what holds it, and under which key."""
    for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
        yield tree, key
        if isinstance(tree[key], (dict, list)):
            yield from _places(tree[key])
