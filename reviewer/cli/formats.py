"""``reread formats``: what can be read."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from reviewer.cli._command import Command, Context
from reviewer.cli._exit import Exit
from reviewer.display import Column, table

__all__ = ["COMMAND"]


def _configure(parser: ArgumentParser) -> None:
    del parser  # it has no arguments


def _run(args: Namespace, context: Context) -> int:
    del args
    columns = [Column("name", 16), Column("layer", 10), Column("grade", 9), Column("what it is", 0)]
    found = context.services.importers()
    rows = [[each.name, each.layer.value, each.grade.value, each.title] for each in found]
    below = [f"recognised by {each.recognised_by}. {each.grade_note}" for each in found]
    context.output.lines(table(columns, rows, context.output.columns, below, ""))
    return Exit.OK


COMMAND = Command(
    "formats", "list what can be read, and how far each format proves anything", _configure, _run
)
