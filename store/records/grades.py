"""How far a record can prove anything, and at which layer it was captured."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Grade", "Layer"]


class Grade(StrEnum):
    """How far the record proves that the model was given a text; best first."""

    RECORDED = "recorded"
    DERIVED = "derived"
    INFERRED = "inferred"
    UNKNOWN = "unknown"

    @property
    def rank(self) -> int:
        """0 for the strongest proof, 3 for none."""
        return _ORDER.index(self)

    @staticmethod
    def weakest(*grades: Grade) -> Grade:
        """Return the weakest of *grades*: a chain proves what its weakest link proves."""
        return max(grades, key=_ORDER.index)


_ORDER = [Grade.RECORDED, Grade.DERIVED, Grade.INFERRED, Grade.UNKNOWN]


class Layer(StrEnum):
    """Where between model and user the record was captured."""

    WIRE = "wire"
    CLIENT = "client"
    STATE = "state"
    TRANSCRIPT = "transcript"
    TELEMETRY = "telemetry"
