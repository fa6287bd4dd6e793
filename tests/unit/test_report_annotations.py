"""Annotations: of the standard's shape, and each of their selectors selects the same text."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyld import jsonld

from store.records.findings import Audit
from store.records.reviews import DecisionKind, citation_target, finding_target
from store.records.runs import Problem
from store.records.sources import Integrity
from store.records.text import Span, Unit
from tests.made import HASH, lost, made_audit, made_citation, made_finding, made_run
from tests.reports import (
    SCHEMAS,
    answered_run,
    audit_of_text,
    decided,
    hostile_audit,
    sample_report,
    text_of,
)

_SCHEMA = json.loads((SCHEMAS / "annotation.json").read_text("utf-8"))
_TERMS = json.loads((SCHEMAS / "annotation-terms.json").read_text("utf-8"))
_OA = "http://www.w3.org/ns/oa#"


def _collection(
    *audits: Audit, problems: tuple[Problem, ...] = (), **meta: object
) -> Mapping[str, Any]:
    return _checked(text_of("annotations", *audits, problems=problems, **meta))


def _checked(text: str) -> Mapping[str, Any]:
    found = json.loads(text)
    jsonschema.validate(found, _SCHEMA)
    assert found["total"] == len(found["first"]["items"])
    return dict(found)


def _items(
    *audits: Audit, problems: tuple[Problem, ...] = (), **meta: object
) -> list[Mapping[str, Any]]:
    return list(_collection(*audits, problems=problems, **meta)["first"]["items"])


def _selectors(target: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {each["type"]: each for each in target.get("selector", ())}


def test_the_sample_is_a_collection_as_the_model_demands(tmp_path: Path) -> None:
    found = _checked(sample_report("annotations", tmp_path))
    audited = json.loads(sample_report("json", tmp_path))["runs"]
    held = [len(each["citations"]) + len(each["findings"]) for each in audited]
    assert found["total"] == sum(held) > 50
    names = [each["id"] for each in found["first"]["items"]]
    assert len(set(names)) == len(names)


def test_the_selectors_of_a_target_agree_with_each_other_and_with_the_stored_file(
    tmp_path: Path,
) -> None:
    checked = 0
    for each in _checked(sample_report("annotations", tmp_path))["first"]["items"]:
        target = each["target"]
        held = _selectors(target)
        if "cached" not in target.get("state", {}) or "TextQuoteSelector" not in held:
            continue
        data = (tmp_path / target["state"]["cached"]).read_bytes()
        _agree(data, held)
        assert target["source"] == f"urn:sha256:{target['state']['reread:sha256']}"
        checked += 1
    assert checked > 20


def _agree(data: bytes, held: Mapping[str, Mapping[str, Any]]) -> None:
    position, quote = held["TextPositionSelector"], held["TextQuoteSelector"]
    text = data.decode()
    assert text[position["start"] : position["end"]] == quote["exact"]
    assert text[: position["start"]].endswith(quote["prefix"])
    assert text[position["end"] :].startswith(quote["suffix"])
    span = held["DataPositionSelector"]
    assert data[span["start"] : span["end"]].decode() == quote["exact"]


@given(st.text(alphabet="a四🤔\n\r\u2028e\u0301\ufeff", min_size=1, max_size=30), st.data())
def test_positions_count_characters_and_data_positions_bytes(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    (item, _) = _items(audit_of_text(text, Span(start, end)))
    _agree(text.encode(), _selectors(item["target"]))
    assert _selectors(item["target"])["TextPositionSelector"]["end"] == end


def test_the_place_in_the_answer_is_a_body_with_its_own_selectors(tmp_path: Path) -> None:
    for each in _checked(sample_report("annotations", tmp_path))["first"]["items"]:
        if each["motivation"] != "assessing":
            continue
        (answer,) = [body for body in each["body"] if body["type"] == "SpecificResource"]
        assert _selectors(answer)["TextQuoteSelector"]["exact"].startswith("[")


@given(st.text(max_size=40))
def test_any_text_in_a_record_gives_annotations_in_utf8(text: str) -> None:
    written = text_of("annotations", hostile_audit(text), problems=(lost(text),))
    _checked(written)
    json.loads(written)["label"].encode()
    assert json.dumps(json.loads(written), ensure_ascii=False).encode()


def test_text_that_utf8_cannot_hold_is_quoted_by_nobody() -> None:
    text = "a\ud83db"
    audit = audit_of_text(text, Span(0, 3), integrity=Integrity.RECONSTRUCTED)
    target = _items(audit)[0]["target"]
    assert set(_selectors(target)) == {"TextPositionSelector"}
    assert target["reread:quotationLeftOut"] == 3


def test_a_quotation_is_whole_or_left_out_and_told_of() -> None:
    target = _items(audit_of_text("x" * 200_000, Span(0, 200_000)))[0]["target"]
    assert set(_selectors(target)) == {"TextPositionSelector", "DataPositionSelector"}
    assert target["reread:quotationLeftOut"] == 200_000


def test_lines_are_selected_as_gaps_between_lines() -> None:
    audit = audit_of_text("a\n", Span(0, 1), unit=Unit.LINE, line_numbers=(3,))
    cited = replace(audit.citations[0], span=Span(3, 10), unit=Unit.LINE)
    target = _items(replace(audit, citations=(cited,)))[0]["target"]
    assert _selectors(target)["FragmentSelector"]["value"] == "line=2,9"


def test_a_citation_of_nothing_known_has_a_source_and_no_selector() -> None:
    cited = replace(made_citation(), source_id="gone", version_id=None, span=None)
    target = _items(replace(made_audit(), citations=(cited,)))[0]["target"]
    assert target["source"].startswith("urn:uuid:")
    assert "selector" not in target
    assert "state" not in target


def test_the_version_is_named_by_its_digest_and_never_by_its_document() -> None:
    target = _items(made_audit())[0]["target"]
    assert target["source"] == f"urn:sha256:{HASH}"
    assert target["state"]["reread:sha256"] == HASH
    assert target["state"]["type"] == "reread:DigestState"


def test_decisions_are_bodies_with_who_made_them_and_when() -> None:
    accepted = (DecisionKind.ACCEPT, "ada", "agreed")
    noted = (DecisionKind.NOTE, "bo", "see page 3")
    reviews = decided(accepted, noted, target=citation_target(made_citation()))
    bodies = [
        body for body in _items(made_audit(), reviews=reviews)[0]["body"] if "creator" in body
    ]
    assert [(each["creator"]["name"], each["purpose"], each["value"]) for each in bodies] == [
        ("ada", "assessing", "accept"),
        ("bo", "commenting", "see page 3"),
    ]
    assert bodies[0]["reread:note"] == "agreed"
    target = finding_target(made_finding())
    assert target is not None
    found = _items(made_audit(), reviews=decided(accepted, target=target))[1]
    assert found["body"][-1]["creator"] == {"type": "Person", "name": "ada"}


def test_a_finding_without_a_citation_points_at_its_line_of_the_record() -> None:
    where = replace(made_finding().where, citation=None, message=None, call=1, tool_call_id=None)
    audit = replace(made_audit(answered_run()), findings=(replace(made_finding(), where=where),))
    target = _items(audit)[-1]["target"]
    assert target["source"] == "runs/r-1/events.jsonl"
    assert _selectors(target)["FragmentSelector"]["value"] == "line=1,2"


def test_no_annotation_tells_a_place_on_the_machine() -> None:
    run = replace(made_run("r-1", "/home/somebody/r-1"), problems=(lost("/home/somebody/r-1/x"),))
    problems = (lost("/home/somebody/gone"),)
    assert "somebody" not in text_of("annotations", made_audit(run), problems=problems)


def test_the_same_citation_has_the_same_name_on_every_machine() -> None:
    first = [each["id"] for each in _items(made_audit(made_run("r-1", "/x/r-1")))]
    assert first == [each["id"] for each in _items(made_audit(made_run("r-1", "y/r-1")))]


# -- as JSON-LD ------------------------------------------------------------------


def _local(url: str, _options: object = None) -> dict[str, object]:
    """Give the words of the standard that are used here, in place of the page of the W3C."""
    assert url == "http://www.w3.org/ns/anno.jsonld", url
    return {
        "contentType": "application/ld+json",
        "contextUrl": None,
        "documentUrl": url,
        "document": _TERMS,
    }


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, below in value.items():
            if key != "@context":
                yield key
                yield from _keys(below)
    elif isinstance(value, list):
        for below in value:
            yield from _keys(below)


def _iri(key: str) -> str:
    """Return what *key* names, the prefixes of the terms written out."""
    if key.startswith("reread:"):
        return f"urn:x-{key}"
    term = _TERMS["@context"][key]
    prefix, _, rest = str(term["@id"] if isinstance(term, dict) else term).partition(":")
    return f"{_TERMS['@context'][prefix]}{rest}"


def test_every_key_means_something_as_linked_data(tmp_path: Path) -> None:
    found = json.loads(sample_report("annotations", tmp_path))
    expanded = jsonld.expand(found, {"documentLoader": _local, "base": "http://b/"})
    written = {key for key in _keys(found) if not key.startswith("@")}
    meant = set(_keys(expanded))
    for key in written - {"id", "type"}:
        assert _iri(key) in meant, key
    assert f"{_OA}hasTarget" in set(_keys(expanded))


def test_motivations_and_types_are_those_of_the_vocabulary() -> None:
    expanded = jsonld.expand(
        json.loads(text_of("annotations", made_audit())),
        {"documentLoader": _local, "base": "http://b/"},
    )
    text = json.dumps(expanded)
    assert f"{_OA}assessing" in text
    assert f"{_OA}TextPositionSelector" in text
    assert "urn:x-reread:grade" in text


@pytest.mark.parametrize("word", ["first", "items", "target", "body", "exact", "start"])
def test_the_terms_of_the_test_hold_the_words_that_are_used(word: str) -> None:
    assert word in _TERMS["@context"]
