"""Every rule says what it is, and its own examples prove it."""

import ast
import inspect
import re
from collections import Counter
from pathlib import Path

import pytest

from reviewer.audit.engine import audit
from reviewer.audit.rules import Rule, rules
from reviewer.audit.settings import Settings
from store.builder import RunBuilder
from store.records.findings import Finding
from store.records.grades import Layer
from store.records.runs import Run
from tests.unit.audit_runs import Talk

every_rule = pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)


def words(text: str) -> int:
    """Count tokens as words: some rules compare what was counted."""
    return len(text.split())


def told(rule: Rule, run: Run) -> tuple[Finding, ...]:
    """Return what *rule* finds in one of its examples, under the settings of these."""
    settings = Settings(rule.example)
    return audit(run, words, "words", using=[rule], settings=settings).findings


@every_rule
def test_the_passing_example_gives_no_finding_of_the_rule(rule: Rule) -> None:
    assert told(rule, rule.passing()) == ()


@every_rule
def test_the_failing_example_gives_exactly_one(rule: Rule) -> None:
    (found,) = told(rule, rule.failing())
    assert (found.rule, found.severity) == (rule.id, rule.severity)
    assert found.message
    assert re.fullmatch("[0-9a-f]{32}", found.fingerprint)


@every_rule
def test_an_empty_run_has_no_findings(rule: Rule) -> None:
    empty = RunBuilder("empty", "empty", "made", Layer.CLIENT).finish()
    assert audit(empty, using=[rule]).findings == ()
    assert audit(Talk().run(), using=[rule]).findings == ()


@every_rule
def test_it_says_what_it_checks_why_and_when_it_is_silent(rule: Rule) -> None:
    assert re.fullmatch("[A-Z]{3}[0-9]{3}", rule.id)
    assert re.fullmatch("[A-Z][A-Za-z]+", rule.name)
    assert all(text.strip() for text in (rule.summary, rule.why, rule.silent))
    assert "\n" not in rule.summary


def test_ids_and_names_are_unique_and_in_order() -> None:
    ids = [rule.id for rule in rules()]
    assert ids == sorted(set(ids))
    assert not [name for name, count in Counter(r.name for r in rules()).items() if count > 1]


def test_each_verdict_but_read_has_its_rule() -> None:
    ids = {rule.id for rule in rules()}
    assert {f"CIT{number:03d}" for number in range(1, 13)} <= ids


@every_rule
def test_a_fingerprint_is_the_same_in_a_run_of_another_name_and_path(rule: Rule) -> None:
    run = rule.failing()
    moved = run.__class__(
        **{
            **{name: getattr(run, name) for name in run.__dataclass_fields__},
            "path": "/elsewhere",
        }
    )
    one, other = (told(rule, each) for each in (run, moved))
    assert [f.fingerprint for f in one] == [f.fingerprint for f in other]


@every_rule
def test_a_fingerprint_is_made_of_facts_and_of_no_words(rule: Rule) -> None:
    """Wording may be improved: what identifies a finding holds no sentence and no message."""
    source = Path(inspect.getsourcefile(rule.check) or "").read_text("utf-8")
    made = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"finding", "of_search"}
    ]
    assert made or "verdict_check" in source
    for call in made:
        for part in call.args[5:]:
            names = {getattr(n, "attr", "") for n in ast.walk(part)}
            assert not names & {"message", "reason", "what", "said", "title", "path"}
            assert not [n for n in ast.walk(part) if isinstance(n, ast.JoinedStr)]
            words = [n.value for n in ast.walk(part) if isinstance(n, ast.Constant)]
            assert not [w for w in words if isinstance(w, str) and " " in w]
