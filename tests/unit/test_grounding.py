"""Each claim of an answer is located in the request of the call that wrote it."""

import time

import pytest

from reviewer.audit.engine import audit
from reviewer.audit.grounding_claims import claims
from store.records.findings import Audit, ClaimFacts, ClaimKind, Grounding
from store.records.grades import Grade
from store.records.runs import Answer, Part, PartKind, ToolCall, ToolResult
from tests.unit.audit_runs import Talk

LIMITS = "Batches are limited to 250 records, as batch_limit says, since 2026-10-27.\n"


def answered(talk: Talk, text: str) -> None:
    """Let the next call answer *text*."""
    talk.builder.answers.append(Answer(talk.call(), text))
    talk.say(text, role="assistant")


def told(talk: Talk, text: str) -> list[ClaimFacts]:
    """Answer *text* and return the facts of its claims."""
    answered(talk, text)
    found: Audit = audit(talk.run(), using=[])
    return [facts for facts in found.claims if facts.answer == len(found.run.answers) - 1]


def grounding(talk: Talk, text: str) -> Grounding:
    """Answer *text*, which makes one claim, and return where it stands."""
    (facts,) = told(talk, text)
    return facts.grounding


def test_what_a_result_says_is_found() -> None:
    talk = Talk()
    talk.result(LIMITS)
    found = told(talk, 'At most 250 since 27 Oct 2026; "Batches are limited" by `batch_limit`.')
    assert {facts.grounding for facts in found} == {Grounding.FOUND}
    assert [facts.kind for facts in found] == [
        ClaimKind.NUMBER,
        ClaimKind.DATE,
        ClaimKind.QUOTATION,
        ClaimKind.IDENTIFIER,
    ]


@pytest.mark.parametrize(
    "text",
    [
        "At most 251.",
        "Since 28 Oct 2026.",
        'It says "batches are never limited".',
        "See batch_size.",
    ],
)
def test_what_nothing_says_is_nowhere(text: str) -> None:
    talk = Talk()
    talk.result(LIMITS)
    assert grounding(talk, text) is Grounding.NOWHERE


def test_a_claim_is_found_behind_escapes_and_line_numbers() -> None:
    talk = Talk()
    talk.result('{"body": "one\\ntwo_words and \\u6c99\\u7bb1\\u8fb9\\u754c\\u5b9a\\u4e49\\u5728"}')
    talk.result("    12→the first line\n    13→goes on here\n", id="r2")
    found = told(talk, '`two_words`「沙箱边界定义在」"the first line goes on here"')
    assert {facts.grounding for facts in found} == {Grounding.FOUND}


def test_what_was_cleared_is_named_with_the_call_that_last_had_it() -> None:
    talk = Talk()
    place = talk.result(LIMITS)
    talk.call()
    talk.call()
    talk.replace(place, "[cleared]")
    talk.call()
    (facts,) = told(talk, "At most 250.")
    assert (facts.grounding, facts.last_call, facts.tool_call_id) == (Grounding.CLEARED, 2, "r1")


def test_the_head_that_a_placeholder_kept_is_no_full_text_and_its_own_words_are() -> None:
    talk = Talk()
    place = talk.result(LIMITS * 9)
    talk.call()
    talk.replace(place, LIMITS[:50] + "\n[the rest went to saved_result_7.txt]")
    kept, named = told(talk, "At most 250, see saved_result_7.txt.")
    assert kept.grounding is Grounding.PLACEHOLDER
    assert named.grounding is Grounding.FOUND


def test_what_was_obtained_and_never_delivered_is_nowhere_and_says_who_holds_it() -> None:
    talk = Talk()
    talk.result("[saved to a file]", obtained=LIMITS)
    (facts,) = told(talk, "At most 250.")
    assert (facts.grounding, facts.obtained) == (Grounding.NOWHERE, "r1")


def test_an_answer_that_repeats_a_result_speaks_against_an_inferred_loss() -> None:
    talk = Talk(grade=Grade.INFERRED)
    talk.result("[saved to a file]", obtained=LIMITS)
    (facts,) = told(talk, "At most 250.")
    assert (facts.grounding, facts.obtained) == (Grounding.UNVERIFIABLE, "r1")
    assert grounding(talk, "At most 777.") is Grounding.NOWHERE


def test_what_the_user_said_needs_no_other_source() -> None:
    talk = Talk()
    asked = talk.say("Is 250 the limit?")
    talk.result("yes")
    talk.call()
    talk.held.pop(asked)
    assert grounding(talk, "It is 250.") is Grounding.FOUND


def test_what_the_model_did_needs_no_other_source() -> None:
    talk = Talk()
    call = Part(PartKind.TOOL_CALL, '{"path": "new_file.py"}', tool_call_id="r1")
    talk.held.append(talk.builder.message("assistant", [call]))
    talk.result("ok")
    assert grounding(talk, "I wrote new_file.py.") is Grounding.FOUND


def test_the_models_own_words_stand_where_they_stood_when_it_wrote_them() -> None:
    talk = Talk()
    place = talk.result(LIMITS)
    answered(talk, "The limit is 250.")
    talk.replace(place, "[cleared]")
    assert grounding(talk, "As I said, 250.") is Grounding.FOUND
    invented = Talk()
    invented.result(LIMITS)
    answered(invented, "The limit is 777.")
    assert grounding(invented, "As I said, 777.") is Grounding.NOWHERE


def test_a_quotation_of_its_own_words_is_true() -> None:
    talk = Talk()
    talk.result("nothing")
    answered(talk, "Section 5 of the beta module defines the limits.")
    assert grounding(talk, 'I claimed "Beta module Section 5".') is Grounding.FOUND


def test_what_follows_from_other_values_is_worked_out() -> None:
    talk = Talk()
    talk.say("What is 15% of 240?")
    talk.result("before 1200 ms, now 900 ms")
    found = told(talk, "From 1200 ms to 900 ms, that is 300 ms or 25% less. 15% of it is 36.")
    assert {facts.grounding for facts in found} == {Grounding.FOUND}
    assert grounding(talk, "It is 4711 ms.") is Grounding.NOWHERE


def test_nothing_is_nowhere_where_something_cannot_be_looked_into() -> None:
    talk = Talk()
    talk.held.append(talk.builder.message("user", [Part(PartKind.IMAGE, opaque_bytes=9)]))
    assert grounding(talk, "At most 250.") is Grounding.UNVERIFIABLE
    unknown = Talk(grade=Grade.UNKNOWN)
    unknown.say("hello")
    assert grounding(unknown, "At most 250.") is Grounding.UNVERIFIABLE
    unrecorded = Talk()
    unrecorded.builder.tool_calls.append(ToolCall("r1", "read", by_call=1))
    unrecorded.builder.tool_results.append(ToolResult("r1", None))
    unrecorded.call()
    assert grounding(unrecorded, "At most 250.") is Grounding.UNVERIFIABLE


def test_markup_lists_headings_and_marks_of_citations_claim_nothing() -> None:
    text = "## 2. Limits of 2031\n\n1. One [12]\n22. Two 【33†source】\n- **3.4** <b data-x='44'>\n"
    assert claims(text) == ()


def test_proposals_and_blocks_of_code_may_name_what_is_new() -> None:
    talk = Talk()
    talk.result(LIMITS)
    found = told(
        talk,
        "You should add `retry_limit`.\n```\nlimit = read_the_batch_limit()\n```\nThat is it.",
    )
    assert [(facts.grounding, facts.is_own) for facts in found] == [(Grounding.NOWHERE, True)] * 2


def test_places_of_claims_are_places_of_the_answer() -> None:
    text = "在２５０条处，见 `batch_limit` 与 https://a.example/b。“the words of a line”"
    for claim in claims(text):
        assert text[claim.span.start : claim.span.end] == claim.text
    assert len(claims(text)) == 4


def run_of(calls: int) -> Talk:
    talk = Talk()
    for number in range(calls):
        talk.result(f"row_{number} holds {number * 7919} since 2026-10-27 " * 3, id=f"r{number}")
        answered(talk, f"row_{number} holds {number * 7919}, row_{number}_b {number * 7907 + 3}.")
    return talk


def test_the_cost_follows_the_length_of_the_run() -> None:
    def seconds(calls: int) -> float:
        run = run_of(calls).run()
        begun = time.process_time()
        audit(run, using=[])
        return time.process_time() - begun

    seconds(50)
    small = min(seconds(150) for _ in range(2))
    assert seconds(1200) < 8 * 2.5 * small


def test_an_answer_full_of_numbers_costs_what_it_is_long() -> None:
    def seconds(count: int) -> float:
        talk = Talk()
        talk.result(" ".join(str(number * 7919) for number in range(100, 100 + count)))
        text = " ".join(str(number * 7919 + number % 2) for number in range(100, 100 + count))
        answered(talk, text)
        run = talk.run()
        begun = time.process_time()
        audit(run, using=[])
        return time.process_time() - begun

    seconds(100)
    small = min(seconds(400) for _ in range(2))
    assert seconds(3200) < 8 * 2.5 * small


TABLE = "| name | Q1 | Q2 |\n|---|---|---|\n| a | 120 | 130 |\n| b | 80 | 95 |\n"
RECORDS = '[{"n": "a", "ms": 310}, {"n": "b", "ms": 470}, {"n": "c", "ms": 510}]'


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (TABLE, "Together 200 and 225, that is 12.5% more."),
        (TABLE, "On average 112.5 in Q2."),
        (TABLE, "For a the rise is 8.3%."),
        (RECORDS, "They took 1290 ms, 430 ms each."),
        ("员工3,420人，研发人员占三成。", "研发约1026人，共3420人。"),
        ("\n".join(f"file_{number}" for number in range(37)), "There are 37 files."),
    ],
)
def test_totals_means_shares_and_counts_of_results_are_worked_out(text: str, answer: str) -> None:
    talk = Talk()
    talk.result(text)
    assert {facts.grounding for facts in told(talk, answer)} == {Grounding.FOUND}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (TABLE, "Together 431."),
        (TABLE, "For a the rise is 9.3%."),
        (RECORDS, "They took 1291 ms."),
        (
            "It held 120 in one place. Elsewhere 95. And 310, 470, 17, 12.",
            "It is 215.",
        ),
    ],
)
def test_what_nobody_would_reckon_is_nowhere(text: str, answer: str) -> None:
    talk = Talk()
    talk.result(text)
    assert Grounding.NOWHERE in {facts.grounding for facts in told(talk, answer)}


def test_the_unit_may_stand_in_the_key() -> None:
    talk = Talk()
    talk.result('{"timeout_ms": 30000, "sizeBytes": 1073741824, "ratio": 0.375}')
    found = told(talk, "It waits 30 s for 1.07 GB, 37.5% of all; before it was 45 s.")
    assert [facts.grounding for facts in found] == [*[Grounding.FOUND] * 3, Grounding.NOWHERE]


def test_how_addresses_begin_and_names_for_examples_are_no_claims() -> None:
    text = (
        "It lacks a scheme such as `https://` or `http://`; write `example.com`, "
        "`https://example.com` or https://www.example.org/."
    )
    assert claims(text) == ()
    (claim,) = claims("It lies at `https://example.com/limits-2031`.")
    assert claim.kind is ClaimKind.ADDRESS


def test_a_quotation_reads_over_the_targets_of_links() -> None:
    talk = Talk()
    talk.result("[**Batches**](/limits/batches) are [kept](https://a.example/x) below the limit.")
    assert grounding(talk, '"Batches are kept below the limit"') is Grounding.FOUND


def test_the_target_of_a_link_can_be_quoted_with_it() -> None:
    talk = Talk()
    talk.result("Batches (see [limits](/ops/limits/batches) of the year) are small.")
    assert grounding(talk, '"see limits ops limits batches of the year"') is Grounding.FOUND
