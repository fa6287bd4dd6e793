"""``reread rules``: what is checked."""

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
    columns = [Column("rule", 8), Column("severity", 9), Column("name", 34), Column("checks", 0)]
    rows = [
        [rule.id, rule.severity.value, rule.name, rule.summary] for rule in context.services.rules()
    ]
    context.output.lines(table(columns, rows, context.output.columns, indent=""))
    return Exit.OK


COMMAND = Command("rules", "list what is checked", _configure, _run)
