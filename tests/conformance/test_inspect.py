"""Logs of Inspect: the wire request of each call against the recorded input of the same call."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store.evidence import derive
from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import PartKind, Problem, Run

LOGS = {
    "inspect_docent_log.eval": (15, 147),
    "inspect_browser.json": (1, 5),
    "inspect_msg_dedup.eval": (1, 6),
    "inspect_websearch.eval": (1, 1),
}
"""Samples, and calls of a model in all of them."""


def opened(path: Path) -> list[Run]:
    items = list(open_paths([str(path)]))
    assert [item for item in items if isinstance(item, Problem)] == []
    return [item for item in items if isinstance(item, Run)]


def samples(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix == ".json":
        yield from json.loads(path.read_text())["samples"]
        return
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith("samples/"):
                yield json.loads(archive.read(name))


def plain(value: Any, attachments: dict[str, str]) -> Any:  # noqa: ANN401 - JSON of any kind
    if isinstance(value, str) and value.startswith("attachment://"):
        return attachments[value.removeprefix("attachment://")]
    if isinstance(value, dict):
        return {key: plain(each, attachments) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each, attachments) for each in value]
    return value


def given(sample: dict[str, Any], event: dict[str, Any]) -> list[Any]:
    pool = sample.get("message_pool") or []
    refs = event.get("input_refs") or []
    held = event["input"] or [each for start, end in refs for each in pool[start:end]]
    listed = plain(held, sample.get("attachments") or {})
    assert isinstance(listed, list)
    return listed


def texts_of(content: Any) -> list[str]:  # noqa: ANN401 - as recorded
    if isinstance(content, str):
        return [content] if content else []
    return [each["text"] for each in content if each.get("type") == "text"]


@pytest.mark.parametrize("name", sorted(LOGS))
def test_each_sample_is_a_run_with_all_its_calls(shared: Path, name: str) -> None:
    runs = opened(shared / "data/inspect" / name)
    assert (len(runs), sum(len(run.calls) for run in runs)) == LOGS[name]
    assert {run.grade for run in runs} == {Grade.RECORDED}


@pytest.mark.parametrize("name", sorted(LOGS))
def test_every_text_of_the_recorded_input_stands_in_the_request(shared: Path, name: str) -> None:
    path = shared / "data/inspect" / name
    runs = {run.run_id.rpartition("/")[2]: run for run in opened(path)}
    for sample in samples(path):
        run = runs[f"{sample['id']}_epoch_{sample['epoch']}"]
        events = [event for event in sample["events"] if event["event"] == "model"]
        assert len(events) == len(run.calls)
        for call, event in zip(run.calls, events, strict=True):
            held = [
                part.text
                for index in run.request(call.index)
                for part in run.messages[index].parts
                if part.kind in (PartKind.TEXT, PartKind.TOOL_RESULT)
            ]
            wanted = [t for message in given(sample, event) for t in texts_of(message["content"])]
            shown = [text.strip() for text in held if text]
            # What went wrong in a tool is sent in place of its content.
            failed = [text for text in shown if text.startswith("Error: ")]
            assert [text.strip() for text in wanted] == [t for t in shown if t not in failed]


def test_the_wire_request_is_taken_where_the_log_holds_it(shared: Path) -> None:
    folder = shared / "data/inspect"
    for name in ("inspect_docent_log.eval", "inspect_browser.json", "inspect_websearch.eval"):
        reasons = {call.grade_reason for run in opened(folder / name) for call in run.calls}
        assert reasons == {"the wire request, which holds every text of the recorded input"}
    (pooled,) = opened(folder / "inspect_msg_dedup.eval")
    assert {call.grade_reason for call in pooled.calls} == {
        "the recorded input; the log holds no wire request"
    }


def test_attachments_stand_where_events_name_them(shared: Path) -> None:
    for run in opened(shared / "data/inspect/inspect_docent_log.eval"):
        parts = [part for message in run.messages for part in message.parts]
        assert not any(part.text.startswith("attachment://") for part in parts)
        assert run.problems == () or {p.kind for p in run.problems} == {"noted"}


def test_results_of_tools_become_sources_that_the_next_request_holds(shared: Path) -> None:
    run = derive(opened(shared / "data/inspect/inspect_browser.json")[0])
    results = [result for result in run.tool_results if result.text]
    assert [result.tool_call_id for result in results] == [call.id for call in run.tool_calls]
    assert all(result.selections for result in results)
    assert run.calls[1].usage.input_tokens
