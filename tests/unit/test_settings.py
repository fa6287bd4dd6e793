"""``reread.toml``: what a user may set, and what a run may not."""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.app import Program
from reviewer.audit.engine import audit
from reviewer.audit.rules import Rule, rules
from reviewer.audit.rules._rule import finding
from reviewer.audit.settings import Change, Parameter, Settings, Table
from reviewer.audit.view import AuditView
from reviewer.services import settings as service
from reviewer.services.auditing import audit_paths
from reviewer.services.sample import write_sample
from reviewer.services.setting_lines import lines_of
from reviewer.services.settings import SettingsError, of_run, user_settings
from store.records.findings import Audit, Finding, Severity, Where
from store.records.runs import Problem, Run
from tests.made import command

RULE = next(rule for rule in rules() if rule.id == "CIT007")
LIMIT = Parameter("limit", 13, meaning="how many", minimum=0)
WORDS = Parameter("words", ("all",), meaning="which words")
SHARE = Parameter("share", 0.5, meaning="which part", minimum=0)
QUIET = Parameter("quiet", False, meaning="whether it whispers")  # noqa: FBT003 - a default
MODE = Parameter("mode", "near", meaning="how far", choices=("near", "far"))
SHARED = Table("shared", "what several rules share", (LIMIT,))


def _every_source(view: AuditView) -> Iterator[Finding]:
    for source in view.sources:
        limit = view.settings.value("XYZ001", LIMIT, source.source_id)
        if limit < len(source.source_id):
            where = Where(source_id=source.source_id)
            grade = view.run.grade
            yield finding("XYZ001", Severity.WARNING, grade, "long", where, source.source_id)


MADE = Rule(
    "XYZ001",
    "Made",
    Severity.WARNING,
    "a rule for tests",
    "why",
    "silent",
    _every_source,
    RULE.passing,
    RULE.failing,
    (LIMIT, WORDS, SHARE, QUIET, MODE),
    (SHARED,),
)


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """Return the folder of a sample run."""
    return write_sample(tmp_path / "sample")[0]


@pytest.fixture
def made_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "rules", lambda: (*rules(), MADE))


def written(folder: Path, text: str, name: str = "reread.toml") -> str:
    place = folder / name
    place.write_text(text, "utf-8")
    return str(place)


def audited(path: Path, settings: Settings = Settings()) -> Audit:  # noqa: B008 - it is frozen
    (found,) = (a for a in audit_paths([str(path)], tokens=False, settings=settings))
    assert isinstance(found, Audit)
    return found


def told(found: Audit, rule: str) -> list[Finding]:
    return [each for each in found.findings if each.rule == rule]


def test_a_rule_that_is_off_reports_nothing_and_is_counted(sample: Path, tmp_path: Path) -> None:
    before = audited(sample)
    here = user_settings(written(tmp_path, '[rules.CIT001]\nseverity = "off"\n'))
    found = audited(sample, here)
    assert len(told(before, "CIT001")) == 1
    assert [f for f in before.findings if f.rule != "CIT001"] == list(found.findings)
    (setting,) = found.settings
    assert (setting.off, setting.line, setting.key) == (1, 2, "rules.CIT001.severity")


def test_another_severity_leaves_the_fingerprint_as_it_is(sample: Path, tmp_path: Path) -> None:
    here = user_settings(written(tmp_path, '[rules.CIT007]\nseverity = "note"\n'))
    before, after = (told(audited(sample, s), "CIT007") for s in (Settings(), here))
    assert [f.severity for f in after] == [Severity.NOTE]
    assert [replace(f, severity=Severity.ERROR) for f in after] == before


def test_a_pattern_limits_a_setting_to_sources_case_kept(sample: Path, tmp_path: Path) -> None:
    text = (
        '[rules.CIT004]\nseverity = "warning"\n'
        '[sources."runbooks/*".CIT004]\nseverity = "note"\n'
        '[sources."RUNBOOKS/*".CIT004]\nseverity = "off"\n'
    )
    found = told(audited(sample, user_settings(written(tmp_path, text))), "CIT004")
    assert [f.severity for f in found] == [Severity.NOTE, Severity.NOTE]


def test_of_two_patterns_that_match_the_later_wins(sample: Path, tmp_path: Path) -> None:
    first, second = '[sources."*".CIT004]\nseverity = "note"\n', '[sources."run*".CIT004]\n'
    text = first + second + 'severity = "off"\n'
    assert told(audited(sample, user_settings(written(tmp_path, text))), "CIT004") == []


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('[rules.CIT001]\nseverity = "off"\n[rules.CIT999]\nseverity = "off"\n', 3, "no rule"),
        ("[rules.CIT001]\n# limit\n\nlimit = 3\n", 4, "key is unknown"),
        ('[rules.CIT001]\nseverity = "fatal"\n', 2, "one of error, warning, note, off"),
        ("title = 'x'\n\n[colours]\nred = 1\n", 1, "key is unknown"),
        ("[rules]\nCIT001 = 'off'\n", 2, "a table is expected"),
        ('[sources."a*"]\nCIT001 = {severity = "off", more = 1}\n', 2, "key is unknown"),
        ("[rules.XYZ001]\nlimit = -1\n", 2, "a whole number from 0"),
        ("[rules.XYZ001]\nlimit = true\n", 2, "a whole number from 0"),
        ("[rules.XYZ001]\nlimit = 1.0\n", 2, "a whole number from 0"),
        ("[rules.XYZ001]\nshare = nan\n", 2, "a number from 0"),
        ("[rules.XYZ001]\nquiet = 1\n", 2, "true or false"),
        ("[rules.XYZ001]\nwords = [\n 'mode',\n 3,\n]\n", 2, "a list of texts"),
        ("[rules.XYZ001]\nwords = [\n 'mode',\n]\nmode = 'up'\n", 5, "one of near, far"),
        ("[shared]\nlimit = 1\nmost = 2\n", 3, "known are limit"),
    ],
)
@pytest.mark.usefixtures("made_rule")
def test_a_mistake_is_an_error_with_its_line(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    place = written(tmp_path, text)
    with pytest.raises(SettingsError, match=said) as met:
        user_settings(place)
    assert met.value.where == f"{place}:{line}"


def test_what_is_no_toml_is_an_error_with_its_place(tmp_path: Path) -> None:
    for data in (b"[rules", b"\xff\xfe", b"a = 1\na = 2\n", b"x" * (1 << 20), b"a=" + b"9" * 9999):
        (tmp_path / "reread.toml").write_bytes(data)
        with pytest.raises(SettingsError):
            user_settings(str(tmp_path / "reread.toml"))


@pytest.mark.usefixtures("made_rule")
def test_a_parameter_holds_for_the_sources_of_its_pattern(sample: Path, tmp_path: Path) -> None:
    text = '[rules.XYZ001]\nlimit = 1000\nshare = 1\n[sources."logs/*".XYZ001]\nlimit = 0\n'
    here = user_settings(written(tmp_path, text))
    assert here.value("XYZ001", SHARE) == 1.0
    assert here.value("XYZ001", WORDS) == ("all",)
    found = audit(audited(sample).run, using=[MADE], settings=here).findings
    assert {f.where.source_id for f in found} == {"logs/gateway.log", "logs/ledger.log"}


@pytest.mark.usefixtures("made_rule")
def test_tables_that_rules_share_are_set_by_their_name(tmp_path: Path) -> None:
    here = user_settings(written(tmp_path, "[shared]\nlimit = 3\n"))
    assert here.value("shared", LIMIT) == 3
    assert here.value("XYZ001", LIMIT) == 13


def test_a_file_made_to_be_slow_is_answered_soon(tmp_path: Path) -> None:
    many = "".join(f"# limit {n}\n" for n in range(9000))
    with pytest.raises(SettingsError, match="key is unknown"):
        user_settings(written(tmp_path, f"{many}[rules.CIT001]\nlimit = 1\n"))


def test_the_line_of_each_key_is_found_in_one_pass() -> None:
    text = (
        "# a comment with [rules]\n"
        'a = """\n[not.a.table]\nb = 1\n"""\n'
        '[rules."X Y"]\nlist = [\n  "]",\n  "list",\n]\nd.e = 1\n'
        "[other]\ninline = {one = 1, two = {three = 3}}\n"
    )
    found = lines_of(text)
    assert found["a",] == 2
    assert ("not",) not in found
    assert found["rules",] == 6
    assert found["rules", "X Y", "list"] == 7
    assert found["rules", "X Y", "d", "e"] == 11
    assert found["other", "inline", "two", "three"] == 13


def test_a_file_that_was_given_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file"):
        user_settings(str(tmp_path / "none.toml"))


def test_the_working_folder_is_looked_at_where_none_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert user_settings(None) == Settings()
    written(tmp_path, '[rules.CIT001]\nseverity = "off"\n')
    other = written(tmp_path, '[rules.CIT002]\nseverity = "off"\n', "other.toml")
    assert [c.owner for c in user_settings(None).changes] == ["CIT001"]
    assert [c.owner for c in user_settings(other).changes] == ["CIT002"]


def test_a_run_can_not_excuse_itself(sample: Path) -> None:
    before = audited(sample).findings
    text = (
        '[rules.CIT001]\nseverity = "off"\n[rules.CIT002]\nseverity = "note"\n'
        '[sources."*".CIT004]\nseverity = "off"\n[rules.CIT006]\nseverity = "error"\n'
    )
    written(sample, text)
    found = audited(sample)
    raised = [f for f in found.findings if f.rule == "CIT006"]
    assert {f.severity for f in raised} == {Severity.ERROR}
    others = [f for f in found.findings if f.rule != "CIT006"]
    assert others == [f for f in before if f.rule != "CIT006"]
    assert [(s.is_evidence, s.off, s.refused) for s in found.settings] == [
        (True, 0, 1),
        (True, 0, 1),
        (True, 0, 0),
        (True, 0, 2),
    ]


def test_a_run_may_not_hide_findings_with_a_parameter(sample: Path) -> None:
    run = audited(sample).run
    asked = Change("XYZ001", "limit", 1000, "its own", is_evidence=True)
    found = audit(run, using=[MADE], settings=Settings((asked,)))
    plain = audit(run, using=[MADE])
    assert found.findings == plain.findings
    assert found.settings[0].refused == len(plain.findings) > 0
    lower = replace(asked, value=0)
    more = audit(run, using=[MADE], settings=Settings((lower,)))
    assert len(more.findings) > len(plain.findings)


def test_the_users_word_counts_more_than_that_of_the_run(sample: Path, tmp_path: Path) -> None:
    written(sample, '[sources."*".CIT001]\nseverity = "error"\n')
    yours = user_settings(written(tmp_path, '[rules.CIT001]\nseverity = "off"\n'))
    assert told(audited(sample, yours), "CIT001") == []


def test_a_file_of_a_run_that_was_given_is_the_users(sample: Path) -> None:
    place = written(sample, '[rules.CIT001]\nseverity = "off"\n')
    assert told(audited(sample, user_settings(place)), "CIT001") == []


def test_a_run_whose_settings_can_not_be_followed_is_audited_and_says_so(sample: Path) -> None:
    written(sample, '[rules.CIT001]\nseverity = "of"\n')
    problem, found = list(audit_paths([str(sample)], tokens=False))
    assert isinstance(problem, Problem)
    assert problem.where.endswith("reread.toml:2")
    assert "nothing that this file asks for was followed" in problem.what
    assert isinstance(found, Audit)
    assert told(found, "CIT001")


def test_a_link_out_of_the_run_is_not_followed(sample: Path, tmp_path: Path) -> None:
    outside = written(tmp_path, '[rules.CIT006]\nseverity = "error"\n', "outside.toml")
    (sample / "reread.toml").symlink_to(outside)
    settings, problem = of_run(audited_run(sample), Settings())
    assert settings == Settings()
    assert problem is not None
    assert "link out" in problem.what


def audited_run(sample: Path) -> Run:
    return next(a for a in audit_paths([str(sample)], tokens=False) if isinstance(a, Audit)).run


def test_a_trace_deep_in_a_run_folder_has_the_settings_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    (folder / "traces").mkdir(parents=True)
    shutil.copy(write_sample(tmp_path / "sample")[0] / "events.jsonl", folder / "traces")
    trace = {"path": "traces/events.jsonl", "format": "reread.events/1"}
    facts = {"format": "reread.run/1", "run_id": "r", "traces": [{**trace, "format": "any"}]}
    (folder / "manifest.json").write_text(json.dumps(facts))
    written(folder, '[rules.CIT001]\nseverity = "error"\n')
    assert [each.is_evidence for each in audited(folder).settings] == [True]
    # Named alone, the trace has nothing to do with folders further up.
    assert audited(folder / "traces" / "events.jsonl").settings == ()


def test_a_file_beside_a_lone_trace_is_not_its_own(sample: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(sample / "events.jsonl", alone)
    written(alone, '[rules.CIT001]\nseverity = "error"\n')
    assert audited(alone / "events.jsonl").settings == ()


def test_reports_say_what_was_in_force(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, '[rules.CIT001]\nseverity = "off"\n')
    for name in ("text", "json", "html"):
        ended = command("audit", str(sample), "--format", name, program=Program())
        assert ended.status == 1
        assert "rules.CIT001.severity" in ended.out
    ended = command("audit", str(sample), "--format", "text", program=Program())
    assert 'rules.CIT001.severity = "off" (reread.toml:2): 1 finding left out' in ended.out


def test_a_reason_stands_beside_what_it_explains(sample: Path, tmp_path: Path) -> None:
    text = '[rules.CIT001]\nseverity = "off"\nreason = "known to the team"\n'
    (setting,) = audited(sample, user_settings(written(tmp_path, text))).settings
    assert (setting.reason, setting.off) == ("known to the team", 1)
    with pytest.raises(SettingsError, match="takes a text"):
        user_settings(written(tmp_path, "[rules.CIT001]\nreason = 3\n"))


def test_a_wrong_file_is_wrong_usage(sample: Path, tmp_path: Path) -> None:
    place = written(tmp_path, "[rules.CIT001]\nlimit = 3\n")
    ended = command("audit", str(sample), "--config", place, program=Program())
    assert (ended.status, ended.out) == (2, "")
    assert f"{place}:2" in ended.err


def test_explain_names_what_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Program, "rules", lambda _: (MADE,))
    out = command("explain", "XYZ001", program=Program()).out
    assert "limit = 13  (a whole number from 0)" in out
    assert 'words = ["all"]  (a list of texts)' in out
    assert "[shared]" in out


@pytest.mark.parametrize("kind", ["folder", "lost link", "pipe"])
def test_settings_that_are_no_file_are_not_left_out_unsaid(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "reread.toml"
    if kind == "folder":
        place.mkdir()
    elif kind == "lost link":
        place.symlink_to("nowhere")
    elif hasattr(os, "mkfifo"):
        os.mkfifo(place)
    else:
        pytest.skip("no pipes with names here")
    with pytest.raises(SettingsError, match="cannot be read"):
        user_settings(None)
