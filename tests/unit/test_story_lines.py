"""The examples of rules are told line by line, with what came, what took a place and what went."""

from reviewer.app import Program
from reviewer.audit.rules._example import Story, cite
from reviewer.reports import story_lines
from store.records.runs import Grant, PartKind
from tests.made import command


def test_what_is_new_in_a_request_and_what_replaced_or_left_it_is_told() -> None:
    story = Story(grant=Grant(("not*",)))
    version = story.document("notice", blocks=[("n1", 0, 47)])
    story.read("notice")
    story.think()
    story.clear(shown="[cleared]")
    story.drop("read-1", PartKind.TOOL_CALL)
    run = story.answer(cite("notice", (0, 20), version_id=version))
    lines = list(story_lines(run))
    assert lines[0] == "granted: not*"
    assert lines[1].startswith(f"stored: notice@{version[:12]}…, blocks n1 [0:47]: Maintenance")
    assert lines[1].endswith("(151 characters)")
    assert lines[2] == "call 1 is given: user: What limits apply during maintenance?"
    assert 'call 2 is given: tool call read-1: read {"doc_id": "notice"}' in lines
    assert "call 3 has in its place: result of read-1: [cleared]" in lines
    assert 'call 3 no longer has: tool call read-1: read {"doc_id": "notice"}' in lines
    assert lines[-1].startswith("call 3 answers: Batches are limited [1]. (cites notice@")
    assert sum("What limits" in line for line in lines) == 1


def test_explain_tells_both_examples_and_the_finding() -> None:
    out = command("explain", "PLC001", program=Program()).out
    fires, silent = out.split("It fires here")[1].split("It is silent here")
    assert "finding: the text of docs/notice.md was cleared" in " ".join(fires.split())
    assert "finding" not in silent
    assert "read-2" in silent
