"""SWE-agent: what its steps keep of the requests against the history they were made from."""

import json
from pathlib import Path

from store.evidence import derive
from store.importers._base import HEAD_BYTES, Probe
from store.importers.swe_agent import IMPORTER
from store.records.grades import Grade
from store.records.runs import EditKind, PartKind, Run

NAME = "data/swe-agent/sweagent_fc_replace_from_source.traj"


def read(path: Path) -> Run:
    head = path.read_bytes()[:HEAD_BYTES]
    probe = Probe(path, path.name, is_folder=False, head=head, size=path.stat().st_size)
    assert IMPORTER.recognise(probe)
    (run,) = [item for item in IMPORTER.read(probe) if isinstance(item, Run)]
    return derive(run)


def texts(run: Run, call: int) -> list[str]:
    return [
        "".join(p.text for p in run.messages[index].parts if p.kind is not PartKind.TOOL_CALL)
        for index in run.request(call)
    ]


def test_each_request_is_what_stands_behind_the_step_before_it(shared: Path) -> None:
    path = shared / NAME
    steps = json.loads(path.read_text())["trajectory"]
    run = read(path)
    assert len(run.calls) == len(steps) == 13
    kept = [steps[0]["messages"][:2], *(step["messages"] for step in steps[:-1])]
    for call, messages in enumerate(kept, 1):
        assert texts(run, call) == [message["content"] for message in messages]
    assert {call.grade for call in run.calls} == {Grade.RECORDED}


def test_no_request_holds_the_response_to_itself(shared: Path) -> None:
    run = read(shared / NAME)
    for call in run.calls:
        assert set(call.response) & set(run.request(call.index)) == set()


def test_the_elided_observations_are_cleared_and_their_originals_stand_in_the_history(
    shared: Path,
) -> None:
    path = shared / NAME
    document = json.loads(path.read_text())
    notices = [
        message["content"]
        for step in document["trajectory"]
        for message in step["messages"]
        if message["content"].startswith("Old environment output: (")
    ]
    run = read(path)
    shown = [text for call in run.calls for text in texts(run, call.index)]
    # The last step keeps messages too, and no call follows that they were sent with.
    last = [m["content"] for m in document["trajectory"][-1]["messages"] if m["content"] in notices]
    assert len(notices) == 36
    assert sum(text in notices for text in shown) == len(notices) - len(last)
    cleared = [call_id for edit in run.edits for call_id in edit.tool_call_ids]
    assert {edit.kind for edit in run.edits} == {EditKind.CLEAR}
    originals = {message["content"] for message in document["history"]}
    kept = {result.tool_call_id: result.text for result in run.tool_results}
    assert len(cleared) == 7
    assert all(kept[call_id] in originals for call_id in cleared)


def test_windows_on_files_become_lines_of_versions(shared: Path) -> None:
    run = read(shared / NAME)
    lines = {
        version.key.source_id: dict(
            zip(version.line_numbers, (version.text or "").split("\n"), strict=False)
        )
        for version in run.versions
        if version.line_numbers
    }
    fields = lines["/testbed/src/marshmallow/fields.py"]
    assert 1475 in fields or 1476 in fields
    assert all(result.selections for result in run.tool_results if result.is_file_read)
