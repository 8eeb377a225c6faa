"""Shard iterators: positions in a stream, while its records expire."""

from collections.abc import Iterator

import pytest

from tablewright.engine.database import Database
from tablewright.errors import TrimmedDataAccess
from tests.engine.streaming import (
    DAY,
    create_table,
    item,
    iterator,
    open_memory,
    put,
)


@pytest.fixture
def db() -> Iterator[Database]:
    database = open_memory()
    yield database
    database.close()


def test_an_iterator_at_expired_records_is_rejected(db: Database) -> None:
    arn = create_table(db)
    put(db, item("a"))
    db.clock.advance(DAY - 60)
    start = iterator(db, arn)
    assert len(db.call("GetRecords", {"ShardIterator": start})["Records"]) == 1
    db.clock.advance(120)
    for _ in ("before sweeping", "after"):
        with pytest.raises(TrimmedDataAccess, match="The data you are trying to access has been trimmed"):
            db.call("GetRecords", {"ShardIterator": start})
        db.sweep()


def test_iterators_of_an_idle_reader_stay_valid(db: Database) -> None:
    arn = create_table(db)
    put(db, item("a"))
    position = iterator(db, arn, "LATEST")
    for _ in range(200):
        db.clock.advance(10 * 60)
        db.sweep()
        page = db.call("GetRecords", {"ShardIterator": position})
        assert page["Records"] == []
        position = page["NextShardIterator"]
    put(db, item("b"))
    assert len(db.call("GetRecords", {"ShardIterator": position})["Records"]) == 1
