"""Look whether the system libraries are here that Qt's window needs on Linux.

Asks the dynamic linker about the Qt that is installed in this environment,
and names what is missing. As root on a system with apt-get the missing
packages are installed; elsewhere the command that installs them is printed.
Audits need none of these libraries; only the window does.

Exit status: 0 nothing is missing (or this is not Linux), 1 something is
missing or could not be determined.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

# What a window on X11 and one without a screen load. On Wayland, Xwayland serves the first.
ENTRIES = (
    "QtWidgets*.so",
    "QtNetwork*.so",
    "QtSvg*.so",
    "QtPrintSupport*.so",
    "Qt/plugins/platforms/libqxcb.so",
    "Qt/plugins/platforms/libqoffscreen.so",
    "Qt/plugins/xcbglintegrations/*.so",
)

# Library: package of Debian and Ubuntu, package of Arch. dnf and zypper find it by the library.
PACKAGES = {
    "libEGL.so.1": ("libegl1", "libglvnd"),
    "libGL.so.1": ("libgl1", "libglvnd"),
    "libGLX.so.0": ("libglx0", "libglvnd"),
    "libGLdispatch.so.0": ("libglvnd0", "libglvnd"),
    "libOpenGL.so.0": ("libopengl0", "libglvnd"),
    "libICE.so.6": ("libice6", "libice"),
    "libSM.so.6": ("libsm6", "libsm"),
    "libX11-xcb.so.1": ("libx11-xcb1", "libx11"),
    "libX11.so.6": ("libx11-6", "libx11"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig"),
    "libfreetype.so.6": ("libfreetype6", "freetype2"),
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2"),
    "libgssapi_krb5.so.2": ("libgssapi-krb5-2", "krb5"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "glib2"),
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor"),
    "libxcb-glx.so.0": ("libxcb-glx0", "libxcb"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms"),
    "libxcb-randr.so.0": ("libxcb-randr0", "libxcb"),
    "libxcb-render-util.so.0": ("libxcb-render-util0", "xcb-util-renderutil"),
    "libxcb-render.so.0": ("libxcb-render0", "libxcb"),
    "libxcb-shape.so.0": ("libxcb-shape0", "libxcb"),
    "libxcb-shm.so.0": ("libxcb-shm0", "libxcb"),
    "libxcb-sync.so.1": ("libxcb-sync1", "libxcb"),
    "libxcb-util.so.1": ("libxcb-util1", "xcb-util"),
    "libxcb-xfixes.so.0": ("libxcb-xfixes0", "libxcb"),
    "libxcb-xinerama.so.0": ("libxcb-xinerama0", "libxcb"),
    "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb"),
    "libxcb.so.1": ("libxcb1", "libxcb"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon"),
    "libz.so.1": ("zlib1g", "zlib"),
    "libzstd.so.1": ("libzstd1", "zstd"),
}


def missing_in(ldd_output: str) -> set[str]:
    """Give the libraries that ``ldd`` names as not found."""
    lines = (line.strip() for line in ldd_output.split("\n"))
    return {line.split(" ", 1)[0] for line in lines if line.endswith("=> not found")}


def missing_libraries(folder: Path) -> set[str]:
    """Ask the linker about the Qt in ``folder``; `OSError` where it cannot be asked."""
    files = [str(path) for entry in ENTRIES for path in sorted(folder.glob(entry))]
    if not files:
        raise OSError(f"no Qt libraries in {folder}")
    found: set[str] = set()
    for file in files:
        # LC_ALL: the words "not found" are translated otherwise.
        asked = subprocess.run(  # noqa: S603 - the files are those of the installed Qt
            ["ldd", file],  # noqa: S607 - the ldd of this system, wherever it keeps it
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
        if asked.returncode:
            raise OSError(f"ldd {file}: {asked.stderr.strip() or asked.stdout.strip()}")
        found |= missing_in(asked.stdout)
    return found


def debian_packages(libraries: Iterable[str]) -> list[str]:
    """Name the packages of Debian and Ubuntu that hold ``libraries``, as far as they are known."""
    return sorted({PACKAGES[library][0] for library in libraries if library in PACKAGES})


def install_command(libraries: set[str]) -> str:
    """Give what to do for ``libraries`` here: a command, or a sentence where none is known."""
    by_library = " ".join(f"'{library}()(64bit)'" for library in sorted(libraries))
    arch = sorted({PACKAGES[library][1] for library in libraries if library in PACKAGES})
    commands = {
        "apt-get": f"sudo apt-get install {' '.join(debian_packages(libraries))}",
        "dnf": f"sudo dnf install {by_library}",
        "pacman": f"sudo pacman -S --needed {' '.join(arch)}",
        "zypper": f"sudo zypper install {by_library}",
    }
    for tool, command in commands.items():
        if shutil.which(tool):
            return command
    return "install the packages of your system that hold them"


def install_with_apt(libraries: set[str]) -> None:
    """Install what is missing, where that is allowed; a failure is left to the second look."""
    tool = shutil.which("apt-get")
    packages = debian_packages(libraries)
    if not tool or not packages or os.geteuid() != 0:
        return
    print(f"Qt needs {', '.join(sorted(libraries))}: installing {' '.join(packages)}", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        subprocess.run(  # noqa: S603 - every word stands in this file
            [tool, "-qq", *arguments], check=False, env=quiet, stdout=subprocess.DEVNULL
        )


def main() -> int:
    """Look, install where allowed, look again, and say what is left."""
    if not sys.platform.startswith("linux"):
        return 0
    spec = importlib.util.find_spec("PySide6")
    folder = Path(spec.origin).parent if spec and spec.origin else Path("PySide6")
    try:
        missing = missing_libraries(folder)
        if missing:
            install_with_apt(missing)
            missing = missing_libraries(folder)
    except OSError as error:
        print(
            f"warning: could not find out whether Qt's system libraries are here: {error}\n"
            "  Audits work; if the window does not open, install what it names.",
            file=sys.stderr,
        )
        return 1
    if not missing:
        return 0
    print(
        f"warning: the window needs missing system libraries: {', '.join(sorted(missing))}\n"
        f"  To install them: {install_command(missing)}\n"
        "  Audits work without them.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
