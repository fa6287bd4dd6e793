"""Where the program keeps what it writes for one user.

Evidence is never written to; audits, decisions and settings lie in the
folder named here. Nothing in this module creates or reads a folder.
"""

import os
from pathlib import Path

import platformdirs

__all__ = ["DATA_DIR_VARIABLE", "SETTINGS_FILE", "data_dir", "session_file"]

DATA_DIR_VARIABLE = "REREAD_DATA_DIR"
"""The environment variable that moves the user's data folder."""

SETTINGS_FILE = "reread.toml"
"""What the settings of rules are called, in the working folder and in a run folder."""


def data_dir() -> Path:
    """Give the absolute path of the user's data folder, which need not exist.

    A value of ``REREAD_DATA_DIR`` that is not empty is taken as it is (a
    leading ``~`` names the home folder, a relative path starts at the current
    folder); otherwise the operating system's place for user data is given.
    """
    chosen = os.environ.get(DATA_DIR_VARIABLE, "")
    if chosen:
        return Path(chosen).expanduser().absolute()
    return Path(platformdirs.user_data_dir("reread", appauthor=False)).absolute()


def session_file() -> Path:
    """Give the file that holds how the window was left, which need not exist."""
    return data_dir() / "window.json"
