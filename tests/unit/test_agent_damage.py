"""Files of agents that are cut, wrongly encoded or hostile end in a clear line, and soon."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from store.opening import open_paths
from store.records.runs import Problem, Run

Change = Callable[[bytes], bytes]


def inside(data: bytes, what: bytes) -> bytes:
    """Put *what* before the first value of a ``content``, else into the middle."""
    at = data.find(b'"content"')
    place = data.find(b":", at) + 1 if at > 0 else len(data) // 2
    return data[:place] + what + data[place:]


CHANGES: dict[str, Change] = {
    "cut in half": lambda data: data[: len(data) // 2],
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "with zero bytes": lambda data: data[:300] + b"\0" * 50 + data[300:],
    "endless integer": lambda data: inside(data, b"1" * 3_000_000),
    "deep nesting": lambda data: inside(data, b"[" * 100_000),
    "deep value": lambda data: data.replace(
        b'"role"', b'"d":' + b'{"a":' * 900 + b"1" + b"}" * 900 + b',"role"', 2
    ),
    "half a character": lambda data: data.replace(b'": "', b'": "\\ud800', 40),
    "ids that are numbers": lambda data: data.replace(b'"id":"', b'"id":7,"x":"'),
}
SAMPLES = (
    "codex/codex_040_c.jsonl",
    "transcripts/pi_session.jsonl",
    "opencode/opencode_parts.json",
    "transcripts/aider_chat_history.md",
    "transcripts/atif_hermes_nemo_v17_redacted.json",
    "generated/pydantic_ai_messages.json",
    "generated/smolagents_memory_full_steps.json",
    "inspect/inspect_browser.json",
    "openhands/openhands_llmlog_1757015046.707.json",
    "swe-agent/mini_swe_agent.traj.json",
    "swe-agent/sweagent_fc_replace_from_source.traj",
)
OWN = {
    "gemini.json": b'{"sessionId":"s","projectHash":"h","messages":[{"id":"u","type":"user",'
    b'"content":"hi"},{"id":"g","type":"gemini","role":"x","content":"yo"}]}',
    "cline.json": b'[{"role":"user","content":[{"type":"text","text":"<task>x</task>"}]},'
    b'{"role":"assistant","content":"<read_file><path>a</path></read_file>"}]',
    "export.json": b'{"info":{"id":"ses_abcdef12"},"messages":[{"info":{"id":"msg_1",'
    b'"role":"assistant"},"parts":[{"type":"text","id":"p","content":"","text":"x"}]}]}',
}


def told(path: Path) -> Iterator[Problem]:
    for item in open_paths([str(path)]):
        yield from item.problems if isinstance(item, Run) else [item]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", [*SAMPLES, *OWN])
def test_a_damaged_file_is_told_and_never_an_error_of_the_program(
    shared: Path, tmp_path: Path, name: str, change: str
) -> None:
    data = OWN[name] if name in OWN else (shared / "data" / name).read_bytes()
    path = tmp_path / Path(name).name
    path.write_bytes(CHANGES[change](data))
    begun = time.process_time()
    problems = list(told(path))
    assert time.process_time() - begun < 5
    assert not any("internal error" in problem.what for problem in problems)
    if change in ("cut in half", "UTF-16") and not name.endswith(".md"):
        assert problems


@pytest.mark.parametrize("name", [*SAMPLES, *OWN])
def test_a_byte_order_mark_changes_nothing(shared: Path, tmp_path: Path, name: str) -> None:
    data = OWN[name] if name in OWN else (shared / "data" / name).read_bytes()
    path = tmp_path / Path(name).name
    shapes = []
    for mark in (b"", b"\xef\xbb\xbf"):
        path.write_bytes(mark + data)
        runs = [item for item in open_paths([str(path)]) if isinstance(item, Run)]
        shapes.append([(run.format, len(run.calls)) for run in runs])
    assert shapes[0] == shapes[1] != []
