"""Measures the window: the longest step of the interface thread, its start and its memory.

``python tests/benchmarks/window.py`` prints a table; each scenario runs in a
process of its own.  A step is one event with all that it sends, in processor
time of the interface thread.  Nothing here fails on time.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.window.place import Place  # noqa: E402 - started as a program, from any folder
from store.builder import RunBuilder  # noqa: E402
from store.records.findings import (  # noqa: E402
    Audit,
    CallFacts,
    Delivery,
    Finding,
    Form,
    Severity,
    SourceFacts,
    State,
    Tokens,
    VersionFacts,
    Where,
)
from store.records.grades import Grade, Layer  # noqa: E402
from store.records.runs import Answer, Part, PartKind  # noqa: E402
from store.records.sources import SourceKind, Version, VersionKey  # noqa: E402
from store.records.text import Span, Unit  # noqa: E402
from tests.benchmarks.run import peak  # noqa: E402
from tests.benchmarks.synthetic import write_trace  # noqa: E402

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from reviewer.window.shell import Shell
    from reviewer.window.views.text_view import TextView

AIM = 50
_LINE = "some 汉字 line of text with 😀 in it, and words\n"
_WORDS = "some 汉字 line of text with words "


# -- what is shown ------------------------------------------------------------------


def made(results: list[str], *, run_id: str, findings: int = 0, calls: int = 0) -> Audit:
    """Return an audit in which call ``n`` holds the first ``n`` of *results*, each a source."""
    builder = RunBuilder(run_id, run_id, "reread.run", Layer.CLIENT, title=run_id)
    held = [builder.message("user", [Part(PartKind.TEXT, "go")], "events.jsonl:1")]
    facts, deliveries = [], []
    for at in range(max(calls, len(results))):
        builder.call(list(held), model="m", origin=f"events.jsonl:{at + 2}")
        text = results[at % len(results)]
        part = Part(PartKind.TOOL_RESULT, text, f"t{at}")
        message = builder.message("tool", [part], f"events.jsonl:{at + 2}")
        held.append(message)
        if at < len(results):
            key = VersionKey(f"logs/{at:04}.json", "v1")
            span = Span(0, len(text))
            version = Version(key, SourceKind.TEXT, sha256="", chars=len(text), text=text)
            one = VersionFacts(
                version,
                Unit.CHAR,
                listed=True,
                previewed=(),
                delivered=(span,),
                gaps=(),
                delivered_at_answer=(span,),
                state_at_answer=State.FULL,
            )
            facts.append(SourceFacts(key.source_id, "text", "", (one,)))
            deliveries.append(Delivery(message, 0, span, key, span, Form.FULL, "id"))
    builder.call(list(held), model="m", origin="events.jsonl:end")
    run = builder.finish()
    run = replace(run, answers=(Answer(len(run.calls), "an answer of some words"),))
    told = tuple(
        CallFacts(c.index, c.id, c.origin, c.model, c.grade, "", c.index, 1, 1,
                  Tokens(1, "o200k_base", None), 0)
        for c in run.calls
    )  # fmt: skip
    found = tuple(
        Finding(f"RUL{n % 4:03}", Severity.WARNING, Grade.RECORDED, f"finding {n}",
                Where(call=n % 8 + 1, source_id=f"logs/{n % 1000:04}.json"), f"{n:032x}")
        for n in range(findings)
    )  # fmt: skip
    return Audit(run=run, calls=told, sources=tuple(facts), reads=(), placeholders=(),
                 citations=(), findings=found, deliveries=tuple(deliveries))  # fmt: skip


def many_calls() -> Audit:
    """Return 5,000 calls over 300 sources."""
    return made([f'{{"n": {n}, "text": "{_WORDS * 20}"}}' for n in range(300)], run_id="calls",
                calls=5000)  # fmt: skip


def large_request() -> Audit:
    """Return a request of 48 MB in 200 messages."""
    return made([_LINE * 4200] * 200, run_id="request")


# -- scenarios ----------------------------------------------------------------------


class Step(NamedTuple):
    """What is done as one event, by name, and what tells that everything has come of it."""

    name: str
    work: Callable[[], object]
    done: Callable[[], bool] = lambda: True


def scenario(name: str, folder: Path) -> Iterator[Step]:
    """Yield the steps of a scenario in a new window."""
    from reviewer.services.sample import write_sample  # noqa: PLC0415 - imports are measured too
    from reviewer.services.sessions import Session  # noqa: PLC0415
    from reviewer.window.shell import Shell  # noqa: PLC0415

    shell = Shell(Session(), folder / "window.json")
    shell.show()
    settled: list[bool] = []
    shell.settled.connect(lambda: settled.append(True))
    if name == "trace":
        paths = [str(folder / "trace.jsonl")]
        write_trace(Path(paths[0]), 5000, 400, refer=True)
    else:
        paths = [str(path) for path in write_sample(folder / "sample")]
    yield Step("open", partial(shell.open, paths), lambda: bool(settled))
    if name in AUDITS:
        audit = AUDITS[name]()
        run = shell.desk.add(audit)
        key = audit.sources[-1].versions[0].version.key
        here = Place(run=run, call=len(audit.calls), source=key, tab="answer")
        yield Step("go to the run", partial(shell.desk.go, here))
    yield from _tabs(shell)
    yield from _calls(shell)
    if name == "sample":
        yield from _walk(shell)
    yield from _texts(shell)
    yield Step("close", shell.close)


def _go(shell: Shell, **changes: Any) -> Callable[[], None]:  # noqa: ANN401 - fields of a place
    return lambda: shell.desk.go(replace(shell.desk.place, **changes))


def _tabs(shell: Shell) -> Iterator[Step]:
    for tab in ("model", "residency", "source", "bill", "answer", "model", "source"):
        yield Step(f"tab {tab}", _go(shell, tab=tab))


def _walk(shell: Shell) -> Iterator[Step]:
    names = ["next", "next", "next", "previous", "next_gap", "back", "next_call", "next_run"]
    commands = [f"go.{name}" for name in names]
    commands += ["view.theme.dark", "view.theme.light", "view.language.zh_CN", "view.language.en"]
    for command in commands:
        yield Step(command, shell.menus.actions[command].trigger)


def _calls(shell: Shell) -> Iterator[Step]:
    last = len(shell.desk.audit().calls)
    for tab in ("model", "residency", "bill", "answer"):
        for call in (1, max(last // 2, 1), last // 2 + 1, last):
            nothing = {"message": None, "part": None, "message_span": None}
            yield Step(f"call {call} in {tab}", _go(shell, call=call, tab=tab, **nothing))


def _texts(shell: Shell) -> Iterator[Step]:
    from reviewer.window.views.text_pane import TextPane  # noqa: PLC0415 - imports are measured too

    assert shell.regions is not None
    for tab in ("model", "source"):
        yield Step(f"show {tab}", _go(shell, tab=tab))
        pane = shell.regions.widgets[tab].findChildren(TextPane)[0]
        view, bar = pane.view, pane.view.verticalScrollBar()
        yield Step(f"rows of {tab}", lambda: None, lambda view=view: view.complete)  # type: ignore[misc]
        for share in (1.0, 0.5, 0.25, 0.0):
            yield Step(f"jump in {tab}", partial(bar.setValue, round(share * bar.maximum())))
        for at in range(0, 15, 3):
            yield Step(f"scroll in {tab}", partial(bar.setValue, at))

        def found(view: TextView = view) -> bool:
            return view.finding[2]

        yield Step(f"find in {tab}", partial(view.find, "line of"), found)
        yield Step(f"next hit in {tab}", partial(view.find, "line of", on=True), found)
        yield Step(f"wrap {tab}", partial(pane.wrap.setChecked, True))  # noqa: FBT003 - Qt's
        yield Step(f"unwrap {tab}", partial(pane.wrap.setChecked, False))  # noqa: FBT003


AUDITS: dict[str, Callable[[], Audit]] = {
    "calls": many_calls,
    "request": large_request,
    "source": lambda: made([_LINE * 950_000], run_id="source"),
    "line": lambda: made([_WORDS * 132_000], run_id="line"),
    "json": lambda: made([json.dumps([{"n": n, "text": _WORDS} for n in range(2000)])], run_id="j"),
    "findings": lambda: made([_LINE], run_id="findings", findings=1_000_000),
    "residency": lambda: made([f"source {n}" for n in range(500)], run_id="map", calls=1999),
}
"""Scenarios that show what was made here, and what makes it."""

SCENARIOS = {
    "sample": "the sample: open, tabs, citations, calls, colours, languages",
    "trace": "a trace of 5,000 calls, opened and walked",
    "calls": "5,000 calls, 300 sources: tabs, calls, find",
    "request": "a request of 48 MB: tabs, calls, scroll, find",
    "source": "a source of 50 MB: tabs, scroll, find",
    "line": "one line of 5 MB: tabs, scroll, find",
    "json": "a JSON result of one line: tabs, scroll, find",
    "findings": "a million findings: tabs, calls",
    "residency": "a residency map of 500 by 2,000: tabs, calls",
}


def measure(name: str, *, told: bool) -> dict[str, object]:
    """Run one scenario in this process."""
    from tests.window.watcher import WatchedApplication, Watcher  # noqa: PLC0415 - Qt

    app = WatchedApplication(["bench"])
    watcher = Watcher(AIM)
    longest, steps, where, peaks = 0.0, 0, "", []
    with tempfile.TemporaryDirectory() as folder:
        for step, work, done in scenario(name, Path(folder)):
            app.watcher = watcher
            watcher.begin(step)
            watcher.do(work)
            _settle(app, done)
            app.watcher = None
            if name in AUDITS and step == "open":
                continue  # that of the sample, which is only there to have a window
            steps += watcher.steps
            peaks += [str(each) for each in watcher.held]
            if watcher.longest > longest:
                longest, where = watcher.longest, step
            if told:
                print(f"  {watcher.longest:6.0f} ms  {step}", file=sys.stderr)
                for each in watcher.held:
                    print(f"           {each}", file=sys.stderr)
    memory = peak() / 1e6
    return {"longest": longest, "where": where, "steps": steps, "above": peaks, "memory": memory}


def _settle(app: QApplication, done: Callable[[], bool]) -> None:
    """Turn until *done* and a while longer, for what was put off."""
    until = time.monotonic() + 60
    quiet = 0
    while quiet < 12 and time.monotonic() < until:
        app.processEvents()
        quiet = quiet + 1 if done() else 0
        time.sleep(0.004)


# -- the start ------------------------------------------------------------------------

_EMPTY = """
import sys, os, time
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow(); window.resize(1400, 900); window.show()
"""
_OURS = """
import sys, os, time
sys.path.insert(0, sys.argv[1])
from PySide6.QtWidgets import QApplication
app = QApplication([])
from reviewer.window.shell import Shell
from reviewer.services.sessions import Session
window = Shell(Session()); window.show()
"""
_END = """
from PySide6.QtCore import QTimer
def painted():
    print(len(sys.modules), flush=True); os._exit(0)
QTimer.singleShot(0, lambda: QTimer.singleShot(0, painted))
app.exec()
"""


def start(rounds: int) -> tuple[float, float]:
    """Return the median time, in milliseconds, to an empty main window and to ours, in turn."""
    times: dict[str, list[float]] = {_EMPTY: [], _OURS: []}
    for _ in range(rounds):
        for program, found in times.items():
            begin = time.perf_counter()
            command = [sys.executable, "-c", program + _END, str(ROOT)]
            subprocess.run(command, check=True, capture_output=True)  # noqa: S603
            found.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times[_EMPTY]), statistics.median(times[_OURS])


def main() -> None:
    """Print the table, or what one scenario gave as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--only", choices=SCENARIOS, help="one scenario, every step told")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=7, help="starts of each window")
    options = parser.parse_args()
    if options.only:
        found = measure(options.only, told=not options.json)
        print(json.dumps(found, ensure_ascii=False))
        return
    # As installed: modules are compiled once, not in each process.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as compiled:
        os.environ["PYTHONPYCACHEPREFIX"] = compiled
        _print_all(options.rounds)


def _print_all(rounds: int) -> None:
    start(1)  # compiles
    empty, ours = start(rounds)
    aim = 1.5 * empty + 300
    print(f"start: empty window {empty:.0f} ms, this window {ours:.0f} ms (aim {aim:.0f} or less)")
    _told("sample")  # compiles
    for name, words in SCENARIOS.items():
        one = _told(name)
        print(
            f"{words}: longest step {one['longest']:.0f} ms at {one['where']!r} (aim {AIM}), "
            f"{len(one['above'])} of {one['steps']} above, {one['memory']:.0f} MB"
        )


def _told(name: str) -> dict[str, Any]:
    command = [sys.executable, __file__, "--only", name, "--json"]
    told = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    found: dict[str, Any] = json.loads(told.stdout.strip().split("\n")[-1])
    return found


if __name__ == "__main__":
    main()
