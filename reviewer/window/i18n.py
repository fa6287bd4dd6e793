"""The texts of the window in the language of its reader.

A text is looked up by its English wording, so that a missing entry shows
English and never a key.  Nothing here imports Qt: presenters use it too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache

from reviewer.services.resources import resource
from reviewer.window.messages import messages_in

__all__ = ["LANGUAGES", "changed", "language", "set_language", "tr", "tr_message", "trn"]

LANGUAGES: Mapping[str, str] = {"en": "English", "zh_CN": "简体中文"}
"""Every language by its code, with its name in itself."""

changed: list[Callable[[], None]] = []
"""What is called after the language changed, in this order.  Whoever adds itself removes itself."""

_current = ["en"]


def language() -> str:
    """Return the code of the present language."""
    return _current[0]


def set_language(code: str) -> None:
    """Change the language and tell everyone in `changed`.

    Raises `ValueError` for a code that is not in `LANGUAGES`.
    """
    if code not in LANGUAGES:
        raise ValueError(f"no language {code!r}: there are {', '.join(LANGUAGES)}")
    if code == _current[0]:
        return
    _current[0] = code
    for tell in tuple(changed):
        tell()


def tr(text: str, /, **values: object) -> str:
    """Return *text* in the present language, with ``{name}`` replaced by the value of that name.

    Without values nothing is replaced, so that braces of the text stay.
    """
    found = _catalogue(_current[0]).get(text, text)
    return found.format(**values) if values else found


def trn(one: str, many: str, n: int, /, **values: object) -> str:
    """Return the form for *n* things, with ``{n}`` replaced by the number.

    Languages without a plural have an entry for *many* only.
    """
    if _current[0] == "en":
        return (one if n == 1 else many).format(n=f"{n:,}", **values)
    return tr(many, n=f"{n:,}", **values)


def tr_message(text: str) -> str:
    """Return a message of an audit or importer in the present language.

    It is recognised by its wording; one that is not known is returned as it is.
    Values inside it are never changed.
    """
    return text if _current[0] == "en" else messages_in(_current[0]).told(text)


@cache
def _catalogue(code: str) -> Mapping[str, str]:
    if code == "en":
        return {}
    with resource(f"translations/{code}.json").open(encoding="utf-8") as stream:
        entries: dict[str, str] = json.load(stream)
    return entries
