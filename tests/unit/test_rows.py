"""Records of a table are found by key and value, each for what it is."""

import json
from collections.abc import Iterable, Sequence

import pytest

from reviewer.audit.exact import exact
from reviewer.audit.rows import RowHit, rows_in
from reviewer.audit.texts import VersionText
from reviewer.audit.views import views
from store.records.sources import SourceKind, Table, Version, VersionKey
from store.records.text import Span

ORDERS = ['{"id": "a", "n": 1, "t": "x"}', '{"id": "b", "n": 2, "t": "y"}']


def table(lines: Iterable[str], key: str | None = "id") -> VersionText:
    """Return a table of these JSON lines."""
    body = "".join(line + "\n" for line in lines)
    shape = Table((), body.count("\n"), key)
    return VersionText(Version(VersionKey("t", "v"), SourceKind.TABLE, text=body, table=shape))


def hits(text: str, rows: VersionText, wanted: Sequence[Span] = ()) -> tuple[RowHit, ...]:
    """Return the records of *text* that belong to the table."""
    return rows_in(views(text), rows, wanted, lambda _: True)


def whole(text: str, rows: VersionText, wanted: Sequence[Span] = ()) -> list[int | None]:
    """Return the rows of which *text* holds all, where that is certain."""
    return [hit.row for hit in hits(text, rows, wanted) if hit.whole and hit.certain]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(ORDERS),
        f"[{','.join(ORDERS)}]",
        json.dumps({"rows": [json.loads(line) for line in ORDERS]}, indent=2),
        json.dumps({"output": f"[{','.join(ORDERS)}]"}),
    ],
)
def test_rows_are_found_in_every_spelling(text: str) -> None:
    assert whole(text, table(ORDERS)) == [0, 1]


def test_a_row_with_fewer_fields_names_the_fields_that_came() -> None:
    (hit,) = hits('{"id": "b", "t": "y"}', table(ORDERS))
    assert (hit.row, hit.whole, sorted(hit.fields)) == (1, False, ["id", "t"])


def test_a_record_with_another_value_is_not_the_row() -> None:
    (hit,) = hits('{"id": "b", "n": 3, "t": "y"}', table(ORDERS))
    assert hit.row is None
    assert hit.key == "b"


def test_a_record_with_an_unknown_key_is_a_stranger() -> None:
    assert [(h.row, h.key) for h in hits('{"id": "z", "n": 1}', table(ORDERS))] == [(None, "z")]


def test_the_object_around_the_rows_is_no_stranger() -> None:
    text = f'{{"id": "orders", "rows": [{ORDERS[0]}]}}'
    assert [hit.row for hit in hits(text, table(ORDERS))] == [0]


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("1", "true"),
        ("1", "1.0"),
        ("0", "false"),
        ("12345678901234567.1", "12345678901234567.2"),
        ("1e400", "2e400"),
        ("1", '"1"'),
        ("null", '"null"'),
        ("[1]", '["1"]'),
        ("9" * 5000, "9" * 4999 + "8"),
    ],
)
def test_values_that_python_might_hold_for_equal_are_not(stored: str, shown: str) -> None:
    rows = table([f'{{"id": "a", "n": {stored}}}'])
    assert whole(f'{{"id": "a", "n": {shown}}}', rows) == []
    assert whole(f'{{"id": {shown}}}', table([f'{{"id": {stored}}}'])) == []


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1.50", "true", '{"x": [1, {"y": 2.0}]}'])
def test_every_value_is_equal_to_itself(value: str) -> None:
    line = f'{{"id": "a", "n": {value}}}'
    assert whole(line, table([line])) == [0]


def test_a_number_with_other_digits_for_the_same_fraction_is_equal() -> None:
    assert exact("1.50") == exact("1.5") == exact("15e-1")


def test_a_record_that_names_a_key_twice_is_no_row() -> None:
    assert hits('{"id": "a", "n": 9, "n": 1, "t": "x"}', table(ORDERS)) == ()
    assert table(['{"id": "a", "id": "b"}']).rows is None


def test_of_two_rows_with_one_key_the_one_with_the_values_is_meant() -> None:
    rows = table(['{"id": "a", "n": 1}', '{"id": "a", "n": 2}'])
    assert whole('{"id": "a", "n": 2}', rows) == [1]
    assert whole('{"id": "a"}', rows) == []


def test_equal_rows_of_which_not_all_came_are_uncertain() -> None:
    rows = table(['{"x": 1}', '{"x": 2}', '{"x": 1}'], key=None)
    assert whole('{"x": 2}\n{"x": 1}', rows) == [1]
    assert whole('{"x": 1}\n{"x": 2}\n{"x": 1}', rows) == [0, 1, 2]


def test_of_equal_rows_the_one_that_was_asked_for_is_meant() -> None:
    rows = table(['{"x": 1}', '{"x": 1}'], key=None)
    assert whole('{"x": 1}', rows, [Span(1, 2)]) == [1]


def test_a_row_that_came_twice_is_told_twice() -> None:
    assert [hit.row for hit in hits(f"[{ORDERS[0]}, {ORDERS[0]}]", table(ORDERS))] == [0, 0]


def test_rows_without_the_key_are_never_found_by_a_null() -> None:
    assert whole('{"id": null, "n": 1}', table(['{"n": 1}'])) == []


def test_rows_under_another_things_name_do_not_count() -> None:
    text = json.dumps({"doc_id": "other", "rows": [json.loads(ORDERS[0])]})
    found = rows_in(views(text), table(ORDERS), (), lambda names: "other" not in names.ids)
    assert found == ()


def test_the_ids_of_a_record_itself_are_values_and_no_name() -> None:
    found = rows_in(views(ORDERS[0]), table(ORDERS), (), lambda names: not names.ids)
    assert [hit.row for hit in found] == [0]


def test_a_line_that_is_no_record_makes_it_no_table() -> None:
    assert table(['{"id": "a"}', "", '{"id": "b"}']).rows is None
    assert table(["[1]"]).rows is None
    assert table([]).row_count == 0
