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
from pathlib import Path

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
            one = VersionFacts(version, Unit.CHAR, listed=True, previewed=(), delivered=(span,),
                               gaps=(), delivered_at_answer=(span,), state_at_answer=State.FULL)  # fmt: skip
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


def one_large(text: str) -> Callable[[], Audit]:
    """Return what makes a run with one source of this text."""
    return lambda: made([text], run_id="source")


def findings() -> Audit:
    """Return a million findings."""
    return made([_LINE], run_id="findings", findings=1_000_000)


def residency() -> Audit:
    """Return 500 sources by 2,000 calls."""
    return made([f"source {n} of the map" for n in range(500)], run_id="map", calls=1999)


# -- scenarios ----------------------------------------------------------------------

Steps = Iterator[tuple[str, Callable[[], object], Callable[[], bool]]]
"""What is done as one event, by name, and what tells that everything has come of it."""


def scenario(name: str, folder: Path) -> Steps:
    """Yield the steps of a scenario in a new window."""
    from reviewer.services.sample import write_sample  # noqa: PLC0415 - imports are measured too
    from reviewer.services.sessions import Session  # noqa: PLC0415
    from reviewer.window.shell import Shell  # noqa: PLC0415
    from tests.benchmarks.synthetic import write_trace  # noqa: PLC0415

    shell = Shell(Session(), folder / "window.json")
    shell.show()
    settled: list[bool] = []
    shell.settled.connect(lambda: settled.append(True))
    if name == "sample":
        paths = [str(path) for path in write_sample(folder / "sample")]
        yield "open the sample", lambda: shell.open(paths), lambda: bool(settled)
        yield from _tabs(shell)
        yield from _walk(shell)
        yield "close", shell.close, lambda: True
        return
    if name == "trace":
        path = folder / "trace.jsonl"
        write_trace(path, 5000, 400, refer=True)
        yield "open a trace of 5,000 calls", lambda: shell.open([str(path)]), lambda: bool(settled)
        yield from _tabs(shell)
        yield from _calls(shell)
        yield "close", shell.close, lambda: True
        return
    paths = [str(path) for path in write_sample(folder / "sample")[:1]]
    yield "(open the sample)", lambda: shell.open(paths), lambda: bool(settled)
    audit = {
        "calls": many_calls,
        "request": large_request,
        "source": one_large(_LINE * 950_000),
        "line": one_large(_WORDS * 132_000),
        "json": one_large(json.dumps({"rows": [{"n": n, "text": _WORDS} for n in range(2000)]})),
        "findings": findings,
        "residency": residency,
    }[name]()
    run = shell.desk.add(audit)
    last = len(audit.calls)
    key = audit.sources[-1].versions[0].version.key
    here = Place(run=run, call=last, source=key, tab="answer")
    yield "go to the run", lambda: shell.desk.go(here), lambda: True
    yield from _tabs(shell)
    yield from _calls(shell)
    yield from _texts(shell)
    yield "close", shell.close, lambda: True


def _view(shell: object, tab: str) -> object:
    return shell.regions.widgets[tab]  # type: ignore[attr-defined]


def _tabs(shell) -> Steps:  # type: ignore[no-untyped-def]
    for tab in ("model", "residency", "source", "answer", "model", "source"):
        desk = shell.desk
        yield f"tab {tab}", lambda t=tab: desk.go(replace(desk.place, tab=t)), lambda: True  # type: ignore[misc]


def _walk(shell) -> Steps:  # type: ignore[no-untyped-def]
    for command in ("go.next", "go.next", "go.next", "go.previous", "go.next_gap", "go.back",
                    "go.next_call", "go.previous_call", "go.next_run"):  # fmt: skip
        yield command, shell.menus.actions[command].trigger, lambda: True
    for choice in ("dark", "light"):
        yield f"colours {choice}", shell.menus.actions[f"view.theme.{choice}"].trigger, lambda: True
    for language in ("zh_CN", "en"):
        action = shell.menus.actions[f"view.language.{language}"]
        yield f"language {language}", action.trigger, lambda: True


def _calls(shell) -> Steps:  # type: ignore[no-untyped-def]
    desk = shell.desk
    last = len(desk.audit().calls)
    for tab in ("model", "residency", "answer"):
        for call in (1, last // 2, last // 2 + 1, last):
            place = replace(desk.place, call=max(call, 1), tab=tab, message=None, part=None,
                            message_span=None)  # fmt: skip
            yield f"call {call} in {tab}", lambda p=place: desk.go(p), lambda: True  # type: ignore[misc]


def _texts(shell) -> Steps:  # type: ignore[no-untyped-def]
    desk = shell.desk
    for tab in ("model", "source"):
        yield f"show {tab}", lambda t=tab: desk.go(replace(desk.place, tab=t)), lambda: True  # type: ignore[misc]
        pane = _view(shell, tab).pane  # type: ignore[attr-defined]
        view = pane.view
        yield f"rows of {tab}", lambda: None, lambda v=view: v.complete  # type: ignore[misc]
        bar = view.verticalScrollBar()
        for share in (1.0, 0.5, 0.25, 0.0):
            yield (
                f"jump in {tab}",
                lambda s=share, b=bar: b.setValue(round(s * b.maximum())),
                lambda: True,
            )  # type: ignore[misc]
        for _ in range(5):
            yield f"scroll in {tab}", lambda b=bar: b.setValue(b.value() + 3), lambda: True  # type: ignore[misc]
        yield f"find in {tab}", lambda v=view: v.find("line of"), lambda v=view: v.finding[2]  # type: ignore[misc]
        yield (
            f"next hit in {tab}",
            lambda v=view: v.find("line of", on=True),
            lambda v=view: v.finding[2],
        )  # type: ignore[misc]
        yield f"wrap {tab}", lambda p=pane: p.wrap.setChecked(True), lambda: True  # type: ignore[misc]
        yield f"unwrap {tab}", lambda p=pane: p.wrap.setChecked(False), lambda: True  # type: ignore[misc]


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
            steps += watcher.steps
            peaks += [str(each) for each in watcher.held]
            if watcher.longest > longest and not step.startswith("("):
                longest, where = watcher.longest, step
            if told:
                print(f"  {watcher.longest:6.0f} ms  {step}", file=sys.stderr)
                for each in watcher.held:
                    print(f"           {each}", file=sys.stderr)
    memory = _peak() / 1e6
    return {"longest": longest, "where": where, "steps": steps, "above": peaks, "memory": memory}


def _settle(app: object, done: Callable[[], bool]) -> None:
    """Turn until *done* and a while longer, for what was put off."""
    until = time.monotonic() + 60
    quiet = 0
    while quiet < 12 and time.monotonic() < until:
        app.processEvents()  # type: ignore[attr-defined]
        quiet = quiet + 1 if done() else 0
        time.sleep(0.004)


def _peak() -> int:
    from tests.benchmarks.run import peak  # noqa: PLC0415

    return peak()


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
    empty, ours = start(options.rounds)
    aim = 1.5 * empty + 300
    print(f"start: empty window {empty:.0f} ms, this window {ours:.0f} ms (aim {aim:.0f} or less)")
    for name, words in SCENARIOS.items():
        command = [sys.executable, __file__, "--only", name, "--json"]
        told = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
        one = json.loads(told.stdout.strip().split("\n")[-1])
        print(
            f"{words}: longest step {one['longest']:.0f} ms at {one['where']!r} (aim {AIM}), "
            f"{len(one['above'])} of {one['steps']} above, {one['memory']:.0f} MB"
        )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
