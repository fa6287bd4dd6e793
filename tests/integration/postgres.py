"""A real PostgreSQL server for the tests, from the system's packages: made, started, stopped."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_PACKAGED = "/usr/lib/postgresql"


def _programs() -> Path | None:
    """Return the folder with initdb and pg_ctl, which some systems keep out of the path."""
    held = shutil.which("initdb")
    if held is not None:
        return Path(held).parent
    found = sorted(Path(_PACKAGED).glob("*/bin/initdb"))
    return found[-1].parent if found else None


def _user() -> str | None:
    """Return whom to run the server as: it refuses to run as root."""
    if os.geteuid():
        return None
    names = {each.pw_name for each in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)


@contextmanager
def running() -> Iterator[str]:
    """Give the address of a server that nobody else can reach; skip where there is none."""
    programs = _programs()
    if programs is None:
        if os.environ.get("CI"):
            pytest.fail("no PostgreSQL here; .ci/run installs it")
        pytest.skip("no PostgreSQL here; install the package postgresql")
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        if user:
            shutil.chown(folder, user)
        data = folder / "data"

        def call(program: str, *arguments: str) -> None:
            subprocess.run(  # noqa: S603 - the system's own program
                [programs / program, *arguments],
                user=user,
                check=True,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                timeout=120,
            )

        call("initdb", "-D", str(data), "-U", "team", "-A", "trust", "-E", "UTF8", "--no-sync")
        # A socket in its own folder and no port: no network, and no other test's server.
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        call("pg_ctl", "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")
        try:
            yield f"postgresql+psycopg://team@/postgres?host={folder}"
        finally:
            call("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
