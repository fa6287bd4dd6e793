"""``reread explain WORD``: what a rule checks, and what a word of a report says."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from reviewer.audit.rules import Rule
from reviewer.audit.settings import Parameter, Settings
from reviewer.cli._command import Command, Context, UsageError
from reviewer.cli._exit import Exit
from reviewer.display import indented, one_line
from reviewer.reports import Word, glossary, story_lines, value_words
from reviewer.services.settings import kind_of

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
    yield f"{rule.id}  {rule.name}  ({rule.severity.value}, version {rule.version})"
    for heading, text in (
        ("Checks", rule.summary),
        ("Why it matters", rule.why),
        ("Says nothing", rule.silent),
    ):
        if text:
            yield ""
            yield heading
            yield from indented(text, "  ", columns)
    for heading, parameters in _settable(rule):
        yield ""
        yield heading
        for parameter in parameters:
            told = f"{parameter.name} = {value_words(parameter.default)}  ({kind_of(parameter)})"
            yield from indented(told, "  ", columns)
            yield from indented(parameter.meaning, "    ", columns)

    yield from _examples(rule, columns)


def _examples(rule: Rule, columns: int) -> Iterator[str]:
    """Yield the two runs that are the rule's tests."""
    from reviewer.audit.engine import audit  # noqa: PLC0415 - no other command waits for it

    if rule.example:
        yield ""
        yield "In both examples reread.toml sets"
        for change in rule.example:
            told = f"{change.name} = {value_words(change.value)}  under [{change.owner}]"
            yield from indented(told, "  ", columns)
    yield ""
    yield "It fires here"
    fires = rule.failing()
    found = audit(fires, using=[rule], settings=Settings(rule.example)).findings
    for line in (*story_lines(fires), *(f"finding: {each.message}" for each in found)):
        yield from indented(one_line(line), "  ", columns)
    yield ""
    yield "It is silent here"
    for line in story_lines(rule.passing()):
        yield from indented(one_line(line), "  ", columns)


def _settable(rule: Rule) -> Iterator[tuple[str, Sequence[Parameter[Any]]]]:
    """Yield what reread.toml may set for a rule, under the table it stands in."""
    if rule.parameters:
        yield f"Parameters, in reread.toml under [rules.{rule.id}]", rule.parameters
    for table in rule.tables:
        yield f"Shared with other rules, in reread.toml under [{table.name}]", table.parameters


COMMAND = Command("explain", "say what a rule checks, or what a word means", _configure, _run)
