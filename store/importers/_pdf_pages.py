r"""The text of the pages of a PDF, as PDFium gives it.

Providers quote a PDF in the words of PDFium: ``\r\n`` at line ends, U+0002
where a hyphen breaks a word (PDFium gives U+FFFE there), and a trailing space
as it stands.
"""

from __future__ import annotations

from typing import Any, Final

__all__ = ["PdfError", "pages_of"]

_PAGES: Final = 5000


class PdfError(ValueError):
    """The bytes are no PDF that can be read without a password."""


def pages_of(data: bytes) -> list[str]:
    """Return the text of each page.  Raises `PdfError`."""
    import pypdfium2  # noqa: PLC0415 - 8 MB that only a capture with a PDF needs

    try:
        document: Any = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise PdfError(str(error)) from None
    try:
        if len(document) > _PAGES:
            raise PdfError(f"it has {len(document)} pages, more than {_PAGES}")
        return [_text(document[number]) for number in range(len(document))]
    except pypdfium2.PdfiumError as error:
        raise PdfError(str(error)) from None
    finally:
        document.close()


def _text(page: Any) -> str:  # noqa: ANN401 - pypdfium2 has no types
    words = page.get_textpage()
    try:
        return str(words.get_text_range()).replace("\ufffe", "\x02")
    finally:
        words.close()
        page.close()
