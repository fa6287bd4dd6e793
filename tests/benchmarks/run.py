"""Measures reading, storing and auditing against one pass of a JSON parser over the same file.

Every figure is a ratio to `orjson.loads` of each line, keeping nothing, in the
same process and in turn with it, the median of several rounds: the speed of
the machine falls out.  Nothing here fails on time.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import orjson

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.audit.engine import audit  # noqa: E402 - started as a program, from any folder
from store.importers._base import HEAD_BYTES  # noqa: E402
from store.opening import list_paths, open_paths  # noqa: E402
from store.records.runs import Problem, Run  # noqa: E402
from store.repository import Repository  # noqa: E402
from store.sqlite import sqlite_url  # noqa: E402
from tests.benchmarks.cited import write_cited_run  # noqa: E402
from tests.benchmarks.synthetic import KINDS, SPELLINGS, write_trace, write_unknown  # noqa: E402

NEW_CHARS = 2000
READ_AIM = 0.6


def parse(path: Path) -> None:
    """Parse every line and keep nothing."""
    with path.open("rb") as lines:
        for line in lines:
            orjson.loads(line)


def read(path: Path) -> Run:
    """Read the trace into records."""
    (run,) = open_paths([str(path)])
    if not isinstance(run, Run) or not run.calls:
        raise SystemExit(f"the trace was not read: {run}")
    return run


def seconds(work: Callable[[], object]) -> float:
    """Return how long *work* takes."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratios(path: Path, works: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the median time of each of *works* in units of a parser's pass, run in turn."""
    parser: list[float] = []
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        parser.append(seconds(lambda: parse(path)))
        for name, work in works.items():
            times[name].append(seconds(work))
    unit = statistics.median(parser)
    return {name: statistics.median(each) / unit for name, each in times.items()}


def peak_bytes(path: Path) -> tuple[int, int]:
    """Return the peak memory of a fresh process before and after it reads *path*."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.benchmarks.run import peak\n"
        "from store.opening import open_paths\n"
        "before = peak()\n"
        "runs = list(open_paths([sys.argv[2]]))\n"
        "print(before, peak())\n"
    )
    command = [sys.executable, "-c", program, str(ROOT), str(path)]
    told = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    before, after = (int(number) for number in told.stdout.split())
    return before, after


def peak() -> int:
    """Return the most memory that this process has held, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # `getrusage` would count what the parent held when it started this one
        line = next(line for line in status.open() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measure_large(folder: Path, calls: int, rounds: int) -> list[tuple[str, str, str]]:
    """Measure a trace of each spelling."""
    rows: list[tuple[str, str, str]] = []
    for spelling in SPELLINGS:
        path = folder / f"{spelling}.jsonl"
        size = write_trace(path, calls, NEW_CHARS, spelling=spelling, edits=True)
        run = read(path)
        works: dict[str, Callable[[], object]] = {"reading into records": partial(read, path)}
        if spelling == SPELLINGS[0]:
            works |= {
                "reading into the store": partial(store, path, folder),
                "auditing what was read": partial(audit, run),
            }
        for name, ratio in ratios(path, works, rounds).items():
            aim = f"{READ_AIM} or less" if name == "reading into records" else ""
            rows.append((f"{name}, {spelling}, {size / 1e6:.0f} MB", f"{ratio:.2f}", aim))
        if spelling == SPELLINGS[0]:
            before, after = peak_bytes(path)
            rows.append(("peak memory against the file", f"{after / size:.2f}", ""))
            rows.append(("  of which reading", f"{(after - before) / size:.2f}", ""))
        path.unlink()
    return rows


def measure_report(folder: Path, sources: int) -> list[tuple[str, str, str]]:
    """Measure the peak memory of a page about many citations over much text."""
    place = folder / "cited"
    size = write_cited_run(place, sources=sources, chars=700_000, citations=10 * sources)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.benchmarks.run import peak, read\n"
        "from pathlib import Path\n"
        "from reviewer.audit.engine import audit\n"
        "from reviewer.reports import Meta, reports\n"
        "start = peak()\n"
        "found = audit(read(Path(sys.argv[2])))\n"
        "audited = peak()\n"
        "for _ in reports()['html'].write([found], [], Meta('1')): pass\n"
        "print(start, audited, peak())\n"
    )
    command = [sys.executable, "-c", program, str(ROOT), str(place)]
    told = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    start, audited, written = (int(number) for number in told.stdout.split())
    what = f"a page on {10 * sources} citations, {size / 1e6:.0f} MB of sources"
    return [
        (f"{what}: peak memory", f"{(written - start) / size:.2f}", ""),
        ("  of which writing, against the sources", f"{(written - audited) / size:.2f}", ""),
    ]


def measure_recognition(folder: Path, files: int, rounds: int) -> list[tuple[str, str, str]]:
    """Measure what it costs to find out that files are of no kind that is known.

    Here a pass of the parser is one over the heads of the files.
    """
    rows: list[tuple[str, str, str]] = []
    for kind in KINDS:
        few, many = folder / f"{kind}-1", folder / f"{kind}-10"
        size = write_unknown(few, files, kind) // files
        write_unknown(many, 10 * files, kind)
        work = partial(recognise, few)
        work()
        if kind == KINDS[0]:
            times = [[seconds(partial(parse_heads, few)), seconds(work)] for _ in range(rounds)]
            unit, taken = (statistics.median(each) for each in zip(*times, strict=True))
            what = f"telling that a JSON file of {size / 1000:.0f} kB is of no known kind"
            rows.append((what, f"{taken / unit:.1f}", ""))
        times = [[seconds(work), seconds(partial(recognise, many))] for _ in range(rounds)]
        one, ten = (statistics.median(each) for each in zip(*times, strict=True))
        rows.append(
            (f"ten times as many {kind} files in a folder", f"{ten / one:.1f}", "11 or less")
        )
    return rows


def recognise(folder: Path) -> None:
    """Ask all importers about every file of a folder that holds no run."""
    for item in list_paths([str(folder)]):
        if not isinstance(item, Problem):
            raise SystemExit(f"something was found: {item}")


def parse_heads(folder: Path) -> None:
    """Parse the head of every file and keep nothing."""
    for path in folder.iterdir():
        with path.open("rb") as file:
            orjson.loads(file.read(HEAD_BYTES))


def store(path: Path, folder: Path) -> None:
    """Read the trace and save it in a new database."""
    database = folder / "runs.sqlite"
    repository = Repository(sqlite_url(database))
    repository.save(read(path))
    repository.close()
    for file in folder.glob("runs.sqlite*"):
        file.unlink()


def measure_growth(folder: Path, calls: int, rounds: int) -> list[tuple[str, str, str]]:
    """Compare longer traces with a short one, with the same new text in each call.

    A log that repeats its history grows with the square of its calls: one ten
    times as long has about three times the calls, one with ten times the calls
    is nearly a hundred times as long, and whoever reads it touches each byte
    once.  Where a log refers back instead of repeating, both are the same.
    """
    plain = {
        name: (folder / f"{name}.jsonl", round(calls * factor))
        for name, factor in (("short", 1.0), ("tenfold", 10**0.5), ("calls", 10.0))
    }
    sizes = {name: write_trace(path, n, NEW_CHARS) for name, (path, n) in plain.items()}
    brief = folder / "brief-1.jsonl", folder / "brief-10.jsonl"
    for path, factor in zip(brief, (1, 10), strict=True):
        write_trace(path, calls * factor, NEW_CHARS, refer=True)
    short, tenfold, many = (plain[name][0] for name in ("short", "tenfold", "calls"))

    def everything(path: Path) -> object:
        return audit(read(path))

    larger = sizes["tenfold"] / sizes["short"]
    rows = [
        (f"a log {larger:.1f} times as long: reading and auditing", short, tenfold, "11 or less"),
        ("ten times the calls, referring back", *brief, "11 or less"),
        (
            f"ten times the calls, {sizes['calls'] / sizes['short']:.0f} times the bytes",
            short,
            many,
            "",
        ),
    ]
    found: list[tuple[str, str, str]] = []
    for what, one, ten, aim in rows:
        times = [[seconds(partial(everything, path)) for path in (one, ten)] for _ in range(rounds)]
        before, after = (statistics.median(each) for each in zip(*times, strict=True))
        found.append((what, f"{after / before:.1f}", aim))
    return found


def main() -> None:
    """Write the traces, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=270, help="calls of the large trace")
    parser.add_argument("--short", type=int, default=30, help="calls of the short trace")
    parser.add_argument("--sources", type=int, default=40, help="sources of the run with a page")
    parser.add_argument("--files", type=int, default=30, help="files that nobody knows")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="reread-bench-") as name:
        folder = Path(name)
        rows = measure_large(folder, options.calls, options.rounds)
        rows += measure_growth(folder, options.short, options.rounds)
        rows += measure_report(folder, options.sources)
        rows += measure_recognition(folder, options.files, options.rounds)
    if options.json:
        print(json.dumps([dict(zip(("what", "ratio", "aim"), row, strict=True)) for row in rows]))
        return
    print("Ratios to one pass of orjson.loads over the same file, unless said otherwise.\n")
    for what, ratio, aim in [("what", "ratio", "aim"), *rows]:
        print(f"{what:58} {ratio:>8}   {aim}".rstrip())


if __name__ == "__main__":
    main()
