"""What a run folder says of a run that was read from another format and written here."""

from __future__ import annotations

from dataclasses import dataclass, field

from store.importers._fields import Fields
from store.records.grades import Grade, Layer
from store.records.runs import Problem, ProblemKind

__all__ = ["Imported", "read_imported"]


@dataclass(slots=True)
class Imported:
    """Where a run came from, and what was wrong with it there."""

    layer: Layer
    grade: Grade | None = None
    parent_run: str | None = None
    branch: str | None = None
    problems: list[Problem] = field(default_factory=list)


def read_imported(fields: Fields | None, path: str, default: Layer) -> Imported | None:
    """Read ``imported`` of a manifest, ``None`` where there is none; *path* is that of the run."""
    if fields is None:
        return None
    layer, grade = fields.text("layer"), fields.text("grade")
    made = Imported(
        Layer(layer) if layer in set(Layer) else default,
        Grade(grade) if grade in set(Grade) else None,
        fields.text("parent_run"),
        fields.text("branch"),
    )
    for each in fields.objects("problems"):
        kind = each.text("kind")
        where = each.text("where") or ""
        made.problems.append(
            Problem(
                f"{path}{where}" if each.flag("inside") else where,
                each.text("what") or "",
                # A kind that is not known is taken for the worst one.
                ProblemKind(kind) if kind in set(ProblemKind) else ProblemKind.LOST,
            )
        )
    return made
