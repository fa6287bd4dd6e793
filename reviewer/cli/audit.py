"""``reread audit``: audit without a window."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.cli._auditing import Account, FailOn
from reviewer.cli._command import Command, Context, UsageError
from reviewer.cli._files import ResultFile, checked_output
from reviewer.cli._reporting import Progress, add_progress_option, report_for, write_file
from reviewer.cli._runs import add_run_option, asked
from reviewer.reports import reports

if TYPE_CHECKING:
    from reviewer.services.baselines import BaselineWriter

__all__ = ["COMMAND"]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="a run folder, a trace file, a folder of runs, or -",
    )
    parser.add_argument("--store", metavar="DIR", help="a store with evidence that lies elsewhere")
    add_run_option(parser)
    parser.add_argument(
        "--format",
        choices=sorted(reports()),
        help="how the audit is written (default: by the ending of --output, else text)",
    )
    parser.add_argument("--output", metavar="FILE", help="write to a file outside the evidence")
    parser.add_argument(
        "--fail-on",
        choices=[level.value for level in FailOn],
        default=FailOn.ERROR.value,
        help="from which severity on findings make the exit status 1 (default: error)",
    )
    parser.add_argument(
        "--decisions",
        metavar="FILE",
        help="show the decisions of this log beside citations and findings; they do not change "
        "the exit status",
    )
    _judging(parser)
    parser.add_argument("--all", action="store_true", help="shorten no list")
    add_progress_option(parser)


def _judging(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="severities and parameters of rules (default: reread.toml in the working folder)",
    )
    parser.add_argument(
        "--baseline",
        metavar="FILE",
        help="only findings that are not in this baseline, or earlier audit in JSON, fail",
    )
    parser.add_argument(
        "--write-baseline",
        metavar="FILE",
        help="write a baseline of what is found to a file outside the evidence",
    )


def _run(args: Namespace, context: Context) -> int:
    report = report_for(args.format, args.output, context)
    if report.binary and args.output is None and context.output.terminal:
        raise UsageError(
            f"--format {report.name}: no terminal can show this; write it to a file with --output"
        )
    account = Account(context.output)
    place, kept = _places(args)
    found = context.services.audit(
        args.paths, args.store, only=args.run_id, tokens=report.tokens, config=args.config
    )
    found = asked(found, args.paths, args.run_id)
    meta = context.services.meta(context.output, everything=args.all)
    if args.decisions is not None:
        log = context.services.shown_log(args.decisions)
        found = log.checked(found)
        meta = replace(meta, reviews=log.reviews)
    if args.baseline is not None:
        baseline = context.services.baseline(args.baseline)
        found = baseline.compared(found)
        meta = replace(meta, baseline_name=args.baseline)
    writer = context.services.baseline_writer()
    progress = Progress(context.output, args)
    audits = progress.audits(writer.taking(account.audits(found)))
    chunks = progress.chunks(report.chunks(audits, account.problems, meta))
    if place is None:
        context.output.result(chunks)
    else:
        write_file(place, args.output, report, chunks, account)
    if kept is not None:
        _keep(writer, kept, args.write_baseline, account)
    return account.status(args.paths, FailOn(args.fail_on))


def _places(args: Namespace) -> tuple[Path | None, Path | None]:
    """Return where the report and the baseline go; a baseline may take the place of its elder."""
    inputs = [*args.paths, *(given for given in (args.store, args.decisions, args.config) if given)]
    place = kept = None
    if args.output is not None:
        place = checked_output(args.output, [*inputs, *filter(None, [args.baseline])])
    if args.write_baseline is not None:
        kept = checked_output(args.write_baseline, inputs, _BaselineFile.option)
    if place is not None and place == kept:
        raise UsageError(f"--write-baseline {args.write_baseline}: the report goes there already")
    return place, kept


class _BaselineFile(ResultFile):
    option = "--write-baseline"


def _keep(writer: BaselineWriter, place: Path, name: str, account: Account) -> None:
    """Write what was found as a baseline; what could not be looked at is new when it can."""
    if not account.audited:
        account.output.note(f"{name}: not written, since nothing was audited")
        return
    with _BaselineFile(place, name) as result:
        result.write(writer.chunks())
        result.keep()
    counted = f"{writer.count} finding{'' if writer.count == 1 else 's'}"
    account.output.note(f"wrote {name} (baseline, {counted})")


COMMAND = Command("audit", "audit runs and judge every citation", _configure, _run)
