"""Table copies: page by page, with turns in between."""

import pytest

from tablewright import embedded
from tablewright.access.context import Context
from tablewright.lifecycle.move import table_copy
from tablewright.lifecycle.move.move_records import MoveRecords
from tablewright.lifecycle.move.sides import Side
from tablewright.lifecycle.move.table_copy import TableCopy
from tests.lifecycle.move.moves import DESIGN, create, fill, items, orders, people


def test_pages_of_all_segments_and_turns_alternate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_copy, "PAGE", 4)
    with embedded() as one, embedded() as other:
        create(one)
        create(other)
        fill(one, 20)
        source, target = Side("source", one, DESIGN, Context()), Side("target", other, DESIGN, Context())
        records = MoveRecords(target)
        records.create()
        turns: list[int] = []
        for table in (orders, people):
            copy = TableCopy(table, source, target, records, 2)
            copy.run(turns.append)
            assert copy.items == 20
        assert len(turns) > 4
        assert items(one) == items(other)
        again: list[int] = []
        TableCopy(orders, source, target, records, 2).run(again.append)
        assert again == []
