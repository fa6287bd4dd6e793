"""The digest of a run: what it holds, wherever it lies and on whatever machine.

Places (the path of the run, where a record stood, where a problem was met) are
no content.  Every text is hashed once, however often it stands in the run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields

from store.codec import encode
from store.errors import StoreError
from store.records.runs import Problem, Run

__all__ = ["Beginnings", "TextPool", "json_text", "run_digest"]

_FORMAT = b"reread.digest/1\n"
_BEGINNING = b"reread.beginning/1\n"
_PLACES = frozenset({"path", "origin", "where"})
_LISTS = frozenset(one.name for one in fields(Run) if one.default == ())
_DIGITS = 10
"""A number with more of them is that of no call."""
_INLINE = 64
"""Code points: a hash in place of a shorter text would be longer than the text."""


def json_text(value: object) -> str:
    """Return *value* as compact JSON in one fixed spelling, any string as it is.

    Escaping would make one character of two lone surrogates that follow each
    other; hence nothing is escaped that JSON does not demand.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class _NoJsonError(ValueError):
    """A free value of a record has no JSON that can be written."""


def _free_text(value: Mapping[str, object]) -> str:
    try:
        return json_text(value)
    except RecursionError:
        raise _NoJsonError("nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise _NoJsonError(str(error)) from error


class TextPool:
    """Hashes each text once; the texts and their hashes stay for who saves them.

    ``texts`` gives for each text the SHA-256 of its UTF-8 bytes (lone surrogates
    as three bytes each).
    """

    def __init__(self) -> None:
        self.texts: dict[str, bytes] = {}
        self._free: dict[int, tuple[Mapping[str, object], str]] = {}

    def digest(self, text: str) -> bytes:
        """Return the 32 bytes that name *text*."""
        known = self.texts.get(text)
        if known is None:
            known = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
            self.texts[text] = known
        return known

    def free(self, value: Mapping[str, object]) -> str:
        """Return the JSON of *value*; the same object (settings that calls share) costs once.

        Raises ``ValueError`` where it has none.
        """
        held = self._free.get(id(value))
        if held is None:
            # The object is kept beside its id, so that the id stays its own.
            held = self._free[id(value)] = (value, _free_text(value))
        return held[1]


class _Digests:
    """Strings for the digest: long ones by their hash."""

    def __init__(self, pool: TextPool) -> None:
        self._pool = pool

    def put(self, text: str) -> object:
        if len(text) <= _INLINE:
            return text
        return {"sha256": self._pool.digest(text).hex()}

    def put_free(self, value: Mapping[str, object]) -> object:
        return self.put(self._pool.free(value))


def run_digest(run: Run, pool: TextPool | None = None) -> str:
    """Return the SHA-256 of the content of *run*, 64 hexadecimal digits.

    Equal content gives equal digests whatever the path it was opened by.  Raises
    `StoreError` where settings or declared facts cannot be written as JSON.
    """
    try:
        return _digest(run, pool or TextPool())
    except _NoJsonError as error:
        raise StoreError(
            f"a value of the run cannot be written as JSON ({error})",
            run.path,
            "The run can be audited from its own files, and not be saved.",
        ) from error


class Beginnings:
    """Names what the record holds up to each call, so that a run that grew is known again.

    What a call was given counts, and all that calls before it were given and
    wrote; what the record may still gain (results, usage, times, stored
    versions, what the call itself writes) does not.
    """

    def __init__(self, run: Run, pool: TextPool | None = None) -> None:
        self._marks = tuple(_beginnings(run, pool or TextPool()))

    def mark(self, call: int | None = None, answer: str = "") -> str:
        """Return the number of *call*, by default the last, and a SHA-256 of what led to it.

        The words of an *answer* that the call wrote are part of it.  "" for a
        call that the record does not hold.
        """
        number = len(self._marks) if call is None else call
        if not 1 <= number <= len(self._marks):
            return ""
        stream = hashlib.sha256(self._marks[number - 1])
        stream.update(answer.encode("utf-8", "surrogatepass"))
        return f"{number}:{stream.hexdigest()}"

    def holds(self, mark: str, answer: str = "") -> bool:
        """Tell whether this record begins as the one that *mark* was made of."""
        number = mark.partition(":")[0]
        known = number.isascii() and number.isdecimal() and len(number) < _DIGITS
        return known and mark == self.mark(int(number), answer)


def _beginnings(run: Run, pool: TextPool) -> Iterator[bytes]:
    strings = _Digests(pool)
    held: dict[int, str] = {}
    said: dict[int, list[object]] = {}
    for answer in run.answers:
        said.setdefault(answer.call, []).append(strings.put(answer.text))

    def message(index: int) -> str:
        if index not in held:
            text = json_text(encode(run.messages[index], strings, _PLACES))
            held[index] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return held[index]

    stream = hashlib.sha256(_BEGINNING)
    _line(stream, run.run_id)
    for call in run.calls:
        given = [[s.start, s.stop, [message(at) for at in s.messages]] for s in call.splices]
        _line(stream, [call.index, call.model, given])
        yield stream.digest()
        _line(stream, [[message(at) for at in call.response], said.get(call.index, [])])


def _digest(run: Run, pool: TextPool) -> str:
    strings = _Digests(pool)
    stream = hashlib.sha256(_FORMAT)
    _line(stream, encode(run, strings, _PLACES | _LISTS))
    for name in sorted(_LISTS):
        records = getattr(run, name)
        if records:
            _line(stream, [name, len(records)])
        for record in records:
            values = encode(record, strings, _PLACES)
            if isinstance(record, Problem):
                values["what"] = strings.put(_without_path(run, record.what))
            _line(stream, values)
    return stream.hexdigest()


def _line(stream: hashlib._Hash, value: object) -> None:
    stream.update(json_text(value).encode("utf-8", "surrogatepass"))
    stream.update(b"\n")


def _without_path(run: Run, what: str) -> str:
    """Return the words of a problem without the place they were met at."""
    return what.replace(run.path, "") if len(run.path) > 1 else what
