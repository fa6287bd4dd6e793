"""What a shell's command returned: its own output, and the frame that an agent put around it.

Known frames: Codex in all its eras (a JSON object with ``output`` and
``metadata``; a head of lines that ends with ``Output:``), Cline and Roo Code,
Gemini CLI, mini-swe-agent, OpenHands, opencode, pi and SWE-agent.  Other agents give the
output as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from store import jsonin
from store.importers._agent_files import Shown
from store.importers._shell_reads import ShellRead

__all__ = ["Output", "output_of", "shown_by_shell"]

_HEAD: Final = re.compile(
    r"\A(?:(?:Exit code: (?P<exit>-?\d{1,6})|Chunk ID: [^\n]{1,80}|Wall time: [^\n]{1,80}"
    r"|Process exited with code (?P<code>-?\d{1,6})|Process running with session ID [^\n]{1,80}"
    r"|Original token count: \d{1,12}|Total output lines: \d{1,12}"
    r"|Warning: truncated output \(original token count: \d{1,12}\)"
    r"|Command executed[^\n]{0,1000}?(?:Exit code: (?P<roo>-?\d{1,6}))?)\n)+Output:\n"
)
_WRAPPED: Final = re.compile(
    r"\A(?:<returncode>(?P<exit>-?\d{1,6})</returncode>\n)?<output>\n(?P<text>.*)</output>\s*\Z"
    r"|\A(?:Command: [^\n]*\n(?:Directory: [^\n]*\n)?)?Output: (?P<inline>.*?)"
    r"(?:\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)*\Z",
    re.DOTALL,
)
_ELIDED: Final = re.compile(
    r"\A(?:<returncode>(?P<exit>-?\d{1,6})</returncode>\s*)?(?:<warning>.*?</warning>\s*)?"
    r"<output_head>\n(?P<head>.*?)\n</output_head>\s*<elided_chars>",
    re.DOTALL,
)
"""The frame of an output of which mini-swe-agent gives the beginning and the end."""
_TAIL: Final = re.compile(
    r"\s*(?:\[The command completed with exit code (-?\d{1,6})\.\].*"
    r"|<bash_metadata>.*</bash_metadata>|Command exited with code (-?\d{1,6})"
    r"|(?:\[(?:Current working directory: |Python interpreter: "
    r"|Command finished with exit code (-?\d{1,6}))[^\n]*\]\s*)+"
    r"|\(Open file: [^\n]*\)\s*\(Current directory: [^\n]*\)\s*bash-\$)\s*\Z",
    re.DOTALL,
)
_UNKNOWN: Final = re.compile(
    r"\A(?:(?:Command|Directory|Output|Exit [Cc]ode|OBSERVATION|Observation):"
    r"|<returncode>|<warning>|<output_head>|<exception>"
    r"|\[(?:Previous command outputs are truncated|Below is the output of the previous command)"
    r"|Your command ran successfully and did not produce any output)"
)
_TOTAL: Final = re.compile(
    r"\A(?:Warning: truncated output \(original token count: \d{1,12}\)\n)?"
    r"Total output lines: \d{1,12}\n\n?"
)
_CUT: Final = re.compile(
    r"…\d{1,12} (?:tokens|chars) truncated…|\[\.\.\. omitted \d{1,12} of \d{1,12} lines \.\.\.\]"
    r"|\[\.\.\. output truncated to fit \d{1,12} bytes \.\.\.\]"
)
_ENDING: Final = 2000
_GUTTER: Final = re.compile(r"\A *(\d{1,9})\t(.*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Output:
    """The command's own output; ``code`` its exit status, where it is recorded.

    ``cut`` says that more came behind ``text``, which ends within a line.
    """

    text: str
    code: int | None = None
    cut: bool = False

    @property
    def failed(self) -> bool:
        """Whether the record says that the command failed."""
        return self.code not in (None, 0)


def output_of(text: str) -> Output:
    """Return the output in what was sent of it."""
    if text.startswith("{"):
        try:
            value = jsonin.loads(text.encode("utf-8", "surrogatepass"))
        except jsonin.JsonError:
            value = None
        if isinstance(value, dict) and (output := _in_object(value)) is not None:
            return output
    if (elided := _ELIDED.match(text)) is not None:
        return Output(elided["head"], _number(elided["exit"]), cut=True)
    head, wrapped = _HEAD.match(text), _WRAPPED.match(text)
    if head is not None:
        return Output(text[head.end() :], _number(head["exit"] or head["code"] or head["roo"]))
    if wrapped is not None:
        held = wrapped["text"] if wrapped["text"] is not None else wrapped["inline"]
        return Output(held, _number(wrapped["exit"]))
    # The ending of a frame stands close to the end.
    tail = _TAIL.search(text, max(0, len(text) - _ENDING))
    if tail is not None and not _UNKNOWN.match(text):
        return Output(f"{text[: tail.start()]}\n", _number(tail[1] or tail[2] or tail[3]))
    return Output("" if _UNKNOWN.match(text) else text)


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _in_object(value: Mapping[str, object]) -> Output | None:
    """Return the output in the object that Codex and, since version 2, mini-swe-agent give."""
    metadata = value.get("metadata")
    code = _code(metadata.get("exit_code") if isinstance(metadata, Mapping) else None)
    code = _code(value.get("returncode")) if code is None else code
    whole, head = value.get("output"), value.get("output_head")
    if isinstance(whole, str):
        return Output(whole, code)
    return Output(head, code, cut=True) if isinstance(head, str) else None


def _code(code: object) -> int | None:
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def shown_by_shell(read: ShellRead, output: Output) -> Shown:
    """Return the lines that *output* shows of the file; up to a cut, where there is one."""
    total = _TOTAL.match(output.text)
    text = output.text[total.end() :] if total else output.text
    found = _CUT.search(text)
    cut = found.start() if found else len(text) if output.cut else None
    if cut is not None:
        # The line that the cut stands in is not whole.
        text = text[: text.rfind("\n", 0, cut) + 1]
    rows = text.removesuffix("\n").split("\n") if text else []
    lines = list(enumerate(rows, read.first))
    if read.numbered:
        lines = _without_numbers(rows, read.first)
    whole_file = read.first == 1 and read.end is None and not read.numbered
    whole = text if whole_file and cut is None and total is None else None
    end = read.end if whole is None else None
    if lines and cut is None and whole is None:
        end = lines[-1][0] + 1 if end is None else min(end, lines[-1][0] + 1)
    if lines and cut is not None and end is None:
        end = lines[-1][0] + 2  # at least the line that the cut stands in was asked for as well
    return Shown(lines, whole, read.first, end)


def _without_numbers(rows: list[str], first: int) -> list[tuple[int, str]]:
    """Return the lines without their numbers; those before the first that carries no next one."""
    lines: list[tuple[int, str]] = []
    for number, row in enumerate(rows, first):
        found = _GUTTER.match(row)
        if found is None or int(found[1]) != number:
            break
        lines.append((number, found[2]))
    return lines
