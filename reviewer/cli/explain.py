"""``reread explain WORD``: what a rule checks, and what a word of a report says."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from reviewer.audit.rules import Rule
from reviewer.cli._command import Command, Context, UsageError
from reviewer.cli._exit import Exit
from reviewer.display import indented
from reviewer.reports import Word, glossary

__all__ = ["COMMAND"]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "word",
        metavar="WORD",
        help="the id of a rule, such as PLC001, or a word of a report, such as from_memory",
    )


def _run(args: Namespace, context: Context) -> int:
    rules = {rule.id.lower(): rule for rule in context.services.rules()}
    words: dict[str, list[Word]] = {}
    for word in glossary():
        words.setdefault(word.word, []).append(word)
    wanted = "_".join(args.word.lower().replace("-", " ").split())
    columns = context.output.columns
    if wanted in rules:
        context.output.lines(_page(rules[wanted], columns))
    elif wanted in words:
        context.output.lines(_meanings(words[wanted], columns))
    else:
        near = get_close_matches(wanted, [*rules, *words], n=3, cutoff=0.5)
        names = ", ".join(rules[name].id if name in rules else name for name in near)
        hint = f"did you mean {names}? " if near else ""
        raise UsageError(
            f"there is no rule and no word {args.word}; {hint}reread rules lists the rules\n"
            f"the words: {', '.join(words)}"
        )
    return Exit.OK


def _meanings(found: Sequence[Word], columns: int) -> Iterator[str]:
    for place, each in enumerate(found):
        if place:
            yield ""
        yield f"{each.word}  ({each.kind})"
        yield from indented(each.meaning, "  ", columns)


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


COMMAND = Command("explain", "say what a rule checks, or what a word means", _configure, _run)
