"""GRD002: an identifier or address of an answer that is in no request."""

from __future__ import annotations

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._grounding import SILENT, nowhere
from reviewer.audit.rules._rule import Rule
from store.records.findings import ClaimKind, Severity
from store.records.runs import Run


def _passing() -> Run:
    story = Story()
    story.document("notice", "See https://status.example/export and the field batch_limit.\n")
    story.read("notice")
    return story.answer(text="The field batch_limit is explained at https://status.example/export.")


def _failing() -> Run:
    story = Story()
    story.document("notice", "See https://status.example/export and the field batch_limit.\n")
    story.read("notice")
    return story.answer(text="The field batch_size_limit decides.")


RULE = Rule(
    id="GRD002",
    name="NameFromNowhere",
    severity=Severity.WARNING,
    summary="A path, address, hash or name of code in the answer stands in no request",
    why=(
        "Names are copied, not worked out. One that the model was never given is invented or "
        "belongs to something else, and whoever looks it up finds nothing, or the wrong thing."
    ),
    silent=SILENT
    + "Where all words of the name stand in the request, in whatever case and however joined; "
    "for patterns and stand-ins; in blocks of code; where the sentence only proposes.",
    check=nowhere("GRD002", Severity.WARNING, {ClaimKind.IDENTIFIER, ClaimKind.ADDRESS}),
    passing=_passing,
    failing=_failing,
)
