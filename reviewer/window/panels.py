"""The panels of the window, found by walking `reviewer.window.views`.

A module dropped in there that holds ``PANEL`` (or several as ``PANELS``)
appears in the window; a deleted one is gone without a trace.
"""

from __future__ import annotations

import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from PySide6.QtWidgets import QWidget

from reviewer.window.desk import Desk

__all__ = ["Area", "Panel", "modules_in_order", "panels", "view_modules"]

Area = Literal["run", "centre", "evidence", "findings"]
"""Left dock (tabs), centre (tabs), right dock, bottom dock (tabs)."""

_VIEWS = "reviewer.window.views"
_NEEDED = re.compile(r"^from (reviewer\.window\.[\w.]+) import", re.MULTILINE)
"""What a module imports of the window as it is loaded."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One view of the window.

    ``id`` is the ``tab`` of a `Place` for panels of the centre.  ``title`` is
    English and is translated where it is shown.  Panels of an area stand in
    the order of ``order``.  ``factory`` makes the widget.
    """

    id: str
    title: str
    area: Area
    order: int
    factory: Callable[[Desk, QWidget | None], QWidget]


def panels(area: Area | None = None) -> tuple[Panel, ...]:
    """Return the panels of *area*, by default all, in their order."""
    chosen = [panel for panel in _found() if area in (None, panel.area)]
    return tuple(sorted(chosen, key=lambda panel: (panel.order, panel.id)))


def view_modules() -> tuple[str, ...]:
    """Return the names of the modules in which panels are looked for."""
    if find_spec(_VIEWS) is None:
        return ()
    path = import_module(_VIEWS).__path__
    return tuple(f"{_VIEWS}.{module.name}" for module in pkgutil.iter_modules(path))


def modules_in_order() -> Iterator[str]:
    """Yield the modules of the views and what they need of the window, each behind what it needs.

    Loading them in this order takes many small steps instead of a few large ones.
    """
    seen: set[str] = set()
    for name in view_modules():
        yield from _behind_its_needs(name, seen)


def _behind_its_needs(name: str, seen: set[str]) -> Iterator[str]:
    if name in seen:
        return
    seen.add(name)
    if name not in sys.modules:
        for needed in _NEEDED.findall(_source(name)):
            yield from _behind_its_needs(needed, seen)
    yield name


def _source(name: str) -> str:
    """Return the text of a module; nothing where it has no file, and is loaded in one step."""
    spec = find_spec(name)
    try:
        return Path(spec.origin).read_text("utf-8") if spec and spec.origin else ""
    except OSError:
        return ""


def _found() -> Iterator[Panel]:
    for name in view_modules():
        held = import_module(name)
        if hasattr(held, "PANEL"):
            yield held.PANEL
        yield from getattr(held, "PANELS", ())
