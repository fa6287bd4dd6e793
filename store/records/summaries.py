"""What a list of saved runs shows of each."""

from __future__ import annotations

from dataclasses import dataclass

from store.records.grades import Grade, Layer

__all__ = ["RunSummary"]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A saved run in figures; ``digest`` names it, ``path`` is where it was first opened."""

    digest: str
    run_id: str
    title: str
    path: str
    format: str
    layer: Layer
    grade: Grade
    calls: int
    messages: int
    versions: int
    answers: int
    parent_run: str | None = None
    branch: str | None = None
