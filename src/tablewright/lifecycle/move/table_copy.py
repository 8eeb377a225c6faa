"""Table copies: copy a page of each segment, then let the changes be followed.

A copied value must never replace a newer one that a follower has written. So both take turns: no record is applied
between the read of a page and its write. A record that is applied after a page was read is newer than the page, or
repeats a change that the page contains; then the records after it follow.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from tablewright.design.tables.tables import Table
from tablewright.lifecycle.move.move_records import CopiedSegment, MoveRecords
from tablewright.lifecycle.move.sides import Side, put

PAGE = 500
"""The most items that are read at once in each segment."""


class TableCopy:
    """The copy of one table, in segments that are read at the same time."""

    def __init__(self, table: Table, source: Side, target: Side, records: MoveRecords, segments: int) -> None:
        self._table = table
        self._source = source
        self._target = target
        self._records = records
        self._segments = records.segments(table.name, segments)

    @property
    def items(self) -> int:
        """The number of copied items."""
        return sum(segment.items for segment in self._segments)

    def run(self, take_turn: Callable[[int], None]) -> None:
        """Copy the rest of the table; `take_turn` is called with the number of copied items between two pages."""
        with ThreadPoolExecutor(len(self._segments)) as threads:
            while not all(segment.is_done for segment in self._segments):
                self._segments = list(threads.map(self._copy_page, self._segments))
                take_turn(self.items)

    def _copy_page(self, segment: CopiedSegment) -> CopiedSegment:
        if segment.is_done:
            return segment
        request: dict[str, Any] = {
            "TableName": self._source.table_name(self._table),
            "TotalSegments": len(self._segments),
            "Segment": segment.number,
            "Limit": PAGE,
            "ConsistentRead": True,
        }
        if segment.after is not None:
            request["ExclusiveStartKey"] = segment.after
        page = self._source.call("Scan", **request)
        self._target.write(self._table, [put(item) for item in page["Items"]])
        after = page.get("LastEvaluatedKey")
        copied = replace(
            segment, after=after, is_done=after is None, items=segment.items + len(page["Items"])
        )
        self._records.save_segment(self._table.name, copied)
        return copied
