#!/bin/sh
# Makes the virtual environment in the folder $1 with the first Python that is new enough.
# $PYTHON, where it is set, is tried before the others.
set -eu
folder=$1

python=
for name in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
    if command -v "$name" >/dev/null 2>&1 &&
        "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        python=$name
        break
    fi
done
if [ -z "$python" ]; then
    echo "error: Reread needs Python 3.11 or newer, and no such python3 is on the PATH." >&2
    echo "  Install one, or name it: make setup PYTHON=/path/to/python3" >&2
    exit 1
fi

# Debian and Ubuntu keep what venv needs in a package of its own.
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "$python cannot make virtual environments: installing python$version-venv"
        apt-get -qq update >/dev/null || true
        DEBIAN_FRONTEND=noninteractive apt-get -qq install -y "python$version-venv" >/dev/null || true
    fi
    if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        echo "error: $python cannot make virtual environments (no module 'ensurepip')." >&2
        echo "  On Debian or Ubuntu: sudo apt-get install python$version-venv" >&2
        echo "  Elsewhere: install a Python with venv, or name another: make setup PYTHON=..." >&2
        exit 1
    fi
fi

echo "Making $folder with $("$python" --version)"
"$python" -m venv --clear "$folder"
