"""The command line: one file for each subcommand, found by walking this package.

A module dropped in here is a subcommand; a deleted one is gone without a
trace.  Modules starting with ``_`` are helpers.  Nothing but `_output` prints.
"""

from __future__ import annotations

import errno
import os
import pkgutil
import sys
import tempfile
import traceback
from argparse import SUPPRESS, ArgumentParser, HelpFormatter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import NoReturn

from reviewer import __version__
from reviewer.cli._command import Command, Context, Services, UsageError
from reviewer.cli._exit import Exit
from reviewer.cli._output import Output, UnwritableError
from store.stopping import StoppedError, go_on

__all__ = ["TRACEBACK_VARIABLE", "commands", "parser", "run"]

TRACEBACK_VARIABLE = "REREAD_TRACEBACK"
"""The environment variable that does what ``--traceback`` does."""

_PURPOSE = (
    "Shows which exact text a model was sent when it wrote a sentence, and whether its citation "
    "points at that text."
)


_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
"""The errors of a disk that takes nothing more."""


@cache
def commands() -> tuple[Command, ...]:
    """Return every subcommand, by name."""
    found = [
        import_module(f"{__name__}.{module.name}").COMMAND
        for module in pkgutil.iter_modules(__path__)
        if not module.name.startswith("_")
    ]
    return tuple(sorted(found, key=lambda command: command.name))


class _Shown(Exception):
    """A text that was asked for in place of a command."""


class _Parser(ArgumentParser):
    """A parser that prints nothing itself and never ends the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n{self.format_usage()}see: {self.prog} --help")

    def print_help(self, file: object = None) -> NoReturn:  # noqa: ARG002 - argparse's signature
        raise _Shown(self.format_help())


def _formatter(prog: str) -> HelpFormatter:
    return HelpFormatter(prog, max_help_position=28, width=100)


def parser() -> ArgumentParser:
    """Return the parser of the whole command line."""
    top = _Parser(
        prog="reread", description=_PURPOSE, formatter_class=_formatter, allow_abbrev=False
    )
    top.add_argument("--version", action="store_true", help="print the version and end")
    _add_traceback(top, default=False)
    below = top.add_subparsers(metavar="COMMAND", dest="command", parser_class=_Parser)
    for command in commands():
        made = below.add_parser(
            command.name,
            help=command.help,
            description=f"{command.help[:1].upper()}{command.help[1:]}.",
            formatter_class=_formatter,
            allow_abbrev=False,
        )
        command.configure(made)
        _add_traceback(made, default=None)
        made.set_defaults(run=command.run, refuse=made.error)
    return top


def _add_traceback(made: ArgumentParser, *, default: bool | None) -> None:
    options: dict[str, object] = {} if default is not None else {"default": SUPPRESS}
    made.add_argument(
        "--traceback",
        action="store_true",
        help="show where an error inside Reread happened",
        **options,  # type: ignore[arg-type]
    )


def run(
    arguments: Sequence[str],
    services: Services,
    output: Output,
    environment: Mapping[str, str] = os.environ,
) -> int:
    """Do what *arguments* ask and return the exit status; nothing is raised."""
    details = "--traceback" in arguments or bool(environment.get(TRACEBACK_VARIABLE))
    try:
        return _told(arguments, Context(output, services), details=details)
    except BrokenPipeError:
        output.abandon()
        return Exit.CANCELLED
    except UnwritableError as error:
        output.abandon()
        output.note(f"standard output cannot be written ({error}); the result is not complete")
        return Exit.USAGE


def _told(arguments: Sequence[str], context: Context, *, details: bool) -> int:
    """Do what is asked, and say what went wrong as long as there is where to say it."""
    output = context.output
    try:
        status = _run(arguments, context)
        output.flush()
        go_on()
    except UsageError as error:
        first, _, rest = str(error).partition("\n")
        output.note(first)
        output.details(f"{rest}\n" if rest else "")
        return Exit.USAGE
    except (BrokenPipeError, UnwritableError):
        raise
    except (KeyboardInterrupt, StoppedError):
        output.note("cancelled")
        return Exit.CANCELLED
    except OSError as error:
        if error.errno not in _FULL:
            return _internal(error, output, details=details)
        where = f"; files on the way lie in {tempfile.gettempdir()}"
        output.note(f"no space to work in ({error.strerror}){where}: free some, or set TMPDIR")
        return Exit.USAGE
    except Exception as error:  # noqa: BLE001 - the last place that can say anything
        return _internal(error, output, details=details)
    return status


def _internal(error: Exception, output: Output, *, details: bool) -> int:
    way = "" if details else f" (--traceback or {TRACEBACK_VARIABLE}=1 shows where)"
    output.note(f"an error inside Reread: {type(error).__name__}: {error}{way}")
    if details:
        output.details("".join(traceback.format_exception(error)))
    return Exit.INTERNAL


def _run(arguments: Sequence[str], context: Context) -> int:
    top = parser()
    try:
        chosen, left = top.parse_known_args(arguments)
        if left:
            # The command's own usage says what it takes; argparse would show that of all commands.
            getattr(chosen, "refuse", top.error)(f"unrecognized arguments: {' '.join(left)}")
    except _Shown as shown:
        context.output.lines(str(shown).rstrip("\n").split("\n"))
        return Exit.OK
    if chosen.version:
        python = ".".join(str(number) for number in sys.version_info[:3])
        context.output.lines([f"reread {__version__} (Python {python})"])
        return Exit.OK
    if chosen.command is None:
        obstacle = context.services.window_obstacle()
        if not obstacle:
            return context.services.open_window(())
        context.output.note(f"no window is opened: {obstacle}")
        context.output.lines(top.format_help().rstrip("\n").split("\n"))
        return Exit.OK
    return int(chosen.run(chosen, context))
