"""Takes credentials out of what a capture holds, before anything else sees it.

A masked text keeps its length: keys are ASCII, and so is the mask, so that
every offset that a provider counts, in whatever unit, stays what it was.
Masking is by shape (`_SHAPES`) and by the name a value has (`_NAMES`); a
password in free prose has neither and is not found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlsplit

__all__ = ["MASK", "Masker", "credentials_in_url", "is_credential", "names_credential", "shown_url"]

MASK: Final = "*"
"""Stands for one character."""

_SHORTEST: Final = 8
_KEEP: Final = 200
"""JSON nested deeper than this is masked as text: no provider nests its bodies so deep."""

_NAMES: Final = (
    r"(?:x[-_])?(?:goog[-_])?api[-_]?key|proxy[-_]authorization|authorization(?:[-_]token)?|"
    r"access[-_]?token|refresh[-_]?token|id[-_]token|auth[-_]token|bearer[-_]token|"
    r"client[-_]?secret|secret[-_]?(?:access[-_]?)?key|aws[-_]secret[-_]access[-_]key|"
    r"(?:aws[-_]|x-amz-)?(?:session|security)[-_]token|private[-_]?key|password|passwd|"
    r"(?:set[-_])?cookie|x-amz-(?:signature|credential)|encryption[-_]key|webhook[-_]secret"
)
_NAME = re.compile(f"(?:{_NAMES})", re.IGNORECASE)
_SHAPES = re.compile(
    r"(?P<pem>-----BEGIN (?:[A-Z ]+ )?PRIVATE KEY-----[^-]*(?:-----END (?:[A-Z ]+ )?"
    r"PRIVATE KEY-----)?)"
    r"|(?:Bearer|Basic|Token)[ \t]+(?P<bearer>[A-Za-z0-9+/._~=-]{16,})"
    r"|(?P<key>(?<![A-Za-z0-9+])(?-i:"
    r"sk-[A-Za-z0-9_-]{16,}|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}"
    r"|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{16,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])|ABSK[A-Za-z0-9+/=]{40,}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}"
    r"|(?:pplx|gsk|xai|hf|r8|tvly|nvapi|lsv2)[-_][A-Za-z0-9_-]{20,}"
    r"|npm_[A-Za-z0-9]{20,}|pypi-[A-Za-z0-9_-]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
    r"))"
    rf"|(?<![A-Za-z])(?:{_NAMES})(?:\\*[\"'])?[ \t]*[:=][ \t]*(?:"
    r"\\*[\"'](?P<quoted>(?![<\[*]|REDACTED)[^\s\"'<>\\]{8,})(?=\\*[\"'])"
    r"|(?P<named>(?=[^\s\"'&,;<>\\]*[0-9])[A-Za-z0-9+/._~=%-]{8,})(?=[\s\"'&,;<>\\)}\]#?|]|$))"
    r"|://[^\s/@:\"']*:(?P<user>[^\s/@\"']{3,})@",
    re.IGNORECASE,
)
_HINT = re.compile(
    r"[-_=:.]|eyj|bearer|basic|token|akia|asia|absk|aiza",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Masker:
    """Masks one capture; ``count`` says how many texts were masked."""

    count: int = 0

    def text(self, text: str) -> str:
        """Return *text* with each credential in it masked."""
        return _SHAPES.sub(self._masked, text) if _HINT.search(text) else text

    def value(self, value: object, depth: int = 0) -> object:
        """Return a JSON *value* with each credential in it masked."""
        if isinstance(value, str):
            return self.text(value)
        if depth > _KEEP:
            return self.text(repr(value)) if isinstance(value, (dict, list)) else value
        if isinstance(value, list):
            return [self.value(item, depth + 1) for item in value]
        if isinstance(value, dict):
            return {
                self.text(str(key)): self._member(key, item, depth) for key, item in value.items()
            }
        return value

    def _member(self, key: object, item: object, depth: int) -> object:
        if isinstance(item, str) and _NAME.fullmatch(str(key)) and _is_value(item):
            self.count += 1
            return MASK * len(item)
        return self.value(item, depth + 1)

    def _masked(self, found: re.Match[str]) -> str:
        name = found.lastgroup or ""
        text = found[0]
        start, end = found.span(name)
        if set(found[name]) <= {MASK}:
            return text
        self.count += 1
        at = found.start()
        return text[: start - at] + MASK * (end - start) + text[end - at :]


def _is_value(text: str) -> bool:
    """Return whether it may be a credential: no name in its place (``<TOKEN>``, ``REDACTED``)."""
    return text[:1] not in ("", "<", "[", MASK) and not text.upper().startswith("REDACTED")


def is_credential(name: str, value: str) -> bool:
    """Return whether a header or a parameter of this name holds what may be a credential."""
    return names_credential(name) and len(value) >= _SHORTEST and _is_value(value)


def names_credential(name: str) -> bool:
    """Return whether a header or a parameter of this name holds a credential, or stood for one."""
    return bool(_NAME.fullmatch(name))


def credentials_in_url(url: str) -> int:
    """Return how many parts of an address may be credentials."""
    masker = Masker()
    masker.text(url)
    try:
        query = parse_qsl(urlsplit(url).query)
    except ValueError:
        return masker.count
    named = sum(
        name.lower() in ("key", "token", "sig") for name, value in query if _is_value(value)
    )
    return masker.count + named


def shown_url(url: str) -> str:
    """Return host and path of *url*: what is in its query, user or fragment may be a key."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    return Masker().text(f"{host}{parts.path}")
