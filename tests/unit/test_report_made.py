"""A report says what it was made with and which record it speaks of, so that two compare."""

import json
from dataclasses import replace
from hashlib import sha256

from reviewer import __version__
from reviewer.audit.rules import rules
from reviewer.reports import Meta, reports
from reviewer.reports._facts import digest_of
from reviewer.reports._made import made_words
from reviewer.services.exporting import report_meta
from store.digest import run_digest
from tests.made import made_audit, made_run


def test_the_json_report_names_tool_rules_and_their_versions() -> None:
    told = json.loads("".join(reports()["json"].write([made_audit()], [], report_meta())))["tool"]
    assert (told["name"], told["version"]) == ("reread", __version__)
    assert told["rules"] == {rule.id: rule.version for rule in rules()}
    lines = "".join(f"{name} {version}\n" for name, version in told["rules"].items())
    assert told["rules_sha256"] == sha256(lines.encode()).hexdigest()


def test_a_rule_of_another_version_makes_another_set_of_rules() -> None:
    meta = Meta("1", rules=(("CIT001", 1), ("PLC001", 1)))
    other = replace(meta, rules=(("CIT001", 1), ("PLC001", 2)))
    assert made_words(meta).startswith("Reread 1, 2 rules (ids and versions ")
    assert made_words(meta) != made_words(other)
    assert made_words(Meta("1")) == "Reread 1"


def test_the_json_report_holds_the_digest_of_the_run_wherever_it_lies() -> None:
    told = json.loads("".join(reports()["json"].write([made_audit()], [], Meta("1"))))
    assert told["runs"][0]["digest"] == run_digest(made_run())
    assert digest_of(made_run(path="runs/elsewhere")) == digest_of(made_run(path="runs/r-1"))
