"""Pieces of a page.  All text goes through `escape`; nothing else makes markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as _escape

from reviewer.display import visible
from reviewer.reports._tables import Cell, Sheet

__all__ = ["escape", "grid", "identity", "link", "sheet", "tag"]


def escape(text: str) -> str:
    """Return *text* as characters of a page, never markup; hidden characters are made visible."""
    return _escape(visible(text), quote=True)


def tag(name: str, text: str) -> str:
    """Return an element that holds *text*."""
    return f"<{name}>{escape(text)}</{name}>\n"


def link(target: str, text: str) -> str:
    """Return a link to a place on the same page."""
    return f'<a href="{escape(target)}">{escape(text)}</a>'


def identity(text: str, mark: str = "") -> str:
    """Return an id or a path, which may be broken anywhere where it does not fit; words may not."""
    place = f' id="{escape(mark)}"' if mark else ""
    return f'<span class="id"{place}>{escape(text)}</span>'


_WORD = 14
"""Characters up to which a cell is kept on one line: grades, rules, outcomes, numbers."""


def _look(content: str) -> str:
    if 'class="id"' in content:
        return ' class="long"'
    return ' class="word"' if len(content) <= _WORD and "<" not in content else ""


def grid(heading: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, under its heading if it has one; cells are markup already.

    On a narrow screen each cell shows its name.
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "\n".join(
        "<tr>"
        + "".join(
            f'<td{_look(content)} data-name="{escape(name)}">{content}</td>'
            for name, content in zip(names, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    title = f"<h3>{escape(heading)}</h3>\n" if heading else ""
    return f"{title}<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>\n"


def sheet(made: Sheet) -> str:
    """Return a table with its heading and note; nothing where it has neither rows nor note."""
    if not made.rows and not made.note:
        return ""
    note = tag("p", made.note) if made.note else ""
    if not made.rows:
        return tag("h3", made.heading) + note
    rows = [[_cell(each) for each in row] for row in made.rows]
    return tag("h3", made.heading) + note + grid("", made.names, rows)


def _cell(made: Cell) -> str:
    text = escape(made.text)
    if made.kind == "id":
        return identity(made.text)
    return f'<span class="prose">{text}</span>' if made.kind == "prose" else text
