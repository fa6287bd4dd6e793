"""Decides on what is selected, and shows what stands on every open run.

A decision is shown when it is on the disk, and never before.  The disk is
waited for in a worker; so is a look each second at what others decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from reviewer.display import one_line
from reviewer.window.i18n import tr, tr_message
from reviewer.window.place import Place
from reviewer.window.tasks import Operation
from reviewer.window.tasks.worker import Worker
from store.records.findings import Audit
from store.records.runs import Problem

if TYPE_CHECKING:
    from reviewer.services.run_review import RunReview, Shown
    from reviewer.window.presenters.decisions import Subject
    from reviewer.window.shell import Shell
    from store.records.reviews import Decision, DecisionKind

__all__ = ["Deciding"]

T = TypeVar("T")

_EVERY = 1_000
"""Milliseconds between two looks at the logs: one question to the disk for each."""


@dataclass(slots=True)
class _Held:
    """A run on the desk.  ``review`` is for the worker alone."""

    audit: Audit
    review: RunReview
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """A decision that was taken back or made again, and what it is about, by index."""

    audit: Audit
    decision: Decision
    citation: int | None
    finding: int | None


def _nothing(_result: object) -> None:
    """Nothing is to be said of it."""


class Deciding(QObject):
    """The decisions of one window."""

    decided = Signal()
    """What was asked for was done, and is shown."""
    looked = Signal()
    """The logs were looked at, and what came of it is shown."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._desk = shell.desk
        self._worker = Worker(self)
        self._held: dict[int, _Held] = {}
        self._asked = 0
        self._looking = self._again = False
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self._look)
        self._desk.opened.connect(self._opened)
        self._desk.replaced.connect(self._opened)
        self._desk.closed.connect(self._closed)
        self._desk.decisions.noted.connect(self.note)
        self._desk.decisions.named.connect(self.name)

    # -- what is asked for ---------------------------------------------------------

    def decide(self, kind: DecisionKind) -> None:
        """Decide on what is selected."""
        subject = self.subject()
        if subject is not None:
            self._decide(subject, kind, "")

    def note(self, subject: Subject, text: str) -> None:
        """Keep a note on *subject*."""
        from store.records.reviews import DecisionKind  # noqa: PLC0415 - with a run

        self._decide(subject, DecisionKind.NOTE, text)

    def undo(self) -> None:
        """Take back the last decision on what is selected, else the last of this window."""
        subject = self.subject(say=False)
        run = self._desk.place.run
        target = subject.target if subject else None
        audit = self._desk.audit()
        self._do(run, lambda review: _found(audit, review.undo(target)), self._took_back)

    def redo(self) -> None:
        """Make the decision again that was taken back last."""
        audit = self._desk.audit()
        self._do(
            self._desk.place.run, lambda review: _found(audit, review.redo()), self._made_again
        )

    def name(self, reviewer: str) -> None:
        """Decide under this name from now on; "" for the one of the command line."""
        name = reviewer.strip()
        session = self._shell.session
        if name == (session.reviewer or self._desk.decisions.reviewer):
            return
        self._shell.session = msgspec.structs.replace(session, reviewer=name)
        for run in self._held:
            self._do(run, partial(_rename, name))

    def subject(self, *, say: bool = True) -> Subject | None:
        """Return what is selected, or say that there is nothing to decide."""
        from reviewer.window.presenters.decisions import subject_at  # noqa: PLC0415 - with a run

        found = None
        if self._desk.audits:
            found = subject_at(self._desk.audit(), self._desk.place)
        if found is None and say:
            self._shell.say(tr("Select a citation or a finding to decide on it"))
        return found

    def close(self) -> None:
        """End; what was decided is written before."""
        self._timer.stop()
        self._again = False
        self._worker.finish()
        self._worker.close()

    # -- what is open --------------------------------------------------------------

    def _opened(self, run: int) -> None:
        from reviewer.services.run_review import RunReview  # noqa: PLC0415 - with a run

        audit = self._desk.audit(run)
        held = self._held.get(run)
        if held is None:
            review = RunReview(audit.run, self._shell.session.reviewer)
            self._held[run] = _Held(audit, review)
        else:
            held.audit = audit
            self._do(run, partial(_take, audit))
        self._look()
        self._timer.start()

    def _closed(self) -> None:
        self._timer.stop()
        self._held.clear()

    # -- doing ---------------------------------------------------------------------

    def _decide(self, subject: Subject, kind: DecisionKind, note: str) -> None:
        def work(review: RunReview) -> Decision:
            return review.decide(
                subject.target, kind, note, call=subject.call, answer=subject.answer
            )

        self._do(subject.run, work, partial(self._made, subject, note))

    def _do(
        self, run: int, work: Callable[[RunReview], T], done: Callable[[T], None] = _nothing
    ) -> None:
        """Do *work* in the worker, show what then stands, and go on with *done*."""
        held = self._held.get(run)
        if held is None:
            return
        review = held.review

        def both(_token: object, _hand_over: object) -> tuple[T, Shown | None]:
            return work(review), review.look()

        def show(result: tuple[T, Shown | None]) -> None:
            if self._held.get(run) is held:
                self._show(run, result[1])
                done(result[0])
                self.decided.emit()

        # A name of its own: a decision that was asked for is never cancelled by the next.
        self._asked += 1
        self._worker.run(
            Operation(f"decide {self._asked}", both, show, partial(self._failed, held))
        )

    def _look(self) -> None:
        """Look what others decided; once more where the last look is still going on."""
        self._again = self._looking
        if self._looking:
            return
        self._looking = True
        held = dict(self._held)

        def work(_token: object, _hand_over: object) -> list[tuple[int, Shown | None]]:
            return [(run, each.review.look()) for run, each in held.items()]

        def done(found: Sequence[tuple[int, Shown | None]]) -> None:
            self._looking = False
            for run, shown in found:
                if self._held.get(run) is held[run]:
                    self._show(run, shown)
            if self._again:
                self._look()
            self.looked.emit()

        self._worker.run(Operation("look", work, done, self._not_looked))

    def _not_looked(self, error: BaseException) -> None:
        self._looking = False
        self._shell.say(one_line(str(error)))

    # -- what came of it -----------------------------------------------------------

    def _show(self, run: int, shown: Shown | None) -> None:
        if shown is None:
            return
        held = self._held[run]
        if shown.problems != held.problems:
            self._shell.problems.replace(held.problems, shown.problems)
            held.problems = shown.problems
        self._desk.decisions.show(run, shown)

    def _made(self, subject: Subject, note: str, decision: Decision) -> None:
        if note:
            self._desk.decisions.kept.emit(subject, note)
        self._shell.say(f"{_word(decision)}: {subject.words}")

    def _took_back(self, found: _Found | None) -> None:
        if found is None:
            self._shell.say(tr("Nothing of yours stands here that could be taken back"))
            return
        where = self._go_to(found)
        word = _word(found.decision)
        self._shell.say(tr("Taken back: {decision}: {where}", decision=word, where=where))

    def _made_again(self, found: _Found | None) -> None:
        if found is None:
            self._shell.say(tr("Nothing was taken back that could be decided again"))
            return
        where = self._go_to(found)
        word = _word(found.decision)
        self._shell.say(tr("Decided again: {decision}: {where}", decision=word, where=where))

    def _go_to(self, found: _Found) -> str:
        """Go to what was decided on, where that is not here; return its words."""
        from reviewer.window.presenters import places  # noqa: PLC0415 - with a run
        from reviewer.window.presenters.decisions import subject_at  # noqa: PLC0415

        here = self.subject(say=False)
        if here is not None and here.target == found.decision.target:
            return here.words
        run, tab, audit = self._desk.place.run, self._desk.place.tab, found.audit
        if audit is not self._desk.audit():
            return ""
        place = Place(run)
        if found.citation is not None:
            place = places.citation_place(audit, run, found.citation, tab)
        elif found.finding is not None:
            place = places.finding_place(audit, run, found.finding, tab)
        subject = subject_at(audit, place)
        if subject is None:
            return tr("nothing that this audit holds")
        self._desk.go(place)
        return subject.words

    def _failed(self, held: _Held, error: BaseException) -> None:
        """Say that nothing was decided, and why."""
        from reviewer.window.presenters.cards import sentence  # noqa: PLC0415 - with a run
        from store.errors import StoreError  # noqa: PLC0415 - with a run

        where, what = held.audit.run.path, f"{error}"
        if isinstance(error, StoreError):
            where = error.where
            what = f"{sentence(tr_message(error.what))} {tr_message(error.advice)}"
        words = tr("not decided: {why}", why=what)
        self._shell.problems.add([Problem(where, words)])
        self._shell.say(one_line(words))


def _found(audit: Audit, decision: Decision | None) -> _Found | None:
    """Return where the target of *decision* is in *audit*."""
    from reviewer.services.deciding import targets  # noqa: PLC0415 - with a run

    if decision is None:
        return None
    return _Found(audit, decision, *targets(audit).get(decision.target, (None, None)))


def _word(decision: Decision) -> str:
    from reviewer.window.presenters.decisions import kind_words  # noqa: PLC0415 - with a run

    return kind_words(decision.kind)


def _take(audit: Audit, review: RunReview) -> None:
    review.take(audit.run)


def _rename(name: str, review: RunReview) -> None:
    review.chosen = name
