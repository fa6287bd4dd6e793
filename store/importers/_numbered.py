r"""Lines of a file as a tool shows them: with their numbers, or under a header that says which.

Known are ``cat -n`` (a number, a tab), the arrow (``12→``), the number with
two spaces, and the header ``@@ lines 3-9 of 40 @@`` over the bare text.
Numbers are the tool's own: it may count other line ends than ``\n``, which no
record shows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from store.records.sources import Integrity, Selection, SourceKind, Version, VersionKey
from store.records.text import Span, Unit

__all__ = ["KnownLines", "numbered_lines"]

_GUTTER = re.compile(r" *([0-9]{1,9})(?:\.([0-9]{1,6}))?(\t|→|  )(.*)", re.DOTALL)
_HEADER = re.compile(
    r"(?:\[[^\n]*\]\n)*@@ lines ([0-9]{1,9})-([0-9]{1,9})(?: of ([0-9]{1,9}))?([^\n]*) @@(?:\n|\Z)"
)
_NOTICE = re.compile(r"\n\n\[Read [0-9]+ lines? \(lines? [^\n]*\]\s*\Z")


def numbered_lines(text: str) -> dict[int, str] | None:
    """Return the lines that *text* shows, by number from 1; ``None`` if it shows none so.

    Every line must carry the next number, or the whole is not taken: a body
    that cannot be divided without doubt has no lines.
    """
    header = _HEADER.match(text)
    if header is not None:
        return _under_header(text, header)
    notice = _NOTICE.search(text)
    body = text[: notice.start()] if notice else text.removesuffix("\n")
    found: dict[int, str] = {}
    gutter = ""
    last = 0
    for line in body.split("\n"):
        shown = _GUTTER.fullmatch(line)
        if shown is None or (gutter and shown[3] != gutter):
            return None
        number, gutter = int(shown[1]), shown[3]
        if shown[2] is not None and number == last:
            # A long line goes on in rows 12.1, 12.2.
            found[number] += shown[4]
        elif shown[2] is None and number == (last + 1 if found else max(number, 1)):
            found[number] = shown[4]
        else:
            return None
        last = number
    return found


def _under_header(text: str, header: re.Match[str]) -> dict[int, str] | None:
    first, last = int(header[1]), int(header[2])
    total = int(header[3]) if header[3] else None
    lines = text[header.end() :].split("\n")
    if "mid-line" in header[4] or (total is not None and last > total):
        return None
    if len(lines) == last - first + 2 and not lines[-1]:
        lines.pop()
    if first < 1 or len(lines) != last - first + 1:
        return None
    return dict(enumerate(lines, first))


@dataclass(slots=True)
class KnownLines:
    """What is known of the lines of one file: one version while nothing contradicts."""

    source_id: str
    origin: str = ""
    lines: dict[int, str] = field(default_factory=dict)
    _key: VersionKey | None = None

    def takes(self, lines: Mapping[int, str]) -> bool:
        """Add *lines* and return ``True``, unless one of them is known to read otherwise."""
        if any(self.lines.get(number, line) != line for number, line in lines.items()):
            return False
        self.lines.update(lines)
        return True

    def version(self) -> Version:
        """Return the version; ask when all lines are there."""
        numbers = tuple(sorted(self.lines))
        return Version(
            key=self.key(),
            kind=SourceKind.FILE,
            title=self.source_id,
            text="\n".join(self.lines[number] for number in numbers),
            integrity=Integrity.RECONSTRUCTED,
            unit=Unit.LINE,
            line_numbers=numbers,
            origin=self.origin,
        )

    def key(self) -> VersionKey:
        """Return its name: ``partial:`` and the hash of the pieces."""
        if self._key is None:
            digest = hashlib.sha256()
            for number in sorted(self.lines):
                line = f"{number}\t{self.lines[number]}\n"
                digest.update(line.encode("utf-8", "surrogatepass"))
            self._key = VersionKey(self.source_id, f"partial:{digest.hexdigest()}")
        return self._key

    def selection(self, lines: Mapping[int, str]) -> Selection:
        """Return the selection of *lines*, which follow one another."""
        span = Span(min(lines), max(lines) + 1)
        return Selection(self.source_id, self.key().version_id, Unit.LINE, (span,))
