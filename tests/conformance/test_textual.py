"""Citations in the text of recorded answers, against the recorded words themselves."""

import json
import re
from pathlib import Path

import pytest

from reviewer.audit.engine import audit
from store.opening import open_paths
from store.records.findings import CitationFacts, Verdict
from store.records.grades import Grade, Layer
from store.records.runs import Answer, Call, Message, Part, PartKind, Run, Splice


def cited(path: Path) -> list[tuple[Run, CitationFacts]]:
    """Return every citation that stands in the text of an answer."""
    return [
        (run, facts)
        for run in open_paths([str(path)])
        if isinstance(run, Run)
        for facts in audit(run, using=()).citations
        if facts.pattern
    ]


def asked(prompt: str, answer: str) -> Run:
    """Return a run of one call that was given *prompt* and wrote *answer*."""
    return Run(
        "r", "r", "made", Layer.WIRE, Grade.RECORDED,
        messages=(Message("user", (Part(PartKind.TEXT, prompt),)),),
        calls=(Call(1, (Splice(0, 0, (0,)),), grade=Grade.RECORDED),),
        answers=(Answer(1, answer),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("file", "count"),
    [
        ("codex/codex_040_c.jsonl", 5),
        ("claude-code/cc_2058_era1_cleared_silent.jsonl", 1),
    ],
)
def test_lines_that_a_coding_agent_names_are_found(shared: Path, file: str, count: int) -> None:
    found = cited(shared / "data" / file)
    assert len(found) == count
    for run, facts in found:
        span = facts.citation.answer_span
        assert span is not None
        written = run.answers[facts.answer].text[span.start : span.end]
        assert facts.source_id.endswith(re.split(r"[`:(]", written.strip("`"))[0].strip())


def test_a_line_that_is_called_read_stands_in_a_tool_result_before_the_answer(
    shared: Path,
) -> None:
    path = shared / "data" / "codex/codex_040_c.jsonl"
    lines = path.read_text("utf-8").splitlines()
    shown = "\n".join(line for line in lines if '"function_call_output"' in line)
    found = [facts for _, facts in cited(path) if facts.verdict is Verdict.READ]
    assert found
    for facts in found:
        assert facts.evidence is not None
        words = facts.evidence.text.strip().splitlines()[0]
        # A result may be JSON in JSON.
        once = json.dumps(words, ensure_ascii=False)[1:-1]
        twice = json.dumps(once, ensure_ascii=False)[1:-1]
        assert any(form in shown for form in (words, once, twice))


def test_every_number_of_a_scholarly_answer_leads_to_its_context(shared: Path) -> None:
    place = shared / "data" / "answers" / "ds_scholarqa_multi_human_answers.json"
    marks = inside = 0
    for item in json.loads(place.read_text("utf-8")):
        entries = [f"[{n}] {ctx['title']}\n{ctx['text']}" for n, ctx in enumerate(item["ctxs"])]
        run = asked("\n\n".join((*entries, item["input"])), item["output"])
        known = {str(number) for number in range(len(entries))}
        wanted = [
            numbers
            for mark in re.findall(r"\[([0-9, -]+)\]", item["output"])
            if (numbers := [str(int(n)) for n in re.findall("[0-9]+", mark)])
        ]
        found = audit(run, using=()).citations
        assert all(facts.verdict is Verdict.READ for facts in found)
        expected = [n for numbers in wanted if known.issuperset(numbers) for n in numbers]
        got = [facts.citation.block_id or "" for facts in found]
        assert set(got) == set(expected)
        marks += len(expected)
        inside += len(got)
    assert marks > 700
    assert inside >= marks


def test_chunks_of_a_long_document_are_led_to_their_sentences(shared: Path) -> None:
    place = shared / "data" / "answers" / "ds_longcite_one_shot_prompt.txt"
    text = place.read_text("utf-8")
    start = text.index("[Document Start]\n<C0>")
    end = text.index("[Document End]", start)
    answer = text[text.index("[Answer with Citations]", end) : text.index("Now get ready")]
    document = text[start:end]
    found = audit(asked(document, answer), using=()).citations
    assert [facts.citation.label for facts in found] == ["10-10", "17-17", "6-7"]
    assert {facts.verdict for facts in found} == {Verdict.READ}
    first = found[0].span
    assert first is not None
    assert document[first.start : first.end].startswith("<C10>")
    assert "<C11>" not in document[first.start : first.end]
