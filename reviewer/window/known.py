"""Findings that were known before: which of what is open a baseline holds already."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from reviewer.display import one_line
from reviewer.window.i18n import tr, tr_message, trn
from reviewer.window.tasks import Operation
from reviewer.window.tasks.worker import Worker
from store.records.findings import Audit, BaselineState
from store.records.runs import Problem

if TYPE_CHECKING:
    from reviewer.services.baselines import Baseline
    from reviewer.window.shell import Shell

__all__ = ["KnownBefore"]

_KIND = "baseline"
_Judge = Callable[[Audit], Audit]


class KnownBefore(QObject):
    """The baseline of one window; what is opened or read again later is compared with it too."""

    judged = Signal()
    """Every open run was compared, or is compared no more."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._worker = Worker(self)
        self.name = ""
        """The file of the baseline, empty without one."""

    def ask(self) -> None:
        """Ask for a baseline, and compare with it what is open."""
        title = tr("Compare findings with a baseline")
        kinds = tr("Baselines and audits in JSON") + " (*.json);;" + tr("All files") + " (*)"
        name, _ = QFileDialog.getOpenFileName(self._shell, title, "", kinds)
        if name:
            self.take(name)

    def take(self, name: str) -> None:
        """Read the baseline *name*, and compare with it what is open; without a name do nothing."""
        if not name:
            return
        self._worker.run(
            Operation(
                _KIND,
                lambda _token, _tell: _read(name),
                partial(self._taken, name),
                partial(self._failed, name),
            )
        )

    def forget(self) -> None:
        """Compare with no baseline any more."""
        from reviewer.services.baselines import forgotten  # noqa: PLC0415 - it was loaded for it

        self._worker.cancel(_KIND)
        self.name = ""
        self._shell.desk.judge = None
        self._judge(forgotten)

    def close(self) -> None:
        """End for good."""
        self._worker.close()

    def _taken(self, name: str, baseline: Baseline) -> None:
        self.name = name
        self._shell.desk.judge = baseline.judged
        self._judge(baseline.judged)

    def _judge(self, judge: _Judge) -> None:
        held = tuple(self._shell.desk.audits)
        self._worker.run(
            Operation(
                _KIND,
                lambda token, _tell: [_of(token.check, judge, each) for each in held],
                partial(self._show, held),
            )
        )

    def _show(self, held: tuple[Audit, ...], made: list[Audit]) -> None:
        desk = self._shell.desk
        for index, (old, new) in enumerate(zip(held, made, strict=True)):
            if index < len(desk.audits) and desk.audits[index] is old:
                desk.replace(index, new, lambda place: place)
        self._tell(made)
        self.judged.emit()

    def _tell(self, made: list[Audit]) -> None:
        from reviewer.services.baselines import gone  # noqa: PLC0415 - it was loaded for it

        if not self.name:
            self._shell.say(tr("Findings are compared with no baseline"))
            return
        states = [found.baseline for audit in made for found in audit.findings]
        no_more = [problem for audit in made for problem in gone(audit)]
        self._shell.problems.add(no_more)
        new, known = (states.count(one) for one in (BaselineState.NEW, BaselineState.UNCHANGED))
        words = (
            trn("one new finding", "{n} new findings", new),
            tr("{n} known", n=f"{known:,}"),
            tr("{n} no more there", n=f"{len(no_more):,}"),
        )
        self._shell.say(
            tr(
                "Compared with {path}: {words}",
                path=one_line(self.name),
                words=tr(", ").join(words),
            )
        )

    def _failed(self, name: str, error: BaseException) -> None:
        from reviewer.services.baselines import BaselineError  # noqa: PLC0415 - see above

        why = f"{type(error).__name__}: {error}"
        if isinstance(error, BaselineError):
            why = error.why
        self._shell.problems.add([Problem(name, why)])
        self._shell.say(one_line(f"{name}: {tr_message(why)}"))


def _read(name: str) -> Baseline:
    from reviewer.services.baselines import Baseline  # noqa: PLC0415 - no window needs it at first

    return Baseline.read(name)


def _of(check: Callable[[], None], judge: _Judge, audit: Audit) -> Audit:
    check()
    return judge(audit)
