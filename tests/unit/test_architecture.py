"""Rules about imports that the import contracts in pyproject.toml cannot say.

In a package whose files are each a feature, no feature may import another: it
must be possible to delete one file and lose nothing else. Modules whose names
begin with an underscore are what the features share. import-linter cannot
leave those out of its independence contract without a list of exceptions.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FEATURE_PACKAGES = ("store.importers", "reviewer.audit.rules", "reviewer.reports", "reviewer.cli")


def imported_by(module: str, source: str) -> set[str]:
    """Give the full names that ``source`` imports, wherever in the file; ``module`` is its name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            # One dot is the package that holds the module.
            above = module.split(".")[: -node.level] if node.level else []
            origin = ".".join([*above, *([node.module] if node.module else [])])
            found |= {origin} | {f"{origin}.{alias.name}" for alias in node.names}
    return found


def features(root: Path, package: str) -> dict[str, list[Path]]:
    """Give the features of a package by name, each with its files (one, or those of a folder)."""
    folder = root.joinpath(*package.split("."))
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).with_suffix("").parts[0]
        if not name.startswith("_"):
            found.setdefault(name, []).append(path)
    return found


def broken_rules(root: Path, package: str) -> list[str]:
    """Name each import of one feature by another, also through what the features share."""
    known = features(root, package)
    shared = sorted(root.joinpath(*package.split(".")).glob("_*.py"))
    broken = []
    for name, paths in [*known.items(), *((path.stem, [path]) for path in shared)]:
        others = {f"{package}.{other}" for other in known if other != name}
        for path in paths:
            module = ".".join(path.relative_to(root).with_suffix("").parts)
            imports = imported_by(module, path.read_text(encoding="utf-8"))
            broken += [f"{module} imports {other}" for other in sorted(others & imports)]
    return broken


@pytest.mark.parametrize("package", FEATURE_PACKAGES)
def test_no_feature_imports_another_feature(package: str) -> None:
    assert broken_rules(ROOT, package) == []


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("import pkg.features.other", False),
        ("import pkg.features.other as neighbour", False),
        ("from pkg.features import other", False),
        ("from pkg.features.other import THING", False),
        ("from . import other", False),
        ("from .other import THING", False),
        ("def late():\n    from .other import THING", False),
        ("from pkg.features import _shared", True),
        ("from ._shared import THING", True),
        ("from pkg.elsewhere import other", True),
        ("from ..elsewhere import other", True),
        ("import pkg.features.one", True),
    ],
)
@pytest.mark.parametrize("importer", ["one.py", "_shared.py"])
def test_the_rule_sees_each_way_to_import(
    line: str, importer: str, tmp_path: Path, *, allowed: bool
) -> None:
    if importer == "_shared.py" and "features.one" in line:
        allowed = False
    folder = tmp_path / "pkg" / "features"
    folder.mkdir(parents=True)
    for name in ("__init__.py", "one.py", "other.py", "_shared.py"):
        (folder / name).write_text("")
    (folder / importer).write_text(line)
    assert bool(broken_rules(tmp_path, "pkg.features")) is not allowed


def qt_users() -> list[str]:
    """Name the modules outside the window and the entry point that import Qt."""
    found = []
    for path in sorted([*ROOT.glob("store/**/*.py"), *ROOT.glob("reviewer/**/*.py")]):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        inside = module.startswith("reviewer.window.") and ".presenters" not in module
        if inside or module == "reviewer.app":
            continue
        roots = {name.split(".")[0] for name in imported_by(module, path.read_text("utf-8"))}
        if roots & {"PySide6", "shiboken6", "PyQt6", "PyQt5"}:
            found.append(module)
    return found


def test_qt_is_imported_only_by_the_window_and_the_entry_point() -> None:
    assert qt_users() == []
