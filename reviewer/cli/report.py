"""``reread report``: a report on runs that is made to be handed over."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace

from reviewer.cli._auditing import Account
from reviewer.cli._command import Command, Context
from reviewer.cli._files import checked_output
from reviewer.cli._reporting import Progress, add_progress_option, report_for, write_file
from reviewer.cli._runs import add_run_option, asked
from reviewer.reports import reports

__all__ = ["COMMAND"]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="a run folder, a trace file, a folder of runs, or -",
    )
    parser.add_argument(
        "--output", metavar="FILE", required=True, help="write to a file outside the evidence"
    )
    parser.add_argument(
        "--format",
        choices=sorted(reports()),
        help="how it is written (default: by the ending of --output)",
    )
    parser.add_argument("--store", metavar="DIR", help="a store with evidence that lies elsewhere")
    add_run_option(parser)
    decided = parser.add_mutually_exclusive_group()
    decided.add_argument(
        "--decisions",
        metavar="FILE",
        help="show the decisions of this log (default: those in your data folder on these runs)",
    )
    decided.add_argument("--no-decisions", action="store_true", help="show no decisions")
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="severities and parameters of rules (default: reread.toml in the working folder)",
    )
    add_progress_option(parser)


def _run(args: Namespace, context: Context) -> int:
    services, output = context.services, context.output
    report = report_for(args.format, args.output, context)
    inputs = [*args.paths, *(given for given in (args.store, args.decisions, args.config) if given)]
    place = checked_output(args.output, inputs)
    account, progress = Account(output), Progress(output, args)
    found = services.audit(
        args.paths, args.store, only=args.run_id, tokens=True, config=args.config
    )
    found = asked(found, args.paths, args.run_id)
    meta = services.meta(output, everything=True)
    if not args.no_decisions:
        log = services.shown_log(args.decisions) if args.decisions else services.own_logs()
        found = log.checked(found)
        meta = replace(meta, reviews=log.reviews)
    audits = progress.audits(account.audits(found))
    chunks = progress.chunks(report.chunks(audits, account.problems, meta))
    write_file(place, args.output, report, chunks, account)
    return account.status(args.paths)


COMMAND = Command(
    "report", "write a report to hand over, with every list and every decision", _configure, _run
)
