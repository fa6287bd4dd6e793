"""The lines of a decision log: how one is written, and whether each follows the one before it.

One line is one JSON object in one spelling (keys in order, no spaces, what a
terminal would obey escaped).  ``hash`` is the SHA-256 of that spelling without
``hash`` itself, and ``previous`` the hash of the record before.  Bytes that an
interrupted write left are named, by number and SHA-256, in ``torn`` of the
record that follows them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import BinaryIO, NoReturn

from store.records.reviews import Carried, Decision, DecisionKind, Target
from store.records.runs import Problem, ProblemKind

__all__ = ["FORMAT", "LINE_BYTES", "START", "Chain", "Walk", "canonical", "seal"]

FORMAT = "reread.decision/1"
START = "0" * 64
"""What stands for the hash before the first record."""

LINE_BYTES = 1024 * 1024
"""A longer line is no record: the longest note, every character escaped, is far shorter."""

_ESCAPED = re.compile(
    "[\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]"
)


def canonical(record: Mapping[str, object]) -> bytes:
    """Return the one spelling of *record*, without a line feed."""
    text = json.dumps(
        record, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def _joined(text: str) -> str:
    """Return *text* with halves of a character that follow each other made one character.

    JSON cannot tell the two apart, and a record must be read as it was written.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@dataclass(frozen=True, slots=True)
class _Torn:
    """Bytes that are no record."""

    size: int
    sha256: str


def seal(decision: Decision, previous: str, torn: _Torn | None) -> tuple[Decision, bytes]:
    """Return *decision* as part of the chain, and its line."""
    held = replace(
        decision,
        at=decision.at.astimezone(UTC),
        reviewer=_joined(decision.reviewer),
        note=_joined(decision.note),
        id=_joined(decision.id),
        undoes=_joined(decision.undoes),
        run_id=_joined(decision.run_id),
        target=replace(decision.target, key=_joined(decision.target.key)),
        previous=previous,
        carried=_carried_joined(decision.carried),
    )
    record = {
        "at": _time(held.at),
        "format": FORMAT,
        "id": held.id,
        "kind": held.kind.value,
        "note": held.note,
        "previous": previous,
        "reviewer": held.reviewer,
        "run": held.run_digest,
        "run_id": held.run_id,
        "target": str(held.target),
    }
    if held.undoes:
        record["undoes"] = held.undoes
    if held.upto:
        record["upto"] = held.upto
    whole: dict[str, object] = dict(record)
    if held.carried is not None:
        whole["carried"] = _carried_record(held.carried)
    if torn is not None:
        whole["torn"] = {"bytes": torn.size, "sha256": torn.sha256}
    digest = hashlib.sha256(canonical(whole)).hexdigest()
    return replace(held, hash=digest), canonical({**whole, "hash": digest}) + b"\n"


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _carried_joined(carried: Carried | None) -> Carried | None:
    if carried is None:
        return None
    return Carried(
        by=_joined(carried.by),
        run_digest=_joined(carried.run_digest),
        run_id=_joined(carried.run_id),
        event=_joined(carried.event),
        hash=_joined(carried.hash),
        target=replace(carried.target, key=_joined(carried.target.key)),
        made=carried.made.astimezone(UTC),
        from_place=_joined(carried.from_place),
        to_place=_joined(carried.to_place),
    )


def _carried_record(carried: Carried) -> dict[str, object]:
    return {
        "by": carried.by,
        "event": carried.event,
        "from": carried.from_place,
        "hash": carried.hash,
        "made": _time(carried.made),
        "run": carried.run_digest,
        "run_id": carried.run_id,
        "target": str(carried.target),
        "to": carried.to_place,
    }


def _carried(record: object) -> Carried | None:
    """Return where a decision comes from; raises `ValueError` for what this format has not."""
    if record is None:
        return None
    if not isinstance(record, dict):
        raise ValueError("carried is no object")  # noqa: TRY004 - a wrong value of a record
    return Carried(
        by=_text(record, "by"),
        run_digest=_text(record, "run"),
        run_id=_text(record, "run_id"),
        event=_text(record, "event"),
        hash=_text(record, "hash"),
        target=Target.of(_text(record, "target")),
        made=datetime.fromisoformat(_text(record, "made")).astimezone(UTC),
        from_place=_text(record, "from"),
        to_place=_text(record, "to"),
    )


class _NoRecordError(Exception):
    """A line is no record; ``changed`` when it looks like one whose hash is not its own."""

    def __init__(self, what: str, *, changed: bool) -> None:
        super().__init__(what)
        self.changed = changed


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def _opened(line: bytes) -> tuple[dict[str, object], str]:
    """Return the record of a line (without its line feed) and its hash, which was checked."""
    try:
        record = json.loads(line.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise _NoRecordError("it is no whole record", changed=False) from None
    if not isinstance(record, dict):
        raise _NoRecordError("it is no record", changed=True)
    stated = record.pop("hash", None)
    try:
        found = hashlib.sha256(canonical(record)).hexdigest()
        spelled = canonical({**record, "hash": found})
    except (ValueError, RecursionError):
        raise _NoRecordError("it is no record", changed=True) from None
    if stated != found:
        raise _NoRecordError("its content no longer has the hash that it states", changed=True)
    if spelled != line:
        raise _NoRecordError("it is not spelled as it was written", changed=True)
    return record, found


def _text(record: Mapping[str, object], name: str) -> str:
    value = record.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} is no text")  # noqa: TRY004 - a wrong value of a record
    return value


def _decision(record: Mapping[str, object], digest: str) -> Decision:
    """Return the decision of a record; raises `ValueError` for what this format has not."""
    if record.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    return Decision(
        kind=DecisionKind(_text(record, "kind")),
        target=Target.of(_text(record, "target")),
        reviewer=_text(record, "reviewer"),
        at=datetime.fromisoformat(_text(record, "at")).astimezone(UTC),
        id=_text(record, "id"),
        note=_text(record, "note"),
        undoes=_text(record, "undoes"),
        run_id=_text(record, "run_id"),
        run_digest=_text(record, "run"),
        upto=_text(record, "upto"),
        previous=_text(record, "previous"),
        hash=digest,
        carried=_carried(record.get("carried")),
    )


@dataclass(frozen=True, slots=True)
class Chain:
    """How far a log was walked: ``offset`` bytes, which end with the line ``last``."""

    offset: int = 0
    lines: int = 0
    records: int = 0
    hash: str = START
    last: bytes = field(default=b"", repr=False)


class _Gap:
    """Bytes since the last record that are no record."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.lines = self.size = 0
        self.digest = hashlib.sha256()
        self.changed = ""

    def add(self, data: bytes) -> None:
        self.lines += data.count(b"\n")
        self.size += len(data)
        self.digest.update(data)

    def torn(self) -> _Torn:
        return _Torn(self.size, self.digest.hexdigest())


class Walk:
    """Walks a log from *chain* to its end.

    ``chain`` is then behind the last record that ends with a line feed,
    ``settled`` says how many of ``decisions`` and ``problems`` lie before it,
    and ``closed`` whether the file ends with a line feed.
    """

    def __init__(self, where: str, chain: Chain) -> None:
        self.chain = chain
        self.end = chain
        self.decisions: list[Decision] = []
        self.problems: list[Problem] = []
        self.settled = (0, 0)
        self.closed = True
        self._where = where
        self._gap: _Gap | None = None

    def take(self, stream: BinaryIO) -> None:
        """Walk *stream*, which stands at the offset of the chain, to its end."""
        begins = True
        while piece := stream.readline(LINE_BYTES):
            self.closed = piece.endswith(b"\n")
            whole = begins and (self.closed or len(piece) < LINE_BYTES)
            begins = self.closed
            self._piece(piece, whole=whole)
        if self._gap is not None:
            self._tell_end(self._gap)

    def torn(self) -> _Torn | None:
        """Return what the next record says of the bytes before it.

        An interrupted write leaves a line without its end.  A whole line that
        is no record was changed: no later record may explain it away.
        """
        if self._gap is None or self._gap.changed or self.closed:
            return None
        ended = self._gap.digest.copy()
        ended.update(b"\n")
        return _Torn(self._gap.size + 1, ended.hexdigest())

    def _piece(self, piece: bytes, *, whole: bool) -> None:
        # A piece of a longer line is never a record, whatever stands in it.
        line = (piece[:-1] if self.closed else piece) if whole else b""
        try:
            record, digest = _opened(line)
        except _NoRecordError as error:
            if self._gap is None:
                self._gap = _Gap(self.end.lines + 1)
            if error.changed and not self._gap.changed:
                at = self.end.lines + self._gap.lines + 1
                self._gap.changed = f"line {at} was changed: {error}"
            self._gap.add(piece)
            return
        self._record(record, digest, piece)

    def _record(self, record: Mapping[str, object], digest: str, piece: bytes) -> None:
        between = self._gap.lines if self._gap else 0
        number = self.end.lines + between + 1
        self._tell_gap(record.get("torn"), number)
        if record.get("previous") != self.end.hash:
            self._add(
                number,
                f"line {number} does not follow the record before it: one between them was "
                "removed or changed, or this one was added",
                ProblemKind.CHANGED,
            )
        try:
            self.decisions.append(_decision(record, digest))
        except (ValueError, OverflowError) as error:
            what = f"the decision cannot be understood ({error}); a newer Reread may have made it"
            self._add(number, what, ProblemKind.LOST)
        size = self._gap.size if self._gap else 0
        self.end = Chain(
            self.end.offset + size + len(piece), number, self.end.records + 1, digest, piece
        )
        self._gap = None
        if self.closed:
            self.chain = self.end
            self.settled = (len(self.decisions), len(self.problems))

    def _tell_gap(self, torn: object, number: int) -> None:
        """Report what stands before a record that is none, or should stand there."""
        gap = self._gap
        if gap is None:
            if torn is not None:
                what = f"bytes that stood before line {number}, as it says, are gone"
                self._add(number, what, ProblemKind.CHANGED)
            return
        found = gap.torn()
        if gap.changed:
            self._add(gap.line, gap.changed, ProblemKind.CHANGED)
        elif torn == {"bytes": found.size, "sha256": found.sha256}:
            what = (
                f"{found.size} bytes are no record: a write was interrupted here, and the next "
                "record says so"
            )
            self._add(gap.line, what, ProblemKind.NOTED)
        else:
            what = f"{found.size} bytes are no record, and the next record does not know of them"
            self._add(gap.line, what, ProblemKind.CHANGED)

    def _tell_end(self, gap: _Gap) -> None:
        """Report what stands behind the last record."""
        if gap.changed:
            self._add(gap.line, gap.changed, ProblemKind.CHANGED)
            return
        if self.closed:
            what = f"the last {gap.size} bytes are no whole record: they were changed"
            self._add(gap.line, what, ProblemKind.CHANGED)
            return
        what = (
            f"the last {gap.size} bytes are no whole record: a write was interrupted here; "
            "they stay, and the next record names them"
        )
        self._add(gap.line, what, ProblemKind.NOTED)

    def _add(self, line: int, what: str, kind: ProblemKind) -> None:
        self.problems.append(Problem(f"{self._where}:{line}", what, kind))
