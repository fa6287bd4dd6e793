"""The audit is a function of the run: the same every time, and no dearer than what changed."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.audit.engine import audit
from reviewer.audit.rules import rules
from store.records.findings import Audit, Form, Verdict
from store.records.runs import Run
from store.records.sources import Selection, SourceKind
from store.records.text import Span, Unit
from tests.unit.audit_runs import TEXT, Talk, at, chars, verdicts

HOME = Path(__file__).resolve().parents[2]
FEW = settings(max_examples=60)


def told(value: object) -> object:
    """Return *value* as JSON can hold it, sets in order, nothing left out."""
    if is_dataclass(value) and not isinstance(value, type):
        return [told(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, frozenset | set):
        return sorted(map(repr, value))
    if isinstance(value, tuple | list):
        return [told(item) for item in value]
    if hasattr(value, "items"):
        return sorted((str(key), told(item)) for key, item in value.items())
    return value


def digest(found: Audit) -> str:
    """Return a hash over everything that an audit says."""
    return hashlib.sha256(json.dumps(told(found), default=repr).encode()).hexdigest()


def busy_run() -> Run:
    """Return a run with several of everything, in which the order of sets could show."""
    talk = Talk()
    for number in range(6):
        talk.source(f"doc-{number}", f"Source number {number} says: {TEXT}", blocks=[("b", 0, 20)])
    rows = "".join(f'{{"id": "{name}", "n": {n}, "t": "x"}}\n' for n, name in enumerate("abcdef"))
    talk.source("table", rows, kind=SourceKind.TABLE, key="id")
    for number in range(6):
        text = f"Source number {number} says: {TEXT}"
        payload = json.dumps({"doc_id": f"doc-{number}", "content": text})
        talk.result(payload, chars(f"doc-{number}"), id=f"r{number}")
        talk.call()
    shown = '[{"id": "a", "n": 0}, {"t": "x", "id": "b"}, {"id": "b"}]'
    talk.result(shown, Selection("table", "", Unit.ROW, (Span(0, 3),)), id="rows")
    talk.call()
    talk.replace(0, "[cleared]")
    talk.replace(3, TEXT[:40])
    talk.answer(
        *(at(f"doc-{number}", 0, 60) for number in range(6)),
        at("table", 0, 2, unit=Unit.ROW),
        at("table", 0, 2, unit=Unit.ROW, fields=("id", "n")),
    )
    return talk.run()


def test_one_run_gives_one_audit_whatever_the_hash_seed() -> None:
    script = (
        "from tests.unit.test_audit_purity import audit, busy_run, digest;"
        "print(digest(audit(busy_run(), len, 'characters')))"
    )
    found = {
        subprocess.run(  # noqa: S603 - our own interpreter and words
            [sys.executable, "-c", script],
            cwd=HOME,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2026")
    }
    assert found == {digest(audit(busy_run(), len, "characters")) + "\n"}


def test_an_audit_leaves_nothing_behind_that_changes_the_next() -> None:
    run = busy_run()
    first = digest(audit(run))
    audit(Talk().run())
    assert digest(audit(run)) == first


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_the_order_of_keys_in_what_a_tool_declares_changes_nothing(rule: object) -> None:
    run = rule.failing()  # type: ignore[attr-defined]
    turned = run.__class__(
        **{
            **{field.name: getattr(run, field.name) for field in fields(run)},
            "tool_results": tuple(
                result.__class__(
                    **{
                        **{f.name: getattr(result, f.name) for f in fields(result)},
                        "declared": dict(reversed(list(result.declared.items()))),
                    }
                )
                for result in run.tool_results
            ),
        }
    )
    assert digest(audit(turned)) == digest(audit(run))


def growing(calls: int) -> Run:
    """Return a run in which each call appends one read, and the last one answers."""
    talk = Talk()
    for number in range(calls):
        text = f"Reading {number} gave the words {number * 7919} and nothing else.\n"
        talk.source(f"doc-{number}", text)
        talk.result(text, chars(f"doc-{number}"), id=f"r{number}")
        talk.call()
    talk.answer(at("doc-0", 0, 20), at(f"doc-{calls - 1}", 0, 20))
    return talk.run()


def test_only_the_requests_of_cited_answers_are_ever_expanded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[set[int]] = []
    real = Run.requests

    def counting(self: Run, wanted: Collection[int] | None = None) -> Iterator[tuple[int, ...]]:
        assert wanted is not None, "every request of a run was expanded"
        asked.append(set(wanted))
        return real(self, wanted)

    monkeypatch.setattr(Run, "requests", counting)
    run = growing(40)
    assert verdicts(audit(run)) == [Verdict.READ, Verdict.READ]
    assert set().union(*asked) == {41}
    assert len(asked) == 1


def test_each_text_is_tokenized_once_however_many_calls_hold_it() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    run = growing(40)
    audit(run, count, "characters")
    assert len(counted) == sum(len(message.parts) for message in run.messages)


# -- attacks by chance: small alphabets make texts repeat themselves -------------------

WORDS = st.sampled_from(["alpha beta ", "gamma ", "delta\n", "epsilon zeta eta theta ", "x"])
TEXTS = st.lists(WORDS, min_size=1, max_size=12).map("".join)


def ink(text: str) -> str:
    """Return *text* without its white space."""
    return "".join(text.split())


def whole_agreement(text: str, start: int, payload: str, place: int) -> str:
    """Return the ink that *text* and *payload* share around two places that agree."""
    left, right = ink(text), ink(payload)
    i, j = len(ink(text[:start])), len(ink(payload[:place]))
    before = 0
    while before < min(i, j) and left[i - before - 1] == right[j - before - 1]:
        before += 1
    behind = 0
    while behind < min(len(left) - i, len(right) - j) and left[i + behind] == right[j + behind]:
        behind += 1
    return left[i - before : i + behind]


@FEW
@given(st.lists(TEXTS, min_size=1, max_size=3), st.lists(WORDS, max_size=8).map("".join), st.data())
def test_whatever_is_called_delivered_stands_in_the_payload(
    texts: list[str], around: str, data: st.DataObject
) -> None:
    talk = Talk()
    for number, text in enumerate(texts):
        talk.source(f"doc-{number}", text)
    number = data.draw(st.integers(0, len(texts) - 1))
    ends = sorted(data.draw(st.tuples(*[st.integers(0, len(texts[number]))] * 4)))
    payload = around + texts[number][ends[0] : ends[2]] + around
    selected = data.draw(st.sampled_from([(), (chars(f"doc-{number}", (ends[1], ends[3])),)]))
    talk.result(payload, *selected)
    for delivery in talk.judged().deliveries:
        text = texts[int(delivery.version.source_id[4:])]
        words = ink(text[delivery.span.start : delivery.span.end])
        place = payload[delivery.message_span.start : delivery.message_span.end]
        assert words == ink(place)
        if delivery.form is Form.FULL:
            assert text[delivery.span.start : delivery.span.end] == place
        if delivery.address == "text":
            # a piece is cut behind a seam: what must fit one place is all that agrees around it
            agreed = whole_agreement(
                text, delivery.span.start, payload, delivery.message_span.start
            )
            fits = [ink(text)[at:].startswith(agreed) for text in texts for at in range(len(text))]
            assert sum(fits) == 1
            assert words in agreed


@FEW
@given(TEXTS, st.data())
def test_a_selection_that_came_as_it_is_stored_is_read(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    if not ink(text[start:end]):
        return
    for payload in (text[start:end], json.dumps({"doc_id": "doc", "content": text[start:end]})):
        talk = Talk()
        talk.source("doc", text)
        talk.result(payload, chars("doc", (start, end)))
        assert verdicts(talk.judged(at("doc", start, end))) == [Verdict.READ]


@FEW
@given(TEXTS, st.data())
def test_after_the_only_result_was_cleared_nothing_is_read(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    talk = Talk()
    talk.source("doc", text)
    talk.result(text, chars("doc"))
    talk.call()
    talk.replace(0, "[cleared]")
    (found,) = talk.judged(at("doc", start, end)).citations
    assert found.verdict is (Verdict.FROM_MEMORY if ink(text) else Verdict.PLACEHOLDER_ONLY)
