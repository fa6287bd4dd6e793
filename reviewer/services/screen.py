"""Tells whether a window can be opened here, before Qt is asked: Qt ends the process where not."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

__all__ = ["missing_text", "window_obstacle"]

_WITHOUT_SCREEN = frozenset({"offscreen", "minimal", "vnc", "linuxfb", "eglfs"})
_PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libOpenGL.so.0": "libopengl0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xinerama.so.0": "libxcb-xinerama0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}


def window_obstacle(environment: Mapping[str, str] | None = None) -> str:
    """Return why no window can be opened here, in one sentence, or nothing where one can.

    Looks at the variables of the screen, at Qt itself, and on X11 at Qt's
    part for it and at the server.  Nothing is shown and no Qt is imported.
    """
    env = os.environ if environment is None else environment
    if find_spec("PySide6") is None:
        return "PySide6 is not installed; install it with: python -m pip install PySide6-Essentials"
    if not sys.platform.startswith("linux"):
        return ""
    platform = env.get("QT_QPA_PLATFORM", "").partition(";")[0].partition(":")[0]
    if platform in _WITHOUT_SCREEN:
        return f"there is no screen: QT_QPA_PLATFORM is {platform}"
    if not (env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")):
        return "there is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set"
    return _missing_library() or _no_server(env, platform)


def _missing_library() -> str:
    """Load Qt's part for X11, which names the first system library that is not there."""
    spec = find_spec("PySide6")
    folder = Path(spec.origin).parent if spec and spec.origin else None
    if folder is None:
        return ""
    for file in (
        folder / "Qt/lib/libQt6Widgets.so.6",
        folder / "Qt/lib/libQt6Network.so.6",
        folder / "Qt/plugins/platforms/libqxcb.so",
    ):
        if not file.exists():  # a Qt of the system, with libraries of its own
            continue
        try:
            ctypes.CDLL(str(file))
        except OSError as error:
            return missing_text(str(error))
    return ""


def missing_text(error: str) -> str:
    """Return which library an error of the dynamic linker names, and how to install it."""
    found = re.match(r"([\w.+-]+\.so[\w.]*): cannot open", error)
    if not found:
        return f"Qt's libraries cannot be loaded ({error})"
    name = found[1]
    package = _PACKAGES.get(name)
    if package and shutil.which("apt-get"):
        way = f"install it with: sudo apt-get install {package}"
    else:
        way = "install the package of your system that holds it"
    return f"the system library {name}, which Qt needs, is missing; {way}"


def _no_server(env: Mapping[str, str], platform: str) -> str:
    """Ask the X server whether it is there; Qt would end the process without it."""
    if env.get("WAYLAND_DISPLAY") and platform != "xcb":
        return ""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError as error:
        return missing_text(str(error))
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    display = env.get("DISPLAY", "")
    connection = xcb.xcb_connect(os.fsencode(display), None)
    failed = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return f"there is no screen: nothing answers at DISPLAY {display}" if failed else ""
