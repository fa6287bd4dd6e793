"""Message dumps: a conversation as the list of its messages, in any of four spellings.

LangChain writes them (``messages_to_dict``, ``dumps``, ``model_dump``), and so
does whoever keeps the messages he sent to OpenAI's interface.  A dump is the
state at its end: what each request held follows from a rule, and the grade
says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from store.builder import RunBuilder
from store.importers import _files
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._heads import beginning
from store.importers._lc_containers import Found, Held, find, messages_in, shown, state_of, whole
from store.importers._lc_dialects import message_of
from store.importers._lc_run import RULE, Conversation
from store.importers._lc_view import Compaction, unplaced_summary
from store.jsonin import JsonError, loads
from store.records.grades import Grade, Layer
from store.records.json_text import Node, parse
from store.records.runs import OtherEvent, Problem, ProblemKind, Run

__all__ = ["IMPORTER"]

_NAME = "message-dump"
_BOM = "\ufeff"
_IDS = ("thread_id", "run_id", "session_id", "conversation_id")
_CLINE = "<task>"
_NAMED = 3
"""How many places without a message are named; the others are counted."""
_WORDS = (b'"role"', b'"content"', b'"kwargs"')
"""A message has one of these keys; without one no head begins a dump."""


def recognise(probe: Probe) -> bool:
    """Return whether the head of a file begins a dump; a head may end anywhere."""
    value, complete = beginning(probe.head)
    if value is None or not any(word in probe.head for word in _WORDS):
        return False
    held = find(value).held
    if not held:
        return not complete and _begins_with_content(value)
    messages = messages_in(held[0].value)
    # The last one may be cut off by the end of the head.
    first = messages if complete else messages[:-1] or messages
    return not _is_cline(first[0]) and not any(map(_is_foreign_role, first))


def _is_foreign_role(value: object) -> bool:
    """Return whether it is a message with a role of another interface than OpenAI's."""
    return isinstance(value, dict) and "role" in value and message_of(value) is None


def _begins_with_content(value: object) -> bool:
    """Return whether it begins with a message that is cut off within its content."""
    messages = value if isinstance(value, list) else state_of(value).get("messages")
    first = messages[0] if isinstance(messages, list) and messages else None
    return isinstance(first, dict) and list(first) == ["content"]


def _is_cline(value: object) -> bool:
    """Return whether the first message is how Cline begins its history."""
    content = value.get("content") if isinstance(value, dict) else None
    first = content[0] if isinstance(content, list) and content else None
    text = first.get("text") if isinstance(first, dict) else None
    return isinstance(text, str) and text.startswith(_CLINE)


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
            yield from _broken(probe, text, root, error)
        return
    found = find(value)
    if not found.held:
        what = "holds no list of messages; `reread formats` lists what can be read"
        raise UnreadableError(_files.shown(probe.label), what)
    yield from _runs(probe, found)


def _runs(probe: Probe, found: Found, line: str = "", lost: Problem | None = None) -> Iterator[Run]:
    """Yield a run for each conversation.

    The first says what beside them was not read, the last what is *lost* behind it.
    """
    for held in found.held:
        conversation = _conversation(probe, held, line)
        problems = conversation.builder.problems
        if held is found.held[0]:
            problems.extend(_notes(f"{probe.path.name}{line}", found))
        if lost is not None and held is found.held[-1]:
            problems.append(lost)
        yield conversation.finish()


def _notes(name: str, found: Found) -> list[Problem]:
    if not found.others:
        return []
    count = len(found.others)
    places = ", ".join(_files.shown(shown(keys)) for keys in found.others[:_NAMED])
    more = f" and {count - _NAMED} more" if count > _NAMED else ""
    what = f"holds no message at {places}{more}; what stands there was not read"
    return [Problem(name, what, ProblemKind.NOTED)]


def _broken(probe: Probe, text: str, root: Node | None, error: JsonError) -> Iterator[Run]:
    """Yield what stands before the place at which a dump breaks off."""
    found = find(whole(root, text)) if root is not None else Found()
    if not found.held:
        what = f"is not JSON: {error}; no whole message stands before that place"
        raise UnreadableError(_files.shown(probe.label), what)
    last = found.held[-1]
    count = len(messages_in(last.value))
    what = f"is not JSON: {error}; the {count} messages before that place were read"
    lost = Problem(f"{_origin(probe, last, '')}/{count}", what)
    yield from _runs(probe, found, lost=lost)


def _read_lines(probe: Probe, data: bytes) -> Iterator[Run]:
    """Yield the runs of JSON Lines: single messages are one run, whole conversations one each."""
    lines = data.split(b"\n")
    builder = _builder(probe, probe.path.name)
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
        found = Found() if message_of(value) is not None else find(value)
        if found.held:
            yield from _runs(probe, found, f":{number}")
        else:
            _add(single, value, origin)
    if builder.messages or builder.problems:
        yield single.finish()


def _conversation(probe: Probe, held: Held, line: str) -> Conversation:
    """Return the conversation with all its messages, and the files of its state."""
    value = held.value
    is_message = message_of(value) is not None
    state = {} if is_message else state_of(value)
    builder = _builder(probe, *_names(probe, held, line))
    conversation = Conversation(
        builder, compaction=Compaction.of(state), unknown=unplaced_summary(state)
    )
    base = _origin(probe, held, line)
    files = state.get("files")
    for path, content in (files if isinstance(files, dict) else {}).items():
        conversation.add_file(path, content, f"{base.removesuffix('messages')}files/{path}")
    for at, message in enumerate(messages_in(value)):
        _add(conversation, message, f"{base}/{at}")
    return conversation


def _names(probe: Probe, held: Held, line: str) -> tuple[str, str]:
    """Return title and run id: what the conversation names itself, else where it stands."""
    value = held.value
    if any(isinstance(key, str) for key in held.keys):
        path = shown(held.keys) + ("/messages" if _is_state(value) else "")
        title = f"{probe.path.stem}{line}{path}"
        return title, title
    title = f"{probe.path.name}{line}{shown(held.keys)}"
    name = next((value[key] for key in _IDS if isinstance(value, dict) and value.get(key)), "")
    return title, name if isinstance(name, str) and name and _is_state(value) else title


def _is_state(value: object) -> bool:
    return isinstance(value, dict) and message_of(value) is None


_REMOVED = "messages were taken out before it, and which of them it was still given is not recorded"


def _origin(probe: Probe, held: Held, line: str) -> str:
    """Return the place of a conversation's messages in the file."""
    if any(isinstance(key, str) for key in held.keys):
        path = shown(held.keys).removeprefix("/") + ("/messages" if _is_state(held.value) else "")
        return f"{probe.path.name}{line}#{path}"
    return f"{probe.path.name}{line}{shown(held.keys)}#messages"


def _add(conversation: Conversation, value: object, origin: str) -> None:
    message = message_of(value)
    if message is not None:
        conversation.add(message, origin)
        return
    builder = conversation.builder
    raw = json.dumps(value, ensure_ascii=False)
    kind = value.get("type") if isinstance(value, dict) else None
    name = kind if isinstance(kind, str) else type(value).__name__
    if _removes(value):
        conversation.unknown = conversation.unknown or _REMOVED
    if isinstance(value, dict) and "lc" in value:
        conversation.add_opaque(name, len(raw.encode("utf-8", "replace")), origin)
    else:
        conversation.view.skip()
    builder.other_events.append(OtherEvent(name, origin, raw))
    what = f"a {name} among the messages is no message that is known; it is kept and not audited"
    builder.problem(origin, what, ProblemKind.LOST)


def _removes(value: object) -> bool:
    """Whether a member takes messages out of the list (``RemoveMessage`` of LangGraph)."""
    match value:
        case {"type": "remove"}:
            return True
        case {"lc": _, "id": [*_, "RemoveMessage"]}:
            return True
    return False


def _builder(probe: Probe, title: str, run_id: str = "") -> RunBuilder:
    return RunBuilder(
        run_id=run_id or title,
        path=probe.label,
        format=_NAME,
        layer=Layer.STATE,
        title=title,
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
    grade_note=f"{RULE}; unknown where the service edited a request itself, where a summary "
    "stands for messages that are not named, and where no message stands before a call",
    recognised_by="lists of messages: alone, under any keys, or one message a line",
    proves=(
        "lists of messages in four spellings; a list without the message before an answer "
        "proves nothing of its request"
    ),
    order=800,
    alone=True,
    recognise=recognise,
    read=read,
)
