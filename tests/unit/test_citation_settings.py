"""``[citations]`` of a settings file: patterns that a user adds, and none that a run adds."""

from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.audit.patterns import BUILT_IN, DEFAULT
from reviewer.audit.settings import Settings
from reviewer.services.sample import write_sample
from reviewer.services.settings import SettingsError, of_run, user_settings
from store.opening import open_paths
from store.records.runs import ProblemKind, Run

TICKET = """[citations]
off = ["number"]

[citations.patterns.ticket]
regex = 'KB-(?P<key>[0-9]+)'
source = "kb/{key}.md"
reason = "our tickets"
"""


@pytest.fixture
def sample_run(tmp_path: Path) -> Path:
    return write_sample(tmp_path / "sample")[0]


def written(folder: Path, text: str) -> str:
    """Write a settings file and return its name."""
    place = folder / "mine.toml"
    place.write_text(text, "utf-8")
    return str(place)


def test_a_users_pattern_goes_before_the_built_in_ones_and_stands_in_reports(
    tmp_path: Path,
) -> None:
    settings = user_settings(written(tmp_path, TICKET))
    names = [each.name for each in settings.patterns.all]
    assert names[0] == "ticket"
    assert set(names[1:]) == {each.name for each in BUILT_IN} - {"number"}
    assert [(each.key, each.line, each.reason) for each in settings.changes] == [
        ("citations.off", 2, ""),
        ("citations.patterns.ticket.regex", 5, "our tickets"),
    ]
    assert settings.trusted.patterns == settings.patterns
    assert Settings().patterns == DEFAULT


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[citations]\nof = []", "known are off, patterns"),
        ('[citations]\noff = ["nothing"]', "no pattern is called nothing"),
        ("[citations]\noff = 3", "takes a list of texts"),
        ("[citations]\npatterns = 3", "a table is expected"),
        ("[citations.patterns]\nx = 3", "a table is expected"),
        ("[citations.patterns.number]\nregex = '(?P<key>a)'", "choose another"),
        ("[citations.patterns.x]\nregex = '(a'", "no regular expression"),
        ("[citations.patterns.x]\nregex = 'a'", "needs one of the groups"),
        ("[citations.patterns.x]\nsource = 'a'", "takes a text of 1 to"),
        ("[citations.patterns.x]\nregex = 3", "takes a text, not 3"),
        ("[citations.patterns.x]\nregex = '(?P<key>a)'\nin_code = 3", "takes true or false"),
        ("[citations.patterns.x]\nregex = '(?P<key>a)'\nwhat = 3", "this key is unknown"),
        ("[citations.patterns.x]\nregex = '(?P<key>a)'\nsource = '{b}'", "has no group b"),
        ("[citations.patterns.x]\nregex = '(?P<key>a)'\nsource = '{'", "no template"),
    ],
)
def test_a_pattern_that_cannot_be_followed_is_an_error_with_its_place(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(SettingsError, match=said) as met:
        user_settings(written(tmp_path, text))
    assert "at key citations" in met.value.what


def test_a_run_does_not_say_itself_where_its_citations_lead(sample_run: Path) -> None:
    (sample_run / "reread.toml").write_text(
        f"{TICKET}\n[rules.CIT007]\nseverity = 'error'\n", "utf-8"
    )
    (run,) = [each for each in open_paths([str(sample_run)]) if isinstance(each, Run)]
    settings, problem = of_run(replace(run, path=str(sample_run)), Settings())
    assert settings.patterns == DEFAULT
    assert [each.owner for each in settings.changes] == ["CIT007"]
    assert problem is not None
    assert problem.kind is ProblemKind.NOTED
    assert "not followed" in problem.what
