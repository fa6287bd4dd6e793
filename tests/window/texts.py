"""Finds every text of the window that a reader may see in another language."""

import ast
from collections.abc import Iterator
from pathlib import Path

from reviewer.window.actions import ACTIONS, MENUS

HOME = Path(__file__).parents[2]
WINDOW = HOME / "reviewer" / "window"


def texts() -> dict[str, str]:
    """Return every English text with the file it stands in."""
    found = {
        text: path.name
        for path in sorted(WINDOW.rglob("*.py"))
        for text in _of_file(ast.parse(path.read_text("utf-8")))
    }
    for command in ACTIONS:
        if command.choice != "language":
            found[command.title] = "the registry"
        if command.submenu:
            found[command.submenu] = "the registry"
    found.update(dict.fromkeys(MENUS.values(), "the registry"))
    return found


def computed() -> list[str]:
    """Return the calls whose text is no literal, apart from those of tables that `texts` reads."""
    allowed = {"menus.py", "regions.py", "i18n.py"}
    return [
        f"{path.name}: {ast.unparse(node)}"
        for path in sorted(WINDOW.rglob("*.py"))
        if path.name not in allowed
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if _name(node) in ("tr", "trn") and not all(isinstance(each, str) for each in _texts(node))
    ]


def _of_file(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if _name(node) in ("tr", "trn"):
            # Languages without a plural have an entry for many things only.
            yield from [each for each in _texts(node)[-1:] if isinstance(each, str)]
        elif _name(node) == "Panel" and isinstance(node, ast.Call) and node.args:
            title = node.args[1]
            assert isinstance(title, ast.Constant), "the title of a panel is a literal"
            yield str(title.value)


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        called = node.func
        return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return ""


def _texts(node: ast.AST) -> list[object]:
    assert isinstance(node, ast.Call)
    count = 2 if _name(node) == "trn" else 1
    return [each.value if isinstance(each, ast.Constant) else None for each in node.args[:count]]
