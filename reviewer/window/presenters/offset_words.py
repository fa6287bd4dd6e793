"""How a provider counts the place of a citation, and whether its count leads to the words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reviewer.window.i18n import tr
from store.records.citations import Offsets

__all__ = ["offset_words"]

_UNITS: Mapping[str, Callable[[], str]] = {
    "codepoint": lambda: tr("code points"),
    "utf16": lambda: tr("UTF-16 units"),
    "utf8byte": lambda: tr("UTF-8 bytes"),
    "block": lambda: tr("blocks"),
    "page": lambda: tr("pages"),
    "point": lambda: tr("points between characters"),
    "marker": lambda: tr("marks in the text"),
}


def offset_words(offsets: Offsets) -> str:
    """Return the recorded place, its unit, and what holds under which way of counting."""
    named = {"start": f"{offsets.start:,}", "end": f"{offsets.end:,}"}
    unit = _unit(offsets.documented)
    place = (
        tr("Recorded place: {start} up to and with {end}, in {unit}", unit=unit, **named)
        if offsets.inclusive
        else tr("Recorded place: {start} to {end}, in {unit}", unit=unit, **named)
    )
    return tr("{place}. {held}", place=place, held=_held(offsets))


def _held(offsets: Offsets) -> str:
    if offsets.fits[:1] == (offsets.documented,):
        return tr("It leads to its words as documented.")
    if offsets.fits:
        units = tr(", ").join(_unit(each) for each in offsets.fits)
        words = tr("It leads to its words only when it is counted in {units}.", units=units)
        return words if offsets.drift is None else f"{words} {_drift(offsets, offsets.drift)}"
    if offsets.drift is not None:
        return _drift(offsets, offsets.drift)
    return tr("There are no words that could be held against it, or they are not found.")


def _drift(offsets: Offsets, drift: int) -> str:
    unit = _unit(offsets.documented)
    if drift < 0:
        return tr("Its words stand {n} {unit} before it.", n=f"{-drift:,}", unit=unit)
    return tr("Its words stand {n} {unit} behind it.", n=f"{drift:,}", unit=unit)


def _unit(name: str) -> str:
    return _UNITS[name]() if name in _UNITS else name
