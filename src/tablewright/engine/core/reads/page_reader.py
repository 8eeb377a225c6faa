"""Pages: the rows that one Query or Scan reads, filters, returns and charges.

Rows are read in key order until a limit of rows or of bytes is reached; both count what is read, before the filter.
Then the page ends with a LastEvaluatedKey, even if no row follows, unless the rest of the range can contain no key.
Rows that are returned whole are not decoded, except the last one, for its key.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.capacity import READ_UNIT, read_units
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.reads.key_ranges import Span
from tablewright.engine.core.reads.read_sources import ReadSource
from tablewright.engine.core.reads.selections import Selection
from tablewright.engine.core.sessions import LongRead, Reading, must_be_quick, page_budget

PAGE_SIZE = 1 << 20

Row = tuple[bytes, StoredItem]


class RowPage(NamedTuple):
    """The rows that were read, and those that passed the filter, projected."""

    rows: list[Row]
    items: Sequence[StoredItem | Item]
    fetched: list[StoredItem]
    """Items of the table, read to complete the rows of a local index."""
    last: Item | None
    """The key of the last row, when there may be more rows after it."""

    @property
    def size(self) -> int:
        """The size in bytes of the rows that were read."""
        return sum([row.size for _, row in self.rows])

    def reply(self, *, counts_only: bool = False) -> dict[str, Any]:
        """The page as the members of a reply."""
        reply: dict[str, Any] = {} if counts_only else {"Items": self.items}
        reply["Count"] = len(self.items)
        reply["ScannedCount"] = len(self.rows)
        if self.last is not None:
            reply["LastEvaluatedKey"] = self.last
        return reply


def read_page(
    tx: Reading,
    source: ReadSource,
    span: Span,
    selection: Selection,
    *,
    limit: int | None = None,
    backward: bool = False,
) -> RowPage:
    """Read the first page of a span."""
    rows: list[Row] = []
    fetched: list[StoredItem] = []
    fetches = selection.fetches(source)
    weight = 0
    last = None
    most_rows, most_bytes, gives_up = limit, PAGE_SIZE, must_be_quick(tx)
    if gives_up:
        decodes = selection.projection is not None or selection.filter is not None
        most_rows, most_bytes = page_budget(limit, PAGE_SIZE, decoded=decodes)
    for row in tx.range(source.index or source.table, span.low, span.high, backward=backward):
        rows.append(row)
        weight += row[1].size
        if fetches:
            item = _fetch(tx, source, row[1])
            fetched.append(item)
            weight += -(-item.size // READ_UNIT) * READ_UNIT
        if weight >= most_bytes or len(rows) == most_rows:
            if gives_up and weight < PAGE_SIZE and len(rows) != limit:
                raise LongRead
            if not span.beyond(row[0], backward=backward).is_empty:
                attributes = row[1].attributes
                last = {name: attributes[name] for name in source.key_names}
            break
    return RowPage(rows, _shown(rows, fetched, selection), fetched, last)


def _fetch(tx: Reading, source: ReadSource, row: StoredItem) -> StoredItem:
    # A stale read may find an index row whose item is gone: then only the attributes in the index are returned.
    return tx.get(source.table, source.table.keys.encode(row.attributes)) or row


def _shown(rows: list[Row], fetched: list[StoredItem], selection: Selection) -> Sequence[StoredItem | Item]:
    _, projection, condition = selection
    items = fetched or [row for _, row in rows]
    if projection is None:
        if condition is None:
            return items
        return [item for item, (_, row) in zip(items, rows, strict=True) if condition.matches(row.attributes)]
    return [
        projection.of(item.attributes)
        for item, (_, row) in zip(items, rows, strict=True)
        if condition is None or condition.matches(row.attributes)
    ]


def charge(
    meter: CapacityMeter, source: ReadSource, page: RowPage, units: float, *, consistent: bool
) -> None:
    """Charge a page: `units` for its rows, and each item fetched from the table on its own."""
    meter.read(units, source.index)
    for item in page.fetched:
        meter.read(read_units(item.size, consistent=consistent))
