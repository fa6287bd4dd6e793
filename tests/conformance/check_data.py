"""Look whether the recorded files are here that the tests read.

``required_data.tsv`` names them, relative to the folder of the evidence:
``../shared/data`` beside the checkout, or ``data`` in the folder that the
environment variable REREAD_SHARED names. Run as a program it prints what is
missing; exit status 0 all here, 1 something is missing.
"""

import os
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("required_data.tsv")


def shared_folder() -> Path:
    """Give the folder that holds ``data``; it may not exist."""
    chosen = os.environ.get("REREAD_SHARED", "")
    return Path(chosen).absolute() if chosen else CHECKOUT.parent / "shared"


def required_files(table: str) -> list[str]:
    """Give the relative paths in ``table``: the first column, without heading and comments."""
    lines = [line for line in table.split("\n") if line and not line.startswith("#")]
    return [line.split("\t")[0] for line in lines[1:]]


def missing_files(folder: Path, names: list[str]) -> list[str]:
    """Give those of ``names`` that are no file below ``folder``."""
    return [name for name in names if not (folder / name).is_file()]


def main() -> int:
    """Print what is missing."""
    folder = shared_folder() / "data"
    names = required_files(LIST.read_text(encoding="utf-8"))
    missing = missing_files(folder, names)
    for name in missing:
        print(f"missing: {folder / name}", file=sys.stderr)
    if missing:
        print(
            f"{len(missing)} of {len(names)} recorded files that the tests read are missing. "
            "Put the evidence beside the checkout as ../shared, or name it in REREAD_SHARED.",
            file=sys.stderr,
        )
        return 1
    print(f"all {len(names)} recorded files that the tests read are in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
