"""Files that a request holds or names: what they hold becomes a source, else the grade says so.

A file that the service keeps is named by an id.  Where the capture holds its
upload, what it holds is known; where not, what the model was given of it is
not in the record.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._wire import Exchange, KeptFile, mapping, string
from store.importers._wire_documents import Document, Documents
from store.records.grades import Grade
from store.records.runs import Part

__all__ = ["Files"]

_SEALED: Final = "the file is kept by the service, and its text is not in the capture"
_PDF: Final = (
    "the request holds a PDF, whose text is shown in the words of PDFium; in which words the "
    "service gave it to the model is not recorded"
)
_TEXTUAL: Final = ("application/json", "application/xml", "application/yaml", "application/x-yaml")
_OTHER: Final = ("image/", "audio/", "video/")


@dataclass(slots=True)
class Files:
    """The files of one exchange; ``kept`` are those whose upload stands in the capture."""

    kept: Mapping[str, KeptFile] = field(default_factory=dict)
    documents: Documents = field(default_factory=Documents)
    _missing: dict[str, None] = field(default_factory=dict)
    _chained: dict[str, None] = field(default_factory=dict)
    _has_pdf: bool = False

    def part(self, inner: Mapping[str, object]) -> Part | None:
        """Return the document that a part in OpenAI's words is, or ``None``."""
        file = mapping(inner.get("file")) or inner
        name = string(file.get("filename"))
        data = string(file.get("file_data"))
        if data and not data.startswith(("http://", "https://")):
            head, comma, packed = data.partition(",")
            media = head.removeprefix("data:").partition(";")[0] if comma else ""
            return self.inline(name, media, packed if comma else data)
        places = ("file_id", "file_url", "document_url", "file_data")
        place = next((string(file.get(key)) for key in places if string(file.get(key))), "")
        return self.named(place, name) if place else None

    def inline(self, name: str, media: str, packed: str) -> Part | None:
        """Return a file whose bytes stand in the request as base64, ``None`` if it is no text."""
        try:
            data = base64.b64decode(packed)
        except (binascii.Error, ValueError):
            return None
        document = self._read(name, media, data)
        return None if document is None else document.part()

    def named(self, place: str, name: str, media: str = "") -> Part | None:
        """Return a file that is only named; ``None`` where it is a picture or a sound."""
        if media.startswith(_OTHER):
            return None
        return self.document(place, name).part()

    def document(self, place: str, name: str) -> Document:
        """Keep a file that is only named, with its text where its upload is known."""
        file = self.kept.get(place)
        found = None
        if file is not None:
            found = self._read(name or file.name, file.media_type, file.data)
        if found is None:
            self._missing[place] = None
            return self.documents.add(name or place, name, None, _SEALED, result=False)
        self._chained[place] = None
        return found

    def _read(self, name: str, media: str, data: bytes) -> Document | None:
        if media == "application/pdf" or data.startswith(b"%PDF"):
            self._has_pdf = True
            return self.documents.add_pdf(name, name, data)
        if media and not media.startswith("text/") and media not in _TEXTUAL:
            return None
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return None
        return self.documents.add(name, name, (text,), "", result=False)

    def judge(self, exchange: Exchange, *, in_pdfium: bool = False) -> None:
        """Keep the sources, and say what files do to the grade.

        *in_pdfium* is true where the service is known to read a PDF in the
        words of PDFium.
        """
        if self._has_pdf and not in_pdfium:
            exchange.doubt(Grade.INFERRED, _PDF)
        exchange.versions += self.documents.versions()
        for place in self._chained:
            what = f"the request names the file {place}: what that holds was taken from the capture"
            exchange.doubt(Grade.DERIVED, what)
        for place in self._missing:
            what = (
                f"the request names the file {place}, which the service keeps or fetches, and the "
                "capture does not hold what the model was given of it"
            )
            exchange.doubt(Grade.UNKNOWN, what)
