"""Makes the bundle of a run: what a third party needs to check it without this program.

A BagIt bag around an RO-Crate: the evidence as it is, the audit of it as
SARIF, page and W3C annotations, and the decisions.  It is made beside its
place and moved there when it is whole; what was never finished is no bag.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from reviewer.services.bundle_contents import AuditPaths, BundleContents, Bundled, Wanted
from reviewer.services.importing import import_runs
from reviewer.services.result_files import RefusedError, checked_output
from reviewer.services.team import PREFIX
from store.errors import StoreError
from store.records.runs import Problem, ProblemKind
from store.stopping import go_on

__all__ = ["EPOCH_VARIABLE", "Bundled", "Wanted", "bundle_time", "make_bundle"]

_NAME_CHARS = 16

EPOCH_VARIABLE = "SOURCE_DATE_EPOCH"
"""The environment variable that gives the time of a bundle, as seconds since 1970."""


def bundle_time(environment: Mapping[str, str] = os.environ) -> datetime:
    """Return the time that a bundle states: ``SOURCE_DATE_EPOCH``, else that of the clock.

    Raises `RefusedError` for a value that is no time.
    """
    given = environment.get(EPOCH_VARIABLE, "")
    if not given:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError):
        raise RefusedError(f"{EPOCH_VARIABLE}={given}: this is no number of seconds") from None


def make_bundle(
    wanted: Wanted,
    audit: AuditPaths,
    at: datetime,
    check: Callable[[], None] = go_on,
) -> Bundled:
    """Make the bundle that is *wanted* and return what it holds.

    *audit* audits paths; *check* is called between pieces and may raise to
    stop: then nothing is left.  Raises `RefusedError` with the reason where
    there is no bundle to be made, and `StoreError` where evidence cannot be read.
    """
    if wanted.run.startswith(PREFIX) and not os.path.lexists(wanted.run):
        with tempfile.TemporaryDirectory(prefix="reread-") as folder:
            found, told = _written_out(wanted, Path(folder))
            made = make_bundle(found, audit, at, check)
            return replace(made, problems=(*told, *made.problems))
    place = _place(wanted)
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{place.name}.", suffix=".part", dir=place.parent))
    except OSError as error:
        raise _unwritable(wanted.out, error) from None
    try:
        bundled = BundleContents(wanted, part, place, at, check).make(audit)
        umask = os.umask(0)
        os.umask(umask)
        part.chmod(0o777 & ~umask)
        check()
        # A place that was taken meanwhile is not overwritten: a folder with files is in the way.
        part.rename(place)
    except OSError as error:
        raise _unwritable(wanted.out, error) from None
    finally:
        with suppress(OSError):
            shutil.rmtree(part)
    return bundled


def _written_out(wanted: Wanted, folder: Path) -> tuple[Wanted, tuple[Problem, ...]]:
    """Write a shared run as a run folder: a bundle holds files, and a database is none.

    What the run folder does not hold of the run, and that it was written for
    the bundle, are problems.  Raises `RefusedError`, and `StoreError` where the
    run cannot be read.
    """
    place = folder / f"shared-{wanted.run.removeprefix(PREFIX)[:_NAME_CHARS]}"
    written = list(import_runs([wanted.run], str(place)))
    lost = [each for each in written if isinstance(each, Problem)]
    runs = [each for each in written if not isinstance(each, Problem)]
    if not runs:
        what = lost[0].what if lost else "it holds no run"
        raise StoreError(what, wanted.run, "`reread share` without a path lists what is shared.")
    said = "a shared run lies in a database; it was written as a run folder to be bundled"
    told = [Problem(wanted.run, said, ProblemKind.NOTED)]
    told += (
        Problem(wanted.run, f"the run folder does not hold: {what}", ProblemKind.NOTED)
        for what in runs[0].lost
    )
    return replace(wanted, run=str(place)), (*lost, *told)


def _place(wanted: Wanted) -> Path:
    inputs = [given for given in (wanted.run, wanted.store, wanted.decisions) if given]
    if os.path.lexists(wanted.out):
        raise RefusedError(f"{wanted.out}: it is there already; nothing is ever written over")
    for given in inputs:
        if given == "-" or not os.path.lexists(given):
            raise RefusedError(f"{given}: there is no such file or folder; name the evidence")
    if Path(wanted.run).name in {"events.jsonl", "manifest.json"}:
        raise RefusedError(f"{wanted.run}: this is part of a run folder; name the folder")
    return checked_output(wanted.out.rstrip("/\\"), inputs)


def _unwritable(name: str, error: OSError) -> RefusedError:
    where = f" ({error.filename})" if error.filename else ""
    return RefusedError(
        f"{name}: the bundle was not made: {error.strerror or error}{where}. Free some space, or "
        "name another place."
    )
