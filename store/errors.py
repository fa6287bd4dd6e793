"""What the store raises: what went wrong, where, and what to do about it."""

from __future__ import annotations

__all__ = ["ChangedObjectError", "MissingObjectError", "StoreError"]


class StoreError(Exception):
    """The store cannot do what was asked.

    ``what`` went wrong, ``where`` (a file, an object, a database address
    without its password), and ``advice``: what a person can do.
    """

    def __init__(self, what: str, where: str, advice: str) -> None:
        super().__init__(f"{where}: {what}. {advice}")
        self.what = what
        self.where = where
        self.advice = advice


class MissingObjectError(StoreError):
    """Bytes that are named are not there, or must not be read (a link, no file)."""


class ChangedObjectError(StoreError):
    """Stored bytes no longer have the SHA-256 that names them."""
