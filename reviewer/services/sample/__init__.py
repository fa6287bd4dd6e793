"""The sample: two small agent runs that show every verdict and every kind of placeholder.

They are written by the same code that producers use (`store.run_writer`), in
English and in Chinese, and come out the same, byte for byte, each time.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import orjson

from reviewer.services.sample.incident import write_incident
from reviewer.services.sample.lease import write_lease
from reviewer.services.sample.story import PRODUCER

__all__ = ["STORIES", "SampleRefused", "write_sample"]

STORIES = {"incident-review": write_incident, "lease-review": write_lease}
"""The name of each run folder, and what writes it."""


class SampleRefused(RuntimeError):
    """The sample would replace something that is not the sample; nothing was written."""


def write_sample(folder: Path) -> Sequence[Path]:
    """Write the sample run folders into *folder* and return their places.

    An earlier sample there is replaced.  Raises `SampleRefused` where a name
    is taken by anything else, and `OSError` where nothing can be written.
    """
    places = [folder / name for name in STORIES]
    for place in places:
        if place.is_symlink() or (place.exists() and not _is_sample(place)):
            raise SampleRefused(
                f"{place} is there already and is no sample; move it, or choose another folder"
            )
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".sample-", dir=folder) as made:
        for name, write in STORIES.items():
            write(Path(made) / name)
        for name, place in zip(STORIES, places, strict=True):
            if place.exists():
                shutil.rmtree(place)
            (Path(made) / name).replace(place)
    return places


def _is_sample(place: Path) -> bool:
    """Tell whether a folder holds a sample, by what its manifest says, or nothing at all."""
    try:
        if not any(place.iterdir()):
            return True
        manifest = orjson.loads((place / "manifest.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return False
    producer = manifest.get("producer") if isinstance(manifest, dict) else None
    return isinstance(producer, dict) and producer.get("name") == PRODUCER
