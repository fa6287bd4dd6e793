"""Exact reread from stores on the disk, and what becomes of it when they change."""

import json
import shutil
from pathlib import Path

import pytest

from reviewer.services.rereading import open_store
from store.digest import run_digest
from store.results import Reason, RefusedError, Results


@pytest.fixture
def run_folder(shared: Path, tmp_path: Path) -> Path:
    """A run folder that the test may change."""
    folder = tmp_path / "run"
    shutil.copytree(shared / "data/scenarios/evidence-tools", folder, copy_function=shutil.copyfile)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def refusal(results: Results, reference: str) -> Reason:
    with pytest.raises(RefusedError) as caught:
        results.reread(reference)
    return caught.value.reason


def object_of(folder: Path, start: str) -> Path:
    (found,) = folder.glob(f"store/objects/{start[:2]}/{start}*")
    return found


def test_a_run_folder_gives_back_the_cited_text(run_folder: Path) -> None:
    got = open_store(str(run_folder)).results.reread("d03@1454125600…[4321:4339]")
    stored = object_of(run_folder, "1454125600").read_bytes()
    assert got.text == stored.decode()[4321:4339]
    assert got.exact


def test_bytes_that_change_after_opening_are_noticed(run_folder: Path) -> None:
    results = open_store(str(run_folder)).results
    path = object_of(run_folder, "1454125600")
    data = path.read_bytes()
    path.write_bytes(data[:-1] + b"x")
    assert refusal(results, "d03@1454125600…[0:5]") is Reason.EVIDENCE_CHANGED
    assert (
        refusal(open_store(str(run_folder)).results, "d03@1454125600…") is Reason.EVIDENCE_CHANGED
    )
    path.write_bytes(data)
    assert results.reread("d03@1454125600…[4321:4339]").exact


def test_bytes_that_go_after_opening_are_not_given_from_memory(run_folder: Path) -> None:
    results = open_store(str(run_folder)).results
    object_of(run_folder, "1454125600").unlink()
    assert refusal(results, "d03@1454125600…[0:5]") is Reason.NOT_STORED


def test_a_store_is_found_where_the_manifest_says(run_folder: Path) -> None:
    (run_folder / "store").rename(run_folder / "evidence")
    manifest = run_folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"path": "store"', '"path": "evidence"'))
    results = open_store(str(run_folder)).results
    assert results.reread("d03@1454125600…[4321:4339]").exact
    next(run_folder.glob("evidence/objects/14/1454125600*")).write_bytes(b"other")
    assert refusal(results, "d03@1454125600…[0:5]") is Reason.EVIDENCE_CHANGED


def test_a_store_alone_is_a_store(run_folder: Path, tmp_path: Path) -> None:
    (run_folder / "store").rename(tmp_path / "alone")
    results = open_store(str(tmp_path / "alone")).results
    assert results.reread("d03@1454125600…[4321:4339]").exact
    next((tmp_path / "alone").glob("objects/14/1454125600*")).unlink()
    assert refusal(results, "d03@1454125600…[0:5]") is Reason.NOT_STORED


def test_a_folder_of_text_files_is_a_store(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a@b [1].txt").write_bytes("批\r\nzwei\n".encode())
    results = open_store(str(tmp_path)).results
    got = results.reread("notes/a@b [1].txt@[lines 2]")
    assert (got.text, got.exact) == ("zwei\n", True)
    (tmp_path / "notes" / "a@b [1].txt").write_bytes(b"changed\n")
    assert refusal(results, got.reference) is Reason.EVIDENCE_CHANGED
    assert open_store(str(tmp_path)).results.reread("notes/a@b [1].txt@").text == "changed\n"


def test_of_a_file_that_changed_the_cited_state_is_refused_and_not_the_new_one_given(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.txt").write_text("old")
    cited = open_store(str(tmp_path)).results.reread("a.txt").reference
    (tmp_path / "a.txt").write_text("new")
    assert refusal(open_store(str(tmp_path)).results, cited) is Reason.NO_VERSION


def test_a_link_put_in_place_of_a_file_is_not_followed_out(tmp_path: Path) -> None:
    store, outside = tmp_path / "store", tmp_path / "outside.txt"
    store.mkdir()
    (store / "a.txt").write_text("same")
    outside.write_text("same")
    results = open_store(str(store)).results
    (store / "a.txt").unlink()
    (store / "a.txt").symlink_to(outside)
    assert refusal(results, "a.txt") is Reason.NOT_STORED


def grant(folder: Path, *scope: str) -> None:
    manifest = folder / "manifest.json"
    recorded = json.loads(manifest.read_bytes())
    manifest.write_text(json.dumps(recorded | {"grant": {"scope": scope}}))


def test_the_grant_of_a_run_holds_for_rereading(run_folder: Path) -> None:
    grant(run_folder, "d00", "d0[4-9]")
    results = open_store(str(run_folder)).results
    assert results.reread("d04[0:3]").exact
    assert refusal(results, "d03@1454125600…") is Reason.OUTSIDE_GRANT


def test_of_two_runs_each_grants_only_what_it_holds(
    shared: Path, run_folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(
        shared / "data/scenarios/folded-reference", other, copy_function=shutil.copyfile
    )
    (other / "manifest.json").chmod(0o644)
    grant(other, "d*")
    grant(run_folder, "c*")
    results = open_store(str(tmp_path)).results
    assert refusal(results, "contract") is Reason.OUTSIDE_GRANT
    assert refusal(results, "d03") is Reason.OUTSIDE_GRANT
    grant(other, "c*", "d*")
    results = open_store(str(tmp_path)).results
    assert results.reread("contract[0:10]").exact
    assert refusal(results, "d03") is Reason.OUTSIDE_GRANT


def test_the_digest_of_a_recorded_run_is_the_same_in_another_folder(
    shared: Path, run_folder: Path
) -> None:
    (one,) = open_store(str(shared / "data/scenarios/evidence-tools")).runs
    (other,) = open_store(str(run_folder)).runs
    assert one.path != other.path
    assert run_digest(one) == run_digest(other)


def test_a_chunk_that_a_recorded_search_returned_comes_back_as_the_document_has_it(
    shared: Path, tmp_path: Path
) -> None:
    folder = shared / "data/langchain"
    recorded = json.loads((folder / "06_rag/messages_cited_content_and_artifact.json").read_bytes())
    (tmp_path / "messages.json").write_text(json.dumps(recorded["dumpd"]), encoding="utf-8")
    document = (folder / "corpus/incident_2031.txt").read_bytes().decode()
    opened = open_store(str(tmp_path / "messages.json"))
    (version,) = opened.results.versions["incident_2031.txt"]
    for excerpt in version.excerpts:
        assert excerpt.start is not None
        end = excerpt.start + len(excerpt.text)
        got = opened.results.reread(f"incident_2031.txt@[{excerpt.start}:{end}]")
        assert got.text == document[excerpt.start : end]
        assert not got.exact
    assert refusal(opened.results, "incident_2031.txt@") is Reason.NOT_STORED
    outside = f"incident_2031.txt@[0:{len(document)}]"
    assert refusal(opened.results, outside) is Reason.NOT_STORED
