"""Chinese sample: an agent checks a lease against house rules, a table and an inspection record.

Its client folds the contract to a reference, compacts an old step into a
summary, and reads one clause again before the answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from reviewer.services.sample.story import Cited, Story, cite, sample_text, span_of, whole
from store.records.sources import Block, Selection, Table
from store.records.text import Span, Unit
from store.run_writer import RunWriter

__all__ = ["write_lease"]

CONTRACT = "租赁合同"
RULES = "管理办法"
DEVICES = "设备清单"
INSPECTION = "验收记录"

_FIELDS = ("编号", "名称", "月租", "地点")
_FEW_FIELDS = ("编号", "月租")
_READ_BLOCKS = ("管理办法#二#审批", "管理办法#三#保证金")
_UNREAD_BLOCK = "管理办法#四#退租"
_NO_BLOCK = "管理办法#二"
_SYSTEM = "你是合同审查助手。每一个结论都要注明出处。"
_QUESTION = "请审查这份设备租赁合同是否符合公司管理办法，并核对租金。"


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The texts of the story and the ids of their versions."""

    contract: str
    rules: str
    devices: str
    inspection: str
    draft: str
    ids: dict[str, str]
    draft_id: str
    blocks: dict[str, Span]


def write_lease(folder: Path) -> Path:
    """Write the run folder and return it."""
    story = Story.begin(
        folder,
        "lease-review",
        title="设备租赁合同审查",
        at="2026-03-16T10:00:00+08:00",
        system=_SYSTEM,
        question=_QUESTION,
    )
    evidence = _store(story.writer)
    _contract_and_rules(story, evidence)
    _devices_and_inspection(story, evidence)
    _clause_again(story, evidence)
    story.answer(_answer(evidence))
    story.finish("2026-03-16T10:06:00+08:00")
    return folder


def _rule_blocks(text: str) -> tuple[Block, ...]:
    """Cut the rules at their chapters; the id of a block names chapter and subject."""
    starts = [place for place, char in enumerate(text) if char == "第" and text[place - 1] == "\n"]
    found = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        heading = text[start : text.index("\n", start)]
        number, _, subject = heading.partition(" ")
        block_id = f"{RULES}#{number[1:-1]}#{subject}"
        found.append(Block(block_id, Span(start, end), section=heading))
    return tuple(found)


def _store(writer: RunWriter) -> _Evidence:
    draft, contract = sample_text("zh/contract-old.txt"), sample_text("zh/contract.txt")
    rules, devices = sample_text("zh/rules.txt"), sample_text("zh/devices.jsonl")
    inspection = sample_text("zh/inspection.txt")
    draft_id = writer.version(CONTRACT, draft, title="设备租赁合同", revision="草案")
    blocks = _rule_blocks(rules)
    table = Table(_FIELDS, devices.count("\n"), "编号")
    ids = {
        CONTRACT: writer.version(
            CONTRACT, contract, title="设备租赁合同", revision="正式", supersedes=draft_id
        ),
        RULES: writer.version(
            RULES, rules, kind="blocks", title="设备租赁业务管理办法", blocks=blocks
        ),
        DEVICES: writer.version(
            DEVICES, devices, kind="table", media_type="application/jsonl", table=table
        ),
        INSPECTION: writer.version(INSPECTION, inspection, title="设备验收记录"),
    }
    spans = {block.block_id: block.span for block in blocks}
    return _Evidence(contract, rules, devices, inspection, draft, ids, draft_id, spans)


def _contract_and_rules(story: Story, evidence: _Evidence) -> None:
    """Read the contract whole and fold it one call later; read two blocks of the rules."""
    story.ask("c1", "read_document", {"name": CONTRACT}, "先看合同全文。")
    selection = whole(CONTRACT, evidence.ids[CONTRACT], evidence.contract)
    story.returned("c1", evidence.contract, selection)

    story.ask("c2", "read_blocks", {"ids": list(_READ_BLOCKS)}, "再看审批和保证金的规定。")
    held = [
        {"block_id": name, "text": evidence.rules[span.start : span.end]}
        for name, span in evidence.blocks.items()
        if name in _READ_BLOCKS
    ]
    selection = Selection(RULES, evidence.ids[RULES], Unit.BLOCK, blocks=_READ_BLOCKS)
    story.returned("c2", json.dumps(held, ensure_ascii=False), selection)

    story.ask(
        "c3", "read_rows", {"rows": [0, 6], "fields": list(_FEW_FIELDS)}, "核对前六台的租金。"
    )
    head = evidence.contract[: evidence.contract.index("第二条")]
    stand_in = f"{head}【以下已折叠，全文见 {CONTRACT}@{evidence.ids[CONTRACT]}】"
    story.replaced("fold", "c1", stand_in)


def _rows(text: str, first: int, end: int, fields: tuple[str, ...]) -> str:
    found = [json.loads(line) for line in text.split("\n")[first:end]]
    kept = [{name: row[name] for name in fields} for row in found]
    return json.dumps(kept, ensure_ascii=False)


def _devices_and_inspection(story: Story, evidence: _Evidence) -> None:
    """Read six rows with two of their fields and six whole; compact the inspection record."""
    first = Selection(DEVICES, evidence.ids[DEVICES], Unit.ROW, (Span(0, 6),), fields=_FEW_FIELDS)
    story.returned("c3", _rows(evidence.devices, 0, 6, _FEW_FIELDS), first)

    story.ask("c4", "read_document", {"name": INSPECTION}, "看一下验收情况。")
    selection = whole(INSPECTION, evidence.ids[INSPECTION], evidence.inspection)
    story.returned("c4", evidence.inspection, selection)

    story.ask("c5", "read_rows", {"rows": [6, 12]}, "再核对后六台。")
    story.compacted("c4", "【此前步骤的摘要】已经看过验收记录，设备都已签收，有一台更换过零件。")
    second = Selection(DEVICES, evidence.ids[DEVICES], Unit.ROW, (Span(6, 12),))
    story.returned("c5", _rows(evidence.devices, 6, 12, _FIELDS), second)


def _clause_again(story: Story, evidence: _Evidence) -> None:
    """Read one clause again, exactly, by its reference."""
    text = evidence.contract
    span = Span(text.index("第七条"), text.index("第八条"))
    arguments = {"name": CONTRACT, "start": span.start, "end": span.end}
    story.ask("c6", "read_document", arguments, "提前终止一条需要重新看原文。")
    selection = Selection(CONTRACT, evidence.ids[CONTRACT], ranges=(span,))
    story.returned("c6", text[span.start : span.end], selection)


def _answer(evidence: _Evidence) -> list[Cited]:
    return [*_answer_contract(evidence), *_answer_rules(evidence), *_answer_tables(evidence)]


def _answer_contract(evidence: _Evidence) -> list[Cited]:
    text, version = evidence.contract, evidence.ids[CONTRACT]
    early = "应提前九十日书面通知，并支付相当于三个月租金的补偿金"
    owner = "租赁物的所有权始终属于甲方"
    rent = "每月租金为人民币八万六千元"
    draft = "每月租金为人民币九万二千元"
    repeated = "应在二十四小时内通知甲方"
    return [
        cite(
            "提前终止要提前九十日通知，补偿三个月租金",
            CONTRACT,
            version,
            span_of(text, early),
            quote=early,
        ),
        cite("设备归甲方所有", CONTRACT, version, span_of(text, owner)),
        cite("月租金为八万六千元", CONTRACT, version, span_of(text, rent)),
        cite(
            "草案中的月租金是九万二千元",
            CONTRACT,
            evidence.draft_id,
            span_of(evidence.draft, draft),
        ),
        cite(
            "发生事故应在四十八小时内通知甲方",
            CONTRACT,
            version,
            span_of(text, repeated),
            quote="应在四十八小时内通知甲方",
        ),
    ]


def _answer_rules(evidence: _Evidence) -> list[Cited]:
    version = evidence.ids[RULES]
    return [
        cite("月租金超过五万元，须财务和法务会签", RULES, version, block_id=_READ_BLOCKS[0]),
        cite("补偿金过高，须单独说明理由", RULES, version, block_id=_UNREAD_BLOCK),
        cite("审批权限见第二章", RULES, version, block_id=_NO_BLOCK),
    ]


def _answer_tables(evidence: _Evidence) -> list[Cited]:
    devices, inspection = evidence.ids[DEVICES], evidence.ids[INSPECTION]
    noise = "L-03 主轴噪声超过标准"
    return [
        cite("后六台的租金与清单一致", DEVICES, devices, Span(6, 12), unit=Unit.ROW),
        cite("前三台都在一号厂房", DEVICES, devices, Span(0, 3), unit=Unit.ROW),
        cite("有一台主轴噪声超标", INSPECTION, inspection, span_of(evidence.inspection, noise)),
        cite("清单共有二十台设备", DEVICES, devices, Span(12, 20), unit=Unit.ROW),
    ]
