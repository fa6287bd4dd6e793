"""Makes pictures of the window's main states, for people to look at.

    python packaging/screenshots.py FOLDER [--only STATE ...] [--scale 1 2]
    python packaging/screenshots.py docs/pictures --readme

Each state is grabbed in light, dark and high contrast, in English and Chinese,
at 1× and at 2× (each scale in a process of its own).  A picture is called
``STATE-THEME-LANGUAGE-SCALEx.png``; those of the README by their
state alone.  It needs no screen of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

HOME = Path(__file__).parents[1]
sys.path.insert(0, str(HOME))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np  # noqa: E402 - the path and the platform come first
from PySide6.QtCore import QEventLoop, QPoint, Qt, QTimer, qInstallMessageHandler  # noqa: E402
from PySide6.QtGui import QImage, QPainter  # noqa: E402
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget  # noqa: E402

from reviewer.services.baselines import BaselineWriter  # noqa: E402
from reviewer.services.opening_runs import Begun  # noqa: E402
from reviewer.services.sample import write_sample  # noqa: E402
from reviewer.services.sessions import Session  # noqa: E402
from reviewer.window import i18n, theme  # noqa: E402
from reviewer.window.place import Place  # noqa: E402
from reviewer.window.presenters import places  # noqa: E402
from reviewer.window.shell import Shell  # noqa: E402
from reviewer.window.turns import Turns  # noqa: E402
from store.records.sources import Version  # noqa: E402

_SIZE = (1440, 900)
_SMALL = (1100, 700)
_THEMES = ("light", "dark", "contrast")
_README = {"08-answer": "answer", "09-model": "model-view", "11-residency": "residency-map"}
_README_SCALE = 1.5
_COLOURS = 32
_SAID = "At most 200 records a batch; the export is stopped first."
"""An answer that cites nothing."""
_HARMLESS = "This plugin does not support "


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
        loop = QEventLoop()
        self.shell.settled.connect(loop.quit)
        QTimer.singleShot(60_000, loop.quit)
        self.shell.open(list(paths))
        loop.exec()

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
    stage.open(stage.sample[stage.run], str(_session(stage.place, "2.1.14", damaged=True)))
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
    _wait()
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
        loop = QEventLoop()
        deciding.decided.connect(loop.quit)
        QTimer.singleShot(10_000, loop.quit)
        stage.trigger(f"decide.{command}")
        loop.exec()
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
    _wait(800)


def _compare_calls(stage: Stage) -> None:
    stage.go("model")
    calls = len(stage.shell.desk.audit(stage.run).calls)
    stage.shell.desk.go(Place(run=stage.run, call=calls, tab="model"))
    stage.trigger("go.compare")
    _wait(800)


def _compare_runs(stage: Stage) -> None:
    stage.go("answer")
    stage.trigger("go.compare")
    _wait(1500)


def _no_citations(stage: Stage) -> None:
    stage.open(str(_session(stage.place, "2.1.14")))


def _unknown(stage: Stage) -> None:
    stage.open(str(_session(stage.place, "2.0.50")))
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
    stage.open(str(_session(stage.place, "2.1.14")))
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
    loop = QEventLoop()
    known.judged.connect(loop.quit)
    QTimer.singleShot(10_000, loop.quit)
    known.take(str(path))
    loop.exec()


def _many_runs(stage: Stage) -> None:
    folder = stage.place / "many"
    folder.mkdir(exist_ok=True)
    for number in range(14):
        _session(folder, f"2.1.{number}")
    broken = folder / "session-2.1.1.jsonl"
    lines = broken.read_text(encoding="utf-8").splitlines(keepends=True)
    broken.write_text(lines[0], encoding="utf-8")
    stage.open(str(folder))
    for _ in range(2):
        loop = QEventLoop()
        stage.shell.settled.connect(loop.quit)
        QTimer.singleShot(10_000, loop.quit)
        stage.trigger("go.next_run")
        loop.exec()


def _run_list(stage: Stage) -> None:
    _many_runs(stage)
    stage.shell.runs.showPopup()
    _wait(300)


def _written_citations(stage: Stage) -> None:
    said = "A batch holds 200 records (limits.md:1). The queue is drained (plan.md:9)."
    stage.open(str(_session(stage.place, "2.1.14", said=said)))
    stage.shell.desk.go(places.citation_place(stage.shell.desk.audit(), 0, 0, "answer"))


def _drift(stage: Stage) -> None:
    """Show a citation whose place a provider counted in UTF-16."""
    text = "𠮷𠮷 Batches are limited to 200 records. The export stops first."
    cited = "Batches are limited to 200 records."
    start = text.index(cited) + 2
    place = {"type": "char_location", "cited_text": cited, "document_index": 0}
    place |= {"start_char_index": start, "end_char_index": start + len(cited)}
    said = {"type": "text", "text": "At most 200 a batch.", "citations": [place]}
    source = {"type": "text", "media_type": "text/plain", "data": text}
    document = {"type": "document", "title": "limits.md", "source": source}
    document["citations"] = {"enabled": True}
    request = {
        "model": "claude-example",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": [document]}],
    }
    response = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-example",
        "content": [said],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 60, "output_tokens": 8},
    }
    entry = {
        "startedDateTime": "2026-01-01T00:00:00.000Z",
        "request": {
            "method": "POST",
            "url": "https://api.anthropic.com/v1/messages",
            "headers": [],
            "postData": {"mimeType": "application/json", "text": json.dumps(request)},
        },
        "response": {
            "status": 200,
            "headers": [],
            "content": {"mimeType": "application/json", "text": json.dumps(response)},
        },
    }
    path = stage.place / "counted.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": [entry]}}), encoding="utf-8")
    stage.open(str(path))
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
    "22-text-150": _small("answer", 150, _SIZE),
    "23-text-200": _small("answer", 200, _SIZE),
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


def main() -> int:
    """Write the pictures and say where they are."""
    parser = argparse.ArgumentParser(description="Make pictures of the window's main states.")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--only", nargs="*", default=[], help="the beginnings of states' names")
    parser.add_argument("--theme", nargs="*", default=_THEMES, choices=_THEMES)
    parser.add_argument("--language", nargs="*", default=list(i18n.LANGUAGES))
    parser.add_argument("--scale", nargs="*", type=float, default=[1, 2], help="device pixels")
    parser.add_argument("--readme", action="store_true", help="the pictures of the README, small")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.readme:
        options.only, options.theme, options.language = list(_README), ["light"], ["en"]
        options.scale = [_README_SCALE]
    if len(options.scale) > 1:
        # Qt reads the scale once, when it starts.
        return max(_again(scale) for scale in options.scale)
    scale = options.scale[0]
    os.environ["QT_SCALE_FACTOR"] = str(scale)
    qInstallMessageHandler(_told)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory(prefix="reread-pictures-") as scratch:
        place = Path(scratch)
        os.environ["REREAD_DATA_DIR"] = scratch
        os.environ["REREAD_REVIEWER"] = "Reviewer 1"
        sample = [str(each) for each in write_sample(place / "sample")]
        for look, language, state in _wanted(options):
            name = f"{state}-{look}-{language}-{scale:g}x.png"
            if options.readme:
                name = f"{_README[state]}.png"
            stage = Stage(_window(place, look, language), place, sample)
            _picture(options.folder / name, stage, STATES[state], small=options.readme)
    print(f"pictures in {options.folder}")
    app.quit()
    return 0


def _wanted(options: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    for look in options.theme:
        for language in options.language:
            for state in STATES:
                if not options.only or state.startswith(tuple(options.only)):
                    yield look, language, state


def _again(scale: int) -> int:
    command = [sys.executable, *sys.argv, "--scale", str(scale)]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - this very program


def _window(place: Path, look: str, language: str) -> Shell:
    i18n.set_language(language)
    shell = Shell(Session(theme=look, language=language), place / "window.json")
    shell.resize(*_SIZE)
    shell.show()
    _wait()
    return shell


def _picture(path: Path, stage: Stage, build: Callable[[Stage], None], *, small: bool) -> None:
    shell = stage.shell
    build(stage)
    _rest(shell)
    dialogs = [each for each in QApplication.topLevelWidgets() if each.isVisible()]
    over = [each for each in dialogs if each is not shell and each.isWindow() and each.parent()]
    picture = _seen(shell, over[-1] if over else shell)
    if small:
        picture = _few_colours(picture)
    picture.save(str(path), "PNG", 0)  # type: ignore[call-overload]
    for each in over:
        each.close()
    shell.opener.loading = False
    shell.set_text_size(100)
    shell.close()
    shell.deleteLater()
    _wait()


def _seen(shell: Shell, shown: QWidget) -> QImage:
    """Return what is seen of a window, or of the dialog over it; a list stands where it opened."""
    under = shown.parentWidget()
    if shown.windowType() is not Qt.WindowType.Popup or under is None:
        return shown.grab().toImage()
    whole = shell.grab()
    painter = QPainter(whole)
    # The screen that is none moves lists to its own corner.
    painter.drawPixmap(under.mapTo(shell, QPoint(0, under.height())), shown.grab())
    painter.end()
    return whole.toImage()


def _rest(shell: Shell) -> None:
    """Wait until the window has done all that it puts off, however slow the machine is."""
    _wait(300)
    for _ in range(200):
        if all(each.complete for each in shell.findChildren(Turns)):
            break
        _wait(50)
    _wait(100)


def _few_colours(picture: QImage) -> QImage:
    """Return the picture in its most frequent colours: a README is loaded by everybody.

    The colours of the theme are kept, however little of the picture has them.
    """
    whole = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(whole.constBits(), np.uint32)
    colours, counts = np.unique(pixels, return_counts=True)
    most = colours[np.argsort(-counts)[:_COLOURS]].tolist()
    table = [*most, *(theme.colour(name).rgb() for name in theme.THEMES["light"])]
    plain = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    return whole.convertToFormat(
        QImage.Format.Format_Indexed8, [int(each) for each in dict.fromkeys(table)], plain
    )


def _session(place: Path, version: str, *, damaged: bool = False, said: str = _SAID) -> Path:
    """Write a small coding session: two files read, and an answer."""
    kind = "-damaged" if damaged else "-citing" if said != _SAID else ""
    path = place / f"session-{version}{kind}.jsonl"
    texts = {
        "limits.md": "Batches are limited to 200 records.\nThe export stops first.\n",
        "plan.md": "1. Stop the export.\n2. Drain the queue.\n3. Restart.\n",
    }
    lines = [_record(0, version, "user", "How large may a batch be during maintenance?")]
    at = 1
    for number, (name, text) in enumerate(texts.items()):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Read"}
        shown = "".join(f"{n:>6}→{line}\n" for n, line in enumerate(text.split("\n")[:-1], 1))
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": shown}
        ask = _record(at, version, "assistant", [{**use, "input": {"file_path": f"/work/{name}"}}])
        lines += [ask, _record(at + 1, version, "user", [result])]
        at += 2
    lines.append(_record(at, version, "assistant", [{"type": "text", "text": said}]))
    if damaged:
        lines.insert(2, '{"type": "user", "message": {"role"')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _record(number: int, version: str, role: str, content: object) -> str:
    message: dict[str, object] = {"role": role, "content": content}
    if role == "assistant":
        usage = {"input_tokens": 400 + 90 * number, "output_tokens": 20}
        message |= {"id": f"m{number}", "model": "claude-example", "usage": usage}
    return json.dumps(
        {
            "type": role,
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "sessionId": "11111111-2222-3333-4444-555555555555",
            "version": version,
            "cwd": "/work",
            "isSidechain": False,
            "timestamp": f"2026-01-01T00:00:{number:02}.000Z",
            "message": message,
        }
    )


def _told(_kind: object, _context: object, text: str) -> None:
    if not text.startswith(_HARMLESS):
        print(text, file=sys.stderr)


def _wait(milliseconds: int = 60) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


if __name__ == "__main__":
    sys.exit(main())
