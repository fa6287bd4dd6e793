"""Finds every message that an audit or an importer may write, as a template of its wording."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

HOME = Path(__file__).parents[2]
ROOMS = (
    "reviewer/audit",
    "reviewer/services/baselines.py",
    "reviewer/services/deciding.py",
    "reviewer/services/lineage.py",
    "reviewer/services/open_reviews.py",
    "reviewer/services/opening_runs.py",
    "reviewer/services/run_review.py",
    "reviewer/services/settings.py",
    "store/importers",
    "store/entries.py",
    "store/opening.py",
    "store/walking.py",
    "store/joining.py",
    "store/mixed.py",
    "store/evidence.py",
    "store/jsonin.py",
    "store/_decision_lines.py",
    "store/reviews.py",
)
NOT_SHOWN = {
    "silent",  # a rule's own words about its limits stand in the manual only
    "pattern",
    "passing",
    "failing",
    "meaning",  # what a parameter sets, in the manual only
}
_EXAMPLES = {"_passing", "_failing", "_told"}
_TABLED = {"Importer"}
"""What a format is called and how it is told stands in the manual and `reread formats` only."""
_VALUES = 2
"""Values in a template of one word, above which it is a message all the same."""
_REGEX = re.compile(r"\\[A-Za-z(\[.]|\(\?|\[\^")


def messages() -> dict[str, str]:
    """Return every template with the file it stands in; values are ``{0}``, ``{1}`` and so on."""
    found: dict[str, str] = {}
    for room in ROOMS:
        place = HOME / room
        for path in [place] if place.suffix else sorted(place.rglob("*.py")):
            if path.name != "_example.py":
                for text in _of(ast.parse(path.read_text("utf-8"))):
                    found.setdefault(text, path.name)
    return found


def _of(node: ast.AST) -> Iterator[str]:
    """Yield the templates below *node*, without docstrings, examples and regular expressions."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.FunctionDef) and node.name in _EXAMPLES:
        return
    if isinstance(node, ast.keyword) and node.arg in NOT_SHOWN:
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TABLED:
        return
    text = _template(node)
    if text is not None and isinstance(node, ast.Constant | ast.JoinedStr):
        if _is_message(text):
            yield text
        if isinstance(node, ast.Constant):
            return
        held = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        for value in held:
            yield from _of(value)
        return
    for child in ast.iter_child_nodes(node):
        yield from _of(child)


def _template(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return None
    text, holes = "", 0
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value)
        else:
            text += f"{{{holes}}}"
            holes += 1
    return text


def _is_message(text: str) -> bool:
    """Tell words for a reader from keys, patterns and file names."""
    words = re.findall("[A-Za-z]{2,}", re.sub(r"\{\d+\}", "", text))
    told = len(words) > 1 or (words and text.count("{") > _VALUES)
    asked = text.startswith(("WHERE ", "GROUP BY ", "ORDER BY "))
    return bool(told) and " " in text.strip() and not (asked or _REGEX.search(text))
