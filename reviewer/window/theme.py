"""Colours of the window: every one by the name of what it says, in each theme.

Colour never says anything alone: views add a word, a sign or a shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from reviewer.window.restyling import restyle

__all__ = [
    "CHOICES",
    "THEMES",
    "apply",
    "base_font",
    "colour",
    "contrast",
    "present",
    "resolved",
    "set_size",
]

Choice = Literal["system", "light", "dark", "contrast"]
CHOICES: tuple[Choice, ...] = ("system", "light", "dark", "contrast")
"""What a reader can choose; "contrast" and "system" follow the system's light or dark."""

_LIGHT = {
    "paper": "#ffffff",
    "window": "#f3f4f6",
    "raised": "#e7eaee",
    "ink": "#1b1f24",
    "muted": "#57606a",
    "line": "#c4cad2",
    "accent": "#0b5cad",
    "on_accent": "#ffffff",
    "good": "#19722f",
    "open": "#865400",
    "bad": "#b3261e",
    "delivered": "#2f6fb5",
    "preview": "#7a5bb5",
    "placeholder": "#9a5b00",
    "cited": "#19722f",
    "gap": "#b3261e",
    "found": "#8f6a00",
    "current": "#0b5cad",
    "syntax.comment": "#57606a",
    "syntax.keyword": "#6f2c91",
    "syntax.name": "#0a4f8f",
    "syntax.number": "#8a3a00",
    "syntax.string": "#125c2b",
}
_DARK = {
    "paper": "#15181c",
    "window": "#1d2126",
    "raised": "#2b3138",
    "ink": "#e6e9ed",
    "muted": "#a3acb7",
    "line": "#434b55",
    "accent": "#6cb2ff",
    "on_accent": "#0d1117",
    "good": "#63cb80",
    "open": "#e3b341",
    "bad": "#ff8f86",
    "delivered": "#6aa8ee",
    "preview": "#b79bf0",
    "placeholder": "#e0a050",
    "cited": "#63cb80",
    "gap": "#ff8f86",
    "found": "#e3c341",
    "current": "#6cb2ff",
    "syntax.comment": "#a3acb7",
    "syntax.keyword": "#d7b1ff",
    "syntax.name": "#8cc8ff",
    "syntax.number": "#ffb37a",
    "syntax.string": "#8ee0a1",
}
_CONTRAST_LIGHT = {
    **_LIGHT,
    "window": "#ffffff",
    "raised": "#ffffff",
    "ink": "#000000",
    "muted": "#262626",
    "line": "#000000",
    "accent": "#003a80",
    "good": "#0b4d1c",
    "open": "#5a3700",
    "bad": "#80140e",
    "delivered": "#0a3d7a",
    "preview": "#4a2a8a",
    "placeholder": "#5e3600",
    "cited": "#0b4d1c",
    "gap": "#80140e",
    "found": "#554000",
    "current": "#003a80",
    "syntax.comment": "#262626",
    "syntax.keyword": "#4a1a66",
    "syntax.name": "#003a70",
    "syntax.number": "#5a2600",
    "syntax.string": "#0b4018",
}
_CONTRAST_DARK = {
    **_DARK,
    "paper": "#000000",
    "window": "#000000",
    "raised": "#000000",
    "ink": "#ffffff",
    "muted": "#e0e0e0",
    "line": "#ffffff",
    "accent": "#ffe14d",
    "on_accent": "#000000",
    "good": "#8ff0a4",
    "open": "#ffd75e",
    "bad": "#ffb0a8",
    "delivered": "#9fd0ff",
    "preview": "#d6c2ff",
    "placeholder": "#ffc78a",
    "cited": "#8ff0a4",
    "gap": "#ffb0a8",
    "found": "#ffe14d",
    "current": "#ffe14d",
    "syntax.comment": "#e0e0e0",
    "syntax.keyword": "#e6ccff",
    "syntax.name": "#b8deff",
    "syntax.number": "#ffd0a8",
    "syntax.string": "#b4f5c0",
}
THEMES: Mapping[str, Mapping[str, str]] = {
    "light": _LIGHT,
    "dark": _DARK,
    "contrast light": _CONTRAST_LIGHT,
    "contrast dark": _CONTRAST_DARK,
}
"""The colours of every theme, as ``#rrggbb`` by name."""

_PRESENT = ["light"]
_STYLED = "reread_styled"
"""The property of the application that says that its style was set."""
_LINEAR_UP_TO = 0.04045
"""Where the curve of sRGB begins; below it light is in proportion to the number."""

_NO_FONTS = ("Sans Serif", "Sans", "Serif", "Monospace")
_LATIN_FAMILIES = ("Noto Sans", "Cantarell", "Ubuntu", "DejaVu Sans", "Liberation Sans")
_WIDE_FAMILIES = (
    "PingFang SC",
    "Microsoft YaHei UI",
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
)

_ROLES = {
    "window": (QPalette.ColorRole.Window,),
    "paper": (QPalette.ColorRole.Base, QPalette.ColorRole.ToolTipBase),
    "raised": (QPalette.ColorRole.Button, QPalette.ColorRole.Midlight),
    "ink": (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
        QPalette.ColorRole.ToolTipText,
    ),
    "accent": (QPalette.ColorRole.Highlight, QPalette.ColorRole.Accent),
    "on_accent": (QPalette.ColorRole.HighlightedText,),
    "muted": (QPalette.ColorRole.PlaceholderText,),
    "line": (QPalette.ColorRole.Mid, QPalette.ColorRole.Dark),
    # The window shows no links: three colours of text that nothing else asks for.
    "good": (QPalette.ColorRole.Link,),
    "open": (QPalette.ColorRole.LinkVisited,),
    "bad": (QPalette.ColorRole.BrightText,),
}

_SHEET = """
QMainWindow::separator { background: palette(mid); width: 1px; height: 1px; }
QTabWidget::pane { border: 0; }
QLineEdit { padding: 3px 5px; border: 1px solid palette(placeholder-text); border-radius: 3px;
    background: palette(base); color: palette(text); }
QLineEdit:focus { border: 1px solid palette(highlight); }
QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid palette(placeholder-text);
    border-radius: 2px; background: palette(base); }
QCheckBox::indicator:checked { width: 8px; height: 8px; padding: 2px;
    background: palette(highlight); background-clip: content; }
QCheckBox:focus { text-decoration: underline; }
QTabBar::tab { padding: 6px 14px; border: 0; border-bottom: 2px solid transparent;
    color: palette(placeholder-text); background: palette(window); }
QTabBar::tab:selected { color: palette(text); border-bottom: 2px solid palette(highlight); }
QTabBar::tab:hover { color: palette(text); }
QTabBar::tab:focus { background: palette(button); }
QDockWidget::title { padding: 6px 8px; background: palette(window); text-align: left; }
QHeaderView::section { padding: 4px 6px; border: 0; border-right: 1px solid palette(mid);
    border-bottom: 1px solid palette(mid); background: palette(window);
    color: palette(placeholder-text); }
QStatusBar::item { border: 0; }
QToolTip { color: palette(text); background: palette(base); border: 1px solid palette(mid);
    padding: 3px; }
QLabel[tone="muted"] { color: palette(placeholder-text); }
QLabel[tone="good"] { color: palette(link); }
QLabel[tone="open"] { color: palette(link-visited); }
QLabel[tone="bad"] { color: palette(bright-text); }
QPlainTextEdit#note_text { border: 1px solid palette(placeholder-text); border-radius: 3px; }
QPlainTextEdit#note_text:focus { border: 1px solid palette(highlight); }
QFrame#problem_bar { background: palette(button); border: 0;
    border-left: 4px solid palette(link-visited); }
QListWidget#recent_runs { background: palette(window); }
QPushButton#choice { border: 1px solid palette(mid);
    border-radius: 6px; background: palette(base); }
QPushButton#choice:hover, QPushButton#choice:focus { border: 2px solid palette(highlight); }
"""
"""What no palette can say.  It names roles of the palette and is set once: setting a style
sheet takes the style of every widget down and puts it up again."""


def present() -> str:
    """Return the name of the theme that is shown."""
    return _PRESENT[0]


def colour(name: str) -> QColor:
    """Return a colour of the present theme.  Raises `KeyError` for a name it does not have."""
    return QColor(THEMES[_PRESENT[0]][name])


def resolved(choice: str) -> str:
    """Return the theme that *choice* means on this system at this moment."""
    hints = QGuiApplication.styleHints()
    dark = hints.colorScheme() == Qt.ColorScheme.Dark
    if choice in ("light", "dark"):
        return choice
    if choice == "contrast" or _system_wants_contrast():
        return "contrast dark" if dark else "contrast light"
    return "dark" if dark else "light"


def apply(choice: str) -> None:
    """Show the theme that *choice* means; every widget gets a change of palette.

    What is seen has its colours at the end of the turn of the event loop, the rest soon after.
    """
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        return
    name = resolved(choice)
    _PRESENT[0] = name
    tokens = THEMES[name]
    if not app.property(_STYLED):  # a style that is set again would be deleted under its widgets
        # Without it a widget that a style sheet speaks of takes no other size of text.
        app.setAttribute(Qt.ApplicationAttribute.AA_UseStyleSheetPropagationInWidgetStyles)
        app.setStyle("fusion")
        app.setStyleSheet(_SHEET)
        app.setProperty(_STYLED, True)  # noqa: FBT003 - Qt's signature
    palette = _palette(tokens)
    app.setPalette(palette)
    for widget in app.topLevelWidgets():
        widget.setPalette(palette)
        # Views that paint with `colour` hear of it even where their own palette did not change.
        QApplication.sendEvent(widget, QEvent(QEvent.Type.PaletteChange))
    restyle()


def base_font(system: QFont) -> QFont:
    """Return the system's font with fonts for Chinese, Japanese and Korean behind it, named.

    Left to itself Qt may choose a bold face for what the first font lacks.
    """
    font = QFont(system)
    families = QFontDatabase.families()
    # "Sans Serif" and the like are names of no font, and would be passed over.
    wanted = (system.family(), QFontInfo(system).family(), *_LATIN_FAMILIES)
    real = [each for each in wanted if each in families and each not in _NO_FONTS]
    first = real[0] if real else system.family()
    font.setFamilies([first, *(each for each in _WIDE_FAMILIES if each in families)])
    return font


def set_size(window: QWidget, base: QFont, percent: int) -> None:
    """Show the text of *window*, and of dialogs to come, at *percent* of the font *base*."""
    font = QFont(base)
    font.setPointSizeF(base.pointSizeF() * percent / 100)
    QApplication.setFont(font)  # for dialogs
    window.setFont(font)
    for label in window.findChildren(QLabel):
        larger = label.property("larger")
        if larger:
            own = QFont(font)
            own.setPointSizeF(font.pointSizeF() * float(larger))
            own.setBold(True)
            label.setFont(own)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two ``#rrggbb`` colours as WCAG 2 defines it, from 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _palette(tokens: Mapping[str, str]) -> QPalette:
    palette = QPalette()
    for name, roles in _ROLES.items():
        for role in roles:
            palette.setColor(role, QColor(tokens[name]))
    palette.setColor(QPalette.ColorRole.AlternateBase, QColor(tokens["window"]))
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
    ):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens["muted"]))
    return palette


def _system_wants_contrast() -> bool:
    hints = QGuiApplication.styleHints()
    if not hasattr(hints, "accessibility"):  # Qt before 6.10 does not tell
        return False
    return bool(hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast)


def _luminance(colour_text: str) -> float:
    parts = (int(colour_text[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [
        part / 12.92 if part <= _LINEAR_UP_TO else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
