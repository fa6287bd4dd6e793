"""What is recorded of LangChain, and what an import of it gave, as texts that can be compared."""

import gzip
from pathlib import Path

from store.records.runs import PartKind, Run

__all__ = ["requested", "text_of", "whole"]


def whole(path: Path) -> bytes:
    """Return the bytes of a recorded file, which may lie there packed."""
    return path.read_bytes() if path.exists() else gzip.decompress(Path(f"{path}.gz").read_bytes())


def text_of(content: object) -> str:
    """Return the text of a message's content."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(block if isinstance(block, str) else block["text"] for block in blocks)


def requested(run: Run) -> list[list[str]]:
    """Return the texts of each request, without the tool calls in it."""
    texts = [
        "".join(part.text for part in message.parts if part.kind is not PartKind.TOOL_CALL)
        for message in run.messages
    ]
    return [[texts[index] for index in request] for request in run.requests()]
