"""What is said of a run as a whole: its name among others, and how it ended."""

from __future__ import annotations

from pathlib import PurePath

from store.records.runs import Run

__all__ = ["NO_ANSWER", "ending", "index_name"]

NO_ANSWER = "No answer is recorded; states are those of the last call."


def ending(run: Run) -> str:
    """Say that *run* did not end with an answer, empty where nothing tells that it did not.

    A last call that failed is named with its error: rules that ask for the last
    answer then speak of an earlier one, and their silence says nothing of the end.
    """
    last = run.calls[-1] if run.calls else None
    told = []
    if last is not None and last.error:
        told.append(f"The last call, {last.index}, ended in an error: {last.error.rstrip('.')}.")
    if not run.answers:
        told.append(NO_ANSWER)
    elif told:
        told.append(
            f"The last answer, of which rules speak, is that of call {run.answers[-1].call}."
        )
    return " ".join(told)


def index_name(run: Run) -> str:
    """Return the name of *run* in a list of runs: one that is a file's name with its folder."""
    path = PurePath(run.path)
    name = run.title or run.run_id
    if path.parent.name and name.startswith(path.name):
        return f"{path.parent.name}/{name}"
    return name
