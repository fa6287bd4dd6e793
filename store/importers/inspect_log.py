"""Logs of Inspect (inspect_ai): ``.eval`` archives and JSON logs; each sample is a run.

An archive is listed by its directory and one sample is unpacked at a time.
Members may be packed with Zstandard, in one frame or in several.  A sample is
one member, or since 2026 a folder of chunks (``sample.json`` and numbered
pieces of its messages, events, calls and attachments).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from store.importers import _files
from store.importers._agent_json import begun, document
from store.importers._archive_zip import is_zip, open_zip
from store.importers._archives import Archive, ArchiveError
from store.importers._base import Importer, Listed, Probe, UnreadableError, runs_in
from store.importers._inspect_run import SampleRuns
from store.importers._inspect_sample import Sample
from store.importers._wire import items, mapping, members, string
from store.jsonin import JsonError, loads
from store.records.grades import Grade, Layer
from store.records.runs import Problem, Run

__all__ = ["IMPORTER"]

_NAME: Final = "inspect"
_SAMPLE: Final = re.compile(r"samples/(.+)_epoch_([0-9]{1,9})(?:\.json|/sample\.json)")
_LARGEST: Final = 512 << 20
"""Bytes of JSON of the largest sample that is read."""
_HEADS: Final = ("header.json", "_journal/start.json")


def recognise(probe: Probe) -> bool:
    """Return whether a file is an archive of a log, or a log as one JSON object."""
    if not probe.is_folder and is_zip(probe.head):
        named = any(name.encode() in probe.head for name in _HEADS) or b"samples/" in probe.head
        return named and _has_header(probe)
    root = begun(probe, b'"eval"', b'"run_id"')
    return "run_id" in mapping(mapping(root).get("eval"))


def _has_header(probe: Probe) -> bool:
    try:
        names = open_zip(probe.path, probe.label).members
    except (ArchiveError, OSError):
        return any(name.encode() in probe.head for name in _HEADS)
    return any(name in names for name in _HEADS)


def read(probe: Probe) -> Iterator[Run]:
    """Yield the runs of every sample; a broken one is told and does not stop the others."""
    yield from runs_in(listing(probe))


def listing(probe: Probe) -> Iterator[Listed]:
    """Yield the samples of a log, without reading those of an archive."""
    if is_zip(probe.head):
        yield from _in_archive(probe)
    else:
        yield from _in_json(probe)


# -- archives ---------------------------------------------------------------------


def _in_archive(probe: Probe) -> Iterator[Listed]:
    try:
        archive = open_zip(probe.path, probe.label)
    except ArchiveError as error:
        raise UnreadableError(_files.shown(probe.label), str(error)) from None
    task, run = _names(_header(archive))
    found = False
    for name, member in archive.members.items():
        fits = _SAMPLE.fullmatch(name)
        if fits is None:
            continue
        found = True
        base = f"{fits[1]}_epoch_{fits[2]}"
        yield Listed(
            run_id=f"{run or probe.path.stem}/{base}",
            origin=f"samples/{base}",
            read=partial(_member_runs, probe, archive, name, (task, run)),
            title=_title(task, fits[1], fits[2]),
            size=member.size if name.endswith(f"{base}.json") else None,
            more=True,
        )
    if not found:
        said = "; ".join(problem.what for problem in archive.problems[:1])
        what = "holds no sample; the evaluation may have been broken off before the first was done"
        raise UnreadableError(_files.shown(probe.label), f"{what}{said and f' ({said})'}")


def _header(archive: Archive) -> Mapping[str, object]:
    for name in _HEADS:
        member = archive.members.get(name)
        if member is not None:
            try:
                return mapping(loads(member.data()))
            except (ArchiveError, JsonError, OSError):
                continue
    return {}


def _names(header: Mapping[str, object]) -> tuple[str, str]:
    """Return task and run id of a log."""
    held = mapping(header.get("eval"))
    return string(held.get("task")), string(held.get("run_id"))


def _title(task: str, sample: str, epoch: str) -> str:
    return f"{task} · {sample} · {epoch}" if task else f"{sample} · {epoch}"


def _member_runs(
    probe: Probe, archive: Archive, name: str, named: tuple[str, str]
) -> Iterator[Run]:
    fits = _SAMPLE.fullmatch(name)
    if fits is None:
        return
    task, run = named
    base = f"{fits[1]}_epoch_{fits[2]}"
    origin = f"{probe.path.name}/samples/{base}"
    run_id, title = f"{run or probe.path.stem}/{base}", _title(task, fits[1], fits[2])
    try:
        value = _sample(archive, name, base)
    except (ArchiveError, JsonError) as error:
        yield _broken(probe, run_id, title, Problem(origin, str(error)))
        return
    yield from SampleRuns(Sample(value), run_id, title, probe.label, origin).runs()


def _sample(archive: Archive, name: str, base: str) -> Mapping[str, object]:
    """Return a sample of an archive, its chunks put together.  Raises `ArchiveError`."""
    prefix = f"samples/{base}/"
    if not name.startswith(prefix):
        return mapping(_json(archive, [name])[0])
    value = dict(mapping(_json(archive, [name])[0]))
    sequences = {
        sequence: [
            item
            for chunk in _json(archive, _chunks(archive, prefix + sequence))
            for item in items(chunk)
        ]
        for sequence in ("messages", "events", "calls", "attachments")
    }
    value["events"] = sequences["events"]
    value["attachments"] = sequences["attachments"]
    value["events_data"] = {"messages": sequences["messages"], "calls": sequences["calls"]}
    return value


def _chunks(archive: Archive, folder: str) -> list[str]:
    """Return the chunks of a sequence in order: each is named by the number of its first item."""
    found = []
    for name in archive.members:
        fits = re.fullmatch(rf"{re.escape(folder)}/([0-9]{{1,12}})\.json", name)
        if fits is not None:
            found.append((int(fits[1]), name))
    return [name for _, name in sorted(found)]


def _json(archive: Archive, names: list[str]) -> list[object]:
    """Return the values of members.  Raises `ArchiveError` and `JsonError`."""
    size = sum(archive.members[name].size for name in names)
    if size > _LARGEST:
        raise ArchiveError(f"a sample of {size} bytes of JSON; more than {_LARGEST} are not read")
    return [loads(archive.members[name].data()) for name in names]


def _broken(probe: Probe, run_id: str, title: str, problem: Problem) -> Run:
    """Return a run without calls that says why a sample could not be read."""
    return Run(
        run_id,
        probe.label,
        _NAME,
        Layer.CLIENT,
        Grade.UNKNOWN,
        title=title,
        problems=(problem,),
    )


# -- JSON -------------------------------------------------------------------------


def _in_json(probe: Probe) -> Iterator[Listed]:
    value = mapping(document(probe))
    task, run = _names(value)
    samples = list(members(value.get("samples")))
    if not samples:
        what = "holds no sample; the log may have been written without its samples"
        raise UnreadableError(_files.shown(probe.label), what)
    for number, sample in enumerate(samples):
        name, epoch = str(sample.get("id", number)), str(sample.get("epoch", 1))
        run_id = f"{run or probe.path.stem}/{name}_epoch_{epoch}"
        title = _title(task, name, epoch)
        origin = f"{probe.path.name}/samples/{number}"
        made = SampleRuns(Sample(sample), run_id, title, probe.label, origin)
        yield Listed(run_id, f"samples/{number}", made.runs, title=title, more=True)


IMPORTER = Importer(
    name=_NAME,
    title="Inspect log (.eval, JSON)",
    layer=Layer.CLIENT,
    grade=Grade.RECORDED,
    grade_note="the wire request where the log holds it, held against the recorded input of the "
    "same call, else the recorded input; inferred where no event of a model was logged, unknown "
    "where an attachment is missing",
    recognised_by="a ZIP archive with header.json or _journal/start.json; JSON with eval.run_id",
    proves=(
        "samples of a log read one by one, with attachments and pools put back; the input of "
        "each call equals the request on the wire beside it"
    ),
    order=100,
    recognise=recognise,
    read=read,
    alone=True,
    listing=listing,
)
