"""What two sides are, which run is meant, and that nothing is done that nobody asked for."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.app import Program
from reviewer.audit.compare_text import compare_text
from reviewer.services.comparing import ComparisonStopped, SideError, compare_sides
from reviewer.services.sample import write_sample
from reviewer.services.sides import named
from store.records.comparisons import Kind, StoreComparison, VersionComparison
from store.records.differences import Change, SourceChange, TextComparison
from store.records.runs import ProblemKind
from tests.made import FakeProgram, command


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder)
    return folder


def test_a_side_is_a_path_a_call_or_a_version(tmp_path: Path) -> None:
    place = tmp_path / "run"
    place.mkdir()
    assert named(str(place)).path == str(place)
    assert named(f"{place}#12").call == 12
    version = named(f"{place}::a/b::c@0123")
    assert version.reference is not None
    assert version.reference.selection.source_id == "a/b::c"
    assert version.reference.selection.version_id == "0123"
    assert named(f"{place}/none#3").call is None


@pytest.mark.parametrize("given", ["", "::x", "{}::", "{}::x@1[0:5]", "{}::@1"])
def test_what_is_no_name_of_a_side_is_refused_or_a_path(given: str, tmp_path: Path) -> None:
    text = given.format(tmp_path)
    if given == "::x":
        assert named(text).path == text
        return
    with pytest.raises(SideError):
        named(text)


def test_where_several_runs_lie_one_is_chosen_by_its_id(sample: Path) -> None:
    with pytest.raises(SideError, match="--run-a ID"):
        compare_sides(str(sample), str(sample / "lease-review"))
    found = compare_sides(
        str(sample), str(sample / "lease-review"), runs=("lease-review", None)
    ).comparison
    assert not found.different
    noted = [each for each in found.problems_a if each.kind is ProblemKind.NOTED]
    assert any("1 more lie there" in each.what for each in noted)
    with pytest.raises(SideError, match="no run none"):
        compare_sides(str(sample), str(sample), runs=("none", None))


def test_a_run_beside_a_store_is_compared_by_its_sources(sample: Path) -> None:
    run = sample / "incident-review"
    found = compare_sides(str(run), f"{run}/store").comparison
    assert found.kind is Kind.STORES
    assert isinstance(found.found, StoreComparison)
    assert {one.change for one in found.found.sources} <= {SourceChange.SAME, SourceChange.UNKNOWN}
    assert len(found.found.citations) == 15


def test_texts_are_compared_only_when_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def counting(a: str, b: str, *, stopped: Callable[[], bool]) -> TextComparison:
        asked.append(len(a))
        return compare_text(a, b, stopped=stopped)

    monkeypatch.setattr("reviewer.services.compared.compare_text", counting)
    for name, word in (("a", "one"), ("b", "two")):
        (tmp_path / name).mkdir()
        for number in range(12):
            text = f"{word if number % 3 else 'same'} text {number}\n"
            (tmp_path / name / f"{number}.txt").write_text(text, "utf-8")
    found = compare_sides(str(tmp_path / "a"), str(tmp_path / "b"))
    assert asked == []
    assert isinstance(found.comparison.found, StoreComparison)
    changed = [one for one in found.comparison.found.sources if one.change is SourceChange.CHANGED]
    told = found.text_of(changed[0])
    assert told is not None
    assert not told.text.same
    assert len(asked) == 1
    assert len(changed) == 8


def test_opening_and_comparing_stop_when_they_are_told_to(sample: Path) -> None:
    for sides in (("incident-review", "lease-review"), ("incident-review#1", "incident-review#2")):
        with pytest.raises(ComparisonStopped):
            compare_sides(*(str(sample / side) for side in sides), stopped=lambda: True)


def test_a_comparison_that_was_broken_off_ends_with_130() -> None:
    class Broken(FakeProgram):
        def compare(self, *_: object, **__: object) -> object:
            raise KeyboardInterrupt

    ended = command("compare", "x", "y", program=Broken())
    assert (ended.status, ended.out) == (130, "")


def test_a_version_of_which_only_parts_are_known_leaves_it_undecided(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    read = {"source_id": "doc", "version_id": "v1", "unit": "char", "ranges": [[0, 9]]}
    request = {"messages": [{"role": "tool", "parts": [
        {"type": "tool_call_response", "id": "t1", "response": "some text"}]}]}  # fmt: skip
    events = [
        {"event": "run_started", "run_id": "r"},
        {"event": "tool_call", "id": "t1", "name": "read", "arguments": {}, "by_call": 1},
        {"event": "tool_result", "tool_call_id": "t1", "status": "ok", "content": "some text",
         "selection": read},
        {"event": "model_call", "index": 1, "request": request, "response": {"messages": []}},
    ]  # fmt: skip
    trace.write_text("".join(json.dumps(each) + "\n" for each in events), "utf-8")
    found = compare_sides(f"{trace}::doc", f"{trace}::doc").comparison
    assert found.undecided


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "text").write_text("x", "utf-8")
    ended = command(
        "compare", str(tmp_path / "pipe"), str(tmp_path / "text"), program=Program(strict=True)
    )
    assert ended.status == 3


def test_a_link_to_a_file_that_the_user_named_is_followed_and_one_in_a_store_is_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "secret").write_text("outside\n", "utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    found = compare_sides(str(tmp_path / "link"), str(tmp_path / "secret")).comparison
    assert not found.different
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "inside.txt").write_text("inside\n", "utf-8")
    (tmp_path / "b" / "link.txt").symlink_to(tmp_path / "secret")
    stores = compare_sides(str(tmp_path / "a"), str(tmp_path / "b")).comparison
    assert isinstance(stores.found, StoreComparison)
    assert [one.source_id for one in stores.found.sources] == ["inside.txt"]


def test_deep_nesting_and_odd_names_break_nothing(tmp_path: Path) -> None:
    for name, text in (("a", "[" * 50_000), ("b", "{" * 50_000)):
        (tmp_path / name).write_text(text, "utf-8")
    ended = command(
        "compare", str(tmp_path / "a"), str(tmp_path / "b"), program=Program(strict=True)
    )
    assert ended.status == 1
    strange = tmp_path / "\x1b[2J\u202e"
    strange.write_text("x\n", "utf-8")
    ended = command("compare", str(strange), str(strange), program=Program(strict=True))
    assert ended.status == 0
    assert "\x1b" not in ended.out


def test_the_pieces_of_a_version_say_what_is_the_same(sample: Path) -> None:
    source = f"{sample / 'incident-review'}::runbooks/gateway.md"
    found = compare_sides(f"{source}@d34c5e48", f"{source}@30f1ead8").comparison.found
    assert isinstance(found, VersionComparison)
    same = [piece for piece in found.text.pieces if piece.change is Change.SAME]
    assert same
    for piece in same:
        a = found.text_a[piece.a.start : piece.a.end]
        assert a == found.text_b[piece.b.start : piece.b.end]
