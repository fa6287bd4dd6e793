"""Tools in the words of a model, and their results in the words of a prompt.

Older versions of Cline and Roo Code have no tool calls of the interface: the
model writes a tag, and the prompt that answers holds the result as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["Tag", "answer_of", "pieces", "tag_in"]

_TOOLS: Final = (
    *("read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content"),
    *("search_and_replace", "search_files", "list_files", "list_code_definition_names"),
    *("execute_command", "browser_action", "use_mcp_tool", "access_mcp_resource"),
    *("ask_followup_question", "attempt_completion", "plan_mode_respond", "new_task"),
    *("switch_mode", "fetch_instructions", "codebase_search", "update_todo_list", "web_fetch"),
    *("load_mcp_documentation", "condense", "summarize_task", "new_rule", "report_bug"),
)
_OPEN: Final = re.compile(rf"<({'|'.join(_TOOLS)})>")
_PARAMETER: Final = re.compile(r"<([a-z_]{1,40})>")
_HEADER: Final = re.compile(r"\A\[(\w{1,60})(?: for [^\n]{0,400})?\] Result:\n?")
_FILE: Final = re.compile(
    r'<file_content path="([^"\n]{1,1000})">\n(.*?)\n?</file_content>', re.DOTALL
)
_ANSWERS: Final = {"attempt_completion": "result", "plan_mode_respond": "response"}


@dataclass(frozen=True, slots=True)
class Tag:
    """A tool that the model asked for in its text."""

    name: str
    arguments: Mapping[str, str]


def tag_in(text: str) -> Tag | None:
    """Return the first tool that *text* asks for; the client runs one for each answer."""
    found = _OPEN.search(text)
    if found is None:
        return None
    end = text.rfind(f"</{found[1]}>")
    body = text[found.end() : end if end > 0 else len(text)]
    arguments: dict[str, str] = {}
    at = 0
    while (name := _PARAMETER.search(body, at)) is not None:
        # What a file holds may hold tags too: the last end of this name is its own.
        whole = name[1] in {"content", "diff", "result", "response"}
        close = f"</{name[1]}>"
        stop = body.rfind(close, name.end()) if whole else body.find(close, name.end())
        if stop < 0:
            at = name.end()
            continue
        value = body[name.end() : stop]
        arguments.setdefault(name[1], value.strip("\n") if whole else value.strip())
        at = stop + len(close)
    inner = arguments.pop("args", "")
    paths = re.findall(r"<path>([^<\n]{1,1000})</path>", inner)
    if len(paths) == 1:
        arguments["path"] = paths[0].strip()
    return Tag(found[1], arguments)


def answer_of(name: str, arguments: Mapping[str, object]) -> str:
    """Return what a tool call says to the user, where it ends the model's turn."""
    value = arguments.get(_ANSWERS.get(name, ""))
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a block: words, the result of a tool, or the text of a file by its path."""

    kind: str
    text: str
    name: str = ""


def pieces(text: str, *, result_follows: str = "") -> Iterator[Piece]:
    """Divide a block of a prompt; put together, the texts of the pieces are the block.

    *result_follows* is the tool whose result this block is, where the block
    before it was its header.
    """
    if result_follows:
        yield Piece("result", text, result_follows)
        return
    header = _HEADER.match(text)
    if header is not None:
        yield Piece("header", text[: header.end()], header[1])
        if header.end() < len(text):
            yield Piece("result", text[header.end() :], header[1])
        return
    at = 0
    for found in _FILE.finditer(text):
        start, end = found.span(2)
        yield Piece("text", text[at:start])
        yield Piece("file", text[start:end], found[1])
        at = end
    if at < len(text):
        yield Piece("text", text[at:])
