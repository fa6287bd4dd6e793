"""Every importer meets the same damage, and each case ends in clear lines, soon and in bounds.

An importer is tested as soon as it is there: with the sample that it names in
``tests/samples.py``, else with a recorded file that it recognises.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from store.importers import importers
from tests.samples import SAMPLES, sample

HOME = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).with_name("opening_worker.py")
MEMORY = 2 << 30
"""Bytes of address space in which every case must end; the program and its libraries take half."""
SECONDS = 20
"""For one case, on a machine that does other things as well; most take a tenth of one."""
FORMATS = [each.name for each in importers() if not each.last_resort]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")

Damage = Callable[[bytes], bytes | None]
"""Returns damaged bytes, or ``None`` where a file has nothing to damage so."""


def _is_text(data: bytes) -> bool:
    return b"\0" not in data[:4096]


def _cut(data: bytes) -> bytes | None:
    """Cut in the middle, and in the middle of a line."""
    at = len(data) // 2
    while at > 1 and data[at - 1 : at] in b"\r\n}]":
        at -= 1
    return data[:at] or None


def _letter(data: bytes, instead: bytes) -> bytes | None:
    """Replace a letter within a text in the middle."""
    found = re.search(rb"[a-z]{4}", data[len(data) // 2 :]) or re.search(rb"[a-z]{4}", data)
    if found is None or not _is_text(data):
        return None
    at = data.index(found[0]) + 1
    return data[:at] + instead + data[at + 1 :]


def _value(data: bytes, pattern: bytes, instead: bytes) -> bytes | None:
    """Replace the last value of a kind in JSON, which is mostly deep inside."""
    found = list(re.finditer(pattern, data)) if _is_text(data) else []
    if not found:
        return None
    one = found[-1]
    return data[: one.start(1)] + instead + data[one.end(1) :]


_TEXT = rb':\s*("(?:[^"\\]|\\.){1,400}")\s*[,}]'
_NUMBER = rb":\s*(-?\d+(?:\.\d+)?)\s*[,}]"


def _decoded(data: bytes, encoding: str) -> bytes | None:
    return data.decode().encode(encoding) if _is_text(data) else None


def _flipped(data: bytes) -> bytes:
    chance = random.Random(len(data))  # noqa: S311 - the same damage each time
    made = bytearray(data)
    for _ in range(12):
        made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
    return bytes(made)


DAMAGE: dict[str, Damage] = {
    "cut in half": _cut,
    "utf-16": lambda data: _decoded(data, "utf-16"),
    "latin-1": lambda data: _letter(data, b"\xe9"),
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data if _is_text(data) else None,
    "deep nesting": lambda data: _value(data, _TEXT, b"[" * 100_000 + b"]" * 100_000),
    "deep objects": lambda data: _value(data, _TEXT, b'{"a":' * 50_000 + b"1" + b"}" * 50_000),
    "endless integer": lambda data: _value(data, _NUMBER, b"9" * 100_000),
    "endless exponent": lambda data: _value(data, _NUMBER, b"1e999999999"),
    "NUL": lambda data: _letter(data, b"\0"),
    "half a character": lambda data: _value(data, _TEXT, rb'"\ud83d"'),
    "huge line": lambda data: _value(data, _TEXT, b'"' + b"x" * (4 << 20) + b'"'),
    "flipped bits": _flipped,
    "empty": lambda _data: b"",
}
_MAY_BE_WHOLE = {
    "utf-16",
    "byte order mark",
    "endless exponent",
    "half a character",
    "huge line",
    "flipped bits",
    "NUL",
}
"""Damage after which a record may well be read as it stands, without a word."""


def _largest(path: Path) -> Path:
    """Return the file in which a sample stands."""
    if path.is_file():
        return path
    files = [
        each for each in sorted(path.rglob("*")) if each.is_file() and "objects" not in each.parts
    ]
    return max(files, key=lambda each: each.stat().st_size)


def _variants(path: Path, folder: Path) -> Iterator[Path]:
    """Write every damaged variant of the sample at *path*."""
    inner = _largest(path).relative_to(path)
    data = (path / inner).read_bytes()
    for name, damage in DAMAGE.items():
        try:
            made = damage(data)
        except UnicodeError:
            made = None
        if made is not None:
            yield _placed(path, folder / name, inner, made)
    for seed in range(3):
        spoiled = _spoiled(data, random.Random(seed))  # noqa: S311 - as above
        if spoiled is not None:
            yield _placed(path, folder / f"wrong types {seed}", inner, spoiled)


def _placed(path: Path, folder: Path, inner: Path, data: bytes) -> Path:
    folder.mkdir()
    made = folder / path.name
    if path.is_dir():
        shutil.copytree(path, made)
    (made / inner).write_bytes(data)
    return made


_VALUES: list[object] = [
    None, True, -1, 10**18, 1.5, "", "\0", "../../etc/passwd", [], {}, [[1]], [None], {"a": {}},
    "2026-13-45T99:99:99Z", 1e308, "\u202e", {"type": 7}, [{"role": []}],
]  # fmt: skip


def _spoiled(data: bytes, chance: random.Random) -> bytes | None:
    """Put values of wrong types into a third of the records, or everywhere in one document."""
    if not _is_text(data):
        return None
    try:
        return json.dumps(_wrong(json.loads(data), chance)).encode()
    except ValueError:
        pass
    lines = data.split(b"\n")
    try:
        made = [json.dumps(_wrong(json.loads(each), chance)).encode() for each in lines if each]
    except ValueError:
        return None
    return b"\n".join(made) + b"\n"


def _wrong(value: Any, chance: random.Random) -> Any:  # noqa: ANN401 - any JSON
    if chance.random() < 0.04:
        return chance.choice(_VALUES)
    if isinstance(value, dict):
        return {key: _wrong(each, chance) for key, each in value.items()}
    return [_wrong(each, chance) for each in value] if isinstance(value, list) else value


_SPACES = b" " * (1 << 20)


def _packed(path: Path, folder: Path) -> Iterator[Path]:
    """Write archives: a bomb of this format, and a name that leads out beside a good one."""
    folder.mkdir()
    data = _largest(path).read_bytes()
    bomb = folder / "bomb.zip"
    with (
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made,
        made.open(path.name, "w") as one,
    ):
        one.write(data[: min(len(data) // 2, 40_000)] if _is_text(data) else data)
        for _ in range(68):
            one.write(_SPACES)
    yield bomb
    leading = folder / "leading.zip"
    with zipfile.ZipFile(leading, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(f"../../{path.name}", data)
        for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if each.is_file():
                made.write(each, f"in/{each.relative_to(path.parent).as_posix()}")
    yield leading


class Opener:
    """A process that opens each request in a copy of itself."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(HOME), "PYTHONWARNINGS": "error"}
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, str(WORKER), str(MEMORY), str(SECONDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=HOME,
        )

    def opened(self, paths: list[Path]) -> list[dict[str, Any]]:
        """Open *paths*, and return what was told of each."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(each) for each in paths]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        records: list[dict[str, Any]] = answer["records"]
        assert answer["status"] == 0, f"ended by {answer['status']}: {paths[len(records)]}"
        return records

    def end(self) -> None:
        """End the process."""
        self._process.communicate()


@pytest.fixture(scope="module")
def opener() -> Iterator[Opener]:
    made = Opener()
    yield made
    made.end()


@pytest.mark.parametrize("name", FORMATS)
def test_damage_ends_in_clear_lines_soon_and_in_bounds(
    name: str, tmp_path: Path, opener: Opener
) -> None:
    (tmp_path / "sample").mkdir()
    path = sample(name, tmp_path / "sample")
    if path is None:
        pytest.skip("no recorded file of this format is at hand")
    variants = [*_variants(path, tmp_path), *_packed(path, tmp_path / "packed")]
    whole, *told = opener.opened([path, *variants])
    assert whole["calls"], f"the sample of {name} holds no run: {whole['problems']}"
    for variant, case in zip(variants, told, strict=True):
        what = variant.parent.name if variant.parent.name != "packed" else variant.name
        lines = [line for _, line in case["problems"]]
        assert not [line for line in lines if "internal error" in line], what
        assert not [line for line in lines if "\n" in line], what
        assert case["calls"] or lines, what
        if what not in _MAY_BE_WHOLE and not what.startswith("wrong types"):
            assert lines, f"{what}: nothing is told"
        if what == "bomb.zip":
            assert any("unpacked no further" in line for line in lines), lines
        if what == "leading.zip":
            assert case["calls"] == whole["calls"], what
            assert any("leads out of the archive" in line for line in lines)
        if what == "byte order mark":
            assert case["calls"] == whole["calls"] or lines, what
    assert not (tmp_path.parent / path.name).exists()


def test_every_importer_says_what_its_samples_prove() -> None:
    assert [each.name for each in importers() if not each.proves] == []


def test_every_importer_has_a_sample(shared: Path, tmp_path: Path) -> None:
    assert shared.is_dir()
    missing = []
    for number, name in enumerate(FORMATS):
        (tmp_path / str(number)).mkdir()
        if sample(name, tmp_path / str(number)) is None:
            missing.append(name)
    assert not missing, "name a sample of each in tests/samples.py"
    assert set(SAMPLES) - set(FORMATS) == set()
