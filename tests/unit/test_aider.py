"""Aider: the history of chats, which proves no request, and the log of requests, which does."""

from pathlib import Path

from store.importers.aider import IMPORTER
from store.records.grades import Grade, Layer
from store.records.runs import PartKind
from tests.unit.agent_files import recognised, runs_in, texts

CHAT = """
# aider chat started at 2026-01-01 10:00:00

> Aider v0.86.1
> Main model: some/model with diff edit format
> Added src/a.py to the chat.

#### look at the file
#### and tell

It holds one line.

> Tokens: 1.2k sent, 30 received.
> Applied edit to src/a.py

#### /drop src/a.py

# aider chat started at 2026-01-01 11:00:00

#### again

Yes.
"""
LOG = """TO LLM 2026-01-01T10:00:00
-------
SYSTEM Act as a programmer.
SYSTEM Be brief.
-------
USER I have *added these files to the chat* so you can go ahead and edit them.
USER
USER src/a.py
USER ```
USER one
USER two
USER ```
-------
ASSISTANT Ok.
-------
USER look
LLM RESPONSE 2026-01-01T10:00:05
ASSISTANT It holds two lines.
"""


def test_each_session_is_a_run_of_which_no_request_is_known(tmp_path: Path) -> None:
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(CHAT, encoding="utf-8")
    first, second = runs_in(path, IMPORTER)
    assert (first.run_id, first.grade) == ("chat 2026-01-01 10:00:00", Grade.UNKNOWN)
    assert texts(first, 1) == ["look at the file\nand tell"]
    assert first.answers[0].text == "It holds one line."
    assert first.calls[0].model == "some/model"
    assert [entry.source_id for entry in first.manifests[0].entries] == ["src/a.py"]
    assert [event.name for event in first.other_events] == ["command /drop"]
    assert (len(second.calls), second.layer) == (1, Layer.TRANSCRIPT)


def test_the_log_of_requests_holds_each_one_with_the_files_in_it(tmp_path: Path) -> None:
    path = tmp_path / "llm.history"
    path.write_text(LOG, encoding="utf-8")
    (run,) = runs_in(path, IMPORTER)
    assert (run.grade, run.layer, len(run.calls)) == (Grade.RECORDED, Layer.CLIENT, 1)
    assert [run.messages[index].role for index in run.request(1)] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    files = run.messages[run.request(1)[1]]
    assert "".join(part.text for part in files.parts).endswith("src/a.py\n```\none\ntwo\n```")
    (document,) = [part for part in files.parts if part.kind is PartKind.DOCUMENT]
    assert (document.text, document.source_id) == ("one\ntwo\n", "src/a.py")
    assert run.answers[0].text == "It holds two lines."


def test_a_request_without_a_response_is_a_call_that_failed(tmp_path: Path) -> None:
    path = tmp_path / "llm.history"
    path.write_text(LOG.partition("LLM RESPONSE")[0] + LOG, encoding="utf-8")
    (run,) = runs_in(path, IMPORTER)
    assert [bool(call.error) for call in run.calls] == [True, False]


def test_the_recorded_history_holds_files_and_no_call(shared: Path) -> None:
    path = shared / "data" / "transcripts" / "aider_chat_history.md"
    (run,) = runs_in(path, IMPORTER)
    assert run.calls == ()
    assert "server.py" in {entry.source_id for entry in run.manifests[0].entries}
    assert "no model call" in run.problems[-1].what


def test_other_markdown_is_no_history(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("# aider chat\n\n#### hello\n", encoding="utf-8")
    assert recognised(path) == ""
