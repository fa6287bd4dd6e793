"""The log of the program llm (Simon Willison), in both of its forms.

``responses`` with ``prompt_json`` and ``response_json``, in which longer texts
are named (``{"$": ID}``, ``{"$r": [...]}``: condense-json; ``f:N`` is a
fragment, ``r:ID`` the answer of a row).  Newer ones keep ``messages``,
``parts`` and ``turns`` by hash; a text of fragments is a list (``text_ref``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from store.importers._capture_http import Interaction, Message
from store.importers._capture_rows import Row, json_of, rows_of
from store.importers._sqlite_copy import Database
from store.importers._wire import mapping, members, string

__all__ = ["LOGGED", "LlmLog"]

LOGGED: Final = "a program kept what it passed on to its library, and not what was on the wire"
IsResponse = Callable[[object], bool]


@dataclass(slots=True)
class LlmLog:
    """The log of the program llm, in both of its forms."""

    database: Database
    is_response: IsResponse

    def responses(self) -> Iterator[Interaction]:
        """Yield the rows of ``responses`` in the order in which they were added."""
        said: dict[object, list[dict[str, object]]] = {}
        for row in rows_of(self.database, "responses", "ORDER BY rowid"):
            talk = row.get("conversation_id")
            before = said.get(talk, [])
            own = self._asked(row)
            kept = self._expanded(json_of(row.get("prompt_json")))
            holds = any(key in mapping(kept) for key in ("messages", "contents", "input", "prompt"))
            body: dict[str, object] = {"messages": [*before, *own]}
            body = dict(mapping(kept)) if holds else body
            body.setdefault("model", row.get("resolved_model") or row.get("model"))
            answer = self._answered(row)
            said[talk] = [*before, *own, *([answer] if answer else [])]
            yield self._interaction(body, self._response(row, answer), row)

    def _asked(self, row: Row) -> list[dict[str, object]]:
        """Return the messages that a row adds: instructions, results of tools, the question."""
        system = self._joined(row, "system_fragments", "system")
        prompt = self._joined(row, "prompt_fragments", "prompt")
        messages: list[dict[str, object]] = (
            [{"role": "system", "content": system}] if system else []
        )
        for result in rows_of(
            self.database, "tool_results", "WHERE response_id = ?", row.get("id")
        ):
            call_id, name = result.get("tool_call_id"), result.get("name")
            held = {"tool_call_id": call_id, "name": name, "content": result.get("output")}
            messages.append({"role": "tool", **held})
        if prompt:
            messages.append({"role": "user", "content": prompt})
        return messages

    def _joined(self, row: Row, table: str, column: str) -> str:
        """Return the fragments of a prompt and the prompt itself, as the program joins them."""
        texts = [
            self._fragment(each.get("fragment_id"))
            for each in rows_of(
                self.database, table, 'WHERE response_id = ? ORDER BY "order"', row.get("id")
            )
        ]
        return "\n".join(filter(None, [*texts, string(row.get(column))]))

    def _fragment(self, number: object) -> str:
        found = rows_of(self.database, "fragments", "WHERE id = ?", number)
        return next((string(each.get("content")) for each in found), "")

    def _answered(self, row: Row) -> dict[str, object]:
        calls = [
            {
                "id": call.get("tool_call_id"),
                "type": "function",
                "function": {"name": call.get("name"), "arguments": call.get("arguments")},
            }
            for call in rows_of(self.database, "tool_calls", "WHERE response_id = ?", row.get("id"))
        ]
        text = string(row.get("response"))
        if not (text or calls):
            return {}
        more: dict[str, object] = {"tool_calls": calls} if calls else {}
        return {"role": "assistant", "content": text, **more}

    def _response(self, row: Row, answer: Mapping[str, object]) -> object:
        kept = self._expanded(json_of(row.get("response_json")))
        if self.is_response(kept) and not _is_piece(mapping(kept)):
            return kept
        if not answer:
            return None
        reason = "tool_calls" if answer.get("tool_calls") else "stop"
        usage = {
            "prompt_tokens": row.get("input_tokens"),
            "completion_tokens": row.get("output_tokens"),
        }
        return {
            "id": row.get("id"),
            "object": "chat.completion",
            "model": row.get("resolved_model") or row.get("model"),
            "choices": [{"index": 0, "message": answer, "finish_reason": reason}],
            "usage": usage,
        }

    def _interaction(self, body: object, response: object, row: Row) -> Interaction:
        synthetic = mapping(response).get("object") == "chat.completion"
        return Interaction(
            0,
            method="POST",
            url="llm/chat/completions" if synthetic or response is None else "",
            request=Message(value=body),
            response=Message(value=response) if response else Message(),
            at=string(row.get("datetime_utc")) or None,
            altered=LOGGED,
        )

    def _expanded(self, value: object, depth: int = 0) -> object:
        """Put back the texts that a condensed value names."""
        if depth > 100:  # noqa: PLR2004 - deeper than any request
            return value
        if isinstance(value, list):
            return [self._expanded(each, depth + 1) for each in value]
        if not isinstance(value, dict):
            return value
        if set(value) == {"$"} and isinstance(value["$"], str):
            return self._named(value["$"])
        if set(value) == {"$r"} and isinstance(value["$r"], list):
            pieces = [self._expanded(each, depth + 1) for each in value["$r"]]
            return "".join(each for each in pieces if isinstance(each, str))
        return {key: self._expanded(each, depth + 1) for key, each in value.items()}

    def _named(self, name: str) -> str:
        if name.startswith("r:"):
            found = rows_of(self.database, "responses", "WHERE id = ?", name[2:])
            return next((string(each.get("response")) for each in found), "")
        return self._fragment(name.removeprefix("f").removeprefix(":"))

    # -- by hash ----------------------------------------------------------------------

    def turns(self) -> Iterator[Interaction]:
        """Yield the turns: the messages up to the one before, and those up to the tip."""
        for row in rows_of(self.database, "turns", "ORDER BY rowid"):
            asked = self._chain(row.get("parent_message_hash"), None)
            made = self._chain(row.get("tip_message_hash"), row.get("parent_message_hash"))
            given = [each for each in made if each.get("role") != "assistant"]
            said = [each for each in made if each.get("role") == "assistant"]
            body = {"model": row.get("model"), "messages": [*asked, *given]}
            yield self._interaction(body, self._response(row, said[-1] if said else {}), row)

    def _chain(self, name: object, until: object) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        seen: set[object] = set()
        while name and name != until and name not in seen:
            seen.add(name)
            row = next(rows_of(self.database, "messages", "WHERE hash = ?", name), None)
            if row is None:
                break
            found.append(self._message(row))
            name = row.get("parent_hash")
        return found[::-1]

    def _referred(self, pieces: object) -> str:
        """Return a text that is kept as a list of fragments and words between them."""
        listed = pieces if isinstance(pieces, list) else []
        return "".join(
            self._fragment(each["fragment"]) if "fragment" in each else string(each.get("literal"))
            for each in listed
            if isinstance(each, dict)
        )

    def _message(self, row: Row) -> dict[str, object]:
        parts = rows_of(
            self.database, "parts", "WHERE message_hash = ? ORDER BY position", row.get("hash")
        )
        texts: list[str] = []
        calls: list[dict[str, object]] = []
        result = ""
        for part in parts:
            payload = mapping(json_of(part.get("payload")))
            text = string(part.get("text")) or self._referred(payload.get("text_ref"))
            kind = string(part.get("type"))
            call_id = payload.get("tool_call_id", payload.get("id"))
            if kind == "tool_call":
                inner = {"name": part.get("tool_name"), "arguments": payload.get("arguments", text)}
                calls.append({"id": call_id, "type": "function", "function": inner})
                continue
            if kind == "tool_result":
                result = string(call_id)
                text = text or string(payload.get("output"))
            texts.append(text)
        made: dict[str, object] = {"role": row.get("role"), "content": "\n".join(texts)}
        if calls:
            made["tool_calls"] = calls
        if result:
            made.update(role="tool", tool_call_id=result)
        return made


def _is_piece(kept: Mapping[str, object]) -> bool:
    """Return whether only pieces of a chat completion are kept, and its words elsewhere."""
    choice = next(members(kept.get("choices")), {})
    return string(kept.get("object")).startswith("chat.completion") and not choice.get("message")
