"""Every command of the window, once: menus, palette, key sheet and manual are built from it.

Nothing here imports Qt, so that the manual can be written without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ACTIONS", "MENUS", "Command", "Menu", "When"]

Menu = Literal["file", "edit", "go", "decide", "view", "help"]
MENUS: dict[Menu, str] = {
    "file": "&File",
    "edit": "&Edit",
    "go": "&Go",
    "decide": "&Decide",
    "view": "&View",
    "help": "&Help",
}
"""The menus in their order, with their titles."""

When = Literal["always", "open", "paths", "back", "forward", "loading", "baseline"]
"""In which state of the window a command can be given."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    ``handler`` names a method of `reviewer.window.handlers.Handlers`; with
    ``argument`` it is given that text.  ``keys`` are in Qt's portable form,
    the first is the one that is shown.  ``group`` sets a line between
    commands of a menu; commands with a ``submenu`` stand in it.  ``choice``
    names a group of which one is checked; those of "region" and "highlight" are
    checked each for itself.  The palette finds a command by the words of ``also`` too.
    """

    id: str
    title: str
    menu: Menu
    handler: str
    keys: tuple[str, ...] = ()
    when: When = "always"
    group: int = 0
    submenu: str = ""
    argument: str = ""
    choice: str = ""
    also: str = ""


ACTIONS: tuple[Command, ...] = (
    Command("file.open_folder", "Open run folder…", "file", "open_folder", ("Ctrl+O",)),
    Command("file.open_file", "Open trace file…", "file", "open_file", ("Ctrl+Shift+O",)),
    Command("file.open_sample", "Open the sample", "file", "open_sample"),
    Command("file.export", "Export report…", "file", "export", ("Ctrl+E",), "open", 1),
    Command(
        "file.baseline", "Compare findings with a baseline…", "file", "baseline", (), "open", 1
    ),
    Command("file.no_baseline", "Forget the baseline", "file", "no_baseline", (), "baseline", 1),
    Command("file.reload", "Read again", "file", "reload", ("F5",), "paths", 1),
    Command("file.stop", "Stop reading", "file", "stop", (), "loading", 1),
    Command("file.close_all", "Close all runs", "file", "close_all", ("Ctrl+W",), "paths", 1),
    Command("file.quit", "Quit", "file", "quit", ("Ctrl+Q",), "always", 2),
    Command("edit.copy", "Copy", "edit", "copy", ("Ctrl+C",), "open"),
    Command("edit.copy_ref", "Copy as reference", "edit", "copy_ref", ("Ctrl+Shift+C",), "open"),
    Command("edit.copy_link", "Copy link", "edit", "copy_link", ("Ctrl+Shift+L",), "open"),
    Command("edit.find", "Find here", "edit", "find_here", ("Ctrl+F",), "open", 1),
    Command(
        "edit.find_everywhere", "Find everywhere", "edit", "find_everywhere", ("Ctrl+Shift+F",),
        "open", 1,
    ),
    Command("go.palette", "Command palette…", "go", "palette", ("Ctrl+K",)),
    Command("go.link", "Open link…", "go", "open_link", ("Ctrl+L",)),
    Command("go.compare", "Compare with…", "go", "compare_with", ("Ctrl+D",), "open"),
    Command("go.back", "Back", "go", "back", ("Alt+Left",), "back", 1),
    Command("go.forward", "Forward", "go", "forward", ("Alt+Right",), "forward", 1),
    Command("go.next", "Next citation or finding", "go", "next_item", ("J",), "open", 2),
    Command(
        "go.previous", "Previous citation or finding", "go", "previous_item", ("K",), "open", 2
    ),
    Command("go.next_call", "Next call", "go", "next_call", ("]",), "open", 3),
    Command("go.previous_call", "Previous call", "go", "previous_call", ("[",), "open", 3),
    Command("go.next_run", "Next run", "go", "next_run", ("Ctrl+PgDown",), "open", 3),
    Command("go.previous_run", "Previous run", "go", "previous_run", ("Ctrl+PgUp",), "open", 3),
    Command("go.next_gap", "Next gap", "go", "next_gap", ("F3",), "open", 4),
    Command("go.previous_gap", "Previous gap", "go", "previous_gap", ("Shift+F3",), "open", 4),
    Command("go.next_pane", "Next region", "go", "next_region", ("F6",), "open", 5),
    Command(
        "go.previous_pane", "Previous region", "go", "previous_region", ("Shift+F6",), "open", 5
    ),
    Command("decide.accept", "Accept", "decide", "decide", ("A",), "open", argument="accept"),
    Command("decide.reject", "Reject", "decide", "decide", ("R",), "open", argument="reject"),
    Command("decide.flag", "Flag", "decide", "decide", ("F",), "open", argument="flag"),
    Command("decide.note", "Note", "decide", "note", ("N",), "open"),
    Command("decide.next", "Next undecided", "decide", "next_undecided", ("U",), "open", 1),
    Command("decide.undo", "Undo decision", "decide", "undo", ("Ctrl+Z",), "open", 2),
    Command("decide.redo", "Redo decision", "decide", "redo", ("Ctrl+Shift+Z",), "open", 2),
    Command("decide.carry", "Carry decisions over", "decide", "carry_over", (), "open", 3),
    Command("decide.reviewer", "Name of the reviewer", "decide", "reviewer", (), "open", 3),
    Command("view.answer", "Answer", "view", "show_tab", ("Ctrl+1",), "open", argument="answer"),
    Command("view.model", "Model view", "view", "show_tab", ("Ctrl+2",), "open", argument="model"),
    Command(
        "view.residency", "Residency map", "view", "show_tab", ("Ctrl+3",), "open",
        argument="residency",
    ),
    Command("view.source", "Source", "view", "show_tab", ("Ctrl+4",), "open", argument="source"),
    Command("view.compare", "Compare", "view", "show_tab", ("Ctrl+5",), "open", argument="compare"),
    Command("view.bill", "Context bill", "view", "show_tab", ("Ctrl+6",), "open", argument="bill"),
    Command(
        "view.larger", "Larger text", "view", "text_size", ("Ctrl++", "Ctrl+="),
        group=1, argument="larger",
    ),
    Command(
        "view.smaller", "Smaller text", "view", "text_size", ("Ctrl+-",),
        group=1, argument="smaller",
    ),
    Command(
        "view.normal", "Normal text size", "view", "text_size", ("Ctrl+0",),
        group=1, argument="normal",
    ),
    Command(
        "view.highlight", "Highlight syntax", "view", "highlight",
        group=1, argument="on", choice="highlight",
    ),
    Command(
        "view.theme.system", "As the system", "view", "theme",
        group=2, submenu="Colours", argument="system", choice="theme",
    ),
    Command(
        "view.theme.light", "Light", "view", "theme",
        group=2, submenu="Colours", argument="light", choice="theme",
    ),
    Command(
        "view.theme.dark", "Dark", "view", "theme",
        group=2, submenu="Colours", argument="dark", choice="theme",
    ),
    Command(
        "view.theme.contrast", "High contrast", "view", "theme",
        group=2, submenu="Colours", argument="contrast", choice="theme",
    ),
    Command(
        "view.language.en", "English", "view", "language",
        group=2, submenu="Language", argument="en", choice="language", also="英文 英语",
    ),
    Command(
        "view.language.zh_CN", "简体中文", "view", "language",
        group=2, submenu="Language", argument="zh_CN", choice="language", also="Chinese",
    ),
    Command(
        "view.region.run", "Run", "view", "toggle_region", (), "open",
        group=3, submenu="Regions", argument="run", choice="region",
    ),
    Command(
        "view.region.evidence", "Evidence", "view", "toggle_region", (), "open",
        group=3, submenu="Regions", argument="evidence", choice="region",
    ),
    Command(
        "view.region.findings", "Findings", "view", "toggle_region", (), "open",
        group=3, submenu="Regions", argument="findings", choice="region",
    ),
    Command("view.follow", "Follow runs that grow", "view", "follow", group=4, choice="follow"),
    Command("help.keys", "Keys", "help", "key_sheet", ("F1",)),
    Command("help.about", "About Reread", "help", "about"),
)  # fmt: skip
"""Every command, in the order of the menus.

The command of a tab or region that the window does not have is not shown.
"""
