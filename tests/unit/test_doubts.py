"""Where a record contradicts itself, and what only looks like a delivery."""

from dataclasses import replace
from hashlib import sha256

from reviewer.audit.engine import audit
from store.evidence import derive
from store.records.findings import State, Verdict
from store.records.grades import Grade
from store.records.runs import Run, ToolCall, Usage
from store.records.sources import Integrity, Selection, SourceKind, Version, VersionKey
from store.records.text import Span
from tests.unit.audit_runs import TEXT, Talk, at, chars


def words(text: str) -> int:
    return len(text.split())


def with_usage(run: Run, tokens: int) -> Run:
    return replace(
        run, calls=tuple(replace(c, usage=Usage(input_tokens=tokens)) for c in run.calls)
    )


def read_once() -> Talk:
    talk = Talk()
    talk.source("doc")
    talk.result(TEXT, chars("doc"))
    talk.answer(at("doc", 0, 36))
    return talk


def test_tokens_that_cannot_hold_the_text_make_a_call_unverifiable() -> None:
    found = audit(with_usage(read_once().run(), words(TEXT) // 2), words, "words")
    assert found.citations[0].verdict is Verdict.UNVERIFIABLE
    assert found.calls[0].grade is Grade.UNKNOWN
    assert "cannot hold" in found.citations[0].reason


def test_tokens_that_hold_the_text_by_another_tokenizer_leave_the_grade() -> None:
    found = audit(with_usage(read_once().run(), words(TEXT) * 7 // 10), words, "words")
    assert found.citations[0].verdict is Verdict.READ
    assert found.calls[0].grade is Grade.RECORDED


def test_tokens_that_were_not_reported_contradict_nothing() -> None:
    found = audit(read_once().run(), words, "words")
    assert found.citations[0].verdict is Verdict.READ


def shown_file(text: str) -> Version:
    key = VersionKey("/repo/notes.md", f"reconstructed:{sha256(text.encode()).hexdigest()}")
    return Version(
        key, SourceKind.FILE, chars=len(text), text=text, integrity=Integrity.RECONSTRUCTED
    )


def prompt_then_file() -> Run:
    """A prompt uses a phrase of a file that the run reads only later, and then loses."""
    talk = Talk()
    talk.say("Please mind that whoever needs more asks the team on duty, always.")
    talk.call()
    version = shown_file(TEXT)
    talk.builder.versions.append(version)
    talk.builder.tool_calls.append(ToolCall("r1", "Read", "{}", by_call=1))
    place = talk.result(TEXT, Selection(*_key(version), ranges=(Span(0, len(TEXT)),)))
    talk.call()
    talk.replace(place, "[gone]")
    talk.answer()
    return talk.run()


def _key(version: Version) -> tuple[str, str]:
    return version.key.source_id, version.key.version_id


def test_a_phrase_that_was_there_before_the_file_was_read_is_no_delivery_of_it() -> None:
    found = audit(prompt_then_file())
    (facts,) = (v for s in found.sources for v in s.versions)
    assert facts.state_at_answer is State.PLACEHOLDER
    assert facts.delivered_at_answer == ()


def test_the_same_phrase_of_a_stored_source_is_a_delivery() -> None:
    talk = Talk()
    talk.source("notes")
    talk.say("Please mind that whoever needs more asks the team on duty, always.")
    talk.answer()
    found = audit(talk.run())
    (facts,) = (v for s in found.sources for v in s.versions)
    assert facts.state_at_answer is State.PARTIAL


def test_changed_bytes_are_searched_where_a_result_holds_the_right_ones() -> None:
    digest = sha256(TEXT.encode()).hexdigest()
    talk = Talk()
    talk.builder.versions.append(
        Version(
            VersionKey("doc", digest),
            SourceKind.TEXT,
            sha256=digest,
            chars=len(TEXT),
            integrity=Integrity.CHANGED,
        )
    )
    talk.result(TEXT, Selection("doc", digest, ranges=(Span(0, len(TEXT)),)))
    talk.answer(at("doc", 0, 36, version_id=digest))
    found = audit(derive(talk.run()))
    (facts,) = (v for s in found.sources for v in s.versions)
    assert facts.state_at_answer is State.FULL
    assert facts.version.integrity is Integrity.CHANGED
    assert found.citations[0].verdict is Verdict.WRONG_HASH


def test_changed_bytes_are_not_searched_where_a_result_reads_otherwise() -> None:
    digest = sha256(TEXT.encode()).hexdigest()
    talk = Talk()
    talk.builder.versions.append(
        Version(
            VersionKey("doc", digest),
            SourceKind.TEXT,
            sha256=digest,
            chars=len(TEXT),
            integrity=Integrity.CHANGED,
        )
    )
    talk.result(TEXT.upper(), Selection("doc", digest, ranges=(Span(0, len(TEXT)),)))
    talk.answer()
    (facts,) = (v for s in audit(derive(talk.run())).sources for v in s.versions)
    assert facts.delivered == ()


def lost_and_read_again(again: tuple[int, int], *, failed: bool = False) -> Run:
    talk = Talk()
    talk.source("doc")
    place = talk.result(TEXT, chars("doc"))
    talk.call()
    talk.replace(place, "[gone]")
    talk.call()
    talk.result(TEXT[slice(*again)], chars("doc", again), id="r2")
    talk.answer()
    run = talk.run()
    if not failed:
        return run
    return replace(run, calls=(*run.calls[:-1], replace(run.calls[-1], error="overloaded")))


def test_a_result_that_was_read_again_in_part_says_so() -> None:
    (fact,) = audit(lost_and_read_again((37, 86))).placeholders
    assert (fact.reread_at_call, fact.reread_whole) == (3, False)


def test_a_result_that_was_read_again_whole_says_so() -> None:
    (fact,) = audit(lost_and_read_again((0, len(TEXT)))).placeholders
    assert (fact.reread_at_call, fact.reread_whole) == (3, True)


def test_a_call_that_failed_read_nothing_again() -> None:
    (fact,) = audit(lost_and_read_again((0, len(TEXT)), failed=True)).placeholders
    assert (fact.reread_at_call, fact.reread_whole) == (None, False)


def test_a_payload_that_names_the_hash_of_other_bytes_proves_nothing() -> None:
    talk = Talk()
    talk.source("doc")
    talk.result(
        '{"doc_id": "doc", "sha256": "'
        + "a" * 64
        + '", "content": "'
        + TEXT.replace("\n", "\\n")
        + '"}',
        chars("doc"),
    )
    talk.answer(at("doc", 0, 36))
    assert audit(talk.run()).citations[0].verdict is not Verdict.READ


def repeated(start: int, copies: int = 4) -> Verdict:
    """A payload says that its line begins at *start*; the selection says at 0."""
    line = "Batches are limited to two hundred records."
    talk = Talk()
    talk.source("doc", (line + "\n") * copies)
    payload = f'{{"doc_id": "doc", "start": {start}, "content": "{line}"}}'
    talk.result(payload, chars("doc", (0, 43)))
    talk.answer(at("doc", 0, 43))
    return audit(talk.run()).citations[0].verdict


def test_a_payload_that_puts_repeated_words_elsewhere_does_not_prove_the_selection() -> None:
    assert repeated(44) is Verdict.PLACEHOLDER_ONLY
    assert repeated(0) is Verdict.READ


def test_words_that_fit_one_place_prove_it_whatever_the_payload_counts() -> None:
    assert repeated(44, copies=1) is Verdict.READ
