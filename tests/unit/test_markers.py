"""Words that stand where a result stood: only as a payload, never inside of one."""

import pytest

from store.records.markers import MARKERS, marker_of

EXAMPLES = {
    "cc.cleared": "[Old tool result content cleared]",
    "cc.persisted": "<persisted-output>\nOutput too large (40.1KB). Full output saved to: /h",
    "cc.persisted_later": "<persisted-output>Tool result saved to: /h/r\n\n"
    "Use Read to view\n</persisted-output>",
    "cc.unchanged": "File unchanged since last read. The earlier content is still current.",
    "cc.refused": "File content (45049 tokens) exceeds maximum allowed tokens (25000).",
    "cc.error": "<tool_use_error>The file does not exist.</tool_use_error>",
    "cc.partial": "1→a\n\n[Truncated: PARTIAL view - showing lines 1-200 of 900]",
    "cc.results_cut": "a.py\n(Results are truncated."
    " Consider using a more specific path or pattern.)",
    "cc.summary": "This session is being continued from a previous conversation"
    " that ran out of context. Then",
    "lc.cleared": "[cleared]",
    "lc.summary": "Here is a summary of the conversation to date:\n\nTen days.",
    "lc.tool_limit": "Tool call limit exceeded. Do not call 'search' again.",
    "lc.tool_limit_end": "'search' tool call limit reached: thread limit exceeded (6/5 calls).",
    "lc.model_limit": "Model call limits exceeded: run limit (3/3)",
    "lc.model_retry": "Model call failed after 3 attempts with TimeoutError: too slow",
    "lc.tool_retry": "Tool 'flaky' failed after 2 attempts with OSError: slow. Try again.",
    "lg.no_tool": "Error: nope is not a valid tool, try one of [read, search].",
    "lc.rejected": "User rejected the tool call for `delete` with reason: no",
    "lc.shell_cut": "row\n\n... Output truncated at 100 lines (observed 900).",
    "da.evicted": "Tool result too large, the result of this tool call c1 was saved in the"
    " filesystem at this path: /large_tool_results/c1\n\nYou can read it.",
    "da.evicted_message": "Message content too large and was saved to the filesystem at: /h",
    "da.summary": "You are in the middle of a conversation that has been summarized.\n\nThe full",
    "da.dangling": "Tool call read with id c1 did not complete - no result was recorded. It may",
    "da.results_cut": "['... [results truncated, try being more specific with your parameters]']",
    "da.output_cut": "row\n[Output was truncated due to size limits]",
    "swe.old": "Old environment output: (101 lines omitted)",
    "inspect.removed": "(Tool result removed)",
    "oh.masked": "<MASKED>",
    "haystack.cleared": "[Tool result removed to free up context. Call `search` again.]",
    "gemini.masked": "<tool_output_masked>\nhead\n</tool_output_masked>",
    "cline.removed": "[[NOTE] This file read has been removed to save space in the context"
    " window. Refer to the latest read.]",
}


def test_every_marker_has_an_example_here() -> None:
    assert set(EXAMPLES) == {marker.id for marker in MARKERS}


@pytest.mark.parametrize(("name", "payload"), EXAMPLES.items())
def test_a_payload_is_known_by_its_fixed_words(name: str, payload: str) -> None:
    marker = marker_of(payload)
    assert marker is not None
    assert marker.id == name


@pytest.mark.parametrize("payload", EXAMPLES.values())
def test_a_payload_that_quotes_the_words_is_no_placeholder(payload: str) -> None:
    assert marker_of(f"The manual says: {payload} and goes on.") is None


def test_a_long_payload_is_known_by_its_ends_alone() -> None:
    body = "x" * 10_000
    assert marker_of(f"{body}\n[cleared]\n{body}") is None
    assert marker_of("[cleared]" + " " * 10_000) is None
    found = marker_of(f"{body}\n\n... Output truncated at 100 lines (observed 900).")
    assert found is not None
    assert found.kind == "truncated"


def test_hostile_payloads_cost_no_time() -> None:
    for part in (" ", "\n", "[", "Tool call a", "[Output was truncated due to size limits"):
        assert marker_of(part * 200_000) is None
