"""The map and the strips say what the audit says, by shape, letter and word, however big."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from reviewer.app import main
from reviewer.audit.cells import closing_call
from reviewer.audit.engine import audit
from reviewer.audit.rules._example import NOTICE, Story, cite
from reviewer.audit.strips import Piece, Strip
from reviewer.reports._drawing import CELL_WORDS, DOUBT, MIXED
from reviewer.reports._drawing_map import ResidencyMap, residency_map
from reviewer.reports._drawing_strip import coverage_lane, strip_columns, version_strips
from reviewer.reports._map_text import map_lines, strip_lines
from reviewer.reports._svg import PAINTS, fluid, picture
from reviewer.services.auditing import audit_paths
from reviewer.services.sample import write_sample
from store.builder import RunBuilder
from store.records.findings import Audit
from store.records.grades import Grade, Layer
from store.records.runs import Part, PartKind, ToolCall, ToolResult
from store.records.sources import Selection, SourceKind, Version, VersionKey
from store.records.text import Span, Unit
from tests.made import HOSTILE, made_audit, made_run, unknown_audit

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return list(write_sample(tmp_path_factory.mktemp("sample")))


@pytest.fixture(scope="module")
def sample(places: list[Path]) -> list[Audit]:
    found = audit_paths([str(place) for place in places], tokens=False, strict=True)
    return [one for one in found if isinstance(one, Audit)]


def big(sources: int, calls: int) -> Audit:
    """Return the audit of a run that is given a source now and then, and loses it after a while."""
    builder = RunBuilder("big", "runs/big", "reread.run", Layer.CLIENT)
    held: list[int] = []
    for call in range(calls):
        if call % (calls // sources) == 0 and call // (calls // sources) < sources:
            number = call // (calls // sources)
            body = f"Source {number} says that {'x' * (number % 7 + 1)} holds, word for word."
            key = VersionKey(f"s{number}", f"v{number}")
            builder.versions.append(Version(key, SourceKind.TEXT, chars=len(body), text=body))
            builder.tool_calls.append(ToolCall(f"t{number}", "read", "{}", max(call, 1)))
            whole = Selection(key.source_id, key.version_id, Unit.CHAR, (Span(0, len(body)),))
            builder.tool_results.append(ToolResult(f"t{number}", body, "ok", (whole,)))
            held.append(
                builder.message(
                    "tool", [Part(PartKind.TOOL_RESULT, body, f"t{number}")], f"f:{call}"
                )
            )
        builder.call(held[-20:], model="m")
    return audit(builder.finish())


def look_at(map_: ResidencyMap, row: int, column: int) -> str:
    return next(run.look for run in map_.rows[row].runs if run.first <= column <= run.last)


def test_the_framed_column_says_of_every_source_what_the_audit_says(sample: list[Audit]) -> None:
    for found in sample:
        map_ = residency_map(found)
        assert map_.answer is not None
        assert map_.columns[map_.answer] == (closing_call(found.run),) * 2
        names = [row.source_id for row in map_.rows]
        for source in found.sources:
            if len(source.versions) == 1 and source.source_id in names:
                state = source.versions[0].state_at_answer.value
                expected = "absent" if state == "listed" else state
                assert look_at(map_, names.index(source.source_id), map_.answer) == expected


def test_cells_of_one_state_are_one_box_and_boxes_fill_the_row(sample: list[Audit]) -> None:
    for row in (row for found in sample for row in residency_map(found).rows):
        assert all(left.look != right.look for left, right in pairwise(row.runs))
        assert [left.end for left in row.lane.boxes][:-1] == [
            right.start for right in row.lane.boxes[1:]
        ]
        assert row.lane.boxes[-1].end == 1


def test_many_calls_share_columns_and_it_is_said_how() -> None:
    map_ = residency_map(big(300, 5000), columns=100)
    assert map_.columns[map_.answer or 0] == (5000, 5000)
    assert max(last - first for first, last in map_.columns) == 49
    assert [first for first, _ in map_.columns[1:]] == [last + 1 for _, last in map_.columns[:-1]]
    assert map_.notes[0].startswith("Each column stands for up to 50 calls, that of the answer")
    assert sum(len(row.runs) for row in map_.rows) < 5 * len(map_.rows)


def test_a_column_whose_calls_differ_is_never_shown_as_one_state() -> None:
    found = big(10, 100)
    exact, folded = residency_map(found, 100), residency_map(found, 7)
    for row in range(len(exact.rows)):
        for column, (first, last) in enumerate(folded.columns):
            states = {look_at(exact, row, call - 1) for call in range(first, last + 1)}
            expected = states.pop() if len(states) == 1 else MIXED
            assert look_at(folded, row, column) == expected


def test_a_source_that_stood_nowhere_and_that_nothing_cites_is_counted_and_not_drawn() -> None:
    story = Story()
    story.document("notice")
    story.document("never", f"{NOTICE} Never.")
    story.read("notice")
    map_ = residency_map(audit(story.answer(cite("notice", (0, 10)))))
    assert "never" not in [row.name for row in map_.rows]
    assert any(note.startswith("Nothing of one other source stood") for note in map_.notes)
    cited = Story()
    cited.document("never", f"{NOTICE} Never.")
    map_ = residency_map(audit(cited.answer(cite("never", (0, 10)))))
    assert [(row.name, row.citations) for row in map_.rows] == [("never", 1)]
    assert map_.notes == ()


def test_a_call_that_is_not_proven_is_marked_in_the_map() -> None:
    story = Story(grade=Grade.UNKNOWN)
    story.document("notice")
    story.read("notice")
    map_ = residency_map(audit(story.answer()))
    assert map_.grades.lane.words.startswith("grade: unknown in all calls (what is drawn came")
    assert [run.look for run in map_.grades.runs] == ["unknown"]
    assert any(note.startswith("In 2 of 2 calls the record cannot say") for note in map_.notes)
    lane = next(row.lane for row in map_.rows if row.name == "notice")
    assert [box.look for box in lane.boxes] == ["absent", "full", DOUBT, DOUBT]
    assert [letter.text for letter in lane.letters] == ["F?"]
    assert lane.words == "notice: full in call 2; grade unknown in 2 columns"
    lines = list(map_lines(audit(story.run()), 80))
    assert any(line.split() == ["·|f|", "notice"] for line in lines)


def test_strips_of_a_run_that_is_not_proven_say_so() -> None:
    said = "1 of 2 calls could not be decided (grade unknown): what is drawn came, and may not"
    assert said in " ".join(strip_lines(unknown_audit(), 200))
    assert said in "".join(picture(unknown_audit()))
    assert said not in " ".join(strip_lines(made_audit(), 200))


def test_a_run_without_calls_or_answer_is_drawn_too() -> None:
    empty = residency_map(audit(Story().run()))
    assert (empty.columns, empty.answer) == ((), None)
    assert "".join(picture(audit(Story().run()))).startswith("<svg")
    assert list(map_lines(audit(Story().run()), 80))
    assert "No answer is recorded; the last call is framed." in residency_map(made_audit()).notes


def test_a_strip_shows_what_came_what_not_and_what_is_cited() -> None:
    (found,) = version_strips(made_audit())
    lane = coverage_lane(found.facts, found.strip)
    above = [(box.look, round(box.end, 2)) for box in lane.boxes if box.top == 0]
    assert above == [("gap", 1.0), ("delivered", 0.56), ("gap", 1.0)]
    assert [(box.look, box.start) for box in lane.boxes if box.top > 15] == [("cited", 0.0)]
    assert lane.words == "55 % of 18 chars delivered, 55 % at the answer, 1 gap, 1 cited place"


def test_no_gap_is_too_small_to_be_seen() -> None:
    (found,) = version_strips(made_audit())
    extent = Span(0, 1_000_000)
    gap = Span(500_000, 500_001)
    pieces = (
        Piece("delivered", Span(0, 500_000)),
        Piece("gap", gap),
        Piece("delivered", Span(500_001, 1_000_000)),
    )
    strip = replace(found.strip, extent=extent, pieces=pieces, cited=())
    last = [box for box in coverage_lane(found.facts, strip).boxes if box.top == 0][-1]
    assert last.look == "gap"
    assert last.end - last.start >= 0.003
    assert strip_columns(strip, 10) == ["delivered"] * 5 + [MIXED] + ["delivered"] * 4


def test_a_strip_of_too_many_pieces_is_drawn_in_columns_that_promise_nothing() -> None:
    (found,) = version_strips(made_audit())
    pieces = tuple(Piece("delivered", Span(at, at + 1)) for at in range(0, 10_000, 2))
    strip = Strip(Unit.CHAR, Span(0, 10_000), open_ended=False, pieces=pieces, cited=())
    boxes = [box for box in coverage_lane(found.facts, strip).boxes if box.top == 0]
    assert [box.look for box in boxes] == [MIXED]


def test_every_look_has_a_shape_and_a_letter_of_its_own() -> None:
    letters = [letter for letter, _ in CELL_WORDS.values()]
    assert len(set(letters)) == len(letters)
    shapes = {box[2:4] for row in residency_map(made_audit()).rows for box in row.lane.boxes}
    assert shapes
    assert set(CELL_WORDS) <= set(PAINTS)


def test_a_picture_is_one_file_without_scripts_or_anything_from_elsewhere() -> None:
    run = replace(made_run(HOSTILE, HOSTILE), title=HOSTILE)
    sources = tuple(replace(source, source_id=HOSTILE) for source in made_audit().sources)
    text = "".join(picture(replace(made_audit(run), sources=sources)))
    root = ET.fromstring(text)  # noqa: S314 - made here
    names = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert names <= {"svg", "g", "title", "style", "rect", "line", "text"}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not [name for name in attributes if name.startswith("on") or "href" in name]
    assert "url(" not in text
    assert "@import" not in text
    assert "\u202e" not in text
    assert all(element.text for element in root.iter(f"{SVG}title"))


def test_the_same_run_gives_the_same_picture(sample: list[Audit]) -> None:
    for found in sample:
        assert list(picture(found)) == list(picture(found))


def test_a_lane_in_a_page_is_as_wide_as_its_room_and_has_words(sample: list[Audit]) -> None:
    map_ = residency_map(sample[0])
    drawn = fluid(map_.rows[0].lane, map_.frame)
    root = ET.fromstring(drawn)  # noqa: S314 - made here
    assert root.get("width") == "100%"
    assert root.find("title") is not None
    places = [root_.get("x", "0%") for root_ in root.iter("rect")]
    assert all(place.endswith("%") for place in places)
    assert 'class="k-frame"' in drawn


def test_the_map_on_a_terminal_has_a_letter_for_each_call(sample: list[Audit]) -> None:
    lines = list(map_lines(sample[0], 100))
    (row,) = [line for line in lines if line.endswith("logs/gateway.log")]
    assert row.split() == ["◆", "··FFHHH|H|", "logs/gateway.log"]
    assert any(line.split() == ["RRRRRRR|R|", "grade"] for line in lines)
    narrow = list(map_lines(big(10, 500), 60))
    assert any("Each column stands for up to" in line for line in narrow)


def test_a_strip_on_a_terminal_tells_what_came_and_what_is_cited() -> None:
    lines = list(strip_lines(made_audit(), 100))
    assert f"  [{'█' * 33}~{'·' * 26}]  d03@{'1454125600c3'}…" in lines
    assert any(line.startswith(f"   {'▲' * 34}") for line in lines)


# -- the command ---------------------------------------------------------------------------


def test_sources_map_draws_on_the_terminal_and_into_a_file(
    places: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = str(places[0])
    assert main(["sources", "--map", given]) == 0
    assert "logs/gateway.log" in capsys.readouterr().out
    made = tmp_path / "map.svg"
    assert main(["sources", "--map", given, "--output", str(made)]) == 0
    assert made.read_text("utf-8").startswith("<svg")
    assert "wrote" in capsys.readouterr().err
    assert main(["sources", "--map", "--format", "svg", given]) == 0
    assert capsys.readouterr().out == made.read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--format", "svg"], "only a map is written as svg; add --map"),
        (["--map", "--format", "json"], "a map is written as text or svg"),
        (["--map", "--output", "map.png"], "map.png: nothing is written with this ending"),
    ],
)
def test_a_picture_without_a_map_is_wrong_usage(
    places: list[Path], capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert main(["sources", str(places[0]), *options]) == 2
    assert said in capsys.readouterr().err


def test_one_picture_shows_one_run(
    places: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [str(place) for place in places]
    made = tmp_path / "map.svg"
    assert main(["sources", "--map", *both, "--output", str(made)]) == 2
    assert "choose one with --run ID" in capsys.readouterr().err
    assert not made.exists()
    assert main(["sources", "--map", *both, "--output", str(places[0] / "map.svg")]) == 2
    assert "lies in the evidence" in capsys.readouterr().err


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("look", sorted(set(PAINTS) - {"ground", "gap", "absent", "doubt"}))
def test_what_stands_there_is_seen_on_white_and_on_black(look: str) -> None:
    paint = PAINTS[look]
    assert contrast(paint.light, "#ffffff") >= 3
    assert contrast(paint.dark, "#12161b") >= 3
