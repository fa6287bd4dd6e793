"""OpenHands: completion logs as they were sent, one conversation from six files."""

import json
from pathlib import Path

from store.evidence import derive
from store.importers._base import HEAD_BYTES, Probe
from store.importers.openhands import IMPORTER
from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import PartKind, Run

FOLDER = "data/openhands"


def read(path: Path) -> Run:
    (run,) = [item for item in open_paths([str(path)]) if isinstance(item, Run)]
    return run


def texts_of(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(each["text"] for each in content) if isinstance(content, list) else ""


def test_the_files_of_a_folder_are_the_calls_of_one_conversation(shared: Path) -> None:
    folder = shared / FOLDER
    run = read(folder)
    files = sorted(folder.iterdir())
    logs = [json.loads(file.read_text()) for file in files]
    assert [call.id for call in run.calls] == [log["response"]["id"] for log in logs]
    assert [call.origin for call in run.calls] == [file.name for file in files]
    assert {call.grade for call in run.calls} == {Grade.RECORDED}
    for call, log in zip(run.calls, logs, strict=True):
        shown = [
            "\n".join(
                part.text
                for part in run.messages[index].parts
                if part.kind in (PartKind.TEXT, PartKind.TOOL_RESULT) and part.text
            )
            for index in run.request(call.index)
        ]
        assert shown == [texts_of(message["content"]) for message in log["messages"]]
        assert call.usage.input_tokens == log["response"]["usage"]["prompt_tokens"]


def test_a_file_that_was_viewed_becomes_its_lines(shared: Path) -> None:
    run = derive(read(shared / FOLDER))
    (version,) = [v for v in run.versions if v.key.source_id.endswith("/hello.py")]
    assert version.text == "print('Hello, World!')\n"
    assert version.line_numbers == (1,)
    (answer,) = run.answers
    assert answer.call == 6
    assert answer.text.startswith("The hello.py file already exists")


def test_one_file_alone_is_one_recorded_call(shared: Path) -> None:
    path = max((shared / FOLDER).iterdir())
    probe = Probe(path, path.name, is_folder=False, head=path.read_bytes()[:HEAD_BYTES])
    assert IMPORTER.recognise(probe)
    run = read(path)
    assert len(run.calls) == 1
    assert len(run.request(1)) == 12
