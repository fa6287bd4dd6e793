"""A producer writes a run folder, and the same run comes back from it."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from store.opening import open_paths
from store.records.runs import ProblemKind, Run
from store.records.sources import Selection
from store.records.text import Span
from store.run_writer import LONG_PART_CHARS, RunWriter, tool_call_part, tool_result_part

LONG = "第一行 a long result\n" * LONG_PART_CHARS


def _written(folder: Path) -> Path:
    writer = RunWriter(folder, "r-1", "A test", "2026-01-01T00:00:00Z")
    version = writer.version("d", LONG, title="D")
    asked = {"role": "user", "parts": [{"type": "text", "content": "half \ud83d"}]}
    called = {"role": "assistant", "parts": [tool_call_part("t1", "read", {"name": "d"})]}
    writer.model_call([asked], [called])
    writer.tool_call("t1", "read", {"name": "d"}, 1)
    selection = Selection("d", version, ranges=(Span(0, len(LONG)),))
    writer.tool_result("t1", LONG, selection=selection)
    result = {"role": "tool", "parts": [tool_result_part("t1", LONG)]}
    writer.model_call([asked, called, result], [])
    return writer.finish()


def _read(folder: Path) -> Run:
    (run,) = open_paths([str(folder)])
    assert isinstance(run, Run)
    assert {problem.kind for problem in run.problems} <= {ProblemKind.NOTED}
    return run


def test_what_was_written_is_what_is_read(tmp_path: Path) -> None:
    run = _read(_written(tmp_path / "run"))
    assert [len(request) for request in run.requests()] == [1, 3]
    assert run.messages[run.request(2)[2]].parts[0].text == LONG
    assert run.messages[run.request(1)[0]].parts[0].text == "half \ud83d"
    assert run.tool_results[0].text == LONG
    assert run.versions[0].text == LONG


def test_a_long_text_is_stored_once(tmp_path: Path) -> None:
    folder = _written(tmp_path / "run")
    assert len([path for path in (folder / "store/objects").rglob("*") if path.is_file()]) == 1
    assert (folder / "events.jsonl").stat().st_size < len(LONG) // 10


def test_a_message_sent_again_is_a_reference(tmp_path: Path) -> None:
    folder = _written(tmp_path / "run")
    events = [json.loads(line) for line in (folder / "events.jsonl").read_bytes().split(b"\n")[:-1]]
    second = [event for event in events if event["event"] == "model_call"][1]
    assert second["request"]["messages"][0] == {"same_as": [1, 0]}


def test_the_manifest_names_the_hash_of_each_file(tmp_path: Path) -> None:
    folder = _written(tmp_path / "run")
    files = json.loads((folder / "manifest.json").read_bytes())["files"]
    for name, recorded in files.items():
        data = (folder / name).read_bytes()
        assert recorded == {"sha256": sha256(data).hexdigest(), "bytes": len(data)}


def test_a_record_is_never_written_over_another(tmp_path: Path) -> None:
    folder = _written(tmp_path / "run")
    with pytest.raises(FileExistsError, match="not empty"):
        RunWriter(folder, "r-2")
