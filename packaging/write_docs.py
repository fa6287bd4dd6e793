"""Write the pages of the manual whose truth is a table in the code.

    python packaging/write_docs.py

writes ``docs/reference/*.md``, the picture of a report, one run of the sample in each format
for other programs, and the tables between the marks ``<!-- begin NAME -->`` and
``<!-- end NAME -->`` of README.md.  A test compares the files with what this program would write.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any

import pypdfium2

HOME = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HOME))

from reviewer.app import Program  # noqa: E402 - found beside this program, installed or not
from reviewer.audit.engine import audit  # noqa: E402
from reviewer.audit.rules import Rule, rules  # noqa: E402
from reviewer.audit.settings import Parameter, Settings  # noqa: E402
from reviewer.cli import commands  # noqa: E402
from reviewer.cli._exit import Exit  # noqa: E402
from reviewer.display import fit  # noqa: E402
from reviewer.reports import (  # noqa: E402
    Meta,
    _words,
    comparison_text,
    glossary,
    picture,
    reports,
    story_lines,
    value_words,
)
from reviewer.services.exporting import report_meta  # noqa: E402
from reviewer.services.sample import write_sample  # noqa: E402
from reviewer.services.settings import kind_of, tables  # noqa: E402
from reviewer.window.actions import ACTIONS, MENUS  # noqa: E402
from reviewer.window.actions import Command as WindowCommand  # noqa: E402
from store.importers import importers  # noqa: E402
from store.records.findings import Audit, CitationFacts  # noqa: E402

_MADE = "<!-- Written by packaging/write_docs.py from tables in the code: change those. -->\n\n"


def documents() -> dict[str, str]:
    """Return every generated file by its path in the project."""
    audits = _sample_audits()
    readme = (HOME / "README.md").read_text("utf-8")
    readme = _between(readme, "formats", _formats())
    readme = _between(readme, "finding", _finding(audits[0]))
    readme = _between(readme, "phantom", _phantom(audits[0]))
    return {
        "docs/formats.md": f"# What can be read\n\n{_MADE}{_proven()}",
        "docs/reference/formats.md": f"# Formats\n\n{_MADE}{_formats_page()}",
        "docs/reference/rules.md": f"# Rules\n\n{_MADE}{_rules()}",
        "docs/reference/words.md": f"# Words\n\n{_MADE}{_glossary()}",
        "docs/reference/exit-status.md": f"# Exit status\n\n{_MADE}{_exits()}",
        "docs/reference/command-line.md": f"# Command line\n\n{_MADE}{_command_line()}",
        "docs/reference/keys.md": f"# Keys\n\n{_MADE}{_keys()}",
        "docs/report.svg": "".join(_picture(audits[0])),
        "docs/compare.md": _between(
            (HOME / "docs/compare.md").read_text("utf-8"), "compare", _comparison()
        ),
        "README.md": readme,
        **_sample_reports(),
    }


def _sample_audits() -> list[Audit]:
    """Return the audits of the sample."""
    with _in_sample() as names:
        found = list(Program(strict=True).audit(names, tokens=False))
    return [item for item in found if isinstance(item, Audit)]


@contextmanager
def _in_sample() -> Iterator[list[str]]:
    """Go into the folder of the sample, so that no page names a place on this machine."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as made:
        names = [place.name for place in write_sample(Path(made))]
        os.chdir(made)
        try:
            yield names
        finally:
            os.chdir(before)


_RUNBOOK = "incident-review::runbooks/gateway.md@"


def _comparison() -> str:
    """Return the two versions of the sample's runbook side by side, as it is printed."""
    with _in_sample():
        found = Program(strict=True).compare(f"{_RUNBOOK}d34c5e48", f"{_RUNBOOK}30f1ead8")
    lines = comparison_text(found.comparison, found.text_of)
    return "```\n" + "".join(f"{line}\n" for line in lines) + "```\n"


_FOR_PROGRAMS = ("annotations", "csv", "json", "junit", "sarif", "text")
_FOR_PEOPLE = ("html", "md", "pdf")


def _sample_reports() -> dict[str, str]:
    """Return both runs of the sample as pages and pictures, the first for programs too."""
    made: dict[str, str] = {}
    with _in_sample() as names:
        for place, name in enumerate(names):
            found = list(Program(strict=True).audit([name], tokens=False))
            audits = [item for item in found if isinstance(item, Audit)]
            for wanted in (*_FOR_PEOPLE, *(() if place else _FOR_PROGRAMS)):
                report = reports()[wanted]
                chunks = list(report.chunks(audits, [], report_meta(everything=False)))
                path = f"docs/reference/samples/{name}{report.suffix}"
                made[f"{path}.txt" if report.binary else path] = _as_read(chunks)
            made[f"docs/reference/samples/{name}.svg"] = "".join(picture(audits[0]))
    return made


def _as_read(chunks: Sequence[str | bytes]) -> str:
    """Return a report as text: of a paper the words of each page, as a reader's program finds them.

    The pages themselves are no file of text, in which a change could be looked at.
    """
    text = "".join(chunk for chunk in chunks if isinstance(chunk, str))
    paper = b"".join(chunk for chunk in chunks if isinstance(chunk, bytes))
    for number, page in enumerate(pypdfium2.PdfDocument(paper) if paper else (), 1):
        held = page.get_textpage().get_text_bounded().replace("\r\n", "\n")
        text += f"-- page {number} --\n{held.rstrip()}\n\n"
    return text


def _between(text: str, name: str, made: str) -> str:
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->\n"
    head, _, rest = text.partition(begin)
    _, found, tail = rest.partition(end)
    if not found:
        raise SystemExit(f"README.md has no marks for {name}")
    return f"{head}{begin}{made}{end}{tail}"


def _table(names: list[str], rows: list[list[str]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    cells = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def _formats() -> str:
    rows = [
        [f"`{each.name}`", each.title, each.layer.value, each.grade.value] for each in importers()
    ]
    return _table(["name", "what it is", "layer", "best grade"], rows)


_PROVEN = """\
A format is recognised by its content, never by the ending of a name, and asked in the order of
this table. Its grade is the best that a call of it can have: `recorded` where the record holds the
request itself, `derived` where the request follows from recorded edits, `inferred` where it
follows from a rule, `unknown` where the record cannot say. Each call has a grade of its own, and
[formats](reference/formats.md) tells on what it depends. The last column says what the samples
prove that Reread is tested with; "made by the tests" means that no recorded file of this format
was at hand.

"""


def _proven() -> str:
    rows = [
        [
            f"`{each.name}`",
            each.title,
            each.layer.value,
            each.grade.value,
            each.recognised_by,
            each.proves,
        ]
        for each in importers()
    ]
    names = ["format", "what it is", "layer", "best grade", "recognised by", "what samples prove"]
    head = _PROVEN.replace("\n", " ").replace("  ", "\n\n").strip()
    return f"{head}\n\n{_table(names, rows)}"


def _formats_page() -> str:
    pages = [
        f"## {each.name}\n\n{each.title}. Layer {each.layer.value}, grade {each.grade.value}.\n\n"
        f"- Recognised by: {each.recognised_by}\n- What it proves: {each.grade_note}\n"
        for each in importers()
    ]
    return "\n".join(pages)


def _rules() -> str:
    rows = [[f"[{rule.id}](#{rule.id.lower()})", rule.severity, rule.summary] for rule in rules()]
    pages = [
        f"\n## {rule.id}\n\n{rule.name}. Severity: {rule.severity.value}. "
        f"Version: {rule.version}.\n\n{rule.summary}\n\n"
        f"Why it matters: {rule.why}\n"
        + (f"\nSays nothing: {rule.silent}\n" if rule.silent else "")
        + _settable(f"[rules.{rule.id}]", rule.parameters)
        + _examples(rule)
        + "".join(f"\nAlso set by: [{t.name}](#{t.name})\n" for t in rule.tables)
        for rule in rules()
    ]
    shared = [
        f"\n## {name}\n\n{table.meaning}\n{_settable(f'[{name}]', table.parameters)}"
        for name, table in tables().items()
    ]
    head = "What can be set, and how, says [settings](../settings.md).\n\n"
    return head + _table(["rule", "severity", "checks"], rows) + "".join(pages + shared)


def _examples(rule: Rule) -> str:
    """Return the two runs that are the rule's tests, told line by line."""
    fires, silent = rule.failing(), rule.passing()
    settings = Settings(rule.example)
    findings = audit(fires, using=[rule], settings=settings).findings
    found = [f"finding: {each.message}" for each in findings]
    told_of = [f"{c.name} = {value_words(c.value)}` under `[{c.owner}]" for c in rule.example]
    both = f"\nIn both examples `reread.toml` sets `{'`, `'.join(told_of)}`.\n" if told_of else ""
    told = "\n".join([*story_lines(fires), *found])
    return both + (
        f"\nIt fires here:\n\n```\n{told}\n```\n"
        f"\nand is silent here:\n\n```\n{chr(10).join(story_lines(silent))}\n```\n"
    )


def _settable(place: str, parameters: Sequence[Parameter[Any]]) -> str:
    """Return a table of what ``reread.toml`` may set at *place*."""
    rows = [
        [f"`{each.name}`", f"`{value_words(each.default)}`", kind_of(each), each.meaning]
        for each in parameters
    ]
    head = f"\nIn `reread.toml` under `{place}`:\n\n"
    return head + _table(["parameter", "default", "takes", "meaning"], rows) if rows else ""


def _glossary() -> str:
    """Return a table for each kind of word, in the order of the table in the code."""
    kinds: dict[str, list[list[str]]] = {}
    for word in glossary():
        kinds.setdefault(word.kind, []).append([f"`{word.word}`", word.meaning])
    pages = [
        f"## {kind[:1].upper()}{kind[1:]}\n\n{_table(['word', 'meaning'], rows)}"
        for kind, rows in kinds.items()
    ]
    return "`reread explain WORD` prints these too.\n\n" + "\n".join(pages)


def _exits() -> str:
    return _table(["status", "meaning"], [[str(int(each)), each.meaning] for each in Exit])


def _keys() -> str:
    head = (
        "Every command of the window, with its key and its menu. `Ctrl+K` finds each of them by its"
        " name. Single letters write where text is written, and walk everywhere else.\n\n"
    )
    rows = [
        [" or ".join(f"`{key}`" for key in each.keys), each.title, _menu(each)] for each in ACTIONS
    ]
    return head + _table(["key", "command", "menu"], rows)


def _menu(command: WindowCommand) -> str:
    menu = MENUS[command.menu].replace("&", "")
    return f"{menu} › {command.submenu}" if command.submenu else menu


def _command_line() -> str:
    return "\n".join(_command_page(each) for each in commands())


def _command_page(command: object) -> str:
    parser = argparse.ArgumentParser(prog=f"reread {command.name}", add_help=False)  # type: ignore[attr-defined]
    command.configure(parser)  # type: ignore[attr-defined]
    rows = [[_argument(each), each.help or ""] for each in parser._actions]  # noqa: SLF001 - argparse has no other way
    about = command.help  # type: ignore[attr-defined]
    page = f"## reread {command.name}\n\n{about[:1].upper()}{about[1:]}.\n"  # type: ignore[attr-defined]
    return page + (f"\n{_table(['argument', 'meaning'], rows)}" if rows else "")


def _argument(action: argparse.Action) -> str:
    name = action.option_strings[-1] if action.option_strings else ""
    value = str(action.metavar or action.dest.upper())
    if action.choices:
        value = ", ".join(str(choice) for choice in action.choices)
    if action.nargs == 0:
        return f"`{name}`"
    more = "…" if action.nargs == "+" else ""
    return f"`{name} {value}{more}`".replace("` ", "`")


def _printed(audit: Audit) -> list[str]:
    return "".join(reports()["text"].write([audit], [], Meta(""))).split("\n")


def _phantom(audit: Audit) -> str:
    """Return the first phantom read of the text report, as it is printed."""
    lines = _printed(audit)
    start = next(place for place, line in enumerate(lines) if " PLC001 " in line)
    kept = [lines[start]]
    for line in lines[start + 1 :]:
        if not line.startswith("      "):
            break
        kept.append(line)
    return "```\n" + "\n".join(kept) + "\n```\n"


def _finding(audit: Audit) -> str:
    """Return what the text report says of one citation, as it is printed."""
    lines = _printed(audit)
    start = next(place for place, line in enumerate(lines) if line.startswith("  #"))
    kept = lines[start : start + 2]
    place = next(place for place, line in enumerate(lines) if "from_memory" in line)
    kept.append(lines[place])
    for line in lines[place + 1 :]:
        if not line.startswith("      "):
            break
        kept.append(line)
    return "```\n" + "\n".join(kept) + "\n```\n"


_COLOURS = {"good": "#1a7f37", "open": "#8a5a00", "bad": "#b3261e"}
_ROW = 64
_WIDTH = 900
_TOP = 84


def _picture(audit: Audit) -> Iterator[str]:
    """Yield a picture of the page's citations, one of each verdict."""
    chosen: dict[str, CitationFacts] = {}
    for facts in audit.citations:
        chosen.setdefault(facts.verdict.word, facts)
    height = _TOP + _ROW * len(chosen) + 12
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}" font-family="system-ui, sans-serif" role="img">\n'
        "<title>Part of the report on the sample: one citation of each verdict</title>\n"
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>\n'
    )
    yield _words_at(20, 36, 22, "#1b1f24", audit.run.title, bold=True)
    yield _words_at(20, 62, 14, "#57606a", f"grade {audit.run.grade} · {_words.summary(audit)}")
    for place, facts in enumerate(chosen.values()):
        yield from _card(_TOP + place * _ROW, facts)
    yield "</svg>\n"


def _words_at(  # noqa: PLR0913 - a text in a picture has this many properties
    x: int, y: int, size: int, colour: str, text: str, *, bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}"{weight}>{escape(text)}</text>\n'
    )


def _card(top: int, facts: CitationFacts) -> Iterator[str]:
    colour = _COLOURS[_words.good(facts.verdict)]
    sign = _words.VERDICT_SIGNS.get(facts.verdict, "✗")
    place = _words.reference(facts.source_id, facts.version_id, facts.span, facts.unit, None)
    size = f'y="{top}" height="{_ROW - 8}"'
    yield f'<rect x="20" {size} width="{_WIDTH - 40}" rx="4" fill="#f6f8fa"/>\n'
    yield f'<rect x="20" {size} width="4" fill="{colour}"/>\n'
    yield _words_at(36, top + 24, 15, colour, f"{sign} {facts.verdict.word}", bold=True)
    yield _words_at(220, top + 24, 14, "#1b1f24", place)
    yield _words_at(36, top + 45, 13, "#57606a", fit(facts.reason, 110))


def main() -> None:
    """Write every file that differs."""
    for name, text in documents().items():
        path = HOME / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != text.encode():
            path.write_bytes(text.encode())
            print(f"wrote {name}")


if __name__ == "__main__":
    main()
