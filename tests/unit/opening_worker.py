"""Opens what it is told within limits, each request in a process of its own, and says how it went.

    python opening_worker.py MEMORY SECONDS

Reads a list of paths in JSON from each line of standard input, and answers
with a line of JSON: a record for each path, and why it ended before the last.
Memory is the address space in bytes, as a limit of the system; seconds are
for each path.
"""

import json
import os
import resource
import signal
import sys
import time

from store.importers import importers
from store.opening import list_paths, open_paths
from store.records.runs import Problem


def opened(path: str) -> dict[str, object]:
    """Open *path* and return what was told."""
    began = time.monotonic()
    listed = sum(not isinstance(each, Problem) for each in list_paths([path]))
    problems: list[Problem] = []
    calls: list[int] = []
    for item in open_paths([path]):
        if isinstance(item, Problem):
            problems.append(item)
        else:
            problems += item.problems
            calls.append(len(item.calls))
    told = [(each.kind.value, f"{each.where}: {each.what}") for each in problems]
    record = {"path": path, "seconds": time.monotonic() - began, "listed": listed}
    return {**record, "calls": calls, "problems": told}


def child(memory: int, seconds: int, paths: list[str], end: int) -> None:
    """Open *paths* within the limits and write what was told, line by line."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with os.fdopen(end, "w") as out:
        for path in paths:
            signal.alarm(seconds)  # nobody waits for its signal, which ends the process
            out.write(json.dumps(opened(path)) + "\n")
            out.flush()
            signal.alarm(0)


def main(memory: int, seconds: int) -> None:
    """Answer requests until there are no more."""
    importers()
    for line in sys.stdin:
        begin, end = os.pipe()
        number = os.fork()
        if not number:
            os.close(begin)
            child(memory, seconds, json.loads(line), end)
            os._exit(0)
        os.close(end)
        with os.fdopen(begin) as told:
            records = [json.loads(each) for each in told]
        _, status = os.waitpid(number, 0)
        print(json.dumps({"records": records, "status": status}), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
