"""English sample: an agent reviews a night of slow payments over logs and a runbook.

Its client clears old results, cuts long ones, saves one to a file and refuses
one; afterwards somebody changed a stored file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from reviewer.services.sample.story import Cited, Story, cite, sample_text, span_of, whole
from store.records.sources import Selection
from store.records.text import Span
from store.run_writer import RunWriter

__all__ = ["write_incident"]

RUNBOOK = "runbooks/gateway.md"
POOL = "config/pool.toml"
GATEWAY = "logs/gateway.log"
LEDGER = "logs/ledger.log"
METRICS = "metrics/pool.csv"
POSTMORTEM = "reviews/last-autumn.md"
DEPLOYS = "notes/deploys.md"
ROTA = "notes/rota.md"

_PREVIEW = 93
_POOL_FULL = 12
"""The minute from which on no connection was free; the ledger became slow shortly before."""
_LEDGER_SLOW = 10
_LINES_KEPT = 14
_SYSTEM = "You review incidents. Cite the place of every statement."
_QUESTION = "Payments were slow in the night to 12 March. What happened, and what must we change?"


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The texts of the story and the ids of their versions."""

    texts: dict[str, str]
    ids: dict[str, str]
    old_runbook: str
    old_runbook_id: str


def write_incident(folder: Path) -> Path:
    """Write the run folder and return it."""
    story = Story.begin(
        folder,
        "incident-review",
        title="Slow payments in the night to 12 March",
        at="2026-03-12T09:00:00+01:00",
        system=_SYSTEM,
        question=_QUESTION,
        budget={"max_context_tokens": 4000},
    )
    evidence = _store(story.writer)
    _search(story, evidence)
    _logs(story, evidence)
    _settings(story, evidence)
    story.answer(_answer(evidence))
    story.finish("2026-03-12T09:04:00+01:00")
    _change_stored_file(story.writer, evidence)
    return folder


def _gateway_log() -> str:
    lines = []
    for number in range(40):
        wait = 18 + number * 31 % 47 if number < _POOL_FULL else 110 + number * 37 % 260
        state = "ok" if number < _POOL_FULL else "no free connection, queued"
        lines.append(
            f"2026-03-12T02:{number:02d}:07Z gateway req={4100 + number * 7} "
            f"pool_wait_ms={wait} {state}\n"
        )
    return "".join(lines)


def _ledger_log() -> str:
    lines = []
    for number in range(36):
        took = 210 + number * 53 % 190 if number < _LEDGER_SLOW else 1150 + number * 29 % 310
        lines.append(
            f"2026-03-12T02:{number:02d}:31Z ledger batch={880 + number} "
            f"rows={number * 17 % 90 + 12} commit_ms={took}\n"
        )
    return "".join(lines)


def _metrics() -> str:
    rows = [
        f"02:{n:02d},{40 if n >= _POOL_FULL else 21 + n % 9},{n * 13 % 70}\n" for n in range(60)
    ]
    return "minute,connections,queued\n" + "".join(rows)


def _store(writer: RunWriter) -> _Evidence:
    old = sample_text("en/runbook-1.md")
    old_id = writer.version(
        RUNBOOK, old, kind="file", title="Payment gateway runbook", revision="1"
    )
    texts = {
        RUNBOOK: sample_text("en/runbook-2.md"),
        POOL: sample_text("en/pool.toml"),
        GATEWAY: _gateway_log(),
        LEDGER: _ledger_log(),
        METRICS: _metrics(),
        POSTMORTEM: sample_text("en/postmortem.md"),
        DEPLOYS: sample_text("en/deploys.md"),
        ROTA: sample_text("en/oncall.md"),
    }
    ids = {}
    for name, text in texts.items():
        runbook = name == RUNBOOK
        ids[name] = writer.version(
            name,
            text,
            kind="file",
            title="Payment gateway runbook" if runbook else "",
            revision="2" if runbook else None,
            supersedes=old_id if runbook else None,
        )
    return _Evidence(texts, ids, old, old_id)


def _search(story: Story, evidence: _Evidence) -> None:
    """List three documents: one with its first words, two by name only."""
    story.ask("t1", "search_notes", {"query": "gateway timeouts"}, "I look for earlier notes.")
    head = evidence.texts[POSTMORTEM][:_PREVIEW]
    listed = [
        {"name": POSTMORTEM, "first_words": head},
        {"name": DEPLOYS},
        {"name": ROTA},
    ]
    story.returned("t1", json.dumps(listed))
    entries = [
        {"source_id": POSTMORTEM, "version_id": evidence.ids[POSTMORTEM], "preview": [0, _PREVIEW]},
        {"source_id": DEPLOYS, "version_id": evidence.ids[DEPLOYS]},
        {"source_id": ROTA, "version_id": evidence.ids[ROTA]},
    ]
    story.writer.event("manifest", tool_call_id="t1", entries=entries)


def _read(story: Story, tool_call_id: str, evidence: _Evidence, name: str, say: str) -> Selection:
    story.ask(tool_call_id, "read_file", {"path": name}, say)
    return whole(name, evidence.ids[name], evidence.texts[name])


def _logs(story: Story, evidence: _Evidence) -> None:
    """Read the first log whole and the second cut on its way; clear the first one later."""
    texts = evidence.texts
    selection = _read(story, "t2", evidence, GATEWAY, "First the log of the gateway.")
    story.returned("t2", texts[GATEWAY], selection)

    selection = _read(story, "t3", evidence, LEDGER, "Now the log of the ledger.")
    lines = texts[LEDGER].split("\n")
    left_out = len(lines) - 1 - _LINES_KEPT
    head = "".join(f"{line}\n" for line in lines[:_LINES_KEPT])
    story.edited("truncate", "t3")
    story.returned("t3", texts[LEDGER], selection, shown=f"{head}[{left_out} more lines cut]")

    runbook = texts[RUNBOOK]
    part = Span(0, runbook.index("## Who to call"))
    arguments = {"path": RUNBOOK, "start": part.start, "end": part.end}
    story.ask("t4", "read_file", arguments, "What does the runbook say?")
    selection = Selection(RUNBOOK, evidence.ids[RUNBOOK], ranges=(part,))
    story.replaced("clear", "t2", "[Old tool result content cleared]")
    story.returned("t4", runbook[part.start : part.end], selection)


def _settings(story: Story, evidence: _Evidence) -> None:
    """Read the settings, save the metrics to a file, refuse the notes by the budget."""
    texts = evidence.texts
    selection = _read(story, "t5", evidence, POOL, "How large is the pool?")
    story.returned("t5", texts[POOL], selection)

    selection = _read(story, "t6", evidence, METRICS, "Was the pool full?")
    size = len(texts[METRICS])
    story.edited("persist", "t6")
    story.returned(
        "t6",
        texts[METRICS],
        selection,
        shown=(
            f"<persisted-output>\n{size} characters, saved to results/t6.txt\n</persisted-output>"
        ),
    )

    selection = _read(story, "t7", evidence, DEPLOYS, "Was anything deployed?")
    story.returned("t7", texts[DEPLOYS], selection, shown="Refused: the context is full.")
    story.writer.event(
        "admission",
        tool_call_id="t7",
        admitted=False,
        result_tokens=96,
        limit=4000,
        reason="context_budget_exceeded",
    )


def _answer(evidence: _Evidence) -> list[Cited]:
    return [*_answer_read(evidence), *_answer_not_read(evidence), *_answer_broken(evidence)]


def _answer_read(evidence: _Evidence) -> list[Cited]:
    """Cite what stood in the input, wholly, partly or earlier, and another version of it."""
    texts, ids = evidence.texts, evidence.ids
    runbook, ledger, gateway = texts[RUNBOOK], texts[LEDGER], texts[GATEWAY]
    limit = "The gateway holds at most 40 connections to the ledger."
    retried = "is retried three times before the customer sees an error"
    slow = Span(ledger.index("2026-03-12T02:12"), ledger.index("2026-03-12T02:18"))
    queued = span_of(gateway, gateway.split("\n")[20])
    return [
        cite(
            "The gateway may hold 40 connections to the ledger",
            RUNBOOK,
            ids[RUNBOOK],
            span_of(runbook, limit),
            quote=limit,
        ),
        cite(
            "The ledger's commits took more than a second from 02:12 on", LEDGER, ids[LEDGER], slow
        ),
        cite("At 02:20 requests of the gateway were queued", GATEWAY, ids[GATEWAY], queued),
        cite(
            "Slow requests are tried again three times",
            RUNBOOK,
            evidence.old_runbook_id,
            span_of(evidence.old_runbook, retried),
        ),
    ]


def _answer_not_read(evidence: _Evidence) -> list[Cited]:
    """Cite what was listed, previewed, replaced, or not asked for."""
    texts, ids = evidence.texts, evidence.ids
    postmortem, deploys = texts[POSTMORTEM], texts[DEPLOYS]
    began = "every gateway retried three times at once"
    flag = "flag ledger_batch on for half of the traffic"
    roll_back = "Set the feature flag ledger_batch to off and wait two minutes."
    duty = "duty engineer of the payments team"
    full = texts[METRICS].split("\n")[31]
    return [
        cite(
            "Last autumn's outage began with retries",
            POSTMORTEM,
            ids[POSTMORTEM],
            span_of(postmortem, began),
        ),
        cite(
            "The new way of writing was switched on the day after",
            DEPLOYS,
            ids[DEPLOYS],
            span_of(deploys, flag),
        ),
        cite(
            "All connections were taken at 02:30",
            METRICS,
            ids[METRICS],
            span_of(texts[METRICS], full),
        ),
        cite("The payments team was on duty", ROTA, ids[ROTA], span_of(texts[ROTA], duty)),
        cite(
            "The flag must be off for two minutes",
            RUNBOOK,
            ids[RUNBOOK],
            span_of(texts[RUNBOOK], roll_back),
        ),
    ]


def _answer_broken(evidence: _Evidence) -> list[Cited]:
    """Cite wrongly, or so that the record cannot decide."""
    texts, ids = evidence.texts, evidence.ids
    runbook, pool = texts[RUNBOOK], texts[POOL]
    queue = "pool_wait_ms rises above 100"
    limit = "The gateway waits 1200 ms for the ledger."
    start = runbook.index(queue)
    return [
        cite(
            "A wait above 1000 ms means a full pool",
            RUNBOOK,
            ids[RUNBOOK],
            span_of(runbook, queue),
            quote="pool_wait_ms rises above 1000",
        ),
        cite(
            "The gateway waits 1200 ms",
            RUNBOOK,
            ids[RUNBOOK],
            Span(start, start + len(limit)),
            quote=limit,
        ),
        cite(
            "The setting agrees with the runbook",
            POOL,
            ids[POOL],
            span_of(pool, "max_connections = 40"),
        ),
        cite(
            "Requests waited in a queue", GATEWAY, ids[GATEWAY], quote="no free connection, queued"
        ),
        cite("The table of escalations says the same", RUNBOOK, ids[RUNBOOK], Span(4000, 4120)),
        cite("The ledger has a runbook of its own", "runbooks/ledger.md", None, Span(0, 40)),
    ]


def _change_stored_file(writer: RunWriter, evidence: _Evidence) -> None:
    """Change stored bytes behind the record's back: what an auditor must notice."""
    changed = evidence.texts[POOL].replace("max_connections = 40", "max_connections = 60")
    writer.object_path(evidence.ids[POOL]).write_bytes(changed.encode())
