"""Checks a bag: every byte against its digests, and that nothing is missing, added or elsewhere.

A bag from anybody is hostile: no name in it leads out of its folder, nothing
is read through a link, and no size that it states is believed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from store.bundle import (
    ALGORITHMS,
    DECLARATION,
    PAYLOAD,
    Fixity,
    decoded_path,
    empty_folders_below,
    files_below,
    fixity,
)
from store.errors import StoreError
from store.objects import open_plain
from store.records.runs import Problem, ProblemKind

__all__ = ["TAG_BYTES", "CheckedBag", "check_bag"]

TAG_BYTES = 256 * 1024 * 1024
"""A larger tag file is not read: it lists more files than any run has."""

_LINE = re.compile(r"([0-9a-f]+)  ([^\n]+)\Z")
_KNOWN = frozenset({"md5", "sha1", "sha224", "sha256", "sha384", "sha512"})
_MANIFEST = re.compile(r"(tag)?manifest-([a-z0-9]+)\.txt\Z")
_OXUM = re.compile(r"Payload-Oxum: ([0-9]{1,30})\.([0-9]{1,18})\Z")
_ABSOLUTE = re.compile(r"[A-Za-z]:|[/\\~]")


@dataclass(slots=True)
class CheckedBag:
    """What was found.

    A problem of kind ``CHANGED`` is something that does not hold, ``LOST``
    something that could not be looked at.  ``payload`` are the files below
    ``data``, by their name there.
    """

    root: Path
    problems: list[Problem] = field(default_factory=list)
    payload: dict[str, Fixity] = field(default_factory=dict)
    tags: dict[str, Fixity] = field(default_factory=dict)

    def wrong(self, where: str, what: str) -> None:
        """Note something that does not hold."""
        self.problems.append(Problem(where, what, ProblemKind.CHANGED))

    def lost(self, where: str, what: str) -> None:
        """Note something that could not be looked at."""
        self.problems.append(Problem(where, what, ProblemKind.LOST))


def check_bag(root: Path, check: Callable[[], None] = lambda: None) -> CheckedBag:
    """Return what the bag in the folder *root* holds, with all that is wrong with it."""
    bag = CheckedBag(root)
    if root.is_symlink() or not root.is_dir():
        bag.lost(
            str(root), "there is no such folder; a bundle is a folder: unpack an archive first"
        )
        return bag
    # Without its declaration a folder is no bag, and one that was not finished has none.
    if not os.path.lexists(root / "bagit.txt"):
        bag.lost("bagit.txt", "it is not there: this is no bundle, or one that was not finished")
        return bag
    try:
        names = sorted(files_below(root))
    except StoreError as error:
        bag.wrong(_inside(root, error.where), error.what)
        return bag
    for name in empty_folders_below(root):
        bag.wrong(name, "it is an empty folder, which no manifest lists: it was added")
    manifests = _manifests(bag, names)
    used = sorted({algorithm for _, algorithm in manifests} & _KNOWN) or list(ALGORITHMS)
    _hash(bag, names, used, check)
    _declaration(bag)
    for is_tag in (False, True):
        _compare(bag, {a: held for (tag, a), held in manifests.items() if tag is is_tag}, is_tag)
    _oxum(bag)
    return bag


def _inside(root: Path, where: str) -> str:
    try:
        return Path(where).relative_to(root).as_posix()
    except ValueError:
        return where


def _hash(bag: CheckedBag, names: list[str], used: list[str], check: Callable[[], None]) -> None:
    for name in names:
        try:
            found = fixity(bag.root / name, bag.root, used, check=check)
        except StoreError as error:
            bag.lost(name, error.what)
            continue
        if name.startswith(f"{PAYLOAD}/"):
            bag.payload[name.removeprefix(f"{PAYLOAD}/")] = found
        else:
            bag.tags[name] = found


def _read(bag: CheckedBag, name: str) -> str | None:
    try:
        with open_plain(bag.root / name, bag.root) as file:
            data = file.read(TAG_BYTES + 1)
    except StoreError as error:
        bag.lost(name, error.what)
        return None
    if len(data) > TAG_BYTES:
        bag.lost(name, f"it has more than {TAG_BYTES} bytes and was not read")
        return None
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        bag.wrong(name, f"it is no UTF-8 (byte {error.start})")
        return None


def _declaration(bag: CheckedBag) -> None:
    text = _read(bag, "bagit.txt")
    if text is not None and text.encode() != DECLARATION:
        bag.wrong("bagit.txt", "it does not declare BagIt 1.0 with UTF-8, byte for byte")


def _manifests(bag: CheckedBag, names: list[str]) -> dict[tuple[bool, str], dict[str, str]]:
    """Return the manifests that are there: by whether of tags and algorithm, digests by name."""
    found: dict[tuple[bool, str], dict[str, str]] = {}
    for name in names:
        matched = _MANIFEST.match(name)
        if matched is None:
            continue
        if matched[2] not in _KNOWN:
            bag.wrong(name, f"{matched[2]} is no digest that is known here; nothing it says counts")
            continue
        text = _read(bag, name)
        if text is not None:
            found[matched[1] is not None, matched[2]] = _entries(bag, name, text)
    for kind in (False, True):
        for algorithm in ALGORITHMS:
            if (kind, algorithm) not in found:
                bag.wrong(f"{'tag' if kind else ''}manifest-{algorithm}.txt", "it is not there")
    return found


def _entries(bag: CheckedBag, name: str, text: str) -> dict[str, str]:
    entries: dict[str, str] = {}
    lines = text.split("\n")
    if lines.pop() != "":
        bag.wrong(name, "its last line has no end")
    for number, line in enumerate(lines, 1):
        matched = _LINE.match(line)
        try:
            path = decoded_path(matched[2]) if matched else ""
        except ValueError as error:
            bag.wrong(f"{name}:{number}", str(error))
            continue
        if matched is None:
            bag.wrong(f"{name}:{number}", "no line of a manifest (digest, two spaces, path)")
        elif _leads_out(path):
            bag.wrong(f"{name}:{number}", "its path leads out of the bundle; nothing was opened")
        elif path in entries:
            bag.wrong(f"{name}:{number}", f"{path} is listed twice")
        else:
            entries[path] = matched[1]
    return entries


def _leads_out(path: str) -> bool:
    parts = path.split("/")
    return bool(_ABSOLUTE.match(path)) or "\0" in path or bool({"..", ".", ""} & set(parts))


def _compare(bag: CheckedBag, manifests: dict[str, dict[str, str]], is_tag: bool) -> None:  # noqa: FBT001 - one of two kinds
    """Compare each manifest of one kind with what is there, in both directions."""
    there = dict(bag.tags) if is_tag else {f"{PAYLOAD}/{n}": f for n, f in bag.payload.items()}
    if is_tag:
        # These cannot list each other; another file whose name begins like theirs is none of them.
        own = {f"tagmanifest-{algorithm}.txt" for algorithm in _KNOWN}
        there = {n: f for n, f in there.items() if n not in own}
    unread = {problem.where for problem in bag.problems if problem.kind is ProblemKind.LOST}
    for algorithm, listed in manifests.items():
        name = f"{'tag' if is_tag else ''}manifest-{algorithm}.txt"
        for path, digest in listed.items():
            if path not in there:
                if path not in unread:
                    bag.wrong(path, f"{name} lists it, and it is not there")
            elif there[path].digests[algorithm] != digest:
                bag.wrong(path, f"its bytes do not have the {algorithm} that {name} states")
        for path in sorted(set(there) - set(listed)):
            bag.wrong(path, f"it is there, and {name} does not list it")


def _oxum(bag: CheckedBag) -> None:
    if "bag-info.txt" not in bag.tags:
        bag.wrong("bag-info.txt", "it is not there")
        return
    found = [_OXUM.match(line) for line in (_read(bag, "bag-info.txt") or "").split("\n")]
    stated = [(int(each[1]), int(each[2])) for each in found if each]
    size = sum(each.size for each in bag.payload.values())
    if stated != [(size, len(bag.payload))]:
        bag.wrong(
            "bag-info.txt",
            f"Payload-Oxum is not that of the {len(bag.payload)} files with {size} bytes there",
        )
