"""Rows of a Parquet file, batch by batch; a damaged or hostile file ends in an error.

The reader is the one of Apache Arrow in Rust.  It never runs what a file
holds; where it gives up in its own way (a panic), that is an error like others.
Format facts: the Apache Parquet format specification (magic at both ends, the
names of the columns in the footer).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from store.importers import _files
from store.stopping import StoppedError, go_on

__all__ = ["MAGIC", "ParquetError", "names_in_footer", "rows_of"]

MAGIC: Final = b"PAR1"
_FOOTER: Final = 256 * 1024
_BATCH: Final = 64
"""Rows that are in memory at once: a row can hold a whole request."""
_LARGEST: Final = 1 << 30
"""Bytes of text that one file may unpack to; what grows beyond it is a bomb."""


class ParquetError(ValueError):
    """The file cannot be read as Parquet, or no further; the text says why."""


def names_in_footer(path: Path, names: Sequence[bytes]) -> bool:
    """Return whether the end of a Parquet file names all these columns."""
    try:
        with _files.open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _FOOTER))
            footer = file.read()
    except OSError:
        return False
    return all(name in footer for name in names)


def rows_of(path: Path) -> Iterator[dict[str, object]]:
    """Yield the rows of a file.  Raises `OSError` and `ParquetError`."""
    from arro3.io import read_parquet  # noqa: PLC0415 - only this format needs it

    size = 0
    with _files.open_regular(path) as file:
        reader: Any = _guarded(lambda: read_parquet(file, batch_size=_BATCH))
        while True:
            go_on()
            batch: Any = _guarded(lambda: _next(reader))
            if batch is None:
                return
            size += batch.nbytes
            if size > _LARGEST:
                raise ParquetError(f"it unpacks to more than {_LARGEST} bytes")
            columns = _guarded(lambda held=batch: _columns(held))
            for at in range(batch.num_rows):
                yield {name: values[at] for name, values in columns.items()}


def _next(reader: Any) -> object:  # noqa: ANN401 - the library has no types
    try:
        return reader.read_next_batch()
    except StopIteration:
        return None


def _columns(batch: Any) -> dict[str, list[object]]:  # noqa: ANN401 - the library has no types
    return {name: batch.column(name).to_pylist() for name in batch.column_names}


def _guarded(action: Any) -> Any:  # noqa: ANN401 - whatever the library returns
    """Return what *action* returns; whatever the library raises becomes a `ParquetError`."""
    try:
        return action()
    except (StoppedError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic in Rust is no Exception
        raise ParquetError(" ".join(str(error).split())[:200]) from None
