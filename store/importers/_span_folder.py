"""Files of one collector in one folder, which only together hold its traces.

A collector writes spans and log records to files of their own, and begins a
new file, with the time in its name, when one is full: messages of a call may
stand in another file than its span.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from store.importers._base import Probe
from store.importers._probing import file_probe

__all__ = ["together"]

_MOST: Final = 64
"""More files than this are read one by one: so many are no two of one kind."""
_LARGEST: Final = 1 << 30
"""Bytes of all files together up to which they are read at once."""
_ROTATED: Final = re.compile(r"(.+?)(?:-[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9.:-]+)?(\.[a-z]+)")
_LOGS: Final = (b'"resourceLogs"', b'"resource_logs"')


def together(probe: Probe, recognise: Callable[[Probe], bool]) -> list[Probe]:
    """Return the files of a folder that belong together, in order of their names; else none."""
    names = sorted(name for name in probe.names if not name.startswith("."))
    if not 1 < len(names) <= _MOST or not all(map(_ROTATED.fullmatch, names)):
        return []
    found: list[Probe] = []
    for name in names:
        try:
            each = file_probe(probe.path / name, f"{probe.label}/{name}")
        except OSError:
            return []
        if not recognise(each):
            return []
        found.append(each)
    stems = {found_name[1] for name in names if (found_name := _ROTATED.fullmatch(name))}
    logs = [any(mark in each.head for mark in _LOGS) for each in found]
    belong = len(stems) == 1 or (any(logs) and not all(logs))
    small = sum(each.size for each in found) <= _LARGEST
    return found if belong and small else []
