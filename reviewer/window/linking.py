"""Copies links to places and follows them, also into runs that are not open yet."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox

from reviewer.display import one_line
from reviewer.window.digests import Digests
from reviewer.window.i18n import tr
from reviewer.window.links import Link, LinkError, format_link, parse_link
from reviewer.window.place import Place
from reviewer.window.presenters.places import run_title
from store.records.runs import Problem, ProblemKind

if TYPE_CHECKING:
    from reviewer.window.shell import Shell

__all__ = ["Linking"]

_SHOWN = 12
"""Digits of a digest that are shown to a person."""


class Linking(QObject):
    """Links of one window."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self.digests = Digests(shell.desk, self)
        self._paths: dict[int, str] = {}
        self._waiting: list[tuple[Link, frozenset[str], bool]] = []
        self.digests.known.connect(self._remember)
        shell.opener.found.connect(self._found)
        shell.desk.closed.connect(self._paths.clear)
        shell.settled.connect(self._settled)

    def copy(self) -> None:
        """Put the link to the present place on the clipboard."""
        place = self._shell.desk.place
        self.digests.ask(partial(self._copy, place))

    def open(self, text: str) -> None:
        """Follow the link that *text* holds, or say what is wrong with it."""
        try:
            link = parse_link(text)
        except LinkError as error:
            self._tell(tr("a link"), tr("cannot be followed: {why}", why=str(error)))
            return
        self._resolve(link, frozenset(), chosen=False)

    def close(self) -> None:
        """Stop working."""
        self._waiting.clear()
        self.digests.close()

    # -- copying -------------------------------------------------------------------

    def _copy(self, place: Place, digests: Mapping[int, str]) -> None:
        from reviewer.window.presenters.linking import link_of  # noqa: PLC0415 - with a run

        digest = digests.get(place.run, "")
        if not digest:
            self._shell.say(tr("This run has no digest, and so no link"))
            return
        link = link_of(self._shell.desk.audit(place.run), digest, place)
        text = format_link(link)
        QGuiApplication.clipboard().setText(text)
        self._shell.say(tr("Copied: {text}", text=text))

    def _found(self, index: int, path: object) -> None:
        self._paths[index] = str(path)

    def _remember(self, digests: Mapping[int, str]) -> None:
        """Keep with the recent runs what they are called in links."""
        session = self._shell.session
        kept = {*session.recent, *self._shell.opener.paths}
        known = {digest: path for digest, path in session.digests.items() if path in kept}
        for index, digest in digests.items():
            if digest and index in self._paths:
                known[digest] = self._paths[index]
        self._shell.session = msgspec.structs.replace(session, digests=known)

    # -- following -----------------------------------------------------------------

    def _settled(self) -> None:
        waiting, self._waiting = self._waiting, []
        for link, tried, chosen in waiting:
            self._resolve(link, tried, chosen=chosen)
        if not waiting and self._shell.desk.audits:
            self.digests.ask(lambda _known: None)

    def _resolve(self, link: Link, tried: frozenset[str], *, chosen: bool) -> None:
        if self._shell.opener.loading:
            self._waiting.append((link, tried, chosen))
            return
        self.digests.ask(partial(self._match, link, tried, chosen=chosen))

    def _match(
        self,
        link: Link,
        tried: frozenset[str],
        digests: Mapping[int, str],
        *,
        chosen: bool,
    ) -> None:
        for index, digest in digests.items():
            if digest == link.digest:
                self._go(link, index, same=True)
                return
        path = self._shell.session.digests.get(link.digest)
        if path is not None and path not in tried and path not in self._shell.opener.paths:
            self._open(link, path, tried, chosen=chosen)
            return
        audits = self._shell.desk.audits
        named = [at for at, audit in enumerate(audits) if link.run and audit.run.run_id == link.run]
        if len(named) == 1:
            self._go(link, named[0], same=False)
        elif chosen:
            what = tr("the run that was opened is not the one that this link names")
            self._tell(_run_words(link), what)
        else:
            self._ask_for(link, tried)

    def _open(self, link: Link, path: str, tried: frozenset[str], *, chosen: bool) -> None:
        tried |= {path}
        if path in self._shell.opener.paths:
            self._resolve(link, tried, chosen=chosen)
            return
        self._waiting.append((link, tried, chosen))
        self._shell.opener.open([path])

    def _go(self, link: Link, index: int, *, same: bool) -> None:
        from reviewer.window.presenters.linking import place_of  # noqa: PLC0415 - with a run

        audit = self._shell.desk.audit(index)
        followed = place_of(audit, index, link)
        self._shell.desk.go(followed.place)
        doubts = list(followed.doubts)
        if not same:
            doubts.insert(
                0, tr("this run is not, or no longer, what it was when the link was made")
            )
        if doubts:
            self._tell(run_title(audit), tr("; ").join(doubts))
        elif followed.checked:
            self._shell.say(tr("The text here is what the link quotes"))
        else:
            self._shell.say(tr("The link quotes no text"))

    def _tell(self, where: str, what: str) -> None:
        self._shell.problems.add([Problem(where, what, ProblemKind.CHANGED)])
        self._shell.say(one_line(f"{where}: {what}"))

    def _ask_for(self, link: Link, tried: frozenset[str]) -> None:
        box = QMessageBox(self._shell)
        box.setObjectName("link_needs_run")
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(tr("Open link"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(tr("This link leads into a run that is not open: {run}", run=_run_words(link)))
        box.setInformativeText(
            tr("It is not among the recent runs either. Choose where it lies to go there.")
        )
        folder = box.addButton(tr("Run folder…"), QMessageBox.ButtonRole.AcceptRole)
        file = box.addButton(tr("Trace file…"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)

        def clicked(button: object) -> None:
            if button is folder:
                path = QFileDialog.getExistingDirectory(self._shell, tr("Open run folder"))
            elif button is file:
                path, _ = QFileDialog.getOpenFileName(self._shell, tr("Open trace file"))
            else:
                path = ""
            if path:
                self._open(link, os.path.abspath(path), tried, chosen=True)  # noqa: PTH100

        box.buttonClicked.connect(clicked)
        box.open()


def _run_words(link: Link) -> str:
    digest = tr("digest {digits}…", digits=link.digest[:_SHOWN])
    return f"{one_line(link.run)} ({digest})" if link.run else digest
