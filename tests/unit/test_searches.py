"""What searches asked for and gave, and what the rules of retrieval make of it."""

import json
from collections.abc import Mapping

import pytest

from reviewer.audit.engine import audit
from reviewer.audit.rules import rules
from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.searches import searches
from store.records.runs import Run

BLOCKS = (("b1", 0, 48), ("b2", 48, 102), ("b3", 102, 153))


def asked(arguments: Mapping[str, object], body: object, *, answer: str = "Done.") -> Run:
    """One search with *arguments* gives *body*, and the model answers."""
    story = Story()
    story.document("notice", NOTICE, blocks=BLOCKS)
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    story.answers_with(text, arguments, id="search-1")
    return story.answer(text=answer)


def found(run: Run) -> list[str]:
    """Return the rules of retrieval that fire."""
    using = [rule for rule in rules() if rule.id.startswith("RET")]
    return [finding.rule for finding in audit(run, using=using).findings]


def test_a_search_is_told_by_its_arguments_and_its_result_and_not_by_its_name() -> None:
    (search,) = searches(
        asked(
            {"q": "limits", "doc_ids": ["notice"], "k": 2, "mode": "hybrid", "lang": "en"},
            {"mode": "hybrid", "snapshot": "s1", "hits": [{"block_id": "b3"}, {"id": "x"}]},
        )
    )
    assert (search.query, search.scope, search.limit, search.mode) == (
        "limits",
        ("notice",),
        2,
        "hybrid",
    )
    assert [(hit.id, hit.source_id) for hit in search.hits] == [("b3", "notice"), ("x", "")]
    assert (search.said_mode, search.snapshot, search.is_cut) == ("hybrid", "s1", True)
    assert search.others == '{"lang": "en"}'


@pytest.mark.parametrize(
    ("arguments", "body"),
    [
        ({"query": "limits"}, "3 matches in notice"),
        ({"query": "limits"}, {"count": 3}),
        ({"query": "limits"}, [1, 2]),
        ({"query": "limits"}, [{"text": "no id"}]),
        ({"doc_id": "notice"}, [{"doc_id": "notice"}]),
        ({"query": "limits"}, "[" * 5000),
    ],
)
def test_what_is_no_list_of_things_with_ids_is_no_search(
    arguments: Mapping[str, object], body: object
) -> None:
    assert list(searches(asked(arguments, body))) == []


NAMED = {"query": "limits", "doc_ids": ["notice", "annex"]}


@pytest.mark.parametrize(
    ("body", "fires"),
    [
        ({"results": [{"block_id": "b1"}]}, ["RET002"]),
        ({"results": [{"block_id": "b1", "text": "as annexed"}]}, ["RET002"]),
        ({"results": [{"block_id": "b1"}], "missing": ["annex"]}, []),
        ({"results": [{"block_id": "b1"}], "warning": "not all were searched"}, []),
        ({"results": [{"block_id": "b1"}, {"id": "unknown"}]}, []),
        ({"results": [{"block_id": "b1"}, {"id": "z", "metadata": {"source": "annex"}}]}, []),
        ({"results": []}, []),
    ],
)
def test_a_named_source_is_missing_only_where_nothing_explains_it(
    body: object, fires: list[str]
) -> None:
    assert found(asked(NAMED, body)) == fires


SCOPED = {"query": "limits", "scope": "notice", "top_k": 3}


@pytest.mark.parametrize(
    ("more", "body", "fires"),
    [
        ({}, {"results": [{"block_id": "b3"}]}, ["RET001"]),
        ({"min_score": 0.5}, {"results": [{"block_id": "b3"}]}, []),
        ({}, {"results": [{"block_id": "b3"}], "total": 1}, []),
        ({}, {"results": [{"doc_id": "elsewhere"}]}, []),
        ({}, {"results": [{"block_id": "b1"}, {"block_id": "b2"}, {"block_id": "b3"}]}, []),
    ],
)
def test_too_few_came_only_where_the_scope_is_known_to_hold_more(
    more: Mapping[str, object], body: object, fires: list[str]
) -> None:
    assert found(asked({**SCOPED, **more}, body)) == fires


BEST = {"query": "违约金", "top_k": 2}
TWO = {"results": [{"doc_id": "a"}, {"doc_id": "b"}]}


@pytest.mark.parametrize(
    ("arguments", "body", "answer", "fires"),
    [
        (BEST, TWO, "合同里没有违约金条款。", ["RET004"]),
        (BEST, TWO, "违约金是三个月租金，没有别的。", []),
        (BEST, TWO, "没有押金。违约金另计。", []),
        (BEST, {**TWO, "total": 2}, "合同里没有违约金条款。", []),
        ({**BEST, "top_k": 5}, TWO, "合同里没有违约金条款。", []),
    ],
)
def test_an_answer_denies_what_the_best_few_did_not_hold(
    arguments: Mapping[str, object], body: object, answer: str, fires: list[str]
) -> None:
    assert found(asked(arguments, body, answer=answer)) == fires


def test_a_mode_that_changed_between_equal_searches_is_a_switch() -> None:
    story = Story()
    for number, mode in enumerate(["semantic", "semantic", "keyword"], 1):
        body = json.dumps({"mode": mode, "results": [{"doc_id": "notice"}]})
        story.answers_with(body, {"query": "limits"}, id=f"search-{number}")
    assert found(story.answer()) == ["RET003"]


def test_order_may_change_with_the_snapshot() -> None:
    story = Story()
    for number, order in enumerate([("a", "b"), ("b", "a")], 1):
        hits = [{"doc_id": name} for name in order]
        body = json.dumps({"snapshot": f"s{number}", "results": hits})
        story.answers_with(body, {"query": "limits"}, id=f"search-{number}")
    assert found(story.answer()) == []
