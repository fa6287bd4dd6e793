"""Measures the text view: how long the window is held while large texts are shown and searched.

Run it as ``python tests/benchmarks/window_text.py``.  Every figure of a step is
the time between two turns of the interface thread, so the greatest one is what
a reader would feel.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))

from PySide6.QtWidgets import QApplication

from reviewer.window.views.text_view import Mark, TextView
from store.records.text import Span

_KINDS = ("delivered", "preview", "cited", "gap")
_MARKS = 10_000
_STEPS = 100


def main() -> None:
    """Print a line for each text."""
    app = QApplication([])
    line = "some 汉字 line of text with 😀 in it, and words\n"
    words = "some 汉字 line of text with words "
    for name, text in (
        ("50 MB in lines", line * 950_000),
        ("one line of 5 MB", words * 132_000),
        ("5 MB of empty lines", "\n" * 5_000_000),
    ):
        _measure(app, name, text)


def _measure(app: QApplication, name: str, text: str) -> None:
    chance = random.Random(1)  # noqa: S311 - places of marks, nothing secret
    starts = (chance.randrange(len(text)) for _ in range(_MARKS))
    marks = [
        Mark(Span(at, min(at + chance.randint(10, 400), len(text))), chance.choice(_KINDS))
        for at in starts
    ]
    view = TextView()
    view.resize(1000, 800)
    view.show()
    app.processEvents()
    shown = _timed(lambda: view.set_text(text, marks))
    rows = _until(app, lambda: view.complete)
    bar = view.verticalScrollBar()
    jumps, scrolls = [], []
    for step in range(_STEPS):
        bar.setValue(bar.maximum() * step // _STEPS)
        jumps.append(_timed(app.processEvents))
    for _ in range(_STEPS):
        bar.setValue(bar.value() - 3)
        scrolls.append(_timed(app.processEvents))
    view.find("line of")
    find = _until(app, lambda: view.finding[2])
    print(
        f"{name} ({len(text.encode()) / 1e6:.0f} MB, {_MARKS} marks): set {shown:.0f} ms; "
        f"rows {sum(rows):.0f} ms in steps of at most {max(rows):.0f}; "
        f"jump {statistics.median(jumps):.1f} (at most {max(jumps):.0f}); "
        f"scroll {statistics.median(scrolls):.1f} (at most {max(scrolls):.0f}); "
        f"find {sum(find):.0f} ms in steps of at most {max(find):.0f}, {view.finding[1]} hits"
    )
    view.close()
    view.deleteLater()
    app.processEvents()


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


def _until(app: QApplication, done: Callable[[], bool]) -> list[float]:
    steps = [0.0]
    while not done():
        steps.append(_timed(app.processEvents))
    return steps


if __name__ == "__main__":
    main()
