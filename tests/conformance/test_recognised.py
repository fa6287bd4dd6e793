"""Every recorded file is recognised as what it was recognised as before."""

from pathlib import Path

from store.importers._probing import file_probe
from store.walking import recognised

LIST = Path(__file__).with_name("recognised.tsv")
"""By path in the folder of data, who recognises the file; nobody where the name is empty."""


def test_every_recorded_file_is_taken_by_the_importer_that_is_listed_for_it(shared: Path) -> None:
    told = [line.split("\t") for line in LIST.read_text("utf-8").splitlines()[2:]]
    assert len(told) > 250
    found: list[list[str]] = []
    for name, _ in told:
        path = shared / "data" / name
        if path.is_file():
            importer = recognised(file_probe(path, name))
            found.append([name, importer.name if importer else ""])
    there = {name for name, _ in found}
    assert found == [row for row in told if row[0] in there]
    assert there
