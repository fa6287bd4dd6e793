"""The states of the window that pictures show, each as one who uses it comes to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer, SignalInstance
from PySide6.QtWidgets import QLineEdit, QWidget
from screenshot_records import counted_in_utf16, session

from reviewer.services.baselines import BaselineWriter
from reviewer.services.opening_runs import Begun
from reviewer.services.sessions import Session
from reviewer.window import i18n
from reviewer.window.place import Place
from reviewer.window.presenters import places
from reviewer.window.shell import Shell
from store.records.sources import Version

__all__ = ["SIZE", "STATES", "Stage", "wait"]

SIZE = (1440, 900)
"""Pixels of a window."""
_SMALL = (1100, 700)
_PATIENCE = 60_000
"""Milliseconds after which a picture is made of what is there."""


class Stage:
    """One window in one theme and language, and what can be opened in it."""

    def __init__(self, shell: Shell, place: Path, sample: list[str]) -> None:
        self.shell = shell
        self.place = place
        self.sample = sample

    @property
    def run(self) -> int:
        """The run of the sample in the language of the window."""
        return 1 if i18n.language() == "zh_CN" else 0

    def open(self, *paths: str) -> None:
        """Open *paths* and wait until they are shown."""
        _until(self.shell.settled, lambda: self.shell.open(list(paths)))

    def go(self, tab: str, citation: int = 2) -> None:
        """Open the sample and go to a citation of it."""
        self.open(*self.sample)
        desk = self.shell.desk
        desk.go(places.citation_place(desk.audit(self.run), self.run, citation, tab))

    def find(self, name: str, kind: type[QWidget] = QWidget) -> QWidget:
        """Return the widget of that name."""
        found = [each for each in self.shell.findChildren(kind) if each.objectName() == name]
        if not found:
            raise LookupError(f"the window has no {name}")
        return next((each for each in found if each.isVisible()), found[0])

    def trigger(self, command: str) -> None:
        """Give a command, as its menu entry does."""
        self.shell.menus.actions[command].trigger()


def _until(signal: SignalInstance, act: Callable[[], None]) -> None:
    """Act, and wait for *signal*: it comes later, from the window's own loop."""
    loop = QEventLoop()
    signal.connect(loop.quit)
    QTimer.singleShot(_PATIENCE, loop.quit)
    act()
    loop.exec()


def wait(milliseconds: int = 60) -> None:
    """Let the window do what it puts off."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def _recent(stage: Stage) -> None:
    gone = str(stage.place / "archive" / "run-2026-04-02")
    stage.shell.session = Session(recent=(*stage.sample, gone))
    stage.shell._show_recent()  # noqa: SLF001 - as at the start


def _loading(stage: Stage) -> None:
    opener = stage.shell.opener
    opener.loading = True
    opener.began.emit()
    opener._step(Begun(stage.sample[1], 2, 4, 0))  # noqa: SLF001 - a moment of a reading


def _cancelled(stage: Stage) -> None:
    _loading(stage)
    stage.shell.opener.stop()


def _empty(stage: Stage) -> None:
    folder = stage.place / "notes"
    folder.mkdir(exist_ok=True)
    (folder / "minutes.txt").write_text("Nothing was decided.\n", encoding="utf-8")
    stage.open(str(folder))


def _missing(stage: Stage) -> None:
    stage.open(str(stage.place / "no-such-run"))


def _broken(stage: Stage) -> None:
    stage.open(stage.sample[stage.run], str(session(stage.place, "2.1.14", damaged=True)))
    stage.shell.problems.show_list.setChecked(True)


def _start_of_citations(tab: str) -> Callable[[Stage], None]:
    return lambda stage: stage.go(tab)


def _changes(stage: Stage) -> None:
    stage.go("model")
    calls = len(stage.shell.desk.audit().calls)
    stage.shell.desk.go(Place(run=stage.run, call=calls, tab="model"))
    stage.find("model_changes").setChecked(True)  # type: ignore[attr-defined]


def _find_bar(stage: Stage) -> None:
    stage.go("model")
    wait()
    stage.trigger("edit.find")
    edits = stage.shell.current_tab().findChildren(QLineEdit, "find_text")  # type: ignore[union-attr]
    edits[0].setText("租" if stage.run else "pool")
    edits[0].textEdited.emit(edits[0].text())


def _palette(stage: Stage) -> None:
    stage.go("answer")
    stage.trigger("go.palette")


def _keys(stage: Stage) -> None:
    stage.trigger("help.keys")


def _filter_error(stage: Stage) -> None:
    stage.go("answer")
    stage.find("findings_filter_text", QLineEdit).setText("verdict == read and and")  # type: ignore[attr-defined]


def _finding(stage: Stage) -> None:
    stage.go("residency")
    audit = stage.shell.desk.audit()
    without = [at for at, found in enumerate(audit.findings) if found.where.citation is None]
    if without:
        stage.shell.desk.go(places.finding_place(audit, stage.run, without[0], "residency"))


def _decided(stage: Stage) -> None:
    stage.go("answer")
    deciding = stage.shell.handlers.deciding
    for command in ("accept", "accept", "reject", "flag"):
        _until(deciding.decided, partial(stage.trigger, f"decide.{command}"))
        stage.trigger("go.next")
    stage.trigger("go.previous")


def _noting(stage: Stage) -> None:
    _decided(stage)
    stage.trigger("decide.note")
    words = "第 2 段没有给出期限。" if stage.run else "Part 2 names no time limit."
    stage.find("note_text").setPlainText(words)  # type: ignore[attr-defined]


def _compare(stage: Stage) -> None:
    stage.go("answer")
    audit = stage.shell.desk.audit(stage.run)
    counts: dict[str, list[Version]] = {}
    for version in audit.run.versions:
        counts.setdefault(version.key.source_id, []).append(version)
    versions = next(held for held in counts.values() if len(held) > 1)
    stage.shell.desk.go(Place(run=stage.run, source=versions[-1].key, tab="source"))
    stage.trigger("go.compare")
    wait(800)


def _compare_calls(stage: Stage) -> None:
    stage.go("model")
    calls = len(stage.shell.desk.audit(stage.run).calls)
    stage.shell.desk.go(Place(run=stage.run, call=calls, tab="model"))
    stage.trigger("go.compare")
    wait(800)


def _compare_runs(stage: Stage) -> None:
    stage.go("answer")
    stage.trigger("go.compare")
    wait(1500)


def _no_citations(stage: Stage) -> None:
    stage.open(str(session(stage.place, "2.1.14")))


def _unknown(stage: Stage) -> None:
    stage.open(str(session(stage.place, "2.0.50")))
    stage.shell.desk.go(Place(call=2, tab="model"))


def _small(tab: str, percent: int, size: tuple[int, int] = _SMALL) -> Callable[[Stage], None]:
    def build(stage: Stage) -> None:
        stage.shell.resize(*size)
        stage.shell.set_text_size(percent)
        stage.go(tab)

    return build


def _bill(stage: Stage) -> None:
    stage.go("bill")
    broken = stage.shell.desk.audit().bill.broken
    if broken:
        stage.shell.desk.go(Place(run=stage.run, call=broken[0].call, tab="bill"))


def _bill_added(stage: Stage) -> None:
    _bill(stage)
    stage.find("bill_added").setChecked(True)  # type: ignore[attr-defined]


def _bill_reported(stage: Stage) -> None:
    stage.open(str(session(stage.place, "2.1.14")))
    stage.shell.desk.go(Place(call=3, tab="bill"))


def _baseline(stage: Stage) -> None:
    stage.go("answer")
    writer = BaselineWriter()
    list(writer.taking(stage.shell.desk.audits))
    made = json.loads("".join(writer.chunks()))
    for run in made["runs"]:
        del run["findings"][::2]
    path = stage.place / "known.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    known = stage.shell.handlers.known
    _until(known.judged, lambda: known.take(str(path)))


def _many_runs(stage: Stage) -> None:
    folder = stage.place / "many"
    folder.mkdir(exist_ok=True)
    for number in range(14):
        session(folder, f"2.1.{number}")
    broken = folder / "session-2.1.1.jsonl"
    lines = broken.read_text(encoding="utf-8").splitlines(keepends=True)
    broken.write_text(lines[0], encoding="utf-8")
    stage.open(str(folder))
    for _ in range(2):
        _until(stage.shell.settled, lambda: stage.trigger("go.next_run"))


def _run_list(stage: Stage) -> None:
    _many_runs(stage)
    stage.shell.runs.showPopup()
    wait(300)


def _written_citations(stage: Stage) -> None:
    said = "A batch holds 200 records (limits.md:1). The queue is drained (plan.md:9)."
    stage.open(str(session(stage.place, "2.1.14", said=said)))
    stage.shell.desk.go(places.citation_place(stage.shell.desk.audit(), 0, 0, "answer"))


def _drift(stage: Stage) -> None:
    stage.open(str(counted_in_utf16(stage.place)))
    stage.shell.desk.go(places.citation_place(stage.shell.desk.audit(), 0, 0, "answer"))


STATES: dict[str, Callable[[Stage], None]] = {
    "01-start": lambda _: None,
    "02-start-recent": _recent,
    "03-loading": _loading,
    "04-cancelled": _cancelled,
    "05-empty": _empty,
    "06-missing": _missing,
    "07-partly-broken": _broken,
    "08-answer": _start_of_citations("answer"),
    "09-model": _start_of_citations("model"),
    "10-model-changes": _changes,
    "11-residency": _start_of_citations("residency"),
    "12-source": _start_of_citations("source"),
    "13-find": _find_bar,
    "14-palette": _palette,
    "15-keys": _keys,
    "16-filter-error": _filter_error,
    "17-finding": _finding,
    "18-no-citations": _no_citations,
    "19-unknown": _unknown,
    "20-small": _small("answer", 100),
    "21-small-source": _small("source", 100),
    "22-text-150": _small("answer", 150, SIZE),
    "23-text-200": _small("answer", 200, SIZE),
    "24-small-150": _small("model", 150),
    "25-decided": _decided,
    "26-noting": _noting,
    "27-compare": _compare,
    "28-compare-calls": _compare_calls,
    "29-compare-runs": _compare_runs,
    "30-bill": _bill,
    "31-bill-added-up": _bill_added,
    "32-bill-reported": _bill_reported,
    "33-baseline": _baseline,
    "34-many-runs": _many_runs,
    "35-run-list": _run_list,
    "36-written-citations": _written_citations,
    "37-drift": _drift,
}
"""Every state by the name of its picture."""
