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
from PySide6.QtCore import QPoint, Qt, qInstallMessageHandler  # noqa: E402
from PySide6.QtGui import QImage, QPainter  # noqa: E402
from PySide6.QtWidgets import QApplication, QWidget  # noqa: E402
from screenshot_states import SIZE, STATES, Stage, wait  # noqa: E402

from reviewer.services.sample import write_sample  # noqa: E402
from reviewer.services.sessions import Session  # noqa: E402
from reviewer.window import i18n, theme  # noqa: E402
from reviewer.window.shell import Shell  # noqa: E402
from reviewer.window.turns import Turns  # noqa: E402

_THEMES = ("light", "dark", "contrast")
_README = {"08-answer": "answer", "09-model": "model-view", "11-residency": "residency-map"}
_README_SCALE = 1.5
_COLOURS = 32
_HARMLESS = "This plugin does not support "


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
    shell.resize(*SIZE)
    shell.show()
    wait()
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
    wait()


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
    wait(300)
    for _ in range(200):
        if all(each.complete for each in shell.findChildren(Turns)):
            break
        wait(50)
    wait(100)


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


def _told(_kind: object, _context: object, text: str) -> None:
    if not text.startswith(_HARMLESS):
        print(text, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
