"""The digests of the open runs, made away from the interface thread and remembered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from reviewer.window.desk import Desk
from reviewer.window.tasks import CancelToken, Operation
from reviewer.window.tasks.worker import Worker
from store.records.findings import Audit

__all__ = ["Digests"]

_KIND = "digests"


class Digests(QObject):
    """Knows what each open run is called in a link; "" for one that has no digest."""

    known = Signal(object)
    """The digests of all open runs, by their index."""

    def __init__(self, desk: Desk, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._worker = Worker(self)
        # An audit is kept beside its id, so that the id stays its own.
        self._held: dict[int, tuple[Audit, str]] = {}
        self._asked: list[Callable[[Mapping[int, str]], None]] = []
        desk.closed.connect(self._forget)

    def ask(self, then: Callable[[Mapping[int, str]], None]) -> None:
        """Call *then* with the digest of every open run, by its index, once they are made."""
        self._asked.append(then)
        self._make()

    def close(self) -> None:
        """Stop working."""
        self._asked.clear()
        self._worker.close()

    def _make(self) -> None:
        open_now = {id(audit) for audit in self._desk.audits}
        self._held = {key: held for key, held in self._held.items() if key in open_now}
        missing = [audit for audit in self._desk.audits if id(audit) not in self._held]
        if not missing:
            self._answer()
            return
        self._worker.run(
            Operation(_KIND, lambda token, _tell: _digests(missing, token), self._take)
        )

    def _take(self, made: Sequence[tuple[Audit, str]]) -> None:
        self._held.update({id(audit): (audit, digest) for audit, digest in made})
        self._make()

    def _answer(self) -> None:
        found = {at: self._held[id(audit)][1] for at, audit in enumerate(self._desk.audits)}
        asked, self._asked = self._asked, []
        self.known.emit(found)
        for then in asked:
            then(found)

    def _forget(self) -> None:
        self._worker.cancel(_KIND)
        self._held.clear()
        self._asked.clear()


def _digests(audits: Sequence[Audit], token: CancelToken) -> list[tuple[Audit, str]]:
    """Return the digests; this runs in the worker thread."""
    from store.digest import run_digest  # noqa: PLC0415 - a start page needs none
    from store.errors import StoreError  # noqa: PLC0415

    made = []
    for audit in audits:
        token.check()
        try:
            made.append((audit, run_digest(audit.run)))
        except StoreError:
            made.append((audit, ""))
    return made
