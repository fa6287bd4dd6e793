"""What the parts of a comparison share: what was chosen, and what a comparison is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from reviewer.audit.compare_text import compare_text
from reviewer.audit.settings import Settings
from store.records.comparisons import Comparison, VersionComparison
from store.records.differences import SourceDifference
from store.records.findings import Audit
from store.records.sources import Version, VersionKey
from store.records.text import Unit

__all__ = ["Chosen", "Comparing", "Pair", "Stopped"]

Stopped = Callable[[], bool]
Pair = tuple[str | None, str | None]
"""Something that may be named for A and for B."""


class Chosen(NamedTuple):
    """Which runs are meant where there are several, and how they are audited."""

    run_a: str | None
    run_b: str | None
    stores: Pair
    settings: Settings
    stopped: Stopped


@dataclass(frozen=True, slots=True)
class Comparing:
    """A comparison with what it was made of.

    ``audit_a`` and ``audit_b`` are the audits of the runs that were compared,
    where there are any; ``versions_a`` and ``versions_b`` all versions of both.
    """

    comparison: Comparison
    audit_a: Audit | None = field(default=None, repr=False)
    audit_b: Audit | None = field(default=None, repr=False)
    versions_a: Mapping[str, Sequence[Version]] = field(default_factory=dict, repr=False)
    versions_b: Mapping[str, Sequence[Version]] = field(default_factory=dict, repr=False)

    def text_of(
        self, one: SourceDifference, stopped: Stopped = lambda: False
    ) -> VersionComparison | None:
        """Compare the texts of a source's newest versions, ``None`` where one has none.

        Nor is there one where only some lines of a version are known.  Raises
        `ComparisonStopped` soon after *stopped* says so.
        """
        a, b = _of(self.versions_a, one.a), _of(self.versions_b, one.b)
        if a is None or b is None or a.text is None or b.text is None:
            return None
        if Unit.LINE in (a.unit, b.unit):
            return None
        text = compare_text(a.text, b.text, stopped=stopped)
        return VersionComparison(a.text, b.text, text, a.key, b.key)


def _of(versions: Mapping[str, Sequence[Version]], key: VersionKey | None) -> Version | None:
    held = versions.get(key.source_id, ()) if key is not None else ()
    return next((one for one in reversed(held) if one.key == key), None)
