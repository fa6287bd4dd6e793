"""docs/dependencies.md gives a reason for each dependency, and for nothing else."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DOCUMENT = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
LOCK = (ROOT / "packaging" / "requirements.lock").read_text(encoding="utf-8")

# Each dependency has a heading of its own below one of these.
SECTIONS = {"Run time": None, "Test": "test", "Build": "build"}


def normal(name: str) -> str:
    """Spell a name as package registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required(group: str | None) -> set[str]:
    """Name what pyproject.toml asks for: at run time, or in a dependency group."""
    lines = PROJECT["dependency-groups"][group] if group else PROJECT["project"]["dependencies"]
    found = (re.match(r"[A-Za-z0-9._-]+", line) for line in lines)
    return {normal(name.group()) for name in found if name}


def described(section: str) -> set[str]:
    """Name the headings of the third level below one of the second."""
    body = re.search(rf"^## {section}$(.*?)(?=^## |\Z)", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert body, f"docs/dependencies.md has no section '{section}'"
    return {normal(name) for name in re.findall(r"^### (.+)$", body[1], re.MULTILINE)}


def test_each_dependency_has_its_reason_and_each_reason_its_dependency() -> None:
    assert {section: described(section) for section in SECTIONS} == {
        section: required(group) for section, group in SECTIONS.items()
    }


def test_each_dependency_states_its_licence_and_what_it_costs() -> None:
    entries = re.split(r"^###? ", DOCUMENT, flags=re.MULTILINE)
    names = set().union(*(required(group) for group in SECTIONS.values()))
    own = [entry for entry in entries if normal(entry.split("\n", 1)[0]) in names]
    assert len(own) == len(names)
    for entry in own:
        assert "Licence: " in entry, entry
        assert "Cost: " in entry, entry


def test_each_dependency_is_locked_with_a_hash() -> None:
    locked = re.findall(r"^([a-z0-9-]+)==\S+(?: ;[^\n]*)? \\\n +--hash=sha256:", LOCK, re.MULTILINE)
    names = set().union(*(required(group) for group in SECTIONS.values()))
    assert names <= set(locked)
    assert len(locked) == LOCK.count("==") - len(re.findall(r";[^\n]*==", LOCK))


def test_the_broken_pair_of_qt_and_python_is_not_locked() -> None:
    old = re.findall(
        r"^pyside6-essentials==(\S+) ; python_full_version < '3\.12'", LOCK, re.MULTILINE
    )
    assert old
    assert "6.12.0" not in old
