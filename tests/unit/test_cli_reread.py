"""``reread reread``: exactly the selected text, or a refusal with its reason."""

import io
from pathlib import Path

import pytest

from reviewer.app import Program
from reviewer.cli import run
from reviewer.cli._output import Output
from reviewer.services.sample import write_sample
from store.run_writer import RunWriter
from tests.made import Ended


def reread(*arguments: str, terminal: bool = False) -> Ended:
    out, err = io.BytesIO(), io.BytesIO()
    output = Output(out, err, terminal=terminal)
    status = run(["reread", *arguments], Program(strict=True), output, {})
    return Ended(status, out.getvalue().decode(), err.getvalue().decode())


@pytest.fixture(scope="module")
def lease(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_sample(tmp_path_factory.mktemp("sample"))[1])


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_sample(tmp_path_factory.mktemp("sample"))[0])


def test_a_span_is_printed_exactly_and_nothing_else(lease: str) -> None:
    ended = reread(lease, "租赁合同", "--span", "97:110")
    assert (ended.status, ended.out) == (0, "每月租金为人民币八万六千元")
    assert "SHA-256 was checked" in ended.err
    assert "no version was named" in ended.err


def test_a_reference_copied_from_a_report_is_understood(lease: str) -> None:
    assert reread(lease, "租赁合同@b122a7745dd9…[97:110]").out == "每月租金为人民币八万六千元"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["管理办法", "--block", "管理办法#二#审批"], "第二章 审批\n月租金"),
        (["管理办法", "--lines", "1-1"], "设备租赁业务管理办法\n"),
        (["设备清单", "--rows", "0:1", "--fields", "编号,月租"], "L-01"),
    ],
)
def test_every_kind_of_place_can_be_read(lease: str, arguments: list[str], text: str) -> None:
    ended = reread(lease, *arguments)
    assert ended.status == 0, ended.err
    assert text in ended.out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["管理办法", "--block", "管理办法#二"], "no such block"),
        (["租赁合同", "--span", "0:99999"], "outside the version"),
        (["别的合同"], "no such source"),
        (["租赁合同@ffffffffffff"], "no such version"),
    ],
)
def test_what_is_not_there_is_refused_and_nothing_near_is_given(
    lease: str, arguments: list[str], reason: str
) -> None:
    ended = reread(lease, *arguments)
    assert (ended.status, ended.out) == (3, "")
    assert reason in ended.err


def test_what_is_not_found_where_something_could_not_be_read_is_not_called_absent(
    tmp_path: Path, lease: str
) -> None:
    (tmp_path / "store.bin").write_bytes(bytes(range(256)))
    ended = reread(str(tmp_path / "store.bin"), "d03", "--span", "0:5")
    assert ended.status == 3
    assert "in what of the store could be read" in ended.err
    assert "could be read" not in reread(lease, "别的合同").err


def test_changed_evidence_is_refused(incident: str) -> None:
    ended = reread(incident, "config/pool.toml", "--span", "0:5")
    assert (ended.status, ended.out) == (3, "")
    assert "evidence changed" in ended.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--span", "5"],
        ["--span", "9:5"],
        ["--lines", "0-3"],
        ["--fields", "a"],
        ["--span", "0:1", "--rows", "0:1"],
    ],
)
def test_a_place_that_is_none_is_wrong_usage(lease: str, arguments: list[str]) -> None:
    assert reread(lease, "租赁合同", *arguments).status == 2


def test_two_places_at_once_are_wrong_usage(lease: str) -> None:
    assert reread(lease, "租赁合同[0:4]", "--span", "0:4").status == 2


def test_a_terminal_gets_stand_ins_and_a_pipe_the_text_itself(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path / "run", "r")
    writer.version("d", "red \x1b[31m")
    folder = str(writer.finish())
    assert reread(folder, "d").out == "red \x1b[31m"
    shown = reread(folder, "d", terminal=True)
    assert shown.out == "red ␛[31m\n"
    assert "stand-ins" in shown.err


def test_only_what_is_wrong_with_the_source_asked_for_is_said(incident: str) -> None:
    assert "config/pool.toml" not in reread(incident, "runbooks/gateway.md", "--span", "0:5").err
    assert "differ from its hash" in reread(incident, "config/pool.toml", "--span", "0:5").err
