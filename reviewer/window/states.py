"""In which state the window is, as its commands ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from reviewer.window import i18n
from reviewer.window.actions import When

if TYPE_CHECKING:
    from reviewer.window.shell import Shell

__all__ = ["choices", "states"]


def states(shell: Shell) -> frozenset[str]:
    """Return the states in which a command can be given that are those of the window now."""
    found: dict[When, bool] = {
        "always": True,
        "open": bool(shell.desk.audits),
        "paths": bool(shell.opener.paths),
        "back": shell.desk.can_go_back,
        "forward": shell.desk.can_go_forward,
        "loading": shell.opener.loading,
        "baseline": bool(shell.handlers.known.name),
    }
    return frozenset(name for name, holds in found.items() if holds)


def choices(shell: Shell) -> Mapping[str, frozenset[str]]:
    """Return what is chosen of each group of commands that are checked."""
    docks = shell.regions.docks if shell.regions else {}
    session = shell.session
    return {
        "theme": frozenset([session.theme]),
        "language": frozenset([i18n.language()]),
        "region": frozenset(name for name, dock in docks.items() if not dock.isHidden()),
        "highlight": frozenset(["on"] if session.highlights else []),
        "follow": frozenset([""] if session.follow else []),
    }
