"""What the commands of the menu Decide do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.window.deciding import Deciding
from reviewer.window.i18n import tr

if TYPE_CHECKING:
    from reviewer.window.shell import Shell
    from reviewer.window.views.decision_box import DecisionBox

__all__ = ["DecideCommands"]


class DecideCommands:
    """One method for each handler that the registry names in this menu."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self.deciding = Deciding(shell)

    def decide(self, kind: str) -> None:
        """Accept, reject or flag what is selected."""
        from store.records.reviews import DecisionKind  # noqa: PLC0415 - with a run

        self.deciding.decide(DecisionKind(kind))

    def note(self) -> None:
        """Open the editor for a note on what is selected."""
        box = self._box()
        if box is not None and self.deciding.subject() is not None:
            box.edit_note()

    def reviewer(self) -> None:
        """Let the reviewer say who decides."""
        box = self._box()
        if box is not None:
            box.edit_name()

    def next_undecided(self) -> None:
        """Go to the next row of the findings that nobody decided on."""
        from reviewer.window.views.findings import FindingsView  # noqa: PLC0415 - with a run

        regions = self._shell.regions
        table = regions.widgets.get("findings") if regions is not None else None
        if not isinstance(table, FindingsView) or not table.next_undecided():
            self._shell.say(tr("Everything else that is shown is decided"))

    def carry_over(self) -> None:
        """Carry the decisions over that hold in the run on side B of the comparison too."""
        from reviewer.window.views.compare import CompareView  # noqa: PLC0415 - with a run

        regions = self._shell.regions
        view = regions.widgets.get("compare") if regions is not None else None
        if not isinstance(view, CompareView) or not view.carry_over():
            self._shell.say(tr("Compare two runs first; what holds in both can be carried over"))

    def undo(self) -> None:
        """Take back a decision."""
        self.deciding.undo()

    def redo(self) -> None:
        """Make a decision again that was taken back."""
        self.deciding.redo()

    def _box(self) -> DecisionBox | None:
        """Return the box for decisions, brought to sight."""
        from reviewer.window.views.evidence_panel import EvidencePanel  # noqa: PLC0415

        regions = self._shell.regions
        panel = regions.bring("evidence") if regions is not None else None
        return panel.decision if isinstance(panel, EvidencePanel) else None
