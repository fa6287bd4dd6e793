"""One file for each recorded format: recognise it by content, read it, trust nothing.

`importers` finds them by walking this package and the entry points
``reread.importers``; a file dropped in here is registered, a deleted one is
gone without a trace.  Modules starting with ``_`` are helpers.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from store.importers._base import Importer

__all__ = ["importers"]


@cache
def importers() -> tuple[Importer, ...]:
    """Return every importer, the most specific first.  Two of one name are an error."""
    found: dict[str, Importer] = {}
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            add(found, import_module(f"{__name__}.{module.name}").IMPORTER)
    for entry in entry_points(group="reread.importers"):
        add(found, entry.load())
    return tuple(sorted(found.values(), key=lambda importer: (importer.order, importer.name)))


def add(found: dict[str, Importer], importer: Importer) -> None:
    """Register *importer* under its name."""
    if importer.name in found:
        raise ValueError(f"two importers are named {importer.name}")
    found[importer.name] = importer
