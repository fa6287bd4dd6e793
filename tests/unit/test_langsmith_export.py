"""Bulk exports of LangSmith in Parquet: rows as runs, damage and hostility in one line."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from arro3.core import Array, DataType, Table
from arro3.io import write_parquet

from store.importers._parquet import MAGIC, ParquetError, rows_of
from store.importers._probing import file_probe
from store.importers.langsmith import IMPORTER
from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import Problem, Run
from tests.unit.test_langsmith import conversation, requests

COLUMNS = (
    *("id", "trace_id", "parent_run_id", "name", "run_type", "start_time", "dotted_order"),
    *("inputs", "outputs", "extra", "error", "tags"),
)


def exported(
    path: Path,
    columns: tuple[str, ...] = COLUMNS,
    compression: str = "zstd(1)",
    rows: list[dict[str, object]] | None = None,
) -> None:
    rows = conversation() if rows is None else rows

    def cell(row: dict[str, object], name: str) -> str | None:
        value = row.get(name)
        return value if value is None or isinstance(value, str) else json.dumps(value)

    arrays: dict[str, Any] = {
        name: Array([cell(row, name) for row in rows], type=DataType.utf8()) for name in columns
    }
    write_parquet(Table.from_pydict(arrays), str(path), compression=compression)


@pytest.mark.parametrize("compression", ["zstd(1)", "gzip(6)", "snappy", "uncompressed"])
def test_a_bulk_export_gives_the_run(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "part.parquet"
    exported(path, compression=compression)
    probe = file_probe(path, path.name)
    assert IMPORTER.recognise(probe)
    (run,) = [each for each in IMPORTER.read(probe) if isinstance(each, Run)]
    assert requests(run)[1] == ["Be brief.", "How much?", '{"a": 1}', "饺子 28"]
    assert {call.grade for call in run.calls} == {Grade.RECORDED}
    assert run.problems == ()


def test_the_partitions_of_an_export_are_read_together(tmp_path: Path) -> None:
    rows = conversation()
    days = tmp_path / "out/export_id=1/tenant_id=2/session_id=3/runs/year=2031/month=1"
    for day, part in (("day=1", rows[:2]), ("day=2", rows[2:])):
        (days / day).mkdir(parents=True)
        exported(days / day / "part.parquet", rows=part)
    (run,) = open_paths([str(tmp_path / "out")])
    assert isinstance(run, Run)
    assert requests(run)[1] == ["Be brief.", "How much?", '{"a": 1}', "饺子 28"]
    assert (run.format, run.path) == ("langsmith", str(tmp_path / "out"))


def test_what_clients_kept_in_several_files_is_one_run(tmp_path: Path) -> None:
    rows = conversation()
    for number, each in enumerate(rows):
        post = {key: value for key, value in each.items() if key != "outputs"}
        patch = {"id": each["id"], "outputs": each["outputs"]}
        for kind, value in (("post", post), ("patch", patch)):
            body = base64.b64encode(json.dumps({kind: [value]}).encode()).decode()
            kept = {"version": 1, "endpoint": "runs/batch", "headers": {}, "body_base64": body}
            path = tmp_path / f"trace_19{number}_{kind}.json"
            path.write_text(json.dumps(kept), encoding="utf-8")
    (run,) = open_paths([str(tmp_path)])
    assert isinstance(run, Run)
    assert [answer.text for answer in run.answers] == ["It is 28."]
    assert run.problems == ()


def test_an_export_without_inputs_proves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    exported(path, tuple(name for name in COLUMNS if name != "inputs"))
    (run,) = open_paths([str(path)])
    assert isinstance(run, Run)
    assert {call.grade for call in run.calls} == {Grade.UNKNOWN}


def test_a_table_of_something_else_is_left_to_others(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    exported(path, ("id", "name"))
    assert not IMPORTER.recognise(file_probe(path, path.name))


@pytest.mark.parametrize("at", [0.3, 0.6, 0.9])
def test_a_damaged_export_ends_in_a_line(tmp_path: Path, at: float) -> None:
    path = tmp_path / "part.parquet"
    exported(path)
    data = path.read_bytes()
    cut = int(len(data) * at)
    for broken in (data[:cut], data[:cut] + b"\xff" * 200 + data[cut + 200 :]):
        path.write_bytes(broken)
        for found in open_paths([str(path)]):
            if isinstance(found, Problem):
                assert len(found.what) < 500


def test_a_footer_that_lies_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "lies.parquet"
    for size in (0, 1, 0x7FFFFFFF, 0xFFFFFFFF):
        path.write_bytes(MAGIC + b"\0" * 64 + size.to_bytes(4, "little") + MAGIC)
        with pytest.raises(ParquetError):
            list(rows_of(path))
