"""The entry point of the command ``reread`` and of ``python -m reviewer``."""

from __future__ import annotations

import sys

from reviewer.app import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
