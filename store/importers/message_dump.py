"""Message dumps: a conversation as the list of its messages, in any of four spellings.

LangChain writes them (``messages_to_dict``, ``dumps``, ``model_dump``), and so
does whoever keeps the messages he sent to OpenAI's interface.  A dump is the
state at its end: what each request held follows from a rule, and the grade
says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from store.builder import RunBuilder
from store.importers import _files
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._lc_dialects import message_of
from store.importers._lc_run import RULE, Conversation
from store.importers._lc_view import Compaction
from store.jsonin import JsonError, loads
from store.records.grades import Grade, Layer
from store.records.json_text import Node, parse, plain
from store.records.runs import OtherEvent, ProblemKind, Run

__all__ = ["IMPORTER"]

_NAME = "message-dump"
_BOM = "\ufeff"
_NOT_A_DUMP = frozenset(
    {"model", "response", "request", "choices", "usage", "trajectory", "trajectory_format", "info"}
)
"""Beside ``messages`` these make it a request body, a call log or another agent's trajectory."""
_STATES = frozenset({"values", "channel_values"})
_IDS = ("thread_id", "run_id", "session_id", "conversation_id")
_CLINE = "<task>"


def recognise(probe: Probe) -> bool:
    """Return whether the head of a file begins a dump; a head may end anywhere."""
    if probe.is_folder:
        return False
    root = parse(probe.head.decode(errors="replace").removeprefix(_BOM), tolerant=True)
    if root is None:
        return False
    value = plain(root)
    if root.kind == "object" and message_of(value) is not None:
        return True
    messages = _messages_in(value)
    if not messages and isinstance(value, list) and value:
        messages = _messages_in(value[0])
    if not messages:
        return False
    # The last one may be cut off by the end of the head.
    whole = messages if root.complete else messages[:-1]
    if not whole:
        return _may_begin_message(messages[0])
    return (
        message_of(whole[0]) is not None
        and not _is_cline(whole[0])
        and not any(map(_is_foreign_role, whole))
    )


def _is_foreign_role(value: object) -> bool:
    """Return whether it is a message with a role of another interface than OpenAI's."""
    return isinstance(value, dict) and "role" in value and message_of(value) is None


def _may_begin_message(value: object) -> bool:
    """Return whether a message, cut off within its content, can begin so."""
    return message_of(value) is not None or (isinstance(value, dict) and list(value) == ["content"])


def _is_cline(value: object) -> bool:
    """Return whether the first message is how Cline begins its history."""
    content = value.get("content") if isinstance(value, dict) else None
    first = content[0] if isinstance(content, list) and content else None
    text = first.get("text") if isinstance(first, dict) else None
    return isinstance(text, str) and text.startswith(_CLINE)


def _state_of(value: object) -> Mapping[str, object]:
    """Return the object that holds ``messages``: the value itself, or the state inside of it."""
    if not isinstance(value, dict) or (_NOT_A_DUMP & value.keys()):
        return {}
    for name in sorted(_STATES):
        inner = value.get(name)
        if isinstance(inner, dict) and "messages" in inner:
            return inner
    return value


def _messages_in(value: object) -> list[object]:
    """Return the messages of a conversation; a list is one if its first item is a message."""
    if isinstance(value, list):
        begins = bool(value) and _may_begin_message(value[0])
        return value if begins else []
    messages = _state_of(value).get("messages")
    return messages if isinstance(messages, list) else []


def read(probe: Probe) -> Iterator[Run]:
    """Yield the runs of a dump: one, or one for each conversation in its list or lines."""
    data = _bytes_of(probe)
    try:
        value = loads(data)
    except JsonError as error:
        text = data.decode(errors="surrogateescape").removeprefix(_BOM)
        root = parse(text, tolerant=True)
        if root is not None and root.complete and "\n" not in text[root.start : root.end]:
            yield from _read_lines(probe, data)
        else:
            yield _broken(probe, text, root, error)
        return
    if isinstance(value, list) and not _messages_in(value):
        conversations = [(item, f"[{at}]") for at, item in enumerate(value)]
        if all(isinstance(item, dict) and not _STATES.isdisjoint(item) for item in value):
            # Earlier states of one thread: the longest holds what the others hold.
            conversations = [max(conversations, key=lambda one: len(_messages_in(one[0])))]
    elif message_of(value) is not None:
        conversations = [([value], "")]
    else:
        conversations = [(value, "")]
    found = False
    for item, place in conversations:
        if _messages_in(item):
            found = True
            yield _conversation(probe, item, place)
    if not found:
        what = "holds no list of messages; `reread formats` lists what can be read"
        raise UnreadableError(_files.shown(probe.label), what)


def _broken(probe: Probe, text: str, root: Node | None, error: JsonError) -> Run:
    """Return what stands before the place at which a dump breaks off."""
    messages = root if root is None or root.kind == "array" else root.get("messages")
    whole = [node for node in (messages.children if messages else ()) if node.complete]
    if not whole:
        what = f"is not JSON: {error}; no whole message stands before that place"
        raise UnreadableError(_files.shown(probe.label), what)
    builder = _builder(probe, "")
    conversation = Conversation(builder)
    for at, node in enumerate(whole):
        value = loads(text[node.start : node.end].encode("utf-8", "surrogateescape"))
        _add(conversation, value, f"{probe.path.name}#messages/{at}")
    what = f"is not JSON: {error}; the {len(whole)} messages before that place were read"
    builder.problem(f"{probe.path.name}#messages/{len(whole)}", what)
    return conversation.finish()


def _read_lines(probe: Probe, data: bytes) -> Iterator[Run]:
    """Yield the runs of JSON Lines: single messages are one run, whole conversations one each."""
    lines = data.split(b"\n")
    builder = _builder(probe, "")
    single = Conversation(builder)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        origin = f"{probe.path.name}:{number}"
        try:
            value = loads(line)
        except JsonError as wrong:
            builder.problem(origin, f"this line is not JSON ({wrong}); the other lines were read")
            continue
        if message_of(value) is None and _messages_in(value):
            yield _conversation(probe, value, f":{number}")
        else:
            _add(single, value, origin)
    if builder.messages or builder.problems:
        yield single.finish()


def _conversation(probe: Probe, value: object, place: str) -> Run:
    state = _state_of(value)
    name = next((value[key] for key in _IDS if isinstance(value, dict) and value.get(key)), "")
    builder = _builder(probe, place, name if isinstance(name, str) else "")
    conversation = Conversation(builder, compaction=Compaction.of(state))
    base = f"{probe.path.name}{place}"
    files = state.get("files")
    for path, content in (files if isinstance(files, dict) else {}).items():
        conversation.add_file(path, content, f"{base}#files/{path}")
    for at, message in enumerate(_messages_in(value)):
        _add(conversation, message, f"{base}#messages/{at}")
    return conversation.finish()


def _add(conversation: Conversation, value: object, origin: str) -> None:
    message = message_of(value)
    if message is not None:
        conversation.add(message, origin)
        return
    conversation.view.skip()
    builder = conversation.builder
    raw = json.dumps(value, ensure_ascii=False)
    kind = value.get("type") if isinstance(value, dict) else None
    name = kind if isinstance(kind, str) else type(value).__name__
    builder.other_events.append(OtherEvent(name, origin, raw))
    what = f"a {name} among the messages is no message that is known; it is kept and not audited"
    builder.problem(origin, what, ProblemKind.LOST)


def _builder(probe: Probe, place: str, name: str = "") -> RunBuilder:
    return RunBuilder(
        run_id=name or f"{probe.path.name}{place}",
        path=probe.label,
        format=_NAME,
        layer=Layer.STATE,
        title=f"{probe.path.name}{place}",
    )


def _bytes_of(probe: Probe) -> bytes:
    try:
        with _files.open_regular(probe.path) as file:
            return file.read()
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise UnreadableError(_files.shown(probe.label), what) from None


IMPORTER = Importer(
    name=_NAME,
    title="Message dump (LangChain messages, OpenAI roles)",
    layer=Layer.STATE,
    grade=Grade.INFERRED,
    grade_note=f"{RULE}; unknown where the service edited a request itself",
    recognised_by="a list of messages, alone, under `messages`, or one a line",
    order=800,
    recognise=recognise,
    read=read,
)
