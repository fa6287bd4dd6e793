"""Asks for a file, and writes the report on the open runs to it in the worker."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from reviewer.display import one_line
from reviewer.window.i18n import tr
from reviewer.window.tasks import Operation
from reviewer.window.tasks.worker import Worker
from store.records.runs import Problem

if TYPE_CHECKING:
    from reviewer.reports import Report
    from reviewer.window.shell import Shell

__all__ = ["Exporter"]

_FIRST = "html"
"""The format that is offered first."""


class Exporter(QObject):
    """Writes reports of one window."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._worker = Worker(self)

    def ask(self) -> None:
        """Ask where to write the report, and write it."""
        self._worker.run(Operation("export", lambda _token, _tell: _formats(), done=self._choose))

    def _choose(self, held: Sequence[Report]) -> None:
        filters = {f"{one_line(r.title)} (*{r.suffix})": r.name for r in held}
        name, chosen = QFileDialog.getSaveFileName(
            self._shell, tr("Export report"), "report" + held[0].suffix, ";;".join(filters)
        )
        if name:
            self.write(name, filters.get(chosen, ""))

    def write(self, name: str, chosen: str = "") -> None:
        """Write the report to the file *name*, in the format of its ending, else in *chosen*."""
        from reviewer.reports import reports  # noqa: PLC0415 - a start page needs none
        from reviewer.services.exporting import export_report, report_for  # noqa: PLC0415

        shell = self._shell
        if chosen and not Path(name).suffix:
            name += reports()[chosen].suffix
        report = report_for(name, chosen)
        if report is None:
            known = tr(", ").join(each.suffix for each in reports().values())
            self._refuse(name, tr("no report has this ending; known are {known}", known=known))
            return
        audits, problems = tuple(shell.desk.audits), tuple(shell.problems.problems)
        store = [shell.opener.store] if shell.opener.store else []
        evidence = [*shell.opener.paths, *store]
        baseline = shell.handlers.known.name
        shell.say(tr("Writing {path} …", path=one_line(name)))
        self._worker.run(
            Operation(
                "export",
                lambda token, _tell: export_report(
                    name, report, audits, problems, evidence, baseline=baseline, check=token.check
                ),
                done=lambda place: shell.say(tr("Written: {path}", path=one_line(str(place)))),
                failed=lambda error: self._failed(name, error),
            )
        )

    def close(self) -> None:
        """Stop writing; what is not whole is not there."""
        self._worker.close()

    def _failed(self, name: str, error: BaseException) -> None:
        from reviewer.services.result_files import RefusedError  # noqa: PLC0415 - see above

        known = isinstance(error, RefusedError)
        self._refuse(name, str(error) if known else f"{type(error).__name__}: {error}")

    def _refuse(self, name: str, why: str) -> None:
        what = tr("the report was not written: {why}", why=why)
        self._shell.problems.add([Problem(name, what)])
        self._shell.say(one_line(f"{name}: {what}"))


def _formats() -> Sequence[Report]:
    """Return the formats, that which is offered first before the others.

    This runs in the worker: until then nothing of them is loaded, and it is much.
    """
    from reviewer.reports import reports  # noqa: PLC0415 - see above
    from reviewer.services import exporting  # noqa: F401, PLC0415 - see above

    return sorted(reports().values(), key=lambda report: report.name != _FIRST)
