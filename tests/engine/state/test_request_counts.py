"""Requests are counted by operation, from the first question."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tablewright import embedded
from tablewright.errors import ResourceNotFound


def test_requests_are_counted_by_operation_failed_ones_too() -> None:
    with embedded() as db:
        db.call("ListTables", {})
        assert db.request_counts() == {}
        db.call("ListTables", {})
        with pytest.raises(ResourceNotFound):
            db.call("DescribeTable", {"TableName": "absent"})
        db.client().list_tables()
        assert db.request_counts() == {"ListTables": 2, "DescribeTable": 1}


def test_requests_of_several_threads_are_counted() -> None:
    with embedded() as db, ThreadPoolExecutor(4) as pool:
        db.request_counts()
        list(pool.map(lambda _: db.call("ListTables", {}), range(200)))
        assert db.request_counts() == {"ListTables": 200}
