"""One file for each rule; a file dropped in here is registered, a deleted one is gone.

Modules starting with ``_`` are helpers.  Further rules come from the entry
points ``reread.rules``.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from reviewer.audit.rules._rule import Rule

__all__ = ["Rule", "rules"]


@cache
def rules() -> tuple[Rule, ...]:
    """Return every rule in the order of ids.  Two of one id are an error."""
    found: dict[str, Rule] = {}
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            _add(found, import_module(f"{__name__}.{module.name}").RULE)
    for entry in entry_points(group="reread.rules"):
        _add(found, entry.load())
    return tuple(found[id_] for id_ in sorted(found))


def _add(found: dict[str, Rule], rule: Rule) -> None:
    if rule.id in found:
        raise ValueError(f"two rules are called {rule.id}")
    found[rule.id] = rule
