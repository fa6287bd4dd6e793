"""Makes pictures of the window's main states, for people to look at.

    python packaging/screenshots.py FOLDER

Each state is grabbed in light and dark, in English and Chinese.  Run it with
QT_SCALE_FACTOR=2 for a fine screen; it needs no screen of its own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

HOME = Path(__file__).parents[1]
sys.path.insert(0, str(HOME))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer  # noqa: E402 - the path and the platform come first
from PySide6.QtWidgets import QApplication  # noqa: E402

from reviewer.services.sample import write_sample  # noqa: E402
from reviewer.services.sessions import Session  # noqa: E402
from reviewer.window import i18n  # noqa: E402
from reviewer.window.place import Place  # noqa: E402
from reviewer.window.shell import Shell  # noqa: E402

_SIZE = (1440, 900)
_TABS = ("answer", "model", "residency", "source")


def main() -> None:
    """Write the pictures and say where they are."""
    parser = argparse.ArgumentParser(description="Make pictures of the window's main states.")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory(prefix="reread-pictures-") as scratch:
        os.environ["REREAD_DATA_DIR"] = scratch
        sample = [str(place) for place in write_sample(Path(scratch) / "sample")]
        for theme in ("light", "dark"):
            for language in ("en", "zh_CN"):
                i18n.set_language(language)
                _pictures(options.folder, sample, theme, language, Path(scratch))
    print(f"pictures in {options.folder}")
    app.quit()


def _pictures(folder: Path, sample: list[str], theme: str, language: str, scratch: Path) -> None:
    shell = Shell(Session(theme=theme, language=language), scratch / f"{theme}-{language}.json")
    shell.resize(*_SIZE)
    shell.show()
    _wait(lambda: None)

    def grab(name: str) -> None:
        _wait(lambda: None)
        shell.grab().save(str(folder / f"{name}-{theme}-{language}.png"))

    grab("start")
    loop = QEventLoop()
    shell.settled.connect(loop.quit)
    QTimer.singleShot(60_000, loop.quit)
    shell.open(sample)
    loop.exec()
    run = 0 if language == "en" else 1
    for tab in _TABS:
        shell.desk.go(Place(run=run, citation=2, tab=tab))
        grab(tab)
    shell.close()
    shell.deleteLater()
    _wait(lambda: None)


def _wait(then: Callable[[], None], milliseconds: int = 400) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
    then()


if __name__ == "__main__":
    main()
