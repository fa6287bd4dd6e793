"""Reread's auditor: judges recorded runs and shows what it found.

The package reads records of `store`, never the other way round. The order of
its rooms is checked by the import contracts in ``pyproject.toml``.
"""

from importlib.metadata import PackageNotFoundError, version

__all__ = ["__version__"]

try:
    __version__ = version("reread")
except PackageNotFoundError:
    # A checkout that was never installed has no metadata and so no number to state.
    __version__ = "0+unknown"
