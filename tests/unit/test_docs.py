"""Pages whose truth is a table in the code say what the code says."""

import re
import runpy
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return dict(runpy.run_path(str(HOME / "packaging" / "write_docs.py"))["documents"]())


def test_the_generated_pages_are_current(made: dict[str, str]) -> None:
    old = [name for name, text in made.items() if (HOME / name).read_bytes() != text.encode()]
    assert not old, "run: python packaging/write_docs.py"


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    text = (HOME / "README.md").read_text("utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
    assert links
    assert not [link for link in links if not (HOME / link).exists()]


def test_the_walk_in_the_readme_shows_what_the_sample_holds() -> None:
    text = " ".join((HOME / "README.md").read_text("utf-8").split())
    assert "from_memory" in text
    assert "last in the request of call 4, and not in that of call 8" in text


def test_the_readme_shows_the_phantom_read_of_the_sample() -> None:
    text = (HOME / "README.md").read_text("utf-8")
    assert "PLC001 (recorded) · call 5 · tool call t2 · source logs/gateway.log" in text
    assert "(docs/phantom-reads.md)" in text
    assert "(docs/reference/words.md)" in text


def test_the_pictures_of_the_readme_are_there_small_and_told_in_words() -> None:
    readme = (HOME / "README.md").read_text("utf-8")
    pictures = re.findall(r"!\[([^\]]*)\]\((docs/pictures/[^)]+)\)", readme)
    assert len(pictures) == 3
    for told, name in pictures:
        held = (HOME / name).read_bytes()
        assert held.startswith(b"\x89PNG\r\n")
        assert len(held) < 200_000
        assert len(told) > 60
