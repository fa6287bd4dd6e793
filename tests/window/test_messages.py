"""Every message of an audit or importer is told in Chinese, with its values as they are."""

import json
import re
import string
import time

import pytest

from reviewer.audit.rules import rules
from reviewer.audit.rules._grounding import SILENT
from reviewer.services.resources import resource
from reviewer.window import i18n
from reviewer.window.i18n import tr_message
from store.jsonin import JsonError, loads
from tests.window.messages import messages

PATTERNS: dict[str, str] = json.loads(
    resource("translations/zh_CN.patterns.json").read_text(encoding="utf-8")
)
NOT_FOR_READERS = {
    # What tells a mistake in the program, a name of a format, or text of the evidence itself.
    "two rules are called {0}",
    SILENT,
    "two importers are named {0}",
    "two tables are called {0}",
    '{"schema": "{0}", "runs": [',
    '{0}{"run_id": {1}, "branch": {2}, ',
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?",
    " AND sql NOT LIKE 'CREATE VIRTUAL%'",
    "SELECT {0} FROM {1}",
    "SELECT sql FROM sqlite_master WHERE type = 'table'",
    "<persisted-output>Tool result saved to: {0}\n\nUse Read to view</persisted-output>",
    "System reminder:",
    "[... Observation truncated due to length ...]",
    "[An error occurred during execution.]",
    "<response clipped>",
    "\n[Current working directory: {0}]",
    "\n[Python interpreter: {0}]",
    "\n[Command finished with exit code {0}]",
    "ONE bash code block",
    "New task:\n{0}",
    "## Summarized at ",
    "text/plain; charset=utf-8",
    "(no summary available)",
    "\n\n...[truncated {0} chars]...\n\n",
    "(no output)",
    "\n\n(command cancelled)",
    "\n\nCommand exited with code {0}",
    (
        "The conversation history before this point was compacted into the following summary:"
        "\n\n<summary>\n"
    ),
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "Got it. Thanks for the additional context!",
    "Got it. Thanks for the context!",
    "TO LLM",
    "The following tool was executed by the user",
    "What did we do so far?",
    "[Old tool result content cleared]",
    "[Tool execution was interrupted]",
    "*** Move to: ",
    "Another language model started to solve this problem and produced a summary",
    "[omitted {0} text items ...]",
    "{0}…{1} {2} truncated…{3}",
}


@pytest.fixture(autouse=True)
def _chinese() -> None:
    i18n.set_language("zh_CN")


def test_every_message_has_a_chinese_wording() -> None:
    missing = {t: place for t, place in messages().items() if not PATTERNS.get(t)}
    assert set(missing) - NOT_FOR_READERS == set()


def test_every_rule_has_a_chinese_name() -> None:
    assert [rule.name for rule in rules() if not PATTERNS.get(rule.name)] == []


def test_no_wording_is_left_over() -> None:
    words = {text for text in PATTERNS if len(text.split()) == 1 or text.startswith("a ")}
    assert set(PATTERNS) - words - set(messages()) == set()
    assert set(messages()) >= NOT_FOR_READERS


def test_a_wording_has_the_values_of_its_message() -> None:
    def holes(text: str) -> list[str]:
        return sorted({name for _, name, _, _ in string.Formatter().parse(text) if name})

    bare = {english: re.sub("!t", "", chinese) for english, chinese in PATTERNS.items()}
    assert [e for e, c in bare.items() if "{" in e and holes(e) != holes(c)] == []


def test_values_stand_in_every_message_as_they_are() -> None:
    for english in PATTERNS:
        count = len(re.findall(r"\{\d+\}", english))
        # Signs of no word, so that no value is a message itself.
        values = [f"\u27e8{{0}}\\{n}\u27e9" for n in range(count)]
        told = tr_message(english.format(*values) if count else english)
        assert told != english or english == "null"
        assert [value for value in values if value not in told] == []


def test_what_is_joined_is_told_piece_by_piece() -> None:
    assert (
        tr_message(
            "the text of a.md was cleared and moved to a file before the last answer, last in "
            "call 4; when is not recorded, and it was not read again"
        )
        == "a.md 的文本在最后一次回答之前已被清除并移到文件，"
        "最后出现在第 4 次调用；时间没有记录，此后没有再读取"
    )
    assert (
        tr_message("some of it stands in the request of call 2; rows came without 价, 值")
        == "部分文字在第 2 次调用的请求中；行中缺少 价, 值"
    )


def test_every_rule_is_told_in_chinese() -> None:
    texts = [text for rule in rules() for text in (rule.summary, rule.why)]
    assert [text for text in texts if not re.search("[\u4e00-\u9fff]", tr_message(text))] == []


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"a" 1}', "第 1 行第 6 列缺少冒号"),
        (b"[1,\n2", "第 2 行第 2 列缺少逗号"),
        (b"[" * 200_000, "嵌套太深，无法读取"),
    ],
)
def test_what_is_wrong_with_json_is_told_in_chinese(data: bytes, told: str) -> None:
    with pytest.raises(JsonError) as caught:
        loads(data)
    what = f"this line is no JSON ({caught.value}); the rest was read; restore the line"
    assert tr_message(what) == f"这一行不是 JSON（{told}）；其余已读取；请恢复这一行"


def test_an_unknown_message_stays_as_it_is() -> None:
    assert tr_message("something new; happened here") == "something new; happened here"
    i18n.set_language("en")
    assert tr_message("names no format") == "names no format"


def test_a_hostile_message_is_told_without_delay() -> None:
    text = ("; when is not recorded and " * 500 + " count from 1, the citation starts at ")[:3900]
    begun = time.process_time()
    tr_message(text)
    tr_message("0 or more; " * 350 + "and so on")
    tr_message("{0} ({1}); the rest was read" * 100)
    assert time.process_time() - begun < 1
