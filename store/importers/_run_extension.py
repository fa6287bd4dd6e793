"""What stands in a run folder beside the fields of its format: an import writes it.

All of it stands under one name in the object that it belongs to, so that who
does not know it can leave it and lose nothing else.
"""

from __future__ import annotations

from typing import Final

from store.importers._fields import Fields
from store.records.grades import Grade

__all__ = ["EXTENSION", "extension", "origin_in", "stated_grade"]

EXTENSION: Final = "reread"
"""The field that holds what an import kept and the format has no field for."""


def extension(fields: Fields) -> Fields:
    """Return what stands beside the fields of the format, mostly nothing."""
    return fields.inner(EXTENSION) or Fields({}, lambda _what: None)


def stated_grade(more: Fields) -> Grade:
    """Return the grade that a record claims for itself, ``RECORDED`` where it claims none."""
    name = more.text("grade")
    return Grade(name) if name in set(Grade) else Grade.RECORDED


def origin_in(more: Fields, default: str) -> str:
    """Return the place in the first record, *default* where this is the first."""
    return (more.text("origin") or "") if more.has("origin") else default
