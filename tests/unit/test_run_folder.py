"""Native run folders: what they say, what is wrong with them, and that nothing wrong is silent."""

import hashlib
import json
from pathlib import Path

import pytest

from store.opening import open_paths
from store.records.citations import AnswerCitation, SourceCitation
from store.records.grades import Grade, Layer
from store.records.runs import PartKind, Problem, ProblemKind, Run
from store.records.sources import Integrity, SourceKind, VersionKey
from store.records.text import Span, Unit

Value = dict[str, object]


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _say(text: str, role: str = "user") -> Value:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _call(index: int, *messages: object, **more: object) -> Value:
    return {"event": "model_call", "index": index, "request": {"messages": list(messages)}, **more}


def _write(
    folder: Path,
    *events: Value | bytes,
    versions: tuple[Value, ...] = (),
    objects: tuple[bytes, ...] = (),
    manifest: Value | None = None,
) -> Path:
    folder.mkdir(exist_ok=True)
    lines = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in events]
    (folder / "events.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    for data in objects:
        place = folder / "store" / "objects" / _sha(data)[:2]
        place.mkdir(parents=True, exist_ok=True)
        (place / _sha(data)).write_bytes(data)
    if versions:
        (folder / "store").mkdir(exist_ok=True)
        text = "".join(json.dumps(version) + "\n" for version in versions)
        (folder / "store" / "versions.jsonl").write_text(text, encoding="utf-8")
    head: Value = {"format": "reread.run/1", "run_id": "r1", "traces": [{"path": "events.jsonl"}]}
    text = json.dumps(head | (manifest or {}))
    (folder / "manifest.json").write_text(text, encoding="utf-8")
    return folder


def _open(folder: Path) -> Run:
    (run,) = open_paths([str(folder)])
    assert isinstance(run, Run)
    return run


def _told(run: Run, kind: ProblemKind = ProblemKind.LOST) -> list[str]:
    return [f"{each.where}: {each.what}" for each in run.problems if each.kind is kind]


def _texts(run: Run, call: int) -> list[str]:
    return [part.text for at in run.request(call) for part in run.messages[at].parts]


def test_a_run_says_what_each_call_was_given(tmp_path: Path) -> None:
    run = _open(
        _write(
            tmp_path / "r",
            _call(1, _say("go"), response={"messages": [_say("hm", "assistant")]}),
            _call(2, _say("go"), _say("more"), usage={"input_tokens": 7}),
        )
    )
    assert (run.run_id, run.layer, run.grade) == ("r1", Layer.CLIENT, Grade.RECORDED)
    assert [_texts(run, 1), _texts(run, 2)] == [["go"], ["go", "more"]]
    assert run.calls[1].usage.input_tokens == 7
    assert run.calls[1].usage.output_tokens is None
    assert run.messages[run.request(2)[1]].origin == "events.jsonl:2"


def test_same_as_means_the_message_of_the_expanded_earlier_request(tmp_path: Path) -> None:
    run = _open(
        _write(
            tmp_path / "r",
            _call(1, _say("a"), _say("b")),
            _call(2, {"same_as": [1, 1]}, _say("c")),
            _call(3, {"same_as": [2, 0]}, {"same_as": [1, 0]}),
        )
    )
    assert [_texts(run, call) for call in (1, 2, 3)] == [["a", "b"], ["b", "c"], ["b", "a"]]
    assert not run.problems


@pytest.mark.parametrize("named", [[2, 0], [1, 5], [0, 0], [1], "1,0", [-1, 0], [1, -1]])
def test_a_reference_to_no_earlier_message_is_reported_and_leaves_a_gap(
    tmp_path: Path, named: object
) -> None:
    run = _open(_write(tmp_path / "r", _call(1, _say("a")), _call(2, {"same_as": named})))
    (told,) = _told(run)
    assert "events.jsonl:2: same_as" in told
    assert [run.messages[at].parts[0].kind for at in run.request(2)] == [PartKind.OPAQUE]


def test_an_invalid_reference_may_become_valid_later(tmp_path: Path) -> None:
    ahead = {"same_as": [2, 1]}
    run = _open(
        _write(
            tmp_path / "r", _call(1, ahead), _call(2, ahead, _say("b")), _call(3, ahead, _say("b"))
        )
    )
    assert _texts(run, 3) == ["b", "b"]
    assert len(_told(run)) == 2


def test_a_long_part_is_read_from_the_object_it_names(tmp_path: Path) -> None:
    body = "上限 200 条".encode()
    part = {"type": "tool_call_response", "id": "t1", "object": _sha(body)}
    run = _open(
        _write(tmp_path / "r", _call(1, {"role": "tool", "parts": [part]}), objects=(body,))
    )
    assert _texts(run, 1) == ["上限 200 条"]


@pytest.mark.parametrize("name", ["0" * 64, "../../etc/passwd", "x"])
def test_a_missing_object_is_a_gap_and_never_an_empty_text(tmp_path: Path, name: str) -> None:
    part = {"type": "tool_call_response", "id": "t1", "object": name}
    run = _open(_write(tmp_path / "r", _call(1, {"role": "tool", "parts": [part]})))
    (made,) = run.messages[0].parts
    assert (made.kind, made.tool_call_id) == (PartKind.OPAQUE, "t1")
    assert "events.jsonl:1: object" in _told(run)[0]


def test_changed_bytes_are_never_text(tmp_path: Path) -> None:
    body = b"as it was"
    version: Value = {"source_id": "d", "version_id": _sha(body), "kind": "text", "chars": 9}
    folder = _write(tmp_path / "r", _call(1, _say("a")), versions=(version,), objects=(body,))
    (folder / "store" / "objects" / _sha(body)[:2] / _sha(body)).write_bytes(b"as it is now")
    run = _open(folder)
    assert run.versions[0].integrity is Integrity.CHANGED
    assert (run.versions[0].text, run.versions[0].chars) == (None, 9)
    assert "store/versions.jsonl:1: version" in _told(run, ProblemKind.CHANGED)[0]


def test_a_version_has_its_blocks_its_table_and_its_facts(tmp_path: Path) -> None:
    body = b'{"a": 1}\n'
    block = {"block_id": "d#2 /:b", "start": 0, "end": 4, "section": "s", "page": 3}
    version: Value = {
        "source_id": "d",
        "version_id": "v1",
        "kind": "table",
        "sha256": _sha(body),
        "blocks": [block, {"block_id": "bad", "start": 4, "end": 1}],
        "table": {"fields": ["a"], "rows": 1, "key": "a"},
    }
    run = _open(_write(tmp_path / "r", _call(1, _say("a")), versions=(version,), objects=(body,)))
    (made,) = run.versions
    assert (made.key, made.kind, made.text) == (
        VersionKey("d", "v1"),
        SourceKind.TABLE,
        body.decode(),
    )
    assert [each.block_id for each in made.blocks] == ["d#2 /:b"]
    assert made.table is not None
    assert made.table.key == "a"
    assert "a block without" in _told(run)[0]


def test_a_version_that_is_no_utf8_has_no_text_and_says_so(tmp_path: Path) -> None:
    body = "Größe".encode("latin-1")
    version: Value = {"source_id": "d", "version_id": _sha(body)}
    run = _open(_write(tmp_path / "r", _call(1, _say("a")), versions=(version,), objects=(body,)))
    assert (run.versions[0].text, run.versions[0].integrity) == (None, Integrity.INTACT)
    assert "no UTF-8" in _told(run, ProblemKind.NOTED)[0]


def test_the_last_line_cut_short_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    folder = _write(tmp_path / "r", _call(1, _say("a")))
    with (folder / "events.jsonl").open("ab") as log:
        log.write(b'{"event": "answer", "te')
    run = _open(folder)
    assert len(run.calls) == 1
    assert "events.jsonl:2: the last line was cut short" in _told(run)[0]


def test_a_lost_call_does_not_shift_what_names_the_others(tmp_path: Path) -> None:
    run = _open(
        _write(
            tmp_path / "r",
            _call(1, _say("a")),
            b'{"event": "model_call", "index": 2, "requ',
            _call(3, _say("c")),
            {"event": "tool_call", "id": "t", "name": "n", "arguments": {}, "by_call": 3},
            {"event": "context_edit", "before_call": 3, "kind": "clear", "tool_call_ids": ["t"]},
            {"event": "answer", "call": 3, "text": "done"},
            {"event": "answer", "call": 2, "text": "lost"},
        )
    )
    assert [call.id for call in run.calls] == ["1", "3"]
    assert [answer.call for answer in run.answers] == [2]
    assert (run.tool_calls[0].by_call, run.edits[0].before_call) == (2, 2)
    assert any("answer by model call 2" in told for told in _told(run))


def test_a_call_without_a_request_proves_nothing(tmp_path: Path) -> None:
    run = _open(_write(tmp_path / "r", {"event": "model_call", "index": 1}))
    assert run.calls[0].grade is Grade.UNKNOWN
    assert "without request.messages" in _told(run)[0]


def test_unknown_events_and_fields_are_kept(tmp_path: Path) -> None:
    run = _open(
        _write(
            tmp_path / "r",
            _call(1, _say("a"), vendor="x"),
            {"event": "vendor_note", "text": "n"},
            {"event": "answer", "call": 1, "text": "t", "mood": "good"},
        )
    )
    kept = {event.name: event.raw for event in run.other_events}
    assert kept["vendor_note"] == '{"event": "vendor_note", "text": "n"}'
    assert kept["model_call: other fields"] == '{"vendor":"x"}'
    assert kept["answer: other fields"] == '{"mood":"good"}'


def test_a_field_of_a_wrong_type_is_named_and_the_rest_of_its_event_is_kept(tmp_path: Path) -> None:
    run = _open(
        _write(
            tmp_path / "r",
            _call(1, _say("a")),
            {"event": "tool_result", "tool_call_id": 5, "status": "ok", "content": "c"},
        )
    )
    assert (run.tool_results[0].text, run.tool_results[0].tool_call_id) == ("c", "")
    assert 'events.jsonl:2: "tool_call_id" is a number, not a text; left out' in _told(run)[0]


def test_citations_keep_what_is_known_and_what_is_wrong(tmp_path: Path) -> None:
    citations: list[Value] = [
        {"span": [0, 2], "source_id": "d", "version_id": None, "span_in_source": [3, 5]},
        {"span": None, "source_id": "d", "span_in_source": [5, 3], "unit": "line"},
        {"span": [2, 1], "source_id": "d", "quote": "q"},
        {"span": [0, 2], "source_id": "d"},
        {"source_id": "d", "block_id": "b"},
        {"source_id": "d", "span_in_source": [-1, 4]},
    ]
    answer = {"event": "answer", "call": 1, "text": "ab", "citations": citations}
    run = _open(_write(tmp_path / "r", _call(1, _say("a")), answer))
    made = run.answers[0].citations
    assert made[0] == SourceCitation(Span(0, 2), "d", None, Span(3, 5), label="ab")
    assert made[3] == AnswerCitation(Span(0, 2), "d", label="ab")
    assert [type(each) for each in made].count(AnswerCitation) == 1
    assert [bool(each.malformed) for each in made] == [False, True, True, False, False, True]


def test_without_an_answer_event_the_text_that_ends_a_turn_is_the_answer(tmp_path: Path) -> None:
    tool = {"role": "assistant", "parts": [{"type": "tool_call", "id": "t", "name": "n"}]}
    run = _open(
        _write(
            tmp_path / "r",
            _call(1, _say("a"), response={"messages": [tool]}),
            _call(2, _say("a"), response={"messages": [_say("done", "assistant")]}),
        )
    )
    assert [(answer.call, answer.text) for answer in run.answers] == [(2, "done")]


def test_selections_come_alone_or_as_a_list_in_their_units(tmp_path: Path) -> None:
    rows = {"source_id": "d", "unit": "row", "ranges": [[0, 5]], "fields": ["a"]}
    blocks = {"source_id": "d", "unit": "block", "ranges": ["b#1"]}
    result: Value = {"event": "tool_result", "tool_call_id": "t", "content": "c"}
    run = _open(
        _write(
            tmp_path / "r",
            _call(1, _say("a")),
            result | {"selection": rows},
            result | {"selection": [rows, blocks], "coverage": {"loaded": 5}},
        )
    )
    one, two = run.tool_results
    assert (one.selections[0].unit, one.selections[0].ranges) == (Unit.ROW, (Span(0, 5),))
    assert two.selections[1].blocks == ("b#1",)
    assert two.declared == {"loaded": 5}


def test_the_text_of_json_keeps_every_digit_and_the_shape_it_was_given_in(tmp_path: Path) -> None:
    part = (
        b'{"type":"tool_call_response","id":"t","response":{"n": 123456789012345678901234567890}}'
    )
    line = b'{"event":"model_call","index":1,"request":{"messages":[{"role":"tool","parts":[%s]}]}}'
    run = _open(_write(tmp_path / "r", line % part))
    assert _texts(run, 1) == ['{"n": 123456789012345678901234567890}']


def test_what_is_not_text_stands_as_a_gap_of_its_size(tmp_path: Path) -> None:
    parts = [
        {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "aGVsbG8="},
        {"type": "uri", "uri": "https://example.org/x"},
        {"type": "hologram", "text": "words"},
    ]
    run = _open(_write(tmp_path / "r", _call(1, {"role": "user", "parts": parts})))
    kinds = [(part.kind, part.opaque_bytes > 0) for part in run.messages[0].parts]
    assert kinds == [(PartKind.IMAGE, True), (PartKind.OPAQUE, False), (PartKind.OPAQUE, True)]
    assert run.messages[0].parts[0].opaque_bytes == 5
    assert "hologram" in _told(run, ProblemKind.NOTED)[0]


@pytest.mark.parametrize("name", ["../secret.jsonl", "/etc/passwd", "a/../../b", "C:\\x", ""])
def test_a_path_outside_the_folder_is_not_opened_and_the_rest_is_read(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "secret.jsonl").write_text('{"event": "vendor"}\n', encoding="utf-8")
    traces = [{"path": name}, {"path": "events.jsonl"}]
    run = _open(_write(tmp_path / "r", _call(1, _say("a")), manifest={"traces": traces}))
    assert len(run.calls) == 1
    assert any("outside the run folder; not opened" in told for told in _told(run))
    assert not [event for event in run.other_events if event.name == "vendor"]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(json.dumps(_call(1, _say("secret"))).encode() + b"\n")
    folder = _write(tmp_path / "r")
    (folder / "events.jsonl").unlink()
    (folder / "events.jsonl").symlink_to(secret)
    run = _open(folder)
    assert not run.calls
    assert any("outside the run folder" in told for told in _told(run))


def test_a_trace_of_another_format_gets_the_store_of_its_folder(
    tmp_path: Path, shared: Path
) -> None:
    body = b"the text"
    version: Value = {"source_id": "d", "version_id": _sha(body)}
    traces = [{"path": "session.jsonl", "format": "claude-code"}]
    folder = _write(
        tmp_path / "r", versions=(version,), objects=(body,), manifest={"traces": traces}
    )
    session = shared / "data" / "claude-code" / "cc_21114_main.jsonl"
    (folder / "session.jsonl").write_bytes(session.read_bytes())
    runs = [item for item in open_paths([str(folder)]) if isinstance(item, Run)]
    assert runs[0].format == "claude-code"
    assert VersionKey("d", _sha(body)) in {version.key for version in runs[0].versions}


@pytest.mark.parametrize("name", [".", "manifest.json"])
def test_a_trace_that_is_the_folder_itself_does_not_go_on_for_ever(
    tmp_path: Path, name: str
) -> None:
    traces = [{"path": name, "format": "claude-code"}]
    run = _open(_write(tmp_path / "r", manifest={"traces": traces}))
    assert any("is this folder itself" in told for told in _told(run))


def test_a_file_that_no_longer_has_its_recorded_hash_is_read_and_marked(tmp_path: Path) -> None:
    files = {"events.jsonl": {"sha256": "0" * 64}, "report.md": {"sha256": "0" * 64}}
    run = _open(_write(tmp_path / "r", _call(1, _say("a")), manifest={"files": files}))
    assert len(run.calls) == 1
    assert [told.partition(": ")[0][-12:] for told in _told(run, ProblemKind.CHANGED)] == [
        "events.jsonl"
    ]
    assert "report.md: named in manifest.json, and not there" in _told(run)[0]


def test_a_broken_manifest_does_not_hide_the_events(tmp_path: Path) -> None:
    folder = _write(tmp_path / "r", _call(1, _say("a")))
    (folder / "manifest.json").write_bytes(b'{"format": "reread.run/1", ')
    run = _open(folder)
    assert len(run.calls) == 1
    assert "manifest.json: no JSON" in _told(run)[0]


def test_a_log_named_alone_uses_the_store_beside_it(tmp_path: Path) -> None:
    body = b"the text"
    version: Value = {"source_id": "d", "version_id": _sha(body)}
    started: Value = {"event": "run_started", "run_id": "r-7"}
    folder = _write(
        tmp_path / "r", started, _call(1, _say("a")), versions=(version,), objects=(body,)
    )
    run = _open(folder / "events.jsonl")
    assert (run.run_id, run.versions[0].text) == ("r-7", "the text")


def test_a_failed_refresh_keeps_its_place_among_the_versions(tmp_path: Path) -> None:
    one, two = b"one", b"two"
    versions: tuple[Value, ...] = (
        {"source_id": "d", "version_id": _sha(one)},
        {"source_id": "d", "refresh_failed": {"error": "503", "kept": _sha(one)}},
        {"source_id": "d", "version_id": _sha(two)},
    )
    run = _open(_write(tmp_path / "r", _call(1, _say("a")), versions=versions, objects=(one, two)))
    (failure,) = run.refresh_failures
    assert (failure.after, failure.kept, failure.error) == (1, _sha(one), "503")


def test_problems_are_records_with_a_place(tmp_path: Path) -> None:
    run = _open(_write(tmp_path / "r", b"[1]", _call(1, _say("a"))))
    place = f"{tmp_path / 'r'}/events.jsonl:1"
    assert run.problems == (Problem(place, "a line that is no JSON object; left out"),)
