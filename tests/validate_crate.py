"""Ask rocrate-validator about a crate without a network.

    python tests/validate_crate.py FOLDER CONTEXT PROFILE...

CONTEXT is the file that stands for the page https://w3id.org/ro/crate/1.1/context,
which the validator and its JSON-LD reader would fetch.  Prints each complaint;
the exit status is 1 where there is one.
"""

import io
import json
import sys
import urllib.request
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.response import addinfourl

_PAGE = "https://w3id.org/ro/crate/1.1/context"


class _Answer:
    """What the validator's own client would have got."""

    status_code, ok = 200, True

    def __init__(self, data: bytes) -> None:
        self.content = data
        self.text = data.decode()
        self.headers = {"Content-Type": "application/ld+json"}

    def json(self) -> object:
        """Return the page."""
        return json.loads(self.content)

    def raise_for_status(self) -> None:
        """Do nothing: it is there."""


def _stay_here(context: Path) -> None:
    """Answer for the one page from the file, and for nothing else."""
    data = context.read_bytes()

    def asked(address: str) -> None:
        if address.split("#", maxsplit=1)[0] != _PAGE:
            raise OSError(f"a page that is not at hand: {address}")

    def urlopen(request: Any, *_: object, **__: object) -> object:  # noqa: ANN401 - a request or an address
        address = request if isinstance(request, str) else request.full_url
        asked(address)
        headers = Message()
        headers["Content-Type"] = "application/ld+json"
        return addinfourl(io.BytesIO(data), headers, address, 200)

    def get(_: object, address: str, **__: object) -> _Answer:
        asked(address)
        return _Answer(data)

    import rdflib._networking as rdflib_networking  # noqa: PLC0415 - only where it is asked
    from rocrate_validator.utils.http import HttpRequester  # noqa: PLC0415

    for module in (urllib.request, rdflib_networking):
        setattr(module, "urlopen", urlopen)  # noqa: B010 - neither has another way
    client = type(HttpRequester())
    client.get = client.head = get


def main(folder: str, context: str, *profiles: str) -> int:
    """Print what the validator has against the crate in *folder*."""
    _stay_here(Path(context))
    from rocrate_validator import models, services  # noqa: PLC0415 - after the network is away

    bad = 0
    for profile in profiles:
        settings = services.ValidationSettings(
            rocrate_uri=folder,
            profile_identifier=profile,
            requirement_severity=models.Severity.REQUIRED,
        )
        result = services.validate(settings)
        print(f"{profile}: {'valid' if result.passed() else 'NOT VALID'}")  # noqa: T201
        for issue in result.get_issues():
            bad += 1
            print(f"  {issue.check.identifier} {issue.message}")  # noqa: T201
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
