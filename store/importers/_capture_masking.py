"""Masks what only became a credential when a call was put together.

A stream cuts a key in two, and a document stands packed in its request: each
text of a call is looked at whole, before anything of it is kept.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar, cast

from store.importers._capture_secrets import Masker
from store.importers._wire import Exchange
from store.records.sources import Integrity, Version

__all__ = ["mask_exchange"]

T = TypeVar("T")


def mask_exchange(exchange: Exchange, masker: Masker) -> None:
    """Mask every text of *exchange* in place; lengths stay, so places stay too."""
    for each in fields(exchange):
        setattr(exchange, each.name, _masked(getattr(exchange, each.name), masker))


def _masked(value: T, masker: Masker) -> T:
    """Return *value* with each text in it masked; the same object where nothing is."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return cast("T", masker.text(value))
    if isinstance(value, dict):
        return cast("T", masker.value(value))
    if isinstance(value, (list, tuple)):
        made = [_masked(item, masker) for item in value]
        same = all(new is old for new, old in zip(made, value, strict=True))
        return value if same else cast("T", type(value)(made))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed = {
        each.name: new
        for each in fields(value)
        if (new := _masked(old := getattr(value, each.name), masker)) is not old
    }
    if isinstance(value, Version) and "text" in changed:
        # It is no longer what its hash was made of.
        changed |= {"sha256": "", "integrity": Integrity.RECONSTRUCTED}
    return cast("T", replace(cast("Any", value), **changed)) if changed else value
