"""Opens what a path holds and audits it, run after run.

The one place where the audit, which is pure, meets the disk and the tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from reviewer.audit.engine import audit
from reviewer.audit.settings import Settings
from reviewer.services.settings import of_run
from reviewer.services.team import saved_runs
from reviewer.services.tokenizer import TokenizerUnavailable, load_tokenizer
from store.opening import open_paths
from store.records.findings import Audit
from store.records.runs import Problem, ProblemKind, Run
from store.stopping import Stopped, asking, go_on

__all__ = ["audit_paths", "audit_runs"]

DEFAULTS = Settings()


def audit_paths(  # noqa: PLR0913 - all that an audit depends on, by name
    paths: Sequence[str],
    store: str | None = None,
    *,
    only: str | None = None,
    tokens: bool = True,
    settings: Settings = DEFAULTS,
    strict: bool = False,
    stopped: Stopped | None = None,
) -> Iterator[Audit | Problem]:
    """Yield the audit of every run under *paths* and every problem met while opening them.

    *store* names further evidence, *only* the id or the place of one run: the
    others are not read.  The rest is as with `audit_runs`.
    """
    opened = open_paths(paths, store, only=only, stopped=stopped, saved=saved_runs)
    return audit_runs(
        opened, tokens=tokens, settings=settings, named=paths, strict=strict, stopped=stopped
    )


def audit_runs(  # noqa: PLR0913 - as above
    opened: Iterable[Run | Problem],
    *,
    tokens: bool = True,
    settings: Settings = DEFAULTS,
    named: Sequence[str] = (),
    strict: bool = False,
    stopped: Stopped | None = None,
) -> Iterator[Audit | Problem]:
    """Yield the audit of every run in *opened* and every problem, in their order.

    With *tokens* the text of every run is counted; without, that of runs of
    which a call reports its own count, or for which a limit in tokens is
    stated, since the audit compares the two: what is found is the same either
    way, and starting the tokenizer takes longer than the audit of a small run.
    *settings* are the user's; what a run folder asks for itself comes below
    them, and *named* are the paths in which it may lie.  A run whose audit
    fails inside Reread becomes a problem and the next one is audited; with
    *strict* the error is raised.  *stopped* is asked all
    the time, and `StoppedError` is raised when it says so: nothing is yielded
    of the run that was being read or audited.
    """
    check = asking(stopped) if stopped is not None else go_on
    count: Callable[[str], int] | None = None
    encoding, started = "", False
    for found in opened:
        if not isinstance(found, Run):
            yield found
            continue
        in_force, unfollowed = of_run(found, settings, named)
        if unfollowed is not None:
            yield unfollowed
        limited = _limits_tokens(found, in_force)
        wanted = tokens or _reports_tokens(found) or limited
        if wanted and not started:
            started = True
            count, encoding, problem = _counter()
            if problem is not None:
                yield problem
        if limited and count is None:
            # A limit that nothing was held against was not kept to.
            what = "limits in tokens are stated, and no tokens can be counted here: not looked at"
            yield Problem(found.path, what)
        judge = partial(audit, found, *((count, encoding) if wanted else ()), check=check)
        yield _audited(found, partial(judge, settings=in_force), strict=strict)


def _reports_tokens(run: Run) -> bool:
    return any(call.usage.input_tokens is not None for call in run.calls)


def _limits_tokens(run: Run, settings: Settings) -> bool:
    """Whether the run, or a user, states a limit that only a count can be held against."""
    budget = run.budget
    declared = budget is not None and (budget.max_context_tokens or budget.max_request_tokens)
    return bool(declared) or any(
        change.name.endswith("_tokens") and change.value for change in settings.changes
    )


def _audited(run: Run, judge: Callable[[], Audit], *, strict: bool) -> Audit | Problem:
    try:
        return judge()
    except Exception as error:
        if strict:
            raise
        what = (
            f"this run could not be audited, by an error inside Reread ({type(error).__name__}: "
            f"{error}); --traceback shows where"
        )
        return Problem(f"{run.path} (run {run.run_id})", what)


def _counter() -> tuple[Callable[[str], int] | None, str, Problem | None]:
    try:
        tokenizer = load_tokenizer()
    except TokenizerUnavailable as error:
        return None, "", Problem("tokenizer", str(error), ProblemKind.NOTED)
    return (lambda text: tokenizer.count(text).tokens), tokenizer.name, None
