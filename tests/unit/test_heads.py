"""The head of a file is parsed once for all who are asked whether they know the file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from store import jsonin
from store.importers import _heads, importers
from store.importers._base import HEAD_BYTES
from store.importers._heads import beginning, first_line, first_value
from store.importers._probing import file_probe
from store.records import json_text
from store.records.json_text import MAX_DEPTH, Node, parse
from store.walking import recognised

VALUE = {
    "numbers": [1, -2.5, 3e5],
    'k"ey\\': {"": [[], {}, [{"q": '}]\\" \n上限😀', "t": True, "n": None}]]},
    "last": {"a": "b"},
}
SPELLED = {
    "compact": json.dumps(VALUE, ensure_ascii=False),
    "escaped": json.dumps(VALUE),
    "indented": json.dumps(VALUE, indent=2, ensure_ascii=False),
    "lines": json.dumps(VALUE) + "\n" + json.dumps({"second": 1}),
}


def made(node: Node) -> object:
    """Give the value of a node, numbers as numbers."""
    if node.kind == "object":
        return {child.key: made(child) for child in node.children}
    if node.kind == "array":
        return [made(child) for child in node.children]
    return json.loads(str(node.value)) if node.kind == "number" else node.value


@pytest.mark.parametrize("spelling", SPELLED)
def test_a_head_that_ends_anywhere_gives_all_that_stands_before_its_end(spelling: str) -> None:
    text = SPELLED[spelling]
    for end in range(1, len(text) + 1):
        node = parse(text[:end], tolerant=True)
        assert node is not None
        assert beginning(text[:end].encode()) == (made(node), node.complete), text[:end]


@pytest.mark.parametrize("wrong", ['{"a": 1 "b": 2}', "[1, }", '{"a" 1}', '["\\x"]', '{"a": nul}'])
def test_what_stops_being_json_gives_what_stands_before(wrong: str) -> None:
    node = parse(wrong, tolerant=True)
    assert node is not None
    assert beginning(wrong.encode()) == (made(node), False)


@pytest.mark.parametrize(
    "head", [b"", b" \n", b"text {", b'"text"', b"12", b"\0\1{", b"\xef\xbb\xbf"]
)
def test_what_begins_with_neither_an_object_nor_a_list_has_no_value(head: bytes) -> None:
    assert beginning(head) == (None, False)


def test_nesting_that_no_reader_takes_gives_no_value() -> None:
    for deep, known in ((MAX_DEPTH, True), (MAX_DEPTH + 1, False), (20 * MAX_DEPTH, False)):
        for text in (
            "[" * deep + "]" * deep,
            "[" * deep,
            '{"a":[' * (deep // 2) + "[" * (deep % 2),
        ):
            assert (beginning(text.encode())[0] is not None) is known, (deep, text[:6])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('\n {"a": 1}\n{"b": 2}', {"a": 1}),
        ('{"a": NaN, "b": "\\ud83d"} \r\nnext', "any"),
        ('{"a": 1} {"b": 2}\n', None),
        ('{\n"a": 1}', None),
        ('{"a": 1', None),
        ("plain text\n{}", None),
    ],
)
def test_the_first_line_has_a_value_where_it_is_one_by_itself(text: str, value: object) -> None:
    found = first_line(text.encode())
    assert (found is not None) if value == "any" else found == value


def test_a_head_in_utf_16_has_a_value_for_those_who_read_such_files() -> None:
    assert first_value('{"名": [1]}'.encode("utf-16")) == {"名": [1]}
    assert first_value(b'\xef\xbb\xbf{"a": [1]}') == {"a": [1]}
    assert beginning('{"a": [1]}'.encode("utf-16")) == (None, False)


# -- once for all ---------------------------------------------------------------------

RECORDS = [
    {"id": n, "name": f"品 {n}", "tags": ["a", "b"], "held": {"x": n / 7}} for n in range(2000)
]
FOREIGN = {
    "compact.json": json.dumps({"records": RECORDS}).encode(),
    "indented.json": json.dumps({"records": RECORDS}, indent=1).encode(),
    "whole.json": json.dumps({"records": RECORDS[:500]}).encode(),
    "lines.jsonl": b"\n".join(json.dumps(each).encode() for each in RECORDS),
    "list.json": json.dumps(RECORDS).encode(),
    "braces.txt": b"{ not JSON } " * 8000,
    "text.txt": b"a line of text, and more\n" * 4000,
    "binary.bin": bytes(range(256)) * 300,
}
"""Files that nobody knows."""


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Give how many bytes or characters each parser is given from now on, in turn."""
    given: list[int] = []

    class Counted(json_text._Reader):  # noqa: SLF001 - what all who parse tolerantly go through
        def __init__(self, text: str, start: int) -> None:
            found = json_text._BODY.match(text, start + 1)  # noqa: SLF001 - a text is read alone
            alone = text[start : start + 1] == '"' and found is not None
            given.append(found.end() - start if alone and found else len(text) - start)
            super().__init__(text, start)

    def counted(module: Any, name: str) -> None:  # noqa: ANN401 - a module
        inner = getattr(module, name)

        def call(data: Any, *args: object) -> object:  # noqa: ANN401 - bytes or text
            given.append(len(data))
            return inner(data, *args)

        monkeypatch.setattr(module, name, call)

    class Loads:
        JSONDecodeError = orjson.JSONDecodeError
        loads = staticmethod(orjson.loads)

    monkeypatch.setattr(json_text, "_Reader", Counted)
    monkeypatch.setattr(_heads, "orjson", Loads)
    counted(Loads, "loads")
    counted(jsonin, "_strict")
    counted(jsonin, "_tolerant")
    _heads.forget()
    yield given
    _heads.forget()


@pytest.mark.parametrize("name", FOREIGN)
def test_no_importer_parses_a_head_that_another_has_parsed(
    name: str, tmp_path: Path, parsed: list[int]
) -> None:
    path = tmp_path / name
    path.write_bytes(FOREIGN[name])
    probe = file_probe(path, name)
    assert [
        each.name for each in importers() if not each.last_resort and each.recognise(probe)
    ] == []
    # A strict parser may look at the first line, at all of it, and at what is closed of it.
    assert sum(parsed) <= 3 * HEAD_BYTES
    assert (sum(parsed) > 0) is (FOREIGN[name][:1] in (b"{", b"["))


def test_no_value_of_a_head_is_kept_when_all_were_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(FOREIGN["whole.json"])
    assert recognised(file_probe(path, "a.json")) is None
    assert _heads._parsed.cache_info().currsize == 0  # noqa: SLF001 - what would be kept
