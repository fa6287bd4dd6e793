"""Whatever its format, a report says what it rests on, and lacks only what could not be made."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pypdfium2
import pytest

from reviewer.audit.rules import rules
from reviewer.reports import Meta, reports
from reviewer.reports._facts import digest_of
from reviewer.services.sample import write_sample
from store.records.findings import Audit, BaselineState, Setting
from store.records.reviews import DecisionKind, finding_target
from tests.made import HASH, lost, made_audit, made_citation, made_finding, made_run
from tests.reports import decided

_FORMATS = sorted(set(reports()) - {"text"})
"""A terminal shows what fits: its reader has the record at hand."""

_RULES = tuple((rule.id, rule.version) for rule in rules())


def _audit() -> Audit:
    run = replace(made_run(), problems=(lost("runs/r-1/torn"),))
    new = replace(made_finding(), baseline=BaselineState.NEW)
    gone = replace(made_finding(message="the page was shed"), baseline=BaselineState.ABSENT)
    return replace(
        made_audit(run),
        findings=(new,),
        absent=(replace(gone, fingerprint="a" * 32),),
        settings=(Setting("rules.BUD001.tokens", 5000, "reread.toml", 7),),
    )


def _meta() -> Meta:
    target = finding_target(made_finding())
    assert target is not None
    reviews = decided((DecisionKind.FLAG, "ada", "look again"), target=target)
    return Meta("1.2.3", everything=True, reviews=reviews, baseline_name="known.json", rules=_RULES)


def _told(name: str, audit: Audit, meta: Meta) -> str:
    """Return all that a report says, without white space and the escapes of its format."""
    chunks = list(reports()[name].chunks([audit], [lost("gone.jsonl")], meta))
    if reports()[name].binary:
        data = b"".join(chunk for chunk in chunks if isinstance(chunk, bytes))
        pages = pypdfium2.PdfDocument(data)
        text = "".join(page.get_textpage().get_text_bounded() for page in pages)
    else:
        text = "".join(chunk for chunk in chunks if isinstance(chunk, str))
    return re.sub(r"[\s\\\ufffe]|&#8203;|<wbr>", "", text)


@pytest.mark.parametrize("name", _FORMATS)
def test_every_report_says_what_it_rests_on(name: str) -> None:
    audit = _audit()
    told = _told(name, audit, _meta())
    digest = digest_of(audit.run)
    assert digest
    for what, said in {
        "grade": "recorded",
        "what could not be read of the run": "runs/r-1/torn",
        "what could not be opened": "gone.jsonl",
        "who decided": "ada",
        "what was noted": "lookagain",
        "the last hash of the log": "e" * 64,
        "the version of the tool": "1.2.3",
        "a setting": "rules.BUD001.tokens",
        "the baseline": "known.json",
        "what is new": "new",
        "what is gone": "thepagewasshed",
        "the hash of the run": digest,
        "the hash of the cited version": HASH,
    }.items():
        assert said in told, what


@pytest.mark.parametrize("name", _FORMATS)
def test_every_report_names_each_rule_with_its_version(name: str) -> None:
    told = _told(name, _audit(), _meta())
    for rule, version in _RULES:
        assert re.search(rf'{rule}\W*{version}\b|"{rule}",("[^"]*",)?"{version}"', told), rule


def _broken(*_: object, **__: object) -> None:
    raise OSError("no ink left")


_CITATION_MAKERS = {
    "annotations": "annotations._Annotations._citation",
    "csv": "csv._citation",
    "html": "html._citation",
    "json": "_facts._citation",
    "junit": "junit._citation",
    "md": "md._citation",
    "pdf": "pdf.citation_blocks",
    "sarif": "_sarif_results.Results._holding",
}


@pytest.mark.parametrize("name", _FORMATS)
def test_a_citation_that_cannot_be_told_is_missing_with_the_reason(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"reviewer.reports.{_CITATION_MAKERS[name]}", _broken)
    told = _told(name, replace(_audit(), citations=(made_citation(0),)), _meta())
    assert "noinkleft" in told
    assert "itwascleared" in told


_ANSWER_MAKERS: dict[str, tuple[str, ...]] = {
    "html": ("html.answer_part", "html.setting_lines", "html.run_facts", "html.bill_sentences"),
    "md": ("md._answers", "md.setting_lines", "md.run_facts", "md.bill_sentences"),
    "pdf": ("pdf.answer_blocks", "pdf.setting_lines", "pdf.run_facts", "pdf.bill_sentences"),
}


@pytest.mark.parametrize(
    ("name", "maker"), [(name, maker) for name, held in _ANSWER_MAKERS.items() for maker in held]
)
def test_any_part_of_a_page_may_fail_alone(
    name: str, maker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"reviewer.reports.{maker}", _broken)
    told = _told(name, _audit(), _meta())
    assert told.count("Thispartcouldnotbemade:") == 2
    assert "itwascleared" in told


def test_a_record_without_one_of_its_parts_says_null_and_never_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("reviewer.reports._facts.finding_record", _broken)
    told = _told("json", _audit(), _meta())
    assert '"findings":null' in told
    assert '{"part":"findings","reason":"OSError:noinkleft"}' in told


@pytest.mark.parametrize("name", ["annotations", "csv", "junit", "sarif"])
def test_a_finding_that_cannot_be_told_is_a_problem(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers: dict[str, str] = {
        "annotations": "annotations._Annotations._finding",
        "csv": "csv._finding",
        "junit": "junit._finding",
        "sarif": "_sarif_results.Results._finding",
    }
    monkeypatch.setattr(f"reviewer.reports.{makers[name]}", _broken)
    told = _told(name, _audit(), _meta())
    assert "afindingofPLC001(OSError:noinkleft)" in told


_EACH_FORMAT = """
import sys
from reviewer.app import main
from reviewer.reports import reports

folder, into = sys.argv[1:]
for name in reports():
    main(["report", folder, "--no-decisions", "--format", name, "--output", f"{into}/{name}"])
"""


def test_every_report_has_the_same_bytes_in_any_zone_and_language_of_the_machine(
    tmp_path: Path,
) -> None:
    (folder, *_) = write_sample(tmp_path / "runs")
    machines = (("Asia/Shanghai", "C", "1"), ("America/Los_Angeles", "zh_CN.UTF-8", "77"))
    for number, (zone, language, seed) in enumerate(machines):
        (tmp_path / str(number)).mkdir()
        subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-c", _EACH_FORMAT, str(folder), str(tmp_path / str(number))],
            env={**os.environ, "TZ": zone, "LC_ALL": language, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
    for name in reports():
        first, second = ((tmp_path / str(number) / name).read_bytes() for number in (0, 1))
        assert first, name
        assert first == second, name
