"""Text that stands where a result stood is known by what it is, never by its words."""

from store.records.findings import PlaceholderFacts, PlaceholderKind
from store.records.grades import Grade
from store.records.runs import Admission, ContextEdit, EditKind
from store.records.text import Span
from tests.unit.audit_runs import TEXT, Talk, chars


def read() -> Talk:
    """Return a talk that was given ``doc`` in call 1."""
    talk = Talk()
    talk.source("doc")
    talk.result(TEXT, chars("doc"))
    talk.call()
    return talk


def facts(talk: Talk) -> tuple[PlaceholderFacts, ...]:
    """Return the placeholders of a talk that ends with an answer."""
    return talk.judged().placeholders


def test_a_result_that_stands_to_the_end_is_none() -> None:
    assert facts(read()) == ()


def test_a_result_in_another_spelling_is_none() -> None:
    talk = Talk()
    talk.source("doc")
    numbered = "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(TEXT.split("\n")[:-1], 1))
    talk.result(numbered, chars("doc"), obtained=TEXT)
    assert facts(talk) == ()


def test_other_words_in_the_place_of_a_result_are_one_whatever_they_say() -> None:
    talk = read()
    talk.replace(0, "All of the document was read successfully.", edit=False)
    (found,) = facts(talk)
    assert (found.first_call, found.last_full_call) == (2, 1)
    assert found.kind is PlaceholderKind.CLEARED
    assert found.recoverable


def test_a_result_that_quotes_the_words_of_a_placeholder_is_none() -> None:
    talk = Talk()
    words = "[Old tool result content cleared]"
    talk.source("doc", words)
    talk.result(words, chars("doc"))
    assert facts(talk) == ()


def test_a_removed_result_is_one_and_says_so() -> None:
    talk = read()
    talk.held.clear()
    (found,) = facts(talk)
    assert (found.removed, found.first_call, found.last_full_call) == (True, 2, 1)


def test_a_head_that_was_kept_is_named() -> None:
    talk = read()
    talk.replace(0, TEXT[:60] + "[…]")
    (found,) = facts(talk)
    assert found.kept == (Span(0, 60),)
    assert found.original_chars == len(TEXT)


def test_a_refusal_keeps_nothing() -> None:
    talk = Talk()
    talk.source("doc")
    talk.result("[over budget]", chars("doc"), obtained=TEXT)
    talk.builder.admissions.append(Admission("r1", admitted=False, reason="budget"))
    (found,) = facts(talk)
    assert (found.kind, found.kept, found.last_full_call) == (PlaceholderKind.REFUSED, (), None)


def test_a_result_that_comes_back_is_read_again_in_that_call() -> None:
    talk = read()
    talk.replace(0, "[cleared]")
    talk.call()
    talk.held[0] = 0
    (found,) = facts(talk)
    assert (found.first_call, found.reread_at_call) == (2, 3)


def test_another_read_of_the_same_text_is_a_reread() -> None:
    talk = read()
    talk.replace(0, "[cleared]")
    talk.call()
    talk.result(TEXT, chars("doc"), id="r2")
    (found,) = facts(talk)
    assert found.reread_at_call == 3


def test_words_that_change_from_call_to_call_are_not_byte_stable() -> None:
    talk = read()
    talk.replace(0, "[cleared at 10:01]")
    talk.call()
    talk.replace(0, "[cleared at 10:02]")
    (found,) = facts(talk)
    assert not found.byte_stable


def test_an_edit_without_a_time_has_no_first_call() -> None:
    talk = read()
    edit = ContextEdit(None, EditKind.PERSIST, ("r1",), grade=Grade.INFERRED, reason="a side file")
    talk.builder.edits.append(edit)
    (found,) = facts(talk)
    assert (found.first_call, found.kind) == (None, PlaceholderKind.PERSISTED)
    assert (found.grade, found.reason) == (Grade.INFERRED, "a side file")


def test_equal_ids_with_different_results_are_no_placeholders_of_each_other() -> None:
    talk = Talk()
    talk.result("The first result of this id.", id="call_0")
    talk.call()
    talk.result("Another result with the same id.", id="call_0")
    assert facts(talk) == ()


def test_of_two_results_with_one_id_the_cleared_one_is_told() -> None:
    talk = Talk()
    talk.result("The first result of this id.", id="call_0")
    talk.result("Another result with the same id.", id="call_0")
    talk.call()
    talk.replace(0, "[cleared]")
    (found,) = facts(talk)
    assert found.original_chars == len("The first result of this id.")


def test_a_later_read_of_another_part_does_not_bring_the_lost_part_back() -> None:
    talk = Talk()
    talk.source("doc")
    talk.result(TEXT[:40], chars("doc", (0, 40)))
    talk.call()
    talk.replace(0, "[cleared]")
    talk.result(TEXT[40:90], chars("doc", (40, 90)), id="r2")
    (found,) = facts(talk)
    assert found.reread_at_call is None
