"""The sources of a run as a tree of rows: sources, their versions, the blocks of a version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from reviewer.audit.intervals import intersect
from reviewer.audit.strips import Strip, strip
from reviewer.filter.columns import Column, Columns, Kind, by_name
from reviewer.reports._words import length, short
from reviewer.window.i18n import tr, trn
from reviewer.window.place import Place
from reviewer.window.presenters.strip import strip_words
from reviewer.window.presenters.tables import NOTHING, Cell, Row, cell
from reviewer.window.presenters.words import integrity_words
from store.records.findings import Audit, SourceFacts, State, VersionFacts
from store.records.sources import Block, Integrity, SourceKind, VersionKey
from store.records.text import Span, Unit

__all__ = ["SourceColumn", "SourceNode", "SourceTree"]


class SourceColumn(IntEnum):
    """The columns of the tree."""

    NAME = 0
    STRIP = 1
    SHARE = 2
    STATE = 3
    CITED = 4


_STATES = tuple(reversed([state.value for state in State]))
_PIECES = 20
_BEST = {state: rank for rank, state in enumerate(State)}


@dataclass(eq=False)
class SourceNode:
    """One node: a source, a version of it, or a block of that.

    ``strip`` is set for versions, and for a source with one version.
    ``children`` are made when they are first asked for.
    """

    source: SourceFacts
    version: VersionFacts | None = None
    block: Block | None = None
    parent: SourceNode | None = None
    index: int = 0
    row: Row | None = None
    strip: Strip | None = None
    children: list[SourceNode] | None = field(default=None, repr=False)

    @property
    def key(self) -> VersionKey | None:
        """The version shown for this node: its own, or the last of its source."""
        if self.version is not None:
            return self.version.version.key
        return self.source.versions[-1].version.key if self.source.versions else None


class SourceTree:
    """The sources of one audit; it is the table of versions that the filter asks.

    A source without a version has one row there too.
    """

    def __init__(self, audit: Audit, run: int = 0) -> None:
        self.audit = audit
        self.run = run
        self.entries: list[tuple[int, VersionFacts | None]] = [
            (at, facts)
            for at, source in enumerate(audit.sources)
            for facts in (source.versions or (None,))
        ]
        self._cited = Counter((c.source_id, c.version_id) for c in audit.citations)
        self._cited_blocks = Counter(
            (c.source_id, c.version_id, c.citation.block_id) for c in audit.citations
        )
        names = tuple(source.source_id for source in audit.sources)
        self._columns = by_name(
            [
                Column("source", Kind.TEXT, names, searched=True),
                Column("title", Kind.TEXT, searched=True),
                Column("version", Kind.TEXT, searched=True),
                Column("kind", Kind.CHOICE, tuple(kind.value for kind in SourceKind)),
                Column("share", Kind.NUMBER),
                Column("state", Kind.ORDER, _STATES),
                Column("cited", Kind.NUMBER),
            ]
        )

    @property
    def columns(self) -> Columns:
        """What the filter knows of the versions."""
        return self._columns

    def __len__(self) -> int:
        return len(self.entries)

    def values(self, column: str) -> Sequence[str | int | None]:
        """Return one column whole, a value for each entry."""
        return [self._value(*entry, column) for entry in self.entries]

    def _value(self, at: int, facts: VersionFacts | None, column: str) -> str | int | None:  # noqa: PLR0911 - a table
        source = self.audit.sources[at]
        match column:
            case "source":
                return source.source_id
            case "title":
                return source.title or None
            case "kind":
                return str(source.kind)
            case "version":
                return facts.version.key.version_id if facts else None
            case "state":
                return facts.state_at_answer.value if facts else None
            case "cited":
                version = facts.version.key.version_id if facts else None
                return self._cited[source.source_id, version]
            case _:
                return _percent(facts) if facts else None

    def headings(self) -> Sequence[str]:
        """Return the titles in the order of `SourceColumn`."""
        return (tr("Source"), tr("Coverage"), tr("Delivered"), tr("At the answer"), tr("Cited"))

    # -- nodes ------------------------------------------------------------------

    def roots(self, entries: Sequence[int] | None = None) -> list[SourceNode]:
        """Return the sources; with *entries* those that have one of them, with these versions."""
        if entries is None:
            return [self._root(source, n) for n, source in enumerate(self.audit.sources)]
        shown: dict[int, list[VersionFacts]] = {}
        for entry in entries:
            at, facts = self.entries[entry]
            shown.setdefault(at, []).extend([facts] if facts else [])
        roots = []
        for n, (at, versions) in enumerate(shown.items()):
            root = self._root(self.audit.sources[at], n)
            root.children = self._versions(root, versions)
            roots.append(root)
        return roots

    def _root(self, source: SourceFacts, index: int) -> SourceNode:
        return SourceNode(source, index=index)

    def children(self, node: SourceNode) -> list[SourceNode]:
        """Return the children of *node*, made at the first question."""
        if node.children is None:
            if node.version is None:
                node.children = self._versions(node, node.source.versions)
            elif node.block is None:
                blocks = enumerate(node.version.version.blocks)
                node.children = [
                    SourceNode(node.source, node.version, block, node, n) for n, block in blocks
                ]
            else:
                node.children = []
        return node.children

    def has_children(self, node: SourceNode) -> bool:
        """Tell whether a node has children, without making them."""
        if node.version is None:
            return bool(node.source.versions)
        return node.block is None and bool(node.version.version.blocks)

    def _versions(self, root: SourceNode, versions: Sequence[VersionFacts]) -> list[SourceNode]:
        return [SourceNode(root.source, facts, None, root, n) for n, facts in enumerate(versions)]

    def place(self, node: SourceNode, span: Span | None = None) -> Place:
        """Return where a node leads, at *span* of its version if one is given."""
        if node.block is not None and node.version is not None and node.version.unit is Unit.CHAR:
            span = node.block.span
        return Place(run=self.run, source=node.key, span=span, tab="source")

    # -- what is shown ----------------------------------------------------------

    def made(self, node: SourceNode) -> Row:
        """Return the row of a node, made at the first question."""
        if node.row is None:
            if node.version is None:
                node.row = self._source_row(node)
            elif node.block is None:
                node.row = self._version_row(node, node.version)
            else:
                node.row = self._block_row(node.version, node.block)
        return node.row

    def _source_row(self, node: SourceNode) -> Row:
        source = node.source
        count = sum(self._cited[source.source_id, v] for v in _version_ids(source))
        name = cell(source.source_id, more=source.title if source.title != source.source_id else "")
        if len(source.versions) != 1:
            held = trn("one version", "{n} versions", len(source.versions))
            best = min(
                (v.state_at_answer for v in source.versions),
                key=_BEST.__getitem__,
                default=State.ABSENT,
            )
            return Row((name, Cell(""), Cell(held), _state_cell(best), _count(count)))
        (facts,) = source.versions
        node.strip = strip(self.audit, facts.version.key)
        return Row(
            (
                name,
                _strip_cell(node),
                _share_cell(facts),
                _state_cell(facts.state_at_answer),
                _count(count),
            )
        )

    def _version_row(self, node: SourceNode, facts: VersionFacts) -> Row:
        version = facts.version
        key = version.key
        node.strip = strip(self.audit, key)
        text = short(key.version_id)
        if version.revision is not None:
            text = f"{text} ({version.revision})"
        sign, colour, words = integrity_words(version.integrity)
        if version.integrity is Integrity.INTACT:
            colour = ""
        else:
            text = f"{sign} {text}"
        name = cell(text, tone=colour, more=f"{key.version_id}\n{words}")
        count = self._cited[key.source_id, key.version_id]
        return Row(
            (
                name,
                _strip_cell(node),
                _share_cell(facts),
                _state_cell(facts.state_at_answer),
                _count(count),
            )
        )

    def _block_row(self, facts: VersionFacts, block: Block) -> Row:
        key = facts.version.key
        count = self._cited_blocks[key.source_id, key.version_id, block.block_id]
        title = block.section or ""
        return Row(
            (
                cell(block.block_id, more=title),
                Cell(""),
                _block_share(facts, block),
                Cell(""),
                _count(count),
            )
        )


def _version_ids(source: SourceFacts) -> list[str | None]:
    return [None, *(facts.version.key.version_id for facts in source.versions)]


def _percent(facts: VersionFacts) -> int | None:
    """Return how many whole hundredths of a version were delivered; 100 means all of it."""
    total = length(facts)
    if not total:
        return None
    return min(100, sum(span.length for span in facts.delivered) * 100 // total)


def _share_cell(facts: VersionFacts) -> Cell:
    """Return what of a version was delivered over the run, as k of n in its unit."""
    table = facts.version.table
    if facts.delivered_rows is not None and table is not None:
        came = sum(span.length for span in facts.delivered_rows)
        values = {"part": f"{came:,}", "total": f"{table.rows:,}"}
        words = tr("{part} of {total} rows, whole or in part", **values)
        return Cell(words, words)
    part = sum(span.length for span in facts.delivered)
    total = length(facts)
    values = {"part": f"{part:,}", "total": f"{total or 0:,}"}
    if facts.unit is Unit.BLOCK:
        blocks = len(facts.delivered_blocks)
        words = trn("one block, length unknown", "{n} blocks, length unknown", blocks)
    elif total is None and facts.unit is Unit.LINE:
        words = trn("one line, length unknown", "{n} lines, length unknown", part)
    elif total is None:
        words = trn("one character, length unknown", "{n} characters, length unknown", part)
    else:
        words = tr("{part} of {total} characters", **values) + f" · {_share(part, total)}"
    return Cell(words, f"{words}\n{_pieces(facts.delivered)}")


def _share(part: int, total: int) -> str:
    """Return how many hundredths, rounded so that only all is 100 % and only nothing is 0 %."""
    if not total:
        return tr("empty")
    percent = min(100, part * 100 // total)
    return tr("under 1 %") if part and not percent else f"{percent} %"


def _pieces(spans: Sequence[Span]) -> str:
    shown = " ".join(f"[{span.start}, {span.end})" for span in spans[:_PIECES])
    if len(spans) > _PIECES:
        shown += " " + tr("and {n} more", n=f"{len(spans) - _PIECES:,}")
    return shown or tr("nothing")


def _block_share(facts: VersionFacts, block: Block) -> Cell:
    if facts.unit is not Unit.CHAR:
        came = block.block_id in facts.delivered_blocks
        return Cell(tr("delivered") if came else tr("not known"))
    part = sum(span.length for span in intersect([block.span], facts.delivered))
    values = {"part": f"{part:,}", "total": f"{block.span.length:,}"}
    return Cell(tr("{part} of {total} characters", **values))


def _strip_cell(node: SourceNode) -> Cell:
    """Return the strip in words: its picture is painted."""
    words = strip_words(node.strip) if node.strip is not None else tr("no positions known")
    return Cell(words, words)


def _count(count: int) -> Cell:
    return Cell(f"{count:,}" if count else NOTHING)


def _state_cell(state: State) -> Cell:
    words = {
        State.FULL: tr("● full"),
        State.PARTIAL: tr("◐ partial"),
        State.PREVIEW: tr("◌ preview"),
        State.PLACEHOLDER: tr("▢ placeholder"),
        State.LISTED: tr("☰ listed"),
        State.ABSENT: tr("○ absent"),
    }[state]
    return Cell(words, f"{words}\n" + tr("as it stood in the request of the last answer"))
