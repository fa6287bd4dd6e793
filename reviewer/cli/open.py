"""``reread open``: open the window."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from reviewer.cli._command import Command, Context, UsageError

__all__ = ["COMMAND"]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="traces, run folders, folders of them, or reread: links (default: what was open last)",
    )
    parser.add_argument("--store", metavar="DIR", help="a folder with the sources' versions")
    parser.add_argument(
        "--no-session", action="store_true", help="do not open again what was open last"
    )


def _run(args: Namespace, context: Context) -> int:
    obstacle = context.services.window_obstacle()
    if obstacle:
        raise UsageError(f"the window cannot be opened: {obstacle}")
    return context.services.open_window(args.paths, args.store, restore=not args.no_session)


COMMAND = Command("open", "open the window, on runs or on what was open last", _configure, _run)
