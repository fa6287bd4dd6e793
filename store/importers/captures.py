"""Captures of traffic with model providers: the request and the response as they were on the wire.

Any container that is known (cassettes, HAR, flows, pairs in JSON, streams,
notebooks) and any provider that is known; which one a file holds is told by
its content.  Credentials are masked before anything is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from store.builder import RunBuilder
from store.importers import _files
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._capture_cassettes import REWRITTEN
from store.importers._capture_databases import Kept, is_kept
from store.importers._capture_fidelity import (
    change_of_request,
    change_of_response,
    mistaken_for,
)
from store.importers._capture_files import Capture, head_of, is_capture
from store.importers._capture_gateways import GATEWAY
from store.importers._capture_http import Interaction
from store.importers._capture_llm_log import LOGGED
from store.importers._capture_masking import mask_exchange
from store.importers._capture_run import run_of
from store.importers._capture_secrets import Masker, credentials_in_url, shown_url
from store.importers._capture_threads import Threads
from store.importers._capture_uploads import kept_file
from store.importers._providers import is_response, provider_of, providers, wire_of
from store.importers._sqlite_copy import MAGIC
from store.importers._wire import Exchange, KeptFile, Wire
from store.records.grades import Grade, Layer
from store.records.runs import Problem, ProblemKind, Run

__all__ = ["IMPORTER"]

_NAME = "capture"
_NAMED = 3
"""How many addresses that were left out are named; the others are counted."""
_OTHER = re.compile(
    r"[/:](?:embeddings?|embed|embedcontent|batchembedcontents|rerank|moderations|images|audio|"
    r"files|uploads|tokenize|ocr|batches|vector_stores|models)(?:/|$)"
)
"""Addresses of what is no call of a language model."""
_CALLS = re.compile(
    r"/(?:invoke|invoke-with-response-stream|complete|completions|chat|generate|interactions)$"
)
"""Addresses of calls of a language model in interfaces that may not be read here."""
_WRONG = 400
"""The HTTP status from which on a response is an error."""
_ASKS = ("model", "messages", "contents", "input", "prompt", "documents")


def recognise(probe: Probe) -> bool:
    """Return whether the head of a file begins a capture."""
    if probe.is_folder:
        return False
    return is_kept(probe.path, probe.head) or is_capture(head_of(probe.head), is_response)


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each conversation of a capture."""
    reading = _Reading(probe.path.name)
    capture = _opened(probe)
    for interaction in capture.interactions():
        reading.add(interaction)
    problems = [Problem(f"{probe.path.name}{at}", what) for at, what in capture.problems]
    problems += reading.problems()
    if not reading.threads.threads:
        said = "; ".join(problem.what for problem in problems) or "it is empty"
        what = f"holds no model call that can be read: {said}"
        raise UnreadableError(_files.shown(probe.label), what)
    for thread in reading.threads.threads:
        first = thread.calls[0].number
        title = f"{probe.path.name}#{first}"
        branch = None if thread.branch is None else f"{probe.path.name}#{thread.branch}"
        builder = RunBuilder(
            title, probe.label, _NAME, Layer.WIRE, title=title, branch=branch, problems=problems
        )
        problems = []
        yield run_of(thread, probe.path.name, builder)


def _opened(probe: Probe) -> Capture | Kept:
    if probe.head.startswith(MAGIC):
        return Kept(probe.path, is_response)
    with _files.open_regular(probe.path) as file:
        return Capture(file.read(), is_response)


def credentials(probe: Probe) -> int:
    """Return how many headers, addresses and texts of a capture may be credentials."""
    reading = _Reading(probe.path.name)
    count = 0
    for interaction in _opened(probe).interactions():
        for message in (interaction.request, interaction.response):
            count += getattr(message.headers, "credentials", 0)
        count += credentials_in_url(interaction.url)
        reading.add(interaction)
    return count + reading.masked


class _Reading:
    """Collects the calls of one file, and what was left out of it."""

    def __init__(self, name: str) -> None:
        self.threads = Threads()
        self._name = name
        self._masker = Masker()
        self._strange: dict[str, int] = {}
        self._unread: dict[str, int] = {}
        self._problems: list[Problem] = []
        self._said: set[str] = set()
        self._files: dict[str, KeptFile] = {}
        self._asides: dict[str, list[str]] = {}

    def add(self, interaction: Interaction) -> None:
        """Take in one exchange."""
        origin = f"{self._name}#{interaction.number}"
        if interaction.request.is_empty and interaction.response.is_empty:
            troubles = (interaction.request.trouble, interaction.response.trouble)
            what = next(filter(None, troubles), "holds neither a request nor a response body")
            kind = ProblemKind.LOST if any(troubles) else ProblemKind.NOTED
            self._problems.append(Problem(origin, what, kind))
            return
        if self._keep(interaction, origin):
            return
        wire = replace(wire_of(interaction, self._masker), files=self._files)
        provider = provider_of(wire)
        if provider is None:
            self._leave_out(wire)
            return
        exchange = provider.read(wire)
        mask_exchange(exchange, self._masker)
        again = None if wire.has_request else self.threads.retold(exchange)
        if again is not None:
            what = f"tells the response of #{again} again; no model was called"
            self._problems.append(Problem(origin, what, ProblemKind.NOTED))
        elif exchange.is_call:
            self._mark(exchange, wire)
            self.threads.add(interaction.number, exchange, interaction.at)
        else:
            self.threads.keep(exchange)
            for note in exchange.notes:
                self._asides.setdefault(note, []).append(origin)

    def _keep(self, interaction: Interaction, origin: str) -> bool:
        """Remember a file that the service was given to keep; say whether it was one."""
        found = kept_file(interaction)
        if found is None:
            return False
        names, file = found
        self._files.update(dict.fromkeys(names, file))
        what = f"the service was given the file {names[0]} to keep; no model was called"
        self._problems.append(Problem(origin, what, ProblemKind.NOTED))
        return True

    def _mark(self, exchange: Exchange, wire: Wire) -> None:
        """Say what the capture lacks or changed, and what that does to the grade."""
        interaction = wire.interaction
        if wire.trouble:
            exchange.lost.append(wire.trouble)
        if not wire.has_request:
            # What only fetches an answer has no request of its own.
            if exchange.grade is not Grade.UNKNOWN or interaction.method.upper() != "GET":
                exchange.doubt(Grade.UNKNOWN, "the request is not in the capture")
        elif not wire.request:
            exchange.doubt(Grade.UNKNOWN, "the body of the request cannot be read")
        if interaction.altered:
            is_asked = interaction.altered in (GATEWAY, LOGGED)
            grade = Grade.INFERRED if is_asked else Grade.RECORDED
            exchange.doubt(grade, interaction.altered)
            self._say_once(exchange, interaction.altered)
        mistaken = mistaken_for(interaction.response)
        if mistaken:
            self._say_once(exchange, mistaken)
        self._mark_lengths(exchange, interaction)
        if interaction.response.is_empty and not exchange.error:
            exchange.notes.append("the capture has no response to this request")
        status = interaction.status
        if status is not None and status >= _WRONG and not exchange.error:
            exchange.error = f"HTTP {status}"

    def _mark_lengths(self, exchange: Exchange, interaction: Interaction) -> None:
        """Say where a body is not as long as it was on the wire."""
        rewritten = interaction.altered == REWRITTEN
        change = change_of_request(interaction.request, rewritten=rewritten)
        if change is not None:
            exchange.doubt(change.grade, change.what)
            exchange.notes.append(f"capture altered: {change.what}")
        shortened = change_of_response(interaction.response)
        if shortened:
            exchange.notes.append(f"capture altered: {shortened}")

    def _say_once(self, exchange: Exchange, altered: str) -> None:
        """Note what a recorder changed at the first exchange in which it did."""
        if altered not in self._said:
            self._said.add(altered)
            exchange.notes.append(f"capture altered: {altered}")

    def _leave_out(self, wire: Wire) -> None:
        damaged = wire.has_request and not wire.request and wire.trouble
        asks = sum(key in wire.request for key in _ASKS) > 1 or bool(damaged)
        asks = (asks or bool(_CALLS.search(wire.path))) and not _OTHER.search(wire.path)
        counted = self._unread if asks else self._strange
        place = shown_url(wire.interaction.url) or "?"
        counted[place] = counted.get(place, 0) + 1

    @property
    def masked(self) -> int:
        """How many texts were masked so far."""
        return self._masker.count

    def problems(self) -> list[Problem]:
        """Return what is wrong with the file, apart from its conversations."""
        found = list(self._problems)
        for note, origins in self._asides.items():
            more = f"{note} (and {len(origins) - 1} more after it)"
            what = more if len(origins) > 1 else note
            found.append(Problem(origins[0], what, ProblemKind.NOTED))
        if self._unread:
            what = f"{_counted(self._unread)} with a provider that is not read here"
            found.append(Problem(self._name, f"{what}: {_places(self._unread)}"))
        if self._strange:
            what = f"{_counted(self._strange)} with no provider of models, left out"
            found.append(
                Problem(self._name, f"{what}: {_places(self._strange)}", ProblemKind.NOTED)
            )
        if self._masker.count:
            what = f"{self._masker.count} texts of the shape of a credential were masked"
            found.append(Problem(self._name, what, ProblemKind.NOTED))
        return found


def _counted(places: dict[str, int]) -> str:
    count = sum(places.values())
    return f"{count} exchange{'s' if count > 1 else ''}"


def _places(places: dict[str, int]) -> str:
    names = [_files.shown(place) for place in list(places)[:_NAMED]]
    more = len(places) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


IMPORTER = Importer(
    name=_NAME,
    title="Captured traffic: " + ", ".join(each.name for each in providers()),
    layer=Layer.WIRE,
    grade=Grade.RECORDED,
    grade_note="derived where the service's own tools, a resent prefix or a chain of responses in "
    "the capture changed the request by a recorded rule; inferred where the service reports how "
    "many results it cleared, and not which; unknown where it keeps context of its own, where the "
    "request is not recorded, and where its tokens cannot hold the text",
    recognised_by="request and response: cassettes (VCR.py, Ruby, LangChain), HAR, mitmproxy "
    "flows, pairs in JSON or JSON Lines, logs of gateways, server-sent events, responses alone, "
    "notebooks; databases of llm, Bifrost and claude-tap",
    proves=(
        "requests as they went over the wire, of seven providers, from cassettes, HAR, flows, "
        "streams and a notebook; 120 citations judged as each provider counts"
    ),
    order=300,
    alone=True,
    recognise=recognise,
    read=read,
    credentials=credentials,
)
