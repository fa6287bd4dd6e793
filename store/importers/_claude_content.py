"""What a session record gave the model: content blocks and attachments as parts.

Only what was sent is here.  ``toolUseResult`` is a copy for the screen and is
never looked at in this module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from store.importers._claude_records import Record, as_list, as_map, as_text, dump
from store.records.runs import Part, PartKind

__all__ = [
    "RECONSTRUCTED",
    "RUN_BY_API",
    "attachment_parts",
    "attachment_type",
    "block_parts",
    "is_error",
    "result_text",
    "saved_to",
]

RECONSTRUCTED = "reconstructed"
"""Status of a part whose words are not in the record but follow from it."""

RUN_BY_API = "run by the API"
"""Status of a tool call that the API ran within the call itself: it ends no turn."""

_SAVED = re.compile(
    r"\A\s*<persisted-output>\s*Output too large \([^)\n]{1,40}\)\."
    r" Full output saved to: (\S[^\n]*?)\s*\n"
    r"|\A(?:Error: )?result \([^)\n]{1,60}\) exceeds maximum allowed tokens\."
    r" Output has been saved to (\S[^\n]*?)\.?\s*(?:\n|\Z)"
)
_REFUSED = re.compile(
    r"\A\s*(?:<tool_use_error>"
    r"|File content \([^)\n]{1,40}\) exceeds maximum allowed (?:tokens|size))"
)


def block_parts(block: Mapping[str, object], *, summary: bool = False) -> list[Part]:
    """Return the parts of one content block of a message."""
    kind = as_text(block.get("type"))
    if kind == "tool_result":
        return _result_parts(block)
    return [_part(kind, block, summary=summary)]


def _part(kind: str, block: Mapping[str, object], *, summary: bool) -> Part:
    if kind == "text":
        shape = PartKind.SUMMARY if summary else PartKind.TEXT
        made = Part(shape, as_text(block.get("text")))
    elif kind == "thinking":
        size = len(as_text(block.get("signature")))
        made = Part(PartKind.REASONING, as_text(block.get("thinking")), opaque_bytes=size)
    elif kind in {"tool_use", "server_tool_use", "mcp_tool_use"}:
        name, call_id = as_text(block.get("name")), as_text(block.get("id"))
        status = "" if kind == "tool_use" else RUN_BY_API
        made = Part(PartKind.TOOL_CALL, dump(block.get("input")), call_id, name, status)
    elif kind.endswith("_tool_result"):
        call_id = as_text(block.get("tool_use_id"))
        made = Part(PartKind.TOOL_RESULT, dump(block.get("content")), call_id, kind)
    elif kind in {"image", "document"}:
        made = _media(block)
    else:
        size = len(dump(block))
        made = Part(PartKind.OPAQUE, name=kind or "unknown block", opaque_bytes=size)
    return made


def _result_parts(block: Mapping[str, object]) -> list[Part]:
    call_id = as_text(block.get("tool_use_id"))
    status = "error" if is_error(block) else "ok"
    made = [Part(PartKind.TOOL_RESULT, result_text(block) or "", call_id, status=status)]
    for piece in as_list(block.get("content")):
        inner = as_map(piece)
        if as_text(inner.get("type")) in {"image", "document"}:
            media = _media(inner)
            made.append(
                Part(media.kind, media.text, call_id, media.name, opaque_bytes=media.opaque_bytes)
            )
        elif inner.get("type") == "tool_reference":
            name = f"tool reference: {as_text(inner.get('tool_name'))}"
            made.append(Part(PartKind.OPAQUE, "", call_id, name))
        elif inner.get("type") != "text":
            size = len(dump(piece))
            made.append(Part(PartKind.OPAQUE, "", call_id, "unknown block", opaque_bytes=size))
    return made


def _media(block: Mapping[str, object]) -> Part:
    source = as_map(block.get("source"))
    name = as_text(block.get("title")) or as_text(source.get("media_type"))
    kind = PartKind.IMAGE if block.get("type") == "image" else PartKind.DOCUMENT
    if source.get("type") == "text":
        return Part(kind, as_text(source.get("data")), name=name)
    # Base64: three bytes in four characters.
    size = len(as_text(source.get("data"))) * 3 // 4
    return Part(kind if kind is PartKind.IMAGE else PartKind.OPAQUE, name=name, opaque_bytes=size)


def result_text(block: Mapping[str, object]) -> str | None:
    """Return the text of a result block, text blocks joined by line feeds; ``None`` without any."""
    content = block.get("content")
    if isinstance(content, str):
        return content
    texts = [
        as_text(as_map(piece).get("text"))
        for piece in as_list(content)
        if as_map(piece).get("type") == "text"
    ]
    return "\n".join(texts) if texts else None


def is_error(block: Mapping[str, object]) -> bool:
    """Return whether a result says that the tool failed or refused."""
    return block.get("is_error") is True or bool(_REFUSED.match(result_text(block) or ""))


def saved_to(text: str) -> str:
    """Return the path that a result too large for the request names as its whole, if it does."""
    found = _SAVED.match(text)
    return found.group(1) or found.group(2) if found else ""


def attachment_type(record: Record) -> str:
    """Return what an attachment record attaches."""
    return as_text(as_map(record.data.get("attachment")).get("type"))


def attachment_parts(record: Record) -> list[Part]:
    """Return what an attachment put into the request; empty where the record holds no such text.

    The client wraps it in a reminder whose words are not recorded.
    """
    attachment = as_map(record.data.get("attachment"))
    kind = as_text(attachment.get("type"))
    take = _TAKERS.get(kind, _content)
    return [
        Part(PartKind.TEXT, text, name=f"{label} (attachment {kind}; its wrapping is not recorded)")
        for label, text in take(attachment)
        if text
    ]


_Taken = Iterable[tuple[str, str]]


def _label(attachment: Mapping[str, object]) -> str:
    for key in ("filename", "path", "skillName", "hookName", "planFilePath", "agentType"):
        if found := as_text(attachment.get(key)):
            return found
    return as_text(attachment.get("type"))


def _strings(value: object) -> list[str]:
    """Return the texts of a string, of a list of strings, or of text blocks."""
    if isinstance(value, str):
        return [value]
    pieces = (
        piece if isinstance(piece, str) else as_text(as_map(piece).get("text"))
        for piece in as_list(value)
    )
    return [piece for piece in pieces if piece]


def _content(attachment: Mapping[str, object]) -> _Taken:
    content = attachment.get("content")
    inner = as_map(content)
    if inner:
        content = as_map(inner.get("file")).get("content") or inner.get("content")
    yield from ((_label(attachment), text) for text in _strings(content))


def _snippet(attachment: Mapping[str, object]) -> _Taken:
    yield _label(attachment), as_text(attachment.get("snippet"))


def _prompt(attachment: Mapping[str, object]) -> _Taken:
    yield from (("queued command", text) for text in _strings(attachment.get("prompt")))


def _lines(attachment: Mapping[str, object]) -> _Taken:
    for key in ("addedLines", "addedBlocks"):
        yield _label(attachment), "\n".join(_strings(attachment.get(key)))


def _several(key: str) -> Callable[[Mapping[str, object]], _Taken]:
    def take(attachment: Mapping[str, object]) -> _Taken:
        for entry in as_list(attachment.get(key)):
            one = as_map(entry)
            label = as_text(one.get("path")) or as_text(one.get("name"))
            yield label or key, as_text(one.get("content"))

    return take


def _plan(attachment: Mapping[str, object]) -> _Taken:
    yield _label(attachment), as_text(attachment.get("planContent"))


def _reminder(attachment: Mapping[str, object]) -> _Taken:
    content = attachment.get("content")
    if isinstance(content, str):
        yield _label(attachment), content
        return
    for entry in as_list(content):
        one = as_map(entry)
        yield (
            _label(attachment),
            as_text(one.get("content")) or as_text(one.get("subject")) or as_text(entry),
        )


def _hook(attachment: Mapping[str, object]) -> _Taken:
    """Only hooks that run before the model is asked speak to it; the others speak to the person."""
    if as_text(attachment.get("hookEvent")) in {"SessionStart", "UserPromptSubmit"}:
        yield from _content(attachment)


def _nothing(_: Mapping[str, object]) -> _Taken:
    return ()


_TAKERS: Mapping[str, Callable[[Mapping[str, object]], _Taken]] = {
    "deferred_tools_delta": _lines,
    "mcp_instructions_delta": _lines,
    "edited_text_file": _snippet,
    "queued_command": _prompt,
    "invoked_skills": _several("skills"),
    "relevant_memories": _several("memories"),
    "plan_file_reference": _plan,
    "todo_reminder": _reminder,
    "task_reminder": _reminder,
    "hook_success": _hook,
    "hook_system_message": _nothing,
    "hook_non_blocking_error": _nothing,
    "hook_cancelled": _nothing,
    "hook_permission_decision": _nothing,
}
