"""``reread demo``: write the sample run folders, audit them, show what was found in the window."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from reviewer.cli._auditing import Account
from reviewer.cli._command import Command, Context, UsageError
from reviewer.cli._exit import Exit
from reviewer.cli._files import ResultFile
from reviewer.display import one_line

__all__ = ["COMMAND"]

_PAGE = "sample.html"


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--no-window",
        action="store_true",
        help="open no window at the end (none is opened without a screen)",
    )
    parser.add_argument(
        "--into", metavar="DIR", help="where to write (default: in the user's data folder)"
    )


def _run(args: Namespace, context: Context) -> int:
    services, output = context.services, context.output
    try:
        places = services.write_sample(Path(args.into) if args.into else None)
    except (OSError, RuntimeError) as error:
        raise UsageError(f"the sample cannot be written: {error}") from error
    account = Account(output)
    paths = [str(place) for place in places]
    audits = list(account.audits(services.audit(paths, tokens=False)))
    meta = services.meta(output)
    reports = services.reports()
    output.result(reports["text"].write(audits, account.problems, meta))
    page = places[0].parent / _PAGE
    with ResultFile(page, str(page)) as result:
        result.write(reports["html"].write(audits, account.problems, meta))
        result.keep()
    lines = [f"  {place}" for place in paths]
    output.lines([one_line(line) for line in ("", "Sample run folders:", *lines)])
    output.lines(["The audit as a page:", one_line(f"  {page}")])
    if not args.no_window and not services.window_obstacle():
        output.flush()
        services.open_window(paths, restore=False)
    # Findings and changed bytes are what the sample is made of: the demo worked if it was audited.
    return Exit.OK if account.audited == len(places) else Exit.UNDECIDED


COMMAND = Command(
    "demo", "write the sample run folders, audit them and show what was found", _configure, _run
)
