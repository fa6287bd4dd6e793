"""Pieces of a page.  All text goes through `escape`; nothing else makes markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as _escape

from reviewer.display import visible

__all__ = ["WORDS", "cell", "escape", "grid", "identity", "link", "measure", "tag"]

WORDS = {
    "title": "What the model read",
    "lead": (
        "For each citation: was the cited text inside the model's input when it wrote the "
        "sentence? Only text that was found in the request counts as read."
    ),
    "runs": "Runs",
    "no runs": "No run could be audited.",
    "problems": "Problems",
    "citations": "Citations",
    "findings": "Findings",
    "no findings": "No rule was broken",
    "settings": "Settings in force",
    "jump": "Findings by severity",
    "sources": "Sources and versions",
    "placeholders": "Placeholders",
    "all reads": "Reads",
    "reads": "Reads that did not deliver all they asked for",
    "tokens": "What the requests cost",
    "in no call": "in no call",
    "more characters": "more characters; the JSON report holds all of it",
    "strips": (
        "First strip: the version from its start to its end; the upper lane shows what was "
        "delivered in some call, the lower lane what stood in the request of the last answer, the "
        "outlined pieces only a preview. Second strip: the calls of the run, filled where the "
        "request held some of the version."
    ),
    "made by": "Made by Reread",
    "claims": (
        "This page speaks of the model's input, as far as the record proves it. It does not say "
        "whether the answer is right."
    ),
}
"""What the pages say, in one place."""


def escape(text: str) -> str:
    """Return *text* as characters of a page, never markup; hidden characters are made visible."""
    return _escape(visible(text), quote=True)


def tag(name: str, text: str) -> str:
    """Return an element that holds *text*."""
    return f"<{name}>{escape(text)}</{name}>\n"


def cell(text: str) -> str:
    """Return the content of a table cell."""
    return escape(text)


def link(target: str, text: str) -> str:
    """Return a link to a place on the same page."""
    return f'<a href="{escape(target)}">{escape(text)}</a>'


def identity(text: str, mark: str = "") -> str:
    """Return an id or a path, which may be broken anywhere where it does not fit; words may not."""
    place = f' id="{escape(mark)}"' if mark else ""
    return f'<span class="id"{place}>{escape(text)}</span>'


def measure(strip: str, number: str) -> str:
    """Return a picture with its number beside it; without a picture, the number."""
    return f'<span class="measure">{strip}<span>{escape(number)}</span></span>'


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
