"""Evidence in what tools return: named pieces, placed only where nothing is guessed."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from store.evidence import derive
from store.records.grades import Grade, Layer
from store.records.runs import Run, ToolCall, ToolResult
from store.records.sources import (
    Block,
    Excerpt,
    Integrity,
    Manifest,
    ManifestEntry,
    Selection,
    SourceKind,
    Version,
    VersionKey,
)
from store.records.text import Span, Unit

TEXT = "The batch limit is 200 records. The timeout is 30 seconds. 超时设为30秒。"
HASH = hashlib.sha256(TEXT.encode()).hexdigest()
WHOLE = Version(VersionKey("d03", HASH), SourceKind.TEXT, sha256=HASH, chars=len(TEXT), text=TEXT)


def run_of(*contents: object, versions: tuple[Version, ...] = ()) -> Run:
    texts = [text if isinstance(text, str) else json.dumps(text) for text in contents]
    return Run(
        run_id="r",
        path="r",
        format="test",
        layer=Layer.STATE,
        grade=Grade.INFERRED,
        tool_calls=tuple(ToolCall(f"c{at}", "read") for at in range(len(texts))),
        tool_results=tuple(ToolResult(f"c{at}", text) for at, text in enumerate(texts)),
        versions=versions,
    )


def selections(run: Run, at: int = 0) -> tuple[Selection, ...]:
    return run.tool_results[at].selections


def piece(start: int, end: int, **more: object) -> dict[str, object]:
    return {"doc_id": "d03", "start": start, "end": end, "text": TEXT[start:end], **more}


def test_a_plain_result_is_a_source_of_its_own_read_whole() -> None:
    run = run_of("two words 🙂")
    derived = derive(run)
    (version,) = derived.versions
    digest = hashlib.sha256("two words 🙂".encode()).hexdigest()
    assert version.key == VersionKey("tool:read:c0", digest)
    assert version.kind is SourceKind.TOOL_RESULT
    assert version.text is run.tool_results[0].text
    assert selections(derived) == (Selection("tool:read:c0", digest, ranges=(Span(0, 11),)),)


def test_a_failed_result_is_only_its_own_words() -> None:
    run = run_of({"doc_id": "d03", "text": "no such document"})
    failed = replace(run, tool_results=(replace(run.tool_results[0], status="error"),))
    assert [version.key.source_id for version in derive(failed).versions] == ["tool:read:c0"]


def test_a_result_without_text_or_with_recorded_evidence_stays_as_it_is() -> None:
    recorded = Selection("d03", HASH, ranges=(Span(0, 3),))
    run = run_of("a", {"doc_id": "d03", "preview": "The"}, "c")
    first, second, third = run.tool_results
    run = replace(
        run,
        tool_results=(replace(first, selections=(recorded,)), second, replace(third, text=None)),
        manifests=(Manifest("c1", (ManifestEntry("other"),)),),
    )
    assert derive(run) == run


@pytest.mark.parametrize("around", ["payload", "results", "documents", "blocks"])
def test_lists_are_found_under_the_named_keys_only(around: str) -> None:
    entry = {"doc_id": "d03", "text": TEXT}
    assert selections(derive(run_of({around: [entry]})))[0].source_id == "d03"
    assert selections(derive(run_of({"other": [entry]})))[0].source_id == "tool:read:c0"


@pytest.mark.parametrize("key", ["doc_id", "document_id", "source_id", "source", "id"])
def test_every_id_key_names_a_source_and_the_first_of_the_list_wins(key: str) -> None:
    assert selections(derive(run_of({key: "d03", "content": TEXT})))[0].source_id == "d03"
    assert selections(derive(run_of({"id": "z", key: "d03", "content": TEXT})))[0].source_id in {
        "d03",
        "z" if key == "id" else "d03",
    }


@pytest.mark.parametrize(
    "value",
    [
        {"text": TEXT},
        {"doc_id": "", "text": TEXT},
        {"doc_id": "d03", "offset": 4321},
        {"doc_id": "d03", "text": ""},
        {"results": [{"id": 1, "amount": 5}, {"id": 2, "amount": 7}]},
        [{"type": "text", "id": "msg_1", "text": TEXT}],
        "[1] no JSON, a list of notes",
    ],
)
def test_without_an_id_or_without_text_it_is_no_evidence(value: object) -> None:
    derived = derive(run_of(value))
    assert derived.manifests == ()
    assert [found.source_id for found in selections(derived)] == ["tool:read:c0"]


def test_json_inside_json_is_found() -> None:
    inner = json.dumps({"doc_id": "d03", "text": TEXT})
    for value in ({"output": inner}, [{"type": "text", "text": inner}], json.dumps(inner)):
        assert selections(derive(run_of(value)))[0].source_id == "d03"


def test_a_preview_is_an_offer_and_no_read() -> None:
    listing = [
        {"doc_id": "d03", "sha256": HASH, "preview": TEXT[:9]},
        {"doc_id": "d04", "start": 5, "preview": "later", "block_id": "d04#1#x"},
    ]
    derived = derive(run_of(listing))
    assert selections(derived) == ()
    assert derived.versions == ()
    assert derived.manifests[0].entries == (
        ManifestEntry("d03", HASH, Span(0, 9), TEXT[:9]),
        ManifestEntry("d04", "", Span(5, 10), "later", "d04#1#x"),
    )


def test_a_piece_is_placed_in_the_version_that_holds_it() -> None:
    derived = derive(run_of(piece(4, 15, sha256=HASH), piece(4, 15), versions=(WHOLE,)))
    assert selections(derived, 0) == (Selection("d03", HASH, ranges=(Span(4, 15),)),)
    assert selections(derived, 1) == selections(derived, 0)
    assert derived.versions == (WHOLE,)


def test_words_without_a_place_are_placed_only_where_they_fit_once_and_are_long_enough() -> None:
    long = {"doc_id": "d03", "text": TEXT[4:31], "end": 31}
    short = {"doc_id": "d03", "text": "The batch", "end": 31}
    derived = derive(run_of(long, short, versions=(WHOLE,)))
    assert selections(derived, 0) == (Selection("d03", HASH, ranges=(Span(4, 31),)),)
    (loose,) = selections(derived, 1)
    assert loose.ranges == ()
    assert loose.version_id.startswith("partial:")


def test_words_that_two_versions_hold_do_not_say_which_was_read() -> None:
    newer = Version(
        VersionKey("d03", "v2"), SourceKind.TEXT, text=TEXT + " More.", chars=len(TEXT) + 6
    )
    derived = derive(run_of(piece(4, 31), versions=(WHOLE, newer)))
    assert selections(derived) == (Selection("d03", "", ranges=(Span(4, 31),)),)


def test_changed_bytes_are_never_searched() -> None:
    changed = replace(WHOLE, integrity=Integrity.CHANGED)
    (selection,) = selections(derive(run_of(piece(4, 31), versions=(changed,))))
    assert selection.version_id.startswith("partial:")


def test_a_named_block_of_a_known_version_is_a_read_of_that_block() -> None:
    blocks = replace(WHOLE, blocks=(Block("d03#b 1", Span(0, 31)),))
    entry = {"doc_id": "d03", "sha256": HASH, "block_id": "d03#b 1", "text": TEXT[:31]}
    (selection,) = selections(derive(run_of(entry, versions=(blocks,))))
    assert (selection.unit, selection.blocks) == (Unit.BLOCK, ("d03#b 1",))


def test_a_text_that_claims_no_place_and_proves_its_hash_is_the_whole_version() -> None:
    derived = derive(
        run_of({"doc_id": "d03", "text": TEXT}, {"doc_id": "d9", "sha256": HASH, "text": TEXT})
    )
    assert [(v.key.source_id, v.sha256, v.text) for v in derived.versions] == [
        ("d03", HASH, TEXT),
        ("d9", HASH, TEXT),
    ]


@pytest.mark.parametrize(
    "entry",
    [
        piece(0, 9),
        piece(0, 9, total_chars=len(TEXT)),
        {"doc_id": "d03", "text": TEXT[:9], "block_id": "b"},
        {"doc_id": "d03", "text": TEXT[:9], "sha256": HASH},
        {"source": "d03", "page_content": TEXT[:9]},
        '{"doc_id": "d03", "text": "The batch',
    ],
)
def test_what_may_be_a_part_is_never_the_whole(entry: object) -> None:
    (version,) = derive(run_of(entry)).versions
    assert version.text is None
    assert [excerpt.text for excerpt in version.excerpts] == [TEXT[:9]]


def test_two_texts_of_one_source_in_one_result_are_parts() -> None:
    (version,) = derive(run_of([{"id": "a", "text": "one"}, {"id": "a", "text": "two"}])).versions
    assert version.text is None
    assert version.excerpts == (Excerpt(None, "one"), Excerpt(None, "two"))


def test_pages_of_one_text_are_one_version_while_nothing_contradicts() -> None:
    derived = derive(run_of(piece(4, 20), piece(0, 9), piece(40, 50), piece(4, 20)))
    (version,) = derived.versions
    assert version.key.version_id.startswith("partial:")
    assert (version.text, version.chars, version.sha256) == (None, None, "")
    assert version.excerpts == (
        Excerpt(0, TEXT[0:9]),
        Excerpt(4, TEXT[4:20]),
        Excerpt(40, TEXT[40:50]),
    )
    assert {found.version_id for at in range(4) for found in selections(derived, at)} == {
        version.key.version_id
    }


def test_pages_that_contradict_are_two_versions() -> None:
    other = {"doc_id": "d03", "start": 8, "end": 12, "text": "XXXX"}
    assert len(derive(run_of(piece(4, 20), other)).versions) == 2


@pytest.mark.parametrize("end", [8, 300])
def test_a_place_that_cannot_count_code_points_is_no_place(end: int) -> None:
    (version,) = derive(
        run_of({"doc_id": "d03", "start": 4, "end": end, "text": TEXT[4:20]})
    ).versions
    assert version.excerpts == (Excerpt(None, TEXT[4:20]),)


def test_a_page_finds_its_place_in_the_whole_that_another_result_brought() -> None:
    derived = derive(run_of(piece(4, 31), {"doc_id": "d03", "text": TEXT}))
    assert [version.text for version in derived.versions] == [TEXT]
    assert selections(derived, 0) == (Selection("d03", HASH, ranges=(Span(4, 31),)),)


def test_a_revision_label_is_kept_as_the_name_of_the_version() -> None:
    (version,) = derive(run_of({"doc_id": "d03", "version": "2026-10-27", "text": TEXT})).versions
    assert version.key == VersionKey("d03", "2026-10-27")
    assert version.sha256 == HASH


def test_a_large_table_is_not_parsed_to_see_that_it_is_no_evidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("store.tool_json.parse_all", lambda _: pytest.fail("it was parsed"))
    run = run_of([{"id": 1, "amount": 5}] * 50, "[1] a note", '{"text": "no id"}')
    assert len(derive(run).versions) == 3


def test_deriving_twice_adds_nothing() -> None:
    once = derive(run_of("plain", piece(4, 20), {"doc_id": "d1", "preview": "x"}))
    assert derive(once) == once


def scenario(folder: Path) -> Run:
    """Read what the evidence of a run folder needs: tool calls, results, manifests, versions."""
    events = [
        json.loads(line) for line in (folder / "events.jsonl").read_bytes().split(b"\n") if line
    ]
    lines = (folder / "store/versions.jsonl").read_bytes().split(b"\n")
    versions = []
    for line in map(json.loads, filter(None, lines)):
        if "version_id" in line:
            digest = line["sha256"]
            data = (folder / "store/objects" / digest[:2] / digest).read_bytes()
            key = VersionKey(line["source_id"], line["version_id"])
            versions.append(
                Version(
                    key, SourceKind.TEXT, sha256=digest, chars=line["chars"], text=data.decode()
                )
            )
    run = run_of(versions=tuple(versions))
    return replace(
        run,
        tool_calls=tuple(ToolCall(e["id"], e["name"]) for e in events if e["event"] == "tool_call"),
        tool_results=tuple(
            ToolResult(e["tool_call_id"], e["content"], e["status"])
            for e in events
            if e["event"] == "tool_result"
        ),
    )


def test_the_json_of_a_recorded_run_says_what_its_record_says(shared: Path) -> None:
    folder = shared / "data/scenarios/evidence-tools"
    derived = derive(scenario(folder))
    events = [
        json.loads(line) for line in (folder / "events.jsonl").read_bytes().split(b"\n") if line
    ]
    for event in events:
        if event["event"] == "manifest":
            (found,) = [m for m in derived.manifests if m.tool_call_id == event["tool_call_id"]]
            assert [
                (e.source_id, e.version_id, [e.preview.start, e.preview.end] if e.preview else None)
                for e in found.entries
            ] == [(e["source_id"], e["version_id"], e["preview"]) for e in event["entries"]]
        if event["event"] == "tool_result" and "selection" in event:
            told = event["selection"]
            result = next(
                r for r in derived.tool_results if r.tool_call_id == event["tool_call_id"]
            )
            assert result.selections == (
                Selection(
                    told["source_id"], told["version_id"], ranges=(Span(*told["ranges"][0]),)
                ),
            )
    assert {v.key.source_id for v in derived.versions if v.kind is SourceKind.TOOL_RESULT} == {
        "tool:locate_evidence:call-002",
        "tool:read_evidence:call-004",
    }
