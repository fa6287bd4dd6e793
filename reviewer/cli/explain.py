"""``reread explain RULE``: what a rule checks and why it matters."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from difflib import get_close_matches

from reviewer.audit.rules import Rule
from reviewer.cli._command import Command, Context, UsageError
from reviewer.cli._exit import Exit
from reviewer.display import indented

__all__ = ["COMMAND"]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("rule", metavar="RULE", help="the id of a rule, such as PLC001")


def _run(args: Namespace, context: Context) -> int:
    rules = {rule.id: rule for rule in context.services.rules()}
    wanted = args.rule.upper()
    if wanted not in rules:
        near = get_close_matches(wanted, rules, n=3, cutoff=0.5)
        hint = f"did you mean {', '.join(near)}? " if near else ""
        raise UsageError(f"there is no rule {args.rule}; {hint}reread rules lists them")
    context.output.lines(_page(rules[wanted], context.output.columns))
    return Exit.OK


def _page(rule: Rule, columns: int) -> Iterator[str]:
    yield f"{rule.id}  {rule.name}  ({rule.severity.value})"
    for heading, text in (
        ("Checks", rule.summary),
        ("Why it matters", rule.why),
        ("Says nothing", rule.silent),
    ):
        if text:
            yield ""
            yield heading
            yield from indented(text, "  ", columns)


COMMAND = Command("explain", "say what a rule checks and why it matters", _configure, _run)
