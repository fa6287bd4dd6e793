"""Fills the folder of a bundle: evidence, decisions, reports and their description."""

from __future__ import annotations

import heapq
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePath

from reviewer import __version__
from reviewer.reports import Meta, dumps, reports
from reviewer.services.crates import CRATE, Described, crate
from reviewer.services.deciding import ShownLog
from reviewer.services.exporting import report_meta
from reviewer.services.lineage import Lineage, logs_of, not_of_this_record
from reviewer.services.redacted_files import (
    Withheld,
    redact_files,
    redacted_sources,
    texts_of,
    versions_of,
    withheld_record,
)
from reviewer.services.redacting import Redactor, masked_record
from reviewer.services.rereading import VersionFiles
from reviewer.services.result_files import RefusedError
from store.bundle import PAYLOAD, empty_folders_below, files_below, fixity, write_tags
from store.digest import run_digest
from store.errors import StoreError
from store.opening import open_paths
from store.records.findings import Audit
from store.records.reviews import Decision, Reviews
from store.records.runs import Problem, ProblemKind, Run
from store.records.sources import Version
from store.reviews import DecisionLog, Log, Reading
from store.withheld import credentials_in

__all__ = ["AuditPaths", "BundleContents", "Bundled", "Wanted"]

_REPORTS = {
    "sarif": "report.sarif",
    "annotations": "annotations.jsonld",
    "html": "report.html",
}
_REDACTIONS = "redactions.json"

AuditPaths = Callable[[Sequence[str], str | None], Iterator[Audit | Problem]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: a run, the place of its bundle, and what else goes in or stays out.

    ``redact`` are shell patterns on source ids.  ``by`` names who bundles.
    """

    run: str
    out: str
    store: str | None = None
    decisions: str | None = None
    redact: tuple[str, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class Bundled:
    """What was made: the place, the size of its payload, and everything that was met on the way."""

    place: Path
    files: int
    size: int
    audits: tuple[Audit, ...]
    problems: tuple[Problem, ...]
    withheld: tuple[Withheld, ...] = ()


def _identity(run: Run) -> tuple[str, str]:
    try:
        return run.run_id, run_digest(run)
    except StoreError:
        return run.run_id, ""


def _encoded(chunk: str | bytes) -> bytes:
    return chunk if isinstance(chunk, bytes) else chunk.encode("utf-8", "backslashreplace")


@dataclass(slots=True)
class BundleContents:
    """One bundle while it is made in the folder *part*."""

    wanted: Wanted
    part: Path
    place: Path
    at: datetime
    check: Callable[[], None]
    audits: list[Audit] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    logs: dict[str, list[str]] = field(default_factory=dict)
    withheld: list[Withheld] = field(default_factory=list)
    redactor: Redactor | None = None

    @property
    def data(self) -> Path:
        """The payload."""
        return self.part / PAYLOAD

    def make(self, audit: AuditPaths) -> Bundled:
        """Fill the folder and return what is in it."""
        run = self._copy(self.wanted.run, "run")
        store = self._copy(self.wanted.store, "store") if self.wanted.store else None
        self._audit(audit, str(run), str(store) if store else None)
        reviews = self._decisions()
        if self.wanted.redact:
            self._redact()
        self._reports(reviews)
        # No manifest lists a folder: who adds one to the bundle is found out by its being empty.
        while empty := list(empty_folders_below(self.data)):
            for name in empty:
                (self.data / name).rmdir()
        self._describe()
        write_tags(self.part, self._about(), self.check)
        payload = [(self.data / name).stat().st_size for name in files_below(self.data)]
        return Bundled(
            self.place,
            len(payload),
            sum(payload),
            tuple(self.audits),
            tuple(self.problems),
            tuple(self.withheld),
        )

    # -- evidence ------------------------------------------------------------------

    def _copy(self, given: str, kind: str) -> Path:
        """Copy evidence as it is, below its own name: a run may have no other."""
        source = Path(os.path.realpath(given))
        target = self.data / kind / source.name
        if source.is_file():
            self._copy_file(source, source.parent, target)
            side = source.with_suffix("")
            if side != source and side.is_dir():
                self._copy_folder(side, target.with_suffix(""))
        else:
            self._copy_folder(source, target)
        return target

    def _copy_folder(self, source: Path, target: Path) -> None:
        target.mkdir(parents=True, exist_ok=True)
        for name in files_below(source):
            self._copy_file(source / name, source, target / name)

    def _copy_file(self, source: Path, within: Path, target: Path) -> None:
        try:
            target.relative_to(self.data).as_posix().encode()
        except UnicodeEncodeError:
            raise StoreError(
                "its name is no UTF-8, which a bag demands", str(source), "Rename the file."
            ) from None
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as into:
            fixity(source, within, (), into, self.check)

    def _audit(self, audit: AuditPaths, run: str, store: str | None) -> None:
        for item in audit([run], store):
            self.check()
            if isinstance(item, Problem):
                self.problems.append(self._moved(item))
                continue
            name = PurePath(os.path.relpath(item.run.path, self.data)).as_posix()
            met = tuple(self._moved(each) for each in item.run.problems)
            told = tuple(replace(each, origin=self._here(each.origin)) for each in item.settings)
            moved = replace(item.run, path=name, problems=met)
            self.audits.append(replace(item, run=moved, settings=told))
        self._look_for_credentials()
        self._compare()
        if not any(each.run.calls for each in self.audits):
            told_of = "; ".join(f"{each.where}: {each.what}" for each in self.problems)
            raise RefusedError(
                f"{self.wanted.run}: nothing to bundle: no run with a model call was found"
                + (f" ({told_of})" if told_of else "")
            )

    def _look_for_credentials(self) -> None:
        """Refuse evidence out of which reading takes credentials: a bundle would hand them on."""
        files = {(audit.run.path, audit.run.format) for audit in self.audits}
        count = sum(credentials_in(self.data / path, kind) for path, kind in sorted(files))
        if count:
            raise RefusedError(
                f"{self.wanted.run}: {count} texts, headers or addresses in it may be credentials, "
                "and a bundle holds evidence byte for byte; write the run as it is read, without "
                f"them, with `reread import {self.wanted.run} --into DIR`, and bundle that folder"
            )

    def _compare(self) -> None:
        """Refuse where the copy is read as something else than the evidence itself.

        It was written to meanwhile, or what belongs to it lies beside it.
        """
        there = [
            _identity(found)
            for found in open_paths([self.wanted.run], self.wanted.store)
            if isinstance(found, Run)
        ]
        if there != [_identity(audit.run) for audit in self.audits]:
            raise RefusedError(
                f"{self.wanted.run}: the copy is not read as the evidence is: it was written to "
                "meanwhile, or more of it lies beside; name the folder that holds all of it"
            )

    def _moved(self, problem: Problem) -> Problem:
        return replace(problem, where=self._here(problem.where), what=self._here(problem.what))

    def _here(self, text: str) -> str:
        """Return *text* with places in this folder written as places in the bundle."""
        return text.replace(f"{self.data}{os.sep}", "")

    # -- decisions -------------------------------------------------------------------

    def _decisions(self) -> Reviews | None:
        """Copy the logs as they are and return what stands in them."""
        found: list[Reviews] = []
        for run in [audit.run for audit in self.audits]:
            try:
                found += self._of_run(Lineage(run))
            except StoreError as error:
                self.problems.append(Problem(error.where, error.what, ProblemKind.NOTED))
        if self.wanted.decisions:
            given = DecisionLog(Path(self.wanted.decisions))
            found.append(self._log(given, given.read(), "decisions/given.jsonl"))
        if not found:
            return None
        one = found[0] if len(found) == 1 else None
        return Reviews(
            log=one.log if one else "decisions",
            holds=all(each.holds for each in found),
            records=sum(each.records for each in found),
            last_hash=one.last_hash if one else "",
            by_run={run: held for each in found for run, held in each.by_run.items()},
        )

    def _of_run(self, lineage: Lineage) -> Iterator[Reviews]:
        """Copy every log that holds decisions on a run; show those that speak of this record."""
        shown: list[Decision] = []
        for log in logs_of(lineage):
            reading = log.read()
            if reading.missing:
                continue
            more = f"-{len(shown) + 1}" if shown else ""
            own = [each for each in reading.decisions if lineage.holds(each)]
            left = len(reading.decisions) - len(own)
            name = f"decisions/{lineage.digest}{more}.jsonl"
            if left:
                self.problems.append(Problem(name, not_of_this_record(left), ProblemKind.NOTED))
            # What stands is what all logs of the run say together.
            shown = list(heapq.merge(shown, own, key=lambda each: each.at))
            yield self._log(log, replace(reading, decisions=tuple(shown)), name)

    def _log(self, log: Log, reading: Reading, name: str) -> Reviews:
        target = self.data / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(log.lines(reading))
        self.logs[name] = sorted({each.reviewer for each in reading.decisions})
        self.problems += [replace(each, where=name) for each in reading.problems]
        return ShownLog(name, reading).reviews

    # -- redaction ---------------------------------------------------------------------

    def _redact(self) -> None:
        sources = redacted_sources(self.audits, self.wanted.redact)
        if not sources:
            raise RefusedError(
                f"--redact {' '.join(self.wanted.redact)}: no source matches; reread sources lists "
                "them"
            )
        redactor = Redactor(texts_of(self.audits, sources, self.data), set(self._all_names()))
        self.redactor = redactor
        digests = {each.sha256 for each in versions_of(self.audits, sources) if each.sha256}
        for log in [name for name in self.logs if redactor.holds(self._read(name))]:
            self._leave_out(log, "a note in it holds a redacted text; its chain allows no mask")
        for kind in ("run", "store"):
            if (self.data / kind).is_dir():
                found = redact_files(self.data / kind, redactor, digests, self.check)
                self.withheld += [replace(each, path=f"{kind}/{each.path}") for each in found]
        record = withheld_record(
            self.wanted.redact, self.audits, sources, self.withheld, redactor.unsearchable
        )
        (self.data / _REDACTIONS).write_text(f"{dumps(record)}\n", "utf-8")
        masked = sum(each.action == "masked" for each in self.withheld)
        left = len(self.withheld) - masked
        self.problems.append(
            Problem(
                _REDACTIONS,
                f"redacted sources: {len(sources)}; files left out: {left}, masked: {masked}; the "
                "audit was made before that. This file says what redaction does not cover",
                ProblemKind.NOTED,
            )
        )

    def _read(self, name: str) -> str:
        return (self.data / name).read_bytes().decode("utf-8", "replace")

    def _leave_out(self, name: str, reason: str) -> None:
        held = fixity(self.data / name, self.data, ["sha256"])
        self.withheld.append(Withheld(name, "left out", held.digests["sha256"], held.size, reason))
        (self.data / name).unlink()
        del self.logs[name]

    def _all_names(self) -> Iterator[str]:
        """Yield what stays where it stands alone: names of sources, runs, tools, files."""
        for audit in self.audits:
            run = audit.run
            yield from (run.run_id, run.path, run.format)
            for source in audit.sources:
                yield source.source_id
                for facts in source.versions:
                    yield facts.version.key.version_id
                    yield from (block.block_id for block in facts.version.blocks)
            yield from (name for call in run.tool_calls for name in (call.id, call.name))
            yield from (call.model for call in run.calls)
        for name in files_below(self.data):
            yield from (name, PurePath(name).name)

    # -- what is made ---------------------------------------------------------------------

    def _file_of(self, find: VersionFiles, run: Run, version: Version) -> str | None:
        places = [str(self.data / run.path)]
        places += [str(each) for each in (self.data / "store").glob("*")]
        for place in places:
            found = find(replace(run, path=place), version)
            if found is not None and os.path.lexists(found):
                return PurePath(os.path.relpath(found, self.data)).as_posix()
        return None

    def _reports(self, reviews: Reviews | None) -> None:
        find = VersionFiles()
        meta = replace(
            report_meta(everything=True),
            reviews=reviews,
            file_of=lambda run, version: self._file_of(find, run, version),
        )
        if self.redactor is not None:
            meta = replace(meta, mask=self.redactor.mask)
        for name, file in _REPORTS.items():
            if name in reports():
                self._report(name, file, meta)

    def _report(self, name: str, file: str, meta: Meta) -> None:
        audits, problems, digests = self.audits, self.problems, dict[bytes, bytes]()
        if self.redactor is not None and name == "html":
            # A page has no texts of its own to mask: it is made of a masked audit.
            audits = [masked_record(each, self.redactor) for each in audits]
            problems = [masked_record(each, self.redactor) for each in problems]
            meta = replace(meta, reviews=masked_record(meta.reviews, self.redactor))
            # The digest that it states is that of the record, which was not masked.
            whole = (_identity(each.run)[1].encode() for each in self.audits)
            digests = dict(zip((_identity(a.run)[1].encode() for a in audits), whole, strict=True))
        with (self.data / file).open("xb") as stream:
            for chunk in reports()[name].chunks(iter(audits), problems, meta):
                self.check()
                data = _encoded(chunk)
                for masked, stated in digests.items():
                    data = data.replace(masked, stated) if masked else data
                stream.write(data)

    def _describe(self) -> None:
        files = {name: fixity(self.data / name, self.data, ["sha256"]) for name in self._payload()}
        audits = self.audits
        if self.redactor is not None:
            audits = [masked_record(each, self.redactor) for each in audits]
        types = {v.sha256: v.media_type for a in audits for v in a.run.versions if v.sha256}
        note = "Sources were redacted; redactions.json says which, and what that does not cover."
        about = Described(
            audits=audits,
            files=files,
            version=__version__,
            at=self.at,
            by=self.wanted.by,
            media_types=types,
            logs=self.logs,
            note=note if self.redactor is not None else "",
        )
        text = json.dumps(crate(about), ensure_ascii=False, indent=1)
        (self.data / CRATE).write_bytes(text.encode("utf-8", "backslashreplace") + b"\n")

    def _payload(self) -> list[str]:
        return list(files_below(self.data))

    def _about(self) -> dict[str, str]:
        runs = ", ".join(audit.run.run_id for audit in self.audits)
        return {
            "External-Identifier": runs.encode("utf-8", "backslashreplace").decode(),
            "Bagging-Date": self.at.date().isoformat(),
            "Bag-Software-Agent": f"Reread {__version__}",
            **({"Contact-Name": self.wanted.by} if self.wanted.by else {}),
        }
