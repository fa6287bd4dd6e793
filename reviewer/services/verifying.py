"""Checks a bundle: the bag, its description, the logs, and what the reports say of the evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from reviewer.services.crates import CRATE
from store.bag_check import CheckedBag, check_bag
from store.bundle import PAYLOAD, Fixity
from store.errors import StoreError
from store.objects import open_plain
from store.records.runs import Problem, ProblemKind
from store.reviews import DecisionLog
from store.stopping import go_on

__all__ = ["JSON_BYTES", "Verified", "verify_bundle"]

JSON_BYTES = 1024 * 1024 * 1024
"""A larger report is not read into memory."""

_SARIF, _ANNOTATIONS = "report.sarif", "annotations.jsonld"
_STANDS_FOR = "tagmanifest-sha256.txt"
_DIGEST_CHARS = 64
_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Verified:
    """What a check found.

    A problem of kind ``CHANGED`` is something that does not hold, ``LOST``
    something that could not be looked at, ``NOTED`` worth knowing.  ``said``
    names what was checked, a sentence each; it is empty where there is no bag.
    """

    problems: tuple[Problem, ...]
    said: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether everything could be looked at and holds."""
        return all(each.kind is ProblemKind.NOTED for each in self.problems)


def verify_bundle(name: str, check: Callable[[], None] = go_on) -> Verified:
    """Check the bundle in the folder *name*.  Nothing in it is trusted, followed or written."""
    bag = check_bag(Path(name), check)
    if not bag.tags:
        return Verified(tuple(bag.problems), ())
    size = sum(each.size for each in bag.payload.values())
    count = len(bag.payload)
    said = [f"{count} files with {size} bytes, each against SHA-256 and SHA-512, none too many"]
    if _STANDS_FOR in bag.tags:
        said.append(f"{_STANDS_FOR}, whose SHA-256 stands for all of it: {_seal(bag)}")
    # What is inside is read only where the bag holds: otherwise each byte may be anybody's.
    if not bag.problems:
        content = _Content(bag)
        for part in (content.crate, content.decisions, content.sarif, content.annotations):
            check()
            said += part()
        content.objects()
    return Verified(tuple(bag.problems), tuple(said))


def _seal(bag: CheckedBag) -> str:
    digests = bag.tags[_STANDS_FOR].digests
    return digests.get("sha256", "not known")


class _Content:
    """What the files of a bag say of each other."""

    def __init__(self, bag: CheckedBag) -> None:
        self._bag = bag
        self._root = bag.root / PAYLOAD

    # -- description --------------------------------------------------------------

    def crate(self) -> Iterator[str]:
        """Compare the description with the files."""
        found = self._json(CRATE)
        graph = _items(found, "@graph")
        if found is None:
            return
        described: dict[str, Mapping[str, object]] = {}
        for entity in graph:
            if entity.get("@type") == "File":
                described[unquote(str(entity.get("@id", "")))] = entity
        for name, entity in described.items():
            held = self._bag.payload.get(name)
            if held is None:
                self._bag.wrong(f"{PAYLOAD}/{name}", f"{CRATE} describes it, and it is not there")
            elif not _agrees(entity, held):
                self._bag.wrong(f"{PAYLOAD}/{name}", f"it is not the file that {CRATE} describes")
        for name in sorted(set(self._bag.payload) - set(described) - {CRATE}):
            self._bag.wrong(f"{PAYLOAD}/{name}", f"{CRATE} does not describe it")
        yield f"{len(described)} files against their description in {CRATE}"

    # -- decisions -----------------------------------------------------------------

    def decisions(self) -> Iterator[str]:
        """Follow the chain of each log."""
        for name in sorted(self._bag.payload):
            if not name.startswith("decisions/"):
                continue
            try:
                found = DecisionLog(self._root / name).verify()
            except StoreError as error:
                self._bag.lost(f"{PAYLOAD}/{name}", error.what)
                continue
            for problem in found.problems:
                told = problem.what
                self._bag.problems.append(Problem(f"{PAYLOAD}/{name}", told, problem.kind))
            chain = f"{found.records} records, each bound to the one before"
            yield f"{name}: {chain}, last hash {found.last_hash}"

    # -- reports --------------------------------------------------------------------

    def sarif(self) -> Iterator[str]:
        """Compare the hashes that the findings are about with the files."""
        log = self._json(_SARIF)
        checked = 0
        for run in _items(log, "runs"):
            for artifact in _items(run, "artifacts"):
                digest = _text(artifact.get("hashes"), "sha-256")
                name = unquote(_text(artifact.get("location"), "uri"))
                if digest:
                    checked += self._same(_SARIF, name, digest)
        if log is not None:
            yield f"{checked} hashes that {_SARIF} names against the evidence"

    def annotations(self) -> Iterator[str]:
        """Compare the texts that annotations quote with the bytes of the evidence."""
        found = self._json(_ANNOTATIONS)
        page = found.get("first") if found else None
        checked = open_ = 0
        for item in _items(page if isinstance(page, dict) else None, "items"):
            target = item.get("target")
            if not isinstance(target, dict):
                continue
            name = unquote(_text(target.get("state"), "cached"))
            if not name:
                self._leads(item, target)
                open_ += _quotation(target) is not None
            elif self._same(_ANNOTATIONS, name, _text(target.get("state"), "reread:sha256")):
                checked += self._quoted(str(item.get("id", "")), name, target)
        if found is not None:
            told = f"{checked} quotations of {_ANNOTATIONS} against the bytes they are taken from"
            left = f"; {open_} more name no file here, and nothing was compared with them"
            yield f"{told}{left if open_ else ''}"

    def _leads(self, item: Mapping[str, object], target: Mapping[str, object]) -> None:
        """Make sure that what an annotation of the record names is there."""
        name = unquote(_text(target, "reread:file"))
        if name and name not in self._bag.payload:
            where = f"{PAYLOAD}/{_ANNOTATIONS}"
            self._bag.wrong(where, f"{item.get('id', '')} speaks of {name}, which is not there")

    def _same(self, report: str, name: str, digest: str) -> bool:
        held = self._bag.payload.get(name)
        if held is None or held.digests["sha256"] != digest:
            self._bag.wrong(f"{PAYLOAD}/{report}", f"it speaks of other bytes of {name}")
            return False
        return True

    def _quoted(self, item: str, name: str, target: Mapping[str, object]) -> bool:
        quote = _quotation(target)
        if quote is None:
            return False
        where = f"{PAYLOAD}/{_ANNOTATIONS}"
        data = _selector(target, "DataPositionSelector")
        if data is None:
            if self._holds(name, quote):
                return True
            self._bag.wrong(where, f"{item} quotes what stands nowhere in {name}")
            return False
        if self._bytes(name, data.get("start"), data.get("end")) == quote:
            return True
        self._bag.wrong(where, f"{item} quotes what does not stand at its place in {name}")
        return False

    def _holds(self, name: str, quote: bytes) -> bool:
        """Whether *quote* stands anywhere in a file: its annotation names no place of bytes."""
        kept = b""
        try:
            with open_plain(self._root / name, self._bag.root) as file:
                while chunk := file.read(_CHUNK):
                    kept += chunk
                    if quote in kept:
                        return True
                    kept = kept[-len(quote) :]
        except StoreError:
            return False
        return not quote

    def _bytes(self, name: str, start: object, end: object) -> bytes | None:
        size = self._bag.payload[name].size
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end <= size:
            return None
        try:
            with open_plain(self._root / name, self._bag.root) as file:
                file.seek(start)
                return file.read(end - start)
        except StoreError:
            return None

    # -- evidence ---------------------------------------------------------------------

    def objects(self) -> None:
        """Say which stored versions had changed before they were bundled: the bag keeps them so."""
        for name, held in sorted(self._bag.payload.items()):
            path = PurePosixPath(name)
            is_object = "objects" in path.parts and len(path.name) == _DIGEST_CHARS
            if is_object and held.digests["sha256"] != path.name:
                what = (
                    "it has not the hash that names it: it had changed before it was bundled, and "
                    "is as it was then"
                )
                self._bag.problems.append(Problem(f"{PAYLOAD}/{name}", what, ProblemKind.NOTED))

    # -- reading ---------------------------------------------------------------------

    def _json(self, name: str) -> Mapping[str, object] | None:
        """Return the object in a file of the payload; ``None``, with a problem, without one."""
        where = f"{PAYLOAD}/{name}"
        if name not in self._bag.payload:
            self._bag.wrong(where, "it is not there: this is a bag, and no bundle of this program")
            return None
        if self._bag.payload[name].size > JSON_BYTES:
            self._bag.lost(where, f"it has more than {JSON_BYTES} bytes and was not read")
            return None
        try:
            with open_plain(self._root / name, self._bag.root) as file:
                found = json.loads(file.read())
        except StoreError as error:
            self._bag.lost(where, error.what)
            return None
        except (ValueError, RecursionError) as error:
            self._bag.wrong(where, f"it is no JSON ({error})")
            return None
        if not isinstance(found, dict):
            self._bag.wrong(where, "it is no JSON object")
            return None
        return found


def _selector(target: Mapping[str, object], kind: str) -> Mapping[str, object] | None:
    found = (each for each in _items(target, "selector") if each.get("type") == kind)
    return next(found, None)


def _quotation(target: Mapping[str, object]) -> bytes | None:
    """Return what an annotation quotes; half a character stands as the bytes it would have."""
    quote = _selector(target, "TextQuoteSelector")
    return None if quote is None else _text(quote, "exact").encode("utf-8", "surrogatepass")


def _items(value: Mapping[str, object] | None, key: str) -> list[Mapping[str, object]]:
    """Return the objects in the list under *key*; of anything else, nothing."""
    held = value.get(key) if value else None
    return [each for each in held if isinstance(each, dict)] if isinstance(held, list) else []


def _text(value: object, key: str) -> str:
    held = value.get(key) if isinstance(value, dict) else None
    return held if isinstance(held, str) else ""


def _agrees(entity: Mapping[str, object], held: Fixity) -> bool:
    return (entity.get("sha256"), entity.get("contentSize")) == (
        held.digests["sha256"],
        str(held.size),
    )
