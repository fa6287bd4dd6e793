"""What the commands of the registry do."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QMessageBox,
)

from reviewer import __version__
from reviewer.display import one_line
from reviewer.window import i18n
from reviewer.window.actions import Command
from reviewer.window.actions.key_sheet import KeySheet
from reviewer.window.actions.link_dialog import LinkDialog
from reviewer.window.actions.menus import command_title, shown_keys
from reviewer.window.actions.palette import Entry, Palette
from reviewer.window.decide_commands import DecideCommands
from reviewer.window.file_commands import FileCommands
from reviewer.window.i18n import tr
from reviewer.window.linking import Linking
from reviewer.window.links import is_link
from reviewer.window.live import Follower
from reviewer.window.place import Place
from reviewer.window.presenters import places
from reviewer.window.selection import selected_text

if TYPE_CHECKING:
    from reviewer.window.shell import Shell

__all__ = ["Handlers"]

_LONGEST_WANTED = 200
"""Code points of a selection that is taken for what to find."""
_TEXT_SIZES = (70, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300)


@runtime_checkable
class _Rows(Protocol):
    """The table of citations and findings, as far as keys walk through it."""

    @property
    def loaded(self) -> bool: ...
    def next_row(self) -> bool: ...
    def previous_row(self) -> bool: ...


@runtime_checkable
class _Differences(Protocol):
    """A view of differences, as far as keys walk through it."""

    def next_difference(self) -> bool: ...
    def previous_difference(self) -> bool: ...


class Handlers(FileCommands, DecideCommands):
    """One method for each handler that the registry names."""

    def __init__(self, shell: Shell) -> None:
        FileCommands.__init__(self, shell)
        DecideCommands.__init__(self, shell)
        self.linking = Linking(shell)
        self.follower = Follower(shell)

    def close(self) -> None:
        """End what works for the commands."""
        self.linking.close()
        self.exporter.close()
        self.known.close()
        self.follower.close()
        self.deciding.close()

    def run(self, command: Command) -> None:
        """Do what *command* says."""
        method = getattr(self, command.handler)
        if command.argument:
            method(command.argument)
        else:
            method()

    # -- edit --------------------------------------------------------------------

    def copy(self) -> None:
        """Copy what is selected in the widget that has the keyboard, or in what holds it."""
        from reviewer.window.views.text_view import TextView  # noqa: PLC0415 - loaded with a run

        widget = QApplication.focusWidget()
        if isinstance(widget, TextView):
            # It says what a clipboard cannot hold, which would be dropped without a word.
            widget.copy()
            return
        text = selected_text(widget)
        if text:
            QGuiApplication.clipboard().setText(text)
        else:
            self._shell.say(tr("Nothing is selected here"))

    def copy_ref(self) -> None:
        """Copy the place as a reference."""
        desk = self._shell.desk
        text = places.place_reference(desk.audit(), desk.place)
        QGuiApplication.clipboard().setText(text)
        self._shell.say(tr("Copied: {text}", text=text))

    def copy_link(self) -> None:
        """Copy a link to the place."""
        self.linking.copy()

    def find_here(self) -> None:
        """Find in the view that has the keyboard, else in the tab shown, else everywhere."""
        widget = QApplication.focusWidget()
        while widget is not None and not hasattr(widget, "find_here"):
            widget = widget.parentWidget()
        find = getattr(widget or self._shell.current_tab(), "find_here", None)
        if find is not None:
            find()
        else:
            self.find_everywhere()
            self._shell.say(tr("There is no text to find in here; this looks everywhere"))

    def find_everywhere(self) -> None:
        """Show the search of all runs; what is selected on one line is what is wanted."""
        regions = self._shell.regions
        view = regions.bring("everywhere") if regions is not None else None
        if view is not None:
            text = selected_text(QApplication.focusWidget())
            view.ask(text if len(text) <= _LONGEST_WANTED and "\n" not in text else "")  # type: ignore[attr-defined]

    # -- go ----------------------------------------------------------------------

    def open_link(self) -> None:
        """Ask for a link and follow it."""
        LinkDialog(self.linking.open, self._shell).open()

    def compare_with(self) -> None:
        """Compare what is selected with what belongs beside it, or ask with what."""
        from reviewer.window.views.compare import CompareView  # noqa: PLC0415 - with a run

        desk, regions = self._shell.desk, self._shell.regions
        view = regions.widgets.get("compare") if regions is not None else None
        if isinstance(view, CompareView):
            found = view.belonging()
            desk.go(replace(desk.place, tab="compare"))
            view.ask(found)

    def back(self) -> None:
        """Go to the place before."""
        self._shell.desk.back()

    def forward(self) -> None:
        """Go to the place that was left."""
        self._shell.desk.forward()

    def next_item(self) -> None:
        """Go to the next citation or finding."""
        self._item(1)

    def previous_item(self) -> None:
        """Go to the previous citation or finding."""
        self._item(-1)

    def next_call(self) -> None:
        """Go to the next call."""
        self._call(1)

    def previous_call(self) -> None:
        """Go to the previous call."""
        self._call(-1)

    def next_run(self) -> None:
        """Go to the next of the open runs."""
        self._run(1)

    def previous_run(self) -> None:
        """Go to the previous of the open runs."""
        self._run(-1)

    def next_gap(self) -> None:
        """Go to the next part of the source that was not delivered."""
        self._gap(1)

    def previous_gap(self) -> None:
        """Go to the previous part of the source that was not delivered."""
        self._gap(-1)

    def next_region(self) -> None:
        """Give the keyboard to the next region."""
        self._shell.next_region(1)

    def previous_region(self) -> None:
        """Give the keyboard to the previous region."""
        self._shell.next_region(-1)

    def palette(self) -> None:
        """Show the command palette."""
        Palette(self.entries(), self._shell, self._link_entries).open()

    def _link_entries(self, text: str) -> list[Entry]:
        """Return what a link that is pasted into the palette offers."""
        if not is_link(text):
            return []
        follow = partial(self.linking.open, text)
        return [Entry(tr("Open this link"), one_line(text.strip()), follow)]

    def entries(self) -> list[Entry]:
        """Return everything that the palette offers: commands, sources, calls and rules."""
        found = [self._command_entry(command) for command in self._shell.menus.commands]
        for run in range(len(self._shell.desk.audits)):
            found += self._run_entries(run)
        for unread in self._shell.opener.unread_runs:
            read = partial(self._shell.opener.read, unread)
            found.append(Entry(one_line(unread.name), tr("run, not read yet"), read))
        return found + self._rule_entries()

    def _command_entry(self, command: Command) -> Entry:
        action = self._shell.menus.actions[command.id]
        more = "  ".join(filter(None, (self._shell.menus.path(command), shown_keys(command))))
        cannot = "" if action.isEnabled() else tr("not now")
        return Entry(command_title(command), more, partial(self.run, command), cannot, command.also)

    def _run_entries(self, run: int) -> list[Entry]:
        desk = self._shell.desk
        audit = desk.audit(run)
        title = places.run_title(audit)
        here = partial(desk.go, places.first_place(audit, run))
        found = [Entry(title, tr("open run"), here)]
        for source in audit.sources:
            place = places.source_place(audit, run, source.source_id, "source")
            name = one_line(source.title or source.source_id)
            found.append(Entry(name, tr("source of {run}", run=title), partial(desk.go, place)))
        for call in audit.calls:
            place = Place(run=run, call=call.index, tab="model")
            name = tr("Call {number}", number=call.index)
            found.append(Entry(name, f"{one_line(call.model)}  {title}", partial(desk.go, place)))
        return found

    def _rule_entries(self) -> list[Entry]:
        from reviewer.audit.rules import rules  # noqa: PLC0415 - a start page needs none
        from reviewer.window.presenters.cards import rule_name  # noqa: PLC0415 - as above

        desk = self._shell.desk
        firsts: dict[str, tuple[int, int]] = {}
        for run, audit in enumerate(desk.audits):
            for index, finding in enumerate(audit.findings):
                firsts.setdefault(finding.rule, (run, index))
        found = []
        for rule in rules():
            if rule.id in firsts:
                run, index = firsts[rule.id]
                place = places.finding_place(desk.audit(run), run, index, desk.place.tab)
                found.append(Entry(rule.id, rule_name(rule), partial(desk.go, place)))
            else:
                found.append(Entry(rule.id, rule_name(rule), _nothing, tr("no finding")))
        return found

    def _item(self, by: int) -> None:
        desk, regions = self._shell.desk, self._shell.regions
        table: object = regions.widgets.get("findings") if regions is not None else None
        if isinstance(table, _Rows) and table.loaded:
            if not (table.next_row() if by > 0 else table.previous_row()):
                self._shell.say(tr("There is no further one"))
            return
        place = places.item_step(desk.audit(), desk.place, by)
        if place is None:
            self._shell.say(tr("There is no further one"))
        else:
            desk.go(place)

    def _call(self, by: int) -> None:
        desk = self._shell.desk
        count = len(desk.audit().calls)
        call = 1 if desk.place.call is None else desk.place.call + by
        if not 1 <= call <= count:
            self._shell.say(tr("There is no further call"))
            return
        desk.go(replace(desk.place, call=call, message=None, part=None, message_span=None))

    def _run(self, by: int) -> None:
        index = self._shell.desk.place.run + by
        if not 0 <= index < len(self._shell.desk.audits):
            if by < 0 or not self._shell.runs.read_next():
                self._shell.say(tr("There is no further run"))
            return
        self._shell.runs.choose(index)

    def _gap(self, by: int) -> None:
        tab: object = self._shell.current_tab()
        if isinstance(tab, _Differences):
            if not (tab.next_difference() if by > 0 else tab.previous_difference()):
                self._shell.say(tr("There is no further difference"))
            return
        desk = self._shell.desk
        place = places.gap_step(desk.audit(), desk.place, by)
        if place is None:
            self._shell.say(tr("No gap is known in this source"))
        else:
            desk.go(place)

    # -- view --------------------------------------------------------------------

    def show_tab(self, panel_id: str) -> None:
        """Show a tab of the centre."""
        desk = self._shell.desk
        desk.go(replace(desk.place, tab=panel_id))

    def toggle_region(self, area: str) -> None:
        """Show or hide a region."""
        self._shell.toggle_region(area)

    def follow(self) -> None:
        """Follow runs that grow, or no longer."""
        self._shell.set_follow(on=not self._shell.session.follow)

    def text_size(self, way: str) -> None:
        """Make the text of the whole window larger, smaller or normal."""
        now = self._shell.text_size
        larger = [size for size in _TEXT_SIZES if size > now] or [_TEXT_SIZES[-1]]
        smaller = [size for size in _TEXT_SIZES if size < now] or [_TEXT_SIZES[0]]
        sizes = {"larger": larger[0], "smaller": smaller[-1], "normal": 100}
        self._shell.set_text_size(sizes[way])
        self._shell.say(tr("Text size {percent} %", percent=sizes[way]))

    def theme(self, choice: str) -> None:
        """Change the colours."""
        self._shell.set_theme(choice)

    def highlight(self, _argument: str) -> None:
        """Colour words by what they are in the language of their text, or stop doing so."""
        self._shell.set_highlights(on=not self._shell.session.highlights)

    def language(self, code: str) -> None:
        """Change the language."""
        i18n.set_language(code)

    # -- help --------------------------------------------------------------------

    def key_sheet(self) -> None:
        """Show every key."""
        KeySheet(self._shell.menus, self._shell).open()

    def about(self) -> None:
        """Show what this is."""
        box = QMessageBox(self._shell)
        box.setObjectName("about")
        box.setWindowTitle(tr("About Reread"))
        box.setText(f"Reread {__version__}")
        box.setInformativeText(
            tr(
                "Shows which exact text a model was sent when it wrote a sentence, and whether its "
                "citation points at that text."
            )
        )
        box.open()


def _nothing() -> None:
    """Do nothing: what cannot be chosen is never called."""
