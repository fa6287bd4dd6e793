"""What counts as delivered: a place from the record, and the text found there as its proof."""

import json

import pytest

from reviewer.audit.engine import audit
from store.records.findings import Delivery, Form, Verdict
from store.records.markers import marker_of
from store.records.runs import Part, PartKind
from store.records.sources import ManifestEntry, Selection, SourceKind
from store.records.text import Span, Unit
from tests.unit.audit_runs import TEXT, Talk, at, chars, lines, one

LINE = TEXT.split("\n")[2]
START = TEXT.index(LINE)
CITED = (START, START + len(LINE))


def delivered(talk: Talk) -> tuple[Delivery, ...]:
    """Return the deliveries that are no previews."""
    talk.answer()
    return tuple(d for d in audit(talk.run()).deliveries if d.form is not Form.PREVIEW)


def told(payload: str, *selections: Selection) -> Talk:
    """Return a talk in which one result stands under a selection of the source ``doc``."""
    talk = Talk()
    talk.source("doc")
    talk.result(payload, *selections)
    return talk


# -- forms ---------------------------------------------------------------------------


def test_the_text_as_stored_is_full() -> None:
    (found,) = delivered(told(TEXT, chars("doc")))
    assert (found.form, found.span, found.address) == (Form.FULL, Span(0, len(TEXT)), "selection")


def test_text_of_which_only_the_white_space_was_changed_is_normalized() -> None:
    (found,) = delivered(told(TEXT.replace(" ", "\u00a0 "), chars("doc")))
    assert found.form is Form.NORMALIZED


@pytest.mark.parametrize(
    "payload",
    [
        json.dumps({"doc_id": "doc", "content": TEXT}),
        json.dumps([{"type": "text", "text": json.dumps({"content": TEXT})}]),
        "\n".join(f"{n:>6}\u2192{line}" for n, line in enumerate(TEXT.split("\n")[:-1], 1)) + "\n",
        "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(TEXT.split("\n")[:-1], 1)) + "\n",
        f"<file>\n{TEXT}</file>",
    ],
    ids=["escaped", "json in json", "arrows", "cat -n", "header"],
)
def test_escaping_nesting_and_decorations_are_no_difference(payload: str) -> None:
    (found,) = delivered(told(payload, chars("doc")))
    assert (found.form, found.span) == (Form.FULL, Span(0, len(TEXT)))


def test_a_line_separator_of_unicode_is_a_character_of_the_text() -> None:
    talk = Talk()
    text = "One line\u2028of two halves, as editors show it.\nNext line of the text.\n"
    talk.source("doc", text)
    talk.result(json.dumps(text.split("\n", maxsplit=1)[0]), lines("doc", 1, 2))
    (found,) = delivered(talk)
    assert found.span == Span(0, text.index("\n"))


def test_a_head_that_a_placeholder_kept_counts_for_what_it_covers() -> None:
    talk = Talk()
    talk.source("doc")
    place = talk.result(TEXT, chars("doc"))
    talk.call()
    talk.replace(place, f"[Folded to save room. It began:]\n{TEXT[:60]}")
    found = one(talk, at("doc", 0, 120))
    assert found.verdict is Verdict.PARTLY_READ
    assert found.missing == (Span(60, 120),)


# -- text without an address ------------------------------------------------------------


def test_sixteen_characters_that_fit_one_place_prove_it_without_an_address() -> None:
    talk = Talk()
    talk.source("doc")
    talk.say(f"They wrote: {LINE}")
    assert one(talk, at("doc", *CITED)).verdict is Verdict.READ


def test_white_space_at_its_ends_counts_for_text_without_an_address_where_it_is_there() -> None:
    talk, words = Talk(), "\n  Whoever needs more asks the team on duty.\n"
    talk.source("doc", words)
    talk.say(f"They wrote:\n{words}\nWhat does it mean?")
    assert one(talk, at("doc", 0, len(words))).verdict is Verdict.READ


def test_fewer_than_sixteen_characters_prove_nothing_without_an_address() -> None:
    talk = Talk()
    talk.source("doc")
    talk.say("limited to two")
    assert one(talk, at("doc", *CITED)).verdict is Verdict.NEVER_READ


def test_white_space_does_not_make_text_long_enough() -> None:
    talk = Talk()
    talk.source("doc", "a b c d e f g h i j k l m n o. The rest is something else.")
    talk.say("a b c d e f g h i j k l m n")
    assert delivered(talk) == ()


def test_text_that_fits_two_places_of_a_version_proves_none() -> None:
    talk = Talk()
    talk.source("doc", TEXT + LINE + "\n")
    talk.say(LINE)
    assert delivered(talk) == ()


def test_text_that_fits_two_versions_proves_none() -> None:
    talk = Talk()
    talk.source("doc")
    talk.source("doc", TEXT + "More.\n")
    talk.say(LINE)
    assert delivered(talk) == ()


def test_text_that_fits_two_sources_proves_none() -> None:
    talk = Talk()
    talk.source("doc")
    talk.source("copy")
    talk.say(TEXT)
    assert delivered(talk) == ()


def test_text_that_only_one_version_has_proves_that_version() -> None:
    talk = Talk()
    talk.source("doc")
    newer = talk.source("doc", TEXT.replace("two hundred", "five hundred"))
    talk.say(LINE.replace("two hundred", "five hundred"))
    assert {d.version.version_id for d in delivered(talk)} == {newer}


def test_a_chance_character_before_repeated_text_does_not_make_it_unique() -> None:
    shared = "Payment terms are thirty days net"
    text = f"1: {shared}. Then something. 2? {shared} of discount. And more of it.\n"
    talk = Talk()
    talk.source("doc", text)
    talk.say(f"Note: {shared} of discount.")
    assert one(talk, at("doc", 3, 3 + len(shared))).verdict is not Verdict.READ


# -- what is no delivery ----------------------------------------------------------------


@pytest.mark.parametrize("role", ["assistant", "model", "ai"])
def test_what_the_model_wrote_itself_is_no_delivery(role: str) -> None:
    talk = Talk()
    talk.source("doc")
    talk.say(TEXT, role=role)
    talk.say(TEXT, role="assistant", kind=PartKind.REASONING)
    talk.say(json.dumps({"content": TEXT}), role="assistant", kind=PartKind.TOOL_CALL)
    assert delivered(talk) == ()


def test_a_summary_that_quotes_a_source_is_no_delivery_of_it() -> None:
    talk = Talk()
    talk.source("doc")
    talk.say(f"Earlier the document said: {LINE}", kind=PartKind.SUMMARY)
    assert delivered(talk) == ()


def test_a_manifests_preview_has_its_own_form_and_is_never_delivered() -> None:
    talk = Talk()
    version = talk.source("doc")
    shown = TEXT[:40]
    talk.result(json.dumps([{"doc_id": "doc", "preview": shown}]))
    talk.offer(ManifestEntry("doc", version, Span(0, 40), shown))
    found = one(talk, at("doc", 0, 30))
    assert found.verdict is Verdict.PREVIEW_ONLY


def test_a_preview_is_no_body_even_where_the_result_is_recorded_as_a_read() -> None:
    talk = Talk()
    talk.source("doc")
    talk.result(json.dumps({"doc_id": "doc", "preview": TEXT[:60], "content": None}), chars("doc"))
    assert one(talk, at("doc", 0, 30)).verdict is Verdict.PLACEHOLDER_ONLY


def test_a_short_placeholder_whose_words_stand_in_the_document_does_not_count() -> None:
    talk = Talk()
    talk.source("doc", TEXT + "[cleared]\n")
    place = talk.result(TEXT + "[cleared]\n", chars("doc"))
    talk.call()
    talk.replace(place, "[cleared]")
    assert one(talk, at("doc", len(TEXT), len(TEXT) + 9)).verdict is Verdict.FROM_MEMORY


def test_a_known_placeholder_that_the_document_quotes_does_not_count() -> None:
    notice = "[Old tool result content cleared]"
    assert marker_of(notice)
    talk = Talk()
    text = f"{TEXT}Clients write {notice} there.\n"
    talk.source("doc", text)
    place = talk.result(text, chars("doc"))
    talk.call()
    talk.replace(place, notice, edit=False)
    start = text.index(notice)
    assert one(talk, at("doc", start, start + len(notice))).verdict is Verdict.FROM_MEMORY


def test_a_document_that_is_only_such_words_is_read_where_the_tool_returned_them() -> None:
    talk = Talk()
    notice = "[Old tool result content cleared]"
    talk.source("doc", notice)
    talk.result(notice, chars("doc"))
    assert one(talk, at("doc", 0, len(notice))).verdict is Verdict.READ


def test_a_short_word_is_proved_by_a_body_and_not_by_a_status() -> None:
    for payload, expected in (
        ({"status": "ok", "error": "over budget"}, Verdict.PLACEHOLDER_ONLY),
        ({"status": "done", "content": "ok"}, Verdict.READ),
    ):
        talk = Talk()
        talk.source("doc", "ok")
        talk.result(json.dumps(payload), chars("doc"))
        assert one(talk, at("doc", 0, 2)).verdict is expected


# -- payloads that name something else -----------------------------------------------------


@pytest.mark.parametrize("ids", [{"doc_id": "other"}, {"id": "other"}, {"block_id": "other#1"}])
def test_a_payload_that_names_another_thing_does_not_count_for_the_selection(
    ids: dict[str, str],
) -> None:
    talk = Talk()
    talk.source("doc")
    talk.source("other", "Another document altogether.\n", blocks=[("other#1", 0, 7)])
    talk.result(json.dumps({**ids, "content": TEXT}), chars("doc"))
    assert delivered(talk) == ()


@pytest.mark.parametrize("key", ["sha256", "hash", "version"])
def test_a_payload_that_names_another_version_does_not_count_for_the_selection(key: str) -> None:
    talk = Talk()
    old = talk.source("doc")
    new = talk.source("doc", TEXT.replace("two hundred", "five hundred"))
    talk.result(json.dumps({"doc_id": "doc", key: new, "content": TEXT}), chars("doc", version=old))
    assert delivered(talk) == ()


def test_a_payload_that_names_another_revision_by_number_does_not_count() -> None:
    talk = Talk()
    old = talk.source("doc", revision="1")
    talk.source("doc", TEXT + "More.\n", revision="2")
    payload = json.dumps({"doc_id": "doc", "version": 2, "content": TEXT})
    talk.result(payload, chars("doc", version=old))
    assert delivered(talk) == ()


def test_ids_that_nothing_in_the_run_has_contradict_nothing() -> None:
    assert delivered(told(json.dumps({"id": "msg_7", "content": TEXT}), chars("doc")))


def test_a_payload_without_selection_counts_only_for_what_it_names() -> None:
    talk = Talk()
    talk.source("doc")
    talk.source("other", None)
    talk.result(json.dumps({"doc_id": "other", "content": TEXT}))
    assert delivered(talk) == ()


def test_a_read_of_a_version_without_text_proves_no_other_version() -> None:
    talk = Talk()
    old = talk.source("doc")
    talk.source("doc", None, "v2")
    talk.result(LINE, chars("doc", version="v2"))
    assert one(talk, at("doc", *CITED, version_id=old)).verdict is not Verdict.READ


def test_a_selection_that_points_at_the_wrong_place_is_corrected_by_unique_text() -> None:
    (found,) = delivered(told(LINE, chars("doc", (0, 20))))
    assert found.span == Span(*CITED)
    assert found.address == "text"


# -- twins -----------------------------------------------------------------------------------


def twins(payload: str) -> Talk:
    """Return a talk that selects two blocks with one text."""
    talk = Talk()
    talk.source("doc", f"{LINE}\n{LINE}\n", blocks=[("a", 0, 43), ("b", 44, 87)])
    talk.result(payload, Selection("doc", "", Unit.BLOCK, blocks=("a", "b")))
    return talk


def test_of_two_equal_blocks_the_one_that_the_payload_names_came() -> None:
    (found,) = delivered(twins(json.dumps({"block_id": "b", "content": LINE})))
    assert found.span == Span(44, 87)


def test_of_two_equal_blocks_of_which_one_came_unnamed_none_is_proved() -> None:
    assert delivered(twins(json.dumps({"content": LINE}))) == ()
    assert delivered(twins(LINE)) == ()


def test_two_equal_blocks_that_both_came_are_both_delivered() -> None:
    found = delivered(twins(f"{LINE}\n\n{LINE}"))
    assert sorted(d.span for d in found) == [Span(0, 43), Span(44, 87)]


def test_two_equal_ranges_of_which_one_came_are_not_proved() -> None:
    talk = Talk()
    talk.source("doc", f"{LINE}\n{LINE}\n")
    talk.result(LINE, chars("doc", (0, 43), (44, 87)))
    assert delivered(talk) == ()


def test_two_equal_sources_of_which_one_came_are_told_apart_by_name_only() -> None:
    for payload, expected in (
        (json.dumps({"source": "copy", "text": TEXT}), ["copy"]),
        (TEXT, []),
    ):
        talk = Talk()
        talk.source("doc")
        talk.source("copy")
        talk.result(payload, chars("doc"), chars("copy"))
        assert [d.version.source_id for d in delivered(talk)] == expected


def test_one_numbered_line_is_not_told_twice_for_two_equal_ranges() -> None:
    talk = Talk()
    talk.source("doc", f"{LINE}\n{LINE}\n")
    talk.result(f"     1\u2192{LINE}", chars("doc", (0, 43), (44, 87)))
    assert delivered(talk) == ()


def test_a_cut_head_that_two_selected_sources_share_proves_neither() -> None:
    head = "#" * 40 + "\nThe terms that all files of it begin with.\n"
    for payload, expected in (
        (head + "[cut]", []),
        (json.dumps({"source": "b", "text": head + "[cut]"}), ["b"]),
        (head + "The body of a.\n" + head + "[cut]", ["a", "b"]),
    ):
        talk = Talk()
        talk.source("a", head + "The body of a.\n")
        talk.source("b", head + "Other words stand in the body of b.\n")
        talk.result(payload, chars("a"), chars("b"))
        assert [d.version.source_id for d in delivered(talk)] == expected


def test_a_block_inside_a_range_that_was_cut_is_no_rival_of_it() -> None:
    talk = Talk()
    talk.source("doc", blocks=[("b", 0, 37)])
    talk.result(TEXT[:90], chars("doc"), Selection("doc", "", Unit.BLOCK, blocks=("b",)))
    assert one(talk, at("doc", 0, 90)).verdict is Verdict.READ


# -- selections -----------------------------------------------------------------------------


def test_a_selection_of_everything_is_not_narrowed_by_another_of_a_part() -> None:
    (found,) = delivered(told(TEXT, chars("doc"), chars("doc", (0, 10))))
    assert found.span == Span(0, len(TEXT))


def test_results_that_share_an_id_are_told_apart_by_their_text() -> None:
    talk = Talk()
    talk.source("a", "The first document of two with one id.\n")
    talk.source("b", "The second one, read by the same name.\n")
    talk.result("The first document of two with one id.\n", chars("a"), id="call_0")
    talk.call()
    talk.result("The second one, read by the same name.\n", chars("b"), id="call_0")
    talk.answer()
    found = audit(talk.run())
    assert found.placeholders == ()
    assert [read.outcome.value for read in found.reads] == ["delivered", "delivered"]


def test_a_document_part_is_its_sources_text() -> None:
    talk = Talk()
    version = talk.source("doc")
    part = Part(PartKind.DOCUMENT, TEXT, source_id="doc", version_id=version)
    talk.held.append(talk.builder.message("user", [part]))
    (found,) = delivered(talk)
    assert (found.form, found.span) == (Form.FULL, Span(0, len(TEXT)))


def test_a_source_is_its_tools_plain_result_as_well() -> None:
    talk = Talk()
    talk.source("tool:read:r1", TEXT, kind=SourceKind.TOOL_RESULT)
    place = talk.result(TEXT, chars("tool:read:r1"))
    talk.call()
    talk.replace(place, "[cleared]")
    assert one(talk, at("tool:read:r1", *CITED)).verdict is Verdict.FROM_MEMORY


def test_a_short_result_is_not_found_among_other_words_in_its_place() -> None:
    for shown in ('{"status": "ok", "note": "cleared"}', "[cleared, it was:]\nok\n"):
        talk = Talk()
        talk.source("tool:run:r1", "ok", kind=SourceKind.TOOL_RESULT)
        place = talk.result("ok", chars("tool:run:r1"))
        talk.call()
        talk.replace(place, shown)
        assert one(talk, at("tool:run:r1", 0, 2)).verdict is Verdict.FROM_MEMORY


def test_lone_surrogates_and_nul_are_characters_like_others() -> None:
    text = "A string\ud83d that ends \x00 between its halves.\n"
    talk = Talk()
    talk.source("doc", text)
    talk.result(json.dumps({"content": text}), chars("doc"))
    assert {d.span for d in delivered(talk)} == {Span(0, len(text))}
